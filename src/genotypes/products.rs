//! Products of variants, which are integers.

use pulp::Simd;

use super::{Genotypes, LOWER};
use crate::vector::vectorised;

/// A variant that others are multiplied with.
pub(crate) struct Anchor<'a> {
    own: &'a Genotypes,
    /// The two bits of every genotype exchanged.
    turned: Vec<u64>,
    /// The upper and the lower bits of those that are missing; none where none is.
    missing: [Vec<u64>; 2],
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
            sum: genotypes.sum.into(),
        }
    }
}

impl<'a> Anchor<'a> {
    pub(crate) fn new(own: &'a Genotypes) -> Self {
        let words = own.words();
        let turned = words
            .iter()
            .map(|word| (word & LOWER) << 1 | word >> 1 & LOWER);
        let mut missing = [Vec::new(), Vec::new()];
        if own.missing() > 0 {
            let lower = words.iter().map(|word| word & word >> 1 & LOWER);
            let lower: Vec<u64> = lower.collect();
            missing = [lower.iter().map(|word| word << 1).collect(), lower];
        }
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
        let products = i128::from(difference(x, a, &self.turned));
        let (own, its) = (self.moments, Moments::of(other));
        let n = self.own.len() as i128;
        if self.own.missing() == 0 && other.missing() == 0 {
            return (n * products - own.sum * its.sum) as f64 / n as f64;
        }
        // Sums over the people whom the other variant knows as well.
        let [upper, lower] = &self.missing;
        let its_sum = its.sum
            - match upper.is_empty() {
                true => 0,
                false => i128::from(difference(x, upper, lower)),
            };
        let (mut own_sum, mut both) = (own.sum, own.known);
        if other.missing() > 0 {
            let [sum, missing, neither] = of_missing(x, a);
            own_sum -= i128::from(sum);
            both -= i128::from(missing - neither);
        }
        let numerator = own.known * its.known * products
            - own.sum * its.known * its_sum
            - its.sum * own.known * own_sum
            + own.sum * its.sum * both;
        numerator as f64 / (own.known * its.known) as f64
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
        sum += i64::from((x & one).count_ones()) - i64::from((x & other).count_ones());
    }
    sum
}

vectorised! {
    /// Of the people whom x does not know: the sum of a's copies less one, how many they are, and how many of them a does
    /// not know either.
    fn of_missing<'a>(x: &'a [u64], a: &'a [u64]) -> [i64; 3] = of_missing_body;
}

#[inline(always)]
fn of_missing_body<S: Simd>(_: S, x: &[u64], a: &[u64]) -> [i64; 3] {
    let [mut sum, mut missing, mut neither] = [0; 3];
    for (x, a) in x.iter().zip(a) {
        let own = x & x >> 1 & LOWER;
        sum += i64::from((a & own << 1).count_ones()) - i64::from((a & own).count_ones());
        missing += i64::from(own.count_ones());
        neither += i64::from((own & a & a >> 1).count_ones());
    }
    [sum, missing, neither]
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
                // Integers do not depend on the order.
                assert_eq!(found, Anchor::new(&other).product(&own));
            }
        }
    }
}
