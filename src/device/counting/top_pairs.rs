//! The best pairs found so far, and the best partner of every column.

use std::cmp::Reverse;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::pair::{Pair, Partner};

/// The best pairs found so far and, where wanted, every column's best partner.
///
/// What it holds does not depend on the order of the pairs, nor on how they are split among
/// several of these that are merged.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct TopPairs {
    /// Number of pairs wanted at most.
    capacity: usize,
    /// Pairs of lower scores are not wanted.
    threshold: i128,
    /// Unordered; more than `capacity` between two prunings.
    pairs: Vec<Pair>,
    partners: Option<TopPartners>,
}

/// Pairs held beyond twice the capacity before the worst are dropped.
const SPARE: usize = 4096;

impl TopPairs {
    /// No pairs yet, of which at most `capacity` of scores from `threshold` on are wanted.
    pub(crate) fn new(capacity: usize, threshold: i128) -> Self {
        Self {
            capacity,
            threshold,
            pairs: Vec::new(),
            partners: None,
        }
    }

    /// These, and every column's best partner.
    pub(crate) fn with_partners(self, partners: TopPartners) -> Self {
        Self {
            partners: Some(partners),
            ..self
        }
    }

    /// Whether a pair of this score may be among the best, or one column the other's partner.
    #[inline(always)]
    pub(crate) fn wants(&self, score: i128, a: u32, b: u32) -> bool {
        let partner = || {
            self.partners
                .as_ref()
                .is_some_and(|all| all.wants(score, a, b))
        };
        score >= self.threshold || partner()
    }

    /// Adds a pair.
    pub(crate) fn push(&mut self, pair: Pair) {
        if let Some(partners) = &mut self.partners {
            partners.push(&pair);
        }
        if pair.score >= self.threshold {
            self.keep(pair);
        }
    }

    /// Adds a pair that may be among the best.
    fn keep(&mut self, pair: Pair) {
        self.pairs.push(pair);
        if self.pairs.len() >= self.capacity.saturating_mul(2).saturating_add(SPARE) {
            self.prune();
        }
    }

    /// No pairs, with the same limits.
    pub(crate) fn cleared(&self) -> Self {
        Self {
            partners: self.partners.as_ref().map(TopPartners::cleared),
            ..Self::new(self.capacity, self.threshold)
        }
    }

    /// The least score of a partner, where partners are wanted.
    pub(crate) fn partner_threshold(&self) -> Option<i128> {
        self.partners.as_ref().map(|all| all.threshold)
    }

    /// Number of pairs wanted at most.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// The least score known to be wanted; [`TopPairs::prune_threshold`] may find a higher one.
    pub(crate) fn threshold(&self) -> i128 {
        self.threshold
    }

    /// Fills in the synergy of all pairs and partners held, on all threads.
    pub(crate) fn with_synergy(mut self, synergy: impl Fn(&Pair) -> i128 + Sync) -> Self {
        self.prune();
        let pairs = self.pairs.par_iter_mut();
        pairs.for_each(|pair| pair.synergy = synergy(pair));
        self.partners = self.partners.map(|all| all.with_synergy(&synergy));
        self
    }

    /// The best of both.
    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.threshold = self.threshold.max(other.threshold);
        for pair in other.pairs {
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

    /// No pairs, with the same limits, of another number of columns.
    pub(crate) fn cleared_for(&self, columns: usize) -> Self {
        let partners = self.partners.as_ref();
        Self {
            partners: partners.map(|all| TopPartners::new(columns, all.threshold)),
            ..Self::new(self.capacity, self.threshold)
        }
    }

    /// Drops what is beyond the capacity; returns the least score still wanted.
    pub(crate) fn prune_threshold(&mut self) -> i128 {
        self.prune();
        self.threshold
    }

    /// Raises the least score wanted.
    pub(crate) fn raise_threshold(&mut self, least: i128) {
        self.threshold = self.threshold.max(least);
    }

    /// These pairs with their columns renumbered, among `columns` of them.
    pub(crate) fn renumber(self, columns: usize, number: impl Fn(u32) -> u32) -> Self {
        let renumbered = |pair: Pair| Pair {
            a: number(pair.a),
            b: number(pair.b),
            ..pair
        };
        Self {
            pairs: self.pairs.into_iter().map(renumbered).collect(),
            partners: self.partners.map(|all| all.renumber(columns, &number)),
            ..self
        }
    }

    /// The best partner of each column, in their order, none where no pair may be chosen. Empty
    /// unless wanted.
    pub(crate) fn partners(&self) -> Vec<Option<Partner>> {
        self.partners
            .as_ref()
            .map_or_else(Vec::new, TopPartners::by_column)
    }

    /// The pairs wanted, best first.
    pub(crate) fn into_sorted(mut self) -> Vec<Pair> {
        self.pairs.sort_unstable_by(Pair::order);
        self.pairs.truncate(self.capacity);
        self.pairs
    }

    fn prune(&mut self) {
        if self.capacity == 0 {
            self.pairs.clear();
        } else if self.pairs.len() >= self.capacity {
            let last = self.capacity - 1;
            let (_, worst, _) = self.pairs.select_nth_unstable_by(last, Pair::order);
            self.threshold = self.threshold.max(worst.score);
            self.pairs.truncate(self.capacity);
        }
    }
}

/// Stands for no partner: higher than any column, so that of equal scores any column wins.
const NOBODY: u32 = u32::MAX;

impl Partner {
    fn is_better(&self, score: i128, column: u32) -> bool {
        (self.score, Reverse(self.column)) > (score, Reverse(column))
    }
}

/// The best partner found so far of every column.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct TopPartners {
    /// The least score of a partner.
    threshold: i128,
    best: Vec<Partner>,
}

impl TopPartners {
    /// No partners yet of `columns` columns; they need a score of at least `threshold`.
    pub(crate) fn new(columns: usize, threshold: i128) -> Self {
        let nobody = Partner {
            score: threshold,
            synergy: 0,
            column: NOBODY,
        };
        Self {
            threshold,
            best: vec![nobody; columns],
        }
    }

    fn cleared(&self) -> Self {
        Self::new(self.best.len(), self.threshold)
    }

    /// Whether a pair of this score gives one of its columns a better partner.
    #[inline(always)]
    fn wants(&self, score: i128, a: u32, b: u32) -> bool {
        let better = |of: u32, other: u32| {
            let best = &self.best[of as usize];
            score > best.score || (score == best.score && other < best.column)
        };
        better(a, b) || better(b, a)
    }

    /// Adds a pair, for each of its columns that has no better partner.
    fn push(&mut self, pair: &Pair) {
        for (of, column) in [(pair.a, pair.b), (pair.b, pair.a)] {
            let best = &mut self.best[of as usize];
            let own = Partner {
                score: pair.score,
                synergy: pair.synergy,
                column,
            };
            if own.is_better(best.score, best.column) {
                *best = own;
            }
        }
    }

    /// The better partner of both, column by column.
    fn merge(mut self, other: &Self) -> Self {
        for (best, own) in self.best.iter_mut().zip(&other.best) {
            if own.is_better(best.score, best.column) {
                *best = *own;
            }
        }
        self
    }

    /// These partners with their columns renumbered, among `columns` of them.
    fn renumber(&self, columns: usize, number: &impl Fn(u32) -> u32) -> Self {
        let mut all = Self::new(columns, self.threshold);
        let paired = (0..).zip(&self.best);
        for (of, best) in paired.filter(|(_, best)| best.column != NOBODY) {
            all.best[number(of) as usize] = Partner {
                column: number(best.column),
                ..*best
            };
        }
        all
    }

    /// Fills in the synergy of every partner.
    fn with_synergy(mut self, synergy: &(impl Fn(&Pair) -> i128 + Sync)) -> Self {
        let best = self.best.par_iter_mut().enumerate();
        let paired = best.filter(|(_, best)| best.column != NOBODY);
        paired.for_each(|(of, best)| {
            let of = of as u32;
            best.synergy = synergy(&Pair {
                score: best.score,
                synergy: 0,
                a: of.min(best.column),
                b: of.max(best.column),
            });
        });
        self
    }

    /// The best partner of each column; none where no pair may be chosen.
    fn by_column(&self) -> Vec<Option<Partner>> {
        let partner = |best: &Partner| (best.column != NOBODY).then_some(*best);
        self.best.iter().map(partner).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 20,000 pairs of 300 columns, many of equal score.
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

    /// The best pairs as two threads find them that meet all in reverse order.
    fn best_of(all: &[Pair], wanted: &TopPairs) -> TopPairs {
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
    fn the_best_pairs_do_not_depend_on_order_or_split() {
        let mut all = all();
        let best_pairs = best_of(&all, &TopPairs::new(500, 3));
        assert!(best_pairs.partners().is_empty());
        all.sort_by(Pair::order);
        assert_eq!(best_pairs.into_sorted(), all[..500]);
    }

    #[test]
    fn every_column_has_its_best_partner() {
        let mut all = all();
        for (most, least) in [(500, 3), (0, i128::MIN), (7, 51)] {
            let wanted = TopPairs::new(most, least).with_partners(TopPartners::new(302, -49));
            assert!(wanted.partner_threshold().is_some());
            let best_pairs = best_of(&all, &wanted).with_synergy(|pair| pair.score - 1);
            all.sort_by(Pair::order);
            for (of, partner) in (0..).zip(best_pairs.partners()) {
                // Of equal scores the first in this order has the lowest column.
                let best = all.iter().find(|pair| pair.a == of || pair.b == of);
                let best = best.filter(|pair| pair.score >= -49).map(|pair| Partner {
                    score: pair.score,
                    synergy: pair.score - 1,
                    column: pair.a + pair.b - of,
                });
                assert_eq!(partner, best, "{of}");
            }
            let best = all.iter().filter(|pair| pair.score >= least).take(most);
            let best: Vec<_> = best.map(|pair| (pair.a, pair.b)).collect();
            let sorted = best_pairs.into_sorted();
            assert!(sorted.iter().map(|pair| (pair.a, pair.b)).eq(best));
        }
    }
}
