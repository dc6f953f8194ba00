//! Estimates by Firth's penalty, which are finite also where the likelihood has no largest value.

use super::{
    Distribution, FamilyError, FamilyFit, FamilyResponse, FitStatus,
    climb::{End, Problem, add_columns},
    state::State,
    weighted::Factor,
};
use crate::vector::{packed_columns, product};

/// Steps of one fit, and halvings of one step, at most.
const STEPS: usize = 1000;
const HALVINGS: usize = 60;

/// The estimates have converged where the next step promises no larger rise: then they are within some 10⁻¹⁰ standard
/// errors of their end.
const CONVERGED: f64 = 1e-20;

/// A rise that does not become smaller any more is rounding from here on.
const ROUNDING: f64 = 1e-10;

/// What the penalised likelihood is at some coefficients.
pub(super) struct Penalised {
    pub(super) coefficients: Vec<f64>,
    /// The deviance less ln |XᵀWX|: up to a constant −2 times the penalised log-likelihood.
    pub(super) objective: f64,
    /// The derivative of the penalised log-likelihood with respect to each linear predictor.
    pub(super) scores: Vec<f64>,
    state: State,
    /// The weights of a step.
    weights: Vec<f64>,
}

impl FamilyFit {
    /// Fits logistic or Poisson regression by the largest ℓ + ½ ln |XᵀWX| in place of the largest ℓ, W the
    /// [`weights`](Self::weights): by Jeffreys' prior, which takes the first order of the bias off the estimates and leaves
    /// them finite where the likelihood separates. All that the fit says is of these estimates, its
    /// likelihood too, which is therefore not the largest.
    ///
    /// *Shapes:* n values each.
    ///
    /// # Errors
    /// Another family or link; no mean that the family can have is a start.
    ///
    /// *Source:* D. Firth, Bias reduction of maximum likelihood estimates, Biometrika 80, 1993; G. Heinze, M. Schemper, A
    /// solution to the problem of separation in logistic regression, Statistics in Medicine 21, 2002.
    pub fn firth(
        columns: &[&[f64]],
        response: &FamilyResponse,
        intercept: bool,
    ) -> Result<Self, FamilyError> {
        response.family().check_firth()?;
        let ones = vec![1.0; if intercept { response.n() } else { 0 }];
        let first = intercept.then_some(&*ones).into_iter();
        let problem = Problem {
            columns: first.chain(columns.iter().copied()).collect(),
            response,
            theta: f64::INFINITY,
        };
        let start = problem.constant();
        let start = start.ok_or_else(|| response.family().no_start())?;
        let end = problem.climb_penalised(start.1, None);
        let (own, status, steps) = end.ok_or_else(|| response.family().no_start())?;
        let end = End {
            state: own.state,
            coefficients: own.coefficients,
            direction: Vec::new(),
            status,
            steps,
        };
        let mut fit = problem.finish(end, intercept);
        fit.is_penalised = true;
        Ok(fit)
    }
}

impl Problem<'_> {
    /// The largest penalised likelihood from some coefficients on, one of which may be held, with the status and the number
    /// of steps; none where the start has a mean that is none of the family.
    pub(super) fn climb_penalised(
        &self,
        start: Vec<f64>,
        held: Option<usize>,
    ) -> Option<(Penalised, FitStatus, usize)> {
        let columns = self.columns.iter().enumerate();
        let free = columns.filter(|(at, _)| Some(*at) != held);
        let (places, free): (Vec<usize>, Vec<&[f64]>) = free.map(|(at, own)| (at, *own)).unzip();
        let rank = Factor::of(&self.columns, &self.response.weights, &mut Vec::new()).rank();
        let mut own = self.penalised(start, rank)?;
        let (mut status, mut steps) = (FitStatus::NotConverged, 0);
        let mut promised_before = f64::INFINITY;
        while steps < STEPS {
            steps += 1;
            let gradient = free.iter().map(|column| product(column, &own.scores));
            let gradient: Vec<f64> = gradient.collect();
            let factor = Factor::of(&free, &own.weights, &mut Vec::new());
            let step = factor.solve(&gradient);
            let promised: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
            let is_rounding = promised <= ROUNDING && promised >= promised_before;
            if promised <= CONVERGED || is_rounding {
                status = FitStatus::Converged;
                break;
            }
            promised_before = promised;
            let least = own.objective + ROUNDING * 1e-2 * (1.0 + own.objective.abs());
            let mut share = 1.0;
            let next = (0..HALVINGS).find_map(|_| {
                let mut coefficients = own.coefficients.clone();
                for (at, step) in places.iter().zip(&step) {
                    coefficients[*at] += share * step;
                }
                share /= 2.0;
                self.penalised(coefficients, rank)
                    .filter(|next| next.objective <= least)
            });
            match next {
                Some(next) => own = next,
                None => break,
            }
        }
        Some((own, status, steps))
    }

    /// The penalised likelihood at some coefficients; none where a mean is none of the family or the information lacks the
    /// rank of the columns, so that its determinant is lost.
    fn penalised(&self, coefficients: Vec<f64>, rank: usize) -> Option<Penalised> {
        let response = self.response;
        let mut predictors = response.offset.clone();
        add_columns(&mut predictors, &self.columns, (&coefficients, 1.0));
        let state = State::of(response, predictors, self.theta)?;
        let (mut scores, mut weights) = state.scores(response, self.theta);
        let factor = Factor::of(&self.columns, &weights, &mut Vec::new());
        if factor.rank() < rank {
            return None;
        }
        let pivots = packed_columns(&factor.inverse).filter_map(|t| t.last());
        let determinant: f64 = pivots.filter(|t| **t > 0.0).map(|t| -2.0 * t.ln()).sum();
        let leverages = self.leverages(&factor, &weights);
        let is_poisson = response.family().distribution() == Distribution::Poisson;
        for (row, h) in leverages.into_iter().enumerate() {
            // ½ h·d ln W/dη is what the penalty adds to a score: as half an event, and half of none, of weight h would.
            let mean = state.means[row];
            scores[row] += match is_poisson {
                true => h / 2.0,
                false => h * (0.5 - mean),
            };
            weights[row] += match is_poisson {
                true => 0.0,
                false => h * mean * (1.0 - mean),
            };
        }
        let objective = state.deviance - determinant;
        objective.is_finite().then_some(Penalised {
            coefficients,
            objective,
            scores,
            state,
            weights,
        })
    }

    /// The diagonal of W^½ X (XᵀWX)⁻¹ Xᵀ W^½.
    fn leverages(&self, factor: &Factor, weights: &[f64]) -> Vec<f64> {
        let mut leverages = vec![0.0; weights.len()];
        let mut turned = vec![0.0; weights.len()];
        for t in packed_columns(&factor.inverse) {
            turned.fill(0.0);
            add_columns(&mut turned, &self.columns, (t, 1.0));
            let rows = leverages.iter_mut().zip(&turned).zip(weights);
            rows.for_each(|((h, q), w)| *h += w * q * q);
        }
        leverages
    }
}
