//! Any column against any anchor, of the rows that miss neither.
//!
//! ```text
//! whole(x) = Σ c·L(c) over the margins n, x, w, y, xw, xy, wy, xwy of the table of the rows
//!            where x is not `left_out` and w is not `w_levels`; left = how many they are
//! ```
//!
//! What no other kernel has room or sense for: missing values, and tables of any size, in global
//! memory. A table of more than `direct` cells has a slot for each cell that occurs, found by a
//! hash of its number.
//!
//! *Shapes*: of each member of [`WideArgs`] there; the [`crate::counting::ColumnCodes`]s of all columns,
//! dense and of entries. Cell (x, w, y) of a table is (x · w_levels + w) · y_levels + y. A block's
//! scratch is the tables of x, w, y, xw, xy, wy, xwy (of xw and xwy alone where nothing misses and
//! `wide` is null, the room of the others may be 0): 4 bytes a cell, of the column with most
//! levels, where these are at most `direct`, else 12 a slot; whichever is more where columns differ.
//!
//! *Launch*: `wide`; grid (any, a block a column at a time; batch ≤ 65,535), block 32 … 1,024
//! by 32 (256). 2 KiB of static shared memory, none dynamic.
//!
//! *Before and after*: `scratch` is 0 before and after; whole `tables`, of a batch of one, are 0 before. Excluded columns keep what they had.
//!
//! *Exactness*: integers, sums as their rows come; the same bits as the other kernels have of a
//! column that misses nothing.

use crate::{
    Kernel,
    counting::{TableSums, sum},
};

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new("wide", source!("counting.cuh", "wide.cu"), &["wide"]);

/// Arguments, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct WideArgs {
    /// [`crate::counting::ColumnCodes`]: of each column.
    pub places: u64,
    /// u32: of each column, its code of missing values; `u32::MAX`, above all codes, for none.
    pub left_out: u64,
    /// u32: of each column.
    pub levels: u64,
    /// u8: of each column, not 0 where it is no candidate; null where all are.
    pub excluded: u64,
    /// Of the pack. Four bytes behind it are free.
    pub columns: u32,
    /// Observations.
    pub rows: i64,
    /// u32: of a batch, the anchor's level of each observation; `w_levels` where it misses.
    pub w: u64,
    /// u32: of a batch, the response of each observation.
    pub y: u64,
    /// Levels of w.
    pub w_levels: u32,
    /// Levels of y.
    pub y_levels: u32,
    /// From one w of the batch to the next.
    pub w_stride: i64,
    /// From one y of the batch to the next.
    pub y_stride: i64,
    /// Columns of all packs: from one anchor's sums to the next. Four bytes behind it are free.
    pub all_places: u32,
    /// Room for `rows` u16 of each block.
    pub spreads: u64,
    /// `scratch_stride` bytes of each block of the grid; 0 before and after.
    pub scratch: u64,
    /// A multiple of 16.
    pub scratch_stride: i64,
    /// Of a table of keys, a power of two above `rows`.
    pub slots: u64,
    /// Cells that a table without keys may have.
    pub direct: u64,
    /// Bytes of each table: x, w, y, xw, xy, wy, xwy; multiples of 8.
    pub room: [u64; 7],
    /// i64: c·L(c) of the counts 0 … `rows`.
    pub terms: u64,
    /// i64: `all_places` of each of the batch; where `wide` is null.
    pub xw: u64,
    /// i64: as many.
    pub xwy: u64,
    /// [`crate::counting::TableSums`]: as many; null where no value is missing.
    pub whole: u64,
    /// u32: whole tables instead of sums, `cells` of each of `columns`, 0 before; or null.
    pub tables: u64,
    /// From one whole table to the next.
    pub cells: i64,
}
assert_layout!(WideArgs: 240;
    columns: 32, rows: 40, y_levels: 68, w_stride: 72, all_places: 88, scratch: 104, room: 136, terms: 192, whole: 216, cells: 232);

/// All sums of one column; `left_out` is its code of missing values, `w_levels` that of w.
///
/// ```
/// // c·log2 c. The third row misses x, the last w.
/// let terms = [0, 0, 2, 5, 8, 12];
/// let (x, w, y) = ([0, 0, 9, 1, 0], [1, 1, 0, 0, 2], [0, 1, 1, 1, 0]);
/// let whole = passel_kernels::wide::reference((&x, Some(9)), (&w, 2), &y, &terms);
/// assert_eq!(whole.left, 3);
/// assert_eq!(whole.of, [5, 2, 2, 2, 2, 0, 0, 0]);
/// ```
pub fn reference(
    (x, left_out): (&[u32], Option<u32>),
    (w, w_levels): (&[u32], u32),
    y: &[u32],
    terms: &[i64],
) -> TableSums {
    let rows = (0..x.len()).filter(|&row| Some(x[row]) != left_out && w[row] != w_levels);
    let rows: Vec<[u32; 3]> = rows.map(|row| [x[row], w[row], y[row]]).collect();
    // Rows agree where what the margin leaves out is 0 in all of them.
    let margin = |has: [u32; 3]| {
        let keys = rows
            .iter()
            .map(|row| [0, 1, 2].map(|axis| row[axis] * has[axis]));
        sum(keys, terms)
    };
    TableSums {
        of: [
            margin([0, 0, 0]),
            margin([1, 0, 0]),
            margin([0, 1, 0]),
            margin([0, 0, 1]),
            margin([1, 1, 0]),
            margin([1, 0, 1]),
            margin([0, 1, 1]),
            margin([1, 1, 1]),
        ],
        left: rows.len() as i64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        counting::tests::{codes, terms},
        dense, joint_codes,
    };

    #[test]
    fn where_nothing_is_missing_the_sums_are_those_of_dense_columns() {
        let n = 1000;
        let (x, w, y, terms) = (codes(n, 9, 21), codes(n, 5, 22), codes(n, 3, 23), terms(n));
        let whole = reference((&x, None), (&w, 5), &y, &terms);
        let joint = joint_codes::reference(&w, Some(&y), 3, n);
        let [_, of_x, of_w, of_y, xw, xy, wy, xwy] = whole.of;
        assert_eq!([xw, xwy], dense::reference(&x, &joint, 3, &terms));
        // Against one level of w they are of x, and of (x, y).
        assert_eq!([of_x, xy], dense::reference(&x, &y, 3, &terms));
        // A column of one level has the anchor's own sums.
        assert_eq!([of_w, wy], dense::reference(&vec![0; n], &joint, 3, &terms));
        let nothing = dense::reference(&vec![0; n], &y, 3, &terms);
        assert_eq!([whole.of[0], of_y], nothing);
        assert_eq!((whole.left, whole.of[0]), (n as i64, terms[n]));
    }

    #[test]
    fn rows_that_miss_are_as_if_they_were_not_there() {
        let n = 400;
        let (x, w, y, terms) = (codes(n, 4, 24), codes(n, 6, 25), codes(n, 2, 26), terms(n));
        let there = |row: &usize| x[*row] != 2 && w[*row] != 5;
        let of = |codes: &[u32]| -> Vec<u32> {
            let rows = (0..n).filter(there);
            rows.map(|row| codes[row]).collect()
        };
        let (few, few_w) = (of(&x), of(&w));
        assert!(few.len() < n && !few.is_empty());
        assert_eq!(
            reference((&x, Some(2)), (&w, 5), &y, &terms),
            reference((&few, None), (&few_w, 5), &of(&y), &terms)
        );
        let none = reference((&x, None), (&vec![0; n], 0), &y, &terms);
        assert_eq!(none, TableSums::default());
    }
}
