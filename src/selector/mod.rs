//! Selectors by a score: the best candidate joins, is counted against the others,
//! and so on.

mod choose;
#[cfg(test)]
mod coded_tests;
#[cfg(test)]
mod declared_tests;
mod independence;
mod pairs;
#[cfg(test)]
mod pairwise_tests;
mod permutation;
mod procedure;
#[cfg(test)]
mod unscored_tests;

use std::{cmp::Reverse, time::Instant};

use thiserror::Error;

use crate::{
    binning::BinnedColumns,
    device::{
        Choice, Resources, Unscored,
        counting::{Counters, Logs, Tally, cells},
    },
    score::{Against, Coded, Score},
    search::{Interrupt, SearchError},
    selection::Ranked,
};

use choose::Selection;
use independence::independence;
pub use pairs::{PAIRS, Wanted, pairs};
pub use permutation::{ALPHA, COUNTS, PERMUTATIONS, Permutation};
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
    /// No variable is chosen that it does not find significant.
    pub permutation: Option<Permutation>,
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
    /// A whole table would have more cells than are counted.
    #[error("{0}")]
    Cells(String),
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
    let ends = stop.threshold.is_some() || stop.permutation.is_some() || score.floor.is_some();
    let top = stop.top.unwrap_or(if ends { p } else { TOP.min(p) });
    if top > p {
        return Err(SelectorError::Top { top, p });
    }
    // How many levels joined columns have is known when they are.
    let two = top > 1 && score.against == Against::Last;
    room(columns, score.coded(), two)?;
    let (shards, pool) = places(columns, resources)?;
    let threads = pool.current_num_threads();
    Ok(pool.install(|| {
        let starting = Instant::now();
        let logs = Logs::new(columns.n, score.reach());
        let tally = Tally::new(score.clone(), &logs, columns.n);
        let response = tally.anchor(&columns.response);
        let (own, by) = (&columns.columns, (&logs, &tally));
        let counters = Counters::cpu(own, &response, by, shards, threads);
        let starting = starting.elapsed().as_secs_f64();
        let selection = Selection {
            columns,
            response: &response,
            logs: &logs,
            tally: &tally,
            top,
            threshold: stop.threshold,
            permutation: stop.permutation,
            interrupt,
        };
        Ranked {
            starting,
            ..selection.run(counters, observe)
        }
    }))
}

/// Whether the whole tables of a coded score may be made, of any two columns or of one.
fn room(columns: &BinnedColumns, coded: Option<&Coded>, two: bool) -> Result<(), SelectorError> {
    let own = &columns.columns;
    let mut widest: Vec<usize> = (0..own.len()).collect();
    // Of equally many levels the lowest columns.
    widest.sort_by_key(|at| Reverse(own[*at].levels));
    let (Some(_), Some(&x)) = (coded, widest.first()) else {
        return Ok(());
    };
    let w = widest.get(1).filter(|_| two);
    let levels = w.map_or(1, |at| own[*at].levels);
    cells(own[x].levels, levels, columns.response.levels).map_err(|reason| {
        let unscored = Unscored {
            column: x as u32,
            beside: w.map(|at| *at as u32),
            reason,
        };
        SelectorError::Cells(unscored.told(|at| format!("`{}`", own[at as usize].name)))
    })?;
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        binning::{BinnedColumn, Codes, Rule},
        score::{Combination, Gather, Join, Measure, Quantity},
        selection::Chosen,
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
            ..Stop::default()
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
