//! Selectors by a score: the best candidate joins, is counted against the others,
//! and so on.

mod choose;
#[cfg(test)]
mod coded_tests;
#[cfg(test)]
mod declared_tests;
#[cfg(test)]
mod device_tests;
mod independence;
mod pairs;
#[cfg(test)]
mod pairwise_tests;
mod permutation;
mod places;
mod procedure;
#[cfg(test)]
mod ranks_tests;
#[cfg(test)]
mod unscored_tests;

use std::time::Instant;

use thiserror::Error;

use crate::{
    binning::BinnedColumns,
    device::{
        DeviceError, Resources,
        counting::{LogTable, ScoreEvaluator},
    },
    interrupt::Interrupt,
    score::{Against, Score},
    selection::RankedColumns,
    threads::ThreadError,
};

use choose::Selection;
use independence::independence;
pub(crate) use pairs::check_pair_devices;
pub use pairs::{PAIRS, PairOptions, rank_pairs};
pub use permutation::{ALPHA, PERMUTATION_COUNTS, PERMUTATIONS, PermutationTest};
use places::{Counting, room};
pub(crate) use places::{check_devices, require_cpu};
pub(crate) use procedure::OVER_LEVELS;
pub use procedure::{
    CallError, Problem, Procedure, ProcedureError, ProcedureOptions, ProcedureRanking,
    ProcedureRegression, rank_with_procedure, regress_with_procedure,
};

/// When a selection ends.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stop {
    /// Variables to choose at most.
    pub top: Option<usize>,
    /// No variable is chosen whose score is below it, in nats.
    pub threshold: Option<f64>,
    /// No variable is chosen that it does not find significant.
    pub permutation: Option<PermutationTest>,
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
    /// What has no way on GPUs yet, where they were asked for.
    #[error("{0} run on the CPU alone as yet; use --device cpu, or leave it out")]
    NotOnGpus(&'static str),
    /// A score that is code, of which GPUs have none.
    #[error(
        "this method's score is a function that its plugin does not give in CUDA C, so that no \
         GPU can compute it; use --device cpu, or leave it out"
    )]
    NoCuda,
    /// A device asked for is not there, or cannot begin.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The scores of all pairs are more numbers than memory holds.
    #[error(
        "the matrix of all pairs of {p} columns needs {p} · {p} · 8 bytes, which there are not: \
         leave out --matrix, or columns with --drop"
    )]
    Matrix {
        /// Columns.
        p: usize,
    },
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] ThreadError),
}

/// Chooses variables by a score, the best first; of equal scores the lowest column.
/// `observe` is told how many are chosen, and of how many.
///
/// # Errors
/// More variables wanted than there are; devices that are not there, or do not count.
pub fn rank(
    columns: &BinnedColumns,
    score: &Score,
    stop: &Stop,
    resources: &Resources,
    interrupt: &Interrupt,
    observe: &mut (dyn FnMut(usize, usize) + Send),
) -> Result<RankedColumns, SelectorError> {
    let p = columns.columns.len();
    let ends = stop.threshold.is_some() || stop.permutation.is_some() || score.floor.is_some();
    let top = stop.top.unwrap_or(if ends { p } else { TOP.min(p) });
    if top > p {
        return Err(SelectorError::Top { top, p });
    }
    // How many levels joined columns have is known when they are.
    let two = top > 1 && score.against == Against::Last;
    room(columns, score.function(), two)?;
    let mut counting = Counting::of(columns, score, resources, 1)?;
    let pool = counting.pool()?;
    pool.install(|| {
        let starting = Instant::now();
        let logs = LogTable::new(columns.n, score.reach());
        let evaluator = ScoreEvaluator::new(score.clone(), &logs, columns.n);
        let response = evaluator.categorical(&columns.response);
        let counters = counting.counters(columns, &response, (&logs, &evaluator))?;
        resources.barrier()?;
        let starting = starting.elapsed().as_secs_f64();
        let selection = Selection {
            columns,
            response: &response,
            logs: &logs,
            evaluator: &evaluator,
            top,
            threshold: stop.threshold,
            permutation: stop.permutation,
            interrupt,
            communicator: resources.communicator.as_ref(),
        };
        Ok(RankedColumns {
            starting,
            notes: counting.notes,
            ..selection.run(counters, observe)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        binning::{BinnedColumn, Codes, Rule},
        score::{Combination, Gather, Join, Measure, Quantity},
        selection::ChosenColumn,
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

    fn chosen(columns: Vec<Vec<u8>>, response: Vec<u8>, gather: Gather) -> Vec<ChosenColumn> {
        let columns = BinnedColumns {
            n: response.len(),
            columns: (0..).zip(columns).map(|(at, it)| column(at, it)).collect(),
            response: column(0, response),
            local: None,
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
