//! Columns with few entries off their most frequent level.
//!
//! With x₀ and w₀ the most frequent levels of a column and of the conditioning variable, only
//! observations off both are counted one by one. All other cells follow: where no observation is
//! off both, (x, w₀, y) is the column's margin, (x₀, w, y) the variable's, and (x₀, w₀, y) the
//! remainder. Each observation off both takes one from either margin and gives one to (x₀, w₀, y).
//! An entry whose code no other entry of the column has gives its own cell what it takes from the
//! column's margin, so that only the variable's margin changes; such entries come last.

use std::hint::select_unpredictable;

use super::{class_order::Classes, dense::Sweep};
use crate::{binning::Codes, device::counting::LogTable};

/// Most cells of a column's table; with more, cells are sorted.
const MOST_CELLS: usize = 1 << 22;

/// Columns, one after another.
#[derive(Debug, Default)]
pub(super) struct Columns {
    columns: Vec<Column>,
    /// Each column's entries by code, then ascending; those with a code of their own come last.
    entries: Vec<Entry>,
    runs: Vec<Run>,
    /// The classes of each column's entries, and the number of entries of each.
    classes: Vec<(u32, u32)>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    /// The observation, in class order.
    row: u32,
    /// The index in `runs` of its code and class, if others share the code.
    run: u32,
}

/// Entries of one shared code and class.
#[derive(Debug, Clone, Copy)]
struct Run {
    count: u32,
    /// The code's number in its column.
    code: u32,
    /// Number of entries of the code, in all classes.
    of_code: u32,
}

#[derive(Debug, Default)]
struct Column {
    /// Ends of its entries that share a code, of its entries, runs and classes.
    shared: usize,
    entries: usize,
    runs: usize,
    classes: usize,
    /// Number of codes that several entries share.
    codes: usize,
    /// Σ c·L(c) over its entries' codes, and over codes and classes.
    x: i64,
    xy: i64,
}

/// The tables of one thread: between two columns they are zero, or the variable's margins.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Entries off both levels, the number of them before each entry, and the variable's cells of
    /// one column's entries.
    off: Vec<Entry>,
    before: Vec<u32>,
    cells: Vec<u32>,
    /// Counts by code and level, and by code, level and class.
    xw: Vec<u32>,
    xwy: Vec<u32>,
    /// What is left of the variable's margins, and what the most frequent levels gain by class.
    w: Vec<u32>,
    wy: Vec<u32>,
    y: Vec<u32>,
}

impl Columns {
    pub(super) fn push(&mut self, codes: &Codes, classes: &Classes, logs: &LogTable) {
        let (places, of) = (classes.places(), &classes.of);
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
        let mut by_code: Vec<_> = entries.chunk_by(|a, b| a.0 == b.0).collect();
        by_code.sort_by_key(|own| own.len() == 1);
        let (mut x, mut xy, mut codes) = (0, 0, 0);
        let mut shared = self.entries.len();
        for own in by_code {
            let of_code = own.len() as u32;
            x += logs.term(of_code);
            for own in own.chunk_by(|a, b| of[a.1 as usize] == of[b.1 as usize]) {
                let (count, run) = (own.len() as u32, self.runs.len() as u32);
                xy += logs.term(count);
                let own = own.iter().map(|&(_, row)| Entry { row, run });
                self.entries.extend(own);
                if of_code > 1 {
                    self.runs.push(Run {
                        count,
                        code: codes as u32,
                        of_code,
                    });
                }
            }
            if of_code > 1 {
                codes += 1;
                shared = self.entries.len();
            }
        }
        let mut classes: Vec<u32> = entries.iter().map(|&(_, row)| of[row as usize]).collect();
        classes.sort_unstable();
        let classes = classes.chunk_by(|a, b| a == b);
        self.classes
            .extend(classes.map(|class| (class[0], class.len() as u32)));
        self.columns.push(Column {
            shared,
            entries: self.entries.len(),
            runs: self.runs.len(),
            classes: self.classes.len(),
            codes,
            x,
            xy,
        });
    }

    /// Σ c·L(c) over (x, w) and (x, w, y) of each column.
    pub(super) fn sums(&self, sweep: Sweep, tables: &mut Tables, sums: &mut [[i64; 2]]) {
        let mode = Mode::of(sweep);
        tables.w.clone_from(&sweep.anchor.counts);
        tables.wy.clone_from(&sweep.anchor.by_cell);
        let nothing = Column::default();
        mode.off_both(&self.entries, tables);
        let mut before = &nothing;
        for (column, sums) in self.columns.iter().zip(sums) {
            *sums = match sweep.by_class {
                true => mode.sums::<true>(self, before, column, tables),
                false => mode.sums::<false>(self, before, column, tables),
            };
            before = column;
        }
    }
}

/// The conditioning variable relative to its most frequent level.
struct Mode<'a> {
    sweep: Sweep<'a>,
    /// A bit for each observation, set where it is off that level.
    off: &'a [u64],
    /// The cell of each observation's level and class.
    cells: &'a [u32],
    /// Number of low bits of a cell that are the class.
    shift: u32,
    /// Observations of the most frequent level, in all and by class.
    own: u32,
    own_by_class: &'a [u32],
}

impl<'a> Mode<'a> {
    fn of(sweep: Sweep<'a>) -> Self {
        let anchor = sweep.anchor;
        let (level, off) = anchor.off_mode();
        let shift = anchor.class_bits;
        Self {
            sweep,
            off,
            cells: anchor.cells(sweep.classes),
            shift,
            own: anchor.counts[level],
            own_by_class: &anchor.by_cell[level << shift..][..1 << shift],
        }
    }

    /// Collects the entries whose observation is off the variable's most frequent level too.
    fn off_both(&self, entries: &[Entry], tables: &mut Tables) {
        if tables.before.len() <= entries.len() {
            tables.off.resize(entries.len(), Entry::default());
            tables.cells.resize(entries.len(), 0);
            tables.before.resize(entries.len() + 1, 0);
        }
        let (off, before) = (&mut tables.off[..], &mut tables.before[..=entries.len()]);
        let mut count = 0;
        for (&entry, before) in entries.iter().zip(&mut *before) {
            // Always written, kept or not, which saves an unpredictable branch.
            off[count as usize] = entry;
            *before = count;
            count += (self.off[entry.row as usize / 64] >> (entry.row % 64) & 1) as u32;
        }
        before[entries.len()] = count;
    }

    /// The sums of `column`, which follows the column `before`.
    fn sums<const BY_CLASS: bool>(
        &self,
        columns: &Columns,
        before: &Column,
        column: &Column,
        tables: &mut Tables,
    ) -> [i64; 2] {
        let terms = self.sweep.logs.terms();
        let of = |count: u32| terms[count as usize];
        let m = (column.entries - before.entries) as u32;
        let off = [before.entries, column.shared, column.entries];
        let off = off.map(|end| tables.before[end] as usize);
        let both = (off[2] - off[0]) as u32;
        let mut xw = column.x + self.sweep.anchor.w - of(self.own) + of(self.own + both - m);
        let mut xwy = column.xy + self.sweep.anchor.wy;
        if both > 0 {
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

    /// What the observations off both levels add to the sums: each moves from the cells of the two
    /// margins to one of its own. Entries that share a code lie between the first two of `off`.
    fn counted<const BY_CLASS: bool>(
        &self,
        runs: &[Run],
        first_run: u32,
        codes: usize,
        off: [usize; 3],
        tables: &mut Tables,
    ) -> [i64; 2] {
        let levels = self.sweep.anchor.levels.next_power_of_two();
        let few = (codes * levels) << self.shift <= MOST_CELLS;
        tables.fit(if few { codes } else { 0 }, (levels, self.shift));
        let (entries, alone) = tables.off[off[0]..off[2]].split_at(off[1] - off[0]);
        let (cells, alone_cells) = tables.cells[..off[2] - off[0]].split_at_mut(off[1] - off[0]);
        let (steps, of_anchor) = (self.sweep.logs.increments(), self.cells);
        let (shift, bits) = (self.shift, levels.trailing_zeros());
        let (shared, class) = (bits + shift, (1 << shift) - 1);
        // Borrowed one by one, so that their addresses stay in registers.
        let (xw, xwy) = (&mut tables.xw[..], &mut tables.xwy[..]);
        let (w_left, wy_left, y) = (&mut tables.w[..], &mut tables.wy[..], &mut tables.y[..]);
        let mut sums = [0; 2];
        // What the sum gains by one more in a cell, and loses by one less in a margin.
        let add = |cell: &mut u32| {
            let step = steps[*cell as usize];
            *cell += 1;
            step
        };
        let take = |left: &mut u32| {
            *left -= 1;
            steps[*left as usize]
        };
        // Entries of a code and of a run are contiguous; this is what is left of their margins.
        let (mut last, mut last_code) = (u32::MAX, u32::MAX);
        let (mut of_code, mut of_run) = (0, 0);
        for (entry, kept) in entries.iter().zip(&mut *cells) {
            let cell = of_anchor[entry.row as usize] as usize;
            let run = &runs[(entry.run - first_run) as usize];
            let (w, code) = (cell >> shift, run.code as usize);
            *kept = cell as u32;
            of_code = select_unpredictable(run.code == last_code, of_code, run.of_code);
            last_code = run.code;
            sums[0] -= take(&mut w_left[w]) + take(&mut of_code);
            if few {
                sums[0] += add(&mut xw[code << bits | w]);
            }
            if BY_CLASS {
                of_run = select_unpredictable(entry.run == last, of_run, run.count);
                last = entry.run;
                sums[1] -= take(&mut wy_left[cell]) + take(&mut of_run);
                if few {
                    sums[1] += add(&mut xwy[code << shared | cell]);
                }
                y[cell & class] += 1;
            }
        }
        for (entry, kept) in alone.iter().zip(&mut *alone_cells) {
            let cell = of_anchor[entry.row as usize];
            *kept = cell;
            sums[0] -= take(&mut w_left[(cell >> shift) as usize]);
            if BY_CLASS {
                sums[1] -= take(&mut wy_left[cell as usize]);
                y[cell as usize & class] += 1;
            }
        }
        let (counts, by_cell) = (
            &self.sweep.anchor.counts[..],
            &self.sweep.anchor.by_cell[..],
        );
        for &cell in &*alone_cells {
            let (cell, w) = (cell as usize, cell as usize >> shift);
            w_left[w] = counts[w];
            if BY_CLASS {
                wy_left[cell] = by_cell[cell];
            }
        }
        for (entry, &cell) in entries.iter().zip(&*cells) {
            let code = runs[(entry.run - first_run) as usize].code as usize;
            let (cell, w) = (cell as usize, cell as usize >> shift);
            if few {
                xw[code << bits | w] = 0;
            }
            w_left[w] = counts[w];
            if BY_CLASS {
                if few {
                    xwy[code << shared | cell] = 0;
                }
                wy_left[cell] = by_cell[cell];
            }
        }
        if !few {
            let code = |entry: &Entry| u64::from(runs[(entry.run - first_run) as usize].code);
            let keys = entries.iter().zip(&*cells);
            let keys = keys.map(|(entry, &cell)| code(entry) << 32 | u64::from(cell));
            let [xw, xwy] = self.sorted(keys.collect());
            sums[0] += xw;
            if BY_CLASS {
                sums[1] += xwy;
            }
        }
        sums
    }

    /// Σ c·L(c) over the occupied cells of (x, w) and (x, w, y), from the keys of all observations:
    /// the code, then the variable's cell.
    #[cold]
    fn sorted(&self, mut keys: Vec<u64>) -> [i64; 2] {
        keys.sort_unstable();
        let sum = |bits: u32| {
            let cells = keys.chunk_by(|a, b| a >> bits == b >> bits);
            cells
                .map(|cell| self.sweep.logs.term(cell.len() as u32))
                .sum()
        };
        [sum(self.shift), sum(0)]
    }
}

impl Tables {
    /// Makes room for a column of `codes` codes, a variable of `levels` levels and classes of
    /// `shift` bits.
    fn fit(&mut self, codes: usize, (levels, shift): (usize, u32)) {
        for (table, len) in [
            (&mut self.xw, codes * levels),
            (&mut self.xwy, (codes * levels) << shift),
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
    counts.iter().position(|&count| count == most).unwrap_or(0) as u16
}
