//! [`crate::pairs`] of any number of levels and classes.
//!
//! Counts of a class at a time go through shared memory, and some lanes have a pair.
//!
//! *Shapes*: [`crate::pairs::PairArgs`]; `pair_levels_16` of less than 65,536 observations, `pair_levels_32` of
//! less than [`crate::pairs::ROWS`]; columns of at most 129 levels.
//!
//! *Launch*: as [`crate::pairs`]; block
//! [`BitProducts::threads`], [`shared`] bytes of dynamic shared memory.
//!
//! *Before and after*, *exactness*: the same. A cell is summed by row, rows by pair, pairs by class.

use crate::{
    Kernel,
    bits::SIDE,
    pairs::{self, BitProducts},
};

by_products!(
    "pair_levels",
    "pair_levels.cu",
    &["pair_levels_16", "pair_levels_32"],
    // A few numbers are put aside before the products: two blocks of a multiprocessor are more.
    spills: &[("sm_90a", "pair_levels_16"), ("sm_90a", "pair_levels_32")]
);

/// Bytes of shared memory, for columns of so many rows of bits either side and so many classes
/// told apart; of `pair_levels_32` or not; whether the GPU is one of 8.0 or later.
pub fn shared(
    planes: [usize; 2],
    classes: usize,
    long: bool,
    (products, ahead): (BitProducts, bool),
) -> usize {
    let counts = match long {
        true => 4 * SIDE * (SIDE + 4),
        false => 2 * SIDE * (SIDE + 8),
    };
    let (stages, barriers) = products.staged(ahead);
    let each = planes.map(|planes| SIDE / planes);
    let facts = planes.map(|planes| SIDE / planes * pairs::facts(planes + 1, classes));
    let floats = each[0] * each[1] + facts[0] + facts[1];
    stages.max(counts) + counts + 4 * floats + barriers
}

/// See [`crate::pairs::reference`].
///
/// ```
/// let (xw, xwy) = passel_kernels::pair_levels::reference(&[2, 0, 0, 0, 2, 0, 0, 0, 2], 3, 3);
/// assert!((xw - 6.0 * 3f64.log2()).abs() < 1e-12 && xw == xwy);
/// ```
pub fn reference(counts: &[u64], x: usize, w: usize) -> (f64, f64) {
    pairs::reference(counts, x, w)
}
