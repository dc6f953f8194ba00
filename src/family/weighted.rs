//! The weighted products of a few columns, and their factor.

use pulp::Simd;

use crate::vector::{
    add_scaled, dot, dots, packed_columns, packed_row_squares, product, vectorised,
};

/// Pivot of columns of unit norm below which products of columns have lost digits: a factor is then made of the columns.
const EXACT_PIVOT: f64 = 1e-3;

/// Pivots from here on count; a column with a smaller one is explained by those before it.
const LEAST_PIVOT: f64 = 1e-12;

/// The factor T = R⁻¹ of XᵀWX = RᵀR, upper triangular, packed by columns: (XᵀWX)⁻¹ = T·Tᵀ. Zeros for a column that
/// those before it explain.
#[derive(Debug, Clone, Default)]
pub(super) struct Factor {
    pub(super) inverse: Vec<f64>,
    /// The smallest pivot, of columns of unit norm, that is not counted as none.
    pivot: f64,
}

vectorised! {
    /// The factor of some columns from their products.
    fn by_products<'a>(columns: &'a [&'a [f64]], weights: &'a [f64], room: &'a mut Vec<f64>) -> Factor = by_products_body;
}

#[inline(always)]
fn by_products_body<S: Simd>(
    simd: S,
    columns: &[&[f64]],
    weights: &[f64],
    room: &mut Vec<f64>,
) -> Factor {
    let k = columns.len();
    // Column by column of R: XᵀWX = RᵀR.
    let mut r: Vec<f64> = Vec::with_capacity(k * (k + 1) / 2);
    let mut inverse: Vec<f64> = Vec::with_capacity(k * (k + 1) / 2);
    let mut smallest = 1.0;
    for (at, column) in columns.iter().enumerate() {
        room.clear();
        room.extend(column.iter().zip(weights).map(|(x, w)| x * w));
        let square = dot(simd, room, column);
        // First the products with the columns before, then row by row the entries of this column of R.
        let mut own: Vec<f64> = Vec::with_capacity(at + 1);
        let (fours, rest) = columns[..at].as_chunks::<4>();
        for four in fours {
            own.extend(dots(simd, room, *four));
        }
        // A closure would be compiled without the wide vectors.
        for other in rest {
            own.push(dot(simd, room, other));
        }
        for (row, before) in packed_columns(&r).enumerate() {
            let rest = own[row] - dot(simd, &own[..row], &before[..row]);
            let pivot = before[row];
            own[row] = if pivot > 0.0 { rest / pivot } else { 0.0 };
        }
        let rest = square - dot(simd, &own, &own);
        let pivot = (rest / square).max(0.0).sqrt();
        // Products tell no smaller pivots from none.
        if rest > 0.0 && pivot > 1e3 * f64::EPSILON.sqrt() {
            smallest = f64::min(smallest, pivot);
            own.push(rest.sqrt());
        } else {
            smallest = 0.0;
            own.clear();
            own.resize(at + 1, 0.0);
        }
        append(&mut inverse, &own);
        r.extend(own);
    }
    Factor {
        inverse,
        pivot: smallest,
    }
}

impl Factor {
    /// The factor of some columns; `room` is scratch.
    ///
    /// *Shapes:* all have n values.
    pub(super) fn of(columns: &[&[f64]], weights: &[f64], room: &mut Vec<f64>) -> Self {
        let quick = by_products(columns, weights, room);
        match quick.pivot > EXACT_PIVOT {
            true => quick,
            false => Self::by_basis(columns, weights),
        }
    }

    /// By an orthonormal basis, made by Gram-Schmidt, twice.
    fn by_basis(columns: &[&[f64]], weights: &[f64]) -> Self {
        let roots: Vec<f64> = weights.iter().map(|weight| weight.sqrt()).collect();
        let (mut basis, mut inverse): (Vec<Vec<f64>>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut smallest = 1.0;
        for (at, column) in columns.iter().enumerate() {
            let rooted = column.iter().zip(&roots).map(|(x, root)| x * root);
            let mut rest: Vec<f64> = rooted.collect();
            let before = product(&rest, &rest).sqrt();
            // The column is what is left plus Σ u·(earlier columns).
            let mut combination = vec![0.0; at];
            for _ in 0..2 {
                for (unit, t) in basis.iter().zip(packed_columns(&inverse)) {
                    let q = product(unit, &rest);
                    add_scaled(&mut rest, -q, unit);
                    combination.iter_mut().zip(t).for_each(|(u, t)| *u += q * t);
                }
            }
            let norm = product(&rest, &rest).sqrt();
            if norm > LEAST_PIVOT * before {
                smallest = f64::min(smallest, norm / before);
                rest.iter_mut().for_each(|x| *x /= norm);
                inverse.extend(combination.iter().map(|u| -u / norm));
                inverse.push(1.0 / norm);
                basis.push(rest);
            } else {
                inverse.extend(std::iter::repeat_n(0.0, at + 1));
                basis.push(vec![0.0; rest.len()]);
            }
        }
        Self {
            inverse,
            pivot: smallest,
        }
    }

    /// That of columns which explain nothing.
    pub(super) fn zero(k: usize) -> Self {
        Self {
            inverse: vec![0.0; k * (k + 1) / 2],
            pivot: 0.0,
        }
    }

    /// (XᵀWX)⁻¹v.
    pub(super) fn solve(&self, v: &[f64]) -> Vec<f64> {
        let mut solution = vec![0.0; v.len()];
        for t in packed_columns(&self.inverse) {
            let q = sum_of_products(t, v);
            solution.iter_mut().zip(t).for_each(|(b, t)| *b += q * t);
        }
        solution
    }

    /// The diagonal of (XᵀWX)⁻¹ for k columns.
    pub(super) fn squares(&self, k: usize) -> Vec<f64> {
        packed_row_squares(&self.inverse, k)
    }

    /// The smallest pivot of columns of unit norm: near 0 where one is nearly explained by others.
    pub(super) fn pivot(&self) -> f64 {
        self.pivot
    }

    /// The columns that have a pivot.
    pub(super) fn rank(&self) -> usize {
        let pivots = packed_columns(&self.inverse).filter_map(|t| t.last());
        pivots.filter(|pivot| **pivot > 0.0).count()
    }
}

fn sum_of_products(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Appends the column of T that belongs to a column of R, whose last entry is its pivot.
#[inline(always)]
fn append(inverse: &mut Vec<f64>, own: &[f64]) {
    let at = own.len() - 1;
    let pivot = own[at];
    let mut column = vec![0.0; at + 1];
    if pivot > 0.0 {
        column[at] = 1.0 / pivot;
        for (t, r) in packed_columns(inverse).zip(own) {
            add_scaled(&mut column, -r / pivot, t);
        }
    }
    inverse.extend(column);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_is_that_of_the_products_and_explained_columns_have_none() {
        let n = 30;
        let value = |i: usize, j: usize| ((i * (7 * j + 3) + j * j) % 17) as f64 - 6.0;
        let mut columns: Vec<Vec<f64>> = (0..3)
            .map(|j| (0..n).map(|i| value(i, j)).collect())
            .collect();
        let sum = columns[0].iter().zip(&columns[1]).map(|(a, b)| a - 2.0 * b);
        columns.insert(2, sum.collect());
        let weights: Vec<f64> = (0..n).map(|i| 0.1 + (i % 5) as f64).collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        for factor in [
            Factor::of(&columns, &weights, &mut Vec::new()),
            by_products(&columns, &weights, &mut Vec::new()),
        ] {
            // The inverse of XᵀWX, without the column that is explained.
            let t: Vec<&[f64]> = packed_columns(&factor.inverse).collect();
            let covariance = |a: usize, b: usize| -> f64 {
                let terms = (a.max(b)..4).map(|c| t[c][a] * t[c][b]);
                terms.sum()
            };
            let product = |a: usize, b: usize| -> f64 {
                (0..n)
                    .map(|i| weights[i] * columns[a][i] * columns[b][i])
                    .sum()
            };
            for (a, b) in [(0, 0), (0, 1), (1, 3), (3, 3)] {
                let one: f64 = [0, 1, 3]
                    .into_iter()
                    .map(|c| covariance(a, c) * product(c, b))
                    .sum();
                assert!((one - f64::from(u8::from(a == b))).abs() < 1e-9);
            }
            assert_eq!((factor.rank(), covariance(2, 2)), (3, 0.0));
            let solved = factor.solve(&[product(0, 1), product(1, 1), 0.0, product(3, 1)]);
            for (own, expected) in solved.iter().zip([0.0, 1.0, 0.0, 0.0]) {
                assert!((own - expected).abs() < 1e-9);
            }
        }
    }
}
