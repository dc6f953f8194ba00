//! Launches `score`: what candidates gather on a GPU by the rule of a declared score, and the best of
//! them.

use std::cmp::Reverse;

use passel_kernels::{
    counting::{AnchorSums, TableSums},
    deferred::STALLED,
    peer_argmax::{self, PeerArgs},
    score::{BestCandidate, KERNEL, NONE, Pick, ScoreArgs, ScoreRule, ScoreTerm, TERMS},
};

use super::{
    super::{
        gpu::{Gpu, arguments},
        memory::{Buffer, Pinned},
    },
    packs::put,
    sweep_buffers::SweepOutput,
};
use crate::{
    device::{DeviceError, counting::ScoreEvaluator},
    score::{Gather, Join, Measure, Part, Quantity},
};

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
    /// The arguments of kernels that score, but for those of a phase and a slot.
    args: ScoreArgs,
    /// Whether joint codes tell classes apart, for relevance and after it.
    by_class: [bool; 2],
    batch: usize,
    blocks: usize,
    /// Sums over (x, y), (x, w) and (x, w, y).
    pub(super) sums: [Buffer<i64>; 3],
    pub(super) relevance: Buffer<i64>,
    pub(super) gathered: Buffer<i128>,
    _redundancy: Option<Buffer<i128>>,
    /// All sums of a table, where something misses values.
    pub(super) whole: Option<Buffer<TableSums>>,
    /// Anchors gathered.
    _steps: Buffer<u32>,
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

/// Where a pick goes.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub(super) number: usize,
    /// Whether the pick is excluded and becomes the next anchor on the GPU.
    pub(super) chosen: bool,
}

impl Slot {
    /// What the host looks at before anything is chosen.
    pub(super) const FIRST: Self = Self {
        number: 0,
        chosen: false,
    };
}

/// The better of two picks, the second of which may be none; of equal ones that of the lower number.
pub(super) fn better(best: Option<Pick>, pick: Pick) -> Option<Pick> {
    let order = |pick: &Pick| (pick.score, Reverse(pick.number));
    let wins = best.as_ref().is_none_or(|best| order(&pick) > order(best));
    match pick.number != NONE && wins {
        true => Some(pick),
        false => best,
    }
}

impl ScoreState {
    /// A batch of so many over the columns of these arguments: their rule, numbers, levels, Σ c·L(c)
    /// over x, and whether each is excluded and misses values; whether redundancy is wanted.
    pub(super) fn new(
        gpu: &Gpu,
        args: ScoreArgs,
        by_class: [bool; 2],
        (batch, redundancy): (usize, bool),
    ) -> Result<Self, DeviceError> {
        let count = args.count as usize;
        let all = count * batch;
        // Kernels load what they are not sure to need before they know.
        let sums = || zeroed::<i64>(gpu, all);
        let most = BLOCKS * gpu.processors as usize;
        let blocks = count.div_ceil(THREADS as usize).clamp(1, most);
        let redundancy = redundancy.then(|| zeroed(gpu, all)).transpose()?;
        let whole = (args.misses != 0).then(|| gpu.buffer(all, DURING));
        let whole = whole.transpose()?;
        let sums = [sums()?, sums()?, sums()?];
        let [xy, xw, xwy] = sums.each_ref().map(Buffer::address);
        let (relevance, gathered) = (zeroed(gpu, all)?, zeroed(gpu, all)?);
        let steps = put(gpu, &[0])?;
        let anchors = put(gpu, &vec![AnchorSums::default(); batch])?;
        Ok(Self {
            args: ScoreArgs {
                xy,
                xw,
                xwy,
                relevance: relevance.address(),
                gathered: gathered.address(),
                redundancy: redundancy.as_ref().map_or(0, Buffer::address),
                anchors: anchors.address(),
                steps: steps.address(),
                whole: whole.as_ref().map_or(0, Buffer::address),
                ..args
            },
            by_class,
            batch,
            blocks,
            sums,
            relevance,
            gathered,
            _redundancy: redundancy,
            whole,
            _steps: steps,
            anchors,
            found: gpu.buffer(batch * blocks, DURING)?,
            arrived: put(gpu, &vec![0; batch])?,
            picks: gpu.pinned(if batch == 1 { AHEAD } else { batch })?,
        })
    }

    /// A batch of so many over the same columns, without redundancy.
    pub(super) fn batch(&self, gpu: &Gpu, batch: usize) -> Result<Self, DeviceError> {
        Self::new(gpu, self.args, self.by_class, (batch, false))
    }

    /// Bytes that a state of so many columns takes.
    pub(super) fn bytes(columns: usize, misses: bool) -> usize {
        columns * (4 * 8 + 2 * 16 + 16 + if misses { 72 } else { 0 })
    }

    /// Where a sweep against an anchor writes, of columns not excluded.
    pub(super) fn output(&self) -> SweepOutput {
        SweepOutput {
            xw: self.args.xw,
            xwy: self.args.xwy,
            whole: self.args.whole,
            excluded: self.args.excluded,
            ..SweepOutput::default()
        }
    }

    /// Where the first sweep, of all columns, writes: sums over x for (x, w), and levels that occur.
    pub(super) fn first_output(&self, occurring: u64) -> SweepOutput {
        SweepOutput {
            xw: self.args.x,
            occurring,
            excluded: 0,
            ..self.output()
        }
    }

    /// Marks all slots as not written; nothing may be under way.
    pub(super) fn forget_picks(&mut self) {
        for pick in self.picks.values() {
            pick.number = UNWRITTEN;
        }
    }

    /// Finds the best of each of the batch, to slots from this one on. `known` anchors were gathered
    /// before, if the host knows.
    pub(super) fn launch(
        &self,
        gpu: &Gpu,
        phase: Phase,
        slot: Slot,
        known: Option<u32>,
    ) -> Result<(), DeviceError> {
        if phase == Phase::Forget {
            gpu.zero(self.args.steps, 4)?;
        }
        let args = self.arguments(phase, slot.chosen, known);
        let (found, arrived) = (self.found.address(), self.arrived.address());
        let picks = self.pick(slot.number);
        let args = arguments![args, found, arrived, picks];
        gpu.launch(&KERNEL, "score", self.grid(), THREADS, 0, args)
    }

    /// Finds the best candidate, and the best of all GPUs of a group, which becomes the next
    /// anchor of each.
    pub(super) fn launch_all_reduce(
        &self,
        gpu: &Gpu,
        phase: Phase,
        peers: PeerArgs,
    ) -> Result<(), DeviceError> {
        let args = self.arguments(phase, false, None);
        let (found, arrived) = (self.found.address(), self.arrived.address());
        let args = arguments![args, found, arrived, peers];
        let kernel = &peer_argmax::KERNEL;
        gpu.launch(kernel, "score_all_reduce", self.grid(), THREADS, 0, args)
    }

    fn grid(&self) -> (u32, u32, u32) {
        (self.blocks as u32, self.batch as u32, 1)
    }

    /// The address of a slot.
    pub(super) fn pick(&self, slot: usize) -> u64 {
        self.picks.address() + (size_of::<Pick>() * slot) as u64
    }

    /// The arguments of kernels that score.
    pub(super) fn arguments(&self, phase: Phase, chosen: bool, known: Option<u32>) -> ScoreArgs {
        let begins = phase == Phase::Begin;
        ScoreArgs {
            next: if chosen { self.args.anchors } else { 0 },
            steps: known.map_or(self.args.steps, |_| 0),
            steps_known: known.unwrap_or(0),
            anchor_misses: i32::from(phase == Phase::Gather { misses: true }),
            gathers: i32::from(matches!(phase, Phase::Gather { .. })),
            begins: i32::from(begins),
            forgets: i32::from(phase == Phase::Forget),
            by_class: i32::from(self.by_class[usize::from(!begins)]),
            ..self.args
        }
    }
}

/// A buffer of so many zeros.
fn zeroed<T>(gpu: &Gpu, count: usize) -> Result<Buffer<T>, DeviceError> {
    let buffer = gpu.buffer::<T>(count, DURING)?;
    gpu.zero(buffer.address(), count * size_of::<T>())?;
    Ok(buffer)
}

/// The rule of a declared score, where Σ c·L(c) over the response is this.
pub(super) fn rule(evaluator: &ScoreEvaluator, y: i64) -> ScoreRule {
    let score = evaluator.score();
    let mut term = [ScoreTerm::default(); TERMS + 1];
    let terms = score.terms();
    for (to, (of, &weight)) in term.iter_mut().zip(terms.iter().zip(&evaluator.weights)) {
        *to = ScoreTerm {
            weight,
            below_zero: i32::from(of.part == Part::BelowZero),
            ..quantity(&of.quantity)
        };
    }
    if let Measure::Declared { relevance, .. } = &score.measure {
        term[terms.len()] = quantity(relevance);
    }
    ScoreRule {
        terms: terms.len() as i32,
        gather: match score.gather {
            Gather::Sum | Gather::Mean => 0,
            Gather::Minimum => 1,
            // Of floats the host gathers, and of these GPUs keep the last alone.
            Gather::Last | Gather::Maximum | Gather::Product => 2,
        },
        join: match score.join {
            Join::Added => 0,
            Join::Alone => 1,
            Join::Least => 2,
            Join::Guarded => 3,
        },
        mean: i32::from(score.gather == Gather::Mean),
        n: evaluator.logs().full_term(),
        y,
        unit: evaluator.ratio_unit(),
        term,
    }
}

fn quantity(of: &Quantity) -> ScoreTerm {
    ScoreTerm {
        over: of.over.integers(),
        under: of.under.unwrap_or_default().integers(),
        is_ratio: i32::from(of.under.is_some()),
        ..ScoreTerm::default()
    }
}
