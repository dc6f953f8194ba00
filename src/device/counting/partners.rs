//! The partner of every column: the one that it scores best with.

use std::cmp::Reverse;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Pair;

/// The best pair of a column, by the other one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Partner {
    /// As [`Pair::score`].
    pub(crate) score: i128,
    /// As [`Pair::synergy`].
    pub(crate) synergy: i128,
    pub(crate) column: u32,
}

/// In place of a column: behind all, so that of equal scores any is better.
const NOBODY: u32 = u32::MAX;

impl Partner {
    fn is_better(&self, score: i128, column: u32) -> bool {
        (self.score, Reverse(self.column)) > (score, Reverse(column))
    }
}

/// Of every column the best partner so far.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct TopPartners {
    /// Of no partner, below none that may be one.
    threshold: i128,
    best: Vec<Partner>,
}

impl TopPartners {
    /// Of so many columns, none by a score below `threshold`.
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

    /// What a partner's score is not below.
    pub(super) fn threshold(&self) -> i128 {
        self.threshold
    }

    /// As many, none found yet.
    pub(super) fn cleared(&self) -> Self {
        Self::new(self.best.len(), self.threshold)
    }

    /// Whether one of the two is the other's best so far.
    #[inline(always)]
    pub(super) fn wants(&self, score: i128, a: u32, b: u32) -> bool {
        let better = |of: u32, other: u32| {
            let best = &self.best[of as usize];
            score > best.score || (score == best.score && other < best.column)
        };
        better(a, b) || better(b, a)
    }

    /// Takes a pair, for either of its columns or for none.
    pub(super) fn push(&mut self, pair: &Pair) {
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

    /// The better of both, column by column.
    pub(super) fn merge(mut self, other: &Self) -> Self {
        for (best, own) in self.best.iter_mut().zip(&other.best) {
            if own.is_better(best.score, best.column) {
                *best = *own;
            }
        }
        self
    }

    /// Of all columns, of which there are so many, from those of some.
    pub(super) fn renumber(&self, columns: usize, number: &impl Fn(u32) -> u32) -> Self {
        let mut all = Self::new(columns, self.threshold);
        let found = (0..).zip(&self.best).filter(|it| it.1.column != NOBODY);
        for (of, best) in found {
            all.best[number(of) as usize] = Partner {
                column: number(best.column),
                ..*best
            };
        }
        all
    }

    /// With their synergy, where it was left for later.
    pub(super) fn with_synergy(mut self, synergy: &(impl Fn(&Pair) -> i128 + Sync)) -> Self {
        let best = self.best.par_iter_mut().enumerate();
        let found = best.filter(|(_, it)| it.column != NOBODY);
        found.for_each(|(of, it)| {
            let of = of as u32;
            it.synergy = synergy(&Pair {
                score: it.score,
                synergy: 0,
                a: of.min(it.column),
                b: of.max(it.column),
            });
        });
        self
    }

    /// Of every column, in their order; none where no score may be chosen.
    pub(super) fn by_column(&self) -> Vec<Option<Partner>> {
        let found = |it: &Partner| (it.column != NOBODY).then_some(*it);
        self.best.iter().map(found).collect()
    }
}
