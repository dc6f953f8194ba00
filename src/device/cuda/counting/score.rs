//! Launches `score`: what candidates gather on a GPU, and the best of them.

use std::cmp::Reverse;

use passel_kernels::{
    counting::{AnchorSums, TableSums},
    deferred::STALLED,
    peer_argmax::PeerArgs,
    score::{BestCandidate, KERNEL, NONE, Pick, ScoreArgs, ScoreRule},
};

use super::{
    super::{
        gpu::{Gpu, arguments},
        memory::{Buffer, Pinned},
    },
    packs::{Packs, put},
    sweep_buffers::SweepOutput,
};
use crate::device::DeviceError;

/// Most picks that a GPU makes before the host reads them.
pub(super) const AHEAD: usize = 256;

/// The number of a pick in a slot that a GPU has not written; above it are those of no candidate.
pub(super) const UNWRITTEN: u32 = STALLED - 1;

/// Threads of a block, and blocks on a multiprocessor.
const THREADS: u32 = 256;
const BLOCKS: usize = 4;

const DURING: &str = "scoring";

/// What the candidates of a GPU have gathered, or those of a batch over the same columns.
///
/// *Shapes*: of each place a value in every buffer, `batch` × `count` on the GPU; of each of the
/// batch one anchor; [`AHEAD`] slots, or one of each of the batch, in pinned memory of the host.
pub(super) struct ScoreState {
    batch: usize,
    count: usize,
    blocks: usize,
    /// Of each place: sums over (x, y), (x, w) and (x, w, y), relevance, and what was gathered.
    xy: Buffer<i64>,
    xw: Buffer<i64>,
    xwy: Buffer<i64>,
    relevance: Buffer<i64>,
    gathered: Buffer<i128>,
    redundancy: Option<Buffer<i128>>,
    /// All sums of a table, where something misses values.
    whole: Option<Buffer<TableSums>>,
    /// Anchors gathered.
    steps: Buffer<u32>,
    /// The next anchor of each of the batch.
    pub(super) anchors: Buffer<AnchorSums>,
    found: Buffer<BestCandidate>,
    /// 0 between two launches.
    arrived: Buffer<u32>,
    /// The slots that picks are written to.
    pub(super) picks: Pinned<Pick>,
}

/// What a launch does before it finds the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing: a candidate was excluded.
    Nothing,
    /// Relevance is made of the sums over (x, y).
    Begin,
    /// What was gathered is forgotten.
    Forget,
    /// The sums of an anchor are gathered; whether it misses values.
    Gather { misses: bool },
}

/// What the scores of a GPU are made of besides its [`ScoreState`].
pub(super) struct ScoreInputs<'m> {
    pub(super) gpu: &'m Gpu,
    pub(super) packs: &'m Packs,
    pub(super) rule: &'m ScoreRule,
    /// Σ c·L(c) over x, of each place; and whether it is excluded.
    pub(super) x: &'m Buffer<i64>,
    pub(super) excluded: &'m Buffer<u8>,
    /// Levels of the response, and those of them that joint codes tell apart after relevance.
    pub(super) y_levels: usize,
    pub(super) classes: usize,
}

/// The better of two picks, of which the second may be none; of equal scores that of the lower
/// number.
pub(super) fn better(best: Option<Pick>, pick: Pick) -> Option<Pick> {
    let order = |pick: &Pick| (pick.score, Reverse(pick.number));
    let wins = best.as_ref().is_none_or(|best| order(&pick) > order(best));
    if pick.number != NONE && wins {
        Some(pick)
    } else {
        best
    }
}

impl ScoreState {
    /// A batch of so many over a GPU's columns; whether redundancy is wanted.
    pub(super) fn new(
        gpu: &Gpu,
        packs: &Packs,
        batch: usize,
        redundancy: bool,
    ) -> Result<Self, DeviceError> {
        let count = packs.count();
        let all = count * batch;
        // Kernels load what they are not sure to need before they know.
        let sums = || zeroed::<i64>(gpu, all);
        let blocks = count
            .div_ceil(THREADS as usize)
            .clamp(1, BLOCKS * gpu.processors as usize);
        let redundancy = redundancy.then(|| zeroed(gpu, all));
        let whole = packs.misses.as_ref().map(|_| gpu.buffer(all, DURING));
        Ok(Self {
            batch,
            count,
            blocks,
            xy: sums()?,
            xw: sums()?,
            xwy: sums()?,
            relevance: sums()?,
            gathered: zeroed(gpu, all)?,
            redundancy: redundancy.transpose()?,
            whole: whole.transpose()?,
            steps: put(gpu, &[0])?,
            anchors: put(gpu, &vec![AnchorSums::default(); batch])?,
            found: gpu.buffer(batch * blocks, DURING)?,
            arrived: put(gpu, &vec![0; batch])?,
            picks: gpu.pinned(if batch == 1 { AHEAD } else { batch })?,
        })
    }

    /// Bytes that a state of so many columns takes.
    pub(super) fn bytes(columns: usize, misses: bool) -> usize {
        columns * (4 * 8 + 2 * 16 + 16 + if misses { 72 } else { 0 })
    }

    /// Where a sweep against an anchor writes, of columns not excluded.
    pub(super) fn output(&self, excluded: u64) -> SweepOutput {
        SweepOutput {
            xw: self.xw.address(),
            xwy: self.xwy.address(),
            whole: self.whole.as_ref().map_or(0, Buffer::address),
            excluded,
            ..SweepOutput::default()
        }
    }

    /// Where the first sweep writes: sums over x instead of (x, w), and the levels that occur.
    pub(super) fn first_output(&self, x: &Buffer<i64>, occurring: u64) -> SweepOutput {
        SweepOutput {
            xw: x.address(),
            occurring,
            ..self.output(0)
        }
    }

    /// Marks all slots as not written; nothing may be under way.
    pub(super) fn forget_picks(&mut self) {
        for pick in self.picks.values() {
            pick.number = UNWRITTEN;
        }
    }

    /// Sets the number of anchors gathered to 0.
    pub(super) fn restart(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.zero(self.steps.address(), 4)
    }

    /// Finds the best of each of the batch, to slots from `slot` on; where it is `chosen`, it is
    /// excluded and becomes the next anchor. `known` anchors were gathered before, if the host
    /// knows.
    pub(super) fn launch(
        &self,
        inputs: &ScoreInputs,
        phase: Phase,
        chosen: bool,
        (slot, known): (usize, Option<u32>),
    ) -> Result<(), DeviceError> {
        let args = self.arguments(inputs, phase, chosen, known);
        let (found, arrived) = (self.found.address(), self.arrived.address());
        let picks = self.pick(slot);
        let args = arguments![args, found, arrived, picks];
        inputs
            .gpu
            .launch(&KERNEL, "score", self.grid(), THREADS, 0, args)
    }

    /// Finds the best candidate, and the best of all GPUs of a group, which becomes the next
    /// anchor of each.
    pub(super) fn launch_all_reduce(
        &self,
        inputs: &ScoreInputs,
        phase: Phase,
        peers: PeerArgs,
    ) -> Result<(), DeviceError> {
        let args = self.arguments(inputs, phase, false, None);
        let (found, arrived) = (self.found.address(), self.arrived.address());
        let args = arguments![args, found, arrived, peers];
        let kernel = &passel_kernels::peer_argmax::KERNEL;
        inputs
            .gpu
            .launch(kernel, "score_all_reduce", self.grid(), THREADS, 0, args)
    }

    fn grid(&self) -> (u32, u32, u32) {
        (self.blocks as u32, self.batch as u32, 1)
    }

    /// The address of a slot.
    pub(super) fn pick(&self, slot: usize) -> u64 {
        self.picks.address() + (size_of::<Pick>() * slot) as u64
    }

    /// The arguments of kernels that score.
    pub(super) fn arguments(
        &self,
        inputs: &ScoreInputs,
        phase: Phase,
        chosen: bool,
        known: Option<u32>,
    ) -> ScoreArgs {
        ScoreArgs {
            rule: *inputs.rule,
            count: self.count as u32,
            numbers: inputs.packs.numbers.address(),
            excluded: inputs.excluded.address(),
            x: inputs.x.address(),
            xy: self.xy.address(),
            xw: self.xw.address(),
            xwy: self.xwy.address(),
            relevance: self.relevance.address(),
            gathered: self.gathered.address(),
            redundancy: self.redundancy.as_ref().map_or(0, Buffer::address),
            anchors: self.anchors.address(),
            next: if chosen { self.anchors.address() } else { 0 },
            levels: inputs.packs.levels.address(),
            steps: known.map_or(self.steps.address(), |_| 0),
            steps_known: known.unwrap_or(0),
            whole: self.whole.as_ref().map_or(0, Buffer::address),
            misses: inputs.packs.misses.as_ref().map_or(0, Buffer::address),
            anchor_misses: i32::from(phase == Phase::Gather { misses: true }),
            rows: inputs.packs.layout.n as i64,
            gathers: i32::from(matches!(phase, Phase::Gather { .. })),
            begins: i32::from(phase == Phase::Begin),
            forgets: i32::from(phase == Phase::Forget),
            by_class: i32::from(match phase {
                Phase::Begin => inputs.y_levels > 1,
                _ => inputs.classes > 1,
            }),
        }
    }

    /// What every place has gathered.
    pub(super) fn gathered(&self, gpu: &Gpu) -> Result<Vec<i128>, DeviceError> {
        self.read(gpu, &self.gathered)
    }

    /// Relevance of every place.
    pub(super) fn relevance(&self, gpu: &Gpu) -> Result<Vec<i64>, DeviceError> {
        self.read(gpu, &self.relevance)
    }

    fn read<T: Copy + Default>(
        &self,
        gpu: &Gpu,
        values: &Buffer<T>,
    ) -> Result<Vec<T>, DeviceError> {
        let mut all = vec![T::default(); self.count * self.batch];
        gpu.download(values.address(), &mut all)?;
        gpu.wait(DURING)?;
        Ok(all)
    }
}

/// A buffer of so many zeros.
fn zeroed<T>(gpu: &Gpu, count: usize) -> Result<Buffer<T>, DeviceError> {
    let buffer = gpu.buffer::<T>(count, DURING)?;
    gpu.zero(buffer.address(), count * size_of::<T>())?;
    Ok(buffer)
}
