//! A unit with the scores of its candidates.

use std::cmp::Reverse;

use super::unit::Unit;
use crate::device::counting::{EXCLUDED_SCORE, MarginSums, ScoreEvaluator, ScoredColumn, Terms};

/// A unit, and the state of its candidates.
#[derive(Debug)]
pub(super) struct ScoredUnit<'a> {
    pub(super) unit: Unit<'a>,
    pub(super) candidates: Vec<CandidateState>,
    /// Number of conditioning variables it was counted with.
    pub(super) steps: usize,
    /// The best of its candidates, after `steps`.
    pub(super) bound: Option<ScoredColumn>,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CandidateState {
    pub(super) excluded: bool,
    /// Σ c·L(c) over x, and over (x, y).
    pub(super) x: i64,
    pub(super) xy: i64,
    pub(super) relevance: i64,
    pub(super) gathered: i128,
}

/// What was counted of a candidate with a conditioning variable.
#[derive(Debug)]
pub(super) enum TableSums {
    /// Σ c·L(c) over (x, w) and (x, w, y).
    Joint([i64; 2]),
    /// All margins, of the observations that miss no value.
    Complete(MarginSums),
}

impl CandidateState {
    /// Adds one step to what was gathered; `terms` are the evaluator's for the conditioning variable.
    #[inline(always)]
    pub(super) fn gather(
        &self,
        gathered: i128,
        sums: &TableSums,
        evaluator: &ScoreEvaluator,
        terms: &Terms,
    ) -> i128 {
        match sums {
            TableSums::Joint([xw, xwy]) => {
                evaluator.gather(gathered, terms, [self.x, self.xy, *xw, *xwy])
            }
            TableSums::Complete(sums) => evaluator.gather_table(gathered, sums),
        }
    }
}

impl<'a> ScoredUnit<'a> {
    pub(super) fn new(unit: Unit<'a>) -> Self {
        Self {
            candidates: vec![CandidateState::default(); unit.columns.len()],
            unit,
            steps: 0,
            bound: None,
        }
    }

    /// The candidates that may be chosen, after `steps`.
    pub(super) fn scored(&self, evaluator: &ScoreEvaluator) -> impl Iterator<Item = ScoredColumn> {
        let steps = self.steps;
        let left = self.candidates.iter().zip(&self.unit.columns);
        let scored = left.filter(|(state, _)| !state.excluded);
        let scored = scored.map(move |(state, column)| ScoredColumn {
            score: evaluator.candidate_score(state.relevance, state.gathered, steps),
            column: Reverse(*column),
            relevance: state.relevance,
        });
        scored.filter(|own| own.score != EXCLUDED_SCORE)
    }

    pub(super) fn update_bound(&mut self, evaluator: &ScoreEvaluator) {
        let mut best = None;
        for (at, state) in self.candidates.iter().enumerate() {
            if state.excluded {
                continue;
            }
            let score = evaluator.candidate_score(state.relevance, state.gathered, self.steps);
            if score == EXCLUDED_SCORE {
                continue;
            }
            // Columns ascend, so of equal scores the lowest column stays.
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, at));
            }
        }
        self.bound = best.map(|(score, at)| ScoredColumn {
            score,
            column: Reverse(self.unit.columns[at]),
            relevance: self.candidates[at].relevance,
        });
    }
}
