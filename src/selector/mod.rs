//! Selectors: greedy forward selection by a score ([`rank`]), the best pairs of variables by a score
//! ([`rank_pairs`]), and procedures of plugins ([`rank_with_procedure`], [`regress_with_procedure`]).

mod choose;
#[cfg(test)]
mod device_tests;
#[cfg(test)]
#[path = "../../tests/selectors/fixtures.rs"]
#[allow(dead_code)]
mod fixtures;
mod identity;
mod independence;
mod pairs;
mod permutation;
mod places;
mod procedure;
#[cfg(test)]
mod resumed_tests;
mod standardised;
mod tested;

use std::{num::NonZeroUsize, time::Instant};

use serde_json::json;
use thiserror::Error;

use crate::{
    binning::BinnedColumns,
    device::{DeviceChoice, DeviceError, Resources, counting::ScoreEvaluator},
    interrupt::Interrupt,
    score::{Against, Score},
    search::{CheckpointError, CheckpointWriter, Checkpointing},
    selection::RankedColumns,
    threads::{self, ThreadError},
};

use choose::Selection;
use identity::identity;
pub use pairs::{PAIRS, PairOptions, rank_pairs, rank_pairs_from};
pub use permutation::{ALPHA, PERMUTATION_COUNTS, PERMUTATIONS, PermutationTest};
use places::{CountingDevices, check_tables, check_top};
pub(crate) use places::{check_devices, require_cpu};
pub use procedure::{
    CallError, Problem, Procedure, ProcedureContext, ProcedureError, ProcedureOptions,
    ProcedureResult, rank_with_procedure, regress_with_procedure,
};
pub use tested::SelectionProgress;
use tested::{TestLog, TestState};

/// The rules that end a selection by a score.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stop {
    /// The most variables to choose.
    pub top: Option<usize>,
    /// The lowest score with which a variable is chosen. *Units:* those of the score, as a rule nats.
    pub threshold: Option<f64>,
    /// A test that each chosen variable must pass.
    pub permutation: Option<PermutationTest>,
}

/// The largest number of levels of a response: a contingency table has a cell for each of them, for
/// every pair of levels of its other two variables.
pub const CLASSES: usize = 1024;

/// The number of variables chosen where no other rule ends a selection.
pub const TOP: usize = 10;

/// The note on a selection for which GPUs were asked, but the CPU counts.
const CPU_ALONE: &str = "the permutation test needs the score of every candidate, of which GPUs bring \
                         back only the best: it ran on the CPU; --stop permutation:raw runs on GPUs";

/// Why a selection cannot start.
#[derive(Debug, Error)]
pub enum SelectorError {
    /// More variables are wanted than there are, the response has more levels or a table more
    /// cells than are counted, or the method does not run on GPUs yet.
    #[error("{0}")]
    Refused(String),
    /// GPUs were asked for, but the score is a function without CUDA source.
    #[error(
        "this method's score is a function that its plugin does not give in CUDA C, so that no \
         GPU can compute it; use --device cpu, or leave it out"
    )]
    NoCuda,
    /// A device asked for is absent, or cannot start.
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
    /// The work cannot go on from the checkpoint.
    #[error("the checkpoint {0}")]
    Checkpoint(#[from] CheckpointError),
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] ThreadError),
}

/// Chooses variables one by one by a score, the best first; of equal scores the lowest column.
/// `observe` is called with the numbers of variables chosen and wanted.
///
/// *Shapes:* `columns` are n codes each, of p candidates and the response. *Units:* scores, relevance
/// and redundancy are in nats, unless the score is a ratio or a function.
///
/// # Errors
/// More variables wanted than there are; tables larger than are counted; a device that is absent or
/// cannot start. A device that fails later ends the selection: [`RankedColumns::fault`].
pub fn rank(
    columns: &BinnedColumns,
    score: &Score,
    stop: &Stop,
    resources: &Resources,
    interrupt: &Interrupt,
    observe: &mut (dyn FnMut(usize, usize) + Send),
) -> Result<RankedColumns, SelectorError> {
    let mut observe = |told| {
        if let SelectionProgress::Variables(chosen, wanted) = told {
            observe(chosen, wanted);
        }
    };
    rank_from(
        columns,
        score,
        stop,
        resources,
        interrupt,
        None,
        &mut observe,
    )
}

/// Chooses variables as [`rank`] does, and keeps the permutation tests that are done: a selection
/// resumed from these finds the same, bit for bit, as one that was never interrupted. The name with
/// the checkpoints tells this score from others. `observe` is told of permutations too.
///
/// # Errors
/// As [`rank`], and a checkpoint of another selection.
pub fn rank_from(
    columns: &BinnedColumns,
    score: &Score,
    stop: &Stop,
    resources: &Resources,
    interrupt: &Interrupt,
    checkpointing: Option<(&str, Checkpointing)>,
    observe: &mut (dyn FnMut(SelectionProgress) + Send),
) -> Result<RankedColumns, SelectorError> {
    let p = columns.columns.len();
    let ends = stop.threshold.is_some() || stop.permutation.is_some() || score.floor.is_some();
    let top = stop.top.unwrap_or(if ends { p } else { TOP.min(p) });
    check_top(top, p)?;
    // The levels of joined columns are known only once they are joined.
    let two = top > 1 && score.against == Against::Last;
    check_tables(columns, score.function(), two)?;
    let standardises = stop.permutation.is_some_and(|test| test.standardise);
    let on_cpu = Resources {
        devices: DeviceChoice::Cpu(NonZeroUsize::MIN),
        ..resources.clone()
    };
    let (resources, note) = match (standardises, &resources.devices) {
        (true, DeviceChoice::Cuda(_)) => (&on_cpu, Some(CPU_ALONE)),
        (true, DeviceChoice::Auto) => (&on_cpu, None),
        _ => (resources, None),
    };
    let mut counting = CountingDevices::of(columns, score, resources, 1)?;
    counting.notes.extend(note.map(str::to_owned));
    let pool = threads::pool(counting.threads)?;
    pool.install(|| {
        let starting = Instant::now();
        let communicator = resources.communicator.as_ref();
        let kept = checkpointing.map(|(name, checkpointing)| {
            let permutation = stop.permutation.as_ref();
            let settings = [
                ("method", json!(name)),
                ("top", json!(stop.top)),
                ("threshold", json!(stop.threshold)),
                ("permutations", json!(permutation.map(|test| test.n))),
                ("alpha", json!(permutation.map(|test| test.alpha))),
                ("standardise", json!(standardises)),
                ("seed", json!(permutation.map(|test| test.seed))),
            ];
            let identity = identity(columns, communicator, settings)?;
            let n = permutation.map_or(0, |test| test.n);
            let is_sound = |state: &TestState| state.is_sound(p, n);
            Ok::<_, SelectorError>(CheckpointWriter::open(checkpointing, identity, is_sound)?)
        });
        let (keeper, state) = kept.transpose()?.unzip();
        let log = TestLog::new((keeper, state.flatten()), observe);
        let evaluator = ScoreEvaluator::new(score.clone(), columns.n);
        let response = evaluator.categorical(&columns.response);
        let counters = counting.counters(columns, &response, &evaluator)?;
        resources.barrier()?;
        let starting = starting.elapsed().as_secs_f64();
        let selection = Selection {
            columns,
            response: &response,
            evaluator: &evaluator,
            interrupt,
            communicator,
            top,
            stop,
        };
        let mut ranked = selection.run(counters, log);
        counting.notes.append(&mut ranked.notes);
        Ok(RankedColumns {
            starting,
            notes: counting.notes,
            ..ranked
        })
    })
}
