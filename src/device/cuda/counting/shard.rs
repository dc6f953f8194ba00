//! A GPU and its share of the columns: counts anchors, gathers scores, finds the best.

use std::ops::Range;

use passel_kernels::{
    counting::{AnchorSums, ColumnCodes},
    score::{KERNEL, Pick, ScoreRule},
};
use rayon::prelude::*;

use super::{
    super::{
        gpu::{Gpu, arguments},
        memory::Buffer,
    },
    anchors::{AnchorSource, AnchorWorkspace},
    deferred::DeferredCounts,
    form::ColumnTraits,
    kernel_choice::{needs_wide_codes, plan_columns},
    packs::{Packs, put, room},
    rule::rule,
    run_ahead::StepBatch,
    score::{Phase, ScoreInputs, ScoreState},
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

/// Bytes left free for what is beside the columns.
const RESERVE: usize = 1 << 30;

const DURING: &str = "laying out the response";

/// One GPU's share of the columns.
pub(super) struct Shard {
    pub(super) gpu: Gpu,
    pub(super) packs: Packs,
    /// Observations.
    pub(super) n: usize,
    /// c·L(c) of every count c.
    pub(super) terms: Buffer<i64>,
    rule: ScoreRule,
    /// Σ c·L(c) over the levels of each place's column, and whether it is excluded.
    x: Buffer<i64>,
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
        let gpu = Gpu::open(ordinal, passel_kernels::COUNTING)?;
        let n = response.codes.len();
        let classes = match evaluator.needs_xwy() {
            true => response.levels,
            false => 1,
        };
        let terms = put(&gpu, evaluator.logs().terms())?;
        let any_misses = any_misses(columns);
        let others =
            ScoreState::bytes(own.len(), any_misses) + 64 * own.len() + RESERVE.min(64 * n);
        let room = room(&gpu, others, limit)?;
        let (first, own) = (own.start, &columns[own]);
        let traits = own.par_iter().map(ColumnTraits::of);
        let planned = plan_columns(traits, (n, classes));
        let packs = Packs::new(&gpu, own, &planned, (first, n), any_misses, room)?;
        let count = packs.count();
        let constant = AnchorSums {
            w: evaluator.logs().full_term(),
            wy: response_sum,
            levels: 1,
            place: count as u32,
        };
        let mut shard = Self {
            n,
            terms,
            rule: rule(evaluator, response_sum),
            anchors: AnchorWorkspace::new(&gpu, &packs, response, classes, constant)?,
            x: gpu.buffer(count, DURING)?,
            excluded: put(&gpu, &vec![0; count])?,
            occurring: vec![0; count],
            score: ScoreState::new(&gpu, &packs, 1, evaluator.score().has_steps())?,
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
        let out = self.score.first_output(&self.x, occurring.address());
        self.sweep(buffers, out)?;
        self.rescore(Phase::Begin, false, 0)?;
        self.gpu
            .download(occurring.address(), &mut self.occurring)?;
        self.gpu.wait("counting the response")
    }

    /// Whether some pack is counted by codes of u32 against an anchor of so many levels.
    pub(super) fn needs_wide_codes(&self, levels: usize, misses: bool) -> bool {
        let against = (levels, self.anchors.classes);
        needs_wide_codes(&self.gpu, &self.packs, against, misses)
    }

    /// The sums of the next anchor.
    pub(super) fn set_anchor(&self, anchor: AnchorSums) -> Result<(), DeviceError> {
        self.gpu.upload(&[anchor], self.score.anchors.address())
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

    /// Room for a column of another GPU's.
    pub(super) fn guest_room(&mut self) -> Result<u64, DeviceError> {
        self.anchors.guest_room(&self.gpu)
    }

    /// Where the column of each place lies.
    pub(super) fn column_places(&self) -> Result<Vec<ColumnCodes>, DeviceError> {
        let mut places = vec![ColumnCodes::default(); self.packs.count()];
        self.gpu
            .download(self.packs.places.address(), &mut places)?;
        self.gpu.wait(DURING)?;
        Ok(places)
    }

    /// What scores are made of.
    pub(super) fn score_inputs(&self) -> ScoreInputs<'_> {
        ScoreInputs {
            gpu: &self.gpu,
            packs: &self.packs,
            rule: &self.rule,
            x: &self.x,
            excluded: &self.excluded,
            y_levels: self.anchors.y_levels,
            classes: self.anchors.classes,
        }
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

    /// Sweeps an anchor, finds the best candidate and writes it to a slot. Where it is `chosen`,
    /// the best is excluded and becomes the next anchor on the GPU.
    pub(super) fn step(
        &mut self,
        source: AnchorSource,
        chosen: bool,
        slot: usize,
    ) -> Result<(), DeviceError> {
        match self.deferred {
            Some(_) => self.step_lazily(source, chosen, slot),
            None => self.step_all(source, chosen, slot),
        }
    }

    /// As [`Shard::step`], every column counted at once.
    pub(super) fn step_all(
        &mut self,
        source: AnchorSource,
        chosen: bool,
        slot: usize,
    ) -> Result<(), DeviceError> {
        let phase = self.sweep_all(source)?;
        self.rescore_all(phase, chosen, slot)
    }

    /// Counts every column against an anchor; what scoring is to do with the sums.
    pub(super) fn sweep_all(&mut self, source: AnchorSource) -> Result<Phase, DeviceError> {
        let buffers = self.lay_out(source, self.anchors.classes, None)?;
        self.sweep(buffers, self.score.output(self.excluded.address()))?;
        Ok(Phase::Gather {
            misses: buffers.misses,
        })
    }

    /// Finds the best candidate after a phase, as [`Shard::step`] does after an anchor.
    pub(super) fn rescore(
        &mut self,
        phase: Phase,
        chosen: bool,
        slot: usize,
    ) -> Result<(), DeviceError> {
        match self.deferred {
            Some(_) => self.rescore_lazily(phase, chosen, slot),
            None => self.rescore_all(phase, chosen, slot),
        }
    }

    /// As [`Shard::rescore`], where every column has gathered every anchor.
    pub(super) fn rescore_all(
        &mut self,
        phase: Phase,
        chosen: bool,
        slot: usize,
    ) -> Result<(), DeviceError> {
        if phase == Phase::Forget {
            self.score.restart(&self.gpu)?;
        }
        let known = self.deferred.as_ref().map(|deferred| deferred.steps as u32);
        let inputs = self.score_inputs();
        self.score.launch(&inputs, phase, chosen, (slot, known))
    }

    /// Excludes the column of a place from the candidates.
    pub(super) fn exclude(&self, place: u32) -> Result<(), DeviceError> {
        let excluded = self.excluded.address();
        let args = arguments![excluded, place];
        self.gpu.launch(&KERNEL, "exclude", (1, 1, 1), 1, 0, args)
    }

    /// Waits for the picks of slots from the first on: so many, or fewer where lazy evaluation
    /// stalled.
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
        for slot in 0..steps.count {
            match slot > 0 || steps.pending {
                true => self.step(source, true, slot)?,
                false => self.rescore(Phase::Nothing, true, slot)?,
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
