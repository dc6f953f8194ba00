//! The gain of one column, to full precision: what decides among candidates that a screen left.

use crate::{
    design::Columns,
    least_squares::{FitView, PIVOT_TOLERANCE},
    vector::{packed_columns, product},
};

/// Gains (falls in RSS) that differ by a smaller share count as equal.
pub(crate) const RELATIVE_TIE: f64 = 1e-9;

/// Largest rounding error at which a screen pays, as a share of the noise ‖r‖/√n in xᵀr: beyond it
/// too many candidates are left to be scored in f64.
pub(crate) const MAX_SCREEN_ERROR: f64 = 0.25;

/// Scores |xᵀr| that differ by no more than this count as equal: twice the error bound n·eps·‖x‖‖r‖
/// of a dot product, for ‖x‖ = 1 and ‖r‖ = `norm`.
pub(crate) fn tie_width(n: usize, norm: f64) -> f64 {
    2.0 * n as f64 * f64::EPSILON * norm
}

/// Appends to `batch` the residual and the k columns of Q = X_A·T.
///
/// *Shapes:* n × (1 + k), column-major.
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

/// The fall in RSS if a column joins the model; 0 for a collinear one.
pub(crate) fn exact_gain(x: Columns, anchor: &FitView, column: u32) -> f64 {
    let Projection { e, s, .. } = project(x, anchor, column);
    if s < PIVOT_TOLERANCE * PIVOT_TOLERANCE {
        return 0.0;
    }
    e * e / s
}

/// The part z of a column that is orthogonal to a model, to full precision.
pub(crate) struct Projection {
    /// zᵀr.
    pub(crate) e: f64,
    /// ‖z‖².
    pub(crate) s: f64,
    /// The coefficients of x − z on the support, by position.
    pub(crate) u: Vec<f64>,
}

/// Projects a column twice: the second pass removes what rounding left in the first.
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
