//! Scores that are functions of tables, on the CPU: each column's table, and the function of it.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::{pairs::visit_columns, table_cells::TableCodes, wide::margins, with_scratch};
use crate::{
    binning::BinnedColumn,
    device::{
        DeviceError, ScoreFault, UndefinedScore,
        counting::{
            Categorical, ConditioningVariable, LocalColumns, Pair, PairSearch, ScoreEvaluator,
            TableScorer, TableValue, TopPairs, check_value, to_ordered,
        },
    },
    panics::catch_panic,
    score::{CountTable, ScoreFunction},
};

/// A shard of the columns on the CPU.
pub(crate) struct CpuTableScorer<'a> {
    own: LocalColumns<'a>,
    function: &'a ScoreFunction,
}

impl<'a> CpuTableScorer<'a> {
    pub(crate) fn new(own: LocalColumns<'a>, function: &'a ScoreFunction) -> Self {
        Self { own, function }
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
            true => with_scratch(|own| own.wide.read(column, &codes, |table| self.value(table)))?
                .transpose(),
            false => Ok(None),
        };
        let values = self.own.columns.par_iter().zip(wanted).map(value);
        Ok(values.collect())
    }

    /// The best pairs whose first column x is of this shard; w is the second.
    fn pairs(
        &mut self,
        response: &Categorical,
        mut search: PairSearch,
    ) -> Result<TopPairs, DeviceError> {
        let PairSearch {
            block,
            synergy,
            wanted,
            ..
        } = search;
        let p = block.columns.len();
        // Pairs after one that has no score need none.
        let end = AtomicU64::new(u64::MAX);
        let (pairs, fault) = visit_columns(
            &mut search,
            block.second_start()..p,
            || (wanted.clone(), None),
            |(pairs, fault), w, row| {
                let own = self.pairs_of((w, response), block.columns, synergy, pairs, row, &end);
                *fault = UndefinedScore::lower(fault.take(), own.err());
            },
            |a, b| (a.0.merge(b.0), UndefinedScore::lower(a.1, b.1)),
        );
        if let Some(fault) = fault {
            return Err(DeviceError::UndefinedScore(fault));
        }
        // Threads wrote the rows of w.
        if let Some(matrix) = search.matrix {
            for x in self.own.numbers() {
                for w in x + 1..p {
                    matrix[x * p + w] = matrix[w * p + x];
                }
            }
        }
        Ok(pairs)
    }
}

impl CpuTableScorer<'_> {
    fn value(&self, table: &CountTable) -> Result<f64, ScoreFault> {
        catch_panic(|| self.function.0.value(table)).map_err(ScoreFault::Panicked)
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
    ) -> Result<(), UndefinedScore> {
        let last = w + usize::from(row.is_some());
        let own = self.own.columns.iter().zip(self.own.first..last);
        if own.len() == 0 {
            return Ok(());
        }
        let codes = TableCodes::new(&Categorical::verbatim(&columns[w]), response);
        for (column, x) in own {
            let numbers = (x as u64) << 32 | w as u64;
            if numbers > end.load(Ordering::Relaxed) {
                break;
            }
            let score = |table: &CountTable| {
                let value = check_value(self.value(table)?)?;
                Ok((value, Some(margins(table, synergy.logs()))))
            };
            let scored = with_scratch(|own| own.wide.read(column, &codes, score));
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
                    return Err(UndefinedScore {
                        column: x as u32,
                        other: Some(w as u32),
                        reason,
                    });
                }
            }
        }
        Ok(())
    }
}
