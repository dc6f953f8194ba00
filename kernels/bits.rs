//! Columns as rows of bits, for products that count.
//!
//! ```text
//! bit(x, l, i) = 1 where column x has level l in observation order(i), for all its levels but the last
//! margin(x, k, l) = bits set of those of class k
//! ```
//!
//! Observations lie class by class, and each class is filled up to [`BITS`] with none. Of the last
//! level a table has what the others leave.
//!
//! Rows lie in tiles of [`SIDE`], each a number of whole columns that have as many `planes` (rows)
//! each; a tile chunk by chunk ([`BITS`] of each row), as a kernel has it in shared memory:
//! [`row_of`], [`word_at`].
//!
//! *Shapes*: of each member of [`BitsArgs`] there.
//!
//! *Launch*: `bits`, grid (columns, any ≤ 65,535), block 32 … 1,024 by 32 (256); then `margins`,
//! grid any, the same block. No shared memory.
//!
//! *Before and after*: rows of a tile beyond its columns' are left: they are 0 before.
//!
//! *Exactness*: integers.

use crate::Kernel;

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new(
    "bits",
    source!("counting.cuh", "bits.cuh", "bits.cu"),
    &["bits", "margins"],
);

/// Rows of a tile.
pub const SIDE: usize = 128;
/// Bits of a row in a chunk.
pub const BITS: usize = 512;
/// Bytes of a chunk of a tile.
pub const PIECES: usize = SIDE * BITS / 8;

/// Arguments of both functions, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct BitsArgs {
    /// u8: codes of `columns` columns, `stride` from one to the next.
    pub codes: u64,
    /// At least `rows`.
    pub stride: i64,
    /// u32: the observation of each bit; `rows` for none.
    pub order: u64,
    /// Observations.
    pub rows: u32,
    /// Of a tile.
    pub chunks: u32,
    /// Rows of a column: its levels but one, at most [`SIDE`].
    pub planes: u32,
    /// Columns of a tile.
    pub each: u32,
    /// The first of these columns among those of the group.
    pub first: u32,
    /// How many they are. Four bytes behind it are free.
    pub columns: u32,
    /// The group's first tile.
    pub tiles: u64,
    /// u32: the chunk where each class begins, and the end.
    pub edges: u64,
    /// Levels of the response. Four bytes behind it are free.
    pub classes: u32,
    /// u32: of each column of the group, of each class, of each of its planes.
    pub margins: u64,
}
assert_layout!(BitsArgs: 80; tiles: 48, edges: 56, margins: 72);

/// The row of a tile that a plane of one of its columns has: of two planes a column eight
/// columns have their first, then the same eight their second.
///
/// ```
/// use passel_kernels::bits::row_of;
/// assert_eq!((row_of(9, 0, 1), row_of(5, 2, 9)), (9, 47));
/// assert_eq!((row_of(3, 0, 2), row_of(3, 1, 2), row_of(8, 0, 2)), (3, 11, 16));
/// ```
pub fn row_of(column: usize, plane: usize, planes: usize) -> usize {
    match planes {
        2 => column / 8 * 16 + column % 8 + 8 * plane,
        _ => column * planes + plane,
    }
}

/// The byte of a tile where 32 bits of a row begin.
///
/// ```
/// use passel_kernels::bits::word_at;
/// assert_eq!((word_at(0, 5), word_at(2, 5), word_at(1, 16)), (20, 132, 8192 + 64));
/// ```
pub fn word_at(row: usize, word: usize) -> usize {
    let piece = (word % 16 / 4) ^ (row / 2 % 4);
    word / 16 * PIECES + row * (BITS / 8) + 16 * piece + 4 * (word % 4)
}

/// The bits of a row: of a level, of the codes in their order.
///
/// ```
/// let bits = passel_kernels::bits::reference(&[1, 0, 2, 1], &[3, 0, 4, 1], 1);
/// assert_eq!(bits, [true, true, false, false]);
/// ```
pub fn reference(codes: &[u8], order: &[u32], level: u8) -> Vec<bool> {
    let set = |row: &u32| codes.get(*row as usize) == Some(&level);
    order.iter().map(set).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_row_and_every_word_has_its_own_place() {
        for planes in [1, 2, 3, 9, 63, 128] {
            let each = SIDE / planes;
            let rows = (0..each * planes).map(|at| row_of(at / planes, at % planes, planes));
            let rows: BTreeSet<usize> = rows.collect();
            assert_eq!(rows.len(), each * planes, "{planes}");
            assert!(rows.last() < Some(&SIDE));
        }
        let words = (0..SIDE * 32).map(|at| word_at(at / 32, at % 32));
        let words: BTreeSet<usize> = words.collect();
        assert_eq!(words.len(), SIDE * 32);
        assert_eq!(words.last(), Some(&(2 * PIECES - 4)));
    }
}
