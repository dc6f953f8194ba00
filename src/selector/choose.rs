//! Greedy forward selection: the best candidate is chosen, then the others are counted against it.

use std::{borrow::Cow, io, sync::Arc, time::Instant};

use rayon::prelude::*;

use super::{
    Stop,
    independence::{class_counts, counted, independence, sparse_cells},
    tested::{StandardisedCandidate, TestLog},
};
use crate::{
    binning::{BinnedColumn, BinnedColumns, Codes},
    device::{
        DeviceError,
        counting::{
            BestCandidate, CandidateStatistics, Categorical, ConditioningVariable, CounterGroup,
            LocalColumns, RemoteColumn, ScoreEvaluator, mutual_information,
        },
    },
    interrupt::Interrupt,
    ranks::Communicator,
    score::{Against, Totals},
    selection::{ChosenColumn, Independence, RankedColumns, RejectedColumn, StopReason},
};

/// What the variables chosen had when they were chosen.
pub(super) fn totals_of(chosen: &[ChosenColumn]) -> Totals {
    let mut totals = Totals::default();
    for own in chosen {
        totals += own.totals;
    }
    totals
}

/// A greedy forward selection by a score, with the rules that end it.
pub(super) struct Selection<'a> {
    pub(super) columns: &'a BinnedColumns,
    pub(super) response: &'a Categorical,
    pub(super) evaluator: &'a ScoreEvaluator,
    pub(super) interrupt: &'a Interrupt,
    /// The ranks, where they share out the columns.
    pub(super) communicator: Option<&'a Communicator>,
    pub(super) top: usize,
    pub(super) stop: &'a Stop,
}

impl<'a> Selection<'a> {
    /// Runs the selection on these devices, with a log of the tests that are known.
    pub(super) fn run(&self, mut counters: CounterGroup, mut log: TestLog) -> RankedColumns {
        let started = Instant::now();
        let mut ranked = RankedColumns {
            devices: counters.names(),
            ..RankedColumns::default()
        };
        let mut columns = Vec::new();
        match self.choose(&mut counters, &mut ranked, &mut columns, &mut log) {
            Ok(termination) => ranked.termination = termination,
            Err(error) => {
                ranked.termination = StopReason::Fault;
                ranked.fault = Some(error);
            }
        }
        // One pass over every column: here, where no device waits for it.
        let classes = class_counts(self.response);
        let chosen = ranked.chosen.par_iter_mut().zip(&columns);
        chosen.for_each(|(chosen, column)| {
            chosen.sparse_cells = sparse_cells(column, self.response, &classes);
        });
        let cut = [
            StopReason::Interrupted,
            StopReason::TimeLimit,
            StopReason::Fault,
        ];
        if cut.contains(&ranked.termination) {
            ranked.notes.extend(log.end());
        }
        ranked.seconds = started.elapsed().as_secs_f64();
        ranked
    }

    /// Chooses until a rule ends it; `columns` are those of the variables chosen.
    fn choose(
        &self,
        counters: &mut CounterGroup,
        ranked: &mut RankedColumns,
        columns: &mut Vec<Arc<Cow<'a, BinnedColumn>>>,
        log: &mut TestLog,
    ) -> Result<StopReason, DeviceError> {
        let evaluator = self.evaluator;
        let against = evaluator.score().against;
        let chosen = &mut ranked.chosen;
        // The columns chosen, and the conditioning variables swept: the last alone, or all of
        // them where permutations sweep them again.
        let mut before: Vec<Arc<ConditioningVariable<'a>>> = Vec::new();
        let mut swept: Vec<Arc<ConditioningVariable<'a>>> = Vec::new();
        while chosen.len() < self.top {
            if self.interrupt.requested() {
                return Ok(StopReason::of_cut(self.interrupt));
            }
            counters.hint_picks(match (against, &self.stop.permutation) {
                (Against::Last, None) if evaluator.score().has_steps() => self.top - chosen.len(),
                _ => 1,
            });
            let best = counters.best()?;
            // A candidate of −∞ is not above the floor either.
            let below = |floor: &f64| best.as_ref().is_none_or(|best| best.score <= *floor);
            if let Some(floor) = evaluator.score().floor.filter(below) {
                return Ok(match floor == 0.0 {
                    true => StopReason::Zero,
                    false => StopReason::Threshold,
                });
            }
            let Some(mut best) = best else {
                return Ok(StopReason::Done);
            };
            if self.stop.threshold.is_some_and(|least| best.score < least) {
                return Ok(StopReason::Threshold);
            }
            let (mut permutation_p, mut standardised) = (None, None);
            if let Some(rule) = &self.stop.permutation {
                let test = match log.known(chosen.len()) {
                    Some(known) => Some(known),
                    None if rule.standardise => self.standardised(rule, chosen, &swept, log)?,
                    None => self.permutation_test(rule, &best, (chosen, &swept), counters, log)?,
                };
                let Some(test) = test else {
                    return Ok(StopReason::of_cut(self.interrupt));
                };
                if log.known(chosen.len()).is_none() {
                    log.complete(test);
                }
                let p = rule.p(test.reached);
                if let Some(winner) = test.winner {
                    best = self.candidate(winner)?;
                    standardised = Some(winner.standardised);
                }
                if p > rule.alpha {
                    ranked.refused = Some(RejectedColumn {
                        column: best.column as usize,
                        score: best.score,
                        standardised,
                        permutation_p: p,
                    });
                    return Ok(StopReason::Permutation);
                }
                permutation_p = Some(p);
            }
            let own = self.column(best.column, best.owner)?;
            let laid = Arc::clone(&own);
            let mut column =
                ConditioningVariable::new(Some(best.column), move || evaluator.categorical(&laid));
            column.remote = best.statistics.map(|statistics| RemoteColumn {
                column: Arc::clone(&own),
                statistics,
            });
            let column = Arc::new(column);
            let mut totals = Totals::default();
            if evaluator.score().finish.is_some() {
                totals = counters.totals_of(best.column)?;
            }
            chosen.push(ChosenColumn {
                standardised,
                permutation_p,
                totals,
                ..self.report(&best, (&own, &column), &before)
            });
            columns.push(own);
            log.chosen(chosen.len(), self.top);
            counters.exclude(best.column);
            counters.set_totals(&totals_of(chosen));
            if chosen.len() < self.top && evaluator.score().has_steps() {
                if against == Against::Pairs && before.len() == 1 {
                    // One variable stood for a pair until there was one.
                    counters.reset();
                    swept.clear();
                }
                let sweeps = match against {
                    Against::Pairs => before.len().max(1),
                    Against::Last | Against::Joint => 1,
                };
                for at in 0..sweeps {
                    if self.interrupt.requested() {
                        return Ok(StopReason::of_cut(self.interrupt));
                    }
                    let other = match against {
                        Against::Last => None,
                        Against::Joint => swept.last(),
                        Against::Pairs => before.get(at),
                    };
                    let next = match other {
                        None => Arc::clone(&column),
                        Some(other) => Arc::new(other.codes().joint(column.codes()).into()),
                    };
                    counters.sweep(&next)?;
                    if self.stop.permutation.is_none() {
                        swept.clear();
                    }
                    swept.push(next);
                }
            }
            before.push(column);
        }
        Ok(StopReason::Top)
    }

    /// The candidate that a test chose, and the rank that has it; all ranks ask alike.
    fn candidate(&self, winner: StandardisedCandidate) -> Result<BestCandidate, DeviceError> {
        let own = LocalColumns::of_rank(self.columns, self.communicator).numbers();
        let owner = match self.communicator {
            Some(communicator) => {
                let owners = communicator.gather(&own.contains(&(winner.column as usize)))?;
                owners.iter().position(|owns| *owns).unwrap_or(0)
            }
            None => 0,
        };
        Ok(BestCandidate {
            column: winner.column,
            score: winner.score,
            relevance: winner.relevance,
            highest: winner.score,
            statistics: None,
            owner,
        })
    }

    /// The column of a candidate; the rank that owns it broadcasts its codes.
    fn column(&self, at: u32, owner: usize) -> Result<Arc<Cow<'a, BinnedColumn>>, DeviceError> {
        let column = &self.columns.columns[at as usize];
        let (Some(communicator), Some(own)) = (self.communicator, &self.columns.local) else {
            return Ok(Arc::new(Cow::Borrowed(column)));
        };
        if own.contains(&(at as usize)) {
            communicator.broadcast(owner, column.codes.to_bytes())?;
            return Ok(Arc::new(Cow::Borrowed(column)));
        }
        let told = communicator.broadcast(owner, Vec::new())?;
        let codes = Codes::from_bytes(&told, self.columns.n);
        let codes =
            codes.ok_or_else(|| io::Error::other("a rank told another column than it has"))?;
        Ok(Arc::new(Cow::Owned(BinnedColumn {
            codes,
            ..column.clone()
        })))
    }

    /// The report of the best candidate, about to join those chosen before: from the device's
    /// statistics where it has them, else counted here.
    fn report(
        &self,
        best: &BestCandidate,
        (own, column): (&BinnedColumn, &ConditioningVariable<'a>),
        before: &[Arc<ConditioningVariable<'a>>],
    ) -> ChosenColumn {
        let evaluator = self.evaluator;
        let logs = evaluator.logs();
        // A score without steps, or one by joined columns, did not sweep each chosen column.
        let alone = evaluator.score().has_steps() && evaluator.score().against == Against::Last;
        let known = best
            .statistics
            .and_then(|statistics| statistics.redundancy)
            .filter(|_| alone);
        // The sum over many variables can exceed 64 bits.
        let redundancy: i128 = known.unwrap_or_else(|| {
            let of = |cells: &mut _, chosen: &Arc<ConditioningVariable<'a>>| {
                i128::from(mutual_information(
                    column.codes_and_log_sum(logs),
                    chosen.codes_and_log_sum(logs),
                    logs,
                    cells,
                ))
            };
            before.par_iter().map_init(Vec::new, of).sum()
        });
        let mean = redundancy.checked_div(before.len() as i128);
        ChosenColumn {
            column: best.column as usize,
            score: best.score,
            relevance: best.relevance,
            redundancy: mean.map(|sum| evaluator.quantity_nats(sum as i64)),
            independence: self.test(own, column, best.statistics),
            ..ChosenColumn::default()
        }
    }

    fn test(
        &self,
        own: &BinnedColumn,
        column: &ConditioningVariable<'a>,
        facts: Option<CandidateStatistics>,
    ) -> Independence {
        let logs = self.evaluator.plain_logs();
        // A function counts levels that do not occur too; the test must not.
        let occurring = |column: &BinnedColumn| {
            self.evaluator
                .score()
                .function()
                .map(|_| Categorical::compact(column))
        };
        let response = occurring(&self.columns.response);
        let response = response.as_ref().unwrap_or(self.response);
        match facts.filter(|_| own.excluded_code().is_none()) {
            Some(facts) => {
                let levels = [facts.levels, response.levels];
                counted(facts.mutual_information, self.columns.n, levels, logs)
            }
            None => {
                let own = occurring(own);
                independence(
                    own.as_ref().unwrap_or_else(|| column.codes()),
                    response,
                    logs,
                )
            }
        }
    }
}
