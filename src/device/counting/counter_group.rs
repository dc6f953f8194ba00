//! Several counters as one: the best of all devices and ranks.

use super::{
    super::{DeviceError, UndefinedScore},
    categorical::Categorical,
    conditioning::{CandidateStatistics, ConditioningVariable},
    counter::{Counter, ScoredColumn},
    evaluator::ScoreEvaluator,
};
use crate::{ranks::Communicator, score::Totals};

/// The counters of a selection, each with its range of the columns, in ascending order.
///
/// Fixed-point scores are exact and scores of a function have the same bits on every device, so
/// the best of all columns is the best of the devices' best. Its verbs are those of [`Counter`].
pub(crate) struct CounterGroup<'a> {
    pub(super) devices: Vec<Box<dyn Counter + 'a>>,
    evaluator: &'a ScoreEvaluator,
    /// Sweeps since the last reset.
    steps: usize,
    /// The other ranks, each of which counts columns of its own.
    pub(crate) communicator: Option<Communicator>,
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
    /// See [`Counter::statistics`].
    pub(crate) statistics: Option<CandidateStatistics>,
    /// The rank that has the column.
    pub(crate) owner: usize,
}

/// A candidate, and what its device knows of it besides.
type Found = (ScoredColumn, Option<CandidateStatistics>);

impl<'a> CounterGroup<'a> {
    /// The counters of these devices, on one rank.
    pub(crate) fn new(devices: Vec<Box<dyn Counter + 'a>>, evaluator: &'a ScoreEvaluator) -> Self {
        Self {
            devices,
            evaluator,
            steps: 0,
            communicator: None,
            undefined: None,
        }
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.devices.iter().flat_map(|device| device.names());
        names.collect()
    }

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

    pub(crate) fn hint_picks(&mut self, picks: usize) {
        // The next pick may be another rank's.
        let picks = self.communicator.as_ref().map_or(picks, |_| 1);
        for device in &mut self.devices {
            device.hint_picks(picks);
        }
    }

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
        let mut own = None;
        if self.undefined.is_none() {
            let found = self.best_of_devices();
            own = self.defer_undefined(found)?;
        }
        let mut found = own.map(|own| (own, 0));
        if let Some(communicator) = self.communicator.clone() {
            found = self.best_of_ranks(&communicator, own)?;
        }
        let Some(((mut best, statistics), mut owner)) = found else {
            return Ok(None);
        };
        let highest = self.to_nats(best, self.steps).score;
        if !self.evaluator.score().is_exact() {
            let least = self.evaluator.tie_threshold(best.score);
            let mut first = None;
            for device in &mut self.devices {
                // Columns ascend from device to device.
                if first.is_none() {
                    first = device.first_at_least(least)?;
                }
            }
            let firsts = match &self.communicator {
                None => vec![first],
                Some(communicator) => communicator.gather(&first)?,
            };
            // And from rank to rank.
            let mut firsts = (0..).zip(firsts);
            if let Some((rank, first)) = firsts.find_map(|(rank, first)| Some((rank, first?))) {
                (best, owner) = (first, rank);
            }
        }
        Ok(Some(BestCandidate {
            highest,
            statistics,
            owner,
            ..self.to_nats(best, self.steps)
        }))
    }

    /// The candidate of this rank's devices with the highest score, ties within a tolerance
    /// ignored.
    pub(crate) fn highest(&mut self) -> Result<Option<BestCandidate>, DeviceError> {
        let found = self.best_of_devices()?;
        Ok(found.map(|(best, _)| self.to_nats(best, self.steps)))
    }

    fn best_of_devices(&mut self) -> Result<Option<Found>, DeviceError> {
        let mut best = None;
        for device in &mut self.devices {
            best = best.max(device.best()?);
        }
        let Some(best) = best else { return Ok(None) };
        let mut statistics = None;
        for device in &mut self.devices {
            statistics = statistics.or(device.statistics(best.column.0)?);
        }
        Ok(Some((best, statistics)))
    }

    /// The best of all ranks, and the rank that has it.
    fn best_of_ranks(
        &mut self,
        communicator: &Communicator,
        own: Option<Found>,
    ) -> Result<Option<(Found, usize)>, DeviceError> {
        let all = communicator.gather(&(own, self.undefined.take()))?;
        let undefined = all.iter().filter_map(|(_, undefined)| undefined.as_ref());
        if let Some((_, first)) = undefined.min_by_key(|(steps, score)| (*steps, score.column)) {
            return Err(DeviceError::UndefinedScore(first.clone()));
        }
        let found = (0..).zip(all);
        let found = found.filter_map(|(rank, (found, _))| Some((found?, rank)));
        Ok(found.max_by_key(|((best, _), _)| *best))
    }

    /// A candidate with its scores after this many sweeps as floats.
    fn to_nats(&self, best: ScoredColumn, steps: usize) -> BestCandidate {
        let score = self.evaluator.score_nats(best.score, steps);
        BestCandidate {
            column: best.column.0,
            score,
            relevance: self.evaluator.relevance_nats(best.relevance),
            highest: score,
            statistics: None,
            owner: 0,
        }
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

    /// The score of every candidate of this rank that may be chosen, by ascending column. None where
    /// a device brings only the best one back.
    pub(crate) fn scores(&mut self) -> Option<Result<Vec<BestCandidate>, DeviceError>> {
        let mut all = Vec::new();
        for device in &mut self.devices {
            match device.scores()? {
                Ok(own) => all.extend(own),
                Err(error) => return Some(Err(error)),
            }
        }
        let all = all.into_iter().map(|own| self.to_nats(own, self.steps));
        Some(Ok(all.collect()))
    }

    /// See [`Counter::totals_of`]; of a column of any rank, asked by all ranks alike.
    pub(crate) fn totals_of(&mut self, column: u32) -> Result<Totals, DeviceError> {
        let mut devices = self.devices.iter_mut();
        let own = devices.find_map(|device| device.totals_of(column));
        let all = match &self.communicator {
            Some(communicator) => communicator.gather(&own)?,
            None => vec![own],
        };
        Ok(all.into_iter().flatten().next().unwrap_or_default())
    }

    pub(crate) fn set_totals(&mut self, totals: &Totals) {
        for device in &mut self.devices {
            device.set_totals(totals);
        }
    }

    pub(crate) fn exclude(&mut self, column: u32) {
        for device in &mut self.devices {
            device.exclude(column);
        }
    }
}
