//! Coded scores: values of tables, wherever they come from, gathered to scores.
//!
//! Every candidate is counted against every anchor, for which of them the function fails on
//! must not depend on what another thread has found.

use std::{cmp::Reverse, mem, ops::Range};

use super::{
    super::{DeviceError, ScoreFault, UndefinedScore},
    Categorical, ConditioningVariable, Counter, Pair, PairCounter, PairSearch, ScoreEvaluator,
    ScoredColumn, TopPairs, to_ordered,
};

/// The value of a table; none where no observation is in it.
pub(crate) type TableValue = Result<Option<f64>, ScoreFault>;

/// Where values of tables come from: the function, and a range of the columns.
pub(crate) trait TableScorer: Send {
    /// As [`Counter::names`].
    fn names(&self) -> Vec<String>;

    /// The value of every column's table beside a step and the response; of those that are not
    /// wanted, anything.
    fn values(
        &mut self,
        step: &ConditioningVariable,
        response: &Categorical,
        wanted: &[bool],
    ) -> Result<Vec<TableValue>, DeviceError>;

    /// Whether permutations are for it, one after the other, rather than for the threads of the
    /// host.
    fn permutes(&self) -> bool {
        false
    }

    /// See [`PairCounter::pairs`]; x is the column that comes first, w the other. Where all
    /// columns are its own, every one is an anchor once, unless it has a better way.
    fn pairs(
        &mut self,
        response: &Categorical,
        mut asked: PairSearch,
    ) -> Result<TopPairs, DeviceError> {
        let mut matrix = asked.matrix.take();
        let (block, mut pairs) = (asked.block, asked.wanted.clone());
        let p = block.columns.len();
        // The fault of the lowest numbers is told, wherever it is met.
        let mut fault: Option<(u32, u32, ScoreFault)> = None;
        for (w, column) in block.columns.iter().enumerate().skip(block.second_start()) {
            if (asked.stop)() {
                break;
            }
            let last = block.first_end().min(w + usize::from(matrix.is_some()));
            let candidates: Vec<bool> = (0..p).map(|x| x < last).collect();
            let step = ConditioningVariable::new(Some(w as u32), || Categorical::verbatim(column));
            let values = self.values(&step, response, &candidates)?;
            for (x, value) in values.into_iter().enumerate().take(last) {
                // What has no observation tells nothing.
                let value = match value.and_then(|it| check_value(it.unwrap_or(0.0))) {
                    Ok(value) => value,
                    Err(reason) => {
                        let lower =
                            |it: &(u32, u32, ScoreFault)| (it.0, it.1) <= (x as u32, w as u32);
                        if !fault.as_ref().is_some_and(lower) {
                            fault = Some((x as u32, w as u32, reason));
                        }
                        continue;
                    }
                };
                if let Some(matrix) = &mut matrix {
                    (matrix[x * p + w], matrix[w * p + x]) = (value, value);
                }
                let (score, a, b) = (i128::from(to_ordered(value)), x as u32, w as u32);
                if x < w && pairs.wants(score, a, b) {
                    pairs.push(Pair {
                        score,
                        synergy: 0,
                        a,
                        b,
                    });
                }
            }
            (asked.progress)();
        }
        if let Some((column, other, reason)) = fault {
            return Err(DeviceError::UndefinedScore(UndefinedScore {
                column,
                other: Some(other),
                reason,
            }));
        }
        Ok(pairs.with_synergy(|it| asked.synergy_of(it, response)))
    }
}

/// Columns, and what their values have gathered.
pub(crate) struct CodedCounter<'a, V> {
    source: V,
    /// The number of the first.
    first: usize,
    response: Categorical,
    evaluator: &'a ScoreEvaluator,
    candidates: Vec<Candidate>,
    steps: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Candidate {
    taken: bool,
    relevance: Option<f64>,
    gathered: Option<f64>,
}

impl<'a, V: TableScorer> CodedCounter<'a, V> {
    /// The columns of these numbers, for this response.
    pub(crate) fn new(
        source: V,
        columns: Range<usize>,
        response: &Categorical,
        evaluator: &'a ScoreEvaluator,
    ) -> Self {
        Self {
            source,
            first: columns.start,
            response: response.clone(),
            evaluator,
            candidates: vec![Candidate::default(); columns.len()],
            steps: 0,
        }
    }

    /// The value of every candidate's table beside a step, told to `exclude`; else the fault of the
    /// first column that has one.
    fn each(
        &mut self,
        step: &ConditioningVariable,
        take: impl Fn(&mut Candidate, f64) -> Result<(), ScoreFault>,
    ) -> Result<(), DeviceError> {
        let wanted: Vec<bool> = self.candidates.iter().map(|it| !it.taken).collect();
        let values = self.source.values(step, &self.response, &wanted)?;
        let columns = self.candidates.iter_mut().zip(values).enumerate();
        for (at, (candidate, value)) in columns.filter(|(_, (it, _))| !it.taken) {
            // What has no observation tells nothing.
            let value = value.and_then(|it| check_value(it.unwrap_or(0.0)));
            let taken = value.and_then(|value| take(candidate, value));
            taken.map_err(|reason| {
                DeviceError::UndefinedScore(UndefinedScore {
                    column: (self.first + at) as u32,
                    other: None,
                    reason,
                })
            })?;
        }
        Ok(())
    }

    /// Finds relevance, where it was not asked for before.
    fn begin(&mut self) -> Result<(), DeviceError> {
        let known = |it: &Candidate| it.taken || it.relevance.is_some();
        if self.candidates.iter().all(known) {
            return Ok(());
        }
        let nothing = Categorical::constant(self.response.codes.len());
        self.each(&nothing.into(), |candidate, value| {
            candidate.relevance = Some(value);
            Ok(())
        })
    }

    /// The candidates that may be chosen, in their order.
    fn scored(&self) -> impl Iterator<Item = ScoredColumn> {
        let score = |(at, it): (usize, &Candidate)| {
            let relevance = it.relevance.filter(|_| !it.taken)?;
            let score = self
                .evaluator
                .coded_candidate_score(relevance, it.gathered, self.steps);
            (score > f64::NEG_INFINITY).then(|| ScoredColumn {
                score: to_ordered(score).into(),
                column: Reverse((self.first + at) as u32),
                relevance: to_ordered(relevance),
            })
        };
        self.candidates.iter().enumerate().filter_map(score)
    }

    /// The best candidate after one permutation, all else as it was before.
    fn in_order(
        &mut self,
        order: &[u32],
        swept: &[&Categorical],
    ) -> Result<Option<ScoredColumn>, DeviceError> {
        let anew = |it: &Candidate| Candidate {
            taken: it.taken,
            ..Candidate::default()
        };
        let anew = self.candidates.iter().map(anew).collect();
        let response = self.response.permuted(order);
        let held = (
            mem::replace(&mut self.response, response),
            mem::replace(&mut self.candidates, anew),
            mem::take(&mut self.steps),
        );
        let mut steps = swept.iter().map(|it| it.permuted(order));
        let best = steps.try_for_each(|it| self.sweep(&it.into()));
        let best = best.and_then(|()| self.best());
        (self.response, self.candidates, self.steps) = held;
        best
    }
}

/// A value that is a score.
pub(crate) fn check_value(value: f64) -> Result<f64, ScoreFault> {
    match value {
        _ if value.is_nan() => Err(ScoreFault::NotANumber),
        f64::INFINITY => Err(ScoreFault::Infinite),
        _ => Ok(value),
    }
}

impl<V: TableScorer> Counter for CodedCounter<'_, V> {
    fn names(&self) -> Vec<String> {
        self.source.names()
    }

    fn sweep(&mut self, step: &ConditioningVariable) -> Result<(), DeviceError> {
        self.begin()?;
        let (evaluator, steps) = (self.evaluator, self.steps + 1);
        self.each(step, |candidate, value| {
            let gathered = evaluator.gather_coded(candidate.gathered, value);
            candidate.gathered = Some(gathered);
            // Large values may add up to what is no number.
            let relevance = candidate.relevance.unwrap_or(0.0);
            check_value(evaluator.coded_candidate_score(relevance, Some(gathered), steps))
                .map(|_| ())
        })?;
        self.steps = steps;
        Ok(())
    }

    fn reset(&mut self) {
        self.steps = 0;
        self.candidates.iter_mut().for_each(|it| it.gathered = None);
    }

    fn best(&mut self) -> Result<Option<ScoredColumn>, DeviceError> {
        self.begin()?;
        Ok(self.scored().max())
    }

    fn first_at_least(&mut self, least: i128) -> Result<Option<ScoredColumn>, DeviceError> {
        self.begin()?;
        Ok(self.scored().find(|it| it.score >= least))
    }

    fn exclude(&mut self, column: u32) {
        let at = (column as usize).checked_sub(self.first);
        if let Some(candidate) = at.and_then(|at| self.candidates.get_mut(at)) {
            candidate.taken = true;
        }
    }

    fn best_permuted(
        &mut self,
        orders: &[Vec<u32>],
        swept: &[&Categorical],
    ) -> Option<Result<Vec<Option<ScoredColumn>>, DeviceError>> {
        let own = self.source.permutes();
        own.then(|| orders.iter().map(|it| self.in_order(it, swept)).collect())
    }

    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError> {
        self.begin()?;
        let relevance = |it: &Candidate| to_ordered(it.relevance.unwrap_or(0.0));
        Ok(self.candidates.iter().map(relevance).collect())
    }
}

impl<V: TableScorer> PairCounter for CodedCounter<'_, V> {
    fn names(&self) -> Vec<String> {
        self.source.names()
    }

    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError> {
        Counter::relevance(self)
    }

    fn pairs(&mut self, asked: PairSearch) -> Result<TopPairs, DeviceError> {
        self.source.pairs(&self.response, asked)
    }
}
