//! Few observations, in tiles of columns by rows: each pair of observations that share a level of
//! the conditioning variable is compared in all columns of a tile at once.
//!
//! No cells are stored or cleared: an observation that finds c others before it in its cell adds
//! the increment of its cell's term. How often each c from 1 on occurs is counted, one byte per column,
//! and weighed at the end; all others found none. With observations spread over many levels that takes a few comparisons per observation,
//! each of 64 columns.

use super::{class_order::GroupMember, dense::Sweep};
use crate::vector::vectorised;

pub(super) const WIDTH: usize = 64;

/// One byte for each column of a tile, in one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Row(pub(super) [u8; WIDTH]);

impl Row {
    pub(super) const ZERO: Self = Self([0; WIDTH]);
}

/// Rows after which the bytes are added up, before one can overflow.
const FULL: usize = 255;

/// How often each number of predecessors has occurred, and the sums.
struct Occurrences {
    /// By number − 1, up to the largest that occurred, since the bytes were last added up.
    times: Vec<Row>,
    sums: [i64; WIDTH],
    /// The increment of an observation that found none before it.
    first: i64,
}

impl Occurrences {
    /// Of so many observations, which have found none until they are recorded.
    fn new(observations: usize, steps: &[i64]) -> Self {
        let first = steps.first().copied().unwrap_or(0);
        Self {
            times: Vec::new(),
            sums: [first * observations as i64; WIDTH],
            first,
        }
    }

    #[inline(always)]
    fn record(&mut self, before: &Row) {
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

    /// Makes room for larger numbers of predecessors.
    #[inline(never)]
    fn grow(&mut self, before: &Row, known: u8) {
        let most = before.0.iter().copied().max().unwrap_or(0);
        for number in known + 1..=most {
            let came = before.0.map(|count| u8::from(count == number));
            self.times.push(Row(came));
        }
    }

    #[inline(always)]
    fn add_up(&mut self, steps: &[i64]) {
        for (number, times) in self.times.iter_mut().enumerate() {
            let step = steps[number + 1] - self.first;
            for (sum, times) in self.sums.iter_mut().zip(&times.0) {
                *sum += step * i64::from(*times);
            }
            *times = Row::ZERO;
        }
    }
}

/// Σ c·L(c) over (x, w) and (x, w, y) of each column x of a tile.
///
/// No cell may hold more than 255 observations.
///
/// *Shapes:* `tile` has n rows, in class order.
pub(super) fn sums(tile: &[Row], sweep: Sweep) -> [[i64; WIDTH]; 2] {
    let members = sweep.anchor.groups(sweep.classes);
    compared(tile, members, sweep.by_class, sweep.logs.increments())
}

vectorised! {
    fn compared<'a>(
        tile: &'a [Row], members: &'a [GroupMember], by_class: bool, steps: &'a [i64],
    ) -> [[i64; WIDTH]; 2] = compared_in;
}

#[inline(always)]
fn compared_in<S: pulp::Simd>(
    _simd: S,
    tile: &[Row],
    members: &[GroupMember],
    by_class: bool,
    steps: &[i64],
) -> [[i64; WIDTH]; 2] {
    let mut xw = Occurrences::new(members.len(), steps);
    let mut xwy = Occurrences::new(if by_class { members.len() } else { 0 }, steps);
    for (place, member) in members.iter().enumerate() {
        if place % FULL == 0 {
            xw.add_up(steps);
            xwy.add_up(steps);
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
        xw.record(&all);
        if class < place {
            xwy.record(&same);
        }
    }
    xw.add_up(steps);
    xwy.add_up(steps);
    [xw.sums, xwy.sums]
}

/// For each column, the number of these observations whose code equals that in `row`.
#[inline(always)]
fn equal(tile: &[Row], members: &[GroupMember], row: &Row) -> Row {
    let mut count = Row::ZERO;
    for member in members {
        let other = &tile[member.row as usize];
        for ((count, a), b) in count.0.iter_mut().zip(&row.0).zip(&other.0) {
            *count += u8::from(a == b);
        }
    }
    count
}
