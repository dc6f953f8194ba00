//! Many observations and two columns of few levels: both are counted in one table of cells (w, a,
//! b), whose margins are the tables (w, a) and (w, b). That increments one cell instead of two, and
//! vectors compute its index from the three codes.

use super::class_order::SortedVariable;
use crate::{device::counting::LogTable, vector::vectorised};

/// Most levels of a column.
pub(super) const LEVELS: usize = 1 << BITS;
const BITS: u32 = 5;

/// Most levels of a conditioning variable: a cell's index has 16 bits.
pub(super) const ANCHOR: usize = 1 << (16 - 2 * BITS);

/// Fewest observations per level of the conditioning variable for which this is faster: in the end
/// all cells (a, b) of each level are added up.
const EACH: usize = 256;

const CELLS: usize = 1 << 16;

/// Number of cells of one level of the conditioning variable.
const TILE: usize = LEVELS * LEVELS;

/// Number of cell indices computed at once.
const BLOCK: usize = 128;

/// The table of one thread, zero between two uses. 16-bit cells let it stay in the L1 cache.
#[derive(Debug, Default)]
pub(super) struct PairTable(Vec<u16>);

/// Whether this is the fastest way to count columns of so many levels.
pub(super) fn suits(n: usize, levels: usize, anchor: &SortedVariable) -> bool {
    levels <= LEVELS && anchor.levels <= ANCHOR && n >= EACH * anchor.levels
}

/// Σ c·L(c) over x and (x, w) of both columns.
///
/// *Shapes:* each of `x` has n codes, in class order.
pub(super) fn sums(
    x: [&[u8]; 2],
    anchor: &SortedVariable,
    logs: &LogTable,
    table: &mut PairTable,
) -> [[i64; 2]; 2] {
    table.0.resize(CELLS, 0);
    let mut sums = [[0; 2]; 2];
    let Some(cells) = table.0.first_chunk_mut() else {
        return sums;
    };
    let offsets = anchor.short_offsets(2 * BITS);
    // In a block no cell can overflow, nor any margin within a level.
    let block = match u16::try_from(anchor.largest) {
        Ok(_) => offsets.len().max(1),
        Err(_) => usize::from(u16::MAX),
    };
    let mut margins = [[[0; LEVELS]; 2]; ANCHOR];
    let blocks = x[0].chunks(block).zip(x[1].chunks(block));
    for ((a, b), offsets) in blocks.zip(offsets.chunks(block)) {
        count(a, b, offsets, cells);
        drain(&mut cells[..TILE * anchor.levels], &mut margins);
    }
    let mut all = [[0; LEVELS]; 2];
    for margins in &margins[..anchor.levels] {
        for ((sums, all), margin) in sums.iter_mut().zip(&mut all).zip(margins) {
            sums[1] += logs.sum(margin);
            for (all, count) in all.iter_mut().zip(margin) {
                *all += count;
            }
        }
    }
    for (sums, all) in sums.iter_mut().zip(&all) {
        sums[0] = logs.sum(all);
    }
    sums
}

vectorised! {
    fn count<'a>(a: &'a [u8], b: &'a [u8], offsets: &'a [u16], cells: &'a mut [u16; CELLS])
        -> () = count_in;
}

#[inline(always)]
fn count_in<S: pulp::Simd>(
    _simd: S,
    a: &[u8],
    b: &[u8],
    offsets: &[u16],
    cells: &mut [u16; CELLS],
) {
    let cell = |a: u8, b: u8, offset| offset | u16::from(a) << BITS | u16::from(b);
    let (a, a_rest) = a.as_chunks::<BLOCK>();
    let (b, b_rest) = b.as_chunks::<BLOCK>();
    let (offsets, rest) = offsets.as_chunks::<BLOCK>();
    let mut indices = [0; BLOCK];
    for ((a, b), offsets) in a.iter().zip(b).zip(offsets) {
        for at in 0..BLOCK {
            indices[at] = cell(a[at], b[at], offsets[at]);
        }
        for index in indices {
            cells[usize::from(index)] += 1;
        }
    }
    for ((&a, &b), &offset) in a_rest.iter().zip(b_rest).zip(rest) {
        cells[usize::from(cell(a, b, offset))] += 1;
    }
}

vectorised! {
    /// Adds the cells to the margins and clears them.
    fn drain<'a>(cells: &'a mut [u16], margins: &'a mut [[[u32; LEVELS]; 2]; ANCHOR])
        -> () = drain_in;
}

#[inline(always)]
fn drain_in<S: pulp::Simd>(
    _simd: S,
    cells: &mut [u16],
    margins: &mut [[[u32; LEVELS]; 2]; ANCHOR],
) {
    for (tile, [own_a, own_b]) in cells.as_chunks_mut::<TILE>().0.iter_mut().zip(margins) {
        let mut of_b = [0u16; LEVELS];
        for (own_a, row) in own_a.iter_mut().zip(tile.as_chunks_mut::<LEVELS>().0) {
            let mut of_a = 0u16;
            for (of_b, cell) in of_b.iter_mut().zip(row) {
                of_a += *cell;
                *of_b += *cell;
                *cell = 0;
            }
            *own_a += u32::from(of_a);
        }
        for (own_b, of_b) in own_b.iter_mut().zip(of_b) {
            *own_b += u32::from(of_b);
        }
    }
}
