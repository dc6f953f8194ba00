//! Values of a function that takes many tables at a time: tables are kept until there are as many as it takes.

use rayon::prelude::*;

use super::{table_cells::TableCodes, with_scratch};
use crate::{
    binning::BinnedColumn,
    device::{ScoreFault, counting::TableValue},
    panics::catch_panic,
    score::{CountTable, ScoreFunction},
};

/// Most cells of the tables that are kept, but for the last.
const MAX_CELLS: usize = 1 << 22;

/// The values of a step, of the columns that are wanted; none of the others.
pub(super) fn values(
    function: &ScoreFunction,
    columns: &[BinnedColumn],
    wanted: impl Fn(usize) -> bool + Sync,
    (codes, step): (&TableCodes, usize),
) -> Vec<TableValue> {
    let most = function.0.most_tables();
    let parts = columns.par_chunks(most).enumerate().map(|(part, columns)| {
        let mut many = Many::new(function, columns.len());
        for (at, column) in columns.iter().enumerate() {
            if wanted(part * most + at) {
                many.add(at, column, codes, step);
            }
        }
        many.finish()
    });
    parts.flatten_iter().collect()
}

/// A table that waits.
struct Kept {
    place: usize,
    counts: Vec<u32>,
    /// Levels of x, w and y, and the step.
    shape: [usize; 4],
}

struct Many<'a> {
    function: &'a ScoreFunction,
    kept: Vec<Kept>,
    cells: usize,
    values: Vec<TableValue>,
}

impl<'a> Many<'a> {
    fn new(function: &'a ScoreFunction, count: usize) -> Self {
        let (kept, cells) = Default::default();
        let values = (0..count).map(|_| Ok(None)).collect();
        Self {
            function,
            kept,
            cells,
            values,
        }
    }

    fn add(&mut self, place: usize, column: &BinnedColumn, codes: &TableCodes, step: usize) {
        let keep = |table: &CountTable| Kept {
            place,
            counts: table.counts.to_vec(),
            shape: [table.x, table.w, table.y, step],
        };
        match with_scratch(|own| own.wide.read(column, codes, keep)) {
            Ok(Some(kept)) => {
                self.cells += kept.counts.len();
                self.kept.push(kept);
                if self.cells > MAX_CELLS {
                    self.value();
                }
            }
            Ok(None) => {}
            Err(fault) => self.values[place] = Err(fault),
        }
    }

    /// Asks for the values of the tables that wait.
    fn value(&mut self) {
        self.cells = 0;
        let kept = std::mem::take(&mut self.kept);
        if kept.is_empty() {
            return;
        }
        let tables = kept.iter().map(|own| {
            let ([x, w, y, step], counts) = (own.shape, &own.counts[..]);
            CountTable {
                counts,
                x,
                w,
                y,
                step,
            }
        });
        let tables: Vec<CountTable> = tables.collect();
        let values = catch_panic(|| self.function.0.many(&tables));
        for (at, own) in kept.iter().enumerate() {
            self.values[own.place] = match &values {
                // A value that is not there is none.
                Ok(values) => Ok(Some(values.get(at).copied().unwrap_or(f64::NAN))),
                Err(panic) => Err(ScoreFault::Panicked(panic.clone())),
            };
        }
    }

    fn finish(mut self) -> Vec<TableValue> {
        self.value();
        self.values
    }
}
