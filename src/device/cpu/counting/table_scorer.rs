//! Scores that are functions of tables, on the CPU: each column's table, and the function of it.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::{
    many_tables, pairs::visit_columns, table_cells::TableCodes, wide::margins, with_scratch,
};
use crate::{
    binning::BinnedColumn,
    device::{
        DeviceError, ScoreFault, UndefinedScore,
        counting::{
            Categorical, ConditioningVariable, LocalColumns, PairSearch, TableScorer, TableValue,
            TopPairs, check_value, to_ordered,
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
        (conditioning, step): (&ConditioningVariable, usize),
        response: &Categorical,
        wanted: &[bool],
    ) -> Result<Vec<TableValue>, DeviceError> {
        let codes = TableCodes::new(conditioning.codes(), response);
        if self.function.0.most_tables() > 1 {
            let is_wanted = |at: usize| wanted[at];
            let columns = self.own.columns;
            return Ok(many_tables::values(
                self.function,
                columns,
                is_wanted,
                (&codes, step),
            ));
        }
        let value = |(column, wanted): (&BinnedColumn, &bool)| match wanted {
            true => with_scratch(|own| {
                own.wide
                    .read(column, &codes, |table| self.value(table, step))
            })?
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
        type Found = (TopPairs, Option<UndefinedScore>);
        // Adds the pairs of w with the columns before it and, for a matrix, with itself.
        let pairs_of = |(pairs, fault): &mut Found, w: usize, mut row: Option<&mut [f64]>| {
            let last = w + usize::from(row.is_some());
            let own = self.own.columns.iter().zip(self.own.first..last);
            if own.len() == 0 {
                return;
            }
            let codes = TableCodes::new(&Categorical::verbatim(&block.columns[w]), response);
            let count = own.len();
            let known = (self.function.0.most_tables() > 1).then(|| {
                let columns = &self.own.columns[..count];
                many_tables::values(self.function, columns, |_| true, (&codes, 1))
            });
            let mut known = known.map(Vec::into_iter);
            for (column, x) in own {
                let (a, b, numbers) = (x as u32, w as u32, (x as u64) << 32 | w as u64);
                if numbers > end.load(Ordering::Relaxed) {
                    break;
                }
                let known = known.as_mut().and_then(Iterator::next);
                let score = |table: &CountTable| {
                    let value = match known {
                        Some(known) => known?.unwrap_or_default(),
                        None => self.value(table, 1)?,
                    };
                    Ok((check_value(value)?, Some(margins(table, synergy.logs()))))
                };
                let scored = with_scratch(|own| own.wide.read(column, &codes, score));
                // A table without observations has the value 0.
                match scored.and_then(|scored| scored.unwrap_or(Ok((0.0, None)))) {
                    Ok((value, sums)) => {
                        if x < w {
                            let synergy = || sums.map_or(0, |sums| synergy.gather_table(0, &sums));
                            pairs.offer(to_ordered(value).into(), a, b, synergy);
                        }
                        if let Some(row) = &mut row {
                            row[x] = value;
                        }
                    }
                    Err(reason) => {
                        end.fetch_min(numbers, Ordering::Relaxed);
                        let own = UndefinedScore {
                            column: a,
                            other: Some(b),
                            reason,
                        };
                        *fault = UndefinedScore::lower(fault.take(), Some(own));
                        break;
                    }
                }
            }
        };
        let (pairs, fault) = visit_columns(
            &mut search,
            block.second_start()..p,
            || (wanted.clone(), None),
            pairs_of,
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
    fn value(&self, table: &CountTable, step: usize) -> Result<f64, ScoreFault> {
        let table = CountTable { step, ..*table };
        catch_panic(|| self.function.0.value(&table)).map_err(ScoreFault::Panicked)
    }
}
