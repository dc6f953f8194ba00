//! The floor: what a pair has to score to be among the best, from the pairs found so far.
//!
//! ```text
//! floor = max(floor, the wanted-th largest `least` of the pairs found)
//! found = those of them whose `most` ≥ floor, or ≥ that of one of their two columns, in their order
//! ```
//!
//! As many pairs as are wanted score `floor` at least, so that what is below it is not among the
//! best, whichever of equal scores are preferred. Where more were found than there is room for, some
//! were lost: the floor rises by those with a place, but only those stay that were there before.
//!
//! *Shapes*: of each member of [`PairFloorArgs`] there.
//!
//! *Launch*: `pair_floor`; grid 1, block 1,024. Less than 2 KiB of static shared memory, none dynamic.
//!
//! *Exactness*: comparisons of floats alone; scores are numbers or infinite.

use crate::{Kernel, pairs::PairBounds};

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new("pair_floor", source!("pair_floor.cu"), &["pair_floor"]);

/// Arguments, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct PairFloorArgs {
    /// [`PairBounds`]: `room` places.
    pub found: u64,
    /// u32: how many were found; how many stay, after.
    pub found_count: u64,
    /// Places of `found`.
    pub room: u32,
    /// How many there were before the last launch.
    pub kept: u32,
    /// How many of the best are wanted.
    pub wanted: u64,
    /// f32: what is below is not wanted.
    pub floor: u64,
    /// u32: how many were found, how many stay, and the bits of the floor.
    pub out: u64,
    /// u32: as in [`crate::pairs::PairArgs`]; what reaches that of one of both stays too.
    pub floors: u64,
}
assert_layout!(PairFloorArgs: 56; wanted: 24, out: 40, floors: 48);

/// The new floor and the pairs that stay, where no column has a floor of its own. `found` are all pairs
/// found, in their order; `kept` of them were there before, and `room` have places.
///
/// ```
/// use passel_kernels::{pairs::PairBounds, pair_floor::reference};
/// let pair = |least| PairBounds { a: 0, b: 1, least, most: least + 1.0 };
/// let found = [1.0, 5.0, 3.5, 4.0].map(pair);
/// let (floor, stay) = reference(&found, (4, 0), 2, f32::NEG_INFINITY);
/// assert_eq!((floor, stay), (4.0, vec![found[1], found[2], found[3]]));
/// // The last was lost.
/// let (floor, stay) = reference(&found, (3, 1), 2, f32::NEG_INFINITY);
/// assert_eq!((floor, stay.len()), (3.5, 0));
/// ```
pub fn reference(
    found: &[PairBounds],
    (room, kept): (usize, usize),
    wanted: usize,
    floor: f32,
) -> (f32, Vec<PairBounds>) {
    let there = &found[..found.len().min(room)];
    let mut least: Vec<f32> = there.iter().map(|pair| pair.least).collect();
    least.sort_by(|a, b| b.total_cmp(a));
    let reached = wanted.checked_sub(1).and_then(|at| least.get(at));
    let floor = reached.map_or(floor, |least| least.max(floor));
    let stay = if found.len() > room {
        &found[..kept]
    } else {
        there
    };
    let above = stay.iter().filter(|pair| pair.most >= floor);
    (floor, above.copied().collect())
}
