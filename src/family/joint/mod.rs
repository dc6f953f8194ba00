//! Likelihoods of all observations together: second derivatives with respect to the linear predictors are a matrix that is
//! not diagonal, of which no more is held than its parts, and what stands in place of an intercept is maximised out.
//!
//! `fit.rs` models by Newton's method; `ordinal.rs` responses of ordered levels, `multinomial.rs` of those without order, and
//! what both need in `levels.rs`; [`super::cox`] survival times.

mod fit;
mod levels;
mod multinomial;
mod ordinal;
mod response;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::cox::{CoxState, RiskCurvature, SurvivalResponse};
use crate::vector::product;
pub(crate) use multinomial::MultinomialCurvature;
pub use multinomial::MultinomialResponse;
pub use ordinal::OrdinalResponse;
pub(crate) use ordinal::{OrdinalCurvature, probability_between};

/// A response whose likelihood is of all observations together.
#[derive(Debug, Clone)]
pub(crate) enum JointResponse {
    Survival(Arc<SurvivalResponse>),
    Ordinal(Arc<OrdinalResponse>),
    Multinomial(Arc<MultinomialResponse>),
}

/// Linear predictors with what follows from them, by row of the response.
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
    Multinomial(MultinomialCurvature),
}

impl Curvature {
    /// The constants at which it is, that maximise the likelihood; none of survival times.
    pub(crate) fn constants(&self) -> &[f64] {
        match self {
            Self::Risk(_) => &[],
            Self::Ordinal(own) => own.thresholds(),
            Self::Multinomial(own) => own.intercepts(),
        }
    }

    /// The covariance matrix of the constants where the linear predictors are given, row by row.
    pub(crate) fn constant_covariances(&self) -> Vec<Vec<f64>> {
        match self {
            Self::Risk(_) => Vec::new(),
            Self::Ordinal(own) => own.threshold_covariances(),
            Self::Multinomial(own) => own.intercept_covariances(),
        }
    }

    /// Of each constant the derivative of the log-likelihood of each observation, at the linear predictors of the curvature.
    pub(crate) fn constant_scores(&self, predictors: &[f64]) -> Vec<Vec<f64>> {
        match self {
            Self::Risk(_) => Vec::new(),
            Self::Ordinal(own) => own.threshold_scores(predictors),
            Self::Multinomial(own) => own.intercept_scores(),
        }
    }

    /// Of each constant its derivative where linear predictors move along a column.
    pub(crate) fn constant_moves(&self, column: &[f64]) -> Vec<f64> {
        match self {
            Self::Risk(_) => Vec::new(),
            Self::Ordinal(own) => own.threshold_moves(column),
            Self::Multinomial(own) => own.intercept_moves(column),
        }
    }

    /// Its product with a vector.
    ///
    /// *Shapes:* n values, in the order of the observations.
    pub(crate) fn times(&self, v: &[f64]) -> Vec<f64> {
        match self {
            Self::Risk(own) => own.times(v),
            Self::Ordinal(own) => own.times(v),
            Self::Multinomial(own) => own.times(v),
        }
    }

    /// vᵀHv; 0 where that is rounding.
    ///
    /// *Shapes:* n values, in the order of the observations.
    pub(crate) fn square(&self, v: &[f64]) -> f64 {
        match self {
            Self::Risk(own) => own.square(v),
            Self::Ordinal(own) => own.square(v),
            Self::Multinomial(own) => own.square(v),
        }
    }

    /// Its product with a vector, by row.
    pub(super) fn times_rows(&self, v: &[f64]) -> Vec<f64> {
        match self {
            Self::Risk(own) => own.times_rows(v),
            own => own.times(v),
        }
    }

    /// vᵀHv, by row; 0 where that is rounding.
    pub(super) fn square_rows(&self, v: &[f64]) -> f64 {
        match self {
            Self::Risk(own) => own.square_rows(v),
            own => own.square(v),
        }
    }

    /// The lower triangle of XᵀHX, row by row; of a column without information 0 on the diagonal.
    ///
    /// *Shapes:* k columns of n values, by row.
    pub(super) fn products_of_rows(&self, columns: &[&[f64]]) -> Vec<f64> {
        if let Self::Risk(own) = self {
            return own.products_of_rows(columns);
        }
        let mut all = Vec::with_capacity(columns.len() * (columns.len() + 1) / 2);
        for (at, column) in columns.iter().enumerate() {
            let image = self.times(column);
            all.extend(columns[..at].iter().map(|other| product(&image, other)));
            all.push(self.square(column));
        }
        all
    }

    /// xᵀHx of some columns by several curvatures of one response, into columns × curvatures; 0 where that is rounding.
    /// `room` is scratch.
    ///
    /// *Shapes:* n values each, in the order of the observations; squares column-major.
    pub(crate) fn squares(
        curvatures: &[(&Self, f64)],
        columns: &[&[f64]],
        room: &mut Vec<[f64; 8]>,
        squares: &mut Vec<f64>,
    ) {
        let risks = curvatures.iter().filter_map(|(own, scale)| match own {
            Self::Risk(own) => Some((own, *scale)),
            _ => None,
        });
        let risks: Vec<(&RiskCurvature, f64)> = risks.collect();
        if risks.len() == curvatures.len() {
            return RiskCurvature::squares(&risks, columns, room, squares);
        }
        squares.clear();
        for (own, scale) in curvatures {
            squares.extend(columns.iter().map(|column| scale * own.square(column)));
        }
    }

    /// Its diagonal, but for what the rest takes off it.
    pub(crate) fn diagonal(&self) -> Vec<f64> {
        match self {
            Self::Risk(own) => own.diagonal(),
            Self::Ordinal(own) => own.diagonal().to_vec(),
            Self::Multinomial(own) => own.diagonal().to_vec(),
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
            Self::Multinomial(own) => &own.offset,
        }
    }

    /// −2ℓ that no model goes below.
    pub(super) fn least(&self) -> f64 {
        match self {
            Self::Survival(own) => own.least(),
            Self::Ordinal(_) | Self::Multinomial(_) => 0.0,
        }
    }

    /// The fitted means: of survival times the hazard that each observation has met, of ordered levels the probability of
    /// the one that was seen, of others that of each level but the first.
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
            Curvature::Multinomial(own) => own.probabilities().to_vec(),
        }
    }

    /// The n of criteria.
    pub(super) fn criterion_n(&self) -> usize {
        match self {
            Self::Survival(own) => own.events(),
            Self::Ordinal(own) => own.levels.codes.len(),
            Self::Multinomial(own) => own.levels.codes.len(),
        }
    }

    /// The sum of the weights of each level; none of survival times.
    pub(super) fn level_totals(&self) -> &[f64] {
        match self {
            Self::Survival(_) => &[],
            Self::Ordinal(own) => &own.levels.totals,
            Self::Multinomial(own) => &own.levels.totals,
        }
    }

    /// How many parameters are maximised out that take the place of an intercept and count.
    pub(super) fn constants(&self) -> usize {
        match self {
            Self::Survival(_) => 0,
            Self::Ordinal(own) => own.thresholds(),
            Self::Multinomial(own) => own.blocks(),
        }
    }

    /// −2ℓ below which predictors tell all levels apart, so that its supremum is 0; none of survival times. Where a pair of
    /// observations overlaps, the pair alone has more.
    fn separated_below(&self) -> f64 {
        match self {
            Self::Survival(_) => f64::NEG_INFINITY,
            Self::Ordinal(own) => own.levels.separated_below(),
            Self::Multinomial(own) => own.levels.separated_below(),
        }
    }

    /// −2ℓ of the empty model; none where it is no number.
    fn empty_value(&self) -> Option<f64> {
        let value = || {
            let state = self.state(self.offset().to_vec(), None)?;
            Some(state.minus_two_log_likelihood)
        };
        match self {
            Self::Survival(own) => own.empty_value(),
            Self::Ordinal(own) => *own.levels.empty.get_or_init(value),
            Self::Multinomial(own) => *own.levels.empty.get_or_init(value),
        }
    }

    /// Whether second derivatives are of this response.
    fn is_of(&self, curvature: &Curvature) -> bool {
        match (self, curvature) {
            (Self::Survival(own), Curvature::Risk(other)) => other.is_of(own),
            (Self::Ordinal(own), Curvature::Ordinal(other)) => other.is_of(own),
            (Self::Multinomial(own), Curvature::Multinomial(other)) => other.is_of(own),
            _ => false,
        }
    }

    /// Values of observations in the order of the response's rows, which is another one of survival times alone.
    fn by_row(&self, values: &[f64]) -> Vec<f64> {
        match self {
            Self::Survival(own) => own.sorted(values),
            _ => values.to_vec(),
        }
    }

    /// Values of rows in the order of the observations.
    fn by_observation(&self, values: &[f64]) -> Vec<f64> {
        match self {
            Self::Survival(own) => own.unsorted(values),
            _ => values.to_vec(),
        }
    }

    /// Columns one after another by row; none where they are so as they stand.
    fn columns_by_row(&self, columns: &[&[f64]]) -> Option<Vec<f64>> {
        match self {
            Self::Survival(own) => Some(own.sorted_columns(columns)),
            _ => None,
        }
    }

    /// The state of linear predictors, by row; none where they are no numbers or beyond the range of f64. It is found sooner
    /// where second derivatives `near` to it are known.
    fn state(&self, predictors: Vec<f64>, near: Option<&Curvature>) -> Option<JointState> {
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
            _ if predictors.iter().any(|eta| !eta.is_finite()) => None,
            Self::Ordinal(own) => {
                let near = near.map(Curvature::constants);
                OrdinalResponse::state(own, predictors, near)
            }
            Self::Multinomial(own) => {
                let near = near.map(Curvature::constants);
                MultinomialResponse::state(own, predictors, near)
            }
        }
    }
}
