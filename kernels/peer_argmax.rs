//! All-reduce of the arg max over GPUs: the best candidate of all becomes the next anchor on each,
//! without the host.
//!
//! ```text
//! best   = the pick of the largest score of all GPUs, of the lowest number where several have it
//! winner = the GPU of that column: excludes it, and its anchor is the column where it is
//! others = their anchor has the place behind all places: the column where it is on the winner, or
//!          in this GPU's own column buffer, where it is broadcast
//! ```
//!
//! Every GPU has a [`Mailbox`] that all of them write. In a *round* a GPU writes its [`Message`], its
//! best pick, to every mailbox, and waits until its own has one of each GPU: four bytes of a message
//! in a word beside the round's number, so that no fence is needed. A long column is broadcast: each
//! GPU but the winner reads its part over the link and writes it to all of these, so that the column
//! leaves its GPU once. Round numbers only grow. A GPU that has left, because the host raised `stop`,
//! writes nothing from then on, so that no other follows a pick of it.
//!
//! *Shapes*: of each member of [`PeerArgs`] there.
//!
//! *Launch*, on every GPU the same functions in the same order, with every number once:
//!
//! | function | grid | block | what |
//! | --- | --- | --- | --- |
//! | `score_all_reduce` | any | 32 … 256 by 32 (256) | [`crate::score`] of one batch without `next`; the best of all |
//! | `broadcast_column` | any | 32 … 512 by 32 (512) | behind `score_all_reduce`: the column, if it is long |
//!
//! Less than 3 KiB of static shared memory, none dynamic. With 0 GPUs nothing is exchanged: so
//! functions can be loaded while no kernel waits.
//!
//! *Before and after*: every [`Mailbox`] is 0 before the first round. A GPU that enters a round no
//! longer reads the column that was broadcast before, nor the messages of the last round but one:
//! those are what others write next. Kernels wait for kernels of other GPUs alone, those launched
//! before them in this order: a host that launches GPU by GPU must not wait for one GPU before it has
//! launched on another.
//!
//! *Exactness*: comparisons of integers; the result does not depend on which GPU has which columns.

use std::ops::Range;

use crate::{
    Kernel,
    counting::ColumnCodes,
    score::{NONE, Pick},
};

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new(
    "peer_argmax",
    source!("counting.cuh", "score.cuh", "peer_argmax.cu"),
    &["score_all_reduce", "broadcast_column"],
);

/// GPUs of an all-reduce, at most.
pub const MAX_GPUS: usize = 16;

/// A GPU's best candidate, as it is sent to the others.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Message {
    /// The best.
    pub pick: Pick,
    /// The address of that column; unused where there is no candidate.
    pub place: ColumnCodes,
}
assert_layout!(Message: 96; place: 64);

/// Words of four bytes of a message.
pub const WORDS: usize = size_of::<Message>() / 4;

/// Memory of one GPU that all GPUs write. Four bytes behind it are free.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Mailbox {
    /// Of even and of odd rounds, by GPU: the lower half of each u64 is a word of the message, the
    /// upper half that of the round's number.
    pub messages: [[[u64; WORDS]; MAX_GPUS]; 2],
    /// By GPU, the last round of which it has copied its part of the column.
    pub parts: [u64; MAX_GPUS],
    /// The address of the column that is broadcast.
    pub from: u64,
    /// Bytes of that column; 0 where none is broadcast.
    pub bytes: u64,
    /// The GPU that has the column.
    pub winner: u32,
    /// Not 0 once the GPU has left.
    pub left: u32,
    /// Blocks of `broadcast_column` that have ended; 0 before and after.
    pub arrived: u32,
}
assert_layout!(Mailbox: 6304; parts: 6144, from: 6272, winner: 6288, arrived: 6296);

/// Arguments of both functions, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct PeerArgs {
    /// [`Mailbox`]: one of each GPU.
    pub mailboxes: [u64; MAX_GPUS],
    /// u8: of each GPU, room for a long column, at a multiple of 16 bytes.
    pub column_buffers: [u64; MAX_GPUS],
    /// How many GPUs there are; 0 where nothing is exchanged.
    pub gpus: u32,
    /// The number of this GPU among them.
    pub gpu: u32,
    /// The number of the round, above those of all before.
    pub sequence: u64,
    /// u32 in the host's memory: raised, it makes waiting kernels leave.
    pub stop: u64,
    /// [`ColumnCodes`]: one of each column of the GPU, and one more for another GPU's column.
    pub places: u64,
    /// [`crate::counting::AnchorSums`]: one, which becomes that of the best candidate.
    pub anchor: u64,
    /// [`Pick`]: one, the best of all; null where the host does not read it.
    pub pick: u64,
    /// Bytes of a column from which on it is broadcast instead of read over the link.
    pub from: u64,
}
assert_layout!(PeerArgs: 312; gpus: 256, sequence: 264, pick: 296, from: 304);

/// The GPU with the best candidate, from the best of each; none where no GPU has a candidate.
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

/// Bytes of a column of so many rows where its codes are contiguous; none where they are row by row
/// among others, or entries.
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

/// Which of a broadcast column's words a GPU copies.
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
}
