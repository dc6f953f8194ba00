//! Columns with few entries off their most frequent level.
//!
//! Only entries are counted. Every other observation is in the row of that level, whose cells
//! follow from the anchor's margins: with no entry they are the margins, and each entry takes
//! one from its margin's cell.

use super::table::Work;
use crate::binning::Codes;

/// Columns, one after another.
#[derive(Debug)]
pub(super) struct Columns {
    /// Where each one's entries begin, and the end.
    starts: Vec<usize>,
    /// Of each entry the observation, in class order, and the code; those of a column by code.
    entries: Vec<(u32, u16)>,
}

/// The tables of one thread, all zero between two uses.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Of one code.
    xw: Vec<u32>,
    xwy: Vec<u32>,
    /// Of all entries, in each cell of the anchor's margins.
    w: Vec<u32>,
    wy: Vec<u32>,
}

impl Columns {
    pub(super) fn new() -> Self {
        Self {
            starts: vec![0],
            entries: Vec::new(),
        }
    }

    /// Takes one more column; `places` has each observation's place in class order.
    pub(super) fn push(&mut self, codes: &Codes, places: &[u32]) {
        let first = self.entries.len();
        match codes {
            Codes::Sparse { rows, codes, .. } => {
                let entries = rows.iter().zip(codes);
                let entries = entries.map(|(&row, &code)| (places[row as usize], code));
                self.entries.extend(entries);
            }
            dense => {
                let dense = dense.dense();
                let most = most_frequent(&dense);
                let entries = dense.iter().zip(places).filter(|(code, _)| **code != most);
                self.entries
                    .extend(entries.map(|(&code, &place)| (place, code)));
            }
        }
        self.entries[first..].sort_unstable_by_key(|&(row, code)| (code, row));
        self.starts.push(self.entries.len());
    }

    /// Σ c·L(c) over (x, w) and (x, w, y) of one column.
    pub(super) fn sums(&self, column: usize, work: Work, tables: &mut Tables) -> [i64; 2] {
        let entries = &self.entries[self.starts[column]..self.starts[column + 1]];
        let anchor = work.anchor;
        let cells = anchor.cells(work.classes);
        let steps = work.logs.steps();
        let shift = anchor.class_bits(work.classes);
        fit(&mut tables.w, anchor.levels);
        fit(&mut tables.xw, anchor.levels);
        let (mut xw, mut xwy) = (anchor.w, 0);
        if !work.by_class {
            for entries in entries.chunk_by(|a, b| a.1 == b.1) {
                for &(row, _) in entries {
                    let w = (cells[row as usize] >> shift) as usize;
                    xw -= take(&mut tables.w[w], anchor.counts[w], steps);
                }
                if entries.len() > 1 {
                    for &(row, _) in entries {
                        xw += add(
                            &mut tables.xw[(cells[row as usize] >> shift) as usize],
                            steps,
                        );
                    }
                    for &(row, _) in entries {
                        tables.xw[(cells[row as usize] >> shift) as usize] = 0;
                    }
                }
            }
            for &(row, _) in entries {
                tables.w[(cells[row as usize] >> shift) as usize] = 0;
            }
            return [xw, xwy];
        }
        fit(&mut tables.wy, anchor.levels << shift);
        fit(&mut tables.xwy, anchor.levels << shift);
        xwy += anchor.wy;
        for entries in entries.chunk_by(|a, b| a.1 == b.1) {
            for &(row, _) in entries {
                let wy = cells[row as usize] as usize;
                let w = wy >> shift;
                xw -= take(&mut tables.w[w], anchor.counts[w], steps);
                xwy -= take(&mut tables.wy[wy], anchor.by_cell[wy], steps);
            }
            // One observation alone in its cell adds 1·ln 1.
            if entries.len() > 1 {
                for &(row, _) in entries {
                    let wy = cells[row as usize] as usize;
                    xw += add(&mut tables.xw[wy >> shift], steps);
                    xwy += add(&mut tables.xwy[wy], steps);
                }
                for &(row, _) in entries {
                    let wy = cells[row as usize] as usize;
                    tables.xw[wy >> shift] = 0;
                    tables.xwy[wy] = 0;
                }
            }
        }
        for &(row, _) in entries {
            let wy = cells[row as usize] as usize;
            tables.w[wy >> shift] = 0;
            tables.wy[wy] = 0;
        }
        [xw, xwy]
    }
}

/// One more in a cell: what the sum gains.
#[inline(always)]
fn add(cell: &mut u32, steps: &[i64]) -> i64 {
    let step = steps[*cell as usize];
    *cell += 1;
    step
}

/// One more of a margin's observations taken: what the sum over the rest loses.
#[inline(always)]
fn take(taken: &mut u32, of: u32, steps: &[i64]) -> i64 {
    *taken += 1;
    steps[(of - *taken) as usize]
}

/// The lowest of the most frequent codes.
fn most_frequent(codes: &[u16]) -> u16 {
    let levels = codes.iter().copied().max().map_or(0, usize::from) + 1;
    let mut counts = vec![0usize; levels];
    for &code in codes {
        counts[usize::from(code)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    counts.iter().position(|&it| it == most).unwrap_or(0) as u16
}

fn fit(table: &mut Vec<u32>, cells: usize) {
    if table.len() < cells {
        table.resize(cells, 0);
    }
}
