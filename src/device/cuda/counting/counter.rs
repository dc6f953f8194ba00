//! The columns shared over GPUs, which count every candidate and find the best one.

use std::{cmp::Reverse, collections::VecDeque, time::Instant};

use passel_kernels::{counting::ColumnCodes, score::Pick};
use rayon::prelude::*;

use super::{
    super::memory::Buffer,
    anchors::AnchorSource,
    deferred::LazyOptions,
    packs::read,
    peer_argmax::PeerGroup,
    permutations,
    run_ahead::{RunAhead, START, StepBatch, SweptAnchors, deeper},
    score::{Phase, Slot, UNWRITTEN, better},
    shard::{self, Shard, link},
};
use crate::{
    binning::BinnedColumn,
    device::{
        DeviceError,
        counting::{
            CandidateStatistics, Categorical, ConditioningVariable, Counter, LocalColumns,
            ScoreEvaluator, ScoredColumn, any_misses,
        },
        split_range,
    },
    score::Against,
};

/// GPUs that share the columns, each a contiguous range of them.
pub(crate) struct CudaCounter<'a> {
    columns: &'a [BinnedColumn],
    /// The number of the first.
    first: u32,
    /// What several GPUs share that agree on picks without the host.
    pub(super) peers: Option<PeerGroup>,
    pub(super) shards: Vec<Shard>,
    /// The GPU of each column, and its place there.
    pub(super) homes: Vec<(usize, u32)>,
    /// Where the columns of each GPU lie, if every GPU reads the memory of all others.
    pub(super) peer_columns: Vec<Vec<ColumnCodes>>,
    pub(super) response: Categorical,
    pub(super) response_sum: i64,
    pub(super) evaluator: &'a ScoreEvaluator,
    /// Most levels of any column.
    pub(super) levels: usize,
    /// Whether GPUs may pick by themselves.
    runs_ahead: bool,
    pub(super) ahead: RunAhead,
    /// At most so many picks are wanted; so many come back soon.
    hinted: usize,
    depth: usize,
    swept: SweptAnchors,
    /// What failed after the picks at hand were made; returned once these are excluded.
    fault: Option<DeviceError>,
}

impl<'a> CudaCounter<'a> {
    /// Columns on the GPUs of these ordinals, for this response; each takes at most so many bytes
    /// for them.
    ///
    /// *Shapes*: p columns and the response, of n codes each; GPU g of m gets the g-th of m ranges.
    pub(crate) fn new(
        LocalColumns { columns, first }: LocalColumns<'a>,
        response: &Categorical,
        evaluator: &'a ScoreEvaluator,
        (ordinals, limit): (&[usize], Option<u64>),
        lazy: LazyOptions,
    ) -> Result<Self, DeviceError> {
        let of = (response, response.log_sum(evaluator.logs()));
        let ranges = split_range(columns.len(), ordinals.len());
        let mut shards = Vec::new();
        let mut homes = vec![(0, 0); columns.len()];
        for (at, (&ordinal, range)) in ordinals.iter().zip(ranges).enumerate() {
            let shard = Shard::new(ordinal, (columns, range), of, evaluator, limit)?;
            for (place, &number) in (0..).zip(&shard.packs.layout.numbers) {
                homes[number as usize] = (at, place);
            }
            shards.push(shard);
        }
        let linked = link(&shards);
        let peer_columns = shards.iter().filter(|_| linked);
        let peer_columns =
            peer_columns.map(|shard| read(&shard.gpu, &shard.packs.places, shard::DURING));
        let peer_columns = peer_columns.collect::<Result<_, _>>()?;
        let levels = columns.iter().map(|column| column.levels);
        let (levels, misses) = (levels.max().unwrap_or(1), any_misses(columns));
        let narrow =
            |shard: &Shard| !shard.packs.streams() && !shard.needs_wide_codes(levels, misses);
        let mut runs_ahead = shards.iter().all(narrow)
            && evaluator.score().is_exact()
            && evaluator.score().against == Against::Last
            && !evaluator.may_readmit_excluded();
        let mut peers = None;
        match &mut shards[..] {
            [one] if runs_ahead && evaluator.is_nonincreasing() => {
                one.evaluate_lazily(levels, evaluator.is_bounded_by_relevance(), lazy)?;
            }
            [_] => {}
            several => {
                if runs_ahead && linked && evaluator.score().has_steps() {
                    peers = match PeerGroup::new(several, levels) {
                        // Steps through the host take less memory.
                        Err(DeviceError::OutOfMemory { .. }) => None,
                        group => group?,
                    };
                }
                runs_ahead = peers.is_some();
            }
        }
        Ok(Self {
            columns,
            first: first as u32,
            peers,
            peer_columns,
            shards,
            homes,
            response_sum: of.1,
            response: response.clone(),
            evaluator,
            levels,
            runs_ahead,
            ahead: RunAhead::new(),
            hinted: 1,
            depth: START,
            swept: SweptAnchors::default(),
            fault: None,
        })
    }

    /// The position among this counter's columns of the one of this number.
    fn position(&self, number: u32) -> Option<u32> {
        let position = number.checked_sub(self.first);
        position.filter(|position| (*position as usize) < self.columns.len())
    }

    pub(super) fn column(&self, position: u32) -> &'a BinnedColumn {
        &self.columns[position as usize]
    }

    /// Lets the GPUs make so many picks by themselves. Where one fails on the way, the picks made
    /// until then stand, and the fault is returned after them.
    fn run_ahead(&mut self, count: usize) -> Result<(), DeviceError> {
        let started = Instant::now();
        let shard = &mut self.shards[0];
        // A pick that is scored without an anchor takes no room for one.
        let count = shard.reserve(count)?;
        shard.score.forget_picks();
        let steps = StepBatch {
            count,
            levels: self.levels,
            pending: self.ahead.is_anchor_pending(),
        };
        let known = match &mut self.peers {
            Some(peers) => peers.run(&mut self.shards, steps).map(|()| count),
            None => shard.run(steps),
        };
        if known.is_err() && self.peers.is_some() {
            self.runs_ahead = false;
        }
        let slots = self.shards[0].score.picks.get()[..count].iter().copied();
        let picks: VecDeque<Pick> = slots.take_while(|pick| pick.number < UNWRITTEN).collect();
        match known {
            Err(fault) if picks.is_empty() => return Err(fault),
            Err(fault) => self.fault = Some(fault),
            // What was launched behind a stalled pick was in vain.
            Ok(known) if known < count => self.depth = known,
            Ok(_) => {
                // The first pick of all has no anchor before it.
                let swept = count.saturating_sub(usize::from(!steps.pending));
                self.depth = deeper(started.elapsed(), (count, swept), self.depth);
            }
        }
        self.ahead.picked(picks);
        Ok(())
    }

    /// Counts the anchor that the GPUs chose and have not counted, if there is one.
    fn sweep_pending(&mut self) -> Result<(), DeviceError> {
        if self.ahead.is_anchor_pending() {
            let levels = self.levels;
            self.sweep_each(|_| AnchorSource::Chosen { levels })?;
            self.ahead.score();
        }
        Ok(())
    }

    /// Reads the best of what every GPU has found.
    fn read_best(&mut self) -> Result<(), DeviceError> {
        self.sweep_pending()?;
        if !self.ahead.is_scored() {
            for shard in &mut self.shards {
                shard.rescore(Phase::Nothing, Slot::FIRST)?;
            }
            self.ahead.score();
        }
        let mut best: Option<Pick> = None;
        for shard in &mut self.shards {
            best = better(best, shard.picks(1)?[0]);
        }
        self.ahead.read(best);
        Ok(())
    }

    /// A value of every column, from those of each GPU's places.
    pub(super) fn by_column<T: Copy + Default>(
        &self,
        of_places: impl Fn(&Shard) -> &Buffer<T>,
    ) -> Result<Vec<T>, DeviceError> {
        let mut all = vec![T::default(); self.columns.len()];
        for shard in &self.shards {
            let values = read(&shard.gpu, of_places(shard), "scoring")?;
            for (&number, value) in shard.packs.layout.numbers.iter().zip(values) {
                all[number as usize] = value;
            }
        }
        Ok(all)
    }

    /// Has every GPU count an anchor, which the number of the GPU may tell, on several at a time.
    pub(super) fn sweep_each<'s>(
        &mut self,
        source: impl Fn(usize) -> AnchorSource<'s> + Sync,
    ) -> Result<(), DeviceError> {
        let shards = self.shards.par_iter_mut().enumerate();
        shards.try_for_each(|(at, shard)| shard.step(source(at), Slot::FIRST))
    }

    /// All as it was before the first pick; no column is excluded.
    pub(crate) fn readmit_all(&mut self) -> Result<(), DeviceError> {
        for shard in &self.shards {
            let excluded = &shard.excluded;
            shard.gpu.zero(excluded.address(), excluded.len())?;
        }
        self.depth = 1;
        self.reset();
        let mut shards = self.shards.iter();
        shards.try_for_each(|shard| shard.gpu.wait("beginning again"))
    }
}

/// A pick as callers number columns, where the first has this number.
fn scored_column(pick: &Pick, first: u32) -> ScoredColumn {
    ScoredColumn {
        score: pick.score,
        column: Reverse(first + pick.number),
        relevance: pick.relevance,
    }
}

impl Counter for CudaCounter<'_> {
    fn sweep(&mut self, variable: &ConditioningVariable) -> Result<(), DeviceError> {
        let column = variable.column.and_then(|number| self.position(number));
        let whole = column.filter(|&column| self.column(column).excluded_code().is_none());
        let pick = whole.and(self.ahead.last_pick(column)).map(|pick| pick.x);
        let remote = variable.remote.as_ref();
        self.swept
            .add(pick.or(remote.map(|remote| remote.statistics.log_sum)));
        if self.ahead.sweep(column) {
            return Ok(());
        }
        self.sweep_pending()?;
        self.ahead.score();
        self.count(column, variable)
    }

    fn hint_picks(&mut self, picks: usize) {
        self.hinted = picks;
    }

    fn reset(&mut self) {
        self.swept = SweptAnchors::default();
        self.ahead = RunAhead::new();
        for shard in &mut self.shards {
            let forgot = shard.rescore(Phase::Forget, Slot::FIRST);
            self.fault = self.fault.take().or(forgot.err());
        }
    }

    fn best(&mut self) -> Result<Option<ScoredColumn>, DeviceError> {
        if self.ahead.next().is_none() {
            if let Some(fault) = self.fault.take() {
                return Err(fault);
            }
            match self.runs_ahead && self.hinted > 1 {
                true => self.run_ahead(self.hinted.min(self.depth))?,
                false => self.read_best()?,
            }
        }
        let best = self.ahead.next();
        Ok(best.map(|pick| scored_column(pick, self.first)))
    }

    fn statistics(&mut self, column: u32) -> Result<Option<CandidateStatistics>, DeviceError> {
        let Some(column) = self.position(column) else {
            return Ok(None);
        };
        let own = self.column(column);
        let pick = self.ahead.next().filter(|pick| pick.number == column);
        let Some(pick) = pick.filter(|_| own.excluded_code().is_none()) else {
            return Ok(None);
        };
        let n = self.evaluator.logs().full_term();
        let (at, place) = self.homes[column as usize];
        let counted = self.shards[at].occurring[place as usize];
        Ok(Some(CandidateStatistics {
            redundancy: self.swept.redundancy(pick, n),
            mutual_information: pick.xy - pick.x - self.response_sum + n,
            log_sum: pick.x,
            levels: match counted {
                0 => own.codes.occurring(own.levels),
                counted => counted as usize,
            },
        }))
    }

    fn exclude(&mut self, column: u32) {
        let Some(column) = self.position(column) else {
            return;
        };
        if self.ahead.exclude(column) {
            return;
        }
        let (at, place) = self.homes[column as usize];
        let excluded = self.shards[at].exclude(place);
        self.fault = self.fault.take().or(excluded.err());
    }

    fn best_permuted(
        &mut self,
        orders: &[Vec<u32>],
        swept: &[&Categorical],
    ) -> Option<Result<Vec<Option<ScoredColumn>>, DeviceError>> {
        let anchors = swept.iter().map(|codes| {
            let sums = self.anchor_sums(codes, codes.log_sum(self.evaluator.logs()));
            (sums, *codes)
        });
        let anchors: Vec<_> = anchors.collect();
        let best = permutations::best(&mut self.shards, orders, &self.response, &anchors);
        let numbered = |pick: Option<Pick>| pick.map(|pick| scored_column(&pick, self.first));
        Some(best.map(|best| best.into_iter().map(numbered).collect()))
    }
}
