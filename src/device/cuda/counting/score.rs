//! What candidates have gathered, on a GPU, and the best of them.

use passel_kernels::{
    counting::{AnchorSums, TableSums},
    deferred::STALLED,
    peer_argmax::PeerArgs,
    score::{BestCandidate, Pick, ScoreArgs, ScoreRule},
};

use super::{
    super::{
        super::DeviceError,
        gpu::{Gpu, arguments},
        memory::{Buffer, Pinned},
    },
    packs::{Packs, put},
    sweep::SweepOutput,
};

/// Picks that a GPU may make before the host looks at them.
pub(super) const AHEAD: usize = 256;

/// The number of a pick that a GPU has not told yet; above it are those of none.
pub(super) const UNTOLD: u32 = STALLED - 1;

/// Blocks of scoring on a multiprocessor.
const BLOCKS: usize = 4;

const DURING: &str = "scoring";

/// The candidates of a GPU, or a batch of walks over the same.
pub(super) struct ScoreState {
    batch: usize,
    count: usize,
    blocks: usize,
    xy: Buffer<i64>,
    xw: Buffer<i64>,
    xwy: Buffer<i64>,
    relevance: Buffer<i64>,
    gathered: Buffer<i128>,
    redundancy: Option<Buffer<i128>>,
    whole: Option<Buffer<TableSums>>,
    /// Steps gathered.
    steps: Buffer<u32>,
    /// What is swept against next, one of each walk.
    pub(super) anchors: Buffer<AnchorSums>,
    found: Buffer<BestCandidate>,
    /// 0 between two launches.
    arrived: Buffer<u32>,
    pub(super) picks: Pinned<Pick>,
}

/// What is done before the best is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Nothing,
    /// The sums are of (x, y), of which relevance is made.
    Begin,
    /// What is gathered is forgotten.
    Forget,
    /// The sums are of a step; whether its anchor misses values.
    Gather {
        misses: bool,
    },
}

/// What the scores of a GPU are made of.
pub(super) struct ScoreInputs<'m> {
    pub(super) gpu: &'m Gpu,
    pub(super) packs: &'m Packs,
    pub(super) rule: &'m ScoreRule,
    /// Σ c·L(c) over x, of each place; and whether it is taken.
    pub(super) x: &'m Buffer<i64>,
    pub(super) excluded: &'m Buffer<u8>,
    /// Levels of the response, and those of them that steps tell apart.
    pub(super) y_levels: usize,
    pub(super) classes: usize,
}

impl ScoreState {
    /// So many walks of a GPU's columns; whether redundancy is wanted.
    pub(super) fn new(
        gpu: &Gpu,
        packs: &Packs,
        batch: usize,
        redundancy: bool,
    ) -> Result<Self, DeviceError> {
        let count = packs.count();
        let all = count * batch;
        // Kernels load what they are not sure to need before they know.
        let sums = || zeros::<i64>(gpu, all);
        let blocks = count
            .div_ceil(256)
            .clamp(1, BLOCKS * gpu.processors as usize);
        let redundancy = redundancy.then(|| zeros(gpu, all));
        let whole = packs.misses.as_ref().map(|_| gpu.buffer(all, DURING));
        Ok(Self {
            batch,
            count,
            blocks,
            xy: sums()?,
            xw: sums()?,
            xwy: sums()?,
            relevance: sums()?,
            gathered: zeros(gpu, all)?,
            redundancy: redundancy.transpose()?,
            whole: whole.transpose()?,
            steps: put(gpu, &[0])?,
            anchors: put(gpu, &vec![AnchorSums::default(); batch])?,
            found: gpu.buffer(batch * blocks, DURING)?,
            arrived: put(gpu, &vec![0; batch])?,
            picks: gpu.pinned(if batch == 1 { AHEAD } else { batch })?,
        })
    }

    /// Bytes of so many columns.
    pub(super) fn bytes(columns: usize, misses: bool) -> usize {
        columns * (4 * 8 + 2 * 16 + 16 + if misses { 72 } else { 0 })
    }

    /// Where a sweep's sums go.
    pub(super) fn out(&self, excluded: u64) -> SweepOutput {
        SweepOutput {
            xw: self.xw.address(),
            xwy: self.xwy.address(),
            whole: self.whole.as_ref().map_or(0, Buffer::address),
            excluded,
            ..SweepOutput::default()
        }
    }

    /// Where those of the first go: x instead of (x, w).
    pub(super) fn out_first(&self, x: &Buffer<i64>, occurring: u64) -> SweepOutput {
        SweepOutput {
            xw: x.address(),
            occurring,
            ..self.out(0)
        }
    }

    /// Marks all slots as not told yet; nothing may be under way.
    pub(super) fn forget_picks(&mut self) {
        for pick in self.picks.values() {
            pick.number = UNTOLD;
        }
    }

    /// Forgets the steps.
    pub(super) fn restart(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.zero(self.steps.address(), 4)
    }

    /// Finds the best of each walk, to `picks` from a slot on; where it is `chosen`, it is taken
    /// and becomes the next anchor. So many steps were gathered before, if the host knows.
    pub(super) fn score(
        &self,
        means: &ScoreInputs,
        before: Phase,
        chosen: bool,
        (slot, known): (usize, Option<u32>),
    ) -> Result<(), DeviceError> {
        let given = self.state(means, before, chosen, known);
        let (found, arrived) = (self.found.address(), self.arrived.address());
        let picks = self.pick(slot);
        let given = arguments![given, found, arrived, picks];
        means.gpu.launch(
            &passel_kernels::score::KERNEL,
            "score",
            self.grid(),
            256,
            0,
            given,
        )
    }

    /// Finds the best of one walk, and of all GPUs that meet.
    pub(super) fn score_together(
        &self,
        means: &ScoreInputs,
        before: Phase,
        meet: PeerArgs,
    ) -> Result<(), DeviceError> {
        let given = self.state(means, before, false, None);
        let (found, arrived) = (self.found.address(), self.arrived.address());
        let given = arguments![given, found, arrived, meet];
        means.gpu.launch(
            &passel_kernels::peer_argmax::KERNEL,
            "score_all_reduce",
            self.grid(),
            256,
            0,
            given,
        )
    }

    fn grid(&self) -> (u32, u32, u32) {
        (self.blocks as u32, self.batch as u32, 1)
    }

    /// Where a pick is told.
    pub(super) fn pick(&self, slot: usize) -> u64 {
        self.picks.address() + (size_of::<Pick>() * slot) as u64
    }

    /// What kernels that score are told.
    pub(super) fn state(
        &self,
        means: &ScoreInputs,
        before: Phase,
        chosen: bool,
        known: Option<u32>,
    ) -> ScoreArgs {
        let address = |it: Option<&Buffer<u8>>| it.map_or(0, Buffer::address);
        ScoreArgs {
            rule: *means.rule,
            count: self.count as u32,
            numbers: means.packs.numbers.address(),
            excluded: means.excluded.address(),
            x: means.x.address(),
            xy: self.xy.address(),
            xw: self.xw.address(),
            xwy: self.xwy.address(),
            relevance: self.relevance.address(),
            gathered: self.gathered.address(),
            redundancy: self.redundancy.as_ref().map_or(0, Buffer::address),
            anchors: self.anchors.address(),
            next: if chosen { self.anchors.address() } else { 0 },
            levels: means.packs.levels.address(),
            steps: known.map_or(self.steps.address(), |_| 0),
            steps_known: known.unwrap_or(0),
            whole: self.whole.as_ref().map_or(0, Buffer::address),
            misses: address(means.packs.misses.as_ref()),
            anchor_misses: i32::from(before == Phase::Gather { misses: true }),
            rows: means.packs.layout.n as i64,
            gathers: i32::from(matches!(before, Phase::Gather { .. })),
            begins: i32::from(before == Phase::Begin),
            forgets: i32::from(before == Phase::Forget),
            by_class: i32::from(match before {
                Phase::Begin => means.y_levels > 1,
                _ => means.classes > 1,
            }),
        }
    }

    /// What every place has gathered.
    pub(super) fn gathered(&self, gpu: &Gpu) -> Result<Vec<i128>, DeviceError> {
        let mut all = vec![0; self.count * self.batch];
        gpu.download(self.gathered.address(), &mut all)?;
        gpu.wait(DURING)?;
        Ok(all)
    }

    /// Relevance of every place.
    pub(super) fn relevance(&self, gpu: &Gpu) -> Result<Vec<i64>, DeviceError> {
        let mut all = vec![0; self.count * self.batch];
        gpu.download(self.relevance.address(), &mut all)?;
        gpu.wait(DURING)?;
        Ok(all)
    }
}

/// Room for so many values, all of them zero.
fn zeros<T>(gpu: &Gpu, count: usize) -> Result<Buffer<T>, DeviceError> {
    let buffer = gpu.buffer::<T>(count, DURING)?;
    gpu.zero(buffer.address(), count * size_of::<T>())?;
    Ok(buffer)
}
