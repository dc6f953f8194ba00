//! Runs one job: open its files → check the devices → read and prepare the data → work → report →
//! render and write. [`rank`], [`rank_pairs`], [`select_stable`] and [`validate`](fn@validate) return one kind of result;
//! [`run`](fn@run) and [`run_task`] return a [`Report`] of any kind, which can be rendered.

// `drive.rs` is this path for every `Method`; `dispatch.rs` chooses the method.

mod by_response;
mod candidates;
mod checkpoint;
mod chosen_size;
#[cfg(feature = "program")]
mod columns;
mod data_cache;
mod design_source;
mod dispatch;
mod drive;
mod error;
mod estimated;
#[cfg(feature = "program")]
mod fileset;
mod given;
mod in_split;
mod infer;
mod inferred;
mod lost_levels;
mod method;
mod neighbours;
mod observed;
mod pairs;
mod pass;
mod plain_models;
#[cfg(feature = "program")]
mod predict;
mod prepared;
mod ranking;
mod regression;
mod resample;
mod resample_checkpoint;
mod responses;
mod responses_file;
mod rows_on_gpu;
#[cfg(feature = "program")]
mod simulate;
mod sized;
mod some_rows;
mod split_checkpoint;
mod split_models;
mod split_regression;
mod stability;
mod used_rows;
mod validate;
mod validated;

use std::path::PathBuf;

#[cfg(feature = "program")]
pub use columns::ColumnChecker;
pub use data_cache::DataCache;
use dispatch::method_of;
pub use error::error_chain;
pub use error::{Fault, Incomplete, RunError};
pub use method::RunContext;
#[cfg(feature = "program")]
pub use predict::{predict, predictions};
pub use resample_checkpoint::ResampleCheckpoint;
pub use responses_file::ResponsesError;
#[cfg(feature = "program")]
pub use simulate::{draw, simulate};

pub use crate::selection::Outcome;
use crate::{
    interrupt::InterruptGuard,
    job::{Job, PairsJob, StabilityJob, Task, ValidationJob},
    output::OutputError,
    presentation::{Format, PageExtras},
    selection::{PairsReport, Ranking, Residuals, StabilityReport, ValidationReport},
};

/// Runs the job of any command. Files that it names are written whole or not at all. An interrupt
/// is no error: the outcome is then the best until then.
///
/// # Errors
/// [`RunError`] says whether the data, the settings, a device, a plugin or the output is at fault;
/// [`RunError::Incomplete`] holds the report of what was found before.
pub fn run_task(task: &Task, context: &RunContext) -> Result<Report, RunError> {
    method_of(task).run(task, context)
}

/// Runs one job by PaSS or by a selector of a plugin.
///
/// # Errors
/// As [`run_task`].
pub fn run(job: &Job) -> Result<Report, RunError> {
    run_task(&Task::Select(Box::new(job.clone())), &RunContext::default())
}

/// Ranks variables by the selector of a job.
///
/// # Errors
/// As [`run_task`]; [`RunError::OtherResult`] if the method chooses a regression model.
pub fn rank(job: &Job) -> Result<Ranking, RunError> {
    match run(job)?.outcome {
        Outcome::Ranking(ranking) => Ok(*ranking),
        _ => Err(RunError::OtherResult { wanted: "ranking" }),
    }
}

/// Scores all pairs of variables.
///
/// # Errors
/// As [`run_task`].
pub fn rank_pairs(job: &PairsJob) -> Result<PairsReport, RunError> {
    let task = Task::Pairs(Box::new(job.clone()));
    match run_task(&task, &RunContext::default())?.outcome {
        Outcome::Pairs(pairs) => Ok(*pairs),
        _ => Err(RunError::OtherResult { wanted: "pairs" }),
    }
}

/// Runs a selector on resamples, and selects what it chooses from most of them.
///
/// # Errors
/// As [`run_task`].
pub fn select_stable(job: &StabilityJob) -> Result<StabilityReport, RunError> {
    let task = Task::Stability(Box::new(job.clone()));
    match run_task(&task, &RunContext::default())?.outcome {
        Outcome::Stability(stability) => Ok(*stability),
        _ => Err(RunError::OtherResult {
            wanted: "stability",
        }),
    }
}

/// Repeats a selection in splits of the rows, and judges its models on the rows that they did not see.
///
/// # Errors
/// As [`run_task`].
pub fn validate(job: &ValidationJob) -> Result<ValidationReport, RunError> {
    let task = Task::Validate(Box::new(job.clone()));
    match run_task(&task, &RunContext::default())?.outcome {
        Outcome::Validation(validation) => Ok(*validation),
        _ => Err(RunError::OtherResult {
            wanted: "validation",
        }),
    }
}

/// The result of a job, and what it takes to render it.
#[derive(Debug)]
pub struct Report {
    /// The result itself.
    pub outcome: Outcome,
    data: PathBuf,
    format: Format,
    extras: PageExtras,
    /// The checkpoint that is useless once the report was delivered.
    checkpoint: Option<PathBuf>,
    /// Held until the report was delivered, so that neither the first interrupt nor the second loses it.
    _guards: (InterruptGuard, Option<InterruptGuard>),
}

impl Report {
    /// The diagnostics of the observations of a selected model, of a selection that has them: all observations of at most
    /// 1,000, else the most notable and others evenly by rank.
    #[must_use]
    pub fn residuals(&self) -> Option<&Residuals> {
        self.extras.residuals.as_ref()
    }

    /// The standard deviation of each selected variable of a regression, in the order of the report; empty where it is not
    /// known.
    #[must_use]
    pub fn deviations(&self) -> &[f64] {
        &self.extras.deviations
    }

    /// The report in the job's format.
    ///
    /// # Errors
    /// [`RunError::Render`]: the format is not for results of this kind, or not built.
    pub fn render(&self) -> Result<Vec<u8>, RunError> {
        self.render_as(self.format)
    }

    /// The report in another format.
    ///
    /// # Errors
    /// As [`render`](Self::render).
    pub fn render_as(&self, format: Format) -> Result<Vec<u8>, RunError> {
        rendered(&self.outcome, &self.data, format, &self.extras).map_err(RunError::Render)
    }

    /// Removes the checkpoint of a search that has ended by itself, once its report was delivered.
    ///
    /// # Errors
    /// The checkpoint cannot be removed.
    pub fn remove_checkpoint(&mut self) -> Result<(), OutputError> {
        self.checkpoint.take().map_or(Ok(()), checkpoint::remove)
    }
}

#[cfg(feature = "program")]
use crate::report::render as rendered;

/// A library without the feature `program` renders nothing.
#[cfg(not(feature = "program"))]
fn rendered(
    _: &Outcome,
    _: &std::path::Path,
    _: Format,
    _: &PageExtras,
) -> std::io::Result<Vec<u8>> {
    Err(std::io::ErrorKind::Unsupported.into())
}
