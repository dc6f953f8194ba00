//! The joint codes of an anchor and the response: of every row, and how many rows have each.
//!
//! ```text
//! joint(row) = w(row) · classes + y(row)
//! by_joint(k) = rows of joint code k, by_level(w) = Σ by_joint(w·classes + y) over y
//! ```
//!
//! The column is the one that `anchor`, in the GPU's memory, names: the host need not know which it
//! is.
//!
//! *Shapes*: of each member of [`JointCodesArgs`] there.
//! `permute` takes `filled` joint codes, `orders` (u32, `rows` of each permutation) and gives
//! each permutation's to `out`, `out_stride` bytes apart: row i is row orders(i) of the anchor.
//!
//! *Launch*, `_8` where levels · classes ≤ 256, else `_16` (≤ 65,536):
//!
//! | function | grid | block | what |
//! | --- | --- | --- | --- |
//! | `joint_codes` | any | 32 … 1,024 by 32 (512) | joint codes, and their counts where wanted |
//! | `permute` | (any, permutations ≤ 65,535) | any (256) | joint codes of permutations |
//!
//! 16 KiB of static shared memory in `joint_codes`, no dynamic.
//!
//! *Before and after*: `by_joint` and `by_level` are 0 before; `next` is 0 after, so that two buffers
//! take turns. `joint_codes` writes 0 to the rows that fill the last sixteen up; `permute` leaves them: `out`
//! is 0 there before. No entry comes twice, those of a column with more places than a block has
//! threads are in the order of their rows, and all its places are filled.
//!
//! *Exactness*: integers; the same for any grid and block.

use crate::{Kernel, counting::counts};

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new(
    "joint_codes",
    source!("counting.cuh", "joint_codes.cu"),
    &["joint_codes_8", "permute_8", "joint_codes_16", "permute_16"],
);

/// Arguments of `joint_codes`, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct JointCodesArgs {
    /// [`crate::counting::AnchorSums`]: one, whose `place` is the column's place in `places`.
    pub anchor: u64,
    /// [`crate::counting::ColumnCodes`]: of each column.
    pub places: u64,
    /// Observations.
    pub rows: i64,
    /// `rows` and those that fill the last sixteen up, whose joint code is 0.
    pub filled: i64,
    /// u16: the response of each of `rows`, at a multiple of 16 bytes; null where there is one
    /// class.
    pub y: u64,
    /// Levels of the response. Four bytes behind it are free.
    pub classes: u32,
    /// u8 or u16: `filled` joint codes, at a multiple of 16 bytes.
    pub joint: u64,
    /// u32: rows of each joint code, levels · classes of them; null where they are not wanted.
    pub by_joint: u64,
    /// u32: rows of each level; null where they are not wanted.
    pub by_level: u64,
    /// u32: what the next anchor's are counted in, `cells` of which may not be 0.
    pub next: u64,
    /// See there.
    pub cells: i64,
}
assert_layout!(JointCodesArgs: 88; y: 32, classes: 40, joint: 48, cells: 80);

/// The joint code of every row, `filled` of them; without a response there is one class.
///
/// ```
/// let joint = passel_kernels::joint_codes::reference;
/// assert_eq!(joint(&[2, 0, 1], Some(&[1, 2, 0]), 3, 5), [7, 2, 3, 0, 0]);
/// assert_eq!(joint(&[2, 0, 1], None, 1, 3), [2, 0, 1]);
/// ```
pub fn reference(w: &[u32], y: Option<&[u32]>, classes: u32, filled: usize) -> Vec<u32> {
    let of_y = |row: usize| y.map_or(0, |y| y[row]);
    let joint = |row: usize| w.get(row).map_or(0, |w| w * classes + of_y(row));
    (0..filled).map(joint).collect()
}

/// Rows of each joint code and of each level.
///
/// ```
/// let (by_joint, by_level) = passel_kernels::joint_codes::margins(&[3, 2, 3, 0], 2, 2);
/// assert_eq!((by_joint, by_level), (vec![1, 0, 1, 2], vec![1, 3]));
/// ```
pub fn margins(joint: &[u32], levels: u32, classes: u32) -> (Vec<u64>, Vec<u64>) {
    let by_joint = counts(joint.iter().copied());
    let by_level = counts(joint.iter().map(|code| code / classes));
    let of = |counts: &std::collections::BTreeMap<u32, u64>, up_to| {
        let count = |key| counts.get(&key).copied().unwrap_or(0);
        (0..up_to).map(count).collect()
    };
    (of(&by_joint, levels * classes), of(&by_level, levels))
}

/// The joint codes of one permutation.
///
/// ```
/// assert_eq!(passel_kernels::joint_codes::permuted(&[7, 8, 9], &[2, 0, 0]), [9, 7, 7]);
/// ```
pub fn permuted(joint: &[u32], order: &[u32]) -> Vec<u32> {
    order.iter().map(|&row| joint[row as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        counting::tests::{codes, terms},
        dense, entries,
    };

    #[test]
    fn a_joint_code_has_its_level_and_its_class() {
        let (w, y) = (codes(100, 6, 11), codes(100, 4, 12));
        let joint = reference(&w, Some(&y), 4, 112);
        assert!(joint[..100].iter().map(|code| code / 4).eq(w));
        assert!(joint[..100].iter().map(|code| code % 4).eq(y));
        assert_eq!(joint[100..], [0; 12]);
    }

    #[test]
    fn counts_are_the_margins_of_any_table() {
        let joint = codes(500, 15, 13);
        let table = dense::table(&codes(500, 7, 14), &joint, 7, 15);
        let (by_joint, by_level) = margins(&joint, 5, 3);
        for (k, count) in by_joint.iter().enumerate() {
            let column = table.iter().skip(k).step_by(15);
            assert_eq!(*count, column.sum());
        }
        let levels = by_joint.chunks(3).map(|counts| counts.iter().sum::<u64>());
        assert!(levels.eq(by_level));
    }

    #[test]
    fn a_permutation_of_the_anchor_is_one_of_the_column_the_other_way() {
        let (x, joint, terms) = (codes(50, 3, 15), codes(50, 6, 16), terms(50));
        let order: Vec<u32> = (0..50).map(|row| row * 7 % 50).collect();
        let mut back = vec![0; 50];
        for (row, &from) in (0..).zip(&order) {
            back[from as usize] = row;
        }
        let sums = dense::reference(&x, &permuted(&joint, &order), 2, &terms);
        let column = permuted(&x, &back);
        assert_eq!(sums, dense::reference(&column, &joint, 2, &terms));
        assert_eq!(
            margins(&permuted(&joint, &order), 3, 2),
            margins(&joint, 3, 2)
        );
    }

    #[test]
    fn an_anchor_may_list_its_entries() {
        let w = entries::dense_codes(&[4, 1], &[0, 3], 2, 6);
        let joint = reference(&w, None, 1, 6);
        assert_eq!(margins(&joint, 4, 1).0, [1, 0, 4, 1]);
    }
}
