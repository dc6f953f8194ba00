//! The permutation test that ends a selection: the best score is compared with the best scores
//! after random permutations of the observations.
//!
//! A permutation moves the response and the conditioning variables together and leaves the
//! candidates in place: the dependence between chosen variables and response stays, that of the
//! candidates on either is broken. The statistic is the best score over all candidates, which
//! accounts for the search among them: standardised (`standardised.rs`), or as it is.

use std::sync::{
    Arc, Mutex, OnceLock, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use rayon::prelude::*;

use super::{
    choose::{Selection, totals_of},
    tested::{TestLog, Tested},
};
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

/// The default number of permutations.
pub const PERMUTATIONS: usize = 1000;

/// The default level of the test.
pub const ALPHA: f64 = 0.05;

/// The allowed numbers of permutations; the fewest can reach a p-value of 0.05.
pub const PERMUTATION_COUNTS: std::ops::RangeInclusive<usize> = 19..=1_000_000;

/// The first random stream of permutations. Particles and islands have those from 0, simulated
/// data the last: a selection with the seed of its data must not permute by the numbers that
/// made them.
const STREAM: u64 = 1 << 63;

/// Streams per step of the selection: the largest number of permutations fits.
const STEP: u64 = 1 << 20;

/// Memory cap for concurrent permutations, in codes; each prepares the codes of all columns. Where
/// one permutation a thread would exceed it, they run one at a time.
const CELLS: usize = 1 << 30;

/// Permutations passed at once to a device that counts several together.
const BATCH: usize = 32;

/// A permutation test of each variable about to be chosen; the selection ends where one is not
/// significant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PermutationTest {
    /// The number of permutations at each step.
    pub n: usize,
    /// The largest p-value with which a variable is chosen.
    pub alpha: f64,
    /// Whether each candidate's score is standardised by its own mean and deviation over the
    /// permutations, so that its number of levels does not decide; else scores are compared as they
    /// are.
    pub standardise: bool,
    /// Seed of the permutations.
    pub seed: u64,
}

impl Default for PermutationTest {
    fn default() -> Self {
        Self {
            n: PERMUTATIONS,
            alpha: ALPHA,
            standardise: true,
            seed: 1,
        }
    }
}

impl PermutationTest {
    /// The smallest p-value that is possible.
    pub fn least(&self) -> f64 {
        self.p(0)
    }

    pub(super) fn p(&self, reached: usize) -> f64 {
        (1 + reached) as f64 / (1 + self.n) as f64
    }
}

/// What all ranks found, or the first score that is undefined; `None` where one was interrupted.
pub(super) fn all_of_ranks<T>(
    all: Vec<Result<Option<T>, UndefinedScore>>,
) -> Result<Option<Vec<T>>, DeviceError> {
    let all: Result<Vec<Option<T>>, UndefinedScore> = all.into_iter().collect();
    let all = all.map_err(DeviceError::UndefinedScore)?;
    Ok(all.into_iter().collect())
}

impl Selection<'_> {
    /// How many permutations have a best score no lower than that of the best candidate. `swept` are
    /// the conditioning variables so far; `None` when interrupted.
    pub(super) fn permutation_test(
        &self,
        rule: &PermutationTest,
        winner: &BestCandidate,
        (chosen, swept): (&[ChosenColumn], &[Arc<ConditioningVariable>]),
        counters: &mut CounterGroup,
        log: &mut TestLog,
    ) -> Result<Option<Tested>, DeviceError> {
        let swept = self.anchors(swept);
        let reached = match self.reaching(rule, winner, (chosen, &swept), counters, log) {
            Ok(reached) => Ok(reached),
            // All ranks learn of it below.
            Err(DeviceError::UndefinedScore(unscored)) => Err(unscored),
            Err(error) => return Err(error),
        };
        // Each rank has seen its own columns.
        let all = match self.communicator {
            Some(communicator) => communicator.gather(&reached)?,
            None => vec![reached],
        };
        // One that was interrupted has not seen all.
        let Some(all) = all_of_ranks(all)? else {
            return Ok(None);
        };
        let reached = (0..rule.n).filter(|at| all.iter().any(|own| own[*at]));
        Ok(Some(Tested {
            reached: reached.count(),
            winner: None,
        }))
    }

    /// The conditioning variables on which scores depend, of those swept so far.
    pub(super) fn anchors<'s>(
        &self,
        swept: &'s [Arc<ConditioningVariable>],
    ) -> Vec<&'s Categorical> {
        // Only the last counts where only the last is kept.
        let swept = match self.evaluator.score().gather {
            Gather::Last => &swept[swept.len().saturating_sub(1)..],
            _ => swept,
        };
        swept.iter().map(|anchor| anchor.codes()).collect()
    }

    /// The order of the observations in one permutation of the step after those chosen.
    pub(super) fn order(&self, rule: &PermutationTest, chosen: usize, at: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.columns.n as u32).collect();
        let first = STREAM + chosen as u64 * STEP;
        Stream::new(rule.seed, first + at as u64).shuffle(&mut order);
        order
    }

    /// For each permutation, whether its best score reaches the winner's; `None` when interrupted.
    fn reaching(
        &self,
        rule: &PermutationTest,
        winner: &BestCandidate,
        (chosen, swept): (&[ChosenColumn], &[&Categorical]),
        counters: &mut CounterGroup,
        log: &mut TestLog,
    ) -> Result<Option<Vec<bool>>, DeviceError> {
        let order = |at: usize| self.order(rule, chosen.len(), at);
        let reaches =
            |found: Option<BestCandidate>| found.is_some_and(|best| best.score >= winner.highest);
        // What one rank knows is of its own columns alone.
        let keeps = self.communicator.is_none();
        let known = match keeps {
            true => log.reached(rule.n),
            false => vec![None; rule.n],
        };
        log.begin(known.iter().flatten().count(), rule.n);
        let mut reached: Vec<bool> = known.iter().map_while(|own| *own).collect();
        while reached.len() < rule.n {
            // Ranks agree on the end once each has ended.
            if self.interrupt.requested_here() {
                return Ok(None);
            }
            // The first, alone, shows whether the devices count several together.
            let done = reached.len();
            let most = match done {
                0 => 1,
                _ => (CELLS / self.columns.n.max(1)).clamp(1, BATCH),
            };
            let next = rule.n.min(done + most);
            let orders: Vec<Vec<u32>> = (done..next).into_par_iter().map(order).collect();
            match counters.best_permuted(&orders, swept) {
                Some(found) => {
                    let found = found?;
                    for (at, reaches) in (done..).zip(found.into_iter().map(reaches)) {
                        reached.push(reaches);
                        if keeps {
                            log.reach(at, rule.n, reaches);
                        }
                    }
                    log.count(reached.len() - done);
                }
                None => {
                    let log = Mutex::new(log);
                    let note = |at, reaches: &bool| {
                        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
                        if keeps {
                            log.reach(at, rule.n, *reaches);
                        }
                        log.count(1);
                    };
                    let each = |at, threads| {
                        let own = LocalColumns::of_rank(self.columns, self.communicator);
                        let mut counters =
                            self.permuted(&order(at), own, (chosen, swept), threads)?;
                        Ok(reaches(counters.highest()?))
                    };
                    return self.one_by_one(known, each, note);
                }
            }
        }
        Ok(Some(reached))
    }

    /// What `each` makes of every permutation that is not known, by a counter of its own and this many
    /// threads; `note` is called with each as it is made. `None` when interrupted.
    pub(super) fn one_by_one<T: Send + Sync>(
        &self,
        known: Vec<Option<T>>,
        each: impl Fn(usize, usize) -> Result<T, DeviceError> + Sync,
        note: impl Fn(usize, &T) + Sync,
    ) -> Result<Option<Vec<T>>, DeviceError> {
        let cells = self.columns.n * self.columns.columns.len();
        let threads = rayon::current_num_threads();
        // A thread each, or one after the other by all threads.
        let (under_way, threads) = match cells.saturating_mul(threads) <= CELLS {
            true => (threads, 1),
            false => (1, threads),
        };
        let next = AtomicUsize::new(0);
        let known = known.into_iter();
        let made: Vec<OnceLock<T>> = known
            .map(|own| own.map_or_else(OnceLock::new, OnceLock::from))
            .collect();
        // Every thread takes the next permutation until there are no more.
        let walk = |thread: usize| {
            while thread < under_way && !self.interrupt.requested_here() {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(place) = made.get(at) else { break };
                if place.get().is_none() {
                    let own = each(at, threads)?;
                    note(at, place.get_or_init(|| own));
                }
            }
            Ok(())
        };
        let walked: Result<Vec<()>, DeviceError> = rayon::broadcast(|thread| walk(thread.index()))
            .into_iter()
            .collect();
        walked?;
        // An interrupt leaves some unmade.
        Ok(made.into_iter().map(OnceLock::into_inner).collect())
    }

    /// Counters of some columns on the CPU that have swept the conditioning variables, with these and
    /// the response in this order.
    pub(super) fn permuted<'c>(
        &self,
        order: &[u32],
        columns: LocalColumns<'c>,
        (chosen, swept): (&[ChosenColumn], &[&Categorical]),
        threads: usize,
    ) -> Result<CounterGroup<'c>, DeviceError>
    where
        Self: 'c,
    {
        let response = self.response.permuted(order);
        let cpu = Placement::Cpu(1);
        let mut counters = open_counters(&cpu, columns, &response, self.evaluator, threads, None)?;
        for pick in chosen {
            counters.exclude(pick.column as u32);
        }
        // A permutation moves response and chosen variables together: these have what they had.
        counters.set_totals(&totals_of(chosen));
        for anchor in swept {
            counters.sweep(&anchor.permuted(order).into())?;
        }
        Ok(counters)
    }
}
