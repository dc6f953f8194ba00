//! The fit of a model of a family, by maximum likelihood.

use super::{Distribution, FamilyError, FamilyResponse, state::State, theta, weighted::Factor};
use crate::vector::{add_scaled, packed_columns, product};

/// The deviance has converged where it changes by less, relative to it: so much does the last step promise.
const CONVERGED: f64 = 1e-12;

/// Steps of one fit, halvings of one step, and rounds of θ, at most.
const STEPS: usize = 200;
const HALVINGS: usize = 60;
const ROUNDS: usize = 200;

/// Where the deviance stands still while linear predictors move by more, relative to them, for so many steps, these have
/// no end.
const MOVES: f64 = 1e-3;
const MOVING_STEPS: usize = 3;

/// A fit does not begin at a state whose deviance is that of the model it is near to so many times.
const FAR: f64 = 4.0;

/// Where events and others lie apart by more than the first, they are apart; the second is as far as they are then taken.
const LEAST_MARGIN: f64 = 1e-9;
const FAR_OUT: f64 = 36.0;

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
    has_intercept: bool,
    /// Of the intercept first, if there is one, as in the factor.
    coefficients: Vec<f64>,
    factor: Factor,
    scores: Vec<f64>,
    weights: Vec<f64>,
    means: Vec<f64>,
    predictors: Vec<f64>,
    deviance: f64,
    minus_two_log_likelihood: f64,
    pearson: f64,
    /// As the standard errors have it.
    dispersion: f64,
    /// Of a separated fit: along which coefficients the likelihood rises, the intercept first, if there is one.
    direction: Vec<f64>,
    theta: f64,
    status: FitStatus,
    steps: usize,
}

/// What a fit has of the data.
struct Problem<'a> {
    /// Ones first, where there is an intercept.
    columns: Vec<&'a [f64]>,
    response: &'a FamilyResponse,
    theta: f64,
}

/// Where a fit ends.
struct End {
    state: State,
    coefficients: Vec<f64>,
    direction: Vec<f64>,
    status: FitStatus,
    steps: usize,
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
        let ones = vec![1.0; if intercept { response.n() } else { 0 }];
        let first = intercept.then_some(&*ones).into_iter();
        let mut problem = Problem {
            columns: first.chain(columns.iter().copied()).collect(),
            response,
            theta: start.map_or(f64::INFINITY, |start| start.theta),
        };
        let given = |theta| {
            let predictors = start?.predictors.clone();
            State::of(response, predictors, theta)
        };
        if response.family().distribution() != Distribution::NegativeBinomial {
            let end = problem.climb(given(f64::INFINITY))?;
            return Ok(problem.finish(end, intercept));
        }
        if !problem.theta.is_finite() {
            // Poisson means are the first.
            problem.theta = theta::LARGEST;
        }
        let mut end = problem.climb(given(problem.theta))?;
        let mut value = f64::INFINITY;
        for _ in 0..ROUNDS {
            problem.theta = response.theta(&end.state.means, problem.theta);
            let from = State::of(response, end.state.predictors, problem.theta);
            end = problem.climb(from)?;
            let own = response.minus_two_log_likelihood(end.state.deviance, problem.theta);
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

    /// The fitted means, of the binomial family probabilities.
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

    /// How many coefficients are not explained by others, the intercept among them.
    pub fn rank(&self) -> usize {
        self.factor.rank()
    }

    /// Of a separated fit the direction in which its coefficients have no end, 1 of the column that moves most; none of
    /// another one.
    pub fn direction(&self) -> Option<&[f64]> {
        (self.status == FitStatus::Separated)
            .then(|| &self.direction[usize::from(self.has_intercept)..])
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

    /// How many steps the fit took; of the negative binomial family with the last θ.
    pub fn steps(&self) -> usize {
        self.steps
    }
}

impl Problem<'_> {
    /// Newton's method, with halved steps where the deviance would rise.
    fn climb(&self, start: Option<State>) -> Result<End, FamilyError> {
        let (response, theta) = (self.response, self.theta);
        let family = response.family();
        let no_start = || FamilyError::NoStart {
            distribution: family.distribution(),
            link: family.link(),
        };
        // A start that a model of other columns lacks is far: it may lead anywhere.
        let near = start.and_then(|start| {
            let most = FAR * (1.0 + start.deviance);
            self.project(&start).filter(|(own, _)| own.deviance < most)
        });
        let (mut state, mut coefficients) = match near {
            Some(begun) => begun,
            None => {
                let first = State::first(response, theta);
                let own = first.and_then(|first| self.project(&first));
                own.or_else(|| self.constant()).ok_or_else(no_start)?
            }
        };
        let least_change = CONVERGED * f64::min(0.1, response.total);
        let (mut status, mut steps, mut moving) = (FitStatus::NotConverged, 0, 0);
        let mut direction = Vec::new();
        let mut room = Vec::new();
        while steps < STEPS {
            steps += 1;
            let (scores, mut weights) = state.scores(response, theta);
            if !family.is_canonical() {
                state.observe(response, theta, &mut weights);
            }
            let factor = Factor::of(&self.columns, &weights, &mut room);
            let gradient: Vec<f64> = self
                .columns
                .iter()
                .map(|column| product(column, &scores))
                .collect();
            let step = factor.solve(&gradient);
            // By so much twice the log-likelihood of the quadratic rises.
            let promised: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
            let is_still = promised <= least_change + CONVERGED * state.deviance;
            let mut predictors = state.predictors.clone();
            for (column, b) in self.columns.iter().zip(&step) {
                add_scaled(&mut predictors, *b, column);
            }
            let mut share = 1.0;
            let mut next = State::of(response, predictors, theta);
            let least = state.deviance * (1.0 + CONVERGED) + least_change;
            let rises = |next: &State| next.deviance > least;
            let mut halvings = 0;
            while next.as_ref().is_none_or(rises) && halvings < HALVINGS {
                halvings += 1;
                share /= 2.0;
                let mut predictors = state.predictors.clone();
                for (column, b) in self.columns.iter().zip(&step) {
                    add_scaled(&mut predictors, share * b, column);
                }
                next = State::of(response, predictors, theta);
            }
            let Some(next) = next.filter(|next| !rises(next)) else {
                if is_still {
                    status = FitStatus::Converged;
                }
                break;
            };
            let moved = self.moved(&state, &next);
            coefficients
                .iter_mut()
                .zip(&step)
                .for_each(|(b, step)| *b += share * step);
            state = next;
            if let Some(scale) = self.separating_scale(&state) {
                // What separates all events from all others does so at any scale: the supremum is known.
                let both = state.predictors.iter().zip(&response.offset);
                let scaled = both.map(|(eta, offset)| offset + scale * (eta - offset));
                if let Some(far) = State::of(response, scaled.collect(), theta) {
                    state = far;
                    state.deviance = 0.0;
                    coefficients.iter_mut().for_each(|b| *b *= scale);
                }
                direction.clone_from(&coefficients);
                status = FitStatus::Separated;
                break;
            }
            if is_still && moved <= MOVES {
                status = FitStatus::Converged;
                break;
            }
            moving = if is_still { moving + 1 } else { 0 };
            if moving == MOVING_STEPS {
                status = FitStatus::Separated;
                direction = step;
                break;
            }
        }
        Ok(End {
            state,
            coefficients,
            direction,
            status,
            steps,
        })
    }

    /// The linear predictors of the model nearest to given ones, by their weights, with its coefficients. None where it
    /// has a mean that is none of the family.
    fn project(&self, near: &State) -> Option<(State, Vec<f64>)> {
        let (response, theta) = (self.response, self.theta);
        let (scores, weights) = near.scores(response, theta);
        let mut room = Vec::new();
        let factor = Factor::of(&self.columns, &weights, &mut room);
        // The working response, weighted.
        let target = near.predictors.iter().zip(&response.offset);
        let target = target.zip(scores.iter().zip(&weights));
        let target: Vec<f64> = target
            .map(|((eta, offset), (score, weight))| weight * (eta - offset) + score)
            .collect();
        let products = self.columns.iter().map(|column| product(column, &target));
        let coefficients = factor.solve(&products.collect::<Vec<_>>());
        let mut predictors = response.offset.clone();
        for (column, b) in self.columns.iter().zip(&coefficients) {
            add_scaled(&mut predictors, *b, column);
        }
        let state = State::of(response, predictors, theta)?;
        Some((state, coefficients))
    }

    /// The state of the intercept alone, or of none.
    fn constant(&self) -> Option<(State, Vec<f64>)> {
        let response = self.response;
        let is_ones = |column: &&&[f64]| column.iter().all(|x| *x == 1.0);
        let has_intercept = self.columns.first().filter(is_ones).is_some();
        let weighted = |values: &[f64]| product(values, &response.weights) / response.total;
        let mut coefficients = vec![0.0; self.columns.len()];
        if has_intercept {
            let link = response.family().link();
            coefficients[0] = link.predictor(weighted(&response.y)) - weighted(&response.offset);
        }
        let first = coefficients.first().copied().unwrap_or(0.0);
        let predictors = response.offset.iter().map(|offset| offset + first);
        let state = State::of(response, predictors.collect(), self.theta)?;
        Some((state, coefficients))
    }

    /// Where the linear predictors without their offsets are above 0 of all events and below 0 of all others, what multiplies
    /// them so that all means are at their ends; none of another state.
    fn separating_scale(&self, state: &State) -> Option<f64> {
        let response = self.response;
        if !response.is_all_or_none {
            return None;
        }
        let mut scale: f64 = 1.0;
        for (row, y) in response.y.iter().enumerate() {
            if response.weights[row] > 0.0 {
                let own = state.predictors[row] - response.offset[row];
                let distance = if *y > 0.5 { own } else { -own };
                if distance <= LEAST_MARGIN * (1.0 + response.offset[row].abs()) {
                    return None;
                }
                scale = scale.max((FAR_OUT + response.offset[row].abs()) / distance);
            }
        }
        Some(scale)
    }

    /// By how much the linear predictors differ at most, relative to them.
    fn moved(&self, before: &State, after: &State) -> f64 {
        let both = after.predictors.iter().zip(&before.predictors);
        let used = both.zip(&self.response.weights).filter(|(_, w)| **w > 0.0);
        let moved = used.map(|((new, old), _)| (new - old).abs() / (1.0 + old.abs()));
        moved.fold(0.0, f64::max)
    }

    fn finish(&self, end: End, has_intercept: bool) -> FamilyFit {
        let (response, theta) = (self.response, self.theta);
        let (state, distribution) = (end.state, response.family().distribution());
        let (scores, weights) = state.scores(response, theta);
        let factor = Factor::of(&self.columns, &weights, &mut Vec::new());
        let used = response.weights.iter().filter(|weight| **weight > 0.0);
        let free = used.count() as f64 - factor.rank() as f64;
        let pearson = state.pearson(response, theta);
        let own = &end.direction[usize::from(has_intercept).min(end.direction.len())..];
        let most = own.iter().fold(0.0, |most: f64, step| most.max(step.abs()));
        let unit = end.direction.iter().map(|step| step / most);
        FamilyFit {
            has_intercept,
            pearson,
            direction: unit.collect(),
            coefficients: end.coefficients,
            factor,
            scores,
            weights,
            dispersion: match distribution.has_dispersion() {
                true => pearson / free,
                false => 1.0,
            },
            minus_two_log_likelihood: response.minus_two_log_likelihood(state.deviance, theta),
            deviance: state.deviance,
            means: state.means,
            predictors: state.predictors,
            theta,
            status: end.status,
            steps: end.steps,
        }
    }
}
