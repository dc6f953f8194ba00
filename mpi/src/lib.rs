//! The ranks that an MPI has started: what they say to one another is in passel's `ranks/`; here are
//! its two verbs.

use std::{io, sync::Arc};

use mpi::{
    datatype::PartitionMut,
    environment::{Threading, Universe, initialize_with_threading, processor_name},
    topology::SimpleCommunicator,
    traits::{Communicator, CommunicatorCollectives, Root},
};
use passel::ranks::Transport;

/// Bytes of a message that travel with its length: most have no more.
const SHORT: usize = 120;

/// Bytes of its length.
const LENGTH: usize = size_of::<u64>();

/// All processes that were started together.
#[derive(Debug)]
pub struct World {
    rank: usize,
    size: usize,
    host: String,
}

/// Begins MPI: the ranks, and what ends it when it goes.
///
/// # Errors
/// MPI had begun already, or is one without threads.
pub fn begin() -> io::Result<(Arc<World>, Universe)> {
    // Searches run on a thread of a pool's; one thread at a time talks to the others.
    let begun = initialize_with_threading(Threading::Serialized);
    let (universe, given) = begun.ok_or_else(|| io::Error::other("MPI had begun already"))?;
    if given < Threading::Serialized {
        let what = "this MPI has no threads (MPI_THREAD_SERIALIZED): use one built with them";
        return Err(io::Error::other(what));
    }
    let all = world();
    let world = World {
        rank: all.rank() as usize,
        size: all.size() as usize,
        host: processor_name().unwrap_or_default(),
    };
    Ok((Arc::new(world), universe))
}

/// The communicator of all; MPI has begun, and ends with `main`.
fn world() -> SimpleCommunicator {
    SimpleCommunicator::world()
}

fn length(slot: &[u8]) -> usize {
    let bytes = slot.first_chunk().copied().unwrap_or_default();
    u64::from_le_bytes(bytes) as usize
}

impl Transport for World {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn host(&self) -> String {
        self.host.clone()
    }

    /// One all-gather of slots of one length, which has all of a short message; a second where one
    /// is longer.
    fn gather(&self, own: &[u8]) -> io::Result<Vec<Vec<u8>>> {
        let mut slot = [0; LENGTH + SHORT];
        slot[..LENGTH].copy_from_slice(&(own.len() as u64).to_le_bytes());
        let short = own.len().min(SHORT);
        slot[LENGTH..][..short].copy_from_slice(&own[..short]);
        let mut slots = vec![0; slot.len() * self.size];
        world().all_gather_into(&slot[..], &mut slots[..]);
        let slots: Vec<&[u8]> = slots.chunks_exact(slot.len()).collect();
        let lengths: Vec<usize> = slots.iter().map(|it| length(it)).collect();
        if lengths.iter().all(|it| *it <= SHORT) {
            let message = |(slot, length): (&&[u8], &usize)| slot[LENGTH..][..*length].to_vec();
            return Ok(slots.iter().zip(&lengths).map(message).collect());
        }
        // MPI counts with 32 bits: what is longer goes in pieces.
        let mut all: Vec<Vec<u8>> = lengths.iter().map(|it| Vec::with_capacity(*it)).collect();
        let most = i32::MAX as usize / self.size;
        let longest = lengths.iter().copied().max().unwrap_or(0);
        for start in (0..longest).step_by(most) {
            let piece = |length: &usize| length.saturating_sub(start).min(most);
            let counts: Vec<i32> = lengths.iter().map(|it| piece(it) as i32).collect();
            let places: Vec<i32> = counts
                .iter()
                .scan(0, |end, count| {
                    *end += count;
                    Some(*end - count)
                })
                .collect();
            let mut bytes = vec![0; counts.iter().map(|it| *it as usize).sum()];
            let own = &own[start.min(own.len())..][..piece(&own.len())];
            let mut parts = PartitionMut::new(&mut bytes[..], &counts[..], &places[..]);
            world().all_gather_varcount_into(own, &mut parts);
            let mut rest = &bytes[..];
            for (all, count) in all.iter_mut().zip(&counts) {
                let (own, others) = rest.split_at(*count as usize);
                all.extend_from_slice(own);
                rest = others;
            }
        }
        Ok(all)
    }

    fn broadcast(&self, from: usize, own: Vec<u8>) -> io::Result<Vec<u8>> {
        let world = world();
        let root = world.process_at_rank(from as i32);
        let mut length = own.len() as u64;
        root.broadcast_into(&mut length);
        let mut all = match self.rank == from {
            true => own,
            false => vec![0; length as usize],
        };
        for piece in all.chunks_mut(i32::MAX as usize) {
            root.broadcast_into(piece);
        }
        Ok(all)
    }

    fn broadcast_numbers(&self, from: usize, numbers: &mut [f64]) -> io::Result<()> {
        let world = world();
        let root = world.process_at_rank(from as i32);
        for piece in numbers.chunks_mut(i32::MAX as usize) {
            root.broadcast_into(piece);
        }
        Ok(())
    }
}
