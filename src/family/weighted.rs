//! The weighted products of a few columns, and their factor.

use pulp::Simd;

use super::Curvature;
use crate::vector::{
    add_scaled, dot, dots, packed_columns, packed_row_squares, product, vectorised,
};

/// Pivot of columns of unit norm below which products of columns have lost digits: a factor is then made of the columns.
const EXACT_PIVOT: f64 = 1e-3;

/// Pivots from here on count; a column with a smaller one is explained by those before it.
const LEAST_PIVOT: f64 = 1e-12;

/// The same of second derivatives, which are differences of sums, and of those that are sums of squares.
const LEAST_CURVATURE: f64 = 1e-6;
const LEAST_OF_SQUARES: f64 = 1e-10;

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
    let mut factored = Factored::new(columns.len());
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
        factored.push(simd, own, square);
    }
    factored.end()
}

/// A factor that is made column by column of R: XᵀWX = RᵀR.
struct Factored {
    r: Vec<f64>,
    inverse: Vec<f64>,
    smallest: f64,
}

impl Factored {
    fn new(k: usize) -> Self {
        Self {
            r: Vec::with_capacity(k * (k + 1) / 2),
            inverse: Vec::with_capacity(k * (k + 1) / 2),
            smallest: 1.0,
        }
    }

    /// Takes in a column, of which `own` are the products with those before it.
    #[inline(always)]
    fn push<S: Simd>(&mut self, simd: S, mut own: Vec<f64>, square: f64) {
        let at = own.len();
        for (row, before) in packed_columns(&self.r).enumerate() {
            let rest = own[row] - dot(simd, &own[..row], &before[..row]);
            let pivot = before[row];
            own[row] = if pivot > 0.0 { rest / pivot } else { 0.0 };
        }
        let rest = square - dot(simd, &own, &own);
        let pivot = (rest / square).max(0.0).sqrt();
        // Products tell no smaller pivots from none.
        if rest > 0.0 && pivot > 1e3 * f64::EPSILON.sqrt() {
            self.smallest = f64::min(self.smallest, pivot);
            own.push(rest.sqrt());
        } else {
            self.smallest = 0.0;
            own.clear();
            own.resize(at + 1, 0.0);
        }
        append(&mut self.inverse, &own);
        self.r.extend(own);
    }

    fn end(self) -> Factor {
        Factor {
            inverse: self.inverse,
            pivot: self.smallest,
        }
    }
}

vectorised! {
    /// The factor of some columns from the lower triangle of their products.
    fn by_triangle<'a>(products: &'a [f64]) -> Factor = by_triangle_body;
}

#[inline(always)]
fn by_triangle_body<S: Simd>(simd: S, products: &[f64]) -> Factor {
    let mut factored = Factored::new(packed_columns(products).count());
    for row in packed_columns(products) {
        let (own, square) = row.split_at(row.len() - 1);
        factored.push(simd, own.to_vec(), square[0]);
    }
    factored.end()
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

    /// The factor of some columns by second derivatives.
    ///
    /// *Shapes:* all have n values, by row of the response.
    pub(super) fn by_curvature(columns: &[&[f64]], curvature: &Curvature) -> Self {
        let quick = by_triangle(&curvature.products_of_rows(columns));
        if quick.pivot > EXACT_PIVOT {
            return quick;
        }
        let columns = columns.iter().map(|column| column.to_vec());
        let norm = |rest: &[f64]| curvature.square_rows(rest).sqrt();
        let least = match curvature {
            Curvature::Multinomial(_) => LEAST_OF_SQUARES,
            Curvature::Risk(_) | Curvature::Ordinal(_) => LEAST_CURVATURE,
        };
        Self::by_images(columns, (|rest| curvature.times_rows(rest), norm), least)
    }

    /// By an orthonormal basis of columns times the roots of their weights.
    fn by_basis(columns: &[&[f64]], weights: &[f64]) -> Self {
        let roots: Vec<f64> = weights.iter().map(|weight| weight.sqrt()).collect();
        let rooted = |column: &&[f64]| -> Vec<f64> {
            let own = column.iter().zip(&roots);
            own.map(|(x, root)| x * root).collect()
        };
        let columns = columns.iter().map(rooted);
        let norm = |rest: &[f64]| product(rest, rest).sqrt();
        Self::by_images(columns, (|rest| rest.to_vec(), norm), LEAST_PIVOT)
    }

    /// By an orthonormal basis, made by Gram-Schmidt, twice: products of columns are those with their images. Pivots from
    /// `least` on count.
    fn by_images(
        columns: impl Iterator<Item = Vec<f64>>,
        (image, norm): (impl Fn(&[f64]) -> Vec<f64>, impl Fn(&[f64]) -> f64),
        least: f64,
    ) -> Self {
        let (mut images, mut inverse): (Vec<Vec<f64>>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let mut smallest = 1.0;
        for (at, mut rest) in columns.enumerate() {
            let before = norm(&rest);
            // The column is what is left plus Σ u·(earlier columns).
            let mut combination = vec![0.0; at];
            for _ in 0..2 {
                for ((unit, image), t) in basis.iter().zip(&images).zip(packed_columns(&inverse)) {
                    let q = product(image, &rest);
                    add_scaled(&mut rest, -q, unit);
                    combination.iter_mut().zip(t).for_each(|(u, t)| *u += q * t);
                }
            }
            let norm = norm(&rest);
            if norm > least * before {
                smallest = f64::min(smallest, norm / before);
                rest.iter_mut().for_each(|x| *x /= norm);
                inverse.extend(combination.iter().map(|u| -u / norm));
                inverse.push(1.0 / norm);
            } else {
                inverse.extend(std::iter::repeat_n(0.0, at + 1));
                rest.fill(0.0);
            }
            images.push(image(&rest));
            basis.push(rest);
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
        self.pivots().filter(|has_pivot| *has_pivot).count()
    }

    /// Whether each column has a pivot.
    pub(super) fn pivots(&self) -> impl Iterator<Item = bool> {
        let pivots = packed_columns(&self.inverse);
        pivots.map(|t| t.last().is_some_and(|pivot| *pivot > 0.0))
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
