//! Whether the next winner is better than the best of chance: it is held against the winners
//! of the same candidates after permutations of the observations.
//!
//! A permutation moves the response and the anchors, everything chosen so far as it was swept,
//! together, and leaves the candidates where they are: what the chosen variables tell of the
//! response stays, what the candidates tell of either goes. The statistic is the best score of
//! all candidates, so that having looked for the best is accounted for.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use rayon::prelude::*;

use super::Selection;
use crate::{
    device::{
        DeviceError, Placement, UndefinedScore,
        counting::{BestCandidate, Categorical, ConditioningVariable, CounterGroup, LocalColumns},
        open_counters,
    },
    random::Stream,
    score::Gather,
    selection::ChosenColumn,
};

/// Permutations where no other number is asked for.
pub const PERMUTATIONS: usize = 1000;

/// The level of the test where no other is asked for.
pub const ALPHA: f64 = 0.05;

/// Fewest permutations, which reach a p-value of 0.05, and most.
pub const PERMUTATION_COUNTS: std::ops::RangeInclusive<usize> = 19..=1_000_000;

/// Streams of permutations begin here. Particles and islands have those from 0 on, simulated
/// data the last: a selection with the seed of its data must not permute by the numbers that
/// made them.
const STREAM: u64 = 1 << 63;

/// Streams of one step: as many as there may be permutations.
const STEP: u64 = 1 << 20;

/// Codes that permutations under way may lay out, each those of all columns; where each thread
/// with one of its own would lay out more, there is one at a time.
const CELLS: usize = 1 << 30;

/// Permutations that a device with a way for many is handed at once.
const TOGETHER: usize = 32;

/// A selection ends before a winner that permutations do not find significant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PermutationTest {
    /// Permutations of each step.
    pub n: usize,
    /// The largest p-value with which a variable joins.
    pub alpha: f64,
    /// Seed of the permutations.
    pub seed: u64,
}

impl Default for PermutationTest {
    fn default() -> Self {
        Self {
            n: PERMUTATIONS,
            alpha: ALPHA,
            seed: 1,
        }
    }
}

impl PermutationTest {
    /// The smallest p-value there can be.
    pub fn least(&self) -> f64 {
        self.p(0)
    }

    /// The p-value of what so many permutations reach.
    fn p(&self, reached: usize) -> f64 {
        (1 + reached) as f64 / (1 + self.n) as f64
    }
}

impl Selection<'_> {
    /// p = (1 + b) / (1 + n) of the winner, b of n permutations having a best score not below
    /// its. `swept` is what the candidates were swept against. None where it was interrupted.
    pub(super) fn permutation_p(
        &self,
        rule: &PermutationTest,
        winner: &BestCandidate,
        chosen: &[ChosenColumn],
        swept: &[Arc<ConditioningVariable>],
        counters: &mut CounterGroup,
    ) -> Result<Option<f64>, DeviceError> {
        // Only the last counts where only the last is kept.
        let swept = match self.evaluator.score().gather {
            Gather::Last => &swept[swept.len().saturating_sub(1)..],
            Gather::Sum | Gather::Mean | Gather::Minimum => swept,
        };
        let swept: Vec<&Categorical> = swept.iter().map(|it| it.codes()).collect();
        let mut reached = match (
            self.reaching(rule, winner, (chosen, &swept), counters),
            self.communicator,
        ) {
            // All learn of it below.
            (Err(DeviceError::UndefinedScore(it)), Some(_)) => Err(it),
            (reached, _) => match reached? {
                None => return Ok(None),
                Some(reached) => Ok(reached),
            },
        };
        if let Some(communicator) = self.communicator {
            // Each rank has seen its own columns.
            let told = communicator
                .gather(&reached)
                .map_err(DeviceError::from_rank_error)?;
            let told: Result<Vec<Vec<bool>>, UndefinedScore> = told.into_iter().collect();
            let any = |told: Vec<Vec<bool>>| {
                let any = |at| told.iter().any(|it| it[at]);
                (0..rule.n).map(any).collect()
            };
            reached = told.map(any);
        }
        let reached: Vec<bool> = reached.map_err(DeviceError::UndefinedScore)?;
        Ok(Some(rule.p(reached.into_iter().filter(|it| *it).count())))
    }

    /// Of each permutation whether a candidate reaches the winner; none where it was interrupted.
    fn reaching(
        &self,
        rule: &PermutationTest,
        winner: &BestCandidate,
        (chosen, swept): (&[ChosenColumn], &[&Categorical]),
        counters: &mut CounterGroup,
    ) -> Result<Option<Vec<bool>>, DeviceError> {
        let first = STREAM + chosen.len() as u64 * STEP;
        let order = |at: usize| {
            let mut order: Vec<u32> = (0..self.columns.n as u32).collect();
            Stream::new(rule.seed, first + at as u64).shuffle(&mut order);
            order
        };
        let reaches =
            |found: Option<BestCandidate>| found.is_some_and(|it| it.score >= winner.highest);
        let mut reached = Vec::with_capacity(rule.n);
        while reached.len() < rule.n {
            if self.interrupt.requested() {
                return Ok(None);
            }
            // One alone shows whether there is a way for many.
            let done = reached.len();
            let most = match done {
                0 => 1,
                _ => (CELLS / self.columns.n.max(1)).clamp(1, TOGETHER),
            };
            let next = rule.n.min(done + most);
            let orders: Vec<Vec<u32>> = (done..next).into_par_iter().map(order).collect();
            match counters.best_permuted(&orders, swept) {
                Some(found) => reached.extend(found?.into_iter().map(reaches)),
                None => {
                    let each = |at, threads| {
                        let found = self.strongest(&order(at), chosen, swept, threads)?;
                        Ok(reaches(found))
                    };
                    match self.one_by_one(rule, each)? {
                        Some(all) => reached = all,
                        None => return Ok(None),
                    }
                }
            }
        }
        Ok(Some(reached))
    }

    /// The same by counters of their own, each of which tells whether its permutation reaches the
    /// winner.
    fn one_by_one(
        &self,
        rule: &PermutationTest,
        each: impl Fn(usize, usize) -> Result<bool, DeviceError> + Sync,
    ) -> Result<Option<Vec<bool>>, DeviceError> {
        let cells = self.columns.n * self.columns.columns.len();
        let threads = rayon::current_num_threads();
        // A thread each, or one after the other by all threads.
        let (under_way, threads) = match cells.saturating_mul(threads) <= CELLS {
            true => (threads, 1),
            false => (1, threads),
        };
        let next = AtomicUsize::new(0);
        let reached: Vec<AtomicBool> = (0..rule.n).map(|_| AtomicBool::new(false)).collect();
        // Every thread takes the next permutation until there are no more.
        let walk = |thread: usize| {
            while thread < under_way && !self.interrupt.requested() {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if at >= rule.n {
                    break;
                }
                reached[at].store(each(at, threads)?, Ordering::Relaxed);
            }
            Ok(())
        };
        let walked: Result<Vec<()>, DeviceError> = rayon::broadcast(|it| walk(it.index()))
            .into_iter()
            .collect();
        walked?;
        let whole = next.into_inner() >= rule.n && !self.interrupt.requested();
        let reached = reached.into_iter().map(AtomicBool::into_inner);
        Ok(whole.then(|| reached.collect()))
    }

    /// The best candidate where response and anchors are in this order, by so many threads.
    fn strongest(
        &self,
        order: &[u32],
        chosen: &[ChosenColumn],
        swept: &[&Categorical],
        threads: usize,
    ) -> Result<Option<BestCandidate>, DeviceError> {
        let response = self.response.permuted(order);
        let own = LocalColumns::of_rank(self.columns, self.communicator);
        let by = (self.logs, self.evaluator);
        let mut counters = open_counters(&Placement::Cpu(1), own, &response, by, threads, None)?;
        for it in chosen {
            counters.exclude(it.column as u32);
        }
        for anchor in swept {
            counters.sweep(&anchor.permuted(order).into())?;
        }
        counters.highest()
    }
}
