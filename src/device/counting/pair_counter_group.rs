//! Several pair counters as one.

use super::{
    super::DeviceError,
    evaluator::ScoreEvaluator,
    pair_counter::{PairCounter, PairDomain, PairSearch},
    top_pairs::TopPairs,
};

/// The pair counters of a search, each with its range of the columns, in ascending order.
pub(crate) struct PairCounterGroup<'a> {
    devices: Vec<Box<dyn PairCounter + 'a>>,
    block: PairDomain<'a>,
    evaluator: &'a ScoreEvaluator,
}

impl<'a> PairCounterGroup<'a> {
    /// The counters of these devices, opened for the pairs of `block`.
    pub(crate) fn new(
        devices: Vec<Box<dyn PairCounter + 'a>>,
        block: PairDomain<'a>,
        evaluator: &'a ScoreEvaluator,
    ) -> Self {
        Self {
            devices,
            block,
            evaluator,
        }
    }

    /// The names of all devices.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.devices.iter().flat_map(|device| device.names());
        names.collect()
    }

    /// Relevance of every column, in the unit of scores.
    ///
    /// # Errors
    /// As [`PairCounter::relevance`].
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

    /// The best pairs of all devices; see [`PairSearch`].
    ///
    /// # Errors
    /// As [`PairCounter::pairs`].
    pub(crate) fn pairs(
        &mut self,
        synergy: &ScoreEvaluator,
        wanted: &TopPairs,
        mut matrix: Option<&mut [f64]>,
        stop: &(dyn Fn() -> bool + Sync),
        progress: &(dyn Fn() + Sync),
    ) -> Result<TopPairs, DeviceError> {
        let mut best = wanted.clone();
        for device in &mut self.devices {
            best = best.merge(device.pairs(PairSearch {
                block: self.block,
                synergy,
                wanted,
                matrix: matrix.as_deref_mut(),
                stop,
                progress,
            })?);
        }
        Ok(best)
    }
}
