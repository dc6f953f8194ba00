//! The whole way of a job on one screen: file → table → design matrix → search
//! → selection → report.

mod checkpoint;
mod data_cache;
mod error;
mod page_extras;
mod pairs;
mod procedures;
mod resample;
mod resample_checkpoint;
mod selectors;
mod stability;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

pub use data_cache::{DataCache, RunContext};
pub use error::RunError;
use page_extras::page_extras;
pub use pairs::{pairs, run_pairs};
pub use resample_checkpoint::ResampleCheckpoint;
pub use stability::{run_stability, stability};

pub use crate::selection::Outcome;
use crate::{
    design::Design,
    device::{DeviceError, Partition, Placement, Resources},
    interrupt::{DetachableGuard, Interrupt},
    job::{Job, Simulation, Task},
    output::{OutputError, OutputFile},
    plugin::MethodKind,
    report::{self, Curves, Format, PageExtras},
    search::{Checkpointing, IterationRecord, Search, SearchError},
    selection::{Elapsed, RankSummary, Termination},
    table::OutputFormat,
    trace::Trace,
};

/// What a job gave.
#[derive(Debug)]
pub struct Report {
    /// The result itself.
    pub outcome: Outcome,
    /// The selection in the job's format; it is in the job's output already,
    /// where the job has one.
    pub rendered: Vec<u8>,
    /// The checkpoint that is of no more use once the report is told.
    checkpoint: Option<PathBuf>,
    /// Of a plugin that can be left behind: as long as the report lives, a second wish to end
    /// does not lose it.
    _held: Option<DetachableGuard>,
}

impl Report {
    /// The report is told: what was kept of its search, in case it had to go on, goes.
    ///
    /// # Errors
    /// A checkpoint that cannot be removed.
    pub fn remove_checkpoint(&mut self) -> Result<(), OutputError> {
        self.checkpoint.take().map_or(Ok(()), checkpoint::remove)
    }
}

/// Does one task, whatever its command, of a job alone or among others.
///
/// # Errors
/// As [`run`].
pub fn run_task(task: &Task, context: &RunContext) -> Result<Report, RunError> {
    match task {
        Task::Select(job) => run_job(job, context),
        Task::Pairs(pairing) => run_pairs(pairing, context),
        Task::Stability(stability) => run_stability(stability, context),
    }
}

/// Runs one job; files it names are written whole or not at all.
///
/// # Errors
/// The data, the settings or the output: [`RunError`] says which. An interrupt
/// is no error: the selection is then the best so far.
pub fn run(job: &Job) -> Result<Report, RunError> {
    run_job(job, &RunContext::default())
}

/// The same, of a job among others.
///
/// # Errors
/// As [`run`].
pub fn run_job(job: &Job, context: &RunContext) -> Result<Report, RunError> {
    if let Some(settled) = &job.selector {
        return match &settled.value {
            MethodKind::Regression(procedure) => {
                procedures::regress(job, context, settled, procedure)
            }
            MethodKind::Score(_) | MethodKind::Ranking(_) => selectors::rank(job, context, settled),
        };
    }
    let started = Instant::now();
    // Both places first: a search of hours must not end at a wrong path.
    let output = output_of(job)?;
    let own_trace = job.trace.as_deref().filter(|_| job.resources.is_root());
    let mut trace = own_trace.map(Trace::create).transpose()?;
    let kept = job.checkpoint.as_deref();
    let from = kept.map(|it| checkpoint::open(it, job.resources.communicator.as_ref()));
    let from = from.transpose()?.flatten();

    Placement::check(&job.resources.devices)?;

    let design = context.design(job, job.resources.distributed())?;
    let (design, resources) = planned(job, design)?;

    let mut meter = context.meter(job);
    if let Some(trace) = &mut trace {
        trace.name_columns(design.variables().iter().map(|it| it.name.as_str()));
    }
    let mut curves = (job.format == Format::Html).then(Curves::default);
    let mut observe = |iteration: &IterationRecord<'_>| {
        meter.show(iteration);
        if let Some(curves) = &mut curves {
            curves.record(iteration);
        }
        if let Some(trace) = &mut trace {
            trace.record(iteration);
        }
    };
    let criterion = &*job.criterion;
    let place = kept.unwrap_or(Path::new(""));
    let speaks = job.resources.is_root();
    let mut keep = |text: &str| match speaks {
        true => checkpoint::write(place, text),
        false => Ok(()),
    };
    let search = Search {
        design: &design,
        criterion,
        pass: &job.pass,
        resources: &resources,
        interrupt: &job.interrupt,
        checkpointing: kept.map(|_| Checkpointing {
            resume_from: from,
            write: &mut keep,
        }),
    };
    let found = search.run(&mut observe).map_err(|error| match error {
        SearchError::Checkpoint(source) => RunError::Checkpoint {
            path: place.to_owned(),
            source,
        },
        error => error.into(),
    })?;
    meter.finish();

    let mut selection = found.selection(&design, criterion, &job.pass);
    selection.set_level(job.level);
    selection.rank_summary = rank_summary(
        job,
        match resources.partition {
            Some(Partition::Particles) => "particles",
            Some(Partition::Sweeps) => "sweeps",
            Some(Partition::Columns) | None => "columns",
        },
    );
    let total = started.elapsed().as_secs_f64();
    selection.elapsed_seconds = Elapsed {
        read: total - found.seconds - found.starting,
        devices: found.starting,
        search: found.seconds,
        total,
    };
    let extras = PageExtras {
        curves,
        ..page_extras(job, &design, &found)
    };
    let done = [Termination::Iterations, Termination::Patience].contains(&selection.termination);
    let outcome = Outcome::Selection(Box::new(selection));
    let rendered = report::render(&outcome, &job.data, job.format, &extras);
    let rendered = rendered.map_err(RunError::Render)?;
    let report = Report {
        outcome,
        rendered: written(output, rendered)?,
        checkpoint: job.checkpoint.clone().filter(|_| done && speaks),
        _held: None,
    };
    match (trace.map_or(Ok(()), Trace::finish), found.fault) {
        (trace, Some(source)) => Err(RunError::Fault {
            report: Box::new(report),
            source,
            trace: trace.err().map(Box::new),
        }),
        (Err(source), None) => Err(RunError::Trace {
            report: Box::new(report),
            source,
        }),
        (Ok(()), None) => Ok(report),
    }
}

/// What ranks share out in a search, and the design with the columns they need for it.
///
/// Over columns every column that joins a model is told to all: those of random steps, about one
/// in ten of all, and what the polish looks at. Where there are no more columns than that, each
/// rank gets all of them at once, and no more is told of any: models are what there is to share then.
fn planned(job: &Job, design: Arc<Design>) -> Result<(Arc<Design>, Resources), RunError> {
    let told = POLISHED + job.pass.particles.saturating_mul(job.pass.iterations) / 10;
    let partition = job.resources.partition.unwrap_or(match design.p() <= told {
        true => Partition::Particles,
        false => Partition::Columns,
    });
    let resources = Resources {
        partition: Some(partition),
        ..job.resources.clone()
    };
    if partition == Partition::Columns || job.resources.distributed().is_none() {
        return Ok((design, resources));
    }
    let design = Arc::unwrap_or_clone(design).replicated();
    let design = design.map_err(DeviceError::from_rank_error)?;
    Ok((Arc::new(design), resources))
}

/// About how many columns the polish looks at.
const POLISHED: usize = 1000;

/// What ranks that share this said until now.
fn rank_summary(job: &Job, over: &'static str) -> Option<RankSummary> {
    let communicator = job.resources.communicator.as_ref()?;
    Some(RankSummary {
        ranks: communicator.size(),
        hosts: communicator
            .hosts()
            .into_iter()
            .map(str::to_owned)
            .collect(),
        over,
        messages: communicator.traffic(),
    })
}

/// The place of a job's report, if it has one and this process is the one that writes it.
fn output_of(job: &Job) -> Result<Option<OutputFile>, RunError> {
    place_of(job, job.output.as_deref())
}

/// The same of another file of a job's.
fn place_of(job: &Job, path: Option<&Path>) -> Result<Option<OutputFile>, RunError> {
    let own = path.filter(|_| job.resources.is_root());
    Ok(own.map(OutputFile::create).transpose()?)
}

/// Puts a report in its file, if it has one.
fn written(output: Option<OutputFile>, rendered: Vec<u8>) -> Result<Vec<u8>, RunError> {
    if let Some(file) = output {
        file.finish(&rendered)?;
    }
    Ok(rendered)
}

/// Makes one file of simulated data.
///
/// # Errors
/// The settings, or the output: [`RunError`] says which. An interrupt leaves no file.
pub fn simulate(simulation: &Simulation, interrupt: &Interrupt) -> Result<(), RunError> {
    let Simulation {
        model,
        settings,
        output,
    } = simulation;
    // The place first: a wrong path is told before anything is drawn.
    let form = OutputFormat::of(output)?;
    model.check(settings)?;
    let mut file = OutputFile::create(output)?;
    let table = model.simulate(settings)?;
    let sink = Heeding {
        file: &mut file,
        interrupt,
    };
    let written = form.write(&table, &model.command(settings), sink);
    written.map_err(|source| match interrupt.requested() {
        true => RunError::Interrupted,
        false => file.write_error(source).into(),
    })?;
    Ok(file.commit()?)
}

/// A file that takes nothing more once an interrupt is requested.
struct Heeding<'a> {
    file: &'a mut OutputFile,
    interrupt: &'a Interrupt,
}

impl Write for Heeding<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.interrupt.requested() {
            true => Err(io::Error::other("interrupted")),
            false => self.file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
