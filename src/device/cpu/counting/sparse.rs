//! Columns with few entries off their most frequent level.
//!
//! Only entries are counted. Every other observation is in the row of that level, whose cells
//! follow from the anchor's margins: with no entry they are the margins, and each entry takes
//! one from its margin's cell.

use super::prepared::Classes;
use super::table::Work;
use crate::binning::Codes;

/// Columns, one after another.
#[derive(Debug)]
pub(super) struct Columns {
    /// Where each one's entries begin, and the end.
    starts: Vec<usize>,
    /// Of each entry the observation, in class order, and the code's number among the
    /// codes of its column's entries.
    entries: Vec<(u32, u16)>,
    /// Different codes of the entries of each.
    levels: Vec<u32>,
}

/// The tables of one thread, all zero between two uses.
#[derive(Debug, Default)]
pub(super) struct Tables {
    xw: Vec<u32>,
    xwy: Vec<u32>,
    /// Entries in each cell of the anchor's margins.
    w: Vec<u32>,
    wy: Vec<u32>,
}

impl Columns {
    pub(super) fn new() -> Self {
        Self {
            starts: vec![0],
            entries: Vec::new(),
            levels: Vec::new(),
        }
    }

    /// A code for each observation, in class order; equal where the column's are.
    pub(super) fn codes(&self, column: usize, n: usize, codes: &mut Vec<u16>) {
        codes.clear();
        codes.resize(n, 0);
        for &(row, code) in &self.entries[self.starts[column]..self.starts[column + 1]] {
            codes[row as usize] = code + 1;
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
        let own = &mut self.entries[first..];
        own.sort_unstable();
        let mut codes: Vec<u16> = own.iter().map(|it| it.1).collect();
        codes.sort_unstable();
        codes.dedup();
        for (_, code) in own {
            *code = codes.binary_search(code).unwrap_or(0) as u16;
        }
        self.levels.push(codes.len() as u32);
        self.starts.push(self.entries.len());
    }

    /// Σ c·L(c) over (x, w) and (x, w, y) of one column.
    pub(super) fn sums(&self, column: usize, work: Work, tables: &mut Tables) -> [i64; 2] {
        let entries = &self.entries[self.starts[column]..self.starts[column + 1]];
        let Work {
            anchor,
            classes,
            by_class,
            logs,
        } = work;
        let levels = self.levels[column] as usize;
        let width = class_width(classes);
        let (cells, margins) = (levels * anchor.levels, anchor.levels);
        fit(&mut tables.xw, cells);
        fit(&mut tables.w, margins);
        let steps = logs.steps();
        let mut xw = anchor.w;
        for &(row, code) in entries {
            let w = anchor.codes[row as usize] as usize;
            let cell = &mut tables.xw[code as usize * margins + w];
            xw += steps[*cell as usize];
            *cell += 1;
            let taken = &mut tables.w[w];
            *taken += 1;
            xw -= steps[(anchor.counts[w] - *taken) as usize];
        }
        for &(row, code) in entries {
            let w = anchor.codes[row as usize] as usize;
            tables.xw[code as usize * margins + w] = 0;
            tables.w[w] = 0;
        }
        if !by_class {
            return [xw, 0];
        }
        let of = classes.of();
        fit(&mut tables.xwy, cells * width);
        fit(&mut tables.wy, margins * width);
        let mut xwy = anchor.wy;
        let count = classes.count();
        for &(row, code) in entries {
            let (w, y) = (
                anchor.codes[row as usize] as usize,
                of[row as usize] as usize,
            );
            let cell = &mut tables.xwy[(code as usize * margins + w) * width + y];
            xwy += steps[*cell as usize];
            *cell += 1;
            let taken = &mut tables.wy[w * width + y];
            *taken += 1;
            xwy -= steps[(anchor.by_class[w * count + y] - *taken) as usize];
        }
        for &(row, code) in entries {
            let (w, y) = (
                anchor.codes[row as usize] as usize,
                of[row as usize] as usize,
            );
            tables.xwy[(code as usize * margins + w) * width + y] = 0;
            tables.wy[w * width + y] = 0;
        }
        [xw, xwy]
    }
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

/// Cells a class's place takes in a row of the tables.
fn class_width(classes: &Classes) -> usize {
    classes.count().next_power_of_two()
}

fn fit(table: &mut Vec<u32>, cells: usize) {
    if table.len() < cells {
        table.resize(cells, 0);
    }
}
