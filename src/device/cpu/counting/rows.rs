//! Few observations: tiles of columns by rows, each pair of observations that share the
//! anchor's level compared in all columns of a tile at once.
//!
//! Cells are not stored, so none is cleared: an observation that finds c others before it in
//! its cell adds (c + 1)·L(c + 1) − c·L(c). How often each c came up is counted, a byte a
//! column, and weighed at the end. With observations spread over many levels that is a few
//! comparisons an observation, each of 64 columns.

use super::prepared::{Classes, Member, Prepared};
use crate::{device::counting::LogTable, vector::vectorised};

/// Columns of a tile.
pub(super) const WIDTH: usize = 64;

/// One byte of each column, in one line of cache.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Row(pub(super) [u8; WIDTH]);

impl Row {
    pub(super) const ZERO: Self = Self([0; WIDTH]);
}

/// Rows after which the bytes are emptied, before one can overflow.
const FULL: usize = 255;

/// How often each number of predecessors came up, since the last emptying, and the sums.
struct Seen {
    /// By number − 1, as far as any was seen.
    times: Vec<Row>,
    sums: [i64; WIDTH],
}

impl Seen {
    fn new() -> Self {
        Self {
            times: Vec::new(),
            sums: [0; WIDTH],
        }
    }

    #[inline(always)]
    fn note(&mut self, before: &Row) {
        for (number, times) in (1u8..).zip(&mut self.times) {
            for (times, before) in times.0.iter_mut().zip(&before.0) {
                *times += u8::from(*before == number);
            }
        }
        let known = self.times.len() as u8;
        let mut beyond = 0;
        for before in &before.0 {
            beyond |= u8::from(*before > known);
        }
        if beyond != 0 {
            self.grow(before, known);
        }
    }

    /// Room for numbers not seen before.
    #[inline(never)]
    fn grow(&mut self, before: &Row, known: u8) {
        let most = before.0.iter().copied().max().unwrap_or(0);
        for number in known + 1..=most {
            let came = before.0.map(|it| u8::from(it == number));
            self.times.push(Row(came));
        }
    }

    #[inline(always)]
    fn empty(&mut self, steps: &[i64]) {
        for (number, times) in self.times.iter_mut().enumerate() {
            let step = steps[number + 1];
            for (sum, times) in self.sums.iter_mut().zip(&times.0) {
                *sum += step * i64::from(*times);
            }
            *times = Row::ZERO;
        }
    }
}

/// Σ c·L(c) over the tables (x, w) and (x, w, y) of each column x of the tile.
///
/// No cell may hold more than 255 observations.
pub(super) fn sums(
    tile: &[Row],
    anchor: &Prepared,
    classes: &Classes,
    by_class: bool,
    logs: &LogTable,
) -> [[i64; WIDTH]; 2] {
    compared(tile, anchor.groups(classes), by_class, logs.increments())
}

vectorised! {
    fn compared<'a>(
        tile: &'a [Row], members: &'a [Member], by_class: bool, steps: &'a [i64],
    ) -> [[i64; WIDTH]; 2] = compared_in;
}

#[inline(always)]
fn compared_in<S: pulp::Simd>(
    _simd: S,
    tile: &[Row],
    members: &[Member],
    by_class: bool,
    steps: &[i64],
) -> [[i64; WIDTH]; 2] {
    let (mut xw, mut xwy) = (Seen::new(), Seen::new());
    for (place, member) in members.iter().enumerate() {
        if place % FULL == 0 {
            xw.empty(steps);
            xwy.empty(steps);
        }
        let (level, class) = (member.level as usize, member.class as usize);
        if level == place {
            continue;
        }
        let row = &tile[member.row as usize];
        let class = if by_class { class } else { place };
        let same = equal(tile, &members[class..place], row);
        let mut all = equal(tile, &members[level..class], row);
        for (all, same) in all.0.iter_mut().zip(&same.0) {
            *all += same;
        }
        xw.note(&all);
        if class < place {
            xwy.note(&same);
        }
    }
    xw.empty(steps);
    xwy.empty(steps);
    [xw.sums, xwy.sums]
}

/// In how many of these observations each column has the code it has in `row`.
#[inline(always)]
fn equal(tile: &[Row], members: &[Member], row: &Row) -> Row {
    let mut count = Row::ZERO;
    for member in members {
        let other = &tile[member.row as usize];
        for ((count, a), b) in count.0.iter_mut().zip(&row.0).zip(&other.0) {
            *count += u8::from(a == b);
        }
    }
    count
}
