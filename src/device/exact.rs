//! A column against one model, with all its digits.

use crate::{
    design::Columns,
    least_squares::{FitView, PIVOT_TOLERANCE},
    vector::{packed_columns, product},
};

/// Gains, falls in RSS, whose ratio is closer to one than this count as equal.
pub(crate) const RELATIVE_TIE: f64 = 1e-9;

/// A screen is worth its while up to a rounding error of this share of the noise in E,
/// ‖r‖/√n: beyond, too many candidates are left to f64.
pub(crate) const MAX_SCREEN_ERROR: f64 = 0.25;

/// Scores |xᵀr| of one anchor that differ by no more may be equal: twice the error
/// bound n·eps·‖x‖‖r‖ of a dot product. `norm` is ‖r‖.
pub(crate) fn tie_width(n: usize, norm: f64) -> f64 {
    2.0 * n as f64 * f64::EPSILON * norm
}

/// r and the k columns of Q, appended.
pub(crate) fn push_orthonormal(x: Columns, anchor: &FitView, batch: &mut Vec<f64>) {
    batch.extend_from_slice(anchor.residual);
    for t in packed_columns(anchor.inverse) {
        let start = batch.len();
        batch.resize(start + x.n(), 0.0);
        for (&a, &t) in anchor.support.iter().zip(t) {
            for (q, x) in batch[start..].iter_mut().zip(x.column(a)) {
                *q += t * x;
            }
        }
    }
}

/// By how much RSS falls if a column joins; 0 for a collinear one.
pub(crate) fn exact_gain(x: Columns, anchor: &FitView, column: u32) -> f64 {
    let Projection { e, s, .. } = project(x, anchor, column);
    if s < PIVOT_TOLERANCE * PIVOT_TOLERANCE {
        return 0.0;
    }
    e * e / s
}

/// What a model leaves of a column, with all its digits.
pub(crate) struct Projection {
    /// Its product with the residual.
    pub(crate) e: f64,
    /// Its square.
    pub(crate) s: f64,
    /// The coefficients of the part that was taken off.
    pub(crate) u: Vec<f64>,
}

/// Projects a column twice: the second time removes what rounding left.
pub(crate) fn project(x: Columns, anchor: &FitView, column: u32) -> Projection {
    let k = anchor.support.len();
    let mut rest = x.column(column).to_vec();
    let mut u = vec![0.0; k];
    for _ in 0..2 {
        let g: Vec<f64> = anchor
            .support
            .iter()
            .map(|&a| product(x.column(a), &rest))
            .collect();
        let mut pass = vec![0.0; k];
        for t in packed_columns(anchor.inverse) {
            let q = product(t, &g[..t.len()]);
            for (pass, t) in pass.iter_mut().zip(t) {
                *pass += q * t;
            }
        }
        for (&a, &pass) in anchor.support.iter().zip(&pass) {
            for (rest, x) in rest.iter_mut().zip(x.column(a)) {
                *rest -= pass * x;
            }
        }
        for (u, pass) in u.iter_mut().zip(pass) {
            *u += pass;
        }
    }
    Projection {
        e: product(&rest, anchor.residual),
        s: product(&rest, &rest),
        u,
    }
}
