//! Scores that are floats, accumulated on the host: functions of whole contingency tables, and declared
//! terms of which a sum is not the score.
//!
//! Every candidate's table is made for every conditioning variable: which of them the function
//! fails on must not depend on what another thread has found.

use std::{cmp::Reverse, mem, ops::Range};

use rayon::prelude::*;

use super::{
    super::{DeviceError, ScoreFault, UndefinedScore},
    categorical::Categorical,
    conditioning::ConditioningVariable,
    counter::{Counter, ScoredColumn},
    evaluator::ScoreEvaluator,
    ordered::to_ordered,
    pair_counter::{PairCounter, PairSearch},
    top_pairs::TopPairs,
};
use crate::{panics::catch_panic, score::Totals};

/// A value of one table; none where the table has no observation.
pub(crate) type TableValue = Result<Option<f64>, ScoreFault>;

/// Evaluates a function, or declared terms, on the tables of a range of columns, on one device or
/// several.
pub(crate) trait TableScorer: Send {
    /// Names of the devices in reports, one for each.
    fn names(&self) -> Vec<String>;

    /// The values of each column's table with the conditioning variable of a step (0 for that of
    /// relevance) and the response, in the order of the columns,
    /// [`ScoreEvaluator::values_per_table`] of each; where `wanted` is false any will do.
    fn values(
        &mut self,
        conditioning: (&ConditioningVariable, usize),
        response: &Categorical,
        wanted: &[bool],
    ) -> Result<Vec<TableValue>, DeviceError>;

    /// Whether permutations run here, one after another, rather than on the host's threads.
    fn permutes(&self) -> bool {
        false
    }

    /// See [`PairCounter::pairs`]; x is the first column of a pair, w the second.
    ///
    /// As provided it sweeps all columns once for each w, so the scorer must have all columns.
    fn pairs(
        &mut self,
        response: &Categorical,
        mut search: PairSearch,
    ) -> Result<TopPairs, DeviceError> {
        let mut matrix = search.matrix.take();
        let (block, mut pairs) = (search.block, search.wanted.clone());
        let p = block.columns.len();
        // Of several faults the one of the lowest pair is reported.
        let mut fault = None;
        for (w, column) in block.columns.iter().enumerate().skip(block.second_start()) {
            if (search.stop)() {
                break;
            }
            let last = block.first_end().min(w + usize::from(matrix.is_some()));
            let candidates: Vec<bool> = (0..p).map(|x| x < last).collect();
            let conditioning =
                ConditioningVariable::new(Some(w as u32), || Categorical::verbatim(column));
            let values = self.values((&conditioning, 1), response, &candidates)?;
            for (x, value) in values.into_iter().enumerate().take(last) {
                let (a, b) = (x as u32, w as u32);
                let value = match table_score(value) {
                    Ok(value) => value,
                    Err(reason) => {
                        let own = UndefinedScore {
                            column: a,
                            other: Some(b),
                            reason,
                        };
                        fault = UndefinedScore::lower(fault, Some(own));
                        continue;
                    }
                };
                if let Some(matrix) = &mut matrix {
                    (matrix[x * p + w], matrix[w * p + x]) = (value, value);
                }
                if x < w {
                    pairs.offer(to_ordered(value).into(), a, b, || 0);
                }
            }
            (search.progress)(1);
        }
        if let Some(fault) = fault {
            return Err(DeviceError::UndefinedScore(fault));
        }
        Ok(pairs.with_synergy(|pair| search.synergy_of(pair, response)))
    }
}

/// A [`Counter`] and [`PairCounter`] of a score that is a float.
pub(crate) struct FunctionCounter<'a, V> {
    scorer: V,
    /// The number of the first column.
    first: usize,
    response: Categorical,
    evaluator: &'a ScoreEvaluator,
    candidates: Vec<CandidateState>,
    /// What each candidate gathered, [`ScoreEvaluator::gathers`] values of each; of no matter before
    /// the first step.
    gathered: Vec<f64>,
    steps: usize,
    /// Of the variables chosen.
    totals: Totals,
    /// Whether the scores are those of all this.
    scored: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct CandidateState {
    excluded: bool,
    relevance: Option<f64>,
    score: f64,
}

impl<'a, V: TableScorer> FunctionCounter<'a, V> {
    /// A counter of the columns with these numbers, which `scorer` has, for this response.
    pub(crate) fn new(
        scorer: V,
        columns: Range<usize>,
        response: &Categorical,
        evaluator: &'a ScoreEvaluator,
    ) -> Self {
        Self {
            scorer,
            first: columns.start,
            response: response.clone(),
            evaluator,
            candidates: vec![CandidateState::default(); columns.len()],
            gathered: vec![0.0; columns.len() * evaluator.gathers()],
            steps: 0,
            totals: Totals::default(),
            scored: false,
        }
    }

    /// Passes the values of every candidate's table with the conditioning variable of a step to
    /// `record`, with what the candidate gathered; fails with the fault of the lowest column that has
    /// one.
    fn for_each_table(
        &mut self,
        conditioning: (&ConditioningVariable, usize),
        record: impl Fn(&mut CandidateState, &mut [f64], &[f64]),
    ) -> Result<(), DeviceError> {
        let wanted: Vec<bool> = self
            .candidates
            .iter()
            .map(|state| !state.excluded)
            .collect();
        let values = self.scorer.values(conditioning, &self.response, &wanted)?;
        let mut values = values.into_iter();
        let mut own = vec![0.0; self.evaluator.values_per_table()];
        let gathered = self.gathered.chunks_mut(self.evaluator.gathers());
        for (at, (candidate, gathered)) in self.candidates.iter_mut().zip(gathered).enumerate() {
            for (own, value) in own.iter_mut().zip(&mut values) {
                if !candidate.excluded {
                    *own =
                        table_score(value).map_err(|reason| undefined(self.first + at, reason))?;
                }
            }
            if !candidate.excluded {
                record(candidate, gathered, &own);
            }
        }
        self.scored = false;
        Ok(())
    }

    fn compute_relevance(&mut self) -> Result<(), DeviceError> {
        let known = |state: &CandidateState| state.excluded || state.relevance.is_some();
        if self.candidates.iter().all(known) {
            return Ok(());
        }
        let nothing = Categorical::constant(self.response.codes.len());
        self.for_each_table((&nothing.into(), 0), |candidate, _, values| {
            candidate.relevance = Some(values[0]);
        })
    }

    /// Makes every candidate's score; fails with the fault of the lowest column that has one.
    fn score(&mut self) -> Result<(), DeviceError> {
        self.compute_relevance()?;
        if mem::replace(&mut self.scored, true) {
            return Ok(());
        }
        let (evaluator, steps, totals) = (self.evaluator, self.steps, &self.totals);
        let score = |(state, gathered): (&mut CandidateState, &[f64])| {
            let relevance = state.relevance.filter(|_| !state.excluded)?;
            let score = || evaluator.float_score(relevance, gathered, steps, totals);
            // Large values may add up to a sum that is no number.
            let checked = match catch_panic(score) {
                Ok(score) => check_value(score),
                Err(panic) => Err(ScoreFault::Panicked(panic)),
            };
            checked.map(|score| state.score = score).err()
        };
        let gathered = self.gathered.par_chunks(evaluator.gathers());
        let scored = self.candidates.par_iter_mut().zip(gathered).map(score);
        let faults: Vec<Option<ScoreFault>> = scored.collect();
        let mut faults = faults.into_iter().enumerate();
        match faults.find_map(|(at, fault)| Some((at, fault?))) {
            Some((at, reason)) => Err(undefined(self.first + at, reason)),
            None => Ok(()),
        }
    }

    /// The candidates that may be chosen, by ascending column.
    fn scored(&self) -> impl Iterator<Item = ScoredColumn> {
        let score = |(at, state): (usize, &CandidateState)| {
            let relevance = state.relevance.filter(|_| !state.excluded)?;
            (state.score > f64::NEG_INFINITY).then(|| ScoredColumn {
                score: to_ordered(state.score).into(),
                column: Reverse((self.first + at) as u32),
                relevance: to_ordered(relevance),
            })
        };
        self.candidates.iter().enumerate().filter_map(score)
    }

    /// The best candidate after one permutation; the state is afterwards what it was before.
    fn best_in_order(
        &mut self,
        order: &[u32],
        swept: &[&Categorical],
    ) -> Result<Option<ScoredColumn>, DeviceError> {
        let fresh = |state: &CandidateState| CandidateState {
            excluded: state.excluded,
            ..CandidateState::default()
        };
        let fresh = self.candidates.iter().map(fresh).collect();
        let response = self.response.permuted(order);
        let gathered = vec![0.0; self.gathered.len()];
        let saved = (
            mem::replace(&mut self.response, response),
            mem::replace(&mut self.candidates, fresh),
            mem::replace(&mut self.gathered, gathered),
            mem::take(&mut self.steps),
        );
        let mut permuted = swept.iter().map(|variable| variable.permuted(order));
        let best = permuted.try_for_each(|variable| self.sweep(&variable.into()));
        let best = best.and_then(|()| self.best());
        (self.response, self.candidates, self.gathered, self.steps) = saved;
        self.scored = false;
        best
    }
}

fn undefined(column: usize, reason: ScoreFault) -> DeviceError {
    DeviceError::UndefinedScore(UndefinedScore {
        column: column as u32,
        other: None,
        reason,
    })
}

/// A table's value as a score; a table without observations has the value 0.
fn table_score(value: TableValue) -> Result<f64, ScoreFault> {
    check_value(value?.unwrap_or(0.0))
}

/// Returns the value if it can be a score: finite or −∞.
///
/// # Errors
/// [`ScoreFault::NotANumber`], [`ScoreFault::Infinite`].
pub(crate) fn check_value(value: f64) -> Result<f64, ScoreFault> {
    match value {
        _ if value.is_nan() => Err(ScoreFault::NotANumber),
        f64::INFINITY => Err(ScoreFault::Infinite),
        _ => Ok(value),
    }
}

impl<V: TableScorer> Counter for FunctionCounter<'_, V> {
    fn sweep(&mut self, conditioning: &ConditioningVariable) -> Result<(), DeviceError> {
        self.compute_relevance()?;
        let (evaluator, steps) = (self.evaluator, self.steps + 1);
        self.for_each_table((conditioning, steps), |_, gathered, values| {
            evaluator.gather_values(gathered, values, steps == 1);
        })?;
        self.steps = steps;
        Ok(())
    }

    fn reset(&mut self) {
        self.steps = 0;
        self.scored = false;
    }

    fn best(&mut self) -> Result<Option<ScoredColumn>, DeviceError> {
        self.score()?;
        Ok(self.scored().max())
    }

    fn first_at_least(&mut self, least: i128) -> Result<Option<ScoredColumn>, DeviceError> {
        self.score()?;
        Ok(self.scored().find(|best| best.score >= least))
    }

    fn scores(&mut self) -> Option<Result<Vec<ScoredColumn>, DeviceError>> {
        let computed = self.score();
        Some(computed.map(|()| self.scored().collect()))
    }

    fn totals_of(&mut self, column: u32) -> Option<Totals> {
        let at = (column as usize).checked_sub(self.first)?;
        let candidate = self.candidates.get(at)?;
        let width = self.evaluator.gathers();
        let gathered = &self.gathered[at * width..][..width];
        Some(Totals {
            count: 1,
            relevance: candidate.relevance?,
            values: self.evaluator.gathered_values(gathered, self.steps),
        })
    }

    fn set_totals(&mut self, totals: &Totals) {
        self.totals = *totals;
        self.scored = false;
    }

    fn exclude(&mut self, column: u32) {
        let at = (column as usize).checked_sub(self.first);
        if let Some(candidate) = at.and_then(|at| self.candidates.get_mut(at)) {
            candidate.excluded = true;
        }
    }

    fn best_permuted(
        &mut self,
        orders: &[Vec<u32>],
        swept: &[&Categorical],
    ) -> Option<Result<Vec<Option<ScoredColumn>>, DeviceError>> {
        let permutes = self.scorer.permutes();
        let best = |order: &Vec<u32>| self.best_in_order(order, swept);
        permutes.then(|| orders.iter().map(best).collect())
    }
}

impl<V: TableScorer> PairCounter for FunctionCounter<'_, V> {
    fn names(&self) -> Vec<String> {
        self.scorer.names()
    }

    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError> {
        self.compute_relevance()?;
        let relevance = |state: &CandidateState| to_ordered(state.relevance.unwrap_or(0.0));
        Ok(self.candidates.iter().map(relevance).collect())
    }

    fn pairs(&mut self, search: PairSearch) -> Result<TopPairs, DeviceError> {
        self.scorer.pairs(&self.response, search)
    }
}
