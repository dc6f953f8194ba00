//! The whole way of a job on one screen: file → table → design matrix → search
//! → selection → report.

mod beside;
mod checkpoint;
mod kept;
mod pairs;
mod procedures;
mod resampled;
mod selectors;
mod sources;
mod stability;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    time::Instant,
};

use thiserror::Error;

use beside::beside;
pub use kept::Keep;
pub use pairs::{pairs, pairs_among};
pub use sources::{Sources, Surroundings};
pub use stability::{stability, stability_among};

use crate::{
    binning::BinningError,
    design::DesignError,
    device::{DeviceError, Places},
    job::{Job, Simulation},
    output::{OutputError, OutputFile},
    plugin::Chooser,
    report::{self, Beside, Curves, Format},
    search::{self, Checkpoint, CheckpointError, Interrupt, Iteration, Leavable, SearchError},
    selection::{Elapsed, Ending, PairsReport, Ranking, Selection, StabilityReport, Termination},
    selector::{ProcedureFault, SelectorError},
    simulate::SimulateError,
    table::{Form, TableError},
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
    _held: Option<Leavable>,
}

impl Report {
    /// The report is told: what was kept of its search, in case it had to go on, goes.
    ///
    /// # Errors
    /// A checkpoint that cannot be removed.
    pub fn told(&mut self) -> Result<(), OutputError> {
        self.checkpoint.take().map_or(Ok(()), checkpoint::remove)
    }
}

/// What a job found.
#[derive(Debug)]
pub enum Outcome {
    /// A model, by PaSS.
    Selection(Box<Selection>),
    /// Variables in order, by a selector of a plugin.
    Ranking(Box<Ranking>),
    /// Variables and pairs with their scores.
    Pairs(Box<PairsReport>),
    /// How often variables were chosen from resamples.
    Stability(Box<StabilityReport>),
}

impl Outcome {
    /// Whether it is what was found until an interrupt.
    pub fn interrupted(&self) -> bool {
        match self {
            Self::Selection(it) => it.termination == Termination::Interrupted,
            Self::Ranking(it) => it.termination == Ending::Interrupted,
            Self::Pairs(it) => it.termination == Ending::Interrupted,
            Self::Stability(it) => it.termination == Ending::Interrupted,
        }
    }

    /// The selection by PaSS, if it is one.
    pub fn selection(self) -> Option<Selection> {
        match self {
            Self::Selection(it) => Some(*it),
            Self::Ranking(_) | Self::Pairs(_) | Self::Stability(_) => None,
        }
    }
}

/// Why a job gave nothing, or not all of it.
#[derive(Debug, Error)]
pub enum RunError {
    /// The file could not be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The table makes no design matrix.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// The table makes no columns of codes.
    #[error(transparent)]
    Binning(#[from] BinningError),
    /// A selector could not begin.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// The search could not begin: a parameter that does not fit the data.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The report or the trace has no place, or the report could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The model cannot be drawn as it was asked for.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// The search cannot go on from its checkpoint.
    #[error("the checkpoint {} {source}; name another file or delete it", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: CheckpointError,
    },
    /// The checkpoint cannot be read.
    #[error("cannot read the checkpoint {}", path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file of data was not finished, on request.
    #[error("interrupted: nothing was written")]
    Interrupted,
    /// The report has no form in this program.
    #[error("the selection is complete, its report cannot be made")]
    Render(#[source] io::Error),
    /// A device failed; what was found before was reported.
    #[error("a device failed, the selection is the best until then")]
    Fault {
        /// What was found until then.
        report: Box<Report>,
        /// What failed.
        source: DeviceError,
        /// The trace, if that could not be written either.
        trace: Option<Box<OutputError>>,
    },
    /// A selector of a plugin failed; what it chose before was reported.
    #[error("method `{method}` of plugin `{plugin}` failed")]
    Procedure {
        /// What it chose until then, if it chose anything.
        report: Option<Box<Report>>,
        /// Its name.
        method: String,
        /// The plugin.
        plugin: String,
        /// At what.
        source: Box<ProcedureFault>,
    },
    /// The table of a variable gave no score; what was found before was reported.
    #[error("{reason}; what was found before is reported")]
    Unscored {
        /// What was found until then.
        report: Box<Report>,
        /// Which variable, and why.
        reason: String,
    },
    /// The table of a variable gave no score, in a resample.
    #[error("{0}")]
    NoScore(String),
    /// Too few rows to choose from.
    #[error(
        "a resample of {rows} of the {n} observations is too small, {least} are needed: take more \
         observations, or a larger --fraction"
    )]
    FewRows {
        /// Rows of a resample.
        rows: usize,
        /// Observations.
        n: usize,
        /// The fewest that there must be.
        least: usize,
    },
    /// The selection from a resample failed, and with it all.
    #[error("resample {number} of {of}, {rows} of {n} rows")]
    Resample {
        /// Which, from 1 on.
        number: usize,
        /// Of how many.
        of: usize,
        /// Its rows.
        rows: usize,
        /// Observations.
        n: usize,
        /// At what.
        source: Box<RunError>,
    },
    /// The selection was made and reported, but its trace could not be written.
    #[error("the selection is complete, its trace is not")]
    Trace {
        /// What was found nevertheless.
        report: Box<Report>,
        /// What failed.
        source: OutputError,
    },
}

impl RunError {
    /// 2 where arguments or data are wrong, 1 where the work failed, 130 where it was interrupted.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Table(_) | Self::Design(_) | Self::Simulate(_) | Self::Binning(_) => 2,
            Self::Selector(SelectorError::Threads { .. } | SelectorError::Matrix { .. }) => 1,
            Self::Selector(SelectorError::Device(error))
            | Self::Search(SearchError::Device(error))
            | Self::Selector(SelectorError::Search(SearchError::Device(error))) => match error {
                DeviceError::Ordinal { .. } => 2,
                _ => 1,
            },
            Self::Search(error) | Self::Selector(SelectorError::Search(error)) => match error {
                SearchError::Threads { .. } | SearchError::Thread { .. } => 1,
                _ => 2,
            },
            Self::Selector(_) | Self::FewRows { .. } => 2,
            Self::Checkpoint { .. } | Self::Unread { .. } => 2,
            Self::Interrupted => 130,
            Self::Resample { source, .. } => source.exit_code(),
            Self::NoScore(_) => 1,
            Self::Output(error) => error.exit_code(),
            Self::Render(_) | Self::Fault { .. } | Self::Procedure { .. } => 1,
            Self::Unscored { .. } | Self::Trace { .. } => 1,
        }
    }
}

/// Runs one job; files it names are written whole or not at all.
///
/// # Errors
/// The data, the settings or the output: [`RunError`] says which. An interrupt
/// is no error: the selection is then the best so far.
pub fn run(job: &Job) -> Result<Report, RunError> {
    run_among(job, &Surroundings::default())
}

/// The same, of a job among others.
///
/// # Errors
/// As [`run`].
pub fn run_among(job: &Job, around: &Surroundings) -> Result<Report, RunError> {
    if let Some(settled) = &job.selector {
        return match &settled.by {
            Chooser::Regresses(procedure) => procedures::regress(job, around, settled, procedure),
            Chooser::Score(_) | Chooser::Ranks(_) => selectors::rank(job, around, settled),
        };
    }
    let started = Instant::now();
    // Both places first: a search of hours must not end at a wrong path.
    let output = job.output.as_deref().map(OutputFile::create).transpose()?;
    let mut trace = job.trace.as_deref().map(Trace::create).transpose()?;
    let kept = job.checkpoint.as_deref();
    let from = kept.map(checkpoint::open).transpose()?.flatten();

    Places::check(&job.resources.devices).map_err(SearchError::Device)?;

    let design = around.design(job)?;

    let mut meter = around.meter(job);
    if let Some(trace) = &mut trace {
        trace.name_columns(design.variables().iter().map(|it| it.name.as_str()));
    }
    let mut curves = (job.format == Format::Html).then(Curves::default);
    let mut observe = |iteration: &Iteration<'_>| {
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
    let mut keep = |text: &str| checkpoint::write(place, text);
    let found = search::search_on(
        &design,
        criterion,
        &job.pass,
        &job.resources,
        &job.interrupt,
        &mut observe,
        kept.map(|_| Checkpoint {
            from,
            keep: &mut keep,
        }),
    )
    .map_err(|error| match error {
        SearchError::Checkpoint(source) => RunError::Checkpoint {
            path: place.to_owned(),
            source,
        },
        error => error.into(),
    })?;
    meter.finish();

    let mut selection = found.selection(&design, criterion, &job.pass);
    selection.set_level(job.level);
    let total = started.elapsed().as_secs_f64();
    selection.elapsed_seconds = Elapsed {
        read: total - found.seconds - found.starting,
        devices: found.starting,
        search: found.seconds,
        total,
    };
    let beside = Beside {
        curves,
        ..beside(job, &design, &found)
    };
    let rendered = report::render(&selection, &job.data, job.format, &beside);
    let rendered = rendered.map_err(RunError::Render)?;
    let done = [Termination::Iterations, Termination::Patience].contains(&selection.termination);
    let report = Report {
        outcome: Outcome::Selection(Box::new(selection)),
        rendered: written(output, rendered)?,
        checkpoint: job.checkpoint.clone().filter(|_| done),
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
    let form = Form::of(output)?;
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
