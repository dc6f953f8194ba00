//! The fit of a model by the largest partial likelihood, by Newton's method.

use std::sync::Arc;

use super::{
    super::{
        FamilyError, FitStatus,
        climb::{CONVERGED, HALVINGS, MOVES, MOVING_STEPS, STEPS, add_columns},
        weighted::Factor,
    },
    response::SurvivalResponse,
    state::CoxState,
};
use crate::vector::product;

/// A fit does not begin at predictors whose −2ℓ is above that of the empty model by more than this share of it.
const FAR: f64 = 1.0;

/// The fit of a model of survival times by the largest partial likelihood.
///
/// *Shapes:* by row n, in the order of the response's rows; by column k.
#[derive(Debug, Clone)]
pub struct CoxFit {
    coefficients: Vec<f64>,
    factor: Factor,
    state: CoxState,
    direction: Vec<f64>,
    status: FitStatus,
    steps: usize,
}

impl CoxFit {
    /// Fits columns, whose rows are in the order of the response's. `start` are coefficients to begin at. A column that those
    /// before it explain has the coefficient 0.
    ///
    /// *Shapes:* columns n values each; `start` k.
    ///
    /// # Errors
    /// With its offsets the empty model is beyond the range of f64.
    pub fn of(
        columns: &[&[f64]],
        response: &Arc<SurvivalResponse>,
        start: Option<&[f64]>,
    ) -> Result<Self, FamilyError> {
        let state_at = |coefficients: &[f64]| {
            let mut predictors = response.offset.clone();
            add_columns(&mut predictors, columns, (coefficients, 1.0));
            CoxState::of(response, predictors)
        };
        let mut coefficients = vec![0.0; columns.len()];
        let mut state = state_at(&coefficients).ok_or(FamilyError::NoHazard)?;
        if let Some(begun) = start {
            let least = response.least();
            let most = state.minus_two_log_likelihood;
            let most = most + FAR * (most - least);
            let near = state_at(begun).filter(|own| own.minus_two_log_likelihood <= most);
            if let Some(near) = near {
                (coefficients, state) = (begun.to_vec(), near);
            }
        }
        let rounding = f64::EPSILON * response.n() as f64;
        let (mut status, mut steps, mut moving) = (FitStatus::NotConverged, 0, 0);
        let mut direction = Vec::new();
        let mut factor = Factor::by_curvature(columns, &state.curvature);
        while steps < STEPS {
            steps += 1;
            let gradient: Vec<f64> = columns
                .iter()
                .map(|column| product(column, &state.scores))
                .collect();
            let step = factor.solve(&gradient);
            // By so much twice the log-likelihood of the quadratic rises.
            let promised: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
            let value = state.minus_two_log_likelihood;
            let least_change = CONVERGED * (1.0 + value.abs()) + rounding;
            let is_still = promised <= least_change;
            let mut share = 1.0;
            let mut next = None;
            for _ in 0..HALVINGS {
                let moved: Vec<f64> = coefficients
                    .iter()
                    .zip(&step)
                    .map(|(b, s)| b + share * s)
                    .collect();
                let own = state_at(&moved);
                let is_lower =
                    |own: &CoxState| own.minus_two_log_likelihood <= value + least_change;
                if let Some(own) = own.filter(is_lower) {
                    next = Some((moved, own));
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
            let far = moved(&state.predictors, &own.predictors);
            (coefficients, state) = (at, own);
            factor = Factor::by_curvature(columns, &state.curvature);
            if is_still && far <= MOVES {
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
        Ok(Self {
            coefficients,
            factor,
            state,
            direction,
            status,
            steps,
        })
    }

    /// β̂, by column: logarithms of hazard ratios.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// Standard errors, by column.
    pub fn std_errors(&self) -> Vec<f64> {
        let squares = self.factor.squares(self.coefficients.len()).into_iter();
        squares.map(f64::sqrt).collect()
    }

    /// T with the inverse of the observed information T·Tᵀ, upper triangular, packed by columns.
    pub fn inverse(&self) -> &[f64] {
        &self.factor.inverse
    }

    /// −2ℓ, as R's `coxph` has it.
    pub fn minus_two_log_likelihood(&self) -> f64 {
        self.state.minus_two_log_likelihood
    }

    /// The linear predictors, offsets included, by row.
    pub fn predictors(&self) -> &[f64] {
        &self.state.predictors
    }

    /// The derivative of ℓ with respect to each linear predictor: the martingale residuals times their weights, by row.
    pub fn scores(&self) -> &[f64] {
        &self.state.scores
    }

    /// How many coefficients are not explained by others.
    pub fn rank(&self) -> usize {
        self.factor.rank()
    }

    /// Whether the estimates are those of the largest likelihood. Where it rises without end along some direction it is
    /// [`FitStatus::Separated`]: a variable, say, of which those with an event always had the most of all at risk.
    pub fn status(&self) -> FitStatus {
        self.status
    }

    /// Of a separated fit the direction in which coefficients have no end.
    pub fn direction(&self) -> Option<&[f64]> {
        (self.status == FitStatus::Separated).then_some(&*self.direction)
    }

    /// How many steps the fit took.
    pub fn steps(&self) -> usize {
        self.steps
    }
}

/// By how much linear predictors differ at most, about their means: a constant is none of a partial likelihood.
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
