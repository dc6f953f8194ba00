//! Columns that list their entries off their most frequent code, against a batch of anchors.
//!
//! The sums are those of [`crate::dense`]. The cells of the most frequent code have what the
//! anchor has and the entries do not; with aₖ the rows of joint code k and oₖ the entries there:
//!
//! ```text
//! xwy(x) = Σₖ aₖ·L(aₖ) + Σₖ ((aₖ − oₖ)·L(aₖ − oₖ) − aₖ·L(aₖ)) + Σ c·L(c)
//!          anchor's own    k that have entries                 c the entries of each (code, k)
//! ```
//!
//! and xw(x) by levels instead of joint codes. Only entries are read.
//!
//! *Shapes*: of each member of [`EntriesArgs`] there; joint codes as in [`crate::dense`]. No entry
//! has its column's most frequent code, none comes twice, all codes are below 65,535
//! ([`UNFILLED`]): lay a column with more levels out densely.
//!
//! *Launch*: `_8` or `_16` by the bits J of joint codes; dynamic shared bytes with the levels and
//! joint codes (`wide` = levels · classes) of the anchor of the batch that has most:
//!
//! | function | grid | block | dynamic shared bytes | columns |
//! | --- | --- | --- | --- | --- |
//! | `few` | (any, batch ≤ 65,535) | 32 … 1,024 by 32 | (1 + `most_levels`)·wide, and where classes > 2 (1 + `most_levels`)·levels more; to a multiple of 16 | with `starts`, at most 255 entries and `most_levels` levels each, no place unfilled |
//! | `some` | the same | the same | twice that | the same, at most 65,535 entries |
//! | `many` | (any, batch) | the same | 4 · levels of x · wide, of the widest column | of either kind |
//!
//! All give a block to a column at a time ([`crate::short_entries`] is for less); `few` and `some` empty
//! their tables by the entries again, `many` walks all cells. Static: 768 bytes at most.
//! `by_joint` has the rows of each joint code, `by_level` of each level: `few` and `some` read
//! both, `many` the first alone. `many` alone gives whole `tables`, of a batch of one, and reads
//! `most` and `levels`; the others alone read `all`, `reciprocal` and `y_most`.
//!
//! *Before and after*: nothing need be 0. The sums of excluded columns stay as they were.
//!
//! *Exactness*: integers; the same bits as [`crate::dense`] has of the same column.

use crate::{
    Kernel,
    counting::{UNFILLED, sum},
};

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new(
    "entries",
    source!("counting.cuh", "entries.cuh", "entries.cu"),
    &["few_8", "some_8", "many_8", "few_16", "some_16", "many_16"],
);

/// Arguments of the functions, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct EntriesArgs {
    /// u32: the rows of all entries of a pack, one column behind the other.
    pub rows: u64,
    /// u16: their codes; [`UNFILLED`] in a place of a short column that is not filled.
    pub codes: u64,
    /// u64: `columns` + 1, where each column's entries begin; null where every column has
    /// 2^`each` places.
    pub starts: u64,
    /// u32: the most frequent code of each column, which no entry has.
    pub most: u64,
    /// u32: of each column.
    pub levels: u64,
    /// u8: of each column, not 0 where it is no candidate; null where all are.
    pub excluded: u64,
    /// Of the pack.
    pub columns: u32,
    /// Columns of all packs: from one anchor's sums to the next.
    pub places: u32,
    /// log₂ of a short column's places, 0 … 5.
    pub each: u32,
    /// Observations.
    pub rows_all: i64,
    /// Of a batch, joint codes, 16 bytes aligned.
    pub joint: u64,
    /// Bytes from one of a batch to the next, a multiple of 16.
    pub joint_stride: i64,
    /// Whether `short` copies the joint codes and counts to shared memory, 0 or 1. Seven bytes
    /// behind it are free.
    pub copied: u8,
    /// [`crate::counting::AnchorSums`]: of a batch.
    pub anchors: u64,
    /// [`crate::counting::ColumnCodes`]: of columns among which anchors are each the `place`, for the
    /// code that most rows have; any would do.
    pub all: u64,
    /// Levels of the response.
    pub classes: u32,
    /// ⌈2³² / classes⌉, of no matter where there is one class: the level of a joint code is the
    /// upper half of their product.
    pub reciprocal: u32,
    /// The class that most rows have; any below `classes` would do. Four bytes behind it are free.
    pub y_most: u32,
    /// u32: rows of each joint code, the same for all of the batch.
    pub by_joint: u64,
    /// u32: rows of each level.
    pub by_level: u64,
    /// i64: c·L(c) of the counts 0 … `rows_all`.
    pub terms: u64,
    /// i64: `places` of each of the batch.
    pub xw: u64,
    /// i64: as many.
    pub xwy: u64,
    /// u32: whole tables instead of sums, `cells` of each column, of `many` alone; or null.
    pub tables: u64,
    /// From one whole table to the next.
    pub cells: i64,
}
assert_layout!(EntriesArgs: 184;
    columns: 48, rows_all: 64, copied: 88, anchors: 96, classes: 112, by_joint: 128, terms: 144, cells: 176);

/// One column's code of each of n rows.
///
/// ```
/// // The last place is not filled.
/// let laid = passel_kernels::entries::dense_codes(&[3, 1, 0], &[9, 2, 0xffff], 5, 4);
/// assert_eq!(laid, [5, 2, 5, 9]);
/// ```
pub fn dense_codes(rows: &[u32], codes: &[u16], most: u32, n: usize) -> Vec<u32> {
    let mut laid = vec![most; n];
    for (&row, &code) in rows.iter().zip(codes).filter(|entry| *entry.1 != UNFILLED) {
        laid[row as usize] = u32::from(code);
    }
    laid
}

/// [`EntriesArgs::reciprocal`].
///
/// ```
/// let level = |joint: u64, classes| (joint * u64::from(reciprocal(classes))) >> 32;
/// # use passel_kernels::entries::reciprocal;
/// for (joint, classes) in [(65_535, 2), (65_535, 3), (65_534, 32_768), (9, 10), (10, 10)] {
///     assert_eq!(level(joint, classes), joint / u64::from(classes));
/// }
/// ```
pub fn reciprocal(classes: u32) -> u32 {
    // Of one class a level is its joint code.
    u32::try_from((1u64 << 32).div_ceil(classes.max(1).into())).unwrap_or(0)
}

/// The sums of one column, over (x, w) and over (x, w, y).
///
/// ```
/// // c·log2 c; w is 0, 0, 1, 1 and y 0, 1, 0, 0. The column is 5, 5, 3, 5.
/// let terms = [0, 0, 2, 5, 8];
/// let sums = passel_kernels::entries::reference(&[2], &[3], 5, &[0, 1, 2, 2], 2, &terms);
/// assert_eq!(sums, [2, 0]);
/// ```
pub fn reference(
    rows: &[u32],
    codes: &[u16],
    most: u32,
    joint: &[u32],
    classes: u32,
    terms: &[i64],
) -> [i64; 2] {
    let x = dense_codes(rows, codes, most, joint.len());
    let rows = || x.iter().zip(joint);
    let xw = rows().map(|(x, joint)| (x, joint / classes));
    [sum(xw, terms), sum(rows(), terms)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        counting::{
            counts,
            tests::{codes, terms},
        },
        dense,
    };

    /// The entries of a column off a code.
    fn listed(x: &[u32], most: u32) -> (Vec<u32>, Vec<u16>) {
        let entries = (0..).zip(x).filter(|entry| *entry.1 != most);
        entries.map(|(row, &code)| (row, code as u16)).unzip()
    }

    #[test]
    fn a_column_that_lists_its_entries_has_the_sums_of_a_dense_one() {
        let (x, joint, terms) = (codes(700, 9, 5), codes(700, 15, 6), terms(700));
        let sums = dense::reference(&x, &joint, 3, &terms);
        for most in 0..10 {
            let (mut rows, mut codes) = listed(&x, most);
            rows.extend([0, 0, 0]);
            codes.extend([UNFILLED; 3]);
            assert_eq!(reference(&rows, &codes, most, &joint, 3, &terms), sums);
        }
    }

    #[test]
    fn a_sum_is_its_formula() {
        let (x, joint, terms) = (codes(300, 4, 7), codes(300, 6, 8), terms(300));
        let (rows, codes) = listed(&x, 1);
        let at = |row: &u32| joint[*row as usize];
        let term = |count: u64| terms[count as usize];
        let all = counts(joint.iter().copied());
        let own: i64 = all.values().map(|&count| term(count)).sum();
        let off = counts(rows.iter().map(at));
        let less = off.iter().map(|(k, o)| term(all[k] - o) - term(all[k]));
        let cells = counts(codes.iter().zip(rows.iter().map(at)));
        let sum = own + less.sum::<i64>() + cells.into_values().map(term).sum::<i64>();
        assert_eq!(reference(&rows, &codes, 1, &joint, 2, &terms)[1], sum);
    }

    #[test]
    fn a_column_without_entries_has_the_anchors_own_sums() {
        let (joint, terms) = (codes(60, 8, 9), terms(60));
        let own = [
            sum(joint.iter().map(|code| code / 2), &terms),
            sum(&joint, &terms),
        ];
        assert_eq!(reference(&[], &[], 0, &joint, 2, &terms), own);
    }
}
