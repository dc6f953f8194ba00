//! The scan of all pairs: round by round where ranks share out the columns, else in one round.

use std::{
    mem,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    super::{
        SelectorError,
        independence::{class_counts, independence, sparse_cells},
        places::CountingDevices,
    },
    rounds::{Round, RoundColumns, rounds, sum_over_ranks},
    zeros,
};
use crate::{
    binning::{BinnedColumn, BinnedColumns},
    device::{
        DeviceError, UndefinedScore,
        counting::{Categorical, LocalColumns, ScoreEvaluator, TopPairs},
    },
    interrupt::Interrupt,
    memory::MemoryCharge,
    ranks::Communicator,
    search::CheckpointWriter,
    selection::{ColumnAlone, Independence, PairScan},
};

pub(super) type Observer<'a> = Mutex<&'a mut (dyn FnMut(usize, usize) + Send)>;

/// How long the columns between two states of a scan take, about: long beside the time in which threads
/// wait for the last of them.
const PART: Duration = Duration::from_millis(500);

/// Most pairs that a state holds; of more nothing is kept.
const HELD: usize = 1 << 22;

/// What a scan goes on from, of a single process without a matrix.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ScanState {
    /// How many of the first columns are done, in the order in which they are visited.
    pub(super) visited: usize,
    pub(super) best: TopPairs,
}

impl ScanState {
    /// Whether it is a valid state of a scan of p columns for the pairs that are wanted.
    pub(super) fn is_sound(&self, wanted: &TopPairs, p: usize) -> bool {
        self.visited <= p && self.best.is_sound(wanted, p)
    }
}

/// A scan of pairs with its results so far, on this rank.
pub(super) struct Scan<'a, 'k> {
    pub(super) keeper: Option<CheckpointWriter<'k, ScanState>>,
    /// How many of the first columns are done.
    pub(super) visited: usize,
    pub(super) columns: &'a BinnedColumns,
    pub(super) evaluator: &'a ScoreEvaluator,
    pub(super) synergy: &'a ScoreEvaluator,
    pub(super) counting: CountingDevices<'a>,
    pub(super) interrupt: &'a Interrupt,
    pub(super) best: TopPairs,
    /// Held for the best pairs.
    pub(super) held: MemoryCharge,
    /// The lowest pair without a score, if there is one.
    pub(super) unscored: Option<UndefinedScore>,
    pub(super) cut: bool,
    /// The columns that were paired with all others, and those that were to be.
    pub(super) scored: (usize, usize),
    /// This rank's columns alone, the matrix with room for all scores or for none, the devices, and
    /// the seconds of opening and closing these, and of the rest.
    pub(super) found: PairScan,
}

/// About what a pair takes that is kept: its scores here, and its place and two names in the report.
const PER_PAIR: u64 = 320;

/// Pairs for which memory is asked for at a time, where threads have enough to do.
const ASKED: usize = 1 << 16;

/// The purpose of that memory.
const KEPT: &str = "the pairs of scores above the threshold: a higher one keeps fewer; these";

/// Holds memory for so many pairs.
fn hold_pairs(held: &MemoryCharge, pairs: usize) -> Result<(), DeviceError> {
    let bytes = (pairs as u64).saturating_mul(PER_PAIR);
    Ok(held.set(bytes, KEPT)?)
}

/// Holds memory for the pairs that are kept, and for all pairs of the next columns with m others; of how
/// many columns there is room for them, one at least.
fn hold_part(
    held: &MemoryCharge,
    (kept, m): (usize, usize),
    part: usize,
) -> Result<usize, DeviceError> {
    let enough = (ASKED / m.max(1)).max(4 * rayon::current_num_threads());
    let mut part = part.min(enough);
    let hold = |part: usize| hold_pairs(held, kept.saturating_add(part.saturating_mul(m)));
    while part > 1 && hold(part).is_err() {
        part /= 2;
    }
    hold(part)?;
    Ok(part)
}

/// Notes that so many of the first columns are done, if there is a place for that.
fn keep(keeper: &mut Option<CheckpointWriter<ScanState>>, visited: usize, best: &mut TopPairs) {
    best.prune_threshold();
    if let Some(keeper) = keeper.as_mut().filter(|_| best.len() <= HELD) {
        let best = best.clone();
        keeper.at(ScanState { visited, best });
    }
}

impl Scan<'_, '_> {
    /// Scores all pairs, with the other ranks if there are any; returns the failure of a device.
    pub(super) fn all(
        &mut self,
        communicator: Option<&Communicator>,
        observer: &Observer,
    ) -> Result<Option<DeviceError>, SelectorError> {
        let own = LocalColumns::of_rank(self.columns, communicator);
        let own = own.first..own.first + own.columns.len();
        let shares = match communicator {
            Some(communicator) => communicator.gather(&own).map_err(DeviceError::from)?,
            None => vec![own],
        };
        let rounds = rounds(communicator.map_or(0, Communicator::rank), &shares);
        let (mut done, all) = (0, rounds.iter().map(Round::len).sum::<usize>());
        let furthest = AtomicUsize::new(0);
        let columns = self.columns;
        let fetch = |at: usize| {
            rounds
                .get(at)
                .map(|round| round.fetch(columns, communicator))
        };
        // GPUs take longer to open than columns to arrive.
        let waking = Instant::now();
        let wake = || communicator.map(|_| self.counting.keep_open());
        let (_, mut next) = rayon::join(wake, || fetch(0));
        self.found.starting += waking.elapsed().as_secs_f64();
        for (at, round) in rounds.iter().enumerate() {
            let Some(round_columns) = next else { break };
            let round_columns = round_columns?;
            if let Some(communicator) = communicator
                && self.agree(communicator)?
            {
                break;
            }
            let within = |finished: usize| {
                furthest.fetch_max(done + finished, Ordering::Relaxed);
                let mut observe = observer.lock().unwrap_or_else(PoisonError::into_inner);
                observe(done + finished, all);
            };
            let score = || self.score(round, &round_columns, &within);
            let (scored, following) = rayon::join(score, || fetch(at + 1));
            next = following;
            match scored? {
                None => {}
                Some(DeviceError::UndefinedScore(unscored)) => {
                    self.unscored = UndefinedScore::lower(self.unscored.take(), Some(unscored));
                }
                fault => return Ok(fault),
            }
            if !self.cut {
                within(round.len());
            }
            done += round.len();
        }
        self.scored = (furthest.into_inner(), all);
        if let Some(communicator) = communicator {
            self.gather(communicator)?;
        }
        Ok(self.unscored.take().map(DeviceError::UndefinedScore))
    }

    /// Exchanges with the other ranks the score that a pair must exceed and the lowest pair without a
    /// score; true if all ranks are to end.
    fn agree(&mut self, communicator: &Communicator) -> Result<bool, DeviceError> {
        let own = (self.best.prune_threshold(), self.unscored.clone());
        for (least, unscored) in communicator.gather(&own)? {
            self.best.threshold = self.best.threshold.max(least);
            self.unscored = UndefinedScore::lower(self.unscored.take(), unscored);
        }
        self.cut |= self.interrupt.requested();
        Ok(self.cut)
    }

    /// Scores the pairs of a round; returns the failure of a device. `within` is called with the
    /// number of columns done.
    fn score(
        &mut self,
        round: &Round,
        round_columns: &RoundColumns,
        within: &(dyn Fn(usize) + Sync),
    ) -> Result<Option<DeviceError>, SelectorError> {
        let pair = round.first_pair().map(|(a, b)| (a, Some(b)));
        let needed = match &self.unscored {
            None => round.own || pair.is_some(),
            Some(unscored) => pair.is_some_and(|first| first < (unscored.column, unscored.other)),
        };
        if !needed {
            return Ok(None);
        }
        let (block, p) = (round_columns.block(), self.columns.columns.len());
        let (m, most) = (block.columns.len(), self.best.capacity);
        let starting = Instant::now();
        let mut counters = |evaluator| {
            let response = ScoreEvaluator::categorical(evaluator, &self.columns.response);
            self.counting
                .pair_counters(block, &response, evaluator, most)
        };
        // Relevance is I(x;y), whatever a pair's score is.
        let alone = match self.evaluator.score().function() {
            Some(_) if round.own => Some(counters(self.synergy)?.relevance()),
            _ => None,
        };
        let mut counters = counters(self.evaluator)?;
        self.found.starting += starting.elapsed().as_secs_f64();
        if round.own {
            self.found.devices = counters.names();
        }
        let first_end = block.first_end();
        // As many pairs as there are may be kept: then memory is asked for before each part.
        let is_unbounded = most == usize::MAX && block.split.is_none() && m == p;
        let is_unbounded = is_unbounded && self.found.matrix.is_empty();
        let in_parts = (self.keeper.is_some() || is_unbounded) && counters.work_in_parts();
        let (mut visited, mut part) = match in_parts {
            true => (self.visited, 4 * rayon::current_num_threads()),
            false => (0, usize::MAX),
        };
        let places = counters.names().len().max(1);
        let reports = AtomicUsize::new(visited * places);
        let done = |columns: usize| {
            let before = reports.fetch_add(columns, Ordering::Relaxed);
            within((before + columns) / places);
        };
        // Ranks agree on the end between rounds.
        let stop = || self.interrupt.requested_here();
        let mut own_matrix = zeros(m, !self.found.matrix.is_empty() && m < p)?;
        let mut matrix = match self.found.matrix.is_empty() {
            true => None,
            false if m < p => Some(&mut own_matrix[..]),
            false => Some(&mut self.found.matrix[..]),
        };
        let found = match (round.own, alone) {
            (false, _) => Ok(Vec::new()),
            (true, Some(alone)) => alone,
            (true, None) => counters.relevance(),
        };
        let number = |at| round_columns.number(at);
        let renumber = |unscored: UndefinedScore| UndefinedScore {
            column: number(unscored.column),
            other: unscored.other.map(number),
            ..unscored
        };
        let single = match found {
            Ok(single) => single,
            Err(DeviceError::UndefinedScore(unscored)) => {
                return Ok(Some(DeviceError::UndefinedScore(renumber(unscored))));
            }
            Err(fault) => return Ok(Some(fault)),
        };
        let (mut unscored, mut told) = (None, Vec::new());
        let (columns, evaluator) = (self.columns, self.evaluator);
        // GPUs leave the host idle, which looks at the columns by themselves meanwhile.
        let fault = rayon::in_place_scope(|scope| {
            if round.own {
                let own = block.columns;
                let told = &mut told;
                scope.spawn(move |_| *told = by_themselves(columns, evaluator, single, own));
            }
            loop {
                if in_parts && is_unbounded {
                    part = hold_part(&self.held, (self.best.len(), m), part)?;
                }
                let next = visited.saturating_add(part);
                let (began, wanted) = (Instant::now(), self.best.cleared_for(m));
                let wanted = (&wanted, visited..next);
                let matrix = matrix.as_deref_mut();
                match counters.pairs(self.synergy, wanted, matrix, &stop, &done) {
                    Ok(pairs) => {
                        let best = mem::take(&mut self.best);
                        self.best = best.merge(pairs.renumber(p, number));
                        hold_pairs(&self.held, self.best.len())?;
                    }
                    // A lower one may be among the columns to come.
                    Err(DeviceError::UndefinedScore(other)) => {
                        unscored = UndefinedScore::lower(unscored.take(), Some(renumber(other)));
                    }
                    Err(fault) => return Ok(Some(fault)),
                }
                if next >= first_end || stop() {
                    break;
                }
                visited = next;
                if unscored.is_none() {
                    keep(&mut self.keeper, visited, &mut self.best);
                }
                if began.elapsed() < PART {
                    part *= 2;
                }
            }
            Ok::<_, SelectorError>(None)
        })?;
        if fault.is_some() {
            return Ok(fault);
        }
        if unscored.is_some() {
            return Ok(unscored.map(DeviceError::UndefinedScore));
        }
        self.cut |= stop();
        if round.own {
            self.found.single = told;
        }
        for (a, row) in (0..).zip(own_matrix.chunks(m.max(1))) {
            for (b, score) in (a..).zip(&row[a as usize..]) {
                if *score != 0.0 {
                    self.found.matrix[number(a) as usize * p + number(b) as usize] = *score;
                }
            }
        }
        // GPUs take time to free their memory.
        let ending = Instant::now();
        drop(counters);
        self.found.starting += ending.elapsed().as_secs_f64();
        Ok(None)
    }

    /// Replaces this rank's results by those of all ranks.
    fn gather(&mut self, communicator: &Communicator) -> Result<(), DeviceError> {
        let nothing = self.best.cleared_for(self.columns.columns.len());
        let own = (
            mem::replace(&mut self.best, nothing),
            mem::take(&mut self.found.single),
            self.unscored.take(),
            (self.cut, mem::take(&mut self.scored)),
            mem::take(&mut self.found.devices),
        );
        for (best, single, unscored, (cut, scored), devices) in communicator.gather(&own)? {
            // The devices of the first rank that has columns.
            if self.found.devices.is_empty() && !single.is_empty() {
                self.found.devices = devices;
            }
            let all = mem::take(&mut self.best);
            self.best = all.merge(best);
            self.found.single.extend(single);
            self.unscored = UndefinedScore::lower(self.unscored.take(), unscored);
            self.cut |= cut;
            self.scored.0 += scored.0;
            self.scored.1 += scored.1;
        }
        Ok(sum_over_ranks(&mut self.found.matrix, communicator)?)
    }
}

/// Columns by themselves, of their relevance.
fn by_themselves(
    columns: &BinnedColumns,
    evaluator: &ScoreEvaluator,
    relevance: Vec<f64>,
    own: &[BinnedColumn],
) -> Vec<ColumnAlone> {
    let response = &columns.response;
    let anchor = Categorical::compact(response);
    let classes = class_counts(&anchor);
    let alone = |(information, column): (f64, &BinnedColumn)| {
        let test = match column.excluded_code() {
            Some(_) => independence(&Categorical::compact(column), &anchor, evaluator.logs()),
            None => {
                let levels = [column.codes.occurring(column.levels), response.levels];
                Independence::of(columns.n, information, levels)
            }
        };
        ColumnAlone {
            score: information,
            p_value: test.p_value,
            sparse_cells: sparse_cells(column, &anchor, &classes),
        }
    };
    relevance.into_par_iter().zip(own).map(alone).collect()
}
