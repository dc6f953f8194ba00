//! The trait of what scores all pairs of columns, what it is asked, and several of these as one.

use std::ops::Range;

use super::{
    super::DeviceError,
    categorical::Categorical,
    evaluator::ScoreEvaluator,
    margins::margin_sums,
    top_pairs::{Pair, TopPairs},
};
use crate::binning::BinnedColumn;

/// The columns whose pairs are scored: any two of them, or one of each of two lists.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairDomain<'a> {
    pub(crate) columns: &'a [BinnedColumn],
    /// Where the second list begins, if a pair takes one column of each list.
    pub(crate) split: Option<usize>,
}

impl<'a> From<&'a [BinnedColumn]> for PairDomain<'a> {
    fn from(columns: &'a [BinnedColumn]) -> Self {
        Self {
            columns,
            split: None,
        }
    }
}

impl PairDomain<'_> {
    /// The end of the columns that can be the first of a pair: of all, or of the first list.
    pub(crate) fn first_end(&self) -> usize {
        self.split.unwrap_or(self.columns.len())
    }

    /// The start of the columns that can be the second of a pair.
    pub(crate) fn second_start(&self) -> usize {
        self.split.unwrap_or(0)
    }
}

/// One search over all pairs, as each device gets it.
pub(crate) struct PairSearch<'a> {
    /// The domain that the devices were opened for.
    pub(crate) block: PairDomain<'a>,
    /// The score of a pair's synergy.
    pub(crate) synergy: &'a ScoreEvaluator,
    /// The limits of what is wanted; it holds no pair yet.
    pub(crate) wanted: &'a TopPairs,
    /// Which of the first columns are visited, by their places in the order of the visits. Devices that
    /// do not work in parts visit all.
    pub(crate) places: Range<usize>,
    /// Receives the score in nats of each pair (a, b) that this device counts, in row a: for b from
    /// a on, or of the second list.
    ///
    /// *Shapes:* p × p, row-major, on the host.
    pub(crate) matrix: Option<&'a mut [f64]>,
    /// Asked before each conditioning variable; where it returns true the search ends early.
    pub(crate) stop: &'a (dyn Fn() -> bool + Sync),
    /// Told how many conditioning variables more are done, at most as many as there are columns.
    pub(crate) progress: &'a (dyn Fn(usize) + Sync),
}

impl PairSearch<'_> {
    /// A pair's synergy in fixed point, counted on the host.
    pub(crate) fn synergy_of(&self, pair: &Pair, response: &Categorical) -> i128 {
        let columns = [pair.a, pair.b].map(|column| &self.block.columns[column as usize]);
        let [w, x] = columns.map(Categorical::compact);
        let sums = margin_sums(&x, &w, response, self.synergy.logs());
        self.synergy.gather_table(0, &sums)
    }
}

/// Scores all pairs of columns, on one device or on several that share the work; and columns alone.
pub(crate) trait PairCounter: Send {
    /// Names of the devices in reports, one for each.
    fn names(&self) -> Vec<String>;

    /// Fixed-point relevance of each of its columns, in their order, where the domain is one list.
    ///
    /// # Errors
    /// A device that failed; [`DeviceError::UndefinedScore`].
    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError>;

    /// Whether it can visit a part of the first columns: see [`PairSearch::places`].
    fn works_in_parts(&self) -> bool {
        false
    }

    /// The best pairs (a, b), a < b, whose second column is this device's, with their synergy.
    fn pairs(&mut self, search: PairSearch) -> Result<TopPairs, DeviceError>;
}

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

    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.devices.iter().flat_map(|device| device.names());
        names.collect()
    }

    /// Relevance of every column, in the unit of scores.
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

    /// Whether all devices can visit a part of the first columns.
    pub(crate) fn work_in_parts(&self) -> bool {
        self.devices.iter().all(|device| device.works_in_parts())
    }

    /// The best pairs of all devices; see [`PairSearch`].
    pub(crate) fn pairs(
        &mut self,
        synergy: &ScoreEvaluator,
        (wanted, places): (&TopPairs, Range<usize>),
        mut matrix: Option<&mut [f64]>,
        stop: &(dyn Fn() -> bool + Sync),
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<TopPairs, DeviceError> {
        let mut best = wanted.clone();
        for device in &mut self.devices {
            best = best.merge(device.pairs(PairSearch {
                block: self.block,
                synergy,
                wanted,
                places: places.clone(),
                matrix: matrix.as_deref_mut(),
                stop,
                progress,
            })?);
        }
        Ok(best)
    }
}
