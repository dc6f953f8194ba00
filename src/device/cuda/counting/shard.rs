//! A GPU and its share of the columns: counts anchors, gathers scores, finds the best.

use std::ops::Range;

use passel_kernels::{
    Kernel,
    counting::AnchorSums,
    dense, entries, joint_codes, rows,
    score::{KERNEL, Pick, ScoreArgs},
    short_entries, tiny, wide,
};

use super::{
    super::{
        gpu::{Gpu, arguments},
        memory::Buffer,
    },
    anchors::{AnchorSource, AnchorWorkspace},
    deferred::DeferredCounts,
    kernel_choice::{needs_wide_codes, plan_columns},
    packs::{Packs, put, read, room},
    run_ahead::StepBatch,
    score::{Phase, ScoreState, Slot, rule},
    sweep::sweep_packs,
    sweep_buffers::{AnchorBuffers, Sweep, SweepOutput, SweepScratch},
};
use crate::{
    binning::BinnedColumn,
    device::{
        DeviceError,
        counting::{Categorical, ScoreEvaluator, any_misses},
    },
};

/// What every selection may need; waves and peers load theirs besides.
const KERNELS: &[Kernel] = &[
    dense::KERNEL,
    entries::KERNEL,
    short_entries::KERNEL,
    rows::KERNEL,
    joint_codes::KERNEL,
    KERNEL,
    wide::KERNEL,
    tiny::KERNEL,
];

/// Bytes left free for what is beside the columns.
const RESERVE: usize = 1 << 30;

pub(super) const DURING: &str = "laying out the response";

/// One GPU's share of the columns.
pub(super) struct Shard {
    pub(super) gpu: Gpu,
    pub(super) packs: Packs,
    /// c·L(c) of every count c.
    pub(super) terms: Buffer<i64>,
    /// Σ c·L(c) over the levels of each place's column, and whether it is excluded.
    pub(super) x: Buffer<i64>,
    pub(super) excluded: Buffer<u8>,
    /// Levels that occur in each place; 0 where nobody counted.
    pub(super) occurring: Vec<u32>,
    pub(super) score: ScoreState,
    pub(super) anchors: AnchorWorkspace,
    scratch: SweepScratch,
    /// Where dense columns are counted lazily.
    pub(super) deferred: Option<DeferredCounts>,
}

impl Shard {
    /// Opens a GPU, lays some of the columns out on it and counts their relevance to a response,
    /// for which Σ c·L(c) over its levels is `response_sum`.
    pub(super) fn new(
        ordinal: usize,
        (columns, own): (&[BinnedColumn], Range<usize>),
        (response, response_sum): (&Categorical, i64),
        evaluator: &ScoreEvaluator,
        limit: Option<u64>,
    ) -> Result<Self, DeviceError> {
        let gpu = Gpu::open(ordinal, KERNELS)?;
        let n = response.codes.len();
        let classes = match evaluator.needs_xwy {
            true => response.levels,
            false => 1,
        };
        let terms = put(&gpu, evaluator.logs().terms())?;
        let any_misses = any_misses(columns);
        let others =
            ScoreState::bytes(own.len(), any_misses) + 64 * own.len() + RESERVE.min(64 * n);
        let room = room(&gpu, others, limit)?;
        let (first, own) = (own.start, &columns[own]);
        let planned = plan_columns(own, (n, classes));
        let packs = Packs::new(&gpu, &planned, (first, n), any_misses, room)?;
        let count = packs.count();
        let constant = AnchorSums {
            w: evaluator.logs().full_term(),
            wy: response_sum,
            levels: 1,
            place: count as u32,
        };
        let anchors = AnchorWorkspace::new(&gpu, &packs, response, classes, constant)?;
        let (x, excluded) = (gpu.buffer(count, DURING)?, put(&gpu, &vec![0; count])?);
        let scored = ScoreArgs {
            rule: rule(evaluator, response_sum),
            count: count as u32,
            numbers: packs.numbers.address(),
            excluded: excluded.address(),
            x: x.address(),
            levels: packs.levels.address(),
            misses: packs.misses.as_ref().map_or(0, Buffer::address),
            rows: n as i64,
            ..ScoreArgs::default()
        };
        let by_class = [response.levels, classes].map(|classes| classes > 1);
        let redundancy = evaluator.score().has_steps();
        let mut shard = Self {
            terms,
            anchors,
            x,
            excluded,
            occurring: vec![0; count],
            score: ScoreState::new(&gpu, scored, by_class, (1, redundancy))?,
            scratch: SweepScratch::default(),
            deferred: None,
            packs,
            gpu,
        };
        shard.count_relevance()?;
        Ok(shard)
    }

    fn count_relevance(&mut self) -> Result<(), DeviceError> {
        let buffers = self.lay_out(AnchorSource::Constant, self.anchors.y_levels, None)?;
        let occurring = put(&self.gpu, &self.occurring)?;
        self.sweep(buffers, self.score.first_output(occurring.address()))?;
        self.rescore(Phase::Begin, Slot::FIRST)?;
        self.occurring = read(&self.gpu, &occurring, "counting the response")?;
        Ok(())
    }

    /// Whether some pack is counted by codes of u32 against an anchor of so many levels.
    pub(super) fn needs_wide_codes(&self, levels: usize, misses: bool) -> bool {
        let against = (levels, self.anchors.classes);
        needs_wide_codes(&self.gpu, &self.packs, against, misses)
    }

    /// Lays an anchor out for so many classes of the response, with joint codes of so many bits
    /// at a place of their own if there is one.
    pub(super) fn lay_out(
        &mut self,
        source: AnchorSource,
        classes: usize,
        to: Option<(u64, u32)>,
    ) -> Result<AnchorBuffers, DeviceError> {
        let on = (&self.gpu, &self.packs);
        let anchors = &self.score.anchors;
        self.anchors.lay_out(on, anchors, (source, classes), to)
    }

    /// Counts every pack against an anchor that is laid out.
    pub(super) fn sweep(
        &mut self,
        anchor: AnchorBuffers,
        out: SweepOutput,
    ) -> Result<(), DeviceError> {
        let sweep = Sweep {
            gpu: &self.gpu,
            packs: &self.packs,
            terms: self.terms.address(),
            anchor,
            out,
        };
        sweep_packs(&sweep, &mut self.scratch)
    }

    /// Sweeps an anchor, finds the best candidate and writes it to a slot.
    pub(super) fn step(&mut self, source: AnchorSource, slot: Slot) -> Result<(), DeviceError> {
        match self.deferred {
            Some(_) => self.step_lazily(source, slot),
            None => self.step_all(source, slot),
        }
    }

    /// As [`Shard::step`], every column counted at once.
    pub(super) fn step_all(&mut self, source: AnchorSource, slot: Slot) -> Result<(), DeviceError> {
        let phase = self.sweep_all(source)?;
        self.rescore_all(phase, slot)
    }

    /// Counts every column against an anchor; what scoring is to do with the sums.
    pub(super) fn sweep_all(&mut self, source: AnchorSource) -> Result<Phase, DeviceError> {
        let buffers = self.lay_out(source, self.anchors.classes, None)?;
        self.sweep(buffers, self.score.output())?;
        Ok(Phase::Gather {
            misses: buffers.misses,
        })
    }

    /// Finds the best candidate after a phase, as [`Shard::step`] does after an anchor.
    pub(super) fn rescore(&mut self, phase: Phase, slot: Slot) -> Result<(), DeviceError> {
        match self.deferred {
            Some(_) => self.rescore_lazily(phase, slot),
            None => self.rescore_all(phase, slot),
        }
    }

    /// As [`Shard::rescore`], where every column has gathered every anchor.
    pub(super) fn rescore_all(&self, phase: Phase, slot: Slot) -> Result<(), DeviceError> {
        let known = self.deferred.as_ref().map(|deferred| deferred.steps as u32);
        self.score.launch(&self.gpu, phase, slot, known)
    }

    /// Excludes the column of a place from the candidates.
    pub(super) fn exclude(&self, place: u32) -> Result<(), DeviceError> {
        let excluded = self.excluded.address();
        let args = arguments![excluded, place];
        self.gpu.launch(&KERNEL, "exclude", (1, 1, 1), 1, 0, args)
    }

    /// Waits for the picks of the first slots: so many, or fewer where lazy evaluation stalled.
    pub(super) fn picks(&mut self, count: usize) -> Result<&[Pick], DeviceError> {
        self.gpu.wait("counting")?;
        let known = self.resolve_stalled(count)?;
        Ok(&self.score.picks.get()[..known])
    }

    /// Makes so many steps and waits for them; how many picks are known then.
    pub(super) fn run(&mut self, steps: StepBatch) -> Result<usize, DeviceError> {
        let source = AnchorSource::Chosen {
            levels: steps.levels,
        };
        for number in 0..steps.count {
            let slot = Slot {
                number,
                chosen: true,
            };
            match number > 0 || steps.pending {
                true => self.step(source, slot)?,
                false => self.rescore(Phase::Nothing, slot)?,
            }
        }
        self.picks(steps.count).map(<[_]>::len)
    }
}

/// Lets every GPU read the memory of every other; whether all can.
pub(super) fn link(shards: &[Shard]) -> bool {
    let mut linked = shards.len() > 1;
    for (at, shard) in shards.iter().enumerate() {
        for before in &shards[..at] {
            linked &= shard.gpu.enable_peer(&before.gpu) && before.gpu.enable_peer(&shard.gpu);
        }
    }
    linked
}
