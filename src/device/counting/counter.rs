//! The trait of what counts candidates, and what it returns.

use std::{cmp::Reverse, ops::Range};

use serde::{Deserialize, Serialize};

use super::{
    super::DeviceError,
    categorical::Categorical,
    conditioning::{CandidateStatistics, ConditioningVariable},
    pair_counter::PairCounter,
};
use crate::{
    binning::{BinnedColumn, BinnedColumns},
    ranks::Communicator,
    score::Totals,
};

/// A candidate with its fixed-point score; ordered by score, ties by the lowest column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct ScoredColumn {
    /// In the units of [`super::ScoreEvaluator`].
    pub(crate) score: i128,
    pub(crate) column: Reverse<u32>,
    pub(crate) relevance: i64,
}

/// A range of the columns of a selection: those that this process counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalColumns<'a> {
    pub(crate) columns: &'a [BinnedColumn],
    /// The number of the first among all columns.
    pub(crate) first: usize,
}

impl<'a> LocalColumns<'a> {
    /// The columns that this rank counts: those it has read, or its range where every rank has all.
    pub(crate) fn of_rank(columns: &'a BinnedColumns, communicator: Option<&Communicator>) -> Self {
        let all = columns.columns.len();
        let range = match (&columns.local, communicator) {
            (Some(own), _) => own.clone(),
            (None, Some(communicator)) => communicator.local_range(all),
            (None, None) => 0..all,
        };
        Self {
            columns: &columns.columns[range.clone()],
            first: range.start,
        }
    }

    pub(crate) fn numbers(&self) -> Range<usize> {
        self.first..self.first + self.columns.len()
    }

    pub(crate) fn slice(&self, range: Range<usize>) -> Self {
        Self {
            first: self.first + range.start,
            columns: &self.columns[range],
        }
    }
}

impl<'a> From<&'a [BinnedColumn]> for LocalColumns<'a> {
    /// All columns.
    fn from(columns: &'a [BinnedColumn]) -> Self {
        Self { columns, first: 0 }
    }
}

/// Whether any of these columns misses values.
pub(crate) fn any_misses(columns: &[BinnedColumn]) -> bool {
    let mut columns = columns.iter();
    columns.any(|column| column.excluded_code().is_some())
}

/// Counts the contingency tables of a range of columns, on one device or on several that share
/// the work, and accumulates the columns' scores.
pub(crate) trait Counter: PairCounter {
    /// Counts every candidate's table with one more conditioning variable. The work may be
    /// deferred until [`Counter::best`] needs it.
    fn sweep(&mut self, conditioning: &ConditioningVariable) -> Result<(), DeviceError>;

    /// Hint before [`Counter::best`]: at most `picks` greedy picks follow, each the best
    /// candidate, excluded and swept against next unless it is the last. A device may run ahead.
    fn hint_picks(&mut self, picks: usize) {
        let _ = picks;
    }

    /// Forgets all sweeps, so that scores are relevance again. Excluded columns stay excluded.
    fn reset(&mut self);

    /// The best candidate of its columns; none where none may be chosen.
    fn best(&mut self) -> Result<Option<ScoredColumn>, DeviceError>;

    /// The lowest column whose score is at least `least`. Scores that are floats tie within a
    /// tolerance; exact ones tie where they are equal, so that the best is the answer.
    fn first_at_least(&mut self, least: i128) -> Result<Option<ScoredColumn>, DeviceError> {
        Ok(self.best()?.filter(|best| best.score >= least))
    }

    /// Statistics of the best candidate, before the next sweep; none where the column is another
    /// device's or they were not counted.
    fn statistics(&mut self, column: u32) -> Result<Option<CandidateStatistics>, DeviceError> {
        let _ = column;
        Ok(None)
    }

    /// The score of every candidate that may be chosen, by ascending column. None where the device
    /// brings only the best one back.
    fn scores(&mut self) -> Option<Result<Vec<ScoredColumn>, DeviceError>> {
        None
    }

    /// What a candidate has before the next sweep, where its score needs that of the variables chosen;
    /// none where the column is another device's.
    fn totals_of(&mut self, column: u32) -> Option<Totals> {
        let _ = column;
        None
    }

    /// Tells what the variables chosen had, on any device.
    fn set_totals(&mut self, totals: &Totals) {
        let _ = totals;
    }

    /// Removes a column, of this or another device, from the candidates.
    fn exclude(&mut self, column: u32);

    /// The best candidate for each permutation of the response and of the variables swept, as
    /// [`Counter::best`] and [`Counter::first_at_least`] would return it. None where the device
    /// cannot permute; excluded columns stay excluded.
    ///
    /// *Shapes:* each of `orders` is a permutation of 0 … n − 1.
    fn best_permuted(
        &mut self,
        orders: &[Vec<u32>],
        swept: &[&Categorical],
    ) -> Option<Result<Vec<Option<ScoredColumn>>, DeviceError>> {
        let _ = (orders, swept);
        None
    }
}
