//! The trait of what scores all pairs of columns, and what it is asked.

use super::{
    super::DeviceError,
    categorical::Categorical,
    evaluator::ScoreEvaluator,
    margins::margin_sums,
    pair::{Pair, Partner},
    top_pairs::{TopPairs, TopPartners},
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
    /// Receives the score in nats of each pair (a, b) that this device counts, in row a: for b from
    /// a on, or of the second list.
    ///
    /// *Shapes:* p × p, row-major, on the host.
    pub(crate) matrix: Option<&'a mut [f64]>,
    /// Asked before each conditioning variable; where it returns true the search ends early.
    pub(crate) stop: &'a (dyn Fn() -> bool + Sync),
    /// Called after each conditioning variable, at most once a column.
    pub(crate) progress: &'a (dyn Fn() + Sync),
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

    /// The best pairs (a, b), a < b, whose second column is this device's, with their synergy.
    ///
    /// # Errors
    /// As [`PairCounter::relevance`].
    fn pairs(&mut self, search: PairSearch) -> Result<TopPairs, DeviceError>;
}

/// Which pairs a caller wants.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PairRequest {
    /// At most this many of the best.
    pub(crate) max_pairs: usize,
    /// Only pairs of at least this score, in nats.
    pub(crate) min_score: Option<f64>,
    /// Also the best partner of every column, whatever the limits.
    pub(crate) partners: bool,
}

/// The pairs that a [`PairRequest`] asked for, in nats.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PairScores {
    /// Best first.
    pub(crate) pairs: Vec<Pair<f64>>,
    /// The best partner of each column, in their order; none where no pair may be chosen. Empty
    /// unless asked for.
    pub(crate) partners: Vec<Option<Partner<f64>>>,
}

impl PairRequest {
    /// The request's limits in fixed point, with no pair of `columns` columns yet.
    pub(crate) fn empty_pairs(&self, columns: usize, evaluator: &ScoreEvaluator) -> TopPairs {
        let pairs = TopPairs::new(self.max_pairs, evaluator.score_threshold(self.min_score));
        match self.partners {
            true => pairs.with_partners(TopPartners::new(columns, evaluator.score_threshold(None))),
            false => pairs,
        }
    }

    /// The best pairs as floats, as far as they were asked for.
    pub(crate) fn to_scores(
        self,
        best: TopPairs,
        evaluator: &ScoreEvaluator,
        synergy: &ScoreEvaluator,
    ) -> PairScores {
        let partners = best.partners().into_iter();
        let partners =
            partners.map(|partner| partner.map(|partner| partner.to_nats(evaluator, synergy)));
        let partners = partners.collect();
        let pairs = best.into_sorted().into_iter();
        let pairs = pairs.map(|pair| pair.to_nats(evaluator, synergy));
        // The fixed-point threshold lies a little below the one in nats.
        let least = self.min_score.unwrap_or(f64::NEG_INFINITY);
        PairScores {
            pairs: pairs.filter(|pair| pair.score >= least).collect(),
            partners,
        }
    }
}
