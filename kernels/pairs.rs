//! Scores of all pairs of two groups of columns, bounded in f32.
//!
//! ```text
//! T(xw)  = Σ c·log2(c / e) over the table of x and w,   e(x, w) = n(x)·n(w) / n
//! T(xwy) = the same over the cells of each class, e the same
//! value  = own + x(later) + w(earlier) + xw·T(xw) + xwy·T(xwy)
//! score  = value, or the ratio of two
//! ```
//!
//! Since S(xw) = T(xw) + S(x) + S(w) − S(n), and S(xwy) = T(xwy) + S(x) + S(w) − S(n), every
//! combination of sums whose integers add up to 0 is such a value; parts of one column alone are its
//! x or w. Each is in bits times n. Where columns are independent c / e is near 1: so sums stay
//! small, and floats near them.
//!
//! Counts are products of rows of bits, AND and population count, which tensor cores have; of 512
//! bits at a time both sides are brought to shared memory. A block has a tile of [`crate::bits`]
//! beside another, a thread whole tables; what it keeps are pairs whose score may reach `floor`.
//!
//! *Shapes*: of each member of [`PairArgs`] there; columns of L levels, C classes told apart in a
//! function `…_L_C`; [`facts`] floats of a column.
//!
//! *Launch*: `pairs_L_C`; grid: tiles of `supers` from `first` on, 256 of each, both multiples of
//! [`TILE_MULTIPLE`]; block [`BitProducts::threads`]; [`shared`] bytes of dynamic shared memory.
//!
//! Less than 65,536 observations, of two classes both with some; [`crate::pair_levels`] has no such
//! limits.
//!
//! *Before and after*: `found_count` grows by every pair found; of those beyond `room` nothing else is
//! kept, but `floors` rise by them too.
//!
//! Pairs that [`QuickBound`] says may reach the floor have their score bounded, and few do: it takes a third
//! of the time.
//!
//! *Exactness*: a score is within [`PairValue::off`] of what is computed, for it is made of
//! counts that are exact (n < 2²³), of logarithms with an error of 2⁻²² (where they are small;
//! relative where not), and of sums in f32. A ratio is within what both allow.

use crate::{Kernel, bits::SIDE};

by_products!(
    "pairs",
    "pairs.cu",
    &["pairs_2_1", "pairs_2_2", "pairs_3_1", "pairs_3_2"],
    spills: &[]
);

/// The units that make products of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BitProducts {
    /// Tensor cores, of bits, for a warpgroup at once: those of 9.0 alone.
    Groups,
    /// Tensor cores, of bits.
    Bits,
    /// Tensor cores, of bytes.
    Bytes,
    /// Ordinary cores, 32 bits at a time.
    Words,
}

impl BitProducts {
    /// Threads of a block, of [`KERNEL`] and of [`crate::pair_levels`].
    pub fn threads(self) -> u32 {
        match self {
            // A warp brings chunks.
            Self::Groups => 256 + 32,
            _ => 256,
        }
    }

    /// Chunks that have room in shared memory; whether the GPU brings them ahead, as those of 8.0
    /// and later do.
    fn stages(self, ahead: bool) -> usize {
        match (self, ahead) {
            (Self::Groups, _) => 4,
            (_, true) => 2,
            (_, false) => 1,
        }
    }

    /// Bytes of them, and of their barriers, which begin at a multiple of eight.
    pub(crate) fn staged(self, ahead: bool) -> (usize, usize) {
        let stages = self.stages(ahead);
        let barriers = match self {
            Self::Groups => 16 * stages + 8,
            _ => 0,
        };
        (stages * 2 * crate::bits::PIECES, barriers)
    }
}

/// The tiles of a launch, and its first tile, are multiples of this: two by two work together.
pub const TILE_MULTIPLE: usize = 4;
/// Observations must be fewer.
pub const ROWS: usize = 1 << 23;

/// An upper bound of a score from a sum without logarithms: own + x + w + scale · sum.
///
/// Of one class the sum is Σ c² / e over the table of x and w, of two
///
/// ```text
/// Σ (c − share·m)² / m
/// ```
///
/// over its cells of m observations, c of which are of the first class: for log(t) ≤ t − 1. Where
/// the scale is infinite it says nothing, and each pair is bounded by `over` and `under` at once.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QuickBound {
    /// What no pair differs in, and what rounding may take away.
    pub own: f32,
    /// Of the sum.
    pub scale: f32,
    /// Of two classes: the share of the first.
    pub share: f32,
    /// Nothing.
    pub filler: f32,
}
assert_layout!(QuickBound: 16);

/// Columns that have as many rows of bits each, where they are on a GPU.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ColumnGroup {
    /// The first tile.
    pub tiles: u64,
    /// f32: of each column n / n(l) of every level, 0 where that does not occur; n(l) of each
    /// class; x and w of `over`, x and w of `under`.
    pub facts: u64,
    /// u32: of each column its number among all.
    pub numbers: u64,
    /// Columns.
    pub count: u32,
    /// The place of the first.
    pub first: u32,
    /// Rows of each.
    pub planes: u32,
    /// Columns of a tile.
    pub each: u32,
}
assert_layout!(ColumnGroup: 40);

/// The weights of a value, and its error.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairValue {
    /// Of every pair.
    pub own: f32,
    /// Of T(xw).
    pub xw: f32,
    /// Of T(xwy).
    pub xwy: f32,
    /// No value is farther than this from what is computed.
    pub off: f32,
}
assert_layout!(PairValue: 16);

/// A pair that may be among the best, and the bounds of its score.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairBounds {
    /// The place of the one.
    pub a: u32,
    /// The place of the other.
    pub b: u32,
    /// Its score is not below it.
    pub least: f32,
    /// Its score is not above it.
    pub most: f32,
}
assert_layout!(PairBounds: 16);

/// Arguments of all functions, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct PairArgs {
    /// Those of the tile's rows.
    pub a: ColumnGroup,
    /// Those of its columns.
    pub b: ColumnGroup,
    /// u32: the chunk where each class begins, and the end.
    pub edges: u64,
    /// The end.
    pub chunks: u32,
    /// Levels of the response.
    pub classes: u32,
    /// 1 / n.
    pub per_row: f32,
    /// Whether the score is a ratio.
    pub is_ratio: i32,
    /// The score, or its numerator.
    pub over: PairValue,
    /// The denominator.
    pub under: PairValue,
    /// What the score is not above, by less.
    pub quick: QuickBound,
    /// Whether it matters which of two columns is x: the one of the higher number.
    pub sided: i32,
    /// Whether both groups are one: of its pairs each comes once.
    pub same: i32,
    /// u32: of each 16 × 16 tiles their number down and across.
    pub supers: u64,
    /// The tile of the first block, of 256 for each of `supers`.
    pub first: i64,
    /// f32: what is below is wanted by `floors` alone.
    pub floor: u64,
    /// u32: of each place what its best pair is not below, in the order of integers, raised by what is
    /// told: a pair that reaches that of one of its two is wanted whatever `floor` is. Null where
    /// not wanted.
    pub floors: u64,
    /// [`PairBounds`]: `room` places.
    pub found: u64,
    /// u32: how many are found.
    pub found_count: u64,
    /// Places. Four bytes behind it are free.
    pub room: u32,
}
assert_layout!(PairArgs: 216;
    edges: 80, over: 104, quick: 136, sided: 152, supers: 160, first: 168, floors: 184, room: 208);

/// Floats of a column of so many levels, where so many classes are told apart.
pub fn facts(levels: usize, classes: usize) -> usize {
    levels * (classes + 1) + 4
}

/// Bytes of shared memory, for columns of at most three levels and two classes at most; whether
/// the GPU is one of 8.0 or later.
pub fn shared(levels: usize, classes: usize, products: BitProducts, ahead: bool) -> usize {
    let counts = 2 * SIDE * SIDE;
    let (stages, barriers) = products.staged(ahead);
    let sides = 2 * (SIDE / (levels - 1)) * facts(levels, classes) * 4;
    // Of each lane of eight warps, that was looked at before and now.
    let pairs = match products {
        BitProducts::Groups => 8,
        _ => 32,
    };
    let queues = 8 * 32 * (pairs / (levels - 1) + 1) * 2;
    stages.max(counts) + (classes - 1) * counts + sides + barriers + queues
}

/// T(xw) and T(xwy) of a table, counts of (x, w, y) by class, then x, then w.
///
/// ```
/// // x and w are equal: each cell of two is twice what is expected.
/// let (xw, xwy) = passel_kernels::pairs::reference(&[1, 0, 0, 1, 1, 0, 0, 1], 2, 2);
/// assert_eq!((xw, xwy), (4.0, 0.0));
/// ```
pub fn reference(counts: &[u64], x: usize, w: usize) -> (f64, f64) {
    let mut both = vec![0u64; x * w];
    for class in counts.chunks(x * w) {
        both.iter_mut()
            .zip(class)
            .for_each(|(sum, own)| *sum += own);
    }
    let n = both.iter().sum::<u64>() as f64;
    let of_x: Vec<u64> = both.chunks(w).map(|row| row.iter().sum()).collect();
    let of_w = |j: usize| both.iter().skip(j).step_by(w).sum::<u64>();
    let of_w: Vec<u64> = (0..w).map(of_w).collect();
    let sum = |counts: &[u64]| {
        let term = |(at, &count): (usize, &u64)| {
            let expected = of_x[at / w] as f64 * of_w[at % w] as f64 / n;
            match count {
                0 => 0.0,
                count => count as f64 * (count as f64 / expected).log2(),
            }
        };
        counts.iter().enumerate().map(term).sum::<f64>()
    };
    (sum(&both), counts.chunks(x * w).map(sum).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_entropies() {
        let counts: [u64; 12] = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8];
        let (xw, xwy) = reference(&counts, 2, 3);
        let s = |counts: &[u64]| {
            counts
                .iter()
                .map(|&c| c as f64 * (c as f64).log2())
                .sum::<f64>()
        };
        let both: Vec<u64> = (0..6).map(|at| counts[at] + counts[at + 6]).collect();
        let x = [both[..3].iter().sum(), both[3..].iter().sum()];
        let w = [0, 1, 2].map(|j| both[j] + both[j + 3]);
        let alone = s(&x) + s(&w) - s(&[52]);
        assert!((xw - (s(&both) - alone)).abs() < 1e-9);
        assert!((xwy - (s(&counts) - alone)).abs() < 1e-9);
    }
}
