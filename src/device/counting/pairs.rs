//! Pairs of columns by their score.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::{super::DeviceError, Anchor, Logs, Tally, table_sums};
use crate::binning::BinnedColumn;

/// Two columns, a < b, and their score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pair {
    /// As [`super::Tally::gather`] gives it of one step.
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

/// What is asked of all pairs.
pub(crate) struct AllPairs<'a> {
    /// All columns, each an anchor once.
    pub(crate) columns: &'a [BinnedColumn],
    /// The score of a pair's synergy.
    pub(crate) synergy: &'a Tally,
    pub(crate) logs: &'a Logs,
    /// How many, and how good; none is found yet.
    pub(crate) wanted: &'a Pairs,
    /// p × p: the scores of a and b, in nats, go to its row a, for a device's own b from a on.
    pub(crate) matrix: Option<&'a mut [f64]>,
    /// Asked before every anchor.
    pub(crate) stop: &'a (dyn Fn() -> bool + Sync),
    /// Told behind every anchor.
    pub(crate) done: &'a (dyn Fn() + Sync),
}

impl AllPairs<'_> {
    /// A pair's synergy, counted on the host.
    pub(crate) fn synergy_of(&self, pair: &Pair, response: &Anchor) -> i128 {
        let [w, x] = [pair.a, pair.b].map(|it| Anchor::of(&self.columns[it as usize]));
        let sums = table_sums(&x, &w, response, self.logs);
        self.synergy.gather_whole(0, &sums, self.logs)
    }
}

/// One device, or several that share their work, that score all pairs.
pub(crate) trait PairCounter: Send {
    /// Its names in reports, one for each place that counts.
    fn names(&self) -> Vec<String>;

    /// Relevance of its columns, in their order.
    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError>;

    /// The best pairs of any column with one behind it that is this device's; one step's score
    /// for each, and its synergy.
    fn pairs(&mut self, asked: AllPairs) -> Result<Pairs, DeviceError>;
}

/// The best pairs so far.
#[derive(Debug, Clone)]
pub(crate) struct Pairs {
    /// How many are wanted at most.
    most: usize,
    /// Scores below it are not wanted.
    least: i128,
    /// Unordered, and more than wanted between two prunings.
    found: Vec<Pair>,
}

/// Pairs beyond those wanted that are gathered before the worst are left out.
const SPARE: usize = 4096;

impl Pairs {
    /// At most so many, none of a score below `least`.
    pub(crate) fn new(most: usize, least: i128) -> Self {
        Self {
            most,
            least,
            found: Vec::new(),
        }
    }

    /// Whether a pair of this score may be among them.
    #[inline(always)]
    pub(crate) fn wants(&self, score: i128) -> bool {
        score >= self.least
    }

    /// Takes a pair that is wanted.
    pub(crate) fn push(&mut self, pair: Pair) {
        self.found.push(pair);
        if self.found.len() >= self.most.saturating_mul(2).saturating_add(SPARE) {
            self.prune();
        }
    }

    /// None found yet, of which as much is wanted as of these.
    pub(crate) fn empty(&self) -> Self {
        Self::new(self.most, self.least)
    }

    /// How many are wanted at most.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// What a score must be to be wanted, as far as is known.
    pub(crate) fn least(&self) -> i128 {
        self.least
    }

    /// The best so far, with their synergy, where it was left for later.
    pub(crate) fn with_synergy(mut self, synergy: impl Fn(&Pair) -> i128 + Sync) -> Self {
        self.prune();
        self.found
            .par_iter_mut()
            .for_each(|it| it.synergy = synergy(it));
        self
    }

    /// All of both.
    pub(crate) fn with(mut self, other: Self) -> Self {
        self.least = self.least.max(other.least);
        for pair in other.found {
            if self.wants(pair.score) {
                self.push(pair);
            }
        }
        self
    }

    /// The best first.
    pub(crate) fn sorted(mut self) -> Vec<Pair> {
        self.found.sort_unstable_by(Pair::order);
        self.found.truncate(self.most);
        self.found
    }

    fn prune(&mut self) {
        if self.most == 0 {
            self.found.clear();
        } else if self.found.len() > self.most {
            let last = self.most - 1;
            let (_, worst, _) = self.found.select_nth_unstable_by(last, Pair::order);
            self.least = worst.score;
            self.found.truncate(self.most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_are_kept_whatever_the_order_and_the_pieces() {
        let pair = |at: u32| Pair {
            score: i128::from(at * 7919 % 101),
            synergy: 0,
            a: at,
            b: at + 1,
        };
        let mut all: Vec<Pair> = (0..20_000).map(pair).collect();
        let (mut first, mut second) = (Pairs::new(500, 3), Pairs::new(500, 3));
        for (at, pair) in all.iter().rev().enumerate() {
            let own = if at % 3 == 0 { &mut first } else { &mut second };
            if own.wants(pair.score) {
                own.push(*pair);
            }
        }
        all.sort_by(Pair::order);
        assert_eq!(first.with(second).sorted(), all[..500]);
    }
}
