//! The quadratic that the loss of a likelihood is near one of its models, as products of columns.

use crate::{
    cholesky,
    design::Columns,
    family::Curvature,
    least_squares::{Fit, PIVOT_TOLERANCE, Weighted},
    vector::{add_scaled, product},
};

/// The quadratic that the loss of a fit is nearby.
#[derive(Debug)]
pub(super) struct WeightedProducts {
    pub(super) weights: Vec<f64>,
    /// Of survival times, in place of the weights.
    pub(super) curvature: Option<(Curvature, f64)>,
    /// The working response, weighted.
    pub(super) target: Vec<f64>,
    /// Σ w, and the sum of the target; none without an intercept.
    pub(super) sums: Option<[f64; 2]>,
    /// Xᵀw by place.
    pub(super) means: Vec<f64>,
    /// Of each term T with (XᵀWX)⁻¹ = T·Tᵀ of its own columns, packed.
    pub(super) factors: Vec<Vec<f64>>,
    /// What the quadratic leaves of the empty model.
    pub(super) rss: f64,
}

impl WeightedProducts {
    /// That of a fit; none without a likelihood.
    pub(super) fn of(x: Columns, fit: &Fit) -> Option<Self> {
        let view = fit.view();
        let weighted = view.weighted?;
        let Weighted {
            weights, intercept, ..
        } = weighted;
        let mut own = vec![0.0; x.n()];
        for (a, b) in view.support.iter().zip(view.coefficients) {
            add_scaled(&mut own, *b, x.column(*a));
        }
        let total: f64 = weights.iter().sum();
        if !intercept.is_empty() {
            let mean = product(&own, weights) / total;
            own.iter_mut().for_each(|own| *own -= mean);
        }
        let mut target = own.clone();
        weighted.apply(&mut target);
        target
            .iter_mut()
            .zip(view.residual)
            .for_each(|(t, r)| *t += r);
        let sum = target.iter().sum();
        Some(Self {
            rss: fit.rss() + weighted.square(&own),
            curvature: weighted.curvature.map(|(own, scale)| (own.clone(), scale)),
            weights: weights.to_vec(),
            sums: (!intercept.is_empty()).then_some([total, sum]),
            means: Vec::new(),
            factors: Vec::new(),
            target,
        })
    }
}

/// T with M⁻¹ = T·Tᵀ of the lower triangle of a small matrix, packed by columns; zeros for a column that those before
/// it explain.
pub(super) fn inverse_factor(rows: Vec<&[f64]>) -> Vec<f64> {
    let w = rows.len();
    let mut matrix = vec![0.0; w * w];
    for (own, row) in matrix.chunks_mut(w).zip(&rows) {
        own[..row.len()].copy_from_slice(row);
    }
    let largest = (0..w).map(|at| matrix[at * w + at]).fold(0.0, f64::max);
    cholesky::factor(&mut matrix, w, PIVOT_TOLERANCE * PIVOT_TOLERANCE * largest);
    let mut inverse = Vec::with_capacity(w * (w + 1) / 2);
    for column in 0..w {
        // Row by row of L⁻¹, which is Tᵀ.
        let mut own = vec![0.0; w];
        let pivot = matrix[column * w + column];
        if pivot > 0.0 {
            own[column] = 1.0 / pivot;
            for before in 0..column {
                let l = matrix[column * w + before];
                let t = &inverse[before * (before + 1) / 2..][..=before];
                for (own, t) in own.iter_mut().zip(t) {
                    *own -= l * t / pivot;
                }
            }
        }
        inverse.extend_from_slice(&own[..=column]);
    }
    inverse
}
