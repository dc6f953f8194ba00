//! The search for the best of all pairs: round by round where ranks share the columns, else in one.

use std::{
    io, mem,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use rayon::prelude::*;

use super::{
    super::{SelectorError, independence, places::Counting},
    rounds::{Brought, Round, add_up, rounds},
    zeros,
};
use crate::{
    binning::{BinnedColumn, BinnedColumns},
    device::{
        DeviceError, UndefinedScore,
        counting::{Categorical, LocalColumns, LogTable, ScoreEvaluator, TopPairs},
    },
    interrupt::Interrupt,
    ranks::Communicator,
    selection::Independence,
};

/// Who watches: how many columns are done, and of how many.
pub(super) type Watcher<'a> = Mutex<&'a mut (dyn FnMut(usize, usize) + Send)>;

/// What is searched, and what was found so far: of ranks, by this one.
pub(super) struct Search<'a> {
    columns: &'a BinnedColumns,
    evaluator: &'a ScoreEvaluator,
    synergy: &'a ScoreEvaluator,
    logs: &'a LogTable,
    pub(super) counting: Counting<'a>,
    interrupt: &'a Interrupt,
    pub(super) best: TopPairs,
    /// Of every column of this rank's, relevance and its p-value.
    pub(super) single: Vec<(f64, f64)>,
    pub(super) matrix: Vec<f64>,
    /// The pair of the lowest numbers that has no score.
    unscored: Option<UndefinedScore>,
    /// Whether the end came before all pairs were scored.
    pub(super) cut: bool,
    pub(super) devices: Vec<String>,
    /// Seconds in which columns were laid out and taken away, and of the rest.
    pub(super) starting: f64,
    pub(super) seconds: f64,
}

impl<'a> Search<'a> {
    /// Nothing found yet, of which as much is wanted; into this matrix, where there is one.
    pub(super) fn new(
        columns: &'a BinnedColumns,
        (logs, evaluator, synergy): (&'a LogTable, &'a ScoreEvaluator, &'a ScoreEvaluator),
        counting: Counting<'a>,
        interrupt: &'a Interrupt,
        best: TopPairs,
        matrix: Vec<f64>,
    ) -> Self {
        Self {
            columns,
            evaluator,
            synergy,
            logs,
            counting,
            interrupt,
            best,
            single: Vec::new(),
            matrix,
            unscored: None,
            cut: false,
            devices: Vec::new(),
            starting: 0.0,
            seconds: 0.0,
        }
    }

    /// Scores all pairs, with the other ranks where there are some; at what a device failed.
    pub(super) fn all(
        &mut self,
        communicator: Option<&Communicator>,
        watcher: &Watcher,
    ) -> Result<Option<DeviceError>, SelectorError> {
        let (started, starting) = (Instant::now(), self.starting);
        let ended = self.every_round(communicator, watcher);
        self.seconds = started.elapsed().as_secs_f64() - (self.starting - starting);
        ended
    }

    fn every_round(
        &mut self,
        communicator: Option<&Communicator>,
        watcher: &Watcher,
    ) -> Result<Option<DeviceError>, SelectorError> {
        let own = LocalColumns::of_rank(self.columns, communicator);
        let own = own.first..own.first + own.columns.len();
        let shares = match communicator {
            Some(communicator) => communicator
                .gather(&own)
                .map_err(DeviceError::from_rank_error)?,
            None => vec![own],
        };
        let rounds = rounds(communicator.map_or(0, Communicator::rank), &shares);
        let (mut done, all) = (0, rounds.iter().map(Round::len).sum::<usize>());
        let columns = self.columns;
        let bring = |at: usize| rounds.get(at).map(|it| it.bring(columns, communicator));
        // Cards take longer to wake up than columns to arrive.
        let waking = Instant::now();
        let wake = || communicator.map(|_| self.counting.stay_awake());
        let (_, mut next) = rayon::join(wake, || bring(0));
        self.starting += waking.elapsed().as_secs_f64();
        for (at, round) in rounds.iter().enumerate() {
            let Some(brought) = next else { break };
            let brought = brought.map_err(DeviceError::from_rank_error)?;
            if let Some(communicator) = communicator
                && self.agree(communicator)?
            {
                break;
            }
            let within = |finished: usize| {
                let mut observe = watcher.lock().unwrap_or_else(PoisonError::into_inner);
                observe(done + finished, all);
            };
            let score = || self.score(round, &brought, &within);
            let (scored, following) = rayon::join(score, || bring(at + 1));
            next = following;
            match scored? {
                None => {}
                Some(DeviceError::UndefinedScore(it)) => {
                    self.unscored = lower(self.unscored.take(), Some(it));
                }
                fault => return Ok(fault),
            }
            if !self.cut {
                within(round.len());
            }
            done += round.len();
        }
        if let Some(communicator) = communicator {
            self.gather(communicator)
                .map_err(DeviceError::from_rank_error)?;
        }
        Ok(self.unscored.take().map(DeviceError::UndefinedScore))
    }

    /// Tells the others what a pair must be to be wanted, and learns it; whether all end here.
    fn agree(&mut self, communicator: &Communicator) -> Result<bool, DeviceError> {
        let told = communicator.gather(&(self.best.prune_threshold(), self.unscored.clone()));
        for (least, unscored) in told.map_err(DeviceError::from_rank_error)? {
            self.best.raise_threshold(least);
            self.unscored = lower(self.unscored.take(), unscored);
        }
        self.cut |= self.interrupt.requested();
        Ok(self.cut)
    }

    /// Scores the pairs of a round; at what a device failed. `within` is told how many of its columns
    /// are done.
    fn score(
        &mut self,
        round: &Round,
        brought: &Brought,
        within: &(dyn Fn(usize) + Sync),
    ) -> Result<Option<DeviceError>, SelectorError> {
        let pair = round.first_pair().map(|(a, b)| (a, Some(b)));
        let needed = match &self.unscored {
            None => round.is_own() || pair.is_some(),
            Some(it) => pair.is_some_and(|first| first < (it.column, it.other)),
        };
        if !needed {
            return Ok(None);
        }
        let (block, p) = (brought.block(), self.columns.columns.len());
        let (m, most) = (block.columns.len(), self.best.capacity());
        let starting = Instant::now();
        let mut counters = |evaluator| {
            let response = ScoreEvaluator::categorical(evaluator, &self.columns.response);
            self.counting
                .pair_counters(block, &response, (self.logs, evaluator), most)
        };
        // Relevance is I(x;y), whatever a pair's score is.
        let alone = match self.evaluator.score().function() {
            Some(_) if round.is_own() => Some(counters(self.synergy)?.relevance()),
            _ => None,
        };
        let mut counters = counters(self.evaluator)?;
        self.starting += starting.elapsed().as_secs_f64();
        if round.is_own() {
            self.devices = counters.names();
        }
        let (told, places) = (AtomicUsize::new(0), counters.names().len().max(1));
        let done = || within((1 + told.fetch_add(1, Ordering::Relaxed)) / places);
        // Ranks meet when all have scored theirs.
        let stop = || self.interrupt.requested_here();
        let mut part = zeros(m, !self.matrix.is_empty() && m < p)?;
        let matrix = match self.matrix.is_empty() {
            true => None,
            false if m < p => Some(&mut part[..]),
            false => Some(&mut self.matrix[..]),
        };
        let found = match (round.is_own(), alone) {
            (false, _) => Ok(Vec::new()),
            (true, Some(alone)) => alone,
            (true, None) => counters.relevance(),
        };
        let found = found.and_then(|single| {
            let wanted = self.best.cleared_for(m);
            let pairs = counters.pairs(self.synergy, &wanted, matrix, &stop, &done)?;
            Ok((single, pairs))
        });
        let number = |at| brought.number(at);
        let (single, pairs) = match found {
            Ok(found) => found,
            Err(DeviceError::UndefinedScore(it)) => {
                let fault = UndefinedScore {
                    column: number(it.column),
                    other: it.other.map(number),
                    ..it
                };
                return Ok(Some(DeviceError::UndefinedScore(fault)));
            }
            Err(fault) => return Ok(Some(fault)),
        };
        self.cut |= stop();
        if round.is_own() {
            self.single = self.with_p_values(single, block.columns);
        }
        let best = mem::replace(&mut self.best, TopPairs::new(0, 0));
        self.best = best.merge(pairs.renumber(p, number));
        for (a, row) in (0..).zip(part.chunks(m.max(1))) {
            for (b, score) in (a..).zip(&row[a as usize..]) {
                if *score != 0.0 {
                    self.matrix[number(a) as usize * p + number(b) as usize] = *score;
                }
            }
        }
        // Cards take their time to free what they have.
        let ending = Instant::now();
        drop(counters);
        self.starting += ending.elapsed().as_secs_f64();
        Ok(None)
    }

    /// The relevance of columns, and beside it its p-value.
    fn with_p_values(&self, relevance: Vec<f64>, own: &[BinnedColumn]) -> Vec<(f64, f64)> {
        let response = &self.columns.response;
        let anchor = Categorical::compact(response);
        let alone = |(information, column): (f64, &BinnedColumn)| {
            let test = match column.excluded_code() {
                Some(_) => independence(&Categorical::compact(column), &anchor, self.logs),
                None => {
                    let levels = [column.codes.occurring(column.levels), response.levels];
                    Independence::of(self.columns.n, information, levels)
                }
            };
            (information, test.p_value)
        };
        relevance.into_par_iter().zip(own).map(alone).collect()
    }

    /// What all ranks found, instead of what this one did.
    fn gather(&mut self, communicator: &Communicator) -> io::Result<()> {
        let nothing = self.best.cleared_for(self.columns.columns.len());
        let own = (
            mem::replace(&mut self.best, nothing),
            mem::take(&mut self.single),
            self.unscored.take(),
            self.cut,
            mem::take(&mut self.devices),
        );
        for (best, single, unscored, cut, devices) in communicator.gather(&own)? {
            // Those of the first rank that has columns.
            if self.devices.is_empty() && !single.is_empty() {
                self.devices = devices;
            }
            let all = mem::replace(&mut self.best, TopPairs::new(0, 0));
            self.best = all.merge(best);
            self.single.extend(single);
            self.unscored = lower(self.unscored.take(), unscored);
            self.cut |= cut;
        }
        add_up(&mut self.matrix, communicator)
    }
}

/// The one of the lower numbers.
fn lower(a: Option<UndefinedScore>, b: Option<UndefinedScore>) -> Option<UndefinedScore> {
    let numbers = |it: &UndefinedScore| (it.column, it.other);
    a.into_iter().chain(b).min_by_key(numbers)
}
