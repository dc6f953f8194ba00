//! GPUs that walk together: each reads what lies on any other, so that they agree upon every
//! pick and lay it out without the host. Each has a thread that launches its steps: the queue of
//! a GPU that waits for another may be full before that has been given what it waits for.

use std::{
    mem::forget,
    panic::resume_unwind,
    sync::atomic::{AtomicU32, Ordering},
    thread,
};

use passel_kernels::peer_argmax::{MAX_GPUS, Mailbox, PeerArgs};
use rayon::prelude::*;

use super::{
    super::{
        super::DeviceError,
        gpu::arguments,
        memory::{Buffer, Pinned, as_launching_thread, with_waiting_kernels},
    },
    layout::{Form, Pack},
    score::Phase,
    shard::{AnchorSource, LONG, Shard},
};

const DURING: &str = "introducing GPUs";

/// Threads of a block of `bring`, and words of 16 bytes that each has under way.
const THREADS: usize = 512;
const WORDS: usize = 4;

/// Blocks of it on a multiprocessor, at most.
const BLOCKS: usize = 4;

/// What GPUs that walk together have in common.
pub(super) struct PeerGroup {
    /// What kernels are told of each, but for the meeting.
    meets: Vec<PeerArgs>,
    /// Bytes of the longest column that is brought; 0 where none is long.
    longest: usize,
    /// The number of the last meeting.
    sequence: u64,
    _posts: Vec<Buffer<Mailbox>>,
    stop: Pinned<u32>,
}

/// Steps that are to be walked.
#[derive(Clone, Copy)]
pub(super) struct StepBatch {
    pub(super) count: usize,
    /// Most levels of any column.
    pub(super) levels: usize,
    /// Whether the first has an anchor, that was chosen before.
    pub(super) pending: bool,
}

/// Whoever does not come to the end of its steps lets the other GPUs leave.
struct AbortGuard<'s>(&'s AtomicU32);

impl Drop for AbortGuard<'_> {
    fn drop(&mut self) {
        self.0.store(1, Ordering::SeqCst);
    }
}

impl PeerGroup {
    /// GPUs that all reach one another; none where they are too many.
    pub(super) fn new(shards: &mut [Shard], levels: usize) -> Result<Option<Self>, DeviceError> {
        if shards.len() > MAX_GPUS {
            return Ok(None);
        }
        let longest = shards.iter().flat_map(|it| &it.packs.layout.packs);
        let longest = longest.map(long).max().unwrap_or(0);
        let stop = shards[0].gpu.pinned(1)?;
        let mut all = PeerArgs {
            gpus: shards.len() as u32,
            stop: stop.address(),
            from: if longest > 0 { LONG as u64 } else { u64::MAX },
            ..PeerArgs::default()
        };
        let mut posts = Vec::new();
        for (at, shard) in shards.iter_mut().enumerate() {
            let gpu = &mut shard.gpu;
            gpu.load(passel_kernels::PEERS)?;
            let post = gpu.buffer::<Mailbox>(1, DURING)?;
            gpu.zero(post.address(), size_of::<Mailbox>())?;
            all.mailboxes[at] = post.address();
            posts.push(post);
            if longest > 0 {
                all.column_buffers[at] = shard.guest_room()?;
            }
        }
        let rehearsed = shards.par_iter_mut().map(|it| it.rehearse(levels));
        rehearsed.collect::<Result<(), _>>()?;
        let mut meets = Vec::new();
        for (at, shard) in shards.iter().enumerate() {
            meets.push(PeerArgs {
                gpu: at as u32,
                places: shard.packs.places.address(),
                anchor: shard.walk.anchors.address(),
                ..all
            });
        }
        Ok(Some(Self {
            meets,
            longest,
            sequence: 0,
            _posts: posts,
            stop,
        }))
    }

    /// Walks so many steps and waits for them: what was picked is in the slots of the first
    /// GPU. None may follow where it fails: GPUs are at different steps then.
    pub(super) fn walk(
        &mut self,
        shards: &mut [Shard],
        steps: StepBatch,
    ) -> Result<(), DeviceError> {
        let (stop, longest, first) = (self.stop.word(), self.longest, self.sequence + 1);
        self.sequence += steps.count as u64;
        let work = |shard: &mut Shard, meet: &PeerArgs| {
            let leaving = AbortGuard(stop);
            let first = PeerArgs {
                sequence: first,
                ..*meet
            };
            let done = shard.meetings(first, steps, longest);
            match done {
                Ok(()) => forget(leaving),
                Err(_) => {
                    drop(leaving);
                    // Memory may go once nothing is under way.
                    let _ = shard.gpu.wait(DURING);
                }
            }
            done
        };
        with_waiting_kernels(|| {
            thread::scope(|scope| {
                let leaving = AbortGuard(stop);
                let mut walked = Vec::new();
                for (shard, meet) in shards.iter_mut().zip(&self.meets) {
                    let (name, work) = (shard.gpu.name.clone(), &work);
                    let thread = thread::Builder::new()
                        .spawn_scoped(scope, move || as_launching_thread(|| work(shard, meet)));
                    // The others would wait for a GPU that nobody works on.
                    walked.push(thread.map_err(|error| DeviceError::Failed {
                        device: name,
                        during: "starting a thread".to_owned(),
                        reason: error.to_string(),
                    })?);
                }
                forget(leaving);
                let walked: Vec<_> = walked.into_iter().map(|it| it.join()).collect();
                let mut walked = walked.into_iter();
                walked.try_for_each(|it| it.unwrap_or_else(|panic| resume_unwind(panic)))
            })
        })
    }
}

/// Bytes of each of a pack's columns, if these are long; else 0.
fn long(pack: &Pack) -> usize {
    match pack.form {
        Form::Dense { .. } if pack.stride >= LONG => pack.stride,
        _ => 0,
    }
}

impl Shard {
    /// Launches all that a step does, twice, beside one level, and lets nothing be gathered:
    /// memory is there and kernels are loaded then, which would have to wait for this GPU
    /// while it waits for others.
    fn rehearse(&mut self, levels: usize) -> Result<(), DeviceError> {
        for _ in 0..2 {
            self.set(self.nothing)?;
            self.sweep_all(AnchorSource::Chosen { levels })?;
        }
        self.meeting(Phase::Nothing, PeerArgs::default(), THREADS)?;
        self.gpu.wait(DURING)
    }

    /// The steps of this GPU, from a meeting on.
    fn meetings(
        &mut self,
        first: PeerArgs,
        steps: StepBatch,
        longest: usize,
    ) -> Result<(), DeviceError> {
        let StepBatch {
            count,
            levels,
            pending,
        } = steps;
        let mut meet = first;
        for slot in 0..count {
            let before = match slot > 0 || pending {
                true => self.sweep_all(AnchorSource::Chosen { levels })?,
                false => Phase::Nothing,
            };
            if meet.gpu == 0 {
                meet.pick = self.walk.pick(slot);
            }
            self.meeting(before, meet, longest)?;
            meet.sequence += 1;
        }
        self.gpu.wait("counting")
    }

    /// Agrees with the others upon the next anchor, which may have to be brought.
    fn meeting(&self, before: Phase, meet: PeerArgs, longest: usize) -> Result<(), DeviceError> {
        self.walk.score_together(&self.means(), before, meet)?;
        if longest == 0 {
            return Ok(());
        }
        let others = (meet.gpus as usize).saturating_sub(1).max(1);
        let most = BLOCKS * self.gpu.processors as usize;
        let blocks = longest.div_ceil(16 * WORDS * THREADS * others);
        let grid = (blocks.clamp(1, most) as u32, 1, 1);
        self.gpu.launch(
            &passel_kernels::peer_argmax::KERNEL,
            "broadcast_column",
            grid,
            THREADS as u32,
            0,
            arguments![meet],
        )
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{
        super::{CudaCounter, lazy_tests::Case, score::UNTOLD},
        *,
    };
    use crate::device::counting::{
        Counter, LogTable, ScoreEvaluator,
        tests::{gpus, scores},
    };

    /// A GPU whose other fails waits for it until it is told to leave, whatever it was given.
    #[test]
    fn cuda_gpus_leave_where_another_fails() {
        if gpus().is_none_or(|count| count < 2) {
            return;
        }
        let case = Case::new((900, 40), 2..9, 1, Vec::new());
        let score = scores().into_iter().find(|it| it.0 == "mrmr").unwrap().1;
        let logs = LogTable::new(900, score.reach());
        let evaluator = ScoreEvaluator::new(score, &logs, 900);
        let response = evaluator.categorical(&case.response);
        let (by, on) = ((&logs, &evaluator), &[0, 1]);
        let mut counter = CudaCounter::new(&case.columns[..], 0, &response, by, on, None).unwrap();
        let Some(together) = &counter.together else {
            return;
        };
        let (stop, shard) = (together.stop.word(), &mut counter.shards[0]);
        shard.walk.forget_picks();
        let steps = StepBatch {
            count: 200,
            levels: counter.levels,
            pending: false,
        };
        let first = PeerArgs {
            sequence: 1,
            ..together.meets[0]
        };
        with_waiting_kernels(|| {
            thread::scope(|scope| {
                let walked =
                    scope.spawn(|| as_launching_thread(|| shard.meetings(first, steps, 0)));
                thread::sleep(Duration::from_millis(200));
                assert!(!walked.is_finished());
                drop(AbortGuard(stop));
                walked.join().unwrap().unwrap();
            });
        });
        let told = &counter.shards[0].walk.picks.get()[..200];
        assert!(told.iter().all(|it| it.number == UNTOLD));
        // The other one comes too late.
        let (other, together) = (&mut counter.shards[1], counter.together.as_ref().unwrap());
        let second = PeerArgs {
            sequence: 1,
            ..together.meets[1]
        };
        other.meetings(second, steps, 0).unwrap();
        counter.reset();
        assert!(counter.best().unwrap().is_some());
    }

    #[test]
    fn who_does_not_come_to_the_end_lets_the_others_leave() {
        let stop = AtomicU32::new(0);
        forget(AbortGuard(&stop));
        assert_eq!(stop.load(Ordering::SeqCst), 0);
        let panicked = std::panic::catch_unwind(|| {
            let _leaving = AbortGuard(&stop);
            resume_unwind(Box::new(()));
        });
        assert!(panicked.is_err());
        assert_eq!(stop.load(Ordering::SeqCst), 1);
    }
}
