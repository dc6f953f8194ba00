//! Columns of at most 32 entries off their most frequent code, against a batch of anchors.
//!
//! The sums are those of [`crate::entries`], by the same formula; but the entries of a column are
//! compared with one another instead of counted. Each has a lane; up to eight by looking at every
//! other of its column, more by the warp's matching of equal keys.
//!
//! *Shapes*: of each member of [`crate::entries::EntriesArgs`] and of [`ShortEntriesArgs`] there; a column of
//! kind k has 2ᵏ places, those not filled with code [`crate::counting::UNFILLED`].
//!
//! *Launch*, `_8` or `_16` by the bits J of joint codes; `wide` = levels · classes:
//!
//! | function | grid | block | dynamic shared bytes |
//! | --- | --- | --- | --- |
//! | `short_entries` | (any, batch ≤ 65,535) | 32 … 1,024 by 32 (512) | 0; where `copied`, 16·⌈rows·J/128⌉ + 4·(levels + wide) |
//!
//! `xw` and `xwy` begin with the first place of all packs. No static shared memory.
//!
//! *Before and after*: nothing need be 0. The sums of excluded columns are written too.
//!
//! *Exactness*: integers; the same bits as [`crate::dense`] has of the same column.

use crate::Kernel;

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new(
    "short_entries",
    source!("counting.cuh", "entries.cuh", "short_entries.cu"),
    &["short_entries_8", "short_entries_16"],
);

/// What `short_entries` takes besides [`crate::entries::EntriesArgs`], by value: short columns by the places 2⁰ … 2⁵ that each has.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ShortEntriesArgs {
    /// u32: the rows of the entries, each column's places one behind the other.
    pub rows: [u64; 6],
    /// u16: their codes; [`crate::counting::UNFILLED`] in a place not filled.
    pub codes: [u64; 6],
    /// Columns; 0 where there are none of a kind.
    pub columns: [u32; 6],
    /// Where their sums begin among those of all packs.
    pub first: [u32; 6],
}
assert_layout!(ShortEntriesArgs: 144; columns: 96);

/// The sums of one column, over (x, w) and over (x, w, y), with what the most frequent code has
/// by its formula.
///
/// ```
/// // c·log2 c; w is 0, 0, 1, 1 and y 0, 1, 0, 0. The column is 5, 5, 3, 5.
/// let terms = [0, 0, 2, 5, 8];
/// let sums = passel_kernels::short_entries::reference(&[2], &[3], &[0, 1, 2, 2], 2, &terms);
/// assert_eq!(sums, [2, 0]);
/// ```
pub fn reference(
    rows: &[u32],
    codes: &[u16],
    joint: &[u32],
    classes: u32,
    terms: &[i64],
) -> [i64; 2] {
    let by = |of: &dyn Fn(u32) -> u32| {
        let term = |count: usize| terms[count];
        let levels: std::collections::BTreeSet<u32> = joint.iter().map(|code| of(*code)).collect();
        let at = |row: &u32| of(joint[*row as usize]);
        let own = levels.iter().map(|level| {
            let all = joint.iter().filter(|code| of(**code) == *level).count();
            let off = rows.iter().filter(|row| at(row) == *level).count();
            term(all - off)
        });
        let cells: std::collections::BTreeSet<(u16, u32)> =
            codes.iter().copied().zip(rows.iter().map(at)).collect();
        let off = cells.iter().map(|cell| {
            let all = codes.iter().copied().zip(rows.iter().map(at));
            term(all.filter(|other| other == cell).count())
        });
        own.sum::<i64>() + off.sum::<i64>()
    };
    [by(&|joint| joint / classes), by(&|joint| joint)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        counting::tests::{codes, terms},
        entries,
    };

    #[test]
    fn few_entries_have_the_sums_of_any_list() {
        let (joint, terms) = (codes(200, 15, 6), terms(200));
        for length in [0, 1, 2, 7, 32] {
            let rows: Vec<u32> = (0..length).map(|at| 6 * at).collect();
            let own: Vec<u16> = rows.iter().map(|row| 1 + (row % 4) as u16).collect();
            let sums = entries::reference(&rows, &own, 0, &joint, 3, &terms);
            assert_eq!(reference(&rows, &own, &joint, 3, &terms), sums);
        }
    }
}
