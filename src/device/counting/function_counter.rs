//! Scores that are functions of whole contingency tables, accumulated on the host.
//!
//! Every candidate's table is made for every conditioning variable: which of them the function
//! fails on must not depend on what another thread has found.

use std::{cmp::Reverse, mem, ops::Range};

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

/// The function's value of one table; none where the table has no observation.
pub(crate) type TableValue = Result<Option<f64>, ScoreFault>;

/// Evaluates a function on the tables of a range of columns, on one device or several.
pub(crate) trait TableScorer: Send {
    /// Names of the devices in reports, one for each.
    fn names(&self) -> Vec<String>;

    /// The value of each column's table with the conditioning variable of a step (0 for that of relevance) and the
    /// response, in the order of the columns; where `wanted` is false any value will do.
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

/// A [`Counter`] and [`PairCounter`] of a score that is a function of tables.
pub(crate) struct FunctionCounter<'a, V> {
    scorer: V,
    /// The number of the first column.
    first: usize,
    response: Categorical,
    evaluator: &'a ScoreEvaluator,
    candidates: Vec<CandidateState>,
    steps: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct CandidateState {
    excluded: bool,
    relevance: Option<f64>,
    gathered: Option<f64>,
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
            steps: 0,
        }
    }

    /// Passes the value of every candidate's table with the conditioning variable of a step to `record`; fails
    /// with the fault of the lowest column that has one.
    fn for_each_value(
        &mut self,
        conditioning: (&ConditioningVariable, usize),
        record: impl Fn(&mut CandidateState, f64) -> Result<(), ScoreFault>,
    ) -> Result<(), DeviceError> {
        let wanted: Vec<bool> = self
            .candidates
            .iter()
            .map(|state| !state.excluded)
            .collect();
        let values = self.scorer.values(conditioning, &self.response, &wanted)?;
        let columns = self.candidates.iter_mut().zip(values).enumerate();
        for (at, (candidate, value)) in columns.filter(|(_, (state, _))| !state.excluded) {
            let recorded = table_score(value).and_then(|value| record(candidate, value));
            recorded.map_err(|reason| {
                DeviceError::UndefinedScore(UndefinedScore {
                    column: (self.first + at) as u32,
                    other: None,
                    reason,
                })
            })?;
        }
        Ok(())
    }

    fn compute_relevance(&mut self) -> Result<(), DeviceError> {
        let known = |state: &CandidateState| state.excluded || state.relevance.is_some();
        if self.candidates.iter().all(known) {
            return Ok(());
        }
        let nothing = Categorical::constant(self.response.codes.len());
        self.for_each_value((&nothing.into(), 0), |candidate, value| {
            candidate.relevance = Some(value);
            Ok(())
        })
    }

    /// The candidates that may be chosen, by ascending column.
    fn scored(&self) -> impl Iterator<Item = ScoredColumn> {
        let score = |(at, state): (usize, &CandidateState)| {
            let relevance = state.relevance.filter(|_| !state.excluded)?;
            let score = self
                .evaluator
                .function_score(relevance, state.gathered, self.steps);
            (score > f64::NEG_INFINITY).then(|| ScoredColumn {
                score: to_ordered(score).into(),
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
        let saved = (
            mem::replace(&mut self.response, response),
            mem::replace(&mut self.candidates, fresh),
            mem::take(&mut self.steps),
        );
        let mut permuted = swept.iter().map(|variable| variable.permuted(order));
        let best = permuted.try_for_each(|variable| self.sweep(&variable.into()));
        let best = best.and_then(|()| self.best());
        (self.response, self.candidates, self.steps) = saved;
        best
    }
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
        self.for_each_value((conditioning, steps), |candidate, value| {
            let gathered = evaluator.gather_function(candidate.gathered, value);
            candidate.gathered = Some(gathered);
            // Large values may add up to a sum that is no number.
            let relevance = candidate.relevance.unwrap_or(0.0);
            check_value(evaluator.function_score(relevance, Some(gathered), steps)).map(|_| ())
        })?;
        self.steps = steps;
        Ok(())
    }

    fn reset(&mut self) {
        self.steps = 0;
        for candidate in &mut self.candidates {
            candidate.gathered = None;
        }
    }

    fn best(&mut self) -> Result<Option<ScoredColumn>, DeviceError> {
        self.compute_relevance()?;
        Ok(self.scored().max())
    }

    fn first_at_least(&mut self, least: i128) -> Result<Option<ScoredColumn>, DeviceError> {
        self.compute_relevance()?;
        Ok(self.scored().find(|best| best.score >= least))
    }

    fn scores(&mut self) -> Option<Result<Vec<ScoredColumn>, DeviceError>> {
        let computed = self.compute_relevance();
        Some(computed.map(|()| self.scored().collect()))
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
