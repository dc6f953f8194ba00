//! Pairs of columns by their score.

use std::cmp::Ordering;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    super::DeviceError, Categorical, LogTable, Partner, ScoreEvaluator, TopPartners, margin_sums,
};
use crate::binning::BinnedColumn;

/// Two columns, a < b, and their score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pair {
    /// As [`super::ScoreEvaluator::gather`] gives it of one step.
    pub(crate) score: i128,
    /// The same of I((a,b);y) − I(a;y) − I(b;y).
    pub(crate) synergy: i128,
    pub(crate) a: u32,
    pub(crate) b: u32,
}

impl Pair {
    /// The best first; of equal scores the lowest columns.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let scores = other.score.cmp(&self.score);
        scores.then((self.a, self.b).cmp(&(other.a, other.b)))
    }
}

/// Columns, of whose pairs all are scored, or those of two lists.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairDomain<'a> {
    pub(crate) columns: &'a [BinnedColumn],
    /// Where the second list begins: a pair has one of each. None where any two are a pair.
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
    /// What a column may be the first of a pair of: all, or the first list.
    pub(crate) fn first_end(&self) -> usize {
        self.split.unwrap_or(self.columns.len())
    }

    /// Where columns begin that may be the second of a pair.
    pub(crate) fn second_start(&self) -> usize {
        self.split.unwrap_or(0)
    }
}

/// What is asked of all pairs.
pub(crate) struct PairSearch<'a> {
    /// The same that the devices have.
    pub(crate) block: PairDomain<'a>,
    /// The score of a pair's synergy.
    pub(crate) synergy: &'a ScoreEvaluator,
    pub(crate) logs: &'a LogTable,
    /// How many, and how good; none is found yet.
    pub(crate) wanted: &'a TopPairs,
    /// p × p: the scores of a and b, in nats, go to its row a, for a device's own b from a on (or of
    /// the second list).
    pub(crate) matrix: Option<&'a mut [f64]>,
    /// Asked before every anchor.
    pub(crate) stop: &'a (dyn Fn() -> bool + Sync),
    /// Told behind every anchor, once for a column at most.
    pub(crate) progress: &'a (dyn Fn() + Sync),
}

impl PairSearch<'_> {
    /// A pair's synergy, counted on the host.
    pub(crate) fn synergy_of(&self, pair: &Pair, response: &Categorical) -> i128 {
        let [w, x] =
            [pair.a, pair.b].map(|it| Categorical::compact(&self.block.columns[it as usize]));
        let sums = margin_sums(&x, &w, response, self.logs);
        self.synergy.gather_table(0, &sums, self.logs)
    }
}

/// One device, or several that share their work, that score all pairs.
pub(crate) trait PairCounter: Send {
    /// Its names in reports, one for each place that counts.
    fn names(&self) -> Vec<String>;

    /// Relevance of its columns, in their order; of a block that is not apart.
    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError>;

    /// The best pairs of any column with one behind it that is this device's; one step's score
    /// for each, and its synergy.
    fn pairs(&mut self, asked: PairSearch) -> Result<TopPairs, DeviceError>;
}

/// The best pairs so far, and the best of every column where that is wanted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct TopPairs {
    /// How many are wanted at most.
    capacity: usize,
    /// Scores below it are not wanted.
    threshold: i128,
    /// Unordered, and more than wanted between two prunings.
    found: Vec<Pair>,
    /// Whatever the others are.
    partners: Option<TopPartners>,
}

/// Pairs beyond those wanted that are gathered before the worst are left out.
const SPARE: usize = 4096;

impl TopPairs {
    /// At most so many, none of a score below `threshold`.
    pub(crate) fn new(capacity: usize, threshold: i128) -> Self {
        Self {
            capacity,
            threshold,
            found: Vec::new(),
            partners: None,
        }
    }

    /// These, and besides the partner of every column.
    pub(crate) fn with_partners(self, partners: TopPartners) -> Self {
        Self {
            partners: Some(partners),
            ..self
        }
    }

    /// Whether two columns of this score may be among them, or one the other's partner.
    #[inline(always)]
    pub(crate) fn wants(&self, score: i128, a: u32, b: u32) -> bool {
        let partners = || self.partners.as_ref();
        score >= self.threshold || partners().is_some_and(|it| it.wants(score, a, b))
    }

    /// Takes a pair that is wanted.
    pub(crate) fn push(&mut self, pair: Pair) {
        if let Some(partners) = &mut self.partners {
            partners.push(&pair);
        }
        if pair.score >= self.threshold {
            self.keep(pair);
        }
    }

    /// Takes a pair that may be among the best of all.
    fn keep(&mut self, pair: Pair) {
        self.found.push(pair);
        if self.found.len() >= self.capacity.saturating_mul(2).saturating_add(SPARE) {
            self.prune();
        }
    }

    /// None found yet, of which as much is wanted as of these.
    pub(crate) fn cleared(&self) -> Self {
        Self {
            partners: self.partners.as_ref().map(TopPartners::cleared),
            ..Self::new(self.capacity, self.threshold)
        }
    }

    /// What a column's partner must score, where they are wanted.
    pub(crate) fn partner_threshold(&self) -> Option<i128> {
        self.partners.as_ref().map(TopPartners::threshold)
    }

    /// How many are wanted at most.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// What a score must be to be wanted, as far as is known.
    pub(crate) fn threshold(&self) -> i128 {
        self.threshold
    }

    /// What is found so far, with its synergy, where that was left for later.
    pub(crate) fn with_synergy(mut self, synergy: impl Fn(&Pair) -> i128 + Sync) -> Self {
        self.prune();
        self.found
            .par_iter_mut()
            .for_each(|it| it.synergy = synergy(it));
        self.partners = self.partners.map(|it| it.with_synergy(&synergy));
        self
    }

    /// All of both.
    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.threshold = self.threshold.max(other.threshold);
        for pair in other.found {
            if pair.score >= self.threshold {
                self.keep(pair);
            }
        }
        self.partners = match (self.partners, other.partners) {
            (Some(own), Some(other)) => Some(own.merge(&other)),
            (own, other) => own.or(other),
        };
        self
    }

    /// None found yet, of which as much is wanted as of these, of so many columns.
    pub(crate) fn cleared_for(&self, columns: usize) -> Self {
        let partners = self.partners.as_ref();
        Self {
            partners: partners.map(|it| TopPartners::new(columns, it.threshold())),
            ..Self::new(self.capacity, self.threshold)
        }
    }

    /// What a score must be to be wanted beside those found.
    pub(crate) fn prune_threshold(&mut self) -> i128 {
        self.prune();
        self.threshold
    }

    /// No score below it is wanted any more.
    pub(crate) fn raise_threshold(&mut self, least: i128) {
        self.threshold = self.threshold.max(least);
    }

    /// The same of all columns, of which there are so many, from those of some.
    pub(crate) fn renumber(self, columns: usize, number: impl Fn(u32) -> u32) -> Self {
        let pair = |it: Pair| Pair {
            a: number(it.a),
            b: number(it.b),
            ..it
        };
        Self {
            found: self.found.into_iter().map(pair).collect(),
            partners: self.partners.map(|it| it.renumber(columns, &number)),
            ..self
        }
    }

    /// The partner of every column, in their order, where that is wanted; none where no score
    /// may be chosen.
    pub(crate) fn partners(&self) -> Vec<Option<Partner>> {
        self.partners
            .as_ref()
            .map_or_else(Vec::new, TopPartners::by_column)
    }

    /// The best first.
    pub(crate) fn into_sorted(mut self) -> Vec<Pair> {
        self.found.sort_unstable_by(Pair::order);
        self.found.truncate(self.capacity);
        self.found
    }

    fn prune(&mut self) {
        if self.capacity == 0 {
            self.found.clear();
        } else if self.found.len() >= self.capacity {
            let last = self.capacity - 1;
            let (_, worst, _) = self.found.select_nth_unstable_by(last, Pair::order);
            self.threshold = self.threshold.max(worst.score);
            self.found.truncate(self.capacity);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 20,000 pairs of 300 columns, of which crowds have the same score.
    fn all() -> Vec<Pair> {
        let pair = |(at, (a, b)): (u32, (u32, u32))| Pair {
            score: i128::from(at * 7919 % 101) - 50,
            synergy: at.into(),
            a,
            b,
        };
        let both = (0..300).flat_map(|a| (a + 1..300).map(move |b| (a, b)));
        (0..20_000).zip(both).map(pair).collect()
    }

    /// What a device finds that meets them in reverse, by two threads.
    fn found(all: &[Pair], wanted: &TopPairs) -> TopPairs {
        let (mut first, mut second) = (wanted.cleared(), wanted.clone());
        for (at, pair) in all.iter().rev().enumerate() {
            let own = if at % 3 == 0 { &mut first } else { &mut second };
            if own.wants(pair.score, pair.a, pair.b) {
                own.push(*pair);
            }
        }
        first.merge(second)
    }

    #[test]
    fn the_best_are_kept_whatever_the_order_and_the_pieces() {
        let mut all = all();
        let found = found(&all, &TopPairs::new(500, 3));
        assert!(found.partners().is_empty());
        all.sort_by(Pair::order);
        assert_eq!(found.into_sorted(), all[..500]);
    }

    #[test]
    fn every_column_has_its_best_partner_whatever_the_best_pairs_are() {
        let mut all = all();
        for (most, least) in [(500, 3), (0, i128::MIN), (7, 51)] {
            let wanted = TopPairs::new(most, least).with_partners(TopPartners::new(302, -49));
            assert!(wanted.partner_threshold().is_some());
            let found = found(&all, &wanted).with_synergy(|it| it.score - 1);
            all.sort_by(Pair::order);
            for (of, partner) in (0..).zip(found.partners()) {
                // Of equal scores the first in this order has the lowest column.
                let best = all.iter().find(|it| it.a == of || it.b == of);
                let best = best.filter(|it| it.score >= -49).map(|it| Partner {
                    score: it.score,
                    synergy: it.score - 1,
                    column: it.a + it.b - of,
                });
                assert_eq!(partner, best, "{of}");
            }
            let best = all.iter().filter(|it| it.score >= least).take(most);
            let best: Vec<_> = best.map(|it| (it.a, it.b)).collect();
            let sorted = found.into_sorted();
            assert!(sorted.iter().map(|it| (it.a, it.b)).eq(best));
        }
    }
}
