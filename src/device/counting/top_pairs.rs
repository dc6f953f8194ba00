//! Pairs of columns: the best ones found so far, and the best one of every column.

use std::cmp::Ordering;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::evaluator::ScoreEvaluator;

/// Two columns, a < b, with their score and synergy.
///
/// *Units:* those of [`ScoreEvaluator`] after one step in fixed point, nats where `S` is a float.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pair<S = i128> {
    pub(crate) score: S,
    /// I((a,b);y) − I(a;y) − I(b;y).
    pub(crate) synergy: S,
    pub(crate) a: u32,
    pub(crate) b: u32,
}

impl Pair {
    /// Best first; of equal scores the lowest columns.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let scores = other.score.cmp(&self.score);
        scores.then((self.a, self.b).cmp(&(other.a, other.b)))
    }

    pub(crate) fn to_nats(self, score: &ScoreEvaluator, synergy: &ScoreEvaluator) -> Pair<f64> {
        Pair {
            score: score.score_nats(self.score, 1),
            synergy: synergy.score_nats(self.synergy, 1),
            a: self.a,
            b: self.b,
        }
    }
}

/// The best pairs found so far and, where wanted, the best pair of every column.
///
/// What it holds does not depend on the order of the pairs, nor on how they are split among
/// several of these that are merged.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct TopPairs {
    /// Number of pairs wanted at most.
    pub(crate) capacity: usize,
    /// Pairs of lower scores are not wanted; [`TopPairs::prune_threshold`] may raise it.
    pub(crate) threshold: i128,
    /// Unordered; more than `capacity` between two prunings.
    pairs: Vec<Pair>,
    /// The least score of a column's best pair, where these are wanted.
    pub(crate) partner_threshold: Option<i128>,
    /// The best pair of each column, or one of [`NOBODY`]; empty where they are not wanted.
    partners: Vec<Pair>,
}

/// Pairs held beyond twice the capacity before the worst are dropped.
const SPARE: usize = 4096;

/// Stands for no column: higher than any, so that of equal scores any pair wins.
const NOBODY: u32 = u32::MAX;

impl TopPairs {
    /// No pairs yet, of which at most `capacity` of scores from `threshold` on are wanted.
    pub(crate) fn new(capacity: usize, threshold: i128) -> Self {
        Self {
            capacity,
            threshold,
            ..Self::default()
        }
    }

    /// These, and the best pair of each of `columns` columns, of a score of at least `threshold`.
    pub(crate) fn with_partners(self, columns: usize, threshold: i128) -> Self {
        let none = Pair {
            score: threshold,
            synergy: 0,
            a: NOBODY,
            b: NOBODY,
        };
        Self {
            partner_threshold: Some(threshold),
            partners: vec![none; columns],
            ..self
        }
    }

    /// No pairs, with the same limits.
    pub(crate) fn cleared(&self) -> Self {
        self.cleared_for(self.partners.len())
    }

    /// No pairs, with the same limits, of another number of columns.
    pub(crate) fn cleared_for(&self, columns: usize) -> Self {
        let none = Self::new(self.capacity, self.threshold);
        match self.partner_threshold {
            Some(threshold) => none.with_partners(columns, threshold),
            None => none,
        }
    }

    /// The number of pairs held.
    pub(crate) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether these have the limits of `wanted`, but for a higher threshold, and only pairs of its
    /// columns.
    pub(crate) fn is_sound(&self, wanted: &Self, columns: usize) -> bool {
        let is_pair = |pair: &Pair| pair.a < pair.b && (pair.b as usize) < columns;
        self.capacity == wanted.capacity
            && self.threshold >= wanted.threshold
            && self.partner_threshold == wanted.partner_threshold
            && self.partners.len() == wanted.partners.len()
            && self.pairs.iter().all(is_pair)
            && (self.partners.iter()).all(|best| best.a == NOBODY || is_pair(best))
    }

    /// Whether a pair of this score may be among the best, or the best of one of its columns.
    #[inline(always)]
    pub(crate) fn wants(&self, score: i128, a: u32, b: u32) -> bool {
        let better = |of: u32| {
            let best = &self.partners[of as usize];
            score > best.score || (score == best.score && (a, b) < (best.a, best.b))
        };
        score >= self.threshold || (!self.partners.is_empty() && (better(a) || better(b)))
    }

    /// Adds a pair if it is wanted; only then its synergy is asked for.
    #[inline(always)]
    pub(crate) fn offer(&mut self, score: i128, a: u32, b: u32, synergy: impl FnOnce() -> i128) {
        if self.wants(score, a, b) {
            let synergy = synergy();
            self.push(Pair {
                score,
                synergy,
                a,
                b,
            });
        }
    }

    pub(crate) fn push(&mut self, pair: Pair) {
        if !self.partners.is_empty() {
            for of in [pair.a, pair.b] {
                let best = &mut self.partners[of as usize];
                *best = better(*best, pair);
            }
        }
        self.keep(pair);
    }

    fn keep(&mut self, pair: Pair) {
        if pair.score >= self.threshold {
            self.pairs.push(pair);
            if self.pairs.len() >= self.capacity.saturating_mul(2).saturating_add(SPARE) {
                self.prune();
            }
        }
    }

    /// Fills in the synergy of all pairs held, on all threads.
    pub(crate) fn with_synergy(mut self, synergy: impl Fn(&Pair) -> i128 + Sync) -> Self {
        self.prune();
        let partners = self.partners.par_iter_mut();
        let partners = partners.filter(|best| best.a != NOBODY);
        let all = self.pairs.par_iter_mut().chain(partners);
        all.for_each(|pair| pair.synergy = synergy(pair));
        self
    }

    /// The best of both.
    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.threshold = self.threshold.max(other.threshold);
        other.pairs.into_iter().for_each(|pair| self.keep(pair));
        for (best, other) in self.partners.iter_mut().zip(other.partners) {
            *best = better(*best, other);
        }
        self
    }

    /// Drops what is beyond the capacity; returns the least score still wanted.
    pub(crate) fn prune_threshold(&mut self) -> i128 {
        self.prune();
        self.threshold
    }

    /// These pairs with their columns renumbered in the same order, among `columns` of them.
    pub(crate) fn renumber(self, columns: usize, number: impl Fn(u32) -> u32) -> Self {
        let renumbered = |pair: Pair| Pair {
            a: number(pair.a),
            b: number(pair.b),
            ..pair
        };
        let mut all = self.cleared_for(columns);
        for (of, best) in (0..).zip(self.partners) {
            if best.a != NOBODY {
                all.partners[number(of) as usize] = renumbered(best);
            }
        }
        all.pairs.extend(self.pairs.into_iter().map(renumbered));
        all
    }

    /// The best pair of each column, in their order, none where no pair may be chosen. Empty unless
    /// wanted.
    pub(crate) fn partners(&self) -> impl Iterator<Item = Option<Pair>> {
        let best = self.partners.iter();
        best.map(|best| Some(*best).filter(|best| best.a != NOBODY))
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

/// The pair that comes first in [`Pair::order`].
fn better(a: Pair, b: Pair) -> Pair {
    if b.order(&a).is_lt() { b } else { a }
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
        assert_eq!(best_pairs.partners().count(), 0);
        all.sort_by(Pair::order);
        assert_eq!(best_pairs.into_sorted(), all[..500]);
    }

    #[test]
    fn every_column_has_its_best_partner() {
        let mut all = all();
        for (most, least) in [(500, 3), (0, i128::MIN), (7, 51)] {
            let wanted = TopPairs::new(most, least).with_partners(302, -49);
            assert!(wanted.partner_threshold.is_some());
            let best_pairs = best_of(&all, &wanted).with_synergy(|pair| pair.score - 1);
            all.sort_by(Pair::order);
            for (of, partner) in (0..).zip(best_pairs.partners()) {
                // Of equal scores the first in this order has the lowest column.
                let best = all.iter().find(|pair| pair.a == of || pair.b == of);
                let best = best.filter(|pair| pair.score >= -49).map(|pair| Pair {
                    synergy: pair.score - 1,
                    ..*pair
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
