//! The fit of a model by Newton's method.

use std::{borrow::Cow, sync::Arc};

use super::{
    super::{
        FamilyError, FamilyFit, FamilyResponse, FitStatus,
        climb::{CONVERGED, HALVINGS, MOVES, MOVING_STEPS, STEPS, add_columns},
        fit::unit,
        weighted::Factor,
    },
    Curvature, JointResponse, JointState,
};
use crate::vector::product;

/// A fit does not begin at predictors that are less likely than those of the empty model by more than this share of what
/// that leaves to be explained.
const FAR: f64 = 0.5;

/// What a step promises, relative to −2ℓ, where the likelihood has nearly reached its supremum.
const LITTLE: f64 = 1e-6;

/// Linear predictors that move by less, relative to them, change second derivatives by no more: a tenth of what errors of
/// estimates are told to.
const NO_MOVES: f64 = 1e-9;

/// A step that promises less, relative to −2ℓ, is not taken where nothing moves.
const NOTHING: f64 = 1e-20;

/// Columns with the response that they are to explain, by row.
struct Problem<'a> {
    columns: Vec<&'a [f64]>,
    response: &'a JointResponse,
    offset: Vec<f64>,
}

/// Linear predictors less their offsets that a fit is near to, with the likelihood's derivatives there, by row.
struct Near<'a> {
    explained: Vec<f64>,
    scores: Vec<f64>,
    curvature: Cow<'a, Curvature>,
}

impl FamilyFit {
    /// The fit from linear predictors on, offsets included, that are near to it.
    ///
    /// *Shapes:* n values each, in the order of the observations.
    pub(in super::super) fn of_joint(
        columns: &[&[f64]],
        (all, response): (&FamilyResponse, &JointResponse),
        start: Option<&[f64]>,
    ) -> Result<Self, FamilyError> {
        let near = start.and_then(|start| {
            let state = response.state(response.by_row(start), None)?;
            let offset = response.by_row(response.offset());
            Some(Near {
                explained: state
                    .predictors
                    .iter()
                    .zip(&offset)
                    .map(|(a, b)| a - b)
                    .collect(),
                scores: state.scores,
                curvature: Cow::Owned(state.curvature),
            })
        });
        Self::of_joint_from(columns, (all, response), near)
    }

    /// The fit from that of a similar model on.
    ///
    /// *Shapes:* n values each, in the order of the observations.
    pub(in super::super) fn of_joint_near(
        columns: &[&[f64]],
        (all, response): (&FamilyResponse, &JointResponse),
        start: &Self,
    ) -> Result<Self, FamilyError> {
        let own = start.curvature.as_deref();
        let Some(curvature) = own.filter(|own| response.is_of(own)) else {
            return Self::of_joint(columns, (all, response), Some(&start.predictors));
        };
        let explained = start.predictors.iter().zip(response.offset());
        let explained: Vec<f64> = explained.map(|(a, b)| a - b).collect();
        let near = Near {
            explained: response.by_row(&explained),
            scores: response.by_row(&start.scores),
            curvature: Cow::Borrowed(curvature),
        };
        Self::of_joint_from(columns, (all, response), Some(near))
    }

    fn of_joint_from(
        columns: &[&[f64]],
        (all, response): (&FamilyResponse, &JointResponse),
        near: Option<Near>,
    ) -> Result<Self, FamilyError> {
        let sorted = response.columns_by_row(columns);
        let problem = Problem {
            columns: match &sorted {
                Some(sorted) => sorted.chunks(response.n().max(1)).collect(),
                None => columns.to_vec(),
            },
            response,
            offset: response.by_row(response.offset()),
        };
        let columns = &problem.columns;
        let begun = near.and_then(|near| problem.project(&near));
        let (mut coefficients, mut state) = match begun {
            Some(begun) => begun,
            None => {
                let none = vec![0.0; columns.len()];
                let empty = problem.state(&none, None).ok_or(FamilyError::BeyondRange)?;
                (none, empty)
            }
        };
        let has_levels = !matches!(response, JointResponse::Survival(_));
        let rounding = f64::EPSILON * response.n() as f64;
        let (mut status, mut steps, mut moving) = (FitStatus::NotConverged, 0, 0);
        let mut direction = Vec::new();
        let mut endless: Option<Vec<f64>> = None;
        let mut factor = Factor::by_curvature(columns, &state.curvature);
        // A column that those before it explain has no coefficient.
        let has_pivot: Vec<bool> = factor.pivots().collect();
        let rank = factor.rank();
        let explained = has_pivot.iter().zip(&mut coefficients);
        let mut is_changed = false;
        for (_, b) in explained.filter(|(has_pivot, b)| !**has_pivot && **b != 0.0) {
            (*b, is_changed) = (0.0, true);
        }
        if is_changed {
            state = problem
                .state(&coefficients, Some(&state.curvature))
                .ok_or(FamilyError::BeyondRange)?;
        }
        while steps < STEPS {
            steps += 1;
            let gradient = problem.products(&state.scores);
            let step = factor.solve(&gradient);
            // By so much twice the log-likelihood of the quadratic rises.
            let promised: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
            let value = state.minus_two_log_likelihood;
            let least_change = CONVERGED * (1.0 + value.abs()) + rounding;
            let is_still = promised <= least_change;
            if promised <= NOTHING * (1.0 + value.abs()) {
                let mut after = state.predictors.clone();
                add_columns(&mut after, columns, (&step, 1.0));
                if moved(&state.predictors, &after) <= NO_MOVES {
                    status = match &endless {
                        Some(lost) => {
                            direction = along(&step, lost, &factor);
                            FitStatus::Separated
                        }
                        None => FitStatus::Converged,
                    };
                    break;
                }
            }
            let mut share = 1.0;
            let mut next = None;
            for _ in 0..HALVINGS {
                if share * promised <= f64::EPSILON * value.abs() && share < 1.0 {
                    // What so short a step promises no value tells.
                    break;
                }
                let own = coefficients.iter().zip(&step).map(|(b, s)| b + share * s);
                let at: Vec<f64> = own.collect();
                let is_lower =
                    |own: &JointState| own.minus_two_log_likelihood <= value + least_change;
                if let Some(own) = problem.state(&at, Some(&state.curvature)).filter(is_lower) {
                    next = Some((at, own));
                    break;
                }
                share /= 2.0;
            }
            let Some((at, own)) = next else {
                if is_still {
                    status = FitStatus::Converged;
                }
                break;
            };
            let moved = moved(&state.predictors, &own.predictors);
            (coefficients, state) = (at, own);
            if state.minus_two_log_likelihood <= response.separated_below() {
                // What tells all levels apart does so at any scale: the supremum is known.
                state.minus_two_log_likelihood = 0.0;
                status = FitStatus::Separated;
                direction = unit(coefficients.clone(), false);
                break;
            }
            if is_still && moved <= NO_MOVES && endless.is_none() {
                // The second derivatives are those of before, to as many digits.
                status = FitStatus::Converged;
                break;
            }
            let next = Factor::by_curvature(columns, &state.curvature);
            if next.rank() < rank {
                // Second derivatives have vanished along a direction. That of levels is without end, and the others go on;
                // of survival times where it promised next to nothing.
                if !has_levels {
                    if promised <= LITTLE * (1.0 + value.abs()) {
                        status = FitStatus::Separated;
                        direction = unit(step, false);
                    }
                    break;
                }
                endless.get_or_insert_with(|| step.clone());
            }
            factor = next;
            if let Some(lost) = endless.as_ref().filter(|_| is_still) {
                status = FitStatus::Separated;
                direction = along(&step, lost, &factor);
                break;
            }
            if is_still && moved <= MOVES {
                status = FitStatus::Converged;
                break;
            }
            moving = if is_still { moving + 1 } else { 0 };
            if moving == MOVING_STEPS {
                status = FitStatus::Separated;
                direction = unit(step, false);
                break;
            }
        }
        let [scores, predictors] =
            [&state.scores, &state.predictors].map(|own| response.by_observation(own));
        let value = state.minus_two_log_likelihood;
        Ok(Self {
            has_intercept: false,
            means: response.means(&state, &all.weights),
            scores,
            weights: state.curvature.diagonal(),
            predictors,
            deviance: (value - response.least()).max(0.0),
            minus_two_log_likelihood: value,
            pearson: f64::NAN,
            dispersion: 1.0,
            direction,
            theta: f64::INFINITY,
            is_penalised: false,
            status,
            steps,
            curvature: Some(Arc::new(state.curvature)),
            coefficients,
            factor,
        })
    }
}

impl Problem<'_> {
    fn products(&self, v: &[f64]) -> Vec<f64> {
        self.columns
            .iter()
            .map(|column| product(column, v))
            .collect()
    }

    fn state(&self, coefficients: &[f64], near: Option<&Curvature>) -> Option<JointState> {
        let mut predictors = self.offset.clone();
        add_columns(&mut predictors, &self.columns, (coefficients, 1.0));
        self.response.state(predictors, near)
    }

    /// The model whose linear predictors are nearest to given ones by their second derivatives; none where it is far from
    /// them.
    fn project(&self, near: &Near) -> Option<(Vec<f64>, JointState)> {
        let mut target = near.curvature.times_rows(&near.explained);
        target
            .iter_mut()
            .zip(&near.scores)
            .for_each(|(t, score)| *t += score);
        let factor = Factor::by_curvature(&self.columns, &near.curvature);
        let coefficients = factor.solve(&self.products(&target));
        let state = self.state(&coefficients, Some(&near.curvature))?;
        let most = self.response.empty_value()?;
        let most = most + FAR * (most - self.response.least());
        (state.minus_two_log_likelihood <= most).then_some((coefficients, state))
    }
}

/// The direction in which coefficients have no end: a step, and of those without a pivot what they moved by when they lost it.
fn along(step: &[f64], lost: &[f64], factor: &Factor) -> Vec<f64> {
    let moves = step.iter().zip(lost).zip(factor.pivots());
    let moves = moves.map(|((own, lost), has_pivot)| if has_pivot { *own } else { *lost });
    unit(moves.collect(), false)
}

/// By how much linear predictors differ at most, about their mean: a constant changes none of these likelihoods.
fn moved(before: &[f64], after: &[f64]) -> f64 {
    let n = before.len() as f64;
    let shift = after
        .iter()
        .zip(before)
        .map(|(new, old)| new - old)
        .sum::<f64>()
        / n;
    let moves = after.iter().zip(before);
    let moves = moves.map(|(new, old)| (new - old - shift).abs() / (1.0 + old.abs()));
    moves.fold(0.0, f64::max)
}
