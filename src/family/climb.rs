//! The way to the largest likelihood, by Newton's method.

use pulp::Simd;

use super::{FamilyError, FamilyResponse, FitStatus, state::State, weighted::Factor};
use crate::vector::{add_scaled, product, vectorised};

/// The deviance has converged where it changes by less, relative to it: so much does the last step promise.
pub(super) const CONVERGED: f64 = 1e-12;

/// Steps of one fit, halvings of one step, and halvings of all, at most.
pub(super) const STEPS: usize = 200;
pub(super) const HALVINGS: usize = 60;
const ALL_HALVINGS: usize = 300;

/// Where the deviance stands still while linear predictors move by more, relative to them, for so many steps, these have
/// no end.
pub(super) const MOVES: f64 = 1e-3;
pub(super) const MOVING_STEPS: usize = 3;

/// A fit does not begin at a state whose deviance is that of the model it is near to so many times.
const FAR: f64 = 4.0;

/// Where events and others lie apart by more than the first, they are apart; the second is as far as they are then taken.
const LEAST_MARGIN: f64 = 1e-9;
const FAR_OUT: f64 = 36.0;

vectorised! {
    /// Adds to linear predictors those of some columns, with a share of these coefficients.
    pub(super) fn add_columns<'a>(predictors: &'a mut [f64], columns: &'a [&'a [f64]], by: (&'a [f64], f64)) -> () = add_columns_body;
}

#[inline(always)]
fn add_columns_body<S: Simd>(
    _: S,
    predictors: &mut [f64],
    columns: &[&[f64]],
    (coefficients, share): (&[f64], f64),
) {
    for (column, b) in columns.iter().zip(coefficients) {
        add_scaled(predictors, share * b, column);
    }
}

/// By how little a deviance changes where it stands still, beside its own share.
pub(super) fn least_change(response: &FamilyResponse) -> f64 {
    CONVERGED * f64::min(0.1, response.total) + response.rounding
}

/// What a fit has of the data.
pub(super) struct Problem<'a> {
    /// Ones first, where there is an intercept.
    pub(super) columns: Vec<&'a [f64]>,
    pub(super) response: &'a FamilyResponse,
    pub(super) theta: f64,
}

/// Where a fit ends.
pub(super) struct End {
    pub(super) state: State,
    pub(super) coefficients: Vec<f64>,
    pub(super) direction: Vec<f64>,
    pub(super) status: FitStatus,
    pub(super) steps: usize,
}

impl Problem<'_> {
    /// Newton's method, with halved steps where the deviance would rise.
    pub(super) fn climb(&self, start: Option<State>) -> Result<End, FamilyError> {
        let (response, theta) = (self.response, self.theta);
        let family = response.family();
        let no_start = || family.no_start();
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
        let least_change = least_change(response);
        let (mut status, mut steps, mut moving) = (FitStatus::NotConverged, 0, 0);
        let mut direction = Vec::new();
        let mut room = Vec::new();
        let mut all_halvings = 0;
        while steps < STEPS && all_halvings < ALL_HALVINGS {
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
            add_columns(&mut predictors, &self.columns, (&step, 1.0));
            let mut share = 1.0;
            let mut next = State::of(response, predictors, theta);
            let least = state.deviance * (1.0 + CONVERGED) + least_change;
            let rises = |next: &State| next.deviance > least;
            let mut halvings = 0;
            while next.as_ref().is_none_or(rises) && halvings < HALVINGS {
                halvings += 1;
                share /= 2.0;
                let mut predictors = state.predictors.clone();
                add_columns(&mut predictors, &self.columns, (&step, share));
                next = State::of(response, predictors, theta);
            }
            all_halvings += halvings;
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
        add_columns(&mut predictors, &self.columns, (&coefficients, 1.0));
        let state = State::of(response, predictors, theta)?;
        Some((state, coefficients))
    }

    /// The state of the intercept alone, or of none.
    pub(super) fn constant(&self) -> Option<(State, Vec<f64>)> {
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
}
