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
    /// Of a column by code, then ascending.
    entries: Vec<Entry>,
    runs: Vec<Run>,
    /// Of each column the classes its entries have, and how many of each.
    classes: Vec<(u32, u32)>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The observation, in class order.
    row: u32,
    /// The place of its code and class in `runs`.
    run: u32,
}

/// Entries of one code and class.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// How many.
    count: u32,
    /// The code's number in its column.
    code: u32,
    /// Entries of the code, of any class.
    of_code: u32,
}

#[derive(Debug)]
struct Column {
    /// Where its entries, runs and classes end.
    entries: usize,
    runs: usize,
    classes: usize,
    /// Codes of its entries.
    codes: usize,
    /// Σ c·L(c) over its entries' codes, and over codes and classes.
    x: i64,
    xy: i64,
}

/// The tables of one thread, all zero between two uses.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Entries off both levels, and the anchor's cells there.
    off: Vec<Entry>,
    cells: Vec<u32>,
    /// By code and the anchor's level, and class.
    xw: Vec<u32>,
    xwy: Vec<u32>,
    /// Taken from the anchor's margins, the column's, and given to the most frequent levels.
    w: Vec<u32>,
    wy: Vec<u32>,
    x: Vec<u32>,
    xy: Vec<u32>,
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
        let (mut x, mut xy, mut codes) = (0, 0, 0);
        for own in entries.chunk_by(|a, b| a.0 == b.0) {
            let of_code = own.len() as u32;
            x += logs.of(of_code);
            for own in own.chunk_by(|a, b| of[a.1 as usize] == of[b.1 as usize]) {
                let (count, run) = (own.len() as u32, self.runs.len() as u32);
                xy += logs.of(count);
                let own = own.iter().map(|&(_, row)| Entry { row, run });
                self.entries.extend(own);
                self.runs.push(Run {
                    count,
                    code: codes as u32,
                    of_code,
                });
            }
            codes += 1;
        }
        let mut classes: Vec<u32> = entries.iter().map(|it| of[it.1 as usize]).collect();
        classes.sort_unstable();
        let classes = classes.chunk_by(|a, b| a == b);
        self.classes
            .extend(classes.map(|it| (it[0], it.len() as u32)));
        self.columns.push(Column {
            entries: self.entries.len(),
            runs: self.runs.len(),
            classes: self.classes.len(),
            codes,
            x,
            xy,
        });
    }

    /// Σ c·L(c) over (x, w) and (x, w, y) of each column.
    pub(super) fn sums(&self, work: Work, tables: &mut Tables, sums: &mut [[i64; 2]]) {
        let mode = Mode::of(work);
        let nothing = Column {
            entries: 0,
            runs: 0,
            classes: 0,
            codes: 0,
            x: 0,
            xy: 0,
        };
        let mut before = &nothing;
        for (column, sums) in self.columns.iter().zip(sums) {
            let entries = &self.entries[before.entries..column.entries];
            let off = mode.off_both(entries, &mut tables.off);
            *sums = match work.by_class {
                true => mode.sums::<true>(self, before, column, off, tables),
                false => mode.sums::<false>(self, before, column, off, tables),
            };
            before = column;
        }
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

    /// Notes the entries whose observation is off the anchor's most frequent level, too.
    fn off_both(&self, entries: &[Entry], off: &mut Vec<Entry>) -> usize {
        if off.len() < entries.len() {
            off.resize(entries.len(), Entry { row: 0, run: 0 });
        }
        let mut count = 0;
        for &entry in entries {
            // Written always, kept or not: there is no branch to foresee.
            off[count] = entry;
            count += (self.off[entry.row as usize / 64] >> (entry.row % 64) & 1) as usize;
        }
        count
    }

    /// The sums of the column behind `before`, of whose entries those noted are off both
    /// levels.
    fn sums<const BY_CLASS: bool>(
        &self,
        columns: &Columns,
        before: &Column,
        column: &Column,
        off: usize,
        tables: &mut Tables,
    ) -> [i64; 2] {
        let terms = self.work.logs.terms();
        let of = |count: u32| terms[count as usize];
        let (m, both) = ((column.entries - before.entries) as u32, off as u32);
        let mut xw = column.x + self.anchor.w - of(self.own) + of(self.own + both - m);
        let mut xwy = column.xy + self.anchor.wy;
        if off > 0 {
            let runs = &columns.runs[before.runs..column.runs];
            let first = before.runs as u32;
            let [w, wy] = self.counted::<BY_CLASS>(runs, first, column.codes, off, tables);
            xw += w;
            xwy += wy;
        }
        if !BY_CLASS {
            return [xw, 0];
        }
        for &(class, m) in &columns.classes[before.classes..column.classes] {
            let own = self.own_by_class[class as usize];
            let both = tables.y.get_mut(class as usize).map_or(0, std::mem::take);
            xwy += of(own + both - m) - of(own);
        }
        [xw, xwy]
    }

    /// What the observations off both levels add to the sums: each leaves the cells of the
    /// two margins for one of its own.
    fn counted<const BY_CLASS: bool>(
        &self,
        runs: &[Run],
        first_run: u32,
        codes: usize,
        off: usize,
        tables: &mut Tables,
    ) -> [i64; 2] {
        let levels = self.anchor.levels.next_power_of_two();
        tables.fit((codes, runs.len()), (levels, self.shift), off);
        let entries = &tables.off[..off];
        let cells = &mut tables.cells[..off];
        let steps = self.work.logs.steps();
        let (shift, bits) = (self.shift, levels.trailing_zeros());
        let class = (1 << shift) - 1;
        let (counts, by_cell) = (&self.anchor.counts[..], &self.anchor.by_cell[..]);
        let mut sums = [0; 2];
        // One more in a cell: what the sum gains. One less of a margin: what it loses.
        let add = |cell: &mut u32| {
            *cell += 1;
            steps[*cell as usize - 1]
        };
        let take = |taken: &mut u32, of: u32| {
            *taken += 1;
            steps[(of - *taken) as usize]
        };
        for (entry, kept) in entries.iter().zip(&mut *cells) {
            let cell = self.cells[entry.row as usize] as usize;
            let run = runs[(entry.run - first_run) as usize];
            let (w, code) = (cell >> shift, run.code as usize);
            *kept = cell as u32;
            sums[0] += add(&mut tables.xw[code << bits | w])
                - take(&mut tables.w[w], counts[w])
                - take(&mut tables.x[code], run.of_code);
            if BY_CLASS {
                sums[1] += add(&mut tables.xwy[code << (bits + shift) | cell])
                    - take(&mut tables.wy[cell], by_cell[cell])
                    - take(&mut tables.xy[(entry.run - first_run) as usize], run.count);
                tables.y[cell & class] += 1;
            }
        }
        for (entry, &cell) in entries.iter().zip(&*cells) {
            let run = (entry.run - first_run) as usize;
            let (cell, code) = (cell as usize, runs[run].code as usize);
            tables.xw[code << bits | cell >> shift] = 0;
            tables.w[cell >> shift] = 0;
            tables.x[code] = 0;
            if BY_CLASS {
                tables.xwy[code << (bits + shift) | cell] = 0;
                tables.wy[cell] = 0;
                tables.xy[run] = 0;
            }
        }
        sums
    }
}

impl Tables {
    /// Room for a column of so many codes and runs, an anchor of so many levels and classes of
    /// so many bits, and so many entries.
    fn fit(&mut self, (codes, runs): (usize, usize), (levels, shift): (usize, u32), off: usize) {
        for (table, len) in [
            (&mut self.cells, off),
            (&mut self.xw, codes * levels),
            (&mut self.xwy, (codes * levels) << shift),
            (&mut self.w, levels),
            (&mut self.wy, levels << shift),
            (&mut self.x, codes),
            (&mut self.xy, runs),
            (&mut self.y, 1 << shift),
        ] {
            if table.len() < len {
                table.resize(len, 0);
            }
        }
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
