//! Several counters as one: the best of all devices and ranks.

use super::{
    super::{DeviceError, UndefinedScore},
    categorical::Categorical,
    conditioning::{CandidateStatistics, ConditioningVariable},
    counter::{Counter, ScoredColumn},
    evaluator::ScoreEvaluator,
};
use crate::ranks::Communicator;

/// The counters of a selection, each with its range of the columns, in ascending order.
///
/// Fixed-point scores are exact and scores of a function have the same bits on every device, so
/// the best of all columns is the best of the devices' best.
pub(crate) struct CounterGroup<'a> {
    devices: Vec<Box<dyn Counter + 'a>>,
    evaluator: &'a ScoreEvaluator,
    /// Sweeps since the last reset.
    steps: usize,
    /// The ranks that count other columns.
    communicator: Option<Communicator>,
    /// The best candidate of all ranks, with the statistics that its owner sent.
    statistics: Option<(u32, Option<CandidateStatistics>)>,
    /// The rank that has the best candidate.
    owner: usize,
    /// A table of this rank that has no score, and the number of sweeps before it. The other ranks
    /// learn of it at the next gather.
    undefined: Option<(usize, UndefinedScore)>,
}

/// The best candidate with its scores as floats; of equal scores the lowest column.
///
/// *Units:* nats, or the unit of a ratio or of a function of tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BestCandidate {
    pub(crate) column: u32,
    pub(crate) score: f64,
    pub(crate) relevance: f64,
    /// The highest score of all, which `score` ties with.
    pub(crate) highest: f64,
}

impl<'a> CounterGroup<'a> {
    /// The counters of these devices, and of the other ranks where there are several.
    pub(crate) fn new(devices: Vec<Box<dyn Counter + 'a>>, evaluator: &'a ScoreEvaluator) -> Self {
        Self {
            devices,
            evaluator,
            steps: 0,
            communicator: None,
            statistics: None,
            owner: 0,
            undefined: None,
        }
    }

    /// This group joined with those of the other ranks, each of which counts its own columns.
    pub(crate) fn with_communicator(self, communicator: Option<&Communicator>) -> Self {
        Self {
            communicator: communicator.cloned(),
            ..self
        }
    }

    /// The names of all devices.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.devices.iter().flat_map(|device| device.names());
        names.collect()
    }

    /// See [`Counter::sweep`].
    pub(crate) fn sweep(&mut self, conditioning: &ConditioningVariable) -> Result<(), DeviceError> {
        self.steps += 1;
        if self.undefined.is_some() {
            return Ok(());
        }
        let mut devices = self.devices.iter_mut();
        let swept = devices.try_for_each(|device| device.sweep(conditioning));
        self.defer_undefined(swept)
    }

    /// Keeps an undefined score until the next gather, where there are other ranks.
    fn defer_undefined<T: Default>(
        &mut self,
        result: Result<T, DeviceError>,
    ) -> Result<T, DeviceError> {
        match result {
            Err(DeviceError::UndefinedScore(undefined)) if self.communicator.is_some() => {
                self.undefined = Some((self.steps, undefined));
                Ok(T::default())
            }
            result => result,
        }
    }

    /// See [`Counter::hint_picks`].
    pub(crate) fn hint_picks(&mut self, picks: usize) {
        // The next pick may be another rank's.
        let picks = self.communicator.as_ref().map_or(picks, |_| 1);
        for device in &mut self.devices {
            device.hint_picks(picks);
        }
    }

    /// See [`Counter::reset`].
    pub(crate) fn reset(&mut self) {
        self.steps = 0;
        self.devices.iter_mut().for_each(|device| device.reset());
    }

    /// The best candidate of all devices and ranks; none where none may be chosen. Scores of a
    /// function tie within its tolerance.
    ///
    /// # Errors
    /// A device that failed, a rank that is gone, or the first table of any rank without a score.
    pub(crate) fn best(&mut self) -> Result<Option<BestCandidate>, DeviceError> {
        let mut best = None;
        if self.undefined.is_none() {
            let own = self.best_of_devices();
            best = self.defer_undefined(own)?;
        }
        if let Some(communicator) = self.communicator.clone() {
            best = self.best_of_ranks(&communicator, best)?;
        }
        let highest = best.map(|best| self.to_nats(best, self.steps).score);
        let least = best.map(|best| self.evaluator.tie_threshold(best.score));
        if let (Some(least), Some(_)) = (least, self.evaluator.score().function()) {
            best = None;
            for device in &mut self.devices {
                // Columns ascend from device to device.
                if best.is_none() {
                    best = device.first_at_least(least)?;
                }
            }
            if let Some(communicator) = &self.communicator {
                // And from rank to rank.
                let firsts = communicator.gather(&best);
                let firsts = firsts.map_err(DeviceError::from_rank_error)?;
                let mut firsts = (0..).zip(firsts);
                let first = firsts.find_map(|(rank, first)| Some((rank, first?)));
                best = first.map(|(_, column)| column);
                self.owner = first.map_or(0, |(rank, _)| rank);
            }
        }
        Ok(best.map(|best| {
            let best = self.to_nats(best, self.steps);
            BestCandidate {
                highest: highest.unwrap_or(best.score),
                ..best
            }
        }))
    }

    /// The candidate of this rank's devices with the highest score, ties within a tolerance
    /// ignored.
    ///
    /// # Errors
    /// As [`Counter::best`].
    pub(crate) fn highest(&mut self) -> Result<Option<BestCandidate>, DeviceError> {
        let best = self.best_of_devices()?;
        Ok(best.map(|best| self.to_nats(best, self.steps)))
    }

    fn best_of_devices(&mut self) -> Result<Option<ScoredColumn>, DeviceError> {
        let mut best = None;
        for device in &mut self.devices {
            best = best.max(device.best()?);
        }
        Ok(best)
    }

    /// The best of all ranks, whose owner sends its statistics.
    fn best_of_ranks(
        &mut self,
        communicator: &Communicator,
        own: Option<ScoredColumn>,
    ) -> Result<Option<ScoredColumn>, DeviceError> {
        let mut statistics = None;
        if let Some(best) = own {
            for device in &mut self.devices {
                statistics = statistics.or(device.statistics(best.column.0)?);
            }
        }
        let all = communicator.gather(&(own, statistics, self.undefined.take()));
        let all = all.map_err(DeviceError::from_rank_error)?;
        let undefined = all.iter().filter_map(|(.., undefined)| undefined.as_ref());
        if let Some((_, first)) = undefined.min_by_key(|(steps, score)| (*steps, score.column)) {
            return Err(DeviceError::UndefinedScore(first.clone()));
        }
        let best = (0..).zip(all);
        let best = best.filter_map(|(rank, (best, statistics, _))| Some((best?, statistics, rank)));
        let best = best.max_by_key(|(best, ..)| *best);
        self.statistics = best.map(|(best, statistics, _)| (best.column.0, statistics));
        self.owner = best.map_or(0, |(.., rank)| rank);
        Ok(best.map(|(best, ..)| best))
    }

    /// The rank that has the candidate which [`CounterGroup::best`] returned last.
    pub(crate) fn owner(&self) -> usize {
        self.owner
    }

    /// A candidate's scores after this many sweeps, as floats.
    fn to_nats(&self, best: ScoredColumn, steps: usize) -> BestCandidate {
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
            let best = self.statistics.filter(|(best, _)| *best == column);
            return Ok(best.and_then(|(_, statistics)| statistics));
        }
        for device in &mut self.devices {
            if let Some(statistics) = device.statistics(column)? {
                return Ok(Some(statistics));
            }
        }
        Ok(None)
    }

    /// The best of all devices for each permutation; see [`Counter::best_permuted`].
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
        let to_nats = |best| self.to_nats(best, swept.len());
        let best = best.into_iter().map(|best: Option<_>| best.map(to_nats));
        Some(Ok(best.collect()))
    }

    /// See [`Counter::exclude`].
    pub(crate) fn exclude(&mut self, column: u32) {
        for device in &mut self.devices {
            device.exclude(column);
        }
    }

    /// Relevance of every column, in the unit of scores.
    #[cfg(test)]
    pub(crate) fn relevance(&mut self) -> Result<Vec<f64>, DeviceError> {
        let mut all = Vec::new();
        for device in &mut self.devices {
            all.extend(device.relevance()?);
        }
        let nats = all
            .into_iter()
            .map(|own| self.evaluator.relevance_nats(own));
        Ok(nats.collect())
    }
}
