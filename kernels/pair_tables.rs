//! [`crate::pairs`] of many levels, where a table of its own takes less than products of bits.
//!
//! *Shapes*: of each member of [`PairTablesArgs`] there; columns of at most 256 levels, as many classes.
//!
//! *Launch*: `pair_tables`; grid as [`crate::pairs`], block 256 … 1,024 by 32 ([`threads`]); [`shared`] bytes of dynamic shared
//! memory, less than 1 KiB static.
//!
//! *Before and after*, *exactness*: the same. Cells are summed by thread, then by block.

use crate::{
    Kernel,
    pairs::{self, PairArgs},
};

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new(
    "pair_tables",
    source!("counting.cuh", "bits.cuh", "pairs.cuh", "pair_tables.cu"),
    &["pair_tables"],
);

/// Threads of a block that has so many bytes of shared memory: the fewer blocks a multiprocessor
/// has room for, the more.
///
/// ```
/// use passel_kernels::pair_tables::threads;
/// assert_eq!([30_000, 70_000, 200_000].map(threads), [256, 512, 1024]);
/// ```
pub fn threads(shared: usize) -> u32 {
    match shared {
        ..50_000 => 256,
        50_000..110_000 => 512,
        _ => 1024,
    }
}

/// Arguments, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct PairTablesArgs {
    /// As in [`crate::pairs`]; bits and edges are not looked at.
    pub tiles: PairArgs,
    /// u8: codes of the columns of group a, `stride` each.
    pub codes_a: u64,
    /// u8: those of group b.
    pub codes_b: u64,
    /// u8: the response.
    pub y: u64,
    /// Bytes of a column, a multiple of 16; also of the response.
    pub stride: i64,
    /// Observations. Four bytes behind it are free.
    pub rows: u32,
}
assert_layout!(PairTablesArgs: 256; codes_a: 216, rows: 248);

/// Bytes of shared memory, for columns of so many levels and so many classes told apart.
pub fn shared(levels: [usize; 2], classes: usize) -> usize {
    4 * levels[0] * levels[1] * classes
}

/// T(xw) and T(xwy) of two columns.
///
/// ```
/// let (xw, xwy) = passel_kernels::pair_tables::reference([&[0, 0, 1, 1], &[1, 1, 0, 0]], &[0, 1, 0, 1]);
/// assert_eq!((xw, xwy), (4.0, 0.0));
/// ```
pub fn reference(columns: [&[u8]; 2], y: &[u8]) -> (f64, f64) {
    let most = |codes: &[u8]| codes.iter().max().map_or(0, |code| usize::from(*code) + 1);
    let [x, w] = columns.map(most);
    let mut counts = vec![0; x * w * most(y)];
    for ((&a, &b), &k) in columns[0].iter().zip(columns[1]).zip(y) {
        counts[(usize::from(k) * x + usize::from(a)) * w + usize::from(b)] += 1;
    }
    pairs::reference(&counts, x, w)
}
