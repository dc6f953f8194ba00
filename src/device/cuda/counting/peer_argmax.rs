//! GPUs that agree on picks without the host, each reading the memory of all others.
//!
//! Every GPU has a thread that launches its steps, for the queue of a GPU that waits for another
//! may be full before that one has been given what it waits for. A step of each is a sweep of its
//! columns, `score_all_reduce`, which sends its best to the mailboxes of all and waits for theirs,
//! and, where columns are long, `broadcast_column`, which brings the next anchor:
//!
//! ```text
//! GPU 0   sweep ─▶ send best ─▶ wait for 1 … n ─▶ column ─▶ sweep …
//! GPU 1   sweep ─▶ send best ─▶ wait for 0, 2 … n ─▶ column ─▶ sweep …
//! ```
//!
//! Whoever waits leaves when `stop` is raised; none agrees on anything afterwards.

use std::{
    mem::forget,
    panic::resume_unwind,
    sync::atomic::{AtomicU32, Ordering},
    thread,
};

use passel_kernels::peer_argmax::{KERNEL, MAX_GPUS, Mailbox, PeerArgs};
use rayon::prelude::*;

use super::{
    super::{
        gpu::arguments,
        memory::{Buffer, Pinned, as_launching_thread, with_waiting_kernels},
    },
    anchors::{AnchorSource, LONG},
    form::Form,
    layout::Pack,
    run_ahead::StepBatch,
    score::Phase,
    shard::Shard,
};
use crate::device::DeviceError;

const DURING: &str = "introducing GPUs";

/// Threads of a block of `broadcast_column`, and words of 16 bytes that each copies at a time.
const THREADS: usize = 512;
const WORDS: usize = 4;

/// Most of its blocks on a multiprocessor.
const BLOCKS: usize = 4;

/// What the GPUs of a group share.
pub(super) struct PeerGroup {
    /// The arguments of each GPU's kernels, but for the number of the round.
    peers: Vec<PeerArgs>,
    /// Bytes of the longest column that is broadcast; 0 where none is long.
    longest: usize,
    /// The number of the last round.
    sequence: u64,
    _mailboxes: Vec<Buffer<Mailbox>>,
    stop: Pinned<u32>,
}

/// Raises `stop` when dropped, so that no GPU waits for one whose steps ended early.
struct AbortGuard<'s>(&'s AtomicU32);

impl Drop for AbortGuard<'_> {
    fn drop(&mut self) {
        self.0.store(1, Ordering::SeqCst);
    }
}

impl PeerGroup {
    /// GPUs that all reach one another, for columns of up to so many levels; none if they are too many.
    pub(super) fn new(shards: &mut [Shard], levels: usize) -> Result<Option<Self>, DeviceError> {
        if shards.len() > MAX_GPUS {
            return Ok(None);
        }
        let packs = shards.iter().flat_map(|shard| &shard.packs.layout.packs);
        let longest = packs.map(long_stride).max().unwrap_or(0);
        let stop = shards[0].gpu.pinned(1)?;
        let mut all = PeerArgs {
            gpus: shards.len() as u32,
            stop: stop.address(),
            from: if longest > 0 { LONG as u64 } else { u64::MAX },
            ..PeerArgs::default()
        };
        let mut mailboxes = Vec::new();
        for (at, shard) in shards.iter_mut().enumerate() {
            let gpu = &mut shard.gpu;
            gpu.load(&[KERNEL])?;
            let mailbox = gpu.buffer::<Mailbox>(1, DURING)?;
            gpu.zero(mailbox.address(), size_of::<Mailbox>())?;
            all.mailboxes[at] = mailbox.address();
            mailboxes.push(mailbox);
            if longest > 0 {
                all.column_buffers[at] = shard.anchors.guest_room(gpu)?;
            }
        }
        let rehearsed = shards.par_iter_mut().map(|shard| rehearse(shard, levels));
        rehearsed.collect::<Result<(), _>>()?;
        let mut peers = Vec::new();
        for (gpu, shard) in (0..).zip(&*shards) {
            peers.push(PeerArgs {
                gpu,
                places: shard.packs.places.address(),
                anchor: shard.score.anchors.address(),
                ..all
            });
        }
        Ok(Some(Self {
            peers,
            longest,
            sequence: 0,
            _mailboxes: mailboxes,
            stop,
        }))
    }

    /// Makes so many steps and waits for them; the picks are in the slots of the first GPU. The group
    /// may not run again after an error: its GPUs are at different steps.
    pub(super) fn run(
        &mut self,
        shards: &mut [Shard],
        steps: StepBatch,
    ) -> Result<(), DeviceError> {
        let (stop, longest, sequence) = (self.stop.word(), self.longest, self.sequence + 1);
        self.sequence += steps.count as u64;
        let work = |shard: &mut Shard, peers: &PeerArgs| {
            let guard = AbortGuard(stop);
            let first = PeerArgs { sequence, ..*peers };
            let done = run_rounds(shard, first, steps, longest);
            match done {
                Ok(()) => forget(guard),
                Err(_) => {
                    drop(guard);
                    // Memory may go once nothing is under way.
                    let _ = shard.gpu.wait(DURING);
                }
            }
            done
        };
        with_waiting_kernels(|| {
            thread::scope(|scope| {
                let guard = AbortGuard(stop);
                let mut threads = Vec::new();
                for (shard, peers) in shards.iter_mut().zip(&self.peers) {
                    let (name, work) = (shard.gpu.name.clone(), &work);
                    let thread = thread::Builder::new()
                        .spawn_scoped(scope, move || as_launching_thread(|| work(shard, peers)));
                    // The others would wait for a GPU that nobody works on.
                    threads.push(thread.map_err(|error| DeviceError::Failed {
                        device: name,
                        during: "starting a thread".to_owned(),
                        reason: error.to_string(),
                    })?);
                }
                forget(guard);
                // All end before a failure or a panic goes on.
                let results: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
                let mut results = results.into_iter();
                results.try_for_each(|done| done.unwrap_or_else(|panic| resume_unwind(panic)))
            })
        })
    }
}

/// Bytes of each of a pack's columns, if these are long; else 0.
fn long_stride(pack: &Pack) -> usize {
    match pack.form {
        Form::Dense { .. } if pack.stride >= LONG => pack.stride,
        _ => 0,
    }
}

/// Launches all that a step does, twice, against one level, and gathers nothing. Memory is there
/// and kernels are loaded afterwards: the driver would make either wait for this GPU, which waits
/// for others in a run.
fn rehearse(shard: &mut Shard, levels: usize) -> Result<(), DeviceError> {
    for _ in 0..2 {
        let constant = [shard.anchors.constant];
        shard.gpu.upload(&constant, shard.score.anchors.address())?;
        shard.sweep_all(AnchorSource::Chosen { levels })?;
    }
    launch_round(shard, Phase::Nothing, PeerArgs::default(), THREADS)?;
    shard.gpu.wait(DURING)
}

/// The steps of one GPU, from a round on.
fn run_rounds(
    shard: &mut Shard,
    first: PeerArgs,
    steps: StepBatch,
    longest: usize,
) -> Result<(), DeviceError> {
    let (mut peers, levels) = (first, steps.levels);
    for slot in 0..steps.count {
        let phase = match slot > 0 || steps.pending {
            true => shard.sweep_all(AnchorSource::Chosen { levels })?,
            false => Phase::Nothing,
        };
        if peers.gpu == 0 {
            peers.pick = shard.score.pick(slot);
        }
        launch_round(shard, phase, peers, longest)?;
        peers.sequence += 1;
    }
    shard.gpu.wait("counting")
}

/// Agrees with the other GPUs on the next anchor, and brings it if it may be long.
fn launch_round(
    shard: &Shard,
    phase: Phase,
    peers: PeerArgs,
    longest: usize,
) -> Result<(), DeviceError> {
    let gpu = &shard.gpu;
    shard.score.launch_all_reduce(gpu, phase, peers)?;
    if longest == 0 {
        return Ok(());
    }
    let others = (peers.gpus as usize).saturating_sub(1).max(1);
    let most = BLOCKS * gpu.processors as usize;
    let blocks = longest.div_ceil(16 * WORDS * THREADS * others);
    let (grid, threads) = ((blocks.clamp(1, most) as u32, 1, 1), THREADS as u32);
    let args = arguments![peers];
    gpu.launch(&KERNEL, "broadcast_column", grid, threads, 0, args)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{
        super::{LazyOptions, deferred_tests::Case, score::UNWRITTEN},
        *,
    };
    use crate::device::counting::{Counter, tests::gpus};

    /// A GPU whose peer fails waits for it until `stop` is raised, however many steps it has.
    #[test]
    fn cuda_gpus_leave_where_another_fails() {
        if gpus().is_none_or(|count| count < 2) {
            return;
        }
        let case = Case::new((900, 40), 2..9, 1, Vec::new());
        let scored = case.by("mrmr");
        let mut counter = scored.on_gpus(&[0, 1], LazyOptions::default());
        let Some(group) = &counter.peers else {
            return;
        };
        let (stop, shard) = (group.stop.word(), &mut counter.shards[0]);
        shard.score.forget_picks();
        let steps = StepBatch {
            count: 200,
            levels: counter.levels,
            pending: false,
        };
        let first = PeerArgs {
            sequence: 1,
            ..group.peers[0]
        };
        with_waiting_kernels(|| {
            thread::scope(|scope| {
                let rounds = || run_rounds(shard, first, steps, 0);
                let thread = scope.spawn(|| as_launching_thread(rounds));
                thread::sleep(Duration::from_millis(200));
                assert!(!thread.is_finished());
                drop(AbortGuard(stop));
                thread.join().unwrap().unwrap();
            });
        });
        let slots = &counter.shards[0].score.picks.get()[..200];
        assert!(slots.iter().all(|pick| pick.number == UNWRITTEN));
        // The other one comes too late.
        let (other, group) = (&mut counter.shards[1], counter.peers.as_ref().unwrap());
        let second = PeerArgs {
            sequence: 1,
            ..group.peers[1]
        };
        run_rounds(other, second, steps, 0).unwrap();
        counter.reset();
        assert!(counter.best().unwrap().is_some());
    }

    #[test]
    fn a_guard_that_is_dropped_raises_stop() {
        let stop = AtomicU32::new(0);
        forget(AbortGuard(&stop));
        assert_eq!(stop.load(Ordering::SeqCst), 0);
        let panicked = std::panic::catch_unwind(|| {
            let _guard = AbortGuard(&stop);
            resume_unwind(Box::new(()));
        });
        assert!(panicked.is_err());
        assert_eq!(stop.load(Ordering::SeqCst), 1);
    }
}
