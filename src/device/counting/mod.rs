//! The seam of counting: every column's contingency table with an anchor and the response,
//! reduced to margin sums, these to scores, and these to the best candidate.
//!
//! Counts are integers and sums are fixed-point, so no order of additions shows: any number
//! of threads, devices or machines, any layout of the columns gives the same bits. A coded score
//! is a function of one table at a time, so that it has the same bits as well.

mod anchor;
mod coded;
mod counters;
mod evaluator;
mod ordered;
mod pair_counters;
mod pairs;
mod partners;
mod step;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use anchor::{Categorical, complete_cases, margin_sums, mutual_information};
pub(crate) use coded::{CodedCounter, TableScorer, TableValue, check_value};
pub(crate) use counters::{BestCandidate, CounterGroup, LocalColumns};
pub(crate) use evaluator::{EXCLUDED_SCORE, MarginSums, ScoreEvaluator, ScoredColumn};
pub(crate) use ordered::{from_ordered, to_ordered};
pub(crate) use pair_counters::{
    FoundPair, FoundPartner, PairCounterGroup, PairRequest, PairScores,
};
pub(crate) use pairs::{Pair, PairCounter, PairDomain, PairSearch, TopPairs};
pub(crate) use partners::{Partner, TopPartners};
pub(crate) use step::{ConditioningVariable, RemoteColumn};

use serde::{Deserialize, Serialize};

use super::{DeviceError, ScoreFault};
pub(crate) use crate::logs::LogTable;

/// Most cells of a whole table: 512 MiB a thread.
const CELLS: usize = 1 << 27;

/// Cells of the whole table of so many levels of x, w and y, if it may be made.
pub(crate) fn table_cells(x: usize, w: usize, y: usize) -> Result<usize, ScoreFault> {
    let cells = x as u128 * w as u128 * y as u128;
    match usize::try_from(cells) {
        Ok(few) if few <= CELLS => Ok(few),
        _ => Err(ScoreFault::TooManyCells { cells, most: CELLS }),
    }
}

/// What a device knows of a candidate beside its score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CandidateStatistics {
    /// Σ of n·I(x;w) over the columns w swept; none where several were joined.
    pub(crate) redundancy: Option<i128>,
    /// n·I(x;y).
    pub(crate) mutual_information: i64,
    /// Σ c·L(c) over x.
    pub(crate) log_sum: i64,
    /// Levels of x that occur.
    pub(crate) levels: usize,
}

/// One device, or several that share their work: columns, and what their scores have gathered.
pub(crate) trait Counter: Send {
    /// Its names in reports, one for each place that counts.
    fn names(&self) -> Vec<String>;

    /// Counts every candidate against one step more. It may be put off until
    /// [`Counter::best`] needs it.
    fn sweep(&mut self, step: &ConditioningVariable) -> Result<(), DeviceError>;

    /// Told before [`Counter::best`]: at most so many picks follow, each the best candidate,
    /// taken, and swept against next unless it is the last.
    fn hint_picks(&mut self, picks: usize) {
        let _ = picks;
    }

    /// Forgets all anchors: the score is relevance again.
    fn reset(&mut self);

    /// The best candidate of its columns; none where all are taken.
    fn best(&mut self) -> Result<Option<ScoredColumn>, DeviceError>;

    /// The first of its candidates whose score is at least this one, which may be below the
    /// best of all: asked where scores are floats. Exact scores are equal or they are not.
    fn first_at_least(&mut self, least: i128) -> Result<Option<ScoredColumn>, DeviceError> {
        Ok(self.best()?.filter(|it| it.score >= least))
    }

    /// What it knows of a candidate beside its score, if it has counted that too: asked of the
    /// best, before the next sweep. None where the column is another's.
    fn statistics(&mut self, column: u32) -> Result<Option<CandidateStatistics>, DeviceError> {
        let _ = column;
        Ok(None)
    }

    /// A column, of all devices', that is no candidate any more.
    fn exclude(&mut self, column: u32);

    /// The best candidate after each permutation of the response and of what was swept,
    /// together, as [`Counter::best`] and [`Counter::first_at_least`] would tell it; what was taken stays
    /// taken. None where it has no way of its own.
    fn best_permuted(
        &mut self,
        orders: &[Vec<u32>],
        swept: &[&Categorical],
    ) -> Option<Result<Vec<Option<ScoredColumn>>, DeviceError>> {
        let _ = (orders, swept);
        None
    }

    /// Relevance of its columns, in their order.
    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError>;
}
