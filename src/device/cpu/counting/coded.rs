//! Values of a coded score on the CPU: of each column the whole table, and the function of it.

mod pairs;

use std::sync::{Mutex, TryLockError};

use rayon::prelude::*;

use super::{
    super::super::{
        DeviceError, ScoreFault,
        counting::{
            Categorical, ConditioningVariable, LogTable, PairSearch, TableScorer, TableValue,
            TopPairs,
        },
    },
    cells::{Beside, Table},
};
use crate::{
    binning::BinnedColumn,
    panics::catch_panic,
    score::{CountTable, ScoreFunction},
};

/// A shard of the columns on the CPU.
pub(crate) struct CpuTableScorer<'a> {
    columns: &'a [BinnedColumn],
    /// The number of the first.
    first: usize,
    coded: ScoreFunction,
    logs: &'a LogTable,
    /// One for each thread.
    tables: Vec<Mutex<Table>>,
}

impl<'a> CpuTableScorer<'a> {
    /// Columns numbered from `first` on; inside a pool of so many threads.
    pub(crate) fn new(
        columns: &'a [BinnedColumn],
        first: usize,
        coded: ScoreFunction,
        logs: &'a LogTable,
        threads: usize,
    ) -> Self {
        Self {
            columns,
            first,
            coded,
            logs,
            tables: (0..threads.max(1)).map(|_| Mutex::default()).collect(),
        }
    }

    /// Reads the table of a column, unless no observation is in it.
    fn read<T>(
        &self,
        column: &BinnedColumn,
        beside: &Beside,
        read: impl FnOnce(&CountTable) -> T,
    ) -> Result<Option<T>, ScoreFault> {
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
    fn value(&self, cells: &CountTable) -> Result<f64, ScoreFault> {
        catch_panic(|| self.coded.0.value(cells)).map_err(ScoreFault::Panicked)
    }
}

impl TableScorer for CpuTableScorer<'_> {
    fn names(&self) -> Vec<String> {
        vec!["cpu".to_owned()]
    }

    fn values(
        &mut self,
        step: &ConditioningVariable,
        response: &Categorical,
        wanted: &[bool],
    ) -> Result<Vec<TableValue>, DeviceError> {
        let beside = Beside::new(step.codes(), response);
        let value = |(column, wanted): (&BinnedColumn, &bool)| match wanted {
            true => {
                let value = self.read(column, &beside, |cells| self.value(cells))?;
                value.transpose()
            }
            false => Ok(None),
        };
        let values = self.columns.par_iter().zip(wanted).map(value);
        Ok(values.collect())
    }

    fn pairs(
        &mut self,
        response: &Categorical,
        asked: PairSearch,
    ) -> Result<TopPairs, DeviceError> {
        self.best_pairs(response, asked)
    }
}
