//! Products of variants, which are integers.

use pulp::Simd;

use super::{Genotypes, LOWER, exchanged};
use crate::vector::vectorised;

/// A variant that others are multiplied with.
pub(crate) struct Anchor<'a> {
    own: &'a Genotypes,
    /// The two bits of every genotype exchanged.
    turned: Vec<u64>,
    /// The lower bits of those that are missing; none where none is.
    missing: Vec<u64>,
    moments: Moments,
}

/// Sums over the people who are known, of copies less one.
#[derive(Clone, Copy)]
struct Moments {
    known: i128,
    sum: i128,
}

impl Moments {
    fn of(genotypes: &Genotypes) -> Self {
        Self {
            known: genotypes.known() as i128,
            sum: genotypes.counts.copies[2] as i128 - genotypes.counts.copies[0] as i128,
        }
    }

    /// Σ (x − x̄)(a − ā) of two of n people: one integer over another, rounded once. Given are the sum of the products of
    /// copies less one, of those of x over the people whom a does not know, the reverse, and how many nobody knows.
    fn product(self, other: Self, n: i128, sums: [i128; 4]) -> f64 {
        let [products, its_missed, own_missed, neither] = sums;
        if self.known == n && other.known == n {
            return (n * products - self.sum * other.sum) as f64 / n as f64;
        }
        // Over the people whom the other variant knows as well.
        let (own_sum, its_sum) = (self.sum - own_missed, other.sum - its_missed);
        let both = self.known + other.known + neither - n;
        let numerator = self.known * other.known * products
            - self.sum * other.known * its_sum
            - other.sum * self.known * own_sum
            + self.sum * other.sum * both;
        numerator as f64 / (self.known * other.known) as f64
    }
}

impl Genotypes {
    /// Σ (x − x̄)², where a missing genotype is the mean: the [product](Anchor::product) with itself, which counts make.
    pub(crate) fn square_about_mean(&self) -> f64 {
        let (own, counts) = (Moments::of(self), self.counts);
        let products = (counts.copies[0] + counts.copies[2]) as i128;
        let sums = [products, 0, 0, counts.missing as i128];
        own.product(own, self.len() as i128, sums)
    }
}

impl<'a> Anchor<'a> {
    pub(crate) fn new(own: &'a Genotypes) -> Self {
        let words = own.words();
        let turned = words.iter().map(|word| exchanged(*word));
        let missing = words.iter().filter(|_| own.missing() > 0);
        let missing = missing.map(|word| word & word >> 1 & LOWER).collect();
        Self {
            own,
            turned: turned.collect(),
            missing,
            moments: Moments::of(own),
        }
    }

    /// Σ (x − x̄)(a − ā) of a variant and this one, where a missing genotype is the variant's mean: one integer over
    /// another, rounded once.
    pub(crate) fn product(&self, other: &Genotypes) -> f64 {
        let (a, x) = (self.own.words(), other.words());
        let sums = match (self.own.missing() > 0, other.missing() > 0) {
            (false, false) => [difference(x, a, &self.turned), 0, 0, 0],
            (true, _) => sums(x, a, &self.turned, &self.missing),
            (false, true) => {
                let [own_missed, _] = of_missing(x, a);
                [difference(x, a, &self.turned), 0, own_missed, 0]
            }
        };
        let its = Moments::of(other);
        self.moments
            .product(its, self.own.len() as i128, sums.map(i128::from))
    }
}

vectorised! {
    /// How many more bits x has in common with one vector than with another.
    fn difference<'a>(x: &'a [u64], one: &'a [u64], other: &'a [u64]) -> i64 = difference_body;
}

#[inline(always)]
fn difference_body<S: Simd>(_: S, x: &[u64], one: &[u64], other: &[u64]) -> i64 {
    let mut sum = 0;
    for ((x, one), other) in x.iter().zip(one).zip(other) {
        sum += more(*x, *one, *other);
    }
    sum
}

vectorised! {
    /// Of the people whom x does not know: the sum of a's copies less one, and how many of them a does not know either.
    fn of_missing<'a>(x: &'a [u64], a: &'a [u64]) -> [i64; 2] = of_missing_body;
}

#[inline(always)]
fn of_missing_body<S: Simd>(_: S, x: &[u64], a: &[u64]) -> [i64; 2] {
    let [mut sum, mut neither] = [0; 2];
    for (x, a) in x.iter().zip(a) {
        let own = x & x >> 1 & LOWER;
        sum += more(*a, own << 1, own);
        neither += i64::from((own & a & a >> 1).count_ones());
    }
    [sum, neither]
}

vectorised! {
    /// The sums of products of copies less one; of those of x over the people whom a does not know, of those of a over the
    /// people whom x does not know; and how many nobody knows.
    fn sums<'a>(x: &'a [u64], a: &'a [u64], turned: &'a [u64], missing: &'a [u64]) -> [i64; 4] = sums_body;
}

#[inline(always)]
fn sums_body<S: Simd>(_: S, x: &[u64], a: &[u64], turned: &[u64], missing: &[u64]) -> [i64; 4] {
    let [mut products, mut of_x, mut of_a, mut neither] = [0; 4];
    for ((x, missing), (a, turned)) in x.iter().zip(missing).zip(a.iter().zip(turned)) {
        let own = x & x >> 1 & LOWER;
        products += more(*x, *a, *turned);
        of_x += more(*x, missing << 1, *missing);
        of_a += more(*a, own << 1, own);
        neither += i64::from((own & missing).count_ones());
    }
    [products, of_x, of_a, neither]
}

/// How many more bits x has in common with one word than with another.
#[inline(always)]
fn more(x: u64, one: u64, other: u64) -> i64 {
    i64::from((x & one).count_ones()) - i64::from((x & other).count_ones())
}

#[cfg(test)]
mod tests {
    use super::{super::tests::drawn, *};

    /// By the definition.
    fn product(a: &[u8], b: &[u8]) -> f64 {
        let centred = |copies: &[u8]| {
            let known: Vec<f64> = copies
                .iter()
                .filter(|own| **own < 3)
                .map(|own| f64::from(*own))
                .collect();
            let mean = known.iter().sum::<f64>() / known.len() as f64;
            let about = copies.iter().map(|own| match own {
                3 => 0.0,
                own => f64::from(*own) - mean,
            });
            about.collect::<Vec<f64>>()
        };
        let (a, b) = (centred(a), centred(b));
        a.iter().zip(&b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn products_are_those_of_centred_numbers_of_copies() {
        for n in [5, 32, 100, 600] {
            for (left, right) in [(false, false), (false, true), (true, false), (true, true)] {
                let a = drawn(n, 3 * n as u64, left);
                let b = drawn(n, 3 * n as u64 + 1, right);
                let (own, other) = (Genotypes::of_copies(&a), Genotypes::of_copies(&b));
                let found = Anchor::new(&own).product(&other);
                let expected = product(&a, &b);
                assert!(
                    (found - expected).abs() < 1e-11 * n as f64,
                    "{n}: {found} {expected}"
                );
                assert_eq!(Anchor::new(&own).product(&own), own.square_about_mean());
                // Integers do not depend on the order.
                assert_eq!(found, Anchor::new(&other).product(&own));
            }
        }
    }
}
