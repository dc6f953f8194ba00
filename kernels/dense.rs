//! TODO

use crate::Kernel;

/// See the module.
pub const KERNEL: Kernel = Kernel {
    name: "dense",
    source: concat!(
        include_str!("counting.cuh"),
        "#line 1 \"dense.cu\"\n",
        include_str!("dense.cu")
    ),
    functions: &[
        "dense_4_8",
        "dense_4_8_half",
        "dense_4_8_two",
        "dense_4_16",
        "dense_4_16_half",
        "dense_4_16_two",
        "dense_8_8",
        "dense_8_8_half",
        "dense_8_8_two",
        "dense_8_16",
        "dense_8_16_half",
        "dense_8_16_two",
        "dense_16_8",
        "dense_16_8_half",
        "dense_16_8_two",
        "dense_16_16",
        "dense_16_16_half",
        "dense_16_16_two",
    ],
    spills: &[],
};

/// What the functions take, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Dense {
    /// u8: of a pack, `columns` × `stride` bytes, 16 bytes aligned.
    pub codes: u64,
    /// Bytes of a column, a multiple of 16 and at least 2·bits·`vectors`.
    pub stride: i64,
    /// u32: of each column.
    pub levels: u64,
    /// u8: of each column, not 0 where it is no candidate; null where all are.
    pub taken: u64,
    /// Of the pack.
    pub columns: u32,
    /// Columns of all packs: from one anchor's sums to the next.
    pub places: u32,
    /// Observations.
    pub rows: i64,
    /// ⌈rows / 16⌉.
    pub vectors: i64,
    /// Of a batch, 16·`vectors` joint codes each, 16 bytes aligned.
    pub joint: u64,
    /// Bytes from one of a batch to the next, a multiple of 16.
    pub joint_stride: i64,
    /// [`crate::counting::Anchor`]: of a batch.
    pub anchors: u64,
    /// Levels of the response.
    pub classes: u32,
    /// log₂ of the copies of a cell.
    pub copies: i32,
    /// Blocks that share a column.
    pub parts: u32,
    /// u32 of one column's table in shared memory, a multiple of 4.
    pub words: u32,
    /// u32, where `parts` > 1: `words` >> `copies` of each column of each of the batch; 0 before
    /// and after.
    pub partial: u64,
    /// u32, where `parts` > 1: one for each column of each of the batch; 0 before and after.
    pub arrived: u64,
    /// i64: c·L(c) of the counts 0 … `rows`.
    pub terms: u64,
    /// i64: `places` of each of the batch.
    pub xw: u64,
    /// i64: as many.
    pub xwy: u64,
    /// u32: of each column, raised by its cells (x, w) that are not 0; or null.
    pub occurring: u64,
    /// u32: whole tables instead of sums, `cells` of each column; or null.
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
        assert_eq!(size_of::<Dense>(), 160);
        assert_eq!(offset_of!(Dense, columns), 32);
        assert_eq!(offset_of!(Dense, anchors), 72);
        assert_eq!(offset_of!(Dense, partial), 96);
        assert_eq!(offset_of!(Dense, cells), 152);
    }
}
