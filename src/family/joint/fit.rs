//! The fit of a model by Newton's method.

use std::sync::Arc;

use super::{
    super::{
        FamilyError, FamilyFit, FamilyResponse, FitStatus,
        climb::{CONVERGED, HALVINGS, MOVES, MOVING_STEPS, STEPS, add_columns},
        fit::unit,
        weighted::Factor,
    },
    JointResponse, JointState,
};
use crate::vector::product;

/// A fit does not begin at predictors that are less likely than those of the empty model by more than this share of what
/// that leaves to be explained.
const FAR: f64 = 0.5;

/// What a step promises, relative to −2ℓ, where the likelihood has nearly reached its supremum.
const LITTLE: f64 = 1e-6;

/// Columns with the response that they are to explain.
struct Problem<'a> {
    columns: &'a [&'a [f64]],
    response: &'a JointResponse,
}

impl FamilyFit {
    /// The fit from linear predictors on, offsets included, that are near to it.
    pub(in super::super) fn of_joint(
        columns: &[&[f64]],
        (all, response): (&FamilyResponse, &JointResponse),
        start: Option<&[f64]>,
    ) -> Result<Self, FamilyError> {
        let problem = Problem { columns, response };
        let empty = problem
            .state(&vec![0.0; columns.len()], None)
            .ok_or(FamilyError::BeyondRange)?;
        let begun = start.and_then(|start| problem.project(start, &empty));
        let (mut coefficients, mut state) =
            begun.unwrap_or_else(|| (vec![0.0; columns.len()], empty));
        let rounding = f64::EPSILON * response.n() as f64;
        let (mut status, mut steps, mut moving) = (FitStatus::NotConverged, 0, 0);
        let mut direction = Vec::new();
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
                .state(&coefficients, Some(&state))
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
            let mut share = 1.0;
            let mut next = None;
            for _ in 0..HALVINGS {
                let own = coefficients.iter().zip(&step).map(|(b, s)| b + share * s);
                let at: Vec<f64> = own.collect();
                let is_lower =
                    |own: &JointState| own.minus_two_log_likelihood <= value + least_change;
                if let Some(own) = problem.state(&at, Some(&state)).filter(is_lower) {
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
            let next = Factor::by_curvature(columns, &state.curvature);
            if next.rank() < rank {
                // Second derivatives have vanished along a direction: where it promised next to nothing it has no end.
                if promised <= LITTLE * (1.0 + value.abs()) {
                    status = FitStatus::Separated;
                    direction = unit(step, false);
                }
                break;
            }
            factor = next;
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
        let weights = state.curvature.diagonal();
        let value = state.minus_two_log_likelihood;
        Ok(Self {
            has_intercept: false,
            means: response.means(&state, &all.weights),
            scores: state.scores,
            weights,
            predictors: state.predictors,
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

    fn state(&self, coefficients: &[f64], near: Option<&JointState>) -> Option<JointState> {
        let mut predictors = self.response.offset().to_vec();
        add_columns(&mut predictors, self.columns, (coefficients, 1.0));
        self.response.state(predictors, near)
    }

    /// The model whose linear predictors are nearest to given ones by their second derivatives; none where it is far from
    /// them.
    fn project(&self, near: &[f64], empty: &JointState) -> Option<(Vec<f64>, JointState)> {
        let near = self.response.state(near.to_vec(), Some(empty))?;
        let offset = self.response.offset();
        let explained: Vec<f64> = near
            .predictors
            .iter()
            .zip(offset)
            .map(|(a, b)| a - b)
            .collect();
        let mut target = near.curvature.times(&explained);
        target
            .iter_mut()
            .zip(&near.scores)
            .for_each(|(t, score)| *t += score);
        let factor = Factor::by_curvature(self.columns, &near.curvature);
        let coefficients = factor.solve(&self.products(&target));
        let state = self.state(&coefficients, Some(&near))?;
        let most = empty.minus_two_log_likelihood;
        let most = most + FAR * (most - self.response.least());
        (state.minus_two_log_likelihood <= most).then_some((coefficients, state))
    }
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
