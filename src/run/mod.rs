//! Runs one job: open its files → check the devices → read and prepare the data → work → report →
//! render and write. [`rank`], [`rank_pairs`] and [`select_stable`] return one kind of result;
//! [`run`](fn@run) and [`run_task`] return a [`Report`] of any kind, which can be rendered.

// `drive` is this path for every `Method`; `method_of` chooses the method.

mod candidates;
mod checkpoint;
mod data_cache;
mod dispatch;
mod error;
mod method;
mod pairs;
mod pass;
mod prepared;
mod ranking;
mod regression;
mod resample;
mod resample_checkpoint;
#[cfg(feature = "program")]
mod simulate;
mod stability;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

pub use data_cache::DataCache;
use dispatch::method_of;
pub use error::{Fault, Incomplete, RunError};
pub use method::RunContext;
use method::{Finding, Method, Run};
pub use resample_checkpoint::ResampleCheckpoint;
#[cfg(feature = "program")]
pub use simulate::simulate;

pub use crate::selection::Outcome;
use crate::{
    interrupt::DetachableGuard,
    job::{Job, PairsJob, StabilityJob, Task},
    output::{OutputError, OutputFile},
    presentation::{Format, PageExtras},
    selection::{PairsReport, Ranking, StabilityReport, Termination},
    trace::Trace,
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

/// Takes a method along the path of a run.
fn drive<M: Method>(method: &M, task: &Task, context: &RunContext) -> Result<Report, RunError> {
    let job = task.job();
    // Files first: a search of hours must not end at a wrong path.
    let output = create_file(job, job.output.as_deref())?;
    let mut run = Run::open(task, context)?;
    method.check(job)?;
    let data = context.prepare::<M>(job)?;
    let guard = M::IS_PROCEDURE.then(|| job.interrupt.detachable());
    run.meter = context.meter(job);
    let shared = (!job.other_criteria.is_empty()).then(|| Arc::clone(&data));
    let found = method.work(&mut run, data)?;
    std::mem::take(&mut run.meter).finish();
    let mut finding = method.report(&mut run, found)?;
    if let Some(data) = shared {
        by_other_criteria(method, job, context, &data, &mut finding)?;
    }
    finding.outcome.name_data(job.data.display().to_string());
    let is_done = match &finding.outcome {
        Outcome::Selection(selection) => {
            [Termination::Iterations, Termination::Patience].contains(&selection.termination)
        }
        Outcome::Ranking(_) | Outcome::Pairs(_) | Outcome::Stability(_) => false,
    };
    let checkpoint = job.checkpoint.clone();
    let report = Report {
        outcome: finding.outcome,
        data: job.data.clone(),
        format: job.format,
        extras: PageExtras {
            command: job.command.clone(),
            ..finding.extras
        },
        checkpoint: checkpoint.filter(|_| is_done && job.resources.is_root()),
        _guard: guard,
    };
    if let Some(file) = output {
        file.finish(&report.render()?)?;
    }
    let trace = run.trace.map_or(Ok(()), Trace::finish).err();
    match (finding.fault, trace) {
        (None, None) => Ok(report),
        (None, Some(error)) => Err(Fault::Trace(error).of_run(Some(report), None)),
        (Some(fault), trace) => Err(fault.of_run(Some(report), trace)),
    }
}

/// Adds the models that the other criteria of a job choose, unless the first was cut short.
fn by_other_criteria<M: Method>(
    method: &M,
    job: &Job,
    context: &RunContext,
    data: &Arc<M::Data>,
    finding: &mut Finding,
) -> Result<(), RunError> {
    for criterion in &job.other_criteria {
        if finding.fault.is_some() || finding.outcome.interrupted() {
            return Ok(());
        }
        let own = Job {
            criterion: Arc::clone(criterion),
            other_criteria: Vec::new(),
            ..job.clone()
        };
        let mut run = Run::silent(&own);
        run.meter = context.meter(&own);
        let found = method.work(&mut run, Arc::clone(data))?;
        std::mem::take(&mut run.meter).finish();
        let other = method.report(&mut run, found)?;
        finding.fault = other.fault;
        if let (Outcome::Selection(all), Some(other)) =
            (&mut finding.outcome, other.outcome.selection())
        {
            all.by_other_criteria.push(other);
        }
    }
    Ok(())
}

/// Creates a file that a job names, if it names one and this process is the one that writes.
fn create_file(job: &Job, path: Option<&Path>) -> Result<Option<OutputFile>, OutputError> {
    let path = path.filter(|_| job.resources.is_root());
    path.map(OutputFile::create).transpose()
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
    /// Held until the report was delivered, so that a second interrupt does not lose it.
    _guard: Option<DetachableGuard>,
}

impl Report {
    /// The report in the job's format.
    ///
    /// # Errors
    /// [`RunError::Render`]: the format is not for results of this kind, or not built.
    pub fn render(&self) -> Result<Vec<u8>, RunError> {
        rendered(&self.outcome, &self.data, self.format, &self.extras).map_err(RunError::Render)
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
fn rendered(_: &Outcome, _: &Path, _: Format, _: &PageExtras) -> std::io::Result<Vec<u8>> {
    Err(std::io::ErrorKind::Unsupported.into())
}
