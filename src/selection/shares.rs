//! How much of R² each variable of a model explains, on average over the orders in which they may enter.

use crate::{design::Design, least_squares::Fit, threads::map_each, vector::product};

/// Variables, or terms, up to which all subsets of a model are gone through: 2²⁰ of them.
const MOST: usize = 20;

/// Pivot of a column of unit norm below which those before it explain it.
const LEAST_PIVOT: f64 = 1e-12;

/// Shares of R² by term, in the order of the fit's terms: of each the rise of R² as it enters, averaged over all orders of
/// entering (Lindeman, Merenda and Gold; Shapley's value). They are not below 0 and their sum is R². None of more than 20
/// terms, of terms that stand on others, which may not enter before these, or of an exact fit.
///
/// *Source:* R. Lindeman, P. Merenda, R. Gold, *Introduction to Bivariate and Multivariate Analysis* (1980), page 119;
/// U. Grömping, Relative importance for linear regression in R: the package relaimpo, Journal of Statistical Software 17,
/// 2006.
pub(super) fn shares(design: &Design, fit: &Fit) -> Option<Vec<f64>> {
    let x = design.columns();
    let terms = fit.terms();
    if terms.is_empty() || terms.len() > MOST || design.likelihood().is_some() || fit.is_partial() {
        return None;
    }
    let stands = |term: &u32| {
        x.terms().is_some_and(|all| {
            let parents = all.parents(*term);
            terms.iter().any(|other| parents.contains(other))
        })
    };
    if terms.iter().any(stands) {
        return None;
    }
    let of_term = |term: &u32| x.columns_of(*term);
    let columns = terms.iter().flat_map(of_term);
    let mut columns: Vec<&[f64]> = columns.map(|column| x.column(column)).collect();
    let places = terms.iter().enumerate();
    let places = places.flat_map(|(place, term)| of_term(term).map(move |_| place));
    let places: Vec<usize> = places.collect();
    columns.push(design.y());
    let size = columns.len();
    let mut products = vec![0.0; size * size];
    for a in 0..size {
        for b in a..size {
            products[a * size + b] = product(columns[a], columns[b]);
        }
    }
    let mut explained = vec![0.0; 1 << terms.len()];
    let rest = Products {
        values: &products,
        stride: size,
        first: 0,
    };
    // The products that are left as one column after another is taken in, of which each has one fewer.
    let mut room = vec![0.0; (1..size).map(|left| left * left).sum()];
    let sets = (&mut room[..], &mut explained[..]);
    visit(&places, None, (0, 0.0), rest, sets);
    Some(averages(&explained, terms.len()))
}

/// The products of columns, the response's among them as the last, beside those that were taken out of them: the upper
/// triangle from `first` on.
#[derive(Clone, Copy)]
struct Products<'a> {
    values: &'a [f64],
    stride: usize,
    first: usize,
}

impl Products<'_> {
    /// The products without so many first columns.
    fn without(self, columns: usize) -> Self {
        Self {
            first: self.first + columns,
            ..self
        }
    }

    /// A row of the triangle, from its diagonal on.
    fn row(&self, at: usize) -> &[f64] {
        let at = self.first + at;
        &self.values[at * self.stride..][at..self.stride]
    }

    /// How much of the response the first column explains, and the products of the others once it is taken out of them, in
    /// `rest`; none where those before explain it.
    fn pivot(self, rest: &mut [f64]) -> Option<f64> {
        let row = self.row(0);
        let (square, others) = row.split_first()?;
        if *square <= LEAST_PIVOT {
            return None;
        }
        let (last, size) = (others.last()?, others.len());
        for (a, own) in rest.chunks_mut(size).enumerate() {
            let scale = others[a] / square;
            let columns = self.row(a + 1).iter().zip(&others[a..]);
            let products = columns.map(|(product, pivot)| product - scale * pivot);
            own[a..]
                .iter_mut()
                .zip(products)
                .for_each(|(own, value)| *own = value);
        }
        Some(last * last / square)
    }
}

/// Notes the R² of all sets of terms, by the bits of those they hold. `columns` are the places of the terms of the columns to
/// come, `set` and `r_squared` those of what was taken in before; of the term `entering` all columns are.
fn visit(
    columns: &[usize],
    entering: Option<usize>,
    (set, r_squared): (usize, f64),
    rest: Products,
    (room, explained): (&mut [f64], &mut [f64]),
) {
    let Some(term) = columns.first().copied() else {
        explained[set] = r_squared;
        return;
    };
    if entering != Some(term) {
        let width = columns.iter().take_while(|own| **own == term).count();
        let (others, left) = (&columns[width..], rest.without(width));
        visit(others, None, (set, r_squared), left, (room, explained));
    }
    let set = set | 1 << term;
    let columns = &columns[1..];
    let stride = columns.len() + 1;
    let (values, room) = room.split_at_mut(stride * stride);
    let (rise, rest) = match rest.pivot(values) {
        Some(rise) => {
            let first = 0;
            let rest = Products {
                values,
                stride,
                first,
            };
            (rise, rest)
        }
        None => (0.0, rest.without(1)),
    };
    let entered = (set, r_squared + rise);
    visit(columns, Some(term), entered, rest, (room, explained));
}

/// Of each of k terms what it adds to the value of the sets without it: the mean over the orders of all k.
fn averages(of_set: &[f64], k: usize) -> Vec<f64> {
    // The share of orders in which those before a term are a given set of so many: s!·(k − 1 − s)! / k!.
    let mut weights = vec![1.0 / k as f64; k];
    for s in 1..k {
        weights[s] = weights[s - 1] * s as f64 / (k - s) as f64;
    }
    let rise = |term: usize, set: usize| {
        let before = set.count_ones() as usize;
        weights[before] * (of_set[set | 1 << term] - of_set[set])
    };
    map_each((0..k).collect(), |term: usize| {
        let without = (0..of_set.len()).filter(|set| set & 1 << term == 0);
        without.map(|set| rise(term, set)).sum::<f64>().max(0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean over all orders, one by one.
    fn by_orders(of_set: &[f64], k: usize) -> Vec<f64> {
        fn go(
            left: &mut Vec<usize>,
            set: usize,
            of_set: &[f64],
            sums: &mut [f64],
            orders: &mut f64,
        ) {
            if left.is_empty() {
                *orders += 1.0;
                return;
            }
            for at in 0..left.len() {
                let term = left.remove(at);
                let mut own = vec![0.0; sums.len()];
                let mut count = 0.0;
                go(left, set | 1 << term, of_set, &mut own, &mut count);
                sums.iter_mut().zip(&own).for_each(|(sum, own)| *sum += own);
                sums[term] += count * (of_set[set | 1 << term] - of_set[set]);
                *orders += count;
                left.insert(at, term);
            }
        }
        let (mut sums, mut orders) = (vec![0.0; k], 0.0);
        go(&mut (0..k).collect(), 0, of_set, &mut sums, &mut orders);
        sums.iter().map(|sum| sum / orders).collect()
    }

    #[test]
    fn the_mean_over_sets_is_that_over_orders() {
        let k = 5;
        // A value that rises with every term, less where there are others.
        let of_set: Vec<f64> = (0..1_usize << k)
            .map(|set| {
                let sum: f64 = (0..k)
                    .filter(|term| set >> term & 1 == 1)
                    .map(|term| (term + 1) as f64)
                    .sum();
                sum.sqrt()
            })
            .collect();
        let (own, expected) = (averages(&of_set, k), by_orders(&of_set, k));
        for (own, expected) in own.iter().zip(&expected) {
            assert!((own - expected).abs() < 1e-14, "{own} {expected}");
        }
        let sum: f64 = own.iter().sum();
        assert!((sum - of_set[of_set.len() - 1]).abs() < 1e-13);
    }
}
