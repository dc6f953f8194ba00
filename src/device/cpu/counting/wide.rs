//! All margin sums of one table whose columns or conditioning variable miss values: then every
//! margin is over the complete cases alone, and nothing that is known of all observations helps.

use super::{
    super::super::counting::{Categorical, LogTable, MarginSums},
    table_cells::{DenseTable, TableCodes},
};
use crate::{binning::BinnedColumn, score::CountTable};

/// Most cells of a table, a constant and a number per observation; with more, observations are
/// sorted.
const MAX_CELLS: (usize, usize) = (4096, 8);

/// A conditioning variable that counts any column, with or without missing values.
#[derive(Debug)]
pub(super) struct WideVariable {
    variable: Categorical,
    codes: TableCodes,
}

impl WideVariable {
    pub(super) fn new(variable: &Categorical, response: &Categorical) -> Self {
        Self {
            codes: TableCodes::new(variable, response),
            variable: variable.clone(),
        }
    }

    /// Σ c·L(c) over every margin of a column's table.
    pub(super) fn sums(
        &self,
        column: &BinnedColumn,
        response: &Categorical,
        table: &mut DenseTable,
        logs: &LogTable,
    ) -> MarginSums {
        let (least, each) = MAX_CELLS;
        let few = |cells| cells <= least + each * response.codes.len();
        if self.codes.cells(column).is_ok_and(few) {
            let read = table.read(column, &self.codes, |cells| margins(cells, logs));
            // The only fault, too many cells, is excluded.
            return read.ok().flatten().unwrap_or_default();
        }
        let left_out = column.excluded_code();
        let codes = column.codes.dense().into_iter();
        let others = self.variable.codes.iter().zip(&response.codes);
        let cells = codes.zip(others).enumerate();
        let cells =
            cells.filter(|(row, (x, _))| left_out != Some(*x) && !self.variable.is_missing(*row));
        let cells: Vec<[u32; 3]> = cells.map(|(_, (x, (w, y)))| [x.into(), *w, *y]).collect();
        sorted(cells, logs)
    }
}

/// Σ c·L(c) over every margin of a table.
pub(super) fn margins(cells: &CountTable, logs: &LogTable) -> MarginSums {
    let CountTable { counts, w, y, .. } = *cells;
    let mut sums = MarginSums::default();
    let mut all = 0;
    let (mut of_wy, mut of_xy, mut of_y) = (vec![0; w * y], vec![0; y], vec![0; y]);
    for slab in counts.chunks_exact(w * y) {
        of_xy.fill(0);
        for row in slab.chunks_exact(y) {
            for (of_xy, &count) in of_xy.iter_mut().zip(row) {
                *of_xy += count;
            }
            sums.xw += logs.term(row.iter().sum());
            sums.xwy += logs.sum(row);
        }
        for (of_wy, &count) in of_wy.iter_mut().zip(slab) {
            *of_wy += count;
        }
        let of_x = of_xy.iter().sum();
        sums.x += logs.term(of_x);
        sums.xy += logs.sum(&of_xy);
        all += of_x;
    }
    for row in of_wy.chunks_exact(y) {
        sums.w += logs.term(row.iter().sum());
        for (of_y, &count) in of_y.iter_mut().zip(row) {
            *of_y += count;
        }
    }
    sums.n = logs.term(all);
    sums.y = logs.sum(&of_y);
    sums.wy = logs.sum(&of_wy);
    sums.observations = all;
    sums
}

/// Σ c·L(c) over every margin, from the cell (x, w, y) of each observation.
fn sorted(mut cells: Vec<[u32; 3]>, logs: &LogTable) -> MarginSums {
    let left = cells.len() as u32;
    let mut sum = |key: fn(&[u32; 3]) -> [u32; 3]| {
        cells.sort_unstable_by_key(key);
        let runs = cells.chunk_by(|a, b| key(a) == key(b));
        runs.map(|run| logs.term(run.len() as u32)).sum()
    };
    MarginSums {
        observations: left,
        x: sum(|cell| [cell[0], 0, 0]),
        w: sum(|cell| [0, cell[1], 0]),
        y: sum(|cell| [0, 0, cell[2]]),
        xw: sum(|cell| [cell[0], cell[1], 0]),
        xy: sum(|cell| [cell[0], 0, cell[2]]),
        wy: sum(|cell| [0, cell[1], cell[2]]),
        xwy: sum(|cell| *cell),
        n: logs.term(left),
    }
}
