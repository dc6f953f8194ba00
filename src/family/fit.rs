//! The fit of a model of a family, by iteratively reweighted least squares.

use super::{Distribution, FamilyError, FamilyResponse, theta, weighted};
use crate::{
    design::Columns,
    least_squares::Fit,
    vector::{add_scaled, packed_columns, packed_row_squares},
};

/// The deviance has converged where it changes by less, relative to it.
const CONVERGED: f64 = 1e-12;

/// Steps of one fit, halvings of one step, and rounds of θ, at most.
const STEPS: usize = 200;
const HALVINGS: usize = 60;
const ROUNDS: usize = 200;

/// Linear predictors have converged where they move by less, relative to them; where they move by more than the other
/// for so many steps in which the deviance does not change they have no end. (Where the link is not the canonical
/// one they converge slowly.)
const STILL: f64 = 1e-9;
const MOVES: f64 = 1e-3;
const MOVING_STEPS: usize = 3;

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
/// *Shapes:* by observation n, by column of the support k.
#[derive(Debug, Clone)]
pub struct FamilyFit {
    support: Vec<u32>,
    intercept: Option<f64>,
    coefficients: Vec<f64>,
    /// Of the intercept first, if there is one.
    std_errors: Vec<f64>,
    means: Vec<f64>,
    predictors: Vec<f64>,
    deviance: f64,
    minus_two_log_likelihood: f64,
    dispersion: f64,
    theta: f64,
    status: FitStatus,
    steps: usize,
}

/// A state of the iterations.
#[derive(Clone)]
struct State {
    predictors: Vec<f64>,
    means: Vec<f64>,
    deviance: f64,
}

impl State {
    /// The state of these linear predictors; none where a mean is none of the family.
    fn of(response: &FamilyResponse, predictors: Vec<f64>, theta: f64) -> Option<Self> {
        let family = response.family();
        let means = predictors.iter().map(|eta| family.link().mean(*eta).0);
        let means: Vec<f64> = means.collect();
        let distribution = family.distribution();
        let deviance = response.deviance(&means, theta);
        let is_valid = deviance.is_finite() && means.iter().all(|mean| distribution.is_mean(*mean));
        is_valid.then_some(Self {
            predictors,
            means,
            deviance,
        })
    }
}

impl FamilyFit {
    /// Fits a response to some terms of a design, with or without an intercept. `start` is the fit of a similar model,
    /// from which fewer steps lead here. Of columns that others of the model explain the later ones have no
    /// coefficient.
    ///
    /// # Errors
    /// No mean that the family can have is a start.
    pub fn of(
        x: Columns,
        terms: &[u32],
        response: &FamilyResponse,
        intercept: bool,
        start: Option<&Self>,
    ) -> Result<Self, FamilyError> {
        // Columns that others explain are found by least squares, where no weights vanish.
        let (least_squares, _) = Fit::of(x, &response.y, terms);
        let support = least_squares.support().to_vec();
        let ones = vec![1.0; response.n()];
        let own = support.iter().map(|column| x.column(*column));
        let columns: Vec<&[f64]> = intercept.then_some(&*ones).into_iter().chain(own).collect();
        let is_count = response.family().distribution() == Distribution::NegativeBinomial;
        let mut shape = start.map_or(f64::INFINITY, |start| start.theta);
        if is_count && !shape.is_finite() {
            // Poisson means are the first.
            shape = theta::LARGEST;
        }
        let mut last: Option<Self> = None;
        for _ in 0..ROUNDS {
            let begin = last.as_ref().or(start);
            let found = Self::with_theta(&columns, &support, response, intercept, (begin, shape))?;
            if !is_count {
                return Ok(found);
            }
            shape = theta::estimate(&response.y, &found.means, &response.weights);
            let value = found.minus_two_log_likelihood;
            let is_same = |before: &Self| {
                (before.minus_two_log_likelihood - value).abs() <= CONVERGED * (1.0 + value.abs())
            };
            let is_done = last.as_ref().is_some_and(is_same);
            last = Some(found);
            if is_done {
                break;
            }
        }
        last.ok_or(no_start(response))
    }

    /// The fit with a given θ.
    fn with_theta(
        columns: &[&[f64]],
        support: &[u32],
        response: &FamilyResponse,
        intercept: bool,
        (start, theta): (Option<&Self>, f64),
    ) -> Result<Self, FamilyError> {
        let family = response.family();
        let distribution = family.distribution();
        let given = start.and_then(|start| State::of(response, start.predictors.clone(), theta));
        let mut is_fit = false;
        let mut state = given
            .or_else(|| first(response, theta))
            .ok_or(no_start(response))?;
        let (mut status, mut steps, mut moving) = (FitStatus::NotConverged, 0, 0);
        let mut found = None;
        while steps < STEPS {
            steps += 1;
            let (weights, working) = working(response, &state, theta);
            let solved = weighted::fit(columns, &weights, &working);
            let mut predictors = response.offset.clone();
            for (column, b) in columns.iter().zip(&solved.coefficients) {
                add_scaled(&mut predictors, *b, column);
            }
            let mut coefficients = solved.coefficients;
            let mut next = State::of(response, predictors.clone(), theta);
            let before: Option<&Vec<f64>> = found.as_ref();
            let mut halvings = 0;
            // The first step leads from means that no coefficients have.
            let rises = |next: &State| {
                is_fit && next.deviance > state.deviance + CONVERGED * (0.1 + state.deviance)
            };
            while next.as_ref().is_none_or(rises) && halvings < HALVINGS {
                halvings += 1;
                let halved = predictors.iter_mut().zip(&state.predictors);
                halved.for_each(|(new, old)| *new = (*new + old) / 2.0);
                if let Some(before) = before {
                    let halved = coefficients.iter_mut().zip(before);
                    halved.for_each(|(new, old)| *new = (*new + old) / 2.0);
                }
                next = State::of(response, predictors.clone(), theta);
            }
            let Some(next) = next.filter(|next| !rises(next)) else {
                break;
            };
            let moved = next
                .predictors
                .iter()
                .zip(&state.predictors)
                .zip(&response.weights);
            let moved = moved.filter(|(_, weight)| **weight > 0.0);
            let moved = moved.map(|((new, old), _)| (new - old).abs() / (1.0 + old.abs()));
            let moved = moved.fold(0.0, f64::max);
            let change = (state.deviance - next.deviance).abs();
            let is_still = is_fit && change <= CONVERGED * (0.1 + next.deviance);
            moving = if is_still && moved > MOVES {
                moving + 1
            } else {
                0
            };
            found = Some(coefficients);
            (state, is_fit) = (next, halvings == 0 || is_fit);
            if is_still && moved <= STILL {
                status = FitStatus::Converged;
                break;
            }
            if moving == MOVING_STEPS {
                status = FitStatus::Separated;
                break;
            }
        }
        let mut coefficients = found.ok_or(no_start(response))?;
        let (weights, working) = working(response, &state, theta);
        let last = weighted::fit(columns, &weights, &working);
        let rank = packed_columns(&last.inverse)
            .filter(|t| t.last().is_some_and(|t| *t > 0.0))
            .count();
        let dispersion = match distribution.has_dispersion() {
            true => pearson(response, &state, theta) / (used(response) - rank as f64),
            false => 1.0,
        };
        let squares = packed_row_squares(&last.inverse, columns.len());
        let intercept = intercept.then(|| coefficients.remove(0));
        Ok(Self {
            support: support.to_vec(),
            intercept,
            coefficients,
            std_errors: squares
                .iter()
                .map(|square| (dispersion * square).sqrt())
                .collect(),
            minus_two_log_likelihood: response.minus_two_log_likelihood(state.deviance, theta),
            deviance: state.deviance,
            means: state.means,
            predictors: state.predictors,
            dispersion,
            theta,
            status,
            steps,
        })
    }

    /// The columns of the model that have a coefficient, ascending by term.
    pub fn support(&self) -> &[u32] {
        &self.support
    }

    /// The intercept; none of a model without.
    pub fn intercept(&self) -> Option<f64> {
        self.intercept
    }

    /// β̂, by column of the support, on the scale of the design's columns.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// Standard errors: of the intercept, if there is one, then by column of the support.
    pub fn std_errors(&self) -> &[f64] {
        &self.std_errors
    }

    /// The fitted means, of the binomial family probabilities.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// The deviance.
    pub fn deviance(&self) -> f64 {
        self.deviance
    }

    /// −2ℓ with all constants, as R's `logLik`; of families with a dispersion at the deviance over the sum of weights.
    pub fn minus_two_log_likelihood(&self) -> f64 {
        self.minus_two_log_likelihood
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

    /// How many weighted least squares were solved; of the negative binomial family with the last θ.
    pub fn steps(&self) -> usize {
        self.steps
    }
}

fn no_start(response: &FamilyResponse) -> FamilyError {
    let family = response.family();
    FamilyError::NoStart {
        distribution: family.distribution(),
        link: family.link(),
    }
}

/// The means that each observation suggests by itself, or else their mean.
fn first(response: &FamilyResponse, theta: f64) -> Option<State> {
    let family = response.family();
    let rows = response.y.iter().zip(&response.trials);
    let means = rows.map(|(y, trials)| family.distribution().first_mean(*y, *trials));
    let means: Vec<f64> = means.collect();
    let own = means.iter().map(|mean| family.link().predictor(*mean));
    let state = State::of(response, own.collect(), theta);
    state.or_else(|| {
        let mean = means.iter().sum::<f64>() / means.len() as f64;
        let predictors = vec![family.link().predictor(mean); means.len()];
        State::of(response, predictors, theta)
    })
}

/// Working weights and the working response, without the offset.
fn working(response: &FamilyResponse, state: &State, theta: f64) -> (Vec<f64>, Vec<f64>) {
    let family = response.family();
    let rows = (0..response.n()).map(|row| {
        let eta = state.predictors[row];
        let (mean, slope) = family.link().mean(eta);
        let variance = family.distribution().variance(mean, theta);
        let weight = response.weights[row] * slope * slope / variance;
        let working = eta - response.offset[row] + (response.y[row] - mean) / slope;
        // A mean at the end of its range says nothing more.
        match weight.is_finite() && working.is_finite() {
            true => (weight, working),
            false => (0.0, 0.0),
        }
    });
    rows.unzip()
}

/// Pearson's χ².
fn pearson(response: &FamilyResponse, state: &State, theta: f64) -> f64 {
    let distribution = response.family().distribution();
    let rows = response.y.iter().zip(&state.means).zip(&response.weights);
    rows.map(|((y, mean), weight)| {
        weight * (y - mean).powi(2) / distribution.variance(*mean, theta)
    })
    .sum()
}

/// Observations of a weight above 0.
fn used(response: &FamilyResponse) -> f64 {
    let used = response.weights.iter().filter(|weight| **weight > 0.0);
    used.count() as f64
}
