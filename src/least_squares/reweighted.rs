//! The fit of a likelihood on the support of a least squares fit.

use crate::{
    design::Columns,
    family::{Curvature, FamilyFit, Likelihood},
    vector::{packed_columns, product, weighted_square},
};

/// A maximum likelihood fit with what a search knows of a least squares fit: the quadratic that the loss is nearby, on the
/// scale of [`Likelihood`].
#[derive(Debug, Clone)]
pub(super) struct Reweighted {
    pub(super) fit: FamilyFit,
    /// β̂, by position.
    pub(super) coefficients: Vec<f64>,
    /// T of the columns about their weighted means, packed.
    pub(super) inverse: Vec<f64>,
    /// The first row of T with the intercept, its own entry first; empty without one.
    pub(super) intercept: Vec<f64>,
    pub(super) weights: Vec<f64>,
    /// The scores.
    pub(super) residual: Vec<f64>,
    /// ‖residual‖².
    pub(super) square: f64,
    /// The loss.
    pub(super) rss: f64,
    /// What multiplies the fit's weights.
    pub(super) of_weights: f64,
}

/// The working weights of a fit, borrowed for a sweep.
///
/// *Shapes:* `weights` and `predictors` n; `intercept` k + 1, or none without an intercept.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Weighted<'a> {
    pub(crate) weights: &'a [f64],
    /// Of survival times the second derivatives, of which the weights are the diagonal but for what groups of events take
    /// off, and what multiplies them.
    pub(crate) curvature: Option<(&'a Curvature, f64)>,
    /// The linear predictors, unscaled.
    pub(crate) predictors: &'a [f64],
    /// The first row of the factor T of the weighted columns, ones the first of them: its own entry, then those of the
    /// columns of the support.
    pub(crate) intercept: &'a [f64],
}

impl Weighted<'_> {
    /// Multiplies a vector by the second derivatives: W, or those of a partial likelihood.
    pub(crate) fn apply(&self, v: &mut [f64]) {
        match self.curvature {
            None => v.iter_mut().zip(self.weights).for_each(|(v, w)| *v *= w),
            Some((curvature, scale)) => {
                let product = curvature.times(v);
                v.iter_mut()
                    .zip(product)
                    .for_each(|(v, own)| *v = scale * own);
            }
        }
    }

    /// vᵀWv, or that by the second derivatives of a partial likelihood.
    pub(crate) fn square(&self, v: &[f64]) -> f64 {
        match self.curvature {
            None => weighted_square(v, self.weights),
            Some((curvature, scale)) => scale * curvature.square(v),
        }
    }

    /// vᵀWv of several vectors, or those by the second derivatives of a partial likelihood.
    pub(crate) fn squares(&self, columns: &[&[f64]]) -> Vec<f64> {
        match self.curvature {
            None => columns.iter().map(|v| self.square(v)).collect(),
            Some(curvature) => {
                let mut squares = Vec::new();
                Curvature::squares(&[curvature], columns, &mut Vec::new(), &mut squares);
                squares
            }
        }
    }
}

impl Reweighted {
    /// The fit on a support, warm from the fit of a similar model. Where it cannot be made its loss has no end.
    pub(super) fn of(
        x: Columns,
        likelihood: &Likelihood,
        support: &[u32],
        start: Option<&FamilyFit>,
    ) -> Self {
        let columns: Vec<&[f64]> = support.iter().map(|j| x.column(*j)).collect();
        let has_intercept = likelihood.empty().intercept().is_some();
        let response = likelihood.response();
        let fit = match columns.is_empty() {
            true => Ok(likelihood.empty().clone()),
            false => FamilyFit::of(&columns, response, has_intercept, start),
        };
        let fit = fit.unwrap_or_else(|_| FamilyFit::none(likelihood.empty(), support.len()));
        Self::with(likelihood, fit, support.len())
    }

    /// A fit of so many columns on the scale of the search.
    pub(super) fn with(likelihood: &Likelihood, fit: FamilyFit, size: usize) -> Self {
        let has_intercept = fit.intercept().is_some();
        let (of_scores, of_weights) = likelihood.scales();
        let of_factor = 1.0 / of_weights.sqrt();
        let mut own = Self {
            coefficients: vec![0.0; size],
            inverse: Vec::with_capacity(size * (size + 1) / 2),
            intercept: Vec::new(),
            weights: fit.weights().iter().map(|w| of_weights * w).collect(),
            residual: fit.scores().iter().map(|r| of_scores * r).collect(),
            square: of_scores * of_scores * product(fit.scores(), fit.scores()),
            rss: likelihood.loss_of(&fit),
            of_weights,
            fit,
        };
        let scale = 1.0 / likelihood.coefficient_scale();
        let coefficients = own.coefficients.iter_mut().zip(own.fit.coefficients());
        coefficients.for_each(|(own, b)| *own = scale * b);
        for t in packed_columns(own.fit.inverse()) {
            let (first, rest) = t.split_at(usize::from(has_intercept));
            own.intercept.extend(first.iter().map(|t| of_factor * t));
            own.inverse.extend(rest.iter().map(|t| of_factor * t));
        }
        own
    }
}
