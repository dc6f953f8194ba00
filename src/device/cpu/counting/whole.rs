//! All margin sums of one table, where observations miss x or w: what is known of all
//! observations is then of no use, for every margin is of those that are left.

use super::{
    super::super::counting::{Categorical, LogTable, MarginSums},
    cells::{Beside, Table},
};
use crate::{binning::BinnedColumn, score::CountTable};

/// Cells that are walked however few observations there are, and per observation: past these
/// the observations are sorted.
const WALKED: (usize, usize) = (4096, 8);

/// An anchor, with what it is counted by.
#[derive(Debug)]
pub(super) struct Whole {
    anchor: Categorical,
    beside: Beside,
}

impl Whole {
    pub(super) fn new(anchor: &Categorical, response: &Categorical) -> Self {
        Self {
            beside: Beside::new(anchor, response),
            anchor: anchor.clone(),
        }
    }

    /// Σ c·L(c) over every margin of a column's table.
    pub(super) fn sums(
        &self,
        column: &BinnedColumn,
        response: &Categorical,
        table: &mut Table,
        logs: &LogTable,
    ) -> MarginSums {
        let (least, each) = WALKED;
        let few = |cells| cells <= least + each * response.codes.len();
        if self.beside.cells(column).is_ok_and(few) {
            let read = table.read(column, &self.beside, |cells| margins(cells, logs));
            // There is no other fault than too many cells.
            return read.ok().flatten().unwrap_or_default();
        }
        let left_out = column.excluded_code();
        let codes = column.codes.dense().into_iter();
        let others = self.anchor.codes.iter().zip(&response.codes);
        let cells = codes.zip(others).enumerate();
        let cells =
            cells.filter(|(row, (x, _))| left_out != Some(*x) && !self.anchor.is_missing(*row));
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

/// The same of the cells (x, w, y) that observations are in.
fn sorted(mut cells: Vec<[u32; 3]>, logs: &LogTable) -> MarginSums {
    let left = cells.len() as u32;
    let mut sum = |key: fn(&[u32; 3]) -> [u32; 3]| {
        cells.sort_unstable_by_key(key);
        let runs = cells.chunk_by(|a, b| key(a) == key(b));
        runs.map(|run| logs.term(run.len() as u32)).sum()
    };
    MarginSums {
        observations: left,
        x: sum(|it| [it[0], 0, 0]),
        w: sum(|it| [0, it[1], 0]),
        y: sum(|it| [0, 0, it[2]]),
        xw: sum(|it| [it[0], it[1], 0]),
        xy: sum(|it| [it[0], 0, it[2]]),
        wy: sum(|it| [0, it[1], it[2]]),
        xwy: sum(|it| *it),
        n: logs.term(left),
    }
}
