//! Bounds from below on the loss of a model without some of its terms, for logistic and Poisson regression.
//!
//! With J the columns that leave a fit with means μ, V the variance at μ, and Δ the steps of the linear predictors that take
//! J out at the least cost q = β̂_Jᵀ(((XᵀWX)⁻¹)_JJ)⁻¹β̂_J of the quadratic, the other columns are orthogonal to WΔ, so that
//! ν = μ + sVΔ is feasible in the dual of the likelihood without J for every s at which it is a mean, and
//!
//! ```text
//! deviance without J ≥ deviance + 2sq − 2 Σ w [b*(ν) − b*(μ) − b*′(μ)(ν − μ)]
//! ```
//!
//! which at s = 1 is what the quadratic says, to the second order.

use crate::{
    design::Columns,
    family::{Divergences, FamilyFit, FitStatus, Likelihood},
    least_squares::Fit,
};

/// Room for the rounding of products and of a fit that is at the optimum up to its own.
const ROUNDING: f64 = 1.0 - 1e-6;

/// How near a step may come to the end of the means' range.
const NEAR_END: f64 = 0.9;

/// The bounds of one fit.
pub(super) struct Bounds<'a> {
    x: Columns<'a>,
    likelihood: &'a Likelihood,
    fit: &'a Fit,
    divergences: Divergences,
}

impl<'a> Bounds<'a> {
    /// Those of a fit; none where its likelihood has none, it has no maximum, or its columns nearly explain each other under
    /// its weights.
    pub(super) fn of(x: Columns<'a>, fit: &'a Fit) -> Option<Self> {
        let likelihood = x.likelihood().filter(|own| own.has_bounds())?;
        let is_good =
            |own: &FamilyFit| own.status() == FitStatus::Converged && own.is_well_conditioned();
        fit.family().is_some_and(is_good).then(|| Self {
            x,
            likelihood,
            fit,
            divergences: Divergences::of(likelihood, fit.residual()),
        })
    }

    /// No model without these terms has a lower loss.
    pub(super) fn loss_without(&self, terms: &[u32]) -> f64 {
        let (steps, cost) = self.fit.view().steps_without(self.x, terms);
        let scale = self.likelihood.coefficient_scale();
        let rise = |share: f64| {
            let (sum, lowest) = self.divergences.bound(&steps, share * scale);
            let rise = 2.0 * share * cost - 2.0 * sum / self.likelihood.loss_scale();
            (rise, lowest)
        };
        let (whole, lowest) = rise(1.0);
        let inside = match lowest < 0.0 {
            true => NEAR_END / -lowest,
            false => f64::INFINITY,
        };
        let share = inside.min(1.0);
        let own = if share < 1.0 { rise(share).0 } else { whole };
        // Were the divergences a quadratic, this share would be the best.
        let better = share * share * cost / (2.0 * share * cost - own);
        let best = own.max(rise(better.min(inside)).0).max(0.0);
        self.fit.rss() + best * ROUNDING
    }
}
