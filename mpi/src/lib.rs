//! The ranks that an MPI has started. What they exchange is decided in passel's module `ranks`; here
//! are the collective operations of its `Transport`.

mod patience;

use std::{io, sync::Arc, time::Instant};

use mpi::{
    datatype::PartitionMut,
    environment::{Threading, Universe, initialize_with_threading, processor_name},
    request::scope,
    topology::SimpleCommunicator,
    traits::{Communicator, CommunicatorCollectives, Equivalence, Root},
};
use passel::ranks::Transport;
use patience::{Process, Waits, pause};

/// The bytes of a message that travel with its length; most messages have no more.
const SHORT: usize = 120;

/// The bytes of a message's length.
const LENGTH: usize = size_of::<u64>();

/// The bytes of a broadcast that MPI is left alone with, once all ranks have come to it: its blocking
/// operation is the faster one, and keeps a processor busy while it waits.
const LONG: usize = 1 << 16;

/// This process among all that were started together.
#[derive(Debug)]
pub struct World {
    rank: usize,
    size: usize,
    host: String,
    waits: Arc<Waits>,
}

/// Initialises MPI. Dropping the universe finalises it.
///
/// # Errors
/// MPI was initialised before, or does not support threads.
pub fn initialize() -> io::Result<(Arc<World>, Universe)> {
    // Searches run on a thread of a pool, and one thread at a time calls MPI.
    let initialized = initialize_with_threading(Threading::Serialized);
    let (universe, provided) =
        initialized.ok_or_else(|| io::Error::other("MPI was initialised before"))?;
    if provided < Threading::Serialized {
        return Err(io::Error::other(
            "this MPI does not support threads (MPI_THREAD_SERIALIZED): use one built with them",
        ));
    }
    let all = world();
    let mut world = World {
        rank: all.rank() as usize,
        size: all.size() as usize,
        host: processor_name().unwrap_or_default(),
        // Nobody is known yet.
        waits: Waits::new(0, Vec::new())?,
    };
    let own = format!("{} {}", std::process::id(), world.host);
    let all = world.gather(own.as_bytes())?;
    let text = |message: &Vec<u8>| String::from_utf8_lossy(message).into_owned();
    let processes = all
        .iter()
        .filter_map(|message| Process::parse(&text(message)));
    world.waits = Waits::new(world.rank, processes.collect())?;
    Ok((Arc::new(world), universe))
}

/// The communicator of all processes.
fn world() -> SimpleCommunicator {
    SimpleCommunicator::world()
}

impl World {
    /// Waits for an operation of all ranks by asking whether it is done, so that a long wait leaves the
    /// processors to others.
    fn wait<'a, R: ?Sized, S: mpi::request::Scope<'a>>(
        &self,
        mut request: mpi::request::Request<'a, R, S>,
    ) {
        let mut began = None;
        self.waits.during(|| {
            while let Err(unfinished) = request.test() {
                request = unfinished;
                // Most waits end before the clock is worth a look.
                pause(*began.get_or_insert_with(Instant::now));
            }
        });
    }

    /// Broadcasts values from one rank to all.
    fn broadcast_values<T: Equivalence>(&self, root: usize, values: &mut [T]) {
        let world = world();
        let process = world.process_at_rank(root as i32);
        if size_of_val(values) <= LONG {
            scope(|scope| self.wait(process.immediate_broadcast_into(scope, values)));
            return;
        }
        self.wait(world.immediate_barrier());
        // MPI counts with 32 bits, so long messages go in pieces.
        for piece in values.chunks_mut(i32::MAX as usize) {
            self.waits.during(|| process.broadcast_into(piece));
        }
    }
}

/// The length of the message that begins in a slot.
fn message_length(slot: &[u8]) -> usize {
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

    /// One all-gather of slots of equal length, which hold short messages; further ones if a message
    /// is longer.
    fn gather(&self, own: &[u8]) -> io::Result<Vec<Vec<u8>>> {
        let mut slot = [0; LENGTH + SHORT];
        slot[..LENGTH].copy_from_slice(&(own.len() as u64).to_le_bytes());
        let short = own.len().min(SHORT);
        slot[LENGTH..][..short].copy_from_slice(&own[..short]);
        let mut slots = vec![0; slot.len() * self.size];
        scope(|scope| {
            let (world, own, all) = (world(), &slot[..], &mut slots[..]);
            self.wait(world.immediate_all_gather_into(scope, own, all));
        });
        let slots: Vec<&[u8]> = slots.chunks_exact(slot.len()).collect();
        let lengths: Vec<usize> = slots.iter().map(|slot| message_length(slot)).collect();
        if lengths.iter().all(|length| *length <= SHORT) {
            let message = |(slot, length): (&&[u8], &usize)| slot[LENGTH..][..*length].to_vec();
            return Ok(slots.iter().zip(&lengths).map(message).collect());
        }
        // The operations that follow are blocking, and keep a processor busy while they wait.
        self.wait(world().immediate_barrier());
        // MPI counts with 32 bits, so long messages go in pieces.
        let mut all: Vec<Vec<u8>> = lengths
            .iter()
            .map(|length| Vec::with_capacity(*length))
            .collect();
        let most = i32::MAX as usize / self.size;
        let longest = lengths.iter().copied().max().unwrap_or(0);
        for start in (0..longest).step_by(most) {
            let piece = |length: &usize| length.saturating_sub(start).min(most);
            let counts: Vec<i32> = lengths.iter().map(|length| piece(length) as i32).collect();
            let places: Vec<i32> = counts
                .iter()
                .scan(0, |end, count| {
                    *end += count;
                    Some(*end - count)
                })
                .collect();
            let mut bytes = vec![0; counts.iter().map(|count| *count as usize).sum()];
            let own = &own[start.min(own.len())..][..piece(&own.len())];
            let mut parts = PartitionMut::new(&mut bytes[..], &counts[..], &places[..]);
            let gather = || world().all_gather_varcount_into(own, &mut parts);
            self.waits.during(gather);
            let mut rest = &bytes[..];
            for (all, count) in all.iter_mut().zip(&counts) {
                let (own, others) = rest.split_at(*count as usize);
                all.extend_from_slice(own);
                rest = others;
            }
        }
        Ok(all)
    }

    fn broadcast(&self, root: usize, own: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut length = [own.len() as u64];
        self.broadcast_values(root, &mut length);
        let mut all = match self.rank == root {
            true => own,
            false => vec![0; length[0] as usize],
        };
        self.broadcast_values(root, &mut all[..]);
        Ok(all)
    }

    fn broadcast_numbers(&self, root: usize, numbers: &mut [f64]) -> io::Result<()> {
        self.broadcast_values(root, numbers);
        Ok(())
    }
}
