//! Likelihoods of all observations together: second derivatives with respect to the linear predictors are a matrix that is
//! not diagonal, of which no more is held than its parts, and what stands in place of an intercept is maximised out.
//!
//! `fit.rs` models by Newton's method; `ordinal.rs` responses of ordered levels; [`super::cox`] survival times.

mod fit;
mod ordinal;

use std::sync::Arc;

use super::{
    cox::{CoxState, RiskCurvature, SurvivalResponse},
};
pub use ordinal::OrdinalResponse;
pub(crate) use ordinal::OrdinalCurvature;

/// A response whose likelihood is of all observations together.
#[derive(Debug, Clone)]
pub(crate) enum JointResponse {
    Survival(Arc<SurvivalResponse>),
    Ordinal(Arc<OrdinalResponse>),
}

/// Linear predictors with what follows from them.
#[derive(Debug, Clone)]
pub(crate) struct JointState {
    /// Offsets included.
    pub(crate) predictors: Vec<f64>,
    /// −2ℓ.
    pub(crate) minus_two_log_likelihood: f64,
    /// ∂ℓ/∂η.
    pub(crate) scores: Vec<f64>,
    pub(crate) curvature: Curvature,
}

/// The negative second derivatives of a log-likelihood with respect to linear predictors.
#[derive(Debug, Clone)]
pub enum Curvature {
    Risk(RiskCurvature),
    Ordinal(OrdinalCurvature),
}

impl Curvature {
    /// Its product with a vector.
    ///
    /// *Shapes:* n values, in the order of the observations.
    pub(crate) fn times(&self, v: &[f64]) -> Vec<f64> {
        match self {
            Self::Risk(own) => own.times(v),
            Self::Ordinal(own) => own.times(v),
        }
    }

    /// vᵀHv; 0 where that is rounding.
    ///
    /// *Shapes:* n values, in the order of the observations.
    pub(crate) fn square(&self, v: &[f64]) -> f64 {
        match self {
            Self::Risk(own) => own.square(v),
            Self::Ordinal(own) => own.square(v),
        }
    }

    /// Its diagonal, but for what the rest takes off it.
    pub(crate) fn diagonal(&self) -> Vec<f64> {
        match self {
            Self::Risk(own) => own.diagonal(),
            Self::Ordinal(own) => own.diagonal().to_vec(),
        }
    }
}

impl JointResponse {
    /// Observations.
    fn n(&self) -> usize {
        self.offset().len()
    }

    /// What is added to the linear predictors.
    pub(super) fn offset(&self) -> &[f64] {
        match self {
            Self::Survival(own) => &own.offset,
            Self::Ordinal(own) => &own.offset,
        }
    }

    /// −2ℓ that no model goes below.
    pub(super) fn least(&self) -> f64 {
        match self {
            Self::Survival(own) => own.least(),
            Self::Ordinal(_) => 0.0,
        }
    }

    /// The fitted means: of survival times the hazard that each observation has met, of ordered levels the probability of
    /// the one that was seen.
    fn means(&self, state: &JointState, weights: &[f64]) -> Vec<f64> {
        match &state.curvature {
            Curvature::Risk(own) => {
                let hazards = own.diagonal();
                let share = |(hazard, weight): (&f64, &f64)| match *weight > 0.0 {
                    true => hazard / weight,
                    false => 0.0,
                };
                hazards.iter().zip(weights).map(share).collect()
            }
            Curvature::Ordinal(own) => own.probabilities(&state.predictors),
        }
    }

    /// The n of criteria.
    pub(super) fn criterion_n(&self) -> usize {
        match self {
            Self::Survival(own) => own.events(),
            Self::Ordinal(own) => own.n(),
        }
    }

    /// How many parameters are maximised out that take the place of an intercept and count.
    pub(super) fn constants(&self) -> usize {
        match self {
            Self::Survival(_) => 0,
            Self::Ordinal(own) => own.thresholds(),
        }
    }

    /// The state of linear predictors; none where they are no numbers or beyond the range of f64. It is found sooner from
    /// one that is `near`.
    fn state(&self, predictors: Vec<f64>, near: Option<&JointState>) -> Option<JointState> {
        match self {
            Self::Survival(own) => {
                let own = CoxState::of(own, predictors)?;
                Some(JointState {
                    predictors: own.predictors,
                    minus_two_log_likelihood: own.minus_two_log_likelihood,
                    scores: own.scores,
                    curvature: Curvature::Risk(own.curvature),
                })
            }
            Self::Ordinal(own) => {
                let near = near.and_then(|near| match &near.curvature {
                    Curvature::Ordinal(own) => Some(own.thresholds()),
                    Curvature::Risk(_) => None,
                });
                OrdinalResponse::state(own, predictors, near)
            }
        }
    }
}
