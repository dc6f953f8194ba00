//! Columns with few entries off their most frequent level.
//!
//! With x₀ and w₀ the most frequent levels of a column and of the anchor, only observations
//! off both are counted one by one. All other cells follow: where no observation is off both,
//! (x, w₀, y) is the column's margin, (x₀, w, y) the anchor's, and (x₀, w₀, y) what is left;
//! each that is off both takes one from either margin and gives one to (x₀, w₀, y).

use super::{prepared::Prepared, table::Work};
use crate::{binning::Codes, device::counting::Logs};

/// Columns, one after another.
#[derive(Debug, Default)]
pub(super) struct Columns {
    columns: Vec<Column>,
    /// Of each entry the observation, in class order; a column's by code, then ascending.
    rows: Vec<u32>,
    /// Of each entry the place in `subruns`.
    subrun: Vec<u32>,
    /// Entries of one code and class: how many, and the place in `runs`.
    subruns: Vec<(u32, u32)>,
    /// Entries of one code: how many.
    runs: Vec<u32>,
    /// Of each column the classes its entries have, and how many of each.
    classes: Vec<(u32, u32)>,
}

#[derive(Debug)]
struct Column {
    /// Where its entries end, and its classes.
    entries: usize,
    classes: usize,
    /// Σ c·L(c) over its entries' codes, and over codes and classes.
    x: i64,
    xy: i64,
}

/// The tables of one thread, all zero between two uses.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Places of the entries off both levels.
    off: Vec<u32>,
    /// Of one code.
    xw: Vec<u32>,
    xwy: Vec<u32>,
    /// Of all codes, in each cell of the anchor's margins.
    w: Vec<u32>,
    wy: Vec<u32>,
    /// Of each class.
    y: Vec<u32>,
}

impl Columns {
    /// Takes one more column; `places` has each observation's place in class order, `of` the
    /// class of each place.
    pub(super) fn push(&mut self, codes: &Codes, places: &[u32], of: &[u32], logs: &Logs) {
        let mut entries: Vec<(u16, u32)> = match codes {
            Codes::Sparse { rows, codes, .. } => {
                let entries = codes.iter().zip(rows);
                entries
                    .map(|(&code, &row)| (code, places[row as usize]))
                    .collect()
            }
            dense => {
                let dense = dense.dense();
                let most = most_frequent(&dense);
                let entries = dense.iter().zip(places).filter(|(code, _)| **code != most);
                entries.map(|(&code, &place)| (code, place)).collect()
            }
        };
        entries.sort_unstable();
        let (mut x, mut xy) = (0, 0);
        for run in entries.chunk_by(|a, b| a.0 == b.0) {
            x += logs.of(run.len() as u32);
            for subrun in run.chunk_by(|a, b| of[a.1 as usize] == of[b.1 as usize]) {
                xy += logs.of(subrun.len() as u32);
                let number = self.subruns.len() as u32;
                self.rows.extend(subrun.iter().map(|it| it.1));
                self.subrun.resize(self.rows.len(), number);
                let place = (subrun.len() as u32, self.runs.len() as u32);
                self.subruns.push(place);
            }
            self.runs.push(run.len() as u32);
        }
        let mut classes: Vec<u32> = entries.iter().map(|it| of[it.1 as usize]).collect();
        classes.sort_unstable();
        let classes = classes.chunk_by(|a, b| a == b);
        self.classes
            .extend(classes.map(|it| (it[0], it.len() as u32)));
        self.columns.push(Column {
            entries: self.rows.len(),
            classes: self.classes.len(),
            x,
            xy,
        });
    }

    /// Σ c·L(c) over (x, w) and (x, w, y) of each column.
    pub(super) fn sums(&self, work: Work, tables: &mut Tables, sums: &mut [[i64; 2]]) {
        let mode = Mode::of(work);
        let (mut first, mut first_class) = (0, 0);
        for (column, sums) in self.columns.iter().zip(sums) {
            let off = self.off_both(first..column.entries, mode.off, &mut tables.off);
            let m = (column.entries - first) as u32;
            *sums = mode.sums(self, column, first_class, (m, off), tables);
            (first, first_class) = (column.entries, column.classes);
        }
    }

    /// Notes the entries whose observation is off the anchor's most frequent level, too.
    fn off_both(&self, own: std::ops::Range<usize>, bits: &[u64], off: &mut Vec<u32>) -> usize {
        if off.len() < own.len() {
            off.resize(own.len(), 0);
        }
        let mut count = 0;
        for (place, &row) in (own.start as u32..).zip(&self.rows[own]) {
            // Written always, kept or not: there is no branch to foresee.
            off[count] = place;
            count += (bits[row as usize / 64] >> (row % 64) & 1) as usize;
        }
        count
    }
}

/// The anchor, as seen from its most frequent level.
struct Mode<'a> {
    anchor: &'a Prepared,
    work: Work<'a>,
    /// A bit for each observation off it.
    off: &'a [u64],
    /// The anchor's level and the class of each observation.
    cells: &'a [u32],
    /// Bits of these that are the class.
    shift: u32,
    /// Observations on it, and those of each class.
    own: u32,
    own_by_class: &'a [u32],
}

impl<'a> Mode<'a> {
    fn of(work: Work<'a>) -> Self {
        let anchor = work.anchor;
        let (level, off) = anchor.off_mode();
        let shift = anchor.class_bits(work.classes);
        Self {
            anchor,
            work,
            off,
            cells: anchor.cells(work.classes),
            shift,
            own: anchor.counts[level],
            own_by_class: &anchor.by_cell[level << shift..][..1 << shift],
        }
    }

    /// The sums of a column with m entries, of which those noted are off both levels.
    fn sums(
        &self,
        columns: &Columns,
        column: &Column,
        first_class: usize,
        (m, off): (u32, usize),
        tables: &mut Tables,
    ) -> [i64; 2] {
        let terms = self.work.logs.terms();
        let of = |count: u32| terms[count as usize];
        let both = off as u32;
        let mut xw = column.x + self.anchor.w - of(self.own) + of(self.own - m + both);
        let by_class = self.work.by_class;
        let mut xwy = match by_class {
            true => column.xy + self.anchor.wy,
            false => 0,
        };
        if off > 0 {
            let [w, y] = self.counted(columns, off, tables);
            xw += w;
            xwy += y;
        }
        if by_class {
            for &(class, m) in &columns.classes[first_class..column.classes] {
                let own = self.own_by_class[class as usize];
                let both = tables.y.get_mut(class as usize).map_or(0, std::mem::take);
                xwy += of(own - m + both) - of(own);
            }
        }
        [xw, xwy]
    }

    /// What the observations off both levels add to the sums.
    fn counted(&self, columns: &Columns, off: usize, tables: &mut Tables) -> [i64; 2] {
        let (levels, cells) = (self.anchor.levels, self.anchor.levels << self.shift);
        for (table, len) in [
            (&mut tables.xw, levels),
            (&mut tables.w, levels),
            (&mut tables.xwy, cells),
            (&mut tables.wy, cells),
            (&mut tables.y, 1 << self.shift),
        ] {
            if table.len() < len {
                table.resize(len, 0);
            }
        }
        let Tables {
            off: places,
            xw,
            xwy,
            w: w_taken,
            wy: wy_taken,
            y: y_given,
        } = tables;
        let (xw, xwy) = (&mut xw[..levels], &mut xwy[..cells]);
        let (w_taken, wy_taken) = (&mut w_taken[..levels], &mut wy_taken[..cells]);
        let y_given = &mut y_given[..1 << self.shift];
        let (counts, by_cell) = (&self.anchor.counts[..levels], &self.anchor.by_cell[..cells]);
        let steps = self.work.logs.steps();
        let (shift, class) = (self.shift, (1 << self.shift) - 1);
        let cell = |place: u32| self.cells[columns.rows[place as usize] as usize] as usize;
        let mut sums = [0; 2];
        let mut run = usize::MAX;
        let mut subrun = usize::MAX;
        // What is left of the run and of the subrun outside the anchor's other levels.
        let (mut run_left, mut subrun_left) = (0, 0);
        let mut run_first = 0;
        let places = &places[..off];
        let clear = |places: &[u32], xw: &mut [u32], xwy: &mut [u32]| {
            for &place in places {
                let wy = cell(place);
                xw[wy >> shift] = 0;
                xwy[wy] = 0;
            }
        };
        for (at, &place) in places.iter().enumerate() {
            let own = columns.subrun[place as usize] as usize;
            if own != subrun {
                let (len, of) = columns.subruns[own];
                (subrun, subrun_left) = (own, len);
                if of as usize != run {
                    clear(&places[run_first..at], xw, xwy);
                    (run, run_left, run_first) = (of as usize, columns.runs[of as usize], at);
                }
            }
            let wy = cell(place);
            let w = wy >> shift;
            run_left -= 1;
            sums[0] += add(&mut xw[w], steps)
                - take(&mut w_taken[w], counts[w], steps)
                - steps[run_left as usize];
            subrun_left -= 1;
            sums[1] += add(&mut xwy[wy], steps)
                - take(&mut wy_taken[wy], by_cell[wy], steps)
                - steps[subrun_left as usize];
            y_given[wy & class] += 1;
        }
        clear(&places[run_first..], xw, xwy);
        for &place in places {
            let wy = cell(place);
            w_taken[wy >> shift] = 0;
            wy_taken[wy] = 0;
        }
        if !self.work.by_class {
            sums[1] = 0;
            y_given.fill(0);
        }
        sums
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
