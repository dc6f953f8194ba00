//! TODO

use crate::Kernel;

/// See the module.
pub const KERNEL: Kernel = Kernel {
    name: "rows",
    source: concat!(
        include_str!("counting.cuh"),
        "#line 1 \"rows.cu\"\n",
        include_str!("rows.cu")
    ),
    functions: &["rows", "order_8", "order_16"],
    spills: &[],
};

/// What `rows` takes, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Rows {
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
    /// Eight bytes a row of each anchor of a batch, as `order` makes them.
    pub order: u64,
    /// i64: c·L(c) of every count.
    pub terms: u64,
    /// i64 of each batch: the sums over (x, w).
    pub xw: u64,
    /// i64 of each batch: over (x, w, y).
    pub xwy: u64,
    /// u32 of each column: cells (x, w) that are not 0; null where nobody asks.
    pub occurring: u64,
}
