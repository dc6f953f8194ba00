//! Selectors by a score: the best candidate joins, is counted against the others,
//! and so on.

mod choose;
#[cfg(test)]
mod device_tests;
mod independence;
mod pairs;
mod permutation;
mod places;
mod procedure;

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
    CallError, Problem, Procedure, ProcedureContext, ProcedureError, ProcedureOptions,
    ProcedureRanking, ProcedureRegression, rank_with_procedure, regress_with_procedure,
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
