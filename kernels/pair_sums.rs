//! The exact sums of some pairs.
//!
//! ```text
//! xw = Σ c·L(c) over the table of both columns, xwy = the same by class
//! ```
//!
//! *Shapes*: of each member of [`PairSumsArgs`] there; bits as [`crate::bits`] makes them.
//!
//! *Launch*: `pair_sums`; grid any, a block a pair at a time, block 32 … 1,024 by 32 (128); 4 bytes of
//! dynamic shared memory for each cell, (planes of a + 1) · (planes of b + 1) · classes, and
//! 512 bytes of static.
//!
//! *Exactness*: integers; the same bits for any grid and block.

use crate::{Kernel, counting::sum};

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new(
    "pair_sums",
    source!("counting.cuh", "bits.cuh", "pair_sums.cu"),
    &["pair_sums"],
);

/// Where the bits of a column lie.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct BitColumn {
    /// Its tile.
    pub tile: u64,
    /// u32: of each class, of each plane.
    pub margins: u64,
    /// Its levels but one.
    pub planes: u32,
    /// Its number in the tile.
    pub within: u32,
}
assert_layout!(BitColumn: 24);

/// Arguments, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct PairSumsArgs {
    /// [`BitColumn`]: of each place.
    pub variables: u64,
    /// u32: observations of each class.
    pub sizes: u64,
    /// u32: the chunk where each class begins, and the end.
    pub edges: u64,
    /// Levels of the response.
    pub classes: u32,
    /// Pairs.
    pub count: u32,
    /// i64: c·L(c) of every c.
    pub terms: u64,
    /// [`crate::pairs::PairBounds`]: the pairs; only their places are looked at.
    pub found: u64,
    /// i64: of each pair xw, then xwy.
    pub sums: u64,
}
assert_layout!(PairSumsArgs: 56; terms: 32, sums: 48);

/// xw and xwy.
///
/// ```
/// // c·log2 c: four cells of one, of two classes.
/// let terms = [0, 0, 2, 5, 8];
/// let recount = passel_kernels::pair_sums::reference;
/// assert_eq!(recount(&[0, 0, 1, 1], &[1, 1, 0, 0], &[0, 1, 0, 0], &terms), (4, 2));
/// ```
pub fn reference(x: &[u8], w: &[u8], y: &[u8], terms: &[i64]) -> (i64, i64) {
    let rows = || x.iter().zip(w);
    let xwy = rows().zip(y);
    (sum(rows(), terms), sum(xwy, terms))
}
