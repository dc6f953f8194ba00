//! GPUs that walk together: the best of all of them becomes the next anchor of each, without
//! the host.
//!
//! ```text
//! best = the pick of the largest score of all GPUs, of the lowest number where several have it
//! own  = taken, and the anchor, on the GPU that it lies on
//! else = the anchor, with its place behind all places: where it lies on its GPU, or on this one
//!        where it is brought
//! ```
//!
//! Every GPU has a [`Mailbox`] that all of them write: a GPU writes its pick to each, four bytes in
//! a word beside the number of the meeting, and waits until all have written so to its own. A long
//! column is brought: each GPU but the one it lies on reads its part over the link and writes it
//! to all of these, so that the column leaves its GPU once. Numbers only grow; a GPU that has
//! left because the host raised `stop` writes nothing from then on, so that no other goes by
//! what it finds.
//!
//! *Shapes*: of each member of [`PeerArgs`] there.
//!
//! *Launch*, on every GPU the same functions in the same order, with every number once:
//!
//! | function | grid | block | what |
//! | --- | --- | --- | --- |
//! | `score_all_reduce` | any | 32 … 256 by 32 (256) | [`crate::score`] of one batch that takes none; the best of all |
//! | `broadcast_column` | any | 32 … 512 by 32 (512) | the column, behind `score_all_reduce`, if it is long |
//!
//! Less than 3 KiB of static shared memory, none dynamic. Without GPUs nobody is met: so that
//! functions can be loaded while nobody waits.
//!
//! *Before and after*: every [`Mailbox`] is 0 before the first meeting. A GPU that has come to a
//! meeting reads nothing any more of the column brought before, nor of the letters of the last
//! meeting but one: those are what others write next. Kernels wait for kernels of other GPUs
//! alone, those launched before them in this order: a host that puts them on GPU by GPU must
//! not wait for one GPU before it has launched on another.
//!
//! *Exactness*: comparisons of integers; which GPU has which columns does not show.

use std::ops::Range;

use crate::{
    Kernel,
    counting::ColumnCodes,
    score::{NONE, Pick},
};

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel {
    name: "peer_argmax",
    source: concat!(
        include_str!("counting.cuh"),
        "#line 1 \"score.cuh\"\n",
        include_str!("score.cuh"),
        "#line 1 \"peer_argmax.cu\"\n",
        include_str!("peer_argmax.cu")
    ),
    functions: &["score_all_reduce", "broadcast_column"],
    spills: &[],
};

/// Most GPUs that walk together.
pub const MAX_GPUS: usize = 16;

/// What a GPU tells of its best.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Message {
    /// The best.
    pub pick: Pick,
    /// Where that column lies; of no matter where there is none.
    pub place: ColumnCodes,
}

/// Words of a letter, of four bytes each.
pub const WORDS: usize = size_of::<Message>() / 4;

/// What lies on each GPU, where all of them write. Four bytes behind it are free.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Mailbox {
    /// Of even and of odd meetings, by GPU: each word below the lower half of the meeting's
    /// number.
    pub messages: [[[u64; WORDS]; MAX_GPUS]; 2],
    /// By GPU the last meeting of which it has brought its part.
    pub parts: [u64; MAX_GPUS],
    /// Where the column lies that is to be brought.
    pub from: u64,
    /// Its bytes; 0 where none is.
    pub bytes: u64,
    /// The GPU it lies on.
    pub winner: u32,
    /// Not 0 once the GPU has left.
    pub left: u32,
    /// Blocks of `broadcast_column` that have come to its end; 0 before and after.
    pub arrived: u32,
}

/// What the functions take, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct PeerArgs {
    /// [`Mailbox`]: of each GPU.
    pub mailboxes: [u64; MAX_GPUS],
    /// u8: of each GPU room for a long column, at a multiple of 16 bytes.
    pub column_buffers: [u64; MAX_GPUS],
    /// How many GPUs there are; 0 where nobody is met.
    pub gpus: u32,
    /// This one.
    pub gpu: u32,
    /// The number of the meeting, above those of all before.
    pub sequence: u64,
    /// u32 of the host's memory: not 0 where whoever waits is to leave.
    pub stop: u64,
    /// [`ColumnCodes`]: of each column of the GPU, and one more.
    pub places: u64,
    /// [`crate::counting::AnchorSums`]: one, becomes the best.
    pub anchor: u64,
    /// [`Pick`]: the best of all; null where the host does not look.
    pub pick: u64,
    /// Bytes of a column that is brought, at least.
    pub from: u64,
}

/// The GPU that has the best of all, from the best of each; none where none is to be chosen.
///
/// ```
/// use passel_kernels::{peer_argmax::reference, score::{NONE, Pick}};
/// let pick = |score, number| Pick { score, number, ..Pick::default() };
/// let picks = [pick(0, NONE), pick(-3, 7), pick(-2, 9), pick(-2, 8)];
/// assert_eq!(reference(&picks), Some(3));
/// assert_eq!(reference(&picks[..2]), Some(1));
/// assert_eq!(reference(&picks[..1]), None);
/// ```
pub fn reference(picks: &[Pick]) -> Option<usize> {
    let chosen = (0..picks.len()).filter(|&gpu| picks[gpu].number != NONE);
    chosen.max_by_key(|&gpu| (picks[gpu].score, std::cmp::Reverse(picks[gpu].number)))
}

/// Bytes of a column of so many rows where it lies in one piece, a code for each row; none
/// elsewhere.
///
/// ```
/// use passel_kernels::{counting::ColumnCodes, peer_argmax::bytes};
/// let of = |bits, length| bytes(&ColumnCodes { bits, length, ..ColumnCodes::default() }, 33);
/// assert_eq!([of(4, 1), of(8, 1), of(16, 1)], [24, 48, 96].map(Some));
/// // SortedRow by row among others, and entries.
/// assert_eq!([of(8, 128), of(0, 1)], [None, None]);
/// ```
pub fn bytes(place: &ColumnCodes, rows: usize) -> Option<usize> {
    let whole = place.bits != 0 && place.length == 1;
    whole.then(|| rows.div_ceil(16) * 2 * place.bits as usize)
}

/// Which of a column's words a GPU brings.
///
/// ```
/// use passel_kernels::peer_argmax::part;
/// // GPUs 0, 2 and 3 bring what GPU 1 has.
/// let parts = [0, 2, 3].map(|gpu| part(100, (gpu, 1, 4)));
/// assert_eq!(parts, [0..48, 48..96, 96..100]);
/// ```
pub fn part(words: u64, (gpu, winner, gpus): (u64, u64, u64)) -> Range<u64> {
    let each = words.div_ceil(gpus - 1).next_multiple_of(16);
    let from = words.min(each * (gpu - u64::from(gpu > winner)));
    from..words.min(from + each)
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::*;

    #[test]
    fn every_word_is_brought_once() {
        for gpus in 2..=MAX_GPUS as u64 {
            for (words, winner) in [(1, 0), (16, 1), (1000, gpus - 1), (131_073, gpus / 2)] {
                let others = (0..gpus).filter(|gpu| *gpu != winner);
                let brought = others.flat_map(|gpu| part(words, (gpu, winner, gpus)));
                assert!(brought.eq(0..words), "{words} {winner} {gpus}");
            }
        }
    }

    #[test]
    fn the_order_of_gpus_does_not_show() {
        let pick = |at: u32| Pick {
            score: i128::from(at % 3),
            number: if at == 4 { NONE } else { 7 * at % 11 },
            ..Pick::default()
        };
        let mut picks: Vec<Pick> = (0..9).map(pick).collect();
        for _ in 0..9 {
            picks.rotate_left(1);
            let best = picks[reference(&picks).unwrap()];
            assert_eq!((best.score, best.number), (2, 1));
        }
    }

    #[test]
    fn structs_lie_as_c_lays_them() {
        let sizes = [
            size_of::<Message>(),
            size_of::<Mailbox>(),
            size_of::<PeerArgs>(),
        ];
        assert_eq!(sizes, [96, 6304, 312]);
        assert_eq!((WORDS, offset_of!(Message, place)), (24, 64));
        let post = [
            offset_of!(Mailbox, parts),
            offset_of!(Mailbox, from),
            offset_of!(Mailbox, winner),
            offset_of!(Mailbox, arrived),
        ];
        assert_eq!(post, [6144, 6272, 6288, 6296]);
        let args = [
            offset_of!(PeerArgs, gpus),
            offset_of!(PeerArgs, sequence),
            offset_of!(PeerArgs, pick),
            offset_of!(PeerArgs, from),
        ];
        assert_eq!(args, [256, 264, 296, 304]);
    }
}
