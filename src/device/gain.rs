//! The gain of one column, to full precision: what decides among candidates that a screen left.

use crate::{
    design::Columns,
    least_squares::{FitView, PIVOT_TOLERANCE, Weighted},
    vector::{add_scaled, packed_columns, product},
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

/// How many vectors [`push_orthonormal`] appends, and how many of them are of the residual and the intercept.
pub(crate) fn factor_width(anchor: &FitView) -> (usize, usize) {
    let has_intercept = anchor.weighted.is_some_and(|own| !own.intercept.is_empty());
    let first = 1 + usize::from(has_intercept);
    (first + anchor.support.len(), first)
}

/// Appends to `batch` the residual and the k columns of Q = X_A·T. Of weighted columns these are WX_A·T (of survival times
/// the second derivatives for W), X_A about its weighted means, after that of the intercept, if there is one.
///
/// *Shapes:* n × (1 + k), with an intercept of weighted columns n × (2 + k), column-major.
pub(crate) fn push_orthonormal(x: Columns, anchor: &FitView, batch: &mut Vec<f64>) {
    batch.extend_from_slice(anchor.residual);
    if let Some(weighted) = anchor.weighted {
        let Weighted {
            weights, intercept, ..
        } = weighted;
        let (first, shifts) = intercept.split_at(intercept.len().min(1));
        for t in first {
            batch.extend(weights.iter().map(|weight| weight * t));
        }
        for (at, t) in packed_columns(anchor.inverse).enumerate() {
            let start = batch.len();
            let shift = shifts.get(at).copied().unwrap_or(0.0);
            batch.resize(start + x.n(), shift);
            for (&a, &t) in anchor.support.iter().zip(t) {
                add_scaled(&mut batch[start..], t, x.column(a));
            }
            weighted.apply(&mut batch[start..]);
        }
        return;
    }
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

/// Appends to `batch` the k columns X_A·T of a model without an intercept, orthonormal under its weights.
///
/// *Shapes:* n × k, column-major.
pub(crate) fn push_units(x: Columns, anchor: &FitView, batch: &mut Vec<f64>) {
    for t in packed_columns(anchor.inverse) {
        let start = batch.len();
        batch.resize(start + x.n(), 0.0);
        for (&a, &t) in anchor.support.iter().zip(t) {
            add_scaled(&mut batch[start..], t, x.column(a));
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
    /// z.
    pub(crate) rest: Vec<f64>,
    /// The coefficients of x − z on the support, by position.
    pub(crate) u: Vec<f64>,
}

impl Weighted<'_> {
    /// Takes off a vector what the columns of a model explain of it under the weights; returns the coefficients by
    /// position.
    fn project(&self, x: Columns, anchor: &FitView, rest: &mut [f64]) -> Vec<f64> {
        let mut own = rest.to_vec();
        self.apply(&mut own);
        let columns = anchor.support.iter();
        let g: Vec<f64> = columns.map(|a| product(x.column(*a), &own)).collect();
        let total: f64 = own.iter().sum();
        let (mut pass, mut constant) = (vec![0.0; g.len()], 0.0);
        if let Some(first) = self.intercept.first() {
            constant = first * first * total;
        }
        for (at, t) in packed_columns(anchor.inverse).enumerate() {
            let shift = self.intercept.get(at + 1).copied().unwrap_or(0.0);
            let q = t.iter().zip(&g).map(|(t, g)| t * g).sum::<f64>() + shift * total;
            pass.iter_mut().zip(t).for_each(|(pass, t)| *pass += q * t);
            constant += q * shift;
        }
        for (&a, &pass) in anchor.support.iter().zip(&pass) {
            add_scaled(rest, -pass, x.column(a));
        }
        rest.iter_mut().for_each(|rest| *rest -= constant);
        pass
    }
}

/// Projects a column twice: the second pass removes what rounding left in the first. Of weighted columns ‖z‖² is zᵀWz.
pub(crate) fn project(x: Columns, anchor: &FitView, column: u32) -> Projection {
    let k = anchor.support.len();
    let mut rest = x.column_once(column).into_owned();
    let mut u = vec![0.0; k];
    if let Some(weighted) = anchor.weighted {
        for _ in 0..2 {
            for (u, pass) in u.iter_mut().zip(weighted.project(x, anchor, &mut rest)) {
                *u += pass;
            }
        }
        return Projection {
            e: product(&rest, anchor.residual),
            s: weighted.square(&rest),
            rest,
            u,
        };
    }
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
        rest,
        u,
    }
}
