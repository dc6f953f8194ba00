//! Weighted least squares of a few columns.

use crate::vector::{add_scaled, packed_columns, product};

/// What the others must leave of a column, by its norm, for it to have a coefficient.
const LEAST_PIVOT: f64 = 1e-12;

/// The least squares fit of a working response.
pub(super) struct WeightedFit {
    /// By column; 0 where the others explain it.
    pub(super) coefficients: Vec<f64>,
    /// T = R⁻¹, upper triangular, packed by columns: (XᵀWX)⁻¹ = T·Tᵀ. Zeros for a column that the others explain.
    pub(super) inverse: Vec<f64>,
}

/// Fits a response to columns with weights, by an orthonormal basis made by Gram-Schmidt, twice.
///
/// *Shapes:* all have n values.
pub(super) fn fit(columns: &[&[f64]], weights: &[f64], response: &[f64]) -> WeightedFit {
    let roots: Vec<f64> = weights.iter().map(|weight| weight.sqrt()).collect();
    let by_root = |values: &[f64]| -> Vec<f64> {
        values
            .iter()
            .zip(&roots)
            .map(|(x, root)| x * root)
            .collect()
    };
    let target = by_root(response);
    let (mut basis, mut inverse): (Vec<Vec<f64>>, Vec<f64>) = (Vec::new(), Vec::new());
    let mut coefficients = vec![0.0; columns.len()];
    for (at, column) in columns.iter().enumerate() {
        let mut rest = by_root(column);
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
            rest.iter_mut().for_each(|x| *x /= norm);
            inverse.extend(combination.iter().map(|u| -u / norm));
            inverse.push(1.0 / norm);
            let q = product(&rest, &target);
            let t = &inverse[inverse.len() - at - 1..];
            coefficients
                .iter_mut()
                .zip(t)
                .for_each(|(b, t)| *b += q * t);
            basis.push(rest);
        } else {
            inverse.extend(std::iter::repeat_n(0.0, at + 1));
            basis.push(vec![0.0; rest.len()]);
        }
    }
    WeightedFit {
        coefficients,
        inverse,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_equations_hold_and_explained_columns_have_no_coefficient() {
        let n = 30;
        let value = |i: usize, j: usize| ((i * (7 * j + 3) + j * j) % 17) as f64 - 6.0;
        let mut columns: Vec<Vec<f64>> = (0..3)
            .map(|j| (0..n).map(|i| value(i, j)).collect())
            .collect();
        let sum = columns[0].iter().zip(&columns[1]).map(|(a, b)| a - 2.0 * b);
        columns.insert(2, sum.collect());
        let weights: Vec<f64> = (0..n).map(|i| 0.1 + (i % 5) as f64).collect();
        let y: Vec<f64> = (0..n).map(|i| value(i, 9)).collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let fitted = fit(&columns, &weights, &y);
        assert_eq!(fitted.coefficients[2], 0.0);
        for column in &columns {
            let rest = (0..n).map(|i| {
                let own = columns.iter().zip(&fitted.coefficients);
                let explained: f64 = own.map(|(x, b)| x[i] * b).sum();
                column[i] * weights[i] * (y[i] - explained)
            });
            assert!(rest.sum::<f64>().abs() < 1e-8);
        }
        // The inverse of XᵀWX, without the column that is explained.
        let t: Vec<&[f64]> = packed_columns(&fitted.inverse).collect();
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
    }
}
