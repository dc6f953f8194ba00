//! Scores that are functions of tables, on the CPU: each column's table, and the function of it.

use std::sync::{
    Mutex, TryLockError,
    atomic::{AtomicU64, Ordering},
};

use rayon::prelude::*;

use super::{
    pairs::visit_columns,
    table_cells::{DenseTable, TableCodes},
    wide::margins,
};
use crate::{
    binning::BinnedColumn,
    device::{
        DeviceError, ScoreFault, UndefinedScore,
        counting::{
            Categorical, ConditioningVariable, Pair, PairSearch, ScoreEvaluator, TableScorer,
            TableValue, TopPairs, check_value, to_ordered,
        },
    },
    panics::catch_panic,
    score::{CountTable, ScoreFunction},
};

/// A shard of the columns on the CPU.
pub(crate) struct CpuTableScorer<'a> {
    columns: &'a [BinnedColumn],
    /// The number of the first column.
    first: usize,
    function: ScoreFunction,
    /// One for each thread.
    tables: Vec<Mutex<DenseTable>>,
}

impl<'a> CpuTableScorer<'a> {
    /// A scorer of columns that are numbered from `first` on, for use inside a pool of `threads`.
    pub(crate) fn new(
        columns: &'a [BinnedColumn],
        first: usize,
        function: ScoreFunction,
        threads: usize,
    ) -> Self {
        Self {
            columns,
            first,
            function,
            tables: (0..threads.max(1)).map(|_| Mutex::default()).collect(),
        }
    }

    /// Calls `read` with the table of a column; none if the table has no observation.
    fn read<T>(
        &self,
        column: &BinnedColumn,
        codes: &TableCodes,
        read: impl FnOnce(&CountTable) -> T,
    ) -> Result<Option<T>, ScoreFault> {
        let thread = rayon::current_thread_index().unwrap_or(0);
        let table = &self.tables[thread % self.tables.len()];
        match table.try_lock() {
            Ok(mut table) => table.read(column, codes, read),
            Err(TryLockError::Poisoned(table)) => table.into_inner().read(column, codes, read),
            // While a function waits for threads of its own, this thread may count another table.
            Err(TryLockError::WouldBlock) => DenseTable::default().read(column, codes, read),
        }
    }

    /// The function's value of a table.
    fn value(&self, table: &CountTable) -> Result<f64, ScoreFault> {
        catch_panic(|| self.function.0.value(table)).map_err(ScoreFault::Panicked)
    }
}

impl TableScorer for CpuTableScorer<'_> {
    fn names(&self) -> Vec<String> {
        vec!["cpu".to_owned()]
    }

    fn values(
        &mut self,
        conditioning: &ConditioningVariable,
        response: &Categorical,
        wanted: &[bool],
    ) -> Result<Vec<TableValue>, DeviceError> {
        let codes = TableCodes::new(conditioning.codes(), response);
        let value = |(column, wanted): (&BinnedColumn, &bool)| match wanted {
            true => {
                let value = self.read(column, &codes, |table| self.value(table))?;
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
        search: PairSearch,
    ) -> Result<TopPairs, DeviceError> {
        self.best_pairs(response, search)
    }
}

/// A pair (x, w) without a score, as x · 2³² + w.
type PairFault = (u64, ScoreFault);

impl CpuTableScorer<'_> {
    /// The best pairs whose first column x is of this shard; w is the second.
    fn best_pairs(
        &self,
        response: &Categorical,
        search: PairSearch,
    ) -> Result<TopPairs, DeviceError> {
        let PairSearch {
            block,
            synergy,
            wanted,
            mut matrix,
            stop,
            progress,
            ..
        } = search;
        let (columns, p) = (block.columns, block.columns.len());
        // Pairs after one that has no score need none.
        let end = AtomicU64::new(u64::MAX);
        let (pairs, fault) = visit_columns(
            block.second_start()..p,
            (p, matrix.as_deref_mut()),
            || (wanted.clone(), None),
            |(mut pairs, fault), w, row| {
                let mut own = None;
                if !stop() {
                    let found =
                        self.pairs_of((w, response), columns, synergy, &mut pairs, row, &end);
                    own = found.err();
                    progress();
                }
                (pairs, lower(fault, own))
            },
            |a, b| (a.0.merge(b.0), lower(a.1, b.1)),
        );
        if let Some((numbers, reason)) = fault {
            return Err(DeviceError::UndefinedScore(UndefinedScore {
                column: (numbers >> 32) as u32,
                other: Some(numbers as u32),
                reason,
            }));
        }
        // Threads wrote the rows of w.
        if let Some(matrix) = matrix {
            for x in self.first..self.first + self.columns.len() {
                for w in x + 1..p {
                    matrix[x * p + w] = matrix[w * p + x];
                }
            }
        }
        Ok(pairs)
    }

    /// Adds the pairs of w with the columns before it and, for a matrix, with itself.
    fn pairs_of(
        &self,
        (w, response): (usize, &Categorical),
        columns: &[BinnedColumn],
        synergy: &ScoreEvaluator,
        pairs: &mut TopPairs,
        mut row: Option<&mut [f64]>,
        end: &AtomicU64,
    ) -> Result<(), PairFault> {
        let last = w + usize::from(row.is_some());
        let own = self.columns.iter().zip(self.first..last);
        if own.len() == 0 {
            return Ok(());
        }
        let codes = TableCodes::new(&Categorical::verbatim(&columns[w]), response);
        for (column, x) in own {
            let numbers = (x as u64) << 32 | w as u64;
            if numbers > end.load(Ordering::Relaxed) {
                break;
            }
            let scored = self.read(column, &codes, |table| {
                let value = check_value(self.value(table)?)?;
                Ok((value, Some(margins(table, synergy.logs()))))
            });
            // A table without observations has the value 0.
            match scored.and_then(|scored| scored.unwrap_or(Ok((0.0, None)))) {
                Ok((value, sums)) => {
                    let (score, a, b) = (i128::from(to_ordered(value)), x as u32, w as u32);
                    if x < w && pairs.wants(score, a, b) {
                        let synergy = |sums| synergy.gather_table(0, &sums);
                        pairs.push(Pair {
                            score,
                            synergy: sums.map_or(0, synergy),
                            a,
                            b,
                        });
                    }
                    if let Some(row) = &mut row {
                        row[x] = value;
                    }
                }
                Err(reason) => {
                    end.fetch_min(numbers, Ordering::Relaxed);
                    return Err((numbers, reason));
                }
            }
        }
        Ok(())
    }
}

/// The fault of the lower pair.
fn lower(a: Option<PairFault>, b: Option<PairFault>) -> Option<PairFault> {
    a.into_iter().chain(b).min_by_key(|fault| fault.0)
}
