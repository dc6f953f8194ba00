//! Counting on GPUs: every GPU has a share of the columns, and what they have gathered.
//!
//! `layout` says which form a column has there, `packs` are the columns of a GPU, `sweep`
//! counts them beside an anchor, `walk` is what they gather, `shard` a GPU with all of it. On
//! one GPU, or on GPUs that all reach one another (`together`), the walk goes on by itself for
//! some steps: each pick becomes the next anchor there, and the host reads what was picked
//! afterwards. `coded` are the values of a function of each column's whole table, which `tables`
//! counts and evaluates on a GPU.

mod anchor;
mod coded;
mod column_traits;
mod counter;
mod dense;
mod entries;
mod joint_codes;
mod kernel_choice;
#[cfg(test)]
mod kernel_choice_tests;
mod layout;
#[cfg(test)]
mod layout_tests;
mod lazy;
#[cfg(test)]
mod lazy_tests;
mod packs;
mod pair_sweep;
mod pairs;
mod peer_group;
#[cfg(test)]
mod peer_group_tests;
mod permuted;
mod rows;
mod rule;
mod score;
mod shard;
mod short_entries;
mod spread;
mod steps;
mod sweep;
mod tables;
mod tiny;
mod waves;
mod wide;

pub(crate) use coded::CudaValues;
pub(crate) use lazy::LazyOptions;
pub(crate) use pair_sweep::CudaPairSweep;
pub(crate) use pairs::CudaPairs;

use std::{
    cmp::Reverse,
    collections::VecDeque,
    time::{Duration, Instant},
};

use passel_kernels::{
    counting::ColumnCodes,
    score::{NONE, Pick},
};
use rayon::prelude::*;

use self::{
    peer_group::{PeerGroup, StepBatch},
    score::{AHEAD, Phase, UNTOLD},
    shard::{AnchorSource, ResponseCodes, Shard},
};
use super::super::{
    DeviceError,
    counting::{Categorical, LogTable, ScoreEvaluator, ScoredColumn},
    split_range,
};
use crate::{binning::BinnedColumn, score::Against};

/// A walk goes further ahead where it came back within this, and not as far where it took twice
/// as long.
const SOON: Duration = Duration::from_millis(20);

/// GPUs that share the columns.
pub(crate) struct CudaCounter<'a> {
    columns: &'a [BinnedColumn],
    /// The number of the first.
    first: u32,
    /// What several GPUs have that walk together.
    together: Option<PeerGroup>,
    shards: Vec<Shard>,
    /// The first column of each, and the end.
    starts: Vec<usize>,
    /// The place of each column on its GPU.
    places: Vec<u32>,
    /// Where the columns of each GPU lie, if every GPU reads what lies on any other.
    lying: Vec<Vec<ColumnCodes>>,
    response: Categorical,
    response_sum: i64,
    logs: &'a LogTable,
    evaluator: &'a ScoreEvaluator,
    /// Most levels of any column.
    levels: usize,
    /// Whether GPUs may walk ahead, how many picks may follow, and how far it goes.
    alone: bool,
    expected: usize,
    ahead: usize,
    /// Picks that the host has not taken yet; taken on the GPU if they were made ahead.
    picks: VecDeque<Pick>,
    made_ahead: bool,
    /// The last pick that was taken; whether it is the next anchor on the GPU, not swept yet.
    last: Option<Pick>,
    pending: bool,
    /// Whether every GPU's first slot tells, or will, the best of its columns.
    scored: bool,
    /// Steps gathered; Σ of their own sums; whether each was one column without missing values.
    steps: usize,
    sum_w: i128,
    plain: bool,
    fault: Option<DeviceError>,
}

impl<'a> CudaCounter<'a> {
    /// Columns numbered from `first` on, on the GPUs of these ordinals, for this response.
    ///
    /// # Errors
    /// A GPU that cannot be used, or has too little memory.
    pub(crate) fn new(
        columns: &'a [BinnedColumn],
        first: usize,
        response: &Categorical,
        by: (&'a LogTable, &'a ScoreEvaluator),
        ordinals: &[usize],
        limit: Option<u64>,
    ) -> Result<Self, DeviceError> {
        let (columns, on) = ((columns, first), (ordinals, limit));
        Self::with(columns, response, by, on, LazyOptions::default())
    }

    /// The same, where scores that only fall are counted so.
    pub(crate) fn with(
        (columns, first): (&'a [BinnedColumn], usize),
        response: &Categorical,
        (logs, evaluator): (&'a LogTable, &'a ScoreEvaluator),
        (ordinals, limit): (&[usize], Option<u64>),
        waves: LazyOptions,
    ) -> Result<Self, DeviceError> {
        let told = ResponseCodes {
            anchor: response,
            sum: response.log_sum(logs),
            by_class: evaluator.needs_xwy(),
        };
        let ranges: Vec<_> = split_range(columns.len(), ordinals.len()).collect();
        let mut gpus = Vec::new();
        let mut places = vec![0; columns.len()];
        for (&ordinal, range) in ordinals.iter().zip(&ranges) {
            let own = (columns, range.clone());
            let shard = Shard::new(ordinal, own, &told, (logs, evaluator), limit)?;
            for (place, &number) in (0..).zip(&shard.packs.layout.numbers) {
                places[number as usize] = place;
            }
            gpus.push(shard);
        }
        let mut linked = gpus.len() > 1;
        for at in 1..gpus.len() {
            let (before, rest) = gpus.split_at(at);
            for other in before {
                linked &=
                    rest[0].gpu.enable_peer(&other.gpu) && other.gpu.enable_peer(&rest[0].gpu);
            }
        }
        let lying = gpus.iter().filter(|_| linked).map(Shard::lying);
        let lying = lying.collect::<Result<_, _>>()?;
        let (levels, misses) = (
            columns
                .iter()
                .map(|column| column.levels)
                .max()
                .unwrap_or(1),
            any_misses(columns),
        );
        let narrow = |it: &Shard| !it.packs.streams() && !it.is_wide(levels, misses);
        let mut alone = gpus.iter().all(narrow)
            && evaluator.score().against == Against::Last
            && !evaluator.may_readmit_excluded();
        let mut together = None;
        match &mut gpus[..] {
            [one] if alone && evaluator.is_nonincreasing() => {
                one.put_off(levels, evaluator.is_bounded_by_relevance(), waves)?;
            }
            [_] => {}
            several => {
                if alone && linked && evaluator.score().has_steps() {
                    together = match PeerGroup::new(several, levels) {
                        // The host's way takes less.
                        Err(DeviceError::OutOfMemory { .. }) => None,
                        made => made?,
                    };
                }
                alone = together.is_some();
            }
        }
        let starts = ranges.iter().map(|it| it.start);
        Ok(Self {
            starts: starts.chain([columns.len()]).collect(),
            columns,
            first: first as u32,
            together,
            lying,
            shards: gpus,
            places,
            response_sum: told.sum,
            response: response.clone(),
            logs,
            evaluator,
            levels,
            alone,
            expected: 1,
            ahead: 2,
            picks: VecDeque::new(),
            made_ahead: false,
            last: None,
            pending: false,
            scored: true,
            steps: 0,
            sum_w: 0,
            plain: true,
            fault: None,
        })
    }

    /// The position among this counter's columns of the one that has this number, if it is one
    /// of them.
    fn position(&self, number: u32) -> Option<u32> {
        let position = number.checked_sub(self.first);
        position.filter(|position| (*position as usize) < self.columns.len())
    }

    /// The GPU of a column.
    fn home(&self, column: u32) -> usize {
        let before = self.starts.partition_point(|it| *it <= column as usize);
        before.saturating_sub(1).min(self.shards.len() - 1)
    }

    /// Lets the GPUs go on by themselves, for so many picks. Where one fails on the way, those
    /// that were told are picks all the same, and the fault is told behind them.
    fn walk(&mut self, count: usize) -> Result<(), DeviceError> {
        let started = Instant::now();
        let shard = &mut self.shards[0];
        // One that is scored without a step takes no room.
        let count = shard.reserve(count)?;
        shard.walk.forget_picks();
        let steps = StepBatch {
            count,
            levels: self.levels,
            pending: self.pending,
        };
        let walked = match &mut self.together {
            Some(together) => together.walk(&mut self.shards, steps).map(|()| count),
            None => walk(shard, steps),
        };
        if walked.is_err() && self.together.is_some() {
            self.alone = false;
        }
        let told = self.shards[0].walk.picks.get()[..count].iter().copied();
        self.picks = told.take_while(|it| it.number < UNTOLD).collect();
        match walked {
            Err(fault) if self.picks.is_empty() => return Err(fault),
            Err(fault) => self.fault = Some(fault),
            // What was launched behind one that stalled was in vain.
            Ok(known) if known < count => self.ahead = known,
            Ok(_) => {
                // The first of all has no step before it.
                let swept = count.saturating_sub(usize::from(!steps.pending));
                self.ahead = ahead(started.elapsed(), (count, swept), self.ahead);
            }
        }
        self.made_ahead = true;
        // Slots tell picks that are taken.
        (self.pending, self.scored) = (false, false);
        Ok(())
    }

    /// The best of what every GPU has found.
    fn find(&mut self) -> Result<(), DeviceError> {
        if self.pending {
            let levels = self.levels;
            self.each(|_, shard| shard.step(AnchorSource::Chosen { levels }, false, 0))?;
            (self.pending, self.scored) = (false, true);
        }
        if !self.scored {
            for shard in &mut self.shards {
                shard.score(Phase::Nothing, false, 0)?;
            }
            self.scored = true;
        }
        let mut best: Option<Pick> = None;
        for shard in &mut self.shards {
            let pick = shard.picks(1)?[0];
            let order = |it: &Pick| (it.score, Reverse(it.number));
            if pick.number != NONE && best.as_ref().is_none_or(|it| order(&pick) > order(it)) {
                best = Some(pick);
            }
        }
        self.picks = best.into_iter().collect();
        self.made_ahead = false;
        Ok(())
    }

    /// Whether a column of this counter misses values.
    fn misses(&self, position: u32) -> bool {
        self.columns[position as usize].excluded_code().is_some()
    }

    /// What every column has gathered.
    fn gathered(&self) -> Result<Vec<i128>, DeviceError> {
        let mut all = vec![0; self.columns.len()];
        for shard in &self.shards {
            let gathered = shard.walk.gathered(&shard.gpu)?;
            for (&number, gathered) in shard.packs.layout.numbers.iter().zip(gathered) {
                all[number as usize] = gathered;
            }
        }
        Ok(all)
    }

    /// Puts work on every GPU, on several at a time.
    fn each(
        &mut self,
        work: impl Fn(usize, &mut Shard) -> Result<(), DeviceError> + Sync,
    ) -> Result<(), DeviceError> {
        let shards = self.shards.par_iter_mut().enumerate();
        shards.try_for_each(|(at, shard)| work(at, shard))
    }

    /// The pick of a column, if it was the last that was taken.
    fn last_pick(&self, column: Option<u32>) -> Option<Pick> {
        self.last.filter(|it| Some(it.number) == column)
    }
}

/// A candidate as callers number it, where the first column has this number.
fn candidate(pick: &Pick, first: u32) -> ScoredColumn {
    ScoredColumn {
        score: pick.score,
        column: Reverse(first + pick.number),
        relevance: pick.relevance,
    }
}

/// Whether any of these columns misses values.
fn any_misses(columns: &[BinnedColumn]) -> bool {
    let misses = |column: &BinnedColumn| column.excluded_code().is_some();
    columns.iter().any(misses)
}

/// How far the next walk goes, behind one of so many picks and anchors swept that took so long:
/// about as far as comes back within [`SOON`].
fn ahead(took: Duration, (picks, swept): (usize, usize), last: usize) -> usize {
    let each = took.as_nanos().max(1) / swept.max(1) as u128;
    let many = match swept {
        0 => 0,
        _ => usize::try_from(SOON.as_nanos() / each.max(1)).unwrap_or(AHEAD),
    };
    match took {
        _ if took < SOON => many.max(2 * picks).max(last).min(AHEAD),
        _ if took > 2 * SOON => many.clamp(1, last),
        _ => last,
    }
}

/// Puts the steps of so many picks on a GPU, and waits for them; how many are known then.
fn walk(shard: &mut Shard, steps: StepBatch) -> Result<usize, DeviceError> {
    let StepBatch {
        count,
        levels,
        pending,
    } = steps;
    for slot in 0..count {
        match slot > 0 || pending {
            true => shard.step(AnchorSource::Chosen { levels }, true, slot)?,
            false => shard.score(Phase::Nothing, true, slot)?,
        }
    }
    shard.picks(count).map(<[_]>::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_come_back_soon() {
        let ms = Duration::from_millis;
        // Nothing was swept yet; a step of 250 µs; the last steps of all; as fast as can be.
        assert_eq!(ahead(ms(1), (1, 0), 1), 2);
        assert_eq!(ahead(Duration::from_micros(500), (2, 2), 2), 80);
        assert_eq!(ahead(ms(1), (4, 4), 80), 80);
        assert_eq!(ahead(Duration::ZERO, (2, 2), 2), AHEAD);
        // Never less than twice as far, while that was soon.
        assert_eq!(ahead(ms(19), (80, 80), 80), 160);
        assert_eq!(ahead(ms(30), (100, 100), 100), 100);
        // A slow one, and a step that waited for what only the first needs.
        assert_eq!(ahead(ms(80), (80, 80), 80), 20);
        assert_eq!(ahead(ms(80), (2, 1), 2), 1);
        assert_eq!(ahead(ms(1), (1, 1), 1), 20);
    }
}
