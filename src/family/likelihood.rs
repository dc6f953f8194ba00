//! The likelihood of a response as a search sees it: like the residual sum of squares of least squares.

use std::ffi::CStr;

use super::{
    Distribution, FamilyError, FamilyFit, FamilyResponse, JointResponse, climb, state::State,
};
use crate::vector::product;

/// A response with the fit of its empty model, of the intercept and the offsets alone, beside which a search measures all
/// others.
///
/// The *loss* of a model is −2ℓ above what no model of the family can go below, or the deviance where the likelihood has
/// a dispersion: it is not negative, and 1 for the empty model, whose scores have unit norm. Near a fit the loss is a
/// quadratic in the coefficients, and scores and weights are on the scale on which this quadratic is the residual sum of
/// squares of columns of unit norm.
#[derive(Debug, Clone)]
pub struct Likelihood {
    response: FamilyResponse,
    empty: FamilyFit,
    /// The loss of the empty model, unscaled, and the norm of its scores.
    loss: f64,
    norm: f64,
    /// −2ℓ of the loss 0, where the likelihood has no dispersion.
    least: f64,
    /// The scores of the empty model at unit norm.
    scores: Vec<f64>,
}

impl Likelihood {
    /// The likelihood of a response for models with or without an intercept.
    ///
    /// # Errors
    /// The empty model cannot be fitted, or leaves nothing to explain.
    pub fn new(response: FamilyResponse, intercept: bool) -> Result<Self, FamilyError> {
        let empty = FamilyFit::of(&[], &response, intercept, None)?;
        let least = response.least();
        let norm = product(empty.scores(), empty.scores()).sqrt();
        let mut own = Self {
            scores: empty.scores().iter().map(|score| score / norm).collect(),
            response,
            loss: 1.0,
            norm,
            least,
            empty,
        };
        own.loss = own.loss_of(&own.empty);
        // A square that f64 cannot hold is as bad as none.
        let is_scale = |value: f64| value.is_finite() && (value * value).is_normal();
        match is_scale(own.loss) && is_scale(own.norm) {
            true => Ok(own),
            false => Err(FamilyError::NothingToExplain),
        }
    }

    /// The response.
    pub fn response(&self) -> &FamilyResponse {
        &self.response
    }

    /// The fit of the empty model.
    pub fn empty(&self) -> &FamilyFit {
        &self.empty
    }

    /// Whether models have an intercept.
    pub fn has_intercept(&self) -> bool {
        self.empty.intercept().is_some()
    }

    /// The scores of the empty model at unit norm: what a search has for a response.
    ///
    /// *Shapes:* n values.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// The loss of a fit, relative to that of the empty model.
    pub(crate) fn loss_of(&self, fit: &FamilyFit) -> f64 {
        let loss = match self.has_dispersion() {
            true => fit.deviance(),
            // The deviance itself has no rounding of the constant.
            false if fit.theta().is_none() => fit.deviance(),
            false => fit.minus_two_log_likelihood() - self.least,
        };
        loss.max(0.0) / self.loss
    }

    /// −2ℓ of a model of this loss, with all constants, over the dispersion of a quasi-likelihood.
    pub(crate) fn minus_two_log_likelihood(&self, loss: f64) -> f64 {
        let loss = loss * self.loss;
        if loss == f64::INFINITY {
            return loss;
        }
        match self.has_dispersion() {
            true => self.response.minus_two_log_likelihood(loss, f64::INFINITY),
            false => (loss + self.least) / self.quasi_dispersion(),
        }
    }

    /// Coefficients of the search times this are those of the linear predictor.
    pub(crate) fn coefficient_scale(&self) -> f64 {
        self.loss / self.norm
    }

    /// Scores times this, and weights times this, are those of the search.
    pub(crate) fn scales(&self) -> (f64, f64) {
        (1.0 / self.norm, self.loss / self.norm / self.norm)
    }

    /// A loss of the search times this is a deviance.
    pub(crate) fn loss_scale(&self) -> f64 {
        self.loss
    }

    /// The linear predictors that a fit from nothing begins at, where GPUs fit: of logistic and Poisson regression whose counts
    /// are not far from one, so that sums over observations tell deviances, and of families that are there in CUDA C.
    pub(crate) fn first_predictors(&self) -> Option<Vec<f64>> {
        let is_fitted = match self.response.family().distribution() {
            Distribution::Plugin(own) => own.cuda.is_some(),
            _ => self.has_bounds() && self.response.is_summable,
        };
        let first = is_fitted.then(|| State::first(&self.response, f64::INFINITY));
        Some(first.flatten()?.predictors)
    }

    /// What Σ w[b(η) − yη] lacks of half a deviance, and by how little a deviance changes where it stands still.
    pub(crate) fn deviance_shift(&self) -> (f64, f64) {
        (self.response.shift, climb::least_change(&self.response))
    }

    /// Of a partial likelihood −2ℓ of the loss 0, and by how little it changes where it stands still.
    pub(crate) fn partial_least(&self) -> (f64, f64) {
        let change = climb::CONVERGED * (1.0 + self.least.abs());
        (self.least, change + f64::EPSILON * self.response.n() as f64)
    }

    /// Whether it is that of logistic regression.
    pub(crate) fn is_logistic(&self) -> bool {
        self.has_bounds() && self.response.family().distribution() == Distribution::Binomial
    }

    /// The deviance of the empty model, of the negative binomial family with the shape of a fit.
    pub fn null_deviance(&self, fit: &FamilyFit) -> f64 {
        match fit.theta() {
            Some(theta) => {
                let intercept = self.empty.intercept().is_some();
                let own = FamilyFit::null_deviance(&self.response, intercept, theta);
                own.unwrap_or(f64::NAN)
            }
            None => self.empty.deviance(),
        }
    }

    /// Whether the likelihood has a dispersion that is estimated: then the deviance is the loss.
    pub(crate) fn has_dispersion(&self) -> bool {
        self.response.family().distribution().has_dispersion()
    }

    /// Whether standard errors have a dispersion that the data tell, so that coefficients over them are compared with
    /// Student's t.
    pub(crate) fn has_t_tests(&self) -> bool {
        self.has_dispersion() || self.quasi_freedom().is_some()
    }

    /// The name of the family.
    pub(crate) fn family_name(&self) -> &'static CStr {
        self.response.family().distribution().c_name()
    }

    /// The dispersion of a quasi-likelihood; 1 of a likelihood.
    pub(crate) fn quasi_dispersion(&self) -> f64 {
        let quasi = self.response.quasi_dispersion();
        quasi.map_or(1.0, |(dispersion, _)| dispersion)
    }

    /// The degrees of freedom of the dispersion of a quasi-likelihood, if that was estimated.
    pub(crate) fn quasi_freedom(&self) -> Option<usize> {
        self.response.quasi_dispersion()?.1
    }

    /// Observations of a weight above 0, without the coefficients of a fit and thresholds.
    pub(crate) fn residual_freedom(&self, fit: &FamilyFit) -> usize {
        let used = self.response.weights().iter();
        used.filter(|weight| **weight > 0.0)
            .count()
            .saturating_sub(fit.rank() + self.constants())
    }

    /// The degrees of freedom of the dispersion that tests of coefficients are by.
    pub(crate) fn test_freedom(&self, fit: &FamilyFit) -> usize {
        let quasi = self.quasi_freedom();
        quasi.unwrap_or_else(|| self.residual_freedom(fit))
    }

    /// How many parameters are maximised out in place of an intercept: the thresholds between ordered levels.
    pub(crate) fn constants(&self) -> usize {
        let joint = self.response.joint.as_ref();
        joint.map_or(0, JointResponse::constants)
    }

    /// The parameters of the response's scatter that are estimated, or thresholds.
    pub(crate) fn scatter(&self) -> usize {
        match self.response.family().distribution() {
            Distribution::Binomial | Distribution::Poisson => usize::from(self.has_t_tests()),
            Distribution::Cox | Distribution::Ordinal | Distribution::Multinomial => {
                self.constants()
            }
            Distribution::Plugin(_) => usize::from(self.has_dispersion()),
            _ => 1,
        }
    }

    /// The n of criteria: observations, or the events of survival times.
    ///
    /// *Source:* C. T. Volinsky, A. E. Raftery, Bayesian information criterion for censored survival models, Biometrics 56,
    /// 2000.
    pub fn criterion_n(&self) -> usize {
        let joint = self.response.joint.as_ref();
        joint.map_or(self.response.n(), JointResponse::criterion_n)
    }

    /// What rounding may change of a loss.
    pub(crate) fn rounding(&self) -> f64 {
        self.response.rounding / self.loss
    }

    /// Whether the loss of more columns is bounded by what their scores say, in the dual of the likelihood.
    pub(crate) fn has_bounds(&self) -> bool {
        self.response.family().is_logistic_or_poisson()
    }

    /// Whether a bound says what a column that joins does at most.
    pub(crate) fn has_joining_bounds(&self) -> bool {
        self.has_bounds() || self.is_survival()
    }

    /// Whether it is the partial likelihood of survival times.
    pub(crate) fn is_survival(&self) -> bool {
        self.response.survival().is_some()
    }
}
