//! One device or several that count as one.

use std::ops::Range;

use super::{
    super::{
        DeviceError, UndefinedScore,
        cpu::{CpuCounter, CpuValues},
        cuda::counting::{CudaCounter, CudaValues},
    },
    CandidateStatistics, Categorical, CodedCounter, ConditioningVariable, Counter, LogTable,
    ScoreEvaluator, ScoredColumn,
};
use crate::{
    binning::{BinnedColumn, BinnedColumns},
    ranks::Communicator,
};

/// The devices, each with its range of the columns.
pub(crate) struct CounterGroup<'a> {
    devices: Vec<Box<dyn Counter + 'a>>,
    evaluator: &'a ScoreEvaluator,
    /// Anchors swept.
    steps: usize,
    /// The other ranks, and what the one that has the best candidate knows of it.
    communicator: Option<Communicator>,
    facts: Option<(u32, Option<CandidateStatistics>)>,
    /// The rank that has it.
    owner: usize,
    /// A table of this rank's that has no score, and after how many steps: all learn of it at the
    /// next gathering.
    unscored: Option<(usize, UndefinedScore)>,
}

/// The best candidate; of equal scores the lowest column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BestCandidate {
    pub(crate) column: u32,
    /// In nats, or in the unit of a ratio or of a coded score.
    pub(crate) score: f64,
    /// In the same.
    pub(crate) relevance: f64,
    /// The highest of all, which the score may be below where it is as good.
    pub(crate) highest: f64,
}

/// Columns that are this process's, the first of them so far behind the first of all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalColumns<'a> {
    pub(crate) columns: &'a [BinnedColumn],
    pub(crate) first: usize,
}

impl<'a> LocalColumns<'a> {
    /// Those that this rank counts: what it has, or its share where each has all.
    pub(crate) fn of_rank(columns: &'a BinnedColumns, communicator: Option<&Communicator>) -> Self {
        let all = columns.columns.len();
        let range = match (&columns.local, communicator) {
            (Some(own), _) => own.clone(),
            (None, Some(communicator)) => communicator.local_range(all),
            (None, None) => 0..all,
        };
        Self {
            columns: &columns.columns[range.clone()],
            first: range.start,
        }
    }
}

impl<'a> From<&'a [BinnedColumn]> for LocalColumns<'a> {
    /// All of them.
    fn from(own: &'a [BinnedColumn]) -> Self {
        Self {
            columns: own,
            first: 0,
        }
    }
}

impl<'a> From<&'a Vec<BinnedColumn>> for LocalColumns<'a> {
    fn from(own: &'a Vec<BinnedColumn>) -> Self {
        Self::from(&own[..])
    }
}

/// So many shards of the CPU, of so many threads, as devices of whichever kind.
pub(super) fn shards_on_cpu<'a, D>(
    LocalColumns {
        columns: own,
        first,
        ..
    }: LocalColumns<'a>,
    response: &Categorical,
    by @ (logs, evaluator): (&'a LogTable, &'a ScoreEvaluator),
    (shards, threads): (usize, usize),
    coded: fn(CodedCounter<'a, CpuValues<'a>>) -> D,
    declared: fn(CpuCounter<'a>) -> D,
) -> Vec<D> {
    let device = |range: Range<usize>| {
        let own = &own[range.clone()];
        let range = first + range.start..first + range.end;
        let first = range.start;
        match evaluator.score().function().cloned() {
            Some(function) => {
                let values = CpuValues::new(own, first, function, logs, threads);
                coded(CodedCounter::new(values, range, response, evaluator))
            }
            None => declared(CpuCounter::new(own, first, response, by, threads)),
        }
    };
    super::super::split_range(own.len(), shards)
        .map(device)
        .collect()
}

impl<'a> CounterGroup<'a> {
    /// The CPU in so many shards, which lay out their columns for this response
    /// ([`ScoreEvaluator::anchor`]); inside a pool of so many threads.
    pub(crate) fn cpu(
        own: impl Into<LocalColumns<'a>>,
        response: &Categorical,
        (logs, evaluator): (&'a LogTable, &'a ScoreEvaluator),
        shards: usize,
        threads: usize,
    ) -> Self {
        let by = (logs, evaluator);
        let devices = shards_on_cpu::<Box<dyn Counter + 'a>>(
            own.into(),
            response,
            by,
            (shards, threads),
            |it| Box::new(it),
            |it| Box::new(it),
        );
        Self::from_devices(devices, evaluator)
    }

    /// The GPUs of these ordinals, which share the columns; each takes so many bytes for them
    /// at most.
    ///
    /// # Errors
    /// A GPU that is not there, cannot be used or has no room.
    pub(crate) fn cuda(
        part: impl Into<LocalColumns<'a>>,
        response: &Categorical,
        (logs, evaluator): (&'a LogTable, &'a ScoreEvaluator),
        ordinals: &[usize],
        memory_limit: Option<u64>,
    ) -> Result<Self, DeviceError> {
        let by = (logs, evaluator);
        let LocalColumns {
            columns: own,
            first,
            ..
        } = part.into();
        let limit = memory_limit;
        let cards: Box<dyn Counter + 'a> = match evaluator.score().function().cloned() {
            Some(coded) => {
                let values = CudaValues::new(own, response, &coded, ordinals, limit)?;
                let range = first..first + own.len();
                Box::new(CodedCounter::new(values, range, response, evaluator))
            }
            None => Box::new(CudaCounter::new(own, first, response, by, ordinals, limit)?),
        };
        Ok(Self::from_devices(vec![cards], evaluator))
    }

    /// Devices that have their columns.
    pub(crate) fn from_devices(
        devices: Vec<Box<dyn Counter + 'a>>,
        evaluator: &'a ScoreEvaluator,
    ) -> Self {
        Self {
            devices,
            evaluator,
            steps: 0,
            communicator: None,
            facts: None,
            owner: 0,
            unscored: None,
        }
    }

    /// With those of other processes, each of which has a part of the columns.
    pub(crate) fn with_communicator(self, communicator: Option<&Communicator>) -> Self {
        Self {
            communicator: communicator.cloned(),
            ..self
        }
    }

    /// Their names.
    pub(crate) fn names(&self) -> Vec<String> {
        self.devices.iter().flat_map(|it| it.names()).collect()
    }

    /// See [`Counter::sweep`].
    pub(crate) fn sweep(&mut self, step: &ConditioningVariable) -> Result<(), DeviceError> {
        self.steps += 1;
        if self.unscored.is_some() {
            return Ok(());
        }
        let swept = self.devices.iter_mut().try_for_each(|it| it.sweep(step));
        self.or_later(swept)
    }

    /// What devices said; of ranks a table without a score is nothing yet.
    fn or_later<T: Default>(&mut self, said: Result<T, DeviceError>) -> Result<T, DeviceError> {
        match said {
            Err(DeviceError::UndefinedScore(it)) if self.communicator.is_some() => {
                self.unscored = Some((self.steps, it));
                Ok(T::default())
            }
            said => said,
        }
    }

    /// See [`Counter::hint_picks`].
    pub(crate) fn hint_picks(&mut self, picks: usize) {
        // The next pick may be another process's.
        let picks = if self.communicator.is_some() {
            1
        } else {
            picks
        };
        self.devices.iter_mut().for_each(|it| it.hint_picks(picks));
    }

    /// See [`Counter::reset`].
    pub(crate) fn reset(&mut self) {
        self.steps = 0;
        self.devices.iter_mut().for_each(|it| it.reset());
    }

    /// The best candidate of all; none where all are taken, or none may be chosen.
    ///
    /// Scores of one device are exact, or the same bits on any: so the best of all is the best
    /// of the best. Of a coded score those within its tolerance are as good.
    pub(crate) fn best(&mut self) -> Result<Option<BestCandidate>, DeviceError> {
        let mut best = None;
        if self.unscored.is_none() {
            let own = self.best_here();
            best = self.or_later(own)?;
        }
        if let Some(communicator) = self.communicator.clone() {
            best = self.best_of_all(&communicator, best)?;
        }
        let highest = best.map(|it| self.found(it, self.steps).score);
        let least = best.map(|it| self.evaluator.tie_threshold(it.score));
        if let (Some(least), Some(_)) = (least, self.evaluator.score().function()) {
            best = None;
            for device in &mut self.devices {
                // Shards ascend.
                if best.is_none() {
                    best = device.first_at_least(least)?;
                }
            }
            if let Some(communicator) = &self.communicator {
                // And ranks.
                let firsts = communicator
                    .gather(&best)
                    .map_err(DeviceError::from_rank_error)?;
                let first = (0..).zip(firsts).find_map(|(rank, it)| Some((rank, it?)));
                best = first.map(|it| it.1);
                self.owner = first.map_or(0, |it| it.0);
            }
        }
        let found = |it| {
            let found = self.found(it, self.steps);
            BestCandidate {
                highest: highest.unwrap_or(found.score),
                ..found
            }
        };
        Ok(best.map(found))
    }

    /// The highest score of these devices' candidates, whatever is as good.
    pub(crate) fn highest(&mut self) -> Result<Option<BestCandidate>, DeviceError> {
        let best = self.best_here()?;
        Ok(best.map(|it| self.found(it, self.steps)))
    }

    fn best_here(&mut self) -> Result<Option<ScoredColumn>, DeviceError> {
        let mut best = None;
        for device in &mut self.devices {
            best = best.max(device.best()?);
        }
        Ok(best)
    }

    /// The best of all processes' best, with what its own knows of it.
    fn best_of_all(
        &mut self,
        communicator: &Communicator,
        own: Option<ScoredColumn>,
    ) -> Result<Option<ScoredColumn>, DeviceError> {
        let mut facts = None;
        if let Some(best) = own {
            for device in &mut self.devices {
                facts = facts.or(device.statistics(best.column.0)?);
            }
        }
        let told = communicator.gather(&(own, facts, self.unscored.take()));
        let told = told.map_err(DeviceError::from_rank_error)?;
        let unscored = told.iter().filter_map(|it| it.2.as_ref());
        if let Some((_, first)) = unscored.min_by_key(|it| (it.0, it.1.column)) {
            return Err(DeviceError::UndefinedScore(first.clone()));
        }
        let best = (0..)
            .zip(told)
            .filter_map(|(rank, (best, facts, _))| Some((best?, facts, rank)));
        let best = best.max_by_key(|it| it.0);
        self.facts = best.map(|(best, facts, _)| (best.column.0, facts));
        self.owner = best.map_or(0, |it| it.2);
        Ok(best.map(|it| it.0))
    }

    /// The rank that has the candidate found last.
    pub(crate) fn owner(&self) -> usize {
        self.owner
    }

    /// A candidate after so many steps.
    fn found(&self, best: ScoredColumn, steps: usize) -> BestCandidate {
        let score = self.evaluator.score_nats(best.score, steps);
        BestCandidate {
            column: best.column.0,
            score,
            relevance: self.evaluator.relevance_nats(best.relevance),
            highest: score,
        }
    }

    /// See [`Counter::statistics`].
    pub(crate) fn statistics(
        &mut self,
        column: u32,
    ) -> Result<Option<CandidateStatistics>, DeviceError> {
        if self.communicator.is_some() {
            let own = self.facts.filter(|it| it.0 == column);
            return Ok(own.and_then(|it| it.1));
        }
        for device in &mut self.devices {
            if let Some(facts) = device.statistics(column)? {
                return Ok(Some(facts));
            }
        }
        Ok(None)
    }

    /// See [`Counter::best_permuted`]; of all columns.
    pub(crate) fn best_permuted(
        &mut self,
        orders: &[Vec<u32>],
        swept: &[&Categorical],
    ) -> Option<Result<Vec<Option<BestCandidate>>, DeviceError>> {
        let mut best = vec![None; orders.len()];
        for device in &mut self.devices {
            match device.best_permuted(orders, swept)? {
                Err(error) => return Some(Err(error)),
                Ok(own) => {
                    for (best, own) in best.iter_mut().zip(own) {
                        *best = own.max(*best);
                    }
                }
            }
        }
        let found = |it: Option<ScoredColumn>| it.map(|it| self.found(it, swept.len()));
        Some(Ok(best.into_iter().map(found).collect()))
    }

    /// See [`Counter::exclude`].
    pub(crate) fn exclude(&mut self, column: u32) {
        self.devices.iter_mut().for_each(|it| it.exclude(column));
    }

    /// Relevance of every column.
    #[cfg(test)]
    pub(crate) fn relevance(&mut self) -> Result<Vec<f64>, DeviceError> {
        let mut all = Vec::new();
        for device in &mut self.devices {
            all.extend(device.relevance()?);
        }
        let nats = |it| self.evaluator.relevance_nats(it);
        Ok(all.into_iter().map(nats).collect())
    }
}
