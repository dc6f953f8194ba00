//! Columns of at most four levels against a batch of anchors of few joint codes.
//!
//! The sums are those of [`crate::dense`]. Rows are bits: `planes` makes 32 rows of each joint
//! code a word, `tiny` makes those of each code of x but 0 a word where it reads them, and a cell is
//! counted 32 rows at a time, in a register of every thread. Code 0 has what the others leave.
//!
//! *Shapes*: of each member of [`PlanesArgs`] and [`TinyArgs`] there; codes of 4 bits and joint codes of
//! 8 as in [`crate::counting::packed`], codes below X; an anchor's levels · classes are at most
//! `wide`, and that is at most W. tiles = ⌈rows / 2,048⌉, a warp's at a time.
//!
//! *Launch*: `planes`, then `tiny_X_W` of [`SHAPES`], columns of at most X levels beside at most W
//! joint codes:
//!
//! | function | grid | block |
//! | --- | --- | --- |
//! | `planes` | (any, batch ≤ 65,535) | 32 … 1,024 by 32 (256) |
//! | `tiny_X_W` | (⌈columns / C⌉ · parts, batch) | [`THREADS`] |
//!
//! C is how many columns a block has ([`TinyShape::columns`]). Less than 2 KiB of static shared
//! memory, none dynamic.
//!
//! *Before and after*: `totals` is 0 before; `partial` and `arrived` are before and after, and may
//! be null where parts = 1. `occurring` is raised, by each of a batch; `xwy` is left where
//! there is one class. An excluded column has sums where another of its warp is not, else its sums stay
//! as they were.
//!
//! *Exactness*: integers; the same bits for any grid, block and parts. Rows < 2³².

use crate::{
    Kernel,
    counting::{counts, sum},
};

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new(
    "tiny",
    source!("counting.cuh", "tiny.cu"),
    &[
        "planes",
        "tiny_2_2",
        "tiny_2_4",
        "tiny_2_8",
        "tiny_2_12",
        "tiny_3_2",
        "tiny_3_4",
        "tiny_3_6",
        "tiny_3_8",
        "tiny_3_12",
        "tiny_4_2",
        "tiny_4_4",
        "tiny_4_8",
    ],
);

/// Rows of a tile.
pub const TILE: usize = 2048;

/// Threads of a block of `tiny`.
pub const THREADS: u32 = 256;

/// A `tiny` kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TinyShape {
    /// Its name.
    pub function: &'static str,
    /// Most levels of x.
    pub levels: usize,
    /// Most joint codes.
    pub wide: usize,
    /// Columns of a block.
    pub columns: usize,
}

/// Those there are; of one X those of fewer joint codes first.
pub const SHAPES: &[TinyShape] = &[
    shape("tiny_2_2", 2, 2, 4),
    shape("tiny_2_4", 2, 4, 4),
    shape("tiny_2_8", 2, 8, 2),
    shape("tiny_2_12", 2, 12, 2),
    shape("tiny_3_2", 3, 2, 4),
    shape("tiny_3_4", 3, 4, 2),
    shape("tiny_3_6", 3, 6, 2),
    shape("tiny_3_8", 3, 8, 2),
    shape("tiny_3_12", 3, 12, 2),
    shape("tiny_4_2", 4, 2, 2),
    shape("tiny_4_4", 4, 4, 2),
    shape("tiny_4_8", 4, 8, 2),
];

/// Each warp has so many columns.
const fn shape(function: &'static str, levels: usize, wide: usize, columns: usize) -> TinyShape {
    TinyShape {
        function,
        levels,
        wide,
        columns: columns * THREADS as usize / 32,
    }
}

impl TinyShape {
    /// The smallest for columns of at most so many levels beside so many joint codes.
    ///
    /// ```
    /// # use passel_kernels::tiny::TinyShape;
    /// assert_eq!(TinyShape::of(3, 6).map(|shape| shape.function), Some("tiny_3_6"));
    /// assert_eq!(TinyShape::of(1, 5).map(|shape| shape.function), Some("tiny_2_8"));
    /// assert_eq!((TinyShape::of(5, 2), TinyShape::of(4, 9)), (None, None));
    /// ```
    pub fn of(levels: usize, wide: usize) -> Option<Self> {
        let fits = |shape: &&Self| shape.levels >= levels && shape.wide >= wide;
        SHAPES.iter().find(fits).copied()
    }

    /// Counts of a group of columns in `partial`.
    pub fn counts(&self) -> usize {
        self.columns * (self.levels - 1) * self.wide
    }
}

/// Arguments of `planes`, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanesArgs {
    /// u8: of a batch, joint codes.
    pub joint: u64,
    /// Bytes from one of a batch to the next.
    pub joint_stride: i64,
    /// Observations.
    pub rows: i64,
    /// ⌈`rows` / [`TILE`]⌉.
    pub tiles: i64,
    /// Joint codes there may be, at most 32. Four bytes behind it are free.
    pub wide: u32,
    /// u32: of a batch, of each joint code, 64 of each tile, 8 bytes aligned.
    pub planes: u64,
    /// u32: of a batch, the rows of each joint code.
    pub totals: u64,
}
assert_layout!(PlanesArgs: 56; planes: 40);

/// Arguments of `tiny`, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct TinyArgs {
    /// Of a pack, codes of 4 bits.
    pub codes: u64,
    /// Bytes from one column to the next, a multiple of 8.
    pub stride: i64,
    /// u8: of each column, not 0 where it is no candidate; null where all are.
    pub excluded: u64,
    /// Of the pack.
    pub columns: u32,
    /// Columns of all packs: from one anchor's sums to the next.
    pub places: u32,
    /// ⌈rows / 16⌉.
    pub vectors: i64,
    /// ⌈rows / [`TILE`]⌉.
    pub tiles: i64,
    /// As [`PlanesArgs`] made them.
    pub planes: u64,
    /// As [`PlanesArgs`] counted them.
    pub totals: u64,
    /// [`crate::counting::AnchorSums`]: of the batch.
    pub anchors: u64,
    /// Levels of the response.
    pub classes: u32,
    /// Joint codes there are planes of.
    pub wide: u32,
    /// Blocks that share columns. Four bytes behind it are free.
    pub parts: u32,
    /// u32: [`TinyShape::counts`] of each group of columns of the batch.
    pub partial: u64,
    /// u32: a counter for each of them.
    pub arrived: u64,
    /// i64: c·L(c) of the counts 0 … rows.
    pub terms: u64,
    /// i64: `places` of each of the batch, from the pack's first column on.
    pub xw: u64,
    /// i64: as many.
    pub xwy: u64,
    /// u32: of each column, cells (x, w) that are not 0; or null.
    pub occurring: u64,
}
assert_layout!(TinyArgs: 136; vectors: 32, classes: 72, partial: 88, occurring: 128);

/// The words of a joint code: of each tile 32 lanes' two halves.
///
/// ```
/// // SortedRow 17 is row 1 of the second vector, which lane 1 has: bit 4 of its first half.
/// let mut joint = [0; 40];
/// joint[17] = 5;
/// let words = passel_kernels::tiny::plane(&joint, 5);
/// assert_eq!((words.len(), words[2]), (64, 1 << 4));
/// ```
pub fn plane(joint: &[u32], code: u32) -> Vec<u32> {
    let mut words = vec![0; joint.len().div_ceil(TILE) * 64];
    for row in (0..joint.len()).filter(|row| joint[*row] == code) {
        let (vector, row) = (row / 16, row % 16);
        let (tile, vector) = (vector / 128, vector % 128);
        let lane = tile * 32 + vector % 32;
        words[2 * lane + row / 8] |= 1 << (row % 8 * 4 + vector / 32);
    }
    words
}

/// The sums of one column, over (x, w) and over (x, w, y), by its cells' common bits.
///
/// ```
/// // c·log2 c; w is 0, 0, 1, 1 and y 0, 1, 0, 0.
/// let sums = passel_kernels::tiny::reference(&[2, 2, 1, 2], &[0, 1, 2, 2], 2, &[0, 0, 2, 5, 8]);
/// assert_eq!(sums, [2, 0]);
/// ```
pub fn reference(x: &[u32], joint: &[u32], classes: u32, terms: &[i64]) -> [i64; 2] {
    let (mut levels, mut cells) = (Vec::new(), Vec::new());
    for &code in counts(x.iter().copied()).keys() {
        let own = plane(x, code);
        for &joint_code in counts(joint.iter().copied()).keys() {
            let both = own.iter().zip(plane(joint, joint_code)).map(|(a, b)| a & b);
            for _ in 0..both.map(u32::count_ones).sum() {
                levels.push((code, joint_code / classes));
                cells.push((code, joint_code));
            }
        }
    }
    [sum(levels, terms), sum(cells, terms)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        counting::tests::{codes, terms},
        dense,
    };

    #[test]
    fn common_bits_are_the_cells_of_a_table() {
        for n in [1, 15, 700, 2049] {
            let (x, joint, terms) = (codes(n, 3, 5), codes(n, 6, 6), terms(n));
            let sums = dense::reference(&x, &joint, 2, &terms);
            assert_eq!(reference(&x, &joint, 2, &terms), sums);
        }
    }

    #[test]
    fn every_row_has_a_bit_of_its_own() {
        let words = plane(&[0; 2500], 0);
        let bits: u32 = words.iter().map(|word| word.count_ones()).sum();
        assert_eq!((words.len(), bits), (128, 2500));
    }

    #[test]
    fn shapes_have_kernels_and_take_what_is_smallest() {
        let of = |shape: &TinyShape| format!("tiny_{}_{}", shape.levels, shape.wide);
        assert!(SHAPES.iter().all(|shape| of(shape) == shape.function));
        let all: Vec<&str> = SHAPES.iter().map(|shape| shape.function).collect();
        assert_eq!(all, KERNEL.functions[1..]);
        let key = |shape: &TinyShape| (shape.levels, shape.wide);
        assert!(SHAPES.is_sorted_by_key(key));
    }
}
