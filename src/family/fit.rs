//! The fit of a model of a family, by maximum likelihood.

use std::sync::Arc;

use super::{
    Curvature, Distribution, FamilyError, FamilyResponse,
    climb::{CONVERGED, End, Problem},
    state::State,
    weighted::Factor,
};
use crate::vector::packed_columns;

/// The least pivot, of columns of unit norm, with which products of the factor have many digits.
const LEAST_PIVOT: f64 = 1e-5;

/// Rounds of θ, at most, and steps of all rounds after which no further one begins.
const ROUNDS: usize = 200;
const ALL_STEPS: usize = 400;

/// Whether the estimates of a fit are those of the largest likelihood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FitStatus {
    /// They are.
    Converged,
    /// The likelihood rises without end along some direction, as where a variable separates events from others: its
    /// supremum is right, the estimates along that direction are not finite.
    Separated,
    /// The steps ended before the deviance did.
    NotConverged,
}

/// The fit of a model by maximum likelihood.
///
/// *Shapes:* by observation n, by column k.
#[derive(Debug, Clone)]
pub struct FamilyFit {
    pub(super) has_intercept: bool,
    /// Of the intercept first, if there is one, as in the factor.
    pub(super) coefficients: Vec<f64>,
    pub(super) factor: Factor,
    pub(super) scores: Vec<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) means: Vec<f64>,
    pub(super) predictors: Vec<f64>,
    pub(super) deviance: f64,
    pub(super) minus_two_log_likelihood: f64,
    pub(super) pearson: f64,
    /// As the standard errors have it.
    pub(super) dispersion: f64,
    /// Of a separated fit: along which coefficients the likelihood rises, the intercept first, if there is one.
    pub(super) direction: Vec<f64>,
    pub(super) theta: f64,
    /// Whether the estimates are those of the largest penalised likelihood.
    pub(super) is_penalised: bool,
    pub(super) status: FitStatus,
    pub(super) steps: usize,
    /// Of a likelihood of all observations together the second derivatives, which are no diagonal matrix.
    pub(super) curvature: Option<Arc<Curvature>>,
}

impl FamilyFit {
    /// Fits a response to columns, with or without an intercept. `start` is the fit of a similar model, from which fewer
    /// steps lead here. A column that those before it explain has the coefficient 0.
    ///
    /// *Shapes:* n values each.
    ///
    /// # Errors
    /// No mean that the family can have is a start.
    pub fn of(
        columns: &[&[f64]],
        response: &FamilyResponse,
        intercept: bool,
        start: Option<&Self>,
    ) -> Result<Self, FamilyError> {
        if let (Some(joint), Some(start)) = (&response.joint, start) {
            return Self::of_joint_near(columns, (response, joint), start);
        }
        let start = start.map(|start| (start.predictors.clone(), start.theta));
        Self::near(columns, response, intercept, start)
    }

    /// The fit from linear predictors on, offsets included, that are near to it, and from their θ.
    pub(super) fn near(
        columns: &[&[f64]],
        response: &FamilyResponse,
        intercept: bool,
        start: Option<(Vec<f64>, f64)>,
    ) -> Result<Self, FamilyError> {
        if let Some(joint) = &response.joint {
            let start = start.as_ref().map(|start| &*start.0);
            return Self::of_joint(columns, (response, joint), start);
        }
        let ones = vec![1.0; if intercept { response.n() } else { 0 }];
        let first = intercept.then_some(&*ones).into_iter();
        let mut problem = Problem {
            columns: first.chain(columns.iter().copied()).collect(),
            response,
            theta: start.as_ref().map_or(f64::INFINITY, |start| start.1),
        };
        let given = |theta| State::of(response, start?.0, theta);
        if response.family().distribution() != Distribution::NegativeBinomial {
            let end = problem.climb(given(f64::INFINITY))?;
            return Ok(problem.finish(end, intercept));
        }
        if !problem.theta.is_finite() {
            // Poisson means are the first.
            problem.theta = response.theta_limit();
        }
        let mut end = problem.climb(given(problem.theta))?;
        let (mut value, mut steps) = (f64::INFINITY, 0);
        for _ in 0..ROUNDS {
            problem.theta = response.theta(&end.state.means, problem.theta);
            let from = State::of(response, end.state.predictors, problem.theta);
            end = problem.climb(from)?;
            let own = response.minus_two_log_likelihood(end.state.deviance, problem.theta);
            steps += end.steps;
            if steps > ALL_STEPS {
                end.status = FitStatus::NotConverged;
                break;
            }
            let is_same = (own - value).abs() <= CONVERGED * (1.0 + own.abs());
            value = own;
            if is_same {
                break;
            }
        }
        Ok(problem.finish(end, intercept))
    }

    /// A model that could not be fitted: it has no likelihood.
    pub(crate) fn none(like: &Self, columns: usize) -> Self {
        let size = columns + usize::from(like.has_intercept);
        let mut coefficients = like.coefficients.clone();
        coefficients.resize(size, 0.0);
        Self {
            coefficients,
            factor: Factor::zero(size),
            deviance: f64::INFINITY,
            minus_two_log_likelihood: f64::INFINITY,
            status: FitStatus::NotConverged,
            ..like.clone()
        }
    }

    /// The deviance of the intercept alone, at a shape of the negative binomial family.
    pub(super) fn null_deviance(
        response: &FamilyResponse,
        intercept: bool,
        theta: f64,
    ) -> Option<f64> {
        let ones = vec![1.0; response.n()];
        let problem = Problem {
            columns: intercept.then_some(&*ones).into_iter().collect(),
            response,
            theta,
        };
        problem.climb(None).ok().map(|end| end.state.deviance)
    }

    /// The intercept; none of a model without.
    pub fn intercept(&self) -> Option<f64> {
        self.has_intercept.then(|| self.coefficients[0])
    }

    /// β̂, by column.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients[usize::from(self.has_intercept)..]
    }

    /// Standard errors: of the intercept, if there is one, then by column.
    pub fn std_errors(&self) -> Vec<f64> {
        let squares = self.factor.squares(self.coefficients.len()).into_iter();
        squares
            .map(|square| (self.dispersion * square).sqrt())
            .collect()
    }

    /// T with (XᵀWX)⁻¹ = T·Tᵀ, upper triangular, packed by columns, the intercept first if there is one; W are the
    /// [`weights`](Self::weights).
    pub fn inverse(&self) -> &[f64] {
        &self.factor.inverse
    }

    /// The derivative of the log-likelihood with respect to each linear predictor, at dispersion 1: of a canonical link
    /// y − μ times the weight of the observation.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// The expected negative second derivative of the log-likelihood with respect to each linear predictor, at dispersion
    /// 1.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Of a likelihood of all observations together the negative second derivatives with respect to the linear predictors;
    /// none where these are the [`weights`](Self::weights) alone.
    pub(crate) fn curvature(&self) -> Option<&Arc<Curvature>> {
        self.curvature.as_ref()
    }

    /// The fitted means: of the binomial family probabilities, of ordered levels that of the level which was seen.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// The linear predictors, offsets included.
    pub fn predictors(&self) -> &[f64] {
        &self.predictors
    }

    /// The deviance.
    pub fn deviance(&self) -> f64 {
        self.deviance
    }

    /// −2ℓ with all constants, as R's `logLik`; of families with a dispersion at the deviance over the sum of weights.
    pub fn minus_two_log_likelihood(&self) -> f64 {
        self.minus_two_log_likelihood
    }

    /// Pearson's χ²: the weighted sum of squared residuals over the variances of their means.
    pub fn pearson(&self) -> f64 {
        self.pearson
    }

    /// Whether each coefficient is not explained by those before it, the intercept first, if there is one.
    pub(crate) fn has_pivots(&self) -> Vec<bool> {
        self.factor.pivots().collect()
    }

    /// How many coefficients are not explained by others, the intercept among them.
    pub fn rank(&self) -> usize {
        self.factor.rank()
    }

    /// Whether no column is nearly explained by others under the working weights.
    pub(crate) fn is_well_conditioned(&self) -> bool {
        self.rank() == self.coefficients.len() && self.factor.pivot() > LEAST_PIVOT
    }

    /// Of a separated fit the direction in which its coefficients have no end, 1 of the column that moves most; none of
    /// another one.
    pub fn direction(&self) -> Option<&[f64]> {
        (self.status == FitStatus::Separated)
            .then(|| &self.direction[usize::from(self.has_intercept)..])
    }

    /// Of a separated fit how far the linear predictor at these values of the columns, 1 of the intercept first if there is
    /// one, moves in that direction.
    pub(crate) fn moves(&self, at: &[f64]) -> Option<f64> {
        let own = self.direction.iter().zip(at).map(|(d, x)| d * x);
        (self.status == FitStatus::Separated).then(|| own.sum())
    }

    /// A row of (XᵀWX)⁻¹, the intercept first, if there is one.
    pub(crate) fn inverse_row(&self, at: usize) -> Vec<f64> {
        let mut unit = vec![0.0; self.coefficients.len()];
        unit[at] = 1.0;
        self.factor.solve(&unit)
    }

    /// vᵀ(XᵀWX)⁻¹v times the dispersion: the variance of vᵀβ̂, the intercept first, if there is one.
    pub fn variance_of(&self, v: &[f64]) -> f64 {
        let columns = packed_columns(&self.factor.inverse);
        let own = columns.map(|t| t.iter().zip(v).map(|(t, v)| t * v).sum::<f64>().powi(2));
        self.dispersion * own.sum::<f64>()
    }

    /// The dispersion of the standard errors: Pearson's χ² over its degrees of freedom, as R's `summary`; 1 where the
    /// family has none.
    pub fn dispersion(&self) -> f64 {
        self.dispersion
    }

    /// The shape θ of the negative binomial family.
    pub fn theta(&self) -> Option<f64> {
        self.theta.is_finite().then_some(self.theta)
    }

    /// Whether the estimates are those of the largest likelihood.
    pub fn status(&self) -> FitStatus {
        self.status
    }

    pub(super) fn is_separated(&self) -> bool {
        self.status == FitStatus::Separated
    }

    /// How many steps the fit took; of the negative binomial family with the last θ.
    pub fn steps(&self) -> usize {
        self.steps
    }
}

/// A direction whose largest entry but that of the intercept is 1 or −1.
pub(super) fn unit(direction: Vec<f64>, has_intercept: bool) -> Vec<f64> {
    let own = direction.iter().skip(usize::from(has_intercept));
    let most = own.fold(0.0, |most: f64, step| most.max(step.abs()));
    direction.into_iter().map(|step| step / most).collect()
}

impl Problem<'_> {
    pub(super) fn finish(&self, end: End, has_intercept: bool) -> FamilyFit {
        let (response, theta) = (self.response, self.theta);
        let (state, distribution) = (end.state, response.family().distribution());
        let (scores, weights) = state.scores(response, theta);
        let factor = Factor::of(&self.columns, &weights, &mut Vec::new());
        let used = response.weights.iter().filter(|weight| **weight > 0.0);
        let free = used.count() as f64 - factor.rank() as f64;
        let pearson = state.pearson(response, theta);
        FamilyFit {
            has_intercept,
            pearson,
            direction: unit(end.direction, has_intercept),
            coefficients: end.coefficients,
            factor,
            scores,
            weights,
            dispersion: match distribution.has_dispersion() {
                true => pearson / free,
                false => response.quasi.map_or(1.0, |(dispersion, _)| dispersion),
            },
            minus_two_log_likelihood: response.minus_two_log_likelihood(state.deviance, theta),
            deviance: state.deviance,
            means: state.means,
            predictors: state.predictors,
            theta,
            is_penalised: false,
            status: end.status,
            steps: end.steps,
            curvature: None,
        }
    }
}
