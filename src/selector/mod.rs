//! Selectors by a score: the best candidate joins, is counted against the others,
//! and so on.

#[cfg(test)]
mod coded_tests;
#[cfg(test)]
mod declared_tests;
mod pairs;
mod procedure;

use std::time::Instant;

use rayon::prelude::*;
use thiserror::Error;

use crate::{
    binning::BinnedColumns,
    device::{
        Choice, DeviceError, Resources,
        counting::{Anchor, Counters, Logs, Tally, joint_sum},
    },
    score::{Against, Score},
    search::{Interrupt, SearchError},
    selection::{Chosen, Ending, Ranked},
};

pub use pairs::{PAIRS, Wanted, pairs};
pub use procedure::{
    Asked, Misuse, Problem, Procedure, ProcedureFault, Regressed, rank_by, regress,
};

/// When a selection ends.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stop {
    /// Variables to choose at most.
    pub top: Option<usize>,
    /// No variable is chosen whose score is below it, in nats.
    pub threshold: Option<f64>,
}

/// Levels of the response at most: every level of an anchor has a cell for each.
pub const CLASSES: usize = 1024;

/// Variables chosen where nothing else ends a selection.
pub const TOP: usize = 10;

/// Why a selection cannot begin.
#[derive(Debug, Error)]
pub enum SelectorError {
    /// More variables are wanted than there are.
    #[error("top = {top}, but there are {p} candidates: ask for {p} at most")]
    Top {
        /// What was asked for.
        top: usize,
        /// Candidates.
        p: usize,
    },
    /// More levels of the response than tables are made for.
    #[error(
        "the response has {levels} levels; at most {CLASSES} are counted: bin it with \
         --bin-response equal-frequency:5, say"
    )]
    Classes {
        /// How many.
        levels: usize,
    },
    /// Counting has no way on GPUs yet.
    #[error("this method runs on the CPU alone; use --device cpu, or leave it out")]
    NotOnGpus,
    /// The scores of all pairs are more numbers than memory holds.
    #[error(
        "the matrix of all pairs of {p} columns needs {p} · {p} · 8 bytes, which there are not: \
         leave out --matrix, or columns with --drop"
    )]
    Matrix {
        /// Columns.
        p: usize,
    },
    /// A procedure cannot begin.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The threads cannot be started.
    #[error("{threads} threads could not be started")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        source: rayon::ThreadPoolBuildError,
    },
}

/// Chooses variables by a score, the best first; of equal scores the lowest column.
/// `observe` is told how many are chosen, and of how many.
///
/// # Errors
/// More variables wanted than there are; devices that do not count.
pub fn rank(
    columns: &BinnedColumns,
    score: &Score,
    stop: &Stop,
    resources: &Resources,
    interrupt: &Interrupt,
    observe: &mut (dyn FnMut(usize, usize) + Send),
) -> Result<Ranked, SelectorError> {
    let p = columns.columns.len();
    let ends = stop.threshold.is_some() || score.floor.is_some();
    let top = stop.top.unwrap_or(if ends { p } else { TOP.min(p) });
    if top > p {
        return Err(SelectorError::Top { top, p });
    }
    let (shards, pool) = places(columns, resources)?;
    let threads = pool.current_num_threads();
    Ok(pool.install(|| {
        let starting = Instant::now();
        let logs = Logs::new(columns.n, score.reach());
        let tally = Tally::new(score.clone(), &logs, columns.n);
        let counters = Counters::cpu(columns, (&logs, &tally), shards, threads);
        let starting = starting.elapsed().as_secs_f64();
        let selection = Selection {
            columns,
            logs: &logs,
            tally: &tally,
            top,
            threshold: stop.threshold,
            interrupt,
        };
        Ranked {
            starting,
            ..selection.run(counters, observe)
        }
    }))
}

/// How many shards, and the threads.
fn places(
    columns: &BinnedColumns,
    resources: &Resources,
) -> Result<(usize, rayon::ThreadPool), SelectorError> {
    let levels = columns.response.levels;
    if levels > CLASSES {
        return Err(SelectorError::Classes { levels });
    }
    let shards = match &resources.devices {
        Choice::Auto => 1,
        Choice::Cpu(count) => count.get(),
        Choice::Cuda(_) => return Err(SelectorError::NotOnGpus),
    };
    let threads = resources.thread_count();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|source| SelectorError::Threads { threads, source })?;
    Ok((shards, pool))
}

struct Selection<'a> {
    columns: &'a BinnedColumns,
    logs: &'a Logs,
    tally: &'a Tally,
    top: usize,
    threshold: Option<f64>,
    interrupt: &'a Interrupt,
}

impl Selection<'_> {
    fn run(&self, mut counters: Counters, observe: &mut dyn FnMut(usize, usize)) -> Ranked {
        let started = Instant::now();
        let mut ranked = Ranked {
            chosen: Vec::new(),
            termination: Ending::Top,
            devices: counters.names(),
            starting: 0.0,
            seconds: 0.0,
            fault: None,
        };
        match self.choose(&mut counters, &mut ranked.chosen, observe) {
            Ok(termination) => ranked.termination = termination,
            Err(error) => {
                ranked.termination = Ending::Fault;
                ranked.fault = Some(error);
            }
        }
        ranked.seconds = started.elapsed().as_secs_f64();
        ranked
    }

    fn choose(
        &self,
        counters: &mut Counters,
        chosen: &mut Vec<Chosen>,
        observe: &mut dyn FnMut(usize, usize),
    ) -> Result<Ending, DeviceError> {
        let tally = self.tally;
        // Each with Σ c·L(c) over its levels.
        let mut anchors: Vec<(Anchor, i64)> = Vec::new();
        let mut joint: Option<Anchor> = None;
        while chosen.len() < self.top {
            if self.interrupt.requested() {
                return Ok(Ending::Interrupted);
            }
            let best = counters.best()?;
            // Candidates that may never be chosen are not above it either.
            let below = |floor: &f64| best.as_ref().is_none_or(|it| it.score <= *floor);
            if let Some(floor) = tally.score().floor.filter(below) {
                return Ok(match floor == 0.0 {
                    true => Ending::Zero,
                    false => Ending::Threshold,
                });
            }
            let Some(best) = best else {
                break;
            };
            if self.threshold.is_some_and(|least| best.score < least) {
                return Ok(Ending::Threshold);
            }
            let column = best.column;
            let anchor = self.anchor(column);
            let own = anchor.sum(self.logs);
            // Of many variables it leaves 64 bits.
            let redundancy: i128 = anchors
                .par_iter()
                .map_init(Vec::new, |cells, (other, sum)| {
                    let both = joint_sum(&anchor, other, self.logs, cells);
                    i128::from(both - own - sum + self.logs.whole())
                })
                .sum();
            let mean = redundancy.checked_div(anchors.len() as i128);
            chosen.push(Chosen {
                column: column as usize,
                score: best.score,
                relevance: best.relevance,
                redundancy: mean.map(|it| tally.quantity_nats(it as i64)),
            });
            observe(chosen.len(), self.top);
            counters.take(column);
            if chosen.len() < self.top && tally.score().has_steps() {
                match tally.score().against {
                    Against::Last => counters.sweep(&anchor)?,
                    Against::Joint => {
                        let next = match &joint {
                            Some(joint) => joint.joined(&anchor),
                            None => anchor.clone(),
                        };
                        counters.sweep(&next)?;
                        joint = Some(next);
                    }
                    Against::Pairs if anchors.is_empty() => counters.sweep(&anchor)?,
                    Against::Pairs => {
                        if anchors.len() == 1 {
                            // One variable stood for a pair until there was one.
                            counters.forget();
                        }
                        for (other, _) in &anchors {
                            if self.interrupt.requested() {
                                return Ok(Ending::Interrupted);
                            }
                            counters.sweep(&other.joined(&anchor))?;
                        }
                    }
                }
            }
            anchors.push((anchor, own));
        }
        Ok(Ending::Top)
    }

    fn anchor(&self, column: u32) -> Anchor {
        let column = &self.columns.columns[column as usize];
        match self.tally.score().coded() {
            Some(_) => Anchor::plain(column),
            None => Anchor::of(&column.codes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        binning::{BinnedColumn, Codes, Rule},
        score::{Combination, Gather, Join, Measure, Quantity},
    };

    fn column(index: usize, codes: Vec<u8>) -> BinnedColumn {
        let levels = (0..=codes.iter().copied().max().unwrap_or(0)).map(f64::from);
        let levels: Vec<f64> = levels.collect();
        BinnedColumn {
            name: format!("x{index}"),
            index,
            levels: levels.len(),
            codes: Codes::Byte(codes),
            rule: Rule::Numbers(levels),
            missing: None,
        }
    }

    fn chosen(columns: Vec<Vec<u8>>, response: Vec<u8>, gather: Gather) -> Vec<Chosen> {
        let columns = BinnedColumns {
            n: response.len(),
            columns: (0..).zip(columns).map(|(at, it)| column(at, it)).collect(),
            response: column(0, response),
        };
        let mim = Score {
            measure: Measure::Declared {
                relevance: Quantity::plain(Combination::X_Y),
                terms: Vec::new(),
            },
            gather,
            join: Join::Added,
            against: Against::Last,
            floor: None,
        };
        let stop = Stop {
            top: Some(columns.columns.len()),
            threshold: None,
        };
        let (resources, interrupt) = (Resources::cpu(1), Interrupt::default());
        let found = rank(
            &columns,
            &mim,
            &stop,
            &resources,
            &interrupt,
            &mut |_, _| {},
        );
        found.map(|it| it.chosen).unwrap_or_default()
    }

    #[test]
    fn redundancy_with_many_copies_is_their_entropy() {
        let copy: Vec<u8> = (0..128).map(|at| at % 64).collect();
        let response = copy.iter().map(|it| it % 2).collect();
        let chosen = chosen(vec![copy; 60], response, Gather::Sum);
        assert_eq!(chosen.len(), 60);
        for it in &chosen[1..] {
            let off = it.redundancy.map(|it| (it - 64f64.ln()).abs());
            assert!(off.is_some_and(|it| it < 1e-12), "{it:?}");
        }
    }

    #[test]
    fn a_score_without_terms_is_relevance_however_it_gathers() {
        let columns = [2, 3, 5].map(|by| (0..60).map(|at| at % by).collect());
        let response: Vec<u8> = (0..60).map(|at| at / 7).collect();
        for gather in [Gather::Mean, Gather::Minimum, Gather::Last] {
            let chosen = chosen(columns.to_vec(), response.clone(), gather);
            assert_eq!(chosen.len(), 3);
            assert!(chosen.iter().all(|it| it.score == it.relevance));
        }
    }
}
