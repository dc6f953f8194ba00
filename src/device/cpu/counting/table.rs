//! Any number of observations: a table of cells a column, one class after another.
//!
//! Cells (x, w) of one class are counted; an observation that finds c others in its cell adds
//! (c + 1)·L(c + 1) − c·L(c) to the sum over (x, w, y). After each class its cells join those
//! of all classes and are cleared: all of them where observations are many, else those that
//! the class's observations touched.

use std::ops::Range;

use super::prepared::{Classes, Prepared};
use crate::device::counting::Logs;

/// Cells per observation up to which walking all of them costs less than walking the
/// observations again.
const WALKED: usize = 4;

/// Cells past which a table is not built; see [`sorted`].
const MOST_CELLS: usize = 1 << 24;

/// The tables of one thread, all zero between two uses.
#[derive(Debug, Default)]
pub(super) struct Tables {
    narrow: [Vec<u16>; 2],
    wide: [Vec<u32>; 2],
    total: [Vec<u32>; 2],
}

/// A count of one class.
trait Cell: Copy + Default {
    fn count(self) -> u32;
    fn add_one(&mut self);
}

macro_rules! cell {
    ($type:ty) => {
        impl Cell for $type {
            #[inline(always)]
            fn count(self) -> u32 {
                u32::from(self)
            }
            #[inline(always)]
            fn add_one(&mut self) {
                *self += 1;
            }
        }
    };
}
cell!(u16);
cell!(u32);

/// A code of a candidate.
pub(super) trait Code: Copy + Default + Into<u32> {
    /// The code as a place.
    #[inline(always)]
    fn place(self) -> usize {
        let code: u32 = self.into();
        code as usize
    }
}
impl Code for u8 {}
impl Code for u16 {}

/// What to count, and with what.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) anchor: &'a Prepared,
    pub(super) classes: &'a Classes,
    pub(super) by_class: bool,
    pub(super) logs: &'a Logs,
}

/// Σ c·L(c) over (x, w) and (x, w, y) of one column or two of so many levels, in class order.
pub(super) fn sums<C: Code, const K: usize>(
    x: [&[C]; K],
    levels: usize,
    work: Work,
    tables: &mut Tables,
) -> [[i64; 2]; K] {
    let shift = levels.max(1).next_power_of_two().trailing_zeros();
    let cells = work.anchor.levels << shift;
    if cells > MOST_CELLS {
        return x.map(|x| sorted(x, work));
    }
    let Tables {
        narrow,
        wide,
        total,
    } = tables;
    let offsets = work.anchor.offsets(shift);
    let room = |tables: &mut [Vec<u32>]| {
        for table in tables.iter_mut().filter(|it| it.len() < cells) {
            table.resize(cells, 0);
        }
    };
    room(total);
    if !work.by_class {
        return whole(x, offsets, cells, total, work.logs);
    }
    if x[0].len() <= usize::from(u16::MAX) {
        for table in narrow.iter_mut().filter(|it| it.len() < cells) {
            table.resize(cells, 0);
        }
        classwise(x, offsets, cells, narrow, total, work)
    } else {
        room(wide);
        classwise(x, offsets, cells, wide, total, work)
    }
}

/// Over (x, w) alone.
fn whole<C: Code, const K: usize>(
    x: [&[C]; K],
    offsets: &[u32],
    cells: usize,
    total: &mut [Vec<u32>; 2],
    logs: &Logs,
) -> [[i64; 2]; K] {
    let mut sums = [[0; 2]; K];
    if cells > WALKED * offsets.len() {
        for ((x, total), sums) in x.iter().zip(&mut *total).zip(&mut sums) {
            sums[0] = touched(x, offsets, total, logs.steps());
            clear(x, offsets, total);
        }
        return sums;
    }
    match (&x[..], &mut *total) {
        ([a, b], [first, second]) => {
            let (first, second) = (&mut first[..cells], &mut second[..cells]);
            for ((a, b), offset) in a.iter().zip(*b).zip(offsets) {
                first[*offset as usize + a.place()] += 1;
                second[*offset as usize + b.place()] += 1;
            }
        }
        _ => {
            for (x, total) in x.iter().zip(&mut *total) {
                for (x, offset) in x.iter().zip(offsets) {
                    total[*offset as usize + x.place()] += 1;
                }
            }
        }
    }
    for (total, sums) in total.iter_mut().zip(&mut sums) {
        sums[0] = walked(&mut total[..cells], logs.terms());
    }
    sums
}

fn classwise<C: Code, T: Cell, const K: usize>(
    x: [&[C]; K],
    offsets: &[u32],
    cells: usize,
    tables: &mut [Vec<T>; 2],
    total: &mut [Vec<u32>; 2],
    work: Work,
) -> [[i64; 2]; K]
where
    u32: From<T>,
{
    let steps = work.logs.steps();
    let mut sums = [[0; 2]; K];
    for run in work.classes.runs() {
        let walk = cells <= WALKED * run.len();
        count(x, offsets, run.clone(), tables, steps, &mut sums);
        for ((x, table), total) in x.iter().zip(&mut *tables).zip(&mut *total) {
            if walk {
                for (total, cell) in total[..cells].iter_mut().zip(&mut table[..cells]) {
                    *total += cell.count();
                    *cell = T::default();
                }
            } else {
                let (x, offsets) = (&x[run.clone()], &offsets[run.clone()]);
                for (x, offset) in x.iter().zip(offsets) {
                    let at = *offset as usize + x.place();
                    table[at] = T::default();
                    total[at] += 1;
                }
            }
        }
    }
    for ((x, total), sums) in x.iter().zip(total).zip(&mut sums) {
        sums[0] = match cells <= WALKED * offsets.len() {
            true => walked(&mut total[..cells], work.logs.terms()),
            false => gathered(x, offsets, total, work.logs.terms()),
        };
    }
    sums
}

/// Counts one class, and adds to the sums over (x, w, y).
#[inline(always)]
fn count<C: Code, T: Cell, const K: usize>(
    x: [&[C]; K],
    offsets: &[u32],
    run: Range<usize>,
    tables: &mut [Vec<T>; 2],
    steps: &[i64],
    sums: &mut [[i64; 2]; K],
) {
    let offsets = &offsets[run.clone()];
    match (&x[..], &mut *tables, &mut sums[..]) {
        ([a, b], [first, second], [[_, sum], [_, other]]) => {
            let (a, b) = (&a[run.clone()], &b[run]);
            let (first, second) = (&mut first[..], &mut second[..]);
            let (mut s, mut t) = (0, 0);
            for ((a, b), offset) in a.iter().zip(b).zip(offsets) {
                let cell = &mut first[*offset as usize + a.place()];
                s += steps[cell.count() as usize];
                cell.add_one();
                let cell = &mut second[*offset as usize + b.place()];
                t += steps[cell.count() as usize];
                cell.add_one();
            }
            *sum += s;
            *other += t;
        }
        _ => {
            for ((x, table), sums) in x.iter().zip(tables).zip(sums) {
                for (x, offset) in x[run.clone()].iter().zip(offsets) {
                    let cell = &mut table[*offset as usize + x.place()];
                    sums[1] += steps[cell.count() as usize];
                    cell.add_one();
                }
            }
        }
    }
}

/// The sum over cells counted here, left as they are.
fn touched<C: Code>(x: &[C], offsets: &[u32], table: &mut [u32], steps: &[i64]) -> i64 {
    let mut sum = 0;
    for (x, offset) in x.iter().zip(offsets) {
        let cell = &mut table[*offset as usize + x.place()];
        sum += steps[*cell as usize];
        *cell += 1;
    }
    sum
}

fn clear<C: Code>(x: &[C], offsets: &[u32], table: &mut [u32]) {
    for (x, offset) in x.iter().zip(offsets) {
        table[*offset as usize + x.place()] = 0;
    }
}

/// The sum over all cells, cleared behind.
fn walked(table: &mut [u32], terms: &[i64]) -> i64 {
    let mut sum = 0;
    for cell in table {
        sum += terms[*cell as usize];
        *cell = 0;
    }
    sum
}

/// The sum over the cells that observations are in, cleared behind.
fn gathered<C: Code>(x: &[C], offsets: &[u32], table: &mut [u32], terms: &[i64]) -> i64 {
    let mut sum = 0;
    for (x, offset) in x.iter().zip(offsets) {
        let cell = &mut table[*offset as usize + x.place()];
        sum += terms[*cell as usize];
        // Its other observations find nothing left.
        *cell = 0;
    }
    sum
}

/// Where tables have no room: the cells of all observations are sorted and counted in runs.
fn sorted<C: Code>(x: &[C], work: Work) -> [i64; 2] {
    let cells = x.iter().zip(&work.anchor.codes).zip(work.classes.of());
    let mut cells: Vec<(u32, u32, u32)> = cells
        .map(|((x, w), y)| (*w, (*x).into(), if work.by_class { *y } else { 0 }))
        .collect();
    cells.sort_unstable();
    let sum = |same: fn(&(u32, u32, u32), &(u32, u32, u32)) -> bool| {
        let runs = cells.chunk_by(same);
        runs.map(|it| work.logs.of(it.len() as u32)).sum()
    };
    [sum(|a, b| (a.0, a.1) == (b.0, b.1)), sum(|a, b| a == b)]
}
