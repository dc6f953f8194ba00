//! TODO

use crate::Kernel;

/// See the module.
pub const KERNEL: Kernel = Kernel {
    name: "entries",
    source: concat!(
        include_str!("counting.cuh"),
        "#line 1 \"entries.cu\"\n",
        include_str!("entries.cu")
    ),
    functions: &[
        "short_8", "few_8", "many_8", "short_16", "few_16", "many_16",
    ],
    spills: &[],
};

/// What the functions take, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Entries {
    /// u32: the rows of all entries of a pack, one column behind the other.
    pub rows: u64,
    /// u16: their codes; 0xffff in a place of a short column that is not filled.
    pub codes: u64,
    /// u64: `columns` + 1, where each column's entries begin; null where every column has
    /// 2^`each` places.
    pub starts: u64,
    /// u32: the most frequent code of each column, which no entry has.
    pub most: u64,
    /// u32: of each column.
    pub levels: u64,
    /// u8: of each column, not 0 where it is no candidate; null where all are.
    pub taken: u64,
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
    /// [`crate::counting::Anchor`]: of a batch.
    pub anchors: u64,
    /// Levels of the response. Four bytes behind it are free.
    pub classes: u32,
    /// u32: rows of each joint code, `counts_stride` for each of the batch.
    pub by_joint: u64,
    /// u32: rows of each level, `counts_stride` for each of the batch.
    pub by_level: u64,
    /// Counts from one of the batch to the next.
    pub counts_stride: i64,
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

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::*;

    #[test]
    fn structs_lie_as_c_lays_them() {
        assert_eq!(size_of::<Entries>(), 176);
        assert_eq!(
            (offset_of!(Entries, columns), offset_of!(Entries, rows_all)),
            (48, 64)
        );
        assert_eq!(
            (offset_of!(Entries, copied), offset_of!(Entries, anchors)),
            (88, 96)
        );
        assert_eq!(
            (offset_of!(Entries, classes), offset_of!(Entries, by_joint)),
            (104, 112)
        );
        assert_eq!(
            (offset_of!(Entries, terms), offset_of!(Entries, cells)),
            (136, 168)
        );
    }
}
