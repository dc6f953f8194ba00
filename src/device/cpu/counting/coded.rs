//! Coded scores on the CPU: of each column the whole table, and the function of it.
//!
//! Every candidate is counted against every anchor, for which of them the function fails on
//! must not depend on what another thread has found.

mod pairs;

use std::{
    cmp::Reverse,
    sync::{Mutex, TryLockError},
};

use rayon::prelude::*;

use super::{
    super::super::{
        DeviceError, NoScore, Unscored,
        counting::{Anchor, Best, Counter, Logs, Pairs, Step, Tally, ordered},
    },
    cells::{Beside, Table},
};
use crate::{
    binning::BinnedColumn,
    quietly::quietly,
    score::{Cells, Coded},
};

/// A shard of the columns on the CPU.
pub(crate) struct CodedCounter<'a> {
    columns: &'a [BinnedColumn],
    /// The number of the first.
    first: usize,
    response: Anchor,
    coded: Coded,
    logs: &'a Logs,
    tally: &'a Tally,
    candidates: Vec<Candidate>,
    steps: usize,
    /// One for each thread.
    tables: Vec<Mutex<Table>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Candidate {
    taken: bool,
    relevance: Option<f64>,
    gathered: Option<f64>,
}

impl<'a> CodedCounter<'a> {
    /// Columns numbered from `first` on, for this response; inside a pool of so many threads.
    pub(crate) fn new(
        columns: &'a [BinnedColumn],
        first: usize,
        response: &Anchor,
        coded: Coded,
        (logs, tally): (&'a Logs, &'a Tally),
        threads: usize,
    ) -> Self {
        Self {
            columns,
            first,
            response: response.clone(),
            coded,
            logs,
            tally,
            candidates: vec![Candidate::default(); columns.len()],
            steps: 0,
            tables: (0..threads.max(1)).map(|_| Mutex::default()).collect(),
        }
    }

    /// Reads the table of a column, unless no observation is in it.
    fn read<T>(
        &self,
        column: &BinnedColumn,
        beside: &Beside,
        read: impl FnOnce(&Cells) -> T,
    ) -> Result<Option<T>, NoScore> {
        let thread = rayon::current_thread_index().unwrap_or(0);
        let table = &self.tables[thread % self.tables.len()];
        match table.try_lock() {
            Ok(mut table) => table.read(column, beside, read),
            Err(TryLockError::Poisoned(it)) => it.into_inner().read(column, beside, read),
            // A function that waits for threads of its own may find itself counting again.
            Err(TryLockError::WouldBlock) => Table::default().read(column, beside, read),
        }
    }

    /// The value of a table.
    fn value(&self, cells: &Cells) -> Result<f64, NoScore> {
        let value = quietly(|| self.coded.0.value(cells));
        checked(value.map_err(NoScore::GaveUp)?)
    }

    /// The value of every candidate's table beside an anchor, told to `take`; else the fault of
    /// the first column that has one.
    fn each(
        &mut self,
        anchor: &Anchor,
        take: impl Fn(&mut Candidate, f64) -> Result<(), NoScore> + Sync,
    ) -> Result<(), DeviceError> {
        let beside = Beside::new(anchor, &self.response);
        let mut candidates = std::mem::take(&mut self.candidates);
        let columns = self.columns.par_iter().zip(&mut candidates).enumerate();
        let faults = columns.filter(|(_, (_, it))| !it.taken);
        let fault = faults
            .filter_map(|(at, (column, candidate))| {
                let value = self.read(column, &beside, |cells| self.value(cells));
                // What has no observation tells nothing.
                let value = value.and_then(|it| it.unwrap_or(Ok(0.0)));
                let taken = value.and_then(|value| take(candidate, value));
                let fault = taken.err()?;
                Some((at, fault))
            })
            .min_by_key(|it| it.0);
        self.candidates = candidates;
        match fault {
            None => Ok(()),
            Some((at, reason)) => Err(DeviceError::Unscored(Unscored {
                column: (self.first + at) as u32,
                beside: None,
                reason,
            })),
        }
    }

    /// Finds relevance, where it was not asked for before.
    fn begin(&mut self) -> Result<(), DeviceError> {
        let known = |it: &Candidate| it.taken || it.relevance.is_some();
        if self.candidates.iter().all(known) {
            return Ok(());
        }
        let nothing = Anchor::nothing(self.response.codes.len());
        self.each(&nothing, |candidate, value| {
            candidate.relevance = Some(value);
            Ok(())
        })
    }

    /// The candidates that may be chosen, in their order.
    fn scored(&self) -> impl Iterator<Item = Best> {
        let score = |(at, it): (usize, &Candidate)| {
            let relevance = it.relevance.filter(|_| !it.taken)?;
            let score = self.tally.total_coded(relevance, it.gathered, self.steps);
            (score > f64::NEG_INFINITY).then(|| Best {
                score: ordered(score).into(),
                column: Reverse((self.first + at) as u32),
                relevance: ordered(relevance),
            })
        };
        self.candidates.iter().enumerate().filter_map(score)
    }
}

/// What is no score.
fn checked(value: f64) -> Result<f64, NoScore> {
    match value {
        _ if value.is_nan() => Err(NoScore::NotANumber),
        f64::INFINITY => Err(NoScore::Infinite),
        _ => Ok(value),
    }
}

impl Counter for CodedCounter<'_> {
    fn names(&self) -> Vec<String> {
        vec!["cpu".to_owned()]
    }

    fn sweep(&mut self, step: &Step) -> Result<(), DeviceError> {
        self.begin()?;
        let (tally, steps) = (self.tally, self.steps + 1);
        self.each(step.anchor(), |candidate, value| {
            let gathered = tally.gather_coded(candidate.gathered, value);
            candidate.gathered = Some(gathered);
            // Large values may add up to what is no number.
            let relevance = candidate.relevance.unwrap_or(0.0);
            checked(tally.total_coded(relevance, Some(gathered), steps)).map(|_| ())
        })?;
        self.steps = steps;
        Ok(())
    }

    fn forget(&mut self) {
        self.steps = 0;
        self.candidates.iter_mut().for_each(|it| it.gathered = None);
    }

    fn best(&mut self) -> Result<Option<Best>, DeviceError> {
        self.begin()?;
        Ok(self.scored().max())
    }

    fn first(&mut self, least: i128) -> Result<Option<Best>, DeviceError> {
        self.begin()?;
        Ok(self.scored().find(|it| it.score >= least))
    }

    fn take(&mut self, column: u32) {
        let at = (column as usize).checked_sub(self.first);
        if let Some(candidate) = at.and_then(|at| self.candidates.get_mut(at)) {
            candidate.taken = true;
        }
    }

    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError> {
        self.begin()?;
        let relevance = |it: &Candidate| ordered(it.relevance.unwrap_or(0.0));
        Ok(self.candidates.iter().map(relevance).collect())
    }

    fn pairs(
        &mut self,
        anchors: &[BinnedColumn],
        synergy: &Tally,
        wanted: &Pairs,
        matrix: Option<&mut [f64]>,
        stop: &(dyn Fn() -> bool + Sync),
        done: &(dyn Fn() + Sync),
    ) -> Result<Pairs, DeviceError> {
        self.best_pairs(anchors, synergy, wanted, matrix, stop, done)
    }
}
