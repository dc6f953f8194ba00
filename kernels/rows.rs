//! Columns of few rows, against a batch of anchors: rows are compared instead of counted.
//!
//! Sorted by joint code, the rows of one level w lie side by side, and of those the rows of one
//! class. With b(i) how many rows before i share its level and its code x,
//!
//! ```text
//! xw(x) = Σᵢ (b(i) + 1)·L(b(i) + 1) − b(i)·L(b(i))
//! ```
//!
//! for the terms of a cell add up to its c·L(c); and xwy(x) by classes too. The sums are those of
//! [`crate::dense`].
//!
//! *Shapes*: of each member of [`RowsArgs`] there; codes are row-major, a byte a column, `stride`
//! words a row. Joint codes w · classes + y of J bits, those of each of a batch at multiples of
//! 2·J bytes.
//!
//! *Launch*, in this order:
//!
//! | function | grid | block | dynamic shared bytes | what |
//! | --- | --- | --- | --- | --- |
//! | `order_8`, `order_16` | (1, batch ≤ 65,535) | any (1,024) | 0 | [`SortedRow`]s of at most 4,096 rows in the order of joint codes, equal ones as they come |
//! | `rows` | (⌈columns/128⌉, batch) | 32 … 1,024 by 32 (512) | 4,608 | a lane has four columns, a warp every so many rows |
//!
//! *Before and after*: nothing need be 0. The sums of excluded columns are written too.
//!
//! *Exactness*: integers; the same bits as [`crate::dense`] has of the same column.

use crate::{Kernel, counting::sum};

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new(
    "rows",
    source!("counting.cuh", "rows.cu"),
    &["rows", "order_8", "order_16"],
);

/// Bytes of dynamic shared memory of `rows`: two sums and a count of each of 128 columns, and
/// what one more row adds to the cells of up to 255.
pub const SHARED: u32 = (256 + 64 + 256) * 8;

/// A row in the order of joint codes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SortedRow {
    /// Which it is.
    pub row: u16,
    /// Place of the first of the same level.
    pub level: u16,
    /// Place of the first of the same level and class. Two bytes behind it are free.
    pub both: u16,
    /// Of no matter.
    pub unused: u16,
}
assert_layout!(SortedRow: 8);

/// Arguments of `rows`, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct RowsArgs {
    /// u32: row-major, a byte a column, `stride` words a row.
    pub codes: u64,
    /// Words from one row to the next.
    pub stride: i64,
    /// Columns of the pack.
    pub columns: u32,
    /// Columns of all packs: from one anchor's sums to the next.
    pub places: u32,
    /// Observations, at most 4,096.
    pub rows: u32,
    /// Levels of the response that joint codes tell apart.
    pub classes: u32,
    /// [`SortedRow`]: `rows` of each of the batch.
    pub order: u64,
    /// i64: c·L(c) of the counts 0 … `rows`.
    pub terms: u64,
    /// i64: `places` of each of the batch.
    pub xw: u64,
    /// i64: as many.
    pub xwy: u64,
    /// u32 of each column: cells (x, w) that are not 0; null where it is not wanted.
    pub occurring: u64,
}
assert_layout!(RowsArgs: 72; order: 32, terms: 40);

/// The order of joint codes.
///
/// ```
/// let order = passel_kernels::rows::order(&[3, 1, 0, 3], 2);
/// let rows: Vec<u16> = order.iter().map(|entry| entry.row).collect();
/// assert_eq!(rows, [2, 1, 0, 3]);
/// ```
pub fn order(joint: &[u32], classes: u32) -> Vec<SortedRow> {
    let mut sorted: Vec<usize> = (0..joint.len()).collect();
    sorted.sort_by_key(|row| joint[*row]);
    let placed = |row: &usize| {
        let mine = joint[*row];
        let level = sorted.partition_point(|other| joint[*other] / classes < mine / classes);
        let both = sorted.partition_point(|other| joint[*other] < mine);
        SortedRow {
            row: *row as u16,
            level: level as u16,
            both: both as u16,
            unused: 0,
        }
    };
    sorted.iter().map(placed).collect()
}

/// The sums of one column, over (x, w) and over (x, w, y).
///
/// ```
/// // c·log2 c; w is 0, 0, 1, 1 and y 0, 1, 0, 0.
/// let terms = [0, 0, 2, 5, 8];
/// let sums = passel_kernels::rows::reference(&[5, 5, 5, 5], &[0, 1, 2, 2], 2, &terms);
/// assert_eq!(sums, [4, 2]);
/// ```
pub fn reference(x: &[u32], joint: &[u32], classes: u32, terms: &[i64]) -> [i64; 2] {
    let rows = || x.iter().zip(joint);
    let xw = rows().map(|(x, joint)| (x, joint / classes));
    [sum(xw, terms), sum(rows(), terms)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counting::tests::{codes, terms};

    #[test]
    fn what_rows_before_add_makes_the_sums() {
        for (n, levels, classes) in [(97, 9, 2), (300, 2, 3), (40, 60, 1)] {
            let x = codes(n, levels, 3);
            let joint = codes(n, 7 * classes, 4);
            let terms = terms(n);
            let order = order(&joint, classes);
            let at = |place: usize| x[usize::from(order[place].row)];
            let added = |from: &dyn Fn(&SortedRow) -> u16| {
                let steps = order.iter().enumerate().map(|(place, row)| {
                    let before = usize::from(from(row))..place;
                    let equal = before.filter(|other| at(*other) == at(place)).count();
                    terms[equal + 1] - terms[equal]
                });
                steps.sum::<i64>()
            };
            let sums = [added(&|row| row.level), added(&|row| row.both)];
            assert_eq!(sums, reference(&x, &joint, classes, &terms));
        }
    }
}
