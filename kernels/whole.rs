//! TODO

use crate::Kernel;

/// See the module.
pub const KERNEL: Kernel = Kernel {
    name: "whole",
    source: concat!(
        include_str!("counting.cuh"),
        "#line 1 \"whole.cu\"\n",
        include_str!("whole.cu")
    ),
    functions: &["whole"],
    spills: &[],
};

/// What the function takes, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Wide {
    /// [`crate::counting::Place`]: of each column.
    pub places: u64,
    /// u32: of each column, its code of missing values; `u32::MAX` for none.
    pub left_out: u64,
    /// u32: of each column.
    pub levels: u64,
    /// u8: of each column, not 0 where it is no candidate; null where all are.
    pub taken: u64,
    /// u32: columns to be counted; null for all.
    pub which: u64,
    /// Those to be counted. Four bytes behind it are free.
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
    /// `scratch_stride` bytes of each block of the grid; all 0 before and, but for the first
    /// 2·`rows` of each, after.
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
    /// i64: `all_places` of each of the batch; where `whole` is null.
    pub xw: u64,
    /// i64: as many.
    pub xwy: u64,
    /// [`crate::counting::Whole`]: as many; null where no value is missing.
    pub whole: u64,
    /// u32: whole tables instead of sums, `cells` of each of `columns`, 0 before; or null.
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
        assert_eq!(size_of::<Wide>(), 248);
        assert_eq!(
            (offset_of!(Wide, columns), offset_of!(Wide, rows)),
            (40, 48)
        );
        assert_eq!(
            (offset_of!(Wide, y_levels), offset_of!(Wide, w_stride)),
            (76, 80)
        );
        assert_eq!(
            (offset_of!(Wide, all_places), offset_of!(Wide, scratch)),
            (96, 112)
        );
        assert_eq!(
            (offset_of!(Wide, room), offset_of!(Wide, terms)),
            (144, 200)
        );
        assert_eq!(
            (offset_of!(Wide, whole), offset_of!(Wide, cells)),
            (224, 240)
        );
    }
}
