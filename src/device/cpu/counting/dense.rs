//! Any number of observations: a table of cells a column, one class after another.
//!
//! Cells (x, w) of one class are counted; an observation that finds c others in its cell adds
//! (c + 1)·L(c + 1) − c·L(c) to the sum over (x, w, y). After each class its cells join those
//! of all classes and are cleared: all of them where observations are many, else those that
//! the class's observations touched.

use super::class_order::{Classes, SortedVariable};
use crate::device::counting::LogTable;

/// Most cells per observation for which a pass over all cells costs less than one over the
/// observations.
const MAX_CELLS_EACH: usize = 4;

/// Most cells of a table; with more, [`sorted`] counts.
const MOST_CELLS: usize = 1 << 24;

/// Cells of a table that needs no bounds checks: any 16-bit offset plus any byte.
const SMALL: usize = 1 << 17;

/// Cells that a 16-bit offset reaches.
const REACHED: usize = 1 << 16;

/// The tables of one thread, all zero between two uses.
#[derive(Debug)]
pub(super) struct Tables {
    /// Counts in one class, for each of two columns.
    class: [Vec<u32>; 2],
    total: [Vec<u32>; 2],
}

impl Default for Tables {
    fn default() -> Self {
        let tables = || [(); 2].map(|()| vec![0; SMALL]);
        Self {
            class: tables(),
            total: tables(),
        }
    }
}

/// A candidate's code.
pub(super) trait Code: Copy + Default + Into<u32> {
    #[inline(always)]
    fn index(self) -> usize {
        let code: u32 = self.into();
        code as usize
    }

    /// The codes as bytes, if they are.
    fn bytes(_codes: &[Self]) -> Option<&[u8]> {
        None
    }
}

impl Code for u8 {
    fn bytes(codes: &[Self]) -> Option<&[u8]> {
        Some(codes)
    }
}

impl Code for u16 {}

/// One conditioning variable to count columns with.
#[derive(Clone, Copy)]
pub(super) struct Sweep<'a> {
    pub(super) anchor: &'a SortedVariable,
    pub(super) classes: &'a Classes,
    pub(super) by_class: bool,
    pub(super) logs: &'a LogTable,
}

/// Σ c·L(c) over (x, w) and (x, w, y) of K = 1 or 2 columns of at most `levels` levels.
///
/// *Shapes:* each of `x` has n codes, in class order.
pub(super) fn sums<C: Code, const K: usize>(
    x: [&[C]; K],
    levels: usize,
    sweep: Sweep,
    tables: &mut Tables,
) -> [[i64; 2]; K] {
    let shift = levels.max(1).next_power_of_two().trailing_zeros();
    let cells = sweep.anchor.levels << shift;
    if cells > MOST_CELLS {
        return x.map(|x| sorted(x, sweep));
    }
    let Tables { class, total } = tables;
    for table in class.iter_mut().chain(&mut *total) {
        if table.len() < cells {
            table.resize(cells, 0);
        }
    }
    let (terms, steps) = (sweep.logs.terms(), sweep.logs.increments());
    let offsets = Offsets {
        long: sweep.anchor.offsets(shift),
        short: (cells <= REACHED).then(|| sweep.anchor.short_offsets(shift)),
    };
    let n = x[0].len();
    let mut sums = [[0; 2]; K];
    let walk_all = cells <= MAX_CELLS_EACH * n;
    if !sweep.by_class && walk_all {
        count::<_, K, false>(x, 0..n, &offsets, total, steps);
    } else if !sweep.by_class {
        let found = count::<_, K, true>(x, 0..n, &offsets, total, steps);
        for (x, total) in x.iter().zip(total) {
            for (x, offset) in x.iter().zip(offsets.long) {
                total[*offset as usize + x.index()] = 0;
            }
        }
        return found.map(|xw| [xw, 0]);
    } else {
        for run in sweep.classes.runs() {
            let found = count::<_, K, true>(x, run.clone(), &offsets, class, steps);
            for (sums, found) in sums.iter_mut().zip(found) {
                sums[1] += found;
            }
            let walk = cells <= MAX_CELLS_EACH * run.len();
            for ((x, class), total) in x.iter().zip(&mut *class).zip(&mut *total) {
                if walk {
                    for (total, cell) in total[..cells].iter_mut().zip(&mut class[..cells]) {
                        *total += std::mem::take(cell);
                    }
                } else {
                    let offsets = &offsets.long[run.clone()];
                    for (x, offset) in x[run.clone()].iter().zip(offsets) {
                        let at = *offset as usize + x.index();
                        class[at] = 0;
                        total[at] += 1;
                    }
                }
            }
        }
    }
    for ((x, total), sums) in x.iter().zip(total).zip(&mut sums) {
        sums[0] = match walk_all {
            true => walk(&mut total[..cells], terms),
            false => gather(x, offsets.long, total, terms),
        };
    }
    sums
}

/// Where the cells of each observation's level begin.
struct Offsets<'a> {
    long: &'a [u32],
    /// In 16 bits, if the table is small enough.
    short: Option<&'a [u16]>,
}

/// Offsets, two columns of bytes and their two tables, for a loop without bounds checks.
type Fast<'a, 'x> = (&'a [u16], [&'x [u8]; 2], [&'a mut [u32; SMALL]; 2]);

fn fast<'a, 'x, C: Code, const K: usize>(
    x: &[&'x [C]; K],
    run: std::ops::Range<usize>,
    offsets: &Offsets<'a>,
    tables: &'a mut [Vec<u32>; 2],
) -> Option<Fast<'a, 'x>> {
    let [a, b] = x.get(..2)? else { return None };
    let [first, second] = tables;
    Some((
        &offsets.short?[run.clone()],
        [C::bytes(&a[run.clone()])?, C::bytes(&b[run])?],
        [first.first_chunk_mut()?, second.first_chunk_mut()?],
    ))
}

/// Counts a run of observations; returns what they add to Σ c·L(c) if `SUM`.
fn count<C: Code, const K: usize, const SUM: bool>(
    x: [&[C]; K],
    run: std::ops::Range<usize>,
    offsets: &Offsets,
    tables: &mut [Vec<u32>; 2],
    steps: &[i64],
) -> [i64; K] {
    let mut sums = [0; K];
    if let Some((offsets, [a, b], [first, second])) = fast(&x, run.clone(), offsets, tables) {
        let (mut s, mut t) = (0, 0);
        for ((&a, &b), &offset) in a.iter().zip(b).zip(offsets) {
            s += add::<SUM>(&mut first[usize::from(offset) + usize::from(a)], steps);
            t += add::<SUM>(&mut second[usize::from(offset) + usize::from(b)], steps);
        }
        sums[..2].copy_from_slice(&[s, t]);
        return sums;
    }
    for ((x, table), sum) in x.iter().zip(tables).zip(&mut sums) {
        for (x, offset) in x[run.clone()].iter().zip(&offsets.long[run.clone()]) {
            *sum += add::<SUM>(&mut table[*offset as usize + x.index()], steps);
        }
    }
    sums
}

/// Counts one observation of a cell; returns what it adds to Σ c·L(c) if `SUM`.
#[inline(always)]
fn add<const SUM: bool>(cell: &mut u32, steps: &[i64]) -> i64 {
    let step = if SUM { steps[*cell as usize] } else { 0 };
    *cell += 1;
    step
}

/// Σ c·L(c) over all cells, which are cleared.
fn walk(table: &mut [u32], terms: &[i64]) -> i64 {
    let cells = table.iter_mut().map(std::mem::take);
    cells.map(|cell| terms[cell as usize]).sum()
}

/// Σ c·L(c) over the cells that observations are in, which are cleared.
fn gather<C: Code>(x: &[C], offsets: &[u32], table: &mut [u32], terms: &[i64]) -> i64 {
    let mut sum = 0;
    for (x, offset) in x.iter().zip(offsets) {
        // The cell's other observations find it empty.
        let cell = std::mem::take(&mut table[*offset as usize + x.index()]);
        sum += terms[cell as usize];
    }
    sum
}

/// The sums of one column whose table would be too large: observations are sorted by cell and
/// counted in runs.
fn sorted<C: Code>(x: &[C], sweep: Sweep) -> [i64; 2] {
    type Cell = (u32, u32, u32);
    let cells = x.iter().zip(&sweep.anchor.codes).zip(&sweep.classes.of);
    let mut cells: Vec<Cell> = cells
        .map(|((x, w), y)| (*w, (*x).into(), if sweep.by_class { *y } else { 0 }))
        .collect();
    cells.sort_unstable();
    let of = |cells: &[Cell]| sweep.logs.term(cells.len() as u32);
    let xw = cells.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(of);
    [xw.sum(), cells.chunk_by(|a, b| a == b).map(of).sum()]
}
