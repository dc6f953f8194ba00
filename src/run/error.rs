//! Why a job gave no report, or not all of it.

use std::{error::Error, fmt, io, path::PathBuf, time::Duration};

use thiserror::Error;

use super::{Report, ResponsesError};
use crate::{
    binning::{BinnedColumns, BinningError},
    design::DesignError,
    device::DeviceError,
    family::Distribution,
    memory::MemoryError,
    output::OutputError,
    plugin::ResolvedMethod,
    prediction::PredictionError,
    search::{CheckpointError, SearchError},
    selection::FailedResponse,
    selector::{ProcedureError, SelectorError},
    simulate::SimulateError,
    table::TableError,
    validation::SchemeError,
};

/// Why a job gave no report, or not a complete one.
#[derive(Debug, Error)]
pub enum RunError {
    /// The file could not be read.
    #[error(transparent)]
    Table(TableError),
    /// The job would take more memory than it may have, or than there is.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// Several ranks run a job whose table is in memory.
    #[error("a table in memory is for a single process: ranks read a file")]
    MemoryOfRanks,
    /// The job's method gives a result of another kind than the caller wants.
    #[error("the job's method gives no {wanted}")]
    OtherResult {
        /// The kind that the caller wants.
        wanted: &'static str,
    },
    /// Resamples are too small to choose from.
    #[error(
        "a resample of {rows} of the {n} observations is too small, {least} are needed: take more \
         observations, or a larger --fraction"
    )]
    FewRows {
        /// The number of rows of a resample.
        rows: usize,
        /// Observations.
        n: usize,
        /// The smallest number of rows that can be chosen from.
        least: usize,
    },
    /// The time limit of stability selection passed before anything was chosen.
    #[error(
        "the time limit passed before the first resample was complete: raise --time-limit, or make \
         each selection shorter"
    )]
    NoResample,
    /// The table makes no design matrix.
    #[error(transparent)]
    Design(DesignError),
    /// The table makes no columns of codes.
    #[error(transparent)]
    Binning(BinningError),
    /// A selector could not begin.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// A device that was asked for is not there, or failed before anything was found.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The search could not begin: a parameter that does not fit the data.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// An output file cannot be created or written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A model of simulated data cannot be drawn with these settings.
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
        /// The system's reason.
        source: io::Error,
    },
    /// An interrupt ended the work before there was anything to report.
    #[error("interrupted: nothing was found or written")]
    Interrupted,
    /// The timeout passed before there was anything to report.
    #[error("it did not end within its timeout of {0:?}: nothing was written")]
    TimedOut(Duration),
    /// The report cannot be rendered in the job's format.
    #[error("the selection is complete, its report cannot be made")]
    Render(#[source] io::Error),
    /// The work ended early, or the trace is lost: what was found is reported.
    #[error(transparent)]
    Incomplete(#[from] Box<Incomplete>),
    /// The contingency table of a variable in a resample has no score.
    #[error("{0}")]
    NoScore(String),
    /// A model cannot predict what is asked for.
    #[error(transparent)]
    Prediction(#[from] PredictionError),
    /// A file is no report that predicts.
    #[error("{}: {reason}", path.display())]
    Report {
        /// The file.
        path: PathBuf,
        /// What it is, or lacks.
        reason: String,
    },
    /// The rows cannot be split.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// The time limit of a validation passed before a model was judged.
    #[error("the time limit passed before the first split was complete: raise --time-limit")]
    NoSplit,
    /// The time limit passed before any size was judged in all folds.
    #[error("the time limit passed before all folds had judged a size: raise --time-limit")]
    NoSize,
    /// The selection in a split of the rows failed, and with it the validation.
    #[error("{name}, a model of {rows} of {n} rows")]
    Split {
        /// Which one, counted from 1.
        name: String,
        /// The number of rows that the model is made of.
        rows: usize,
        /// Observations.
        n: usize,
        /// The failure.
        source: Box<RunError>,
    },
    /// One of the methods or families that stand beside the first of a validation cannot be judged.
    #[error("by the method {method} and the family {}", family.spec())]
    Alternative {
        /// The method.
        method: String,
        /// The family.
        family: Distribution,
        /// Why.
        source: Box<RunError>,
    },
    /// The table of responses does not fit the data.
    #[error(transparent)]
    Responses(#[from] ResponsesError),
    /// No response has a model: why the first has none.
    #[error("no model was selected of any response; of {response}")]
    Response {
        /// The first.
        response: String,
        /// The failure.
        source: Box<RunError>,
    },
    /// The selection from a resample failed, and with it the job.
    #[error("resample {number} of {of}, {rows} of {n} rows")]
    Resample {
        /// The number of the resample, counted from 1.
        number: usize,
        /// The number of resamples.
        of: usize,
        /// The number of its rows.
        rows: usize,
        /// Observations.
        n: usize,
        /// The failure.
        source: Box<RunError>,
    },
}

impl From<TableError> for RunError {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Interrupted(_) => Self::Interrupted,
            error => Self::Table(error),
        }
    }
}

impl From<DesignError> for RunError {
    fn from(error: DesignError) -> Self {
        match error {
            DesignError::Table(TableError::Interrupted(_)) => Self::Interrupted,
            DesignError::Table(TableError::Memory { source, .. }) => Self::Memory(source),
            error => Self::Design(error),
        }
    }
}

impl From<BinningError> for RunError {
    fn from(error: BinningError) -> Self {
        match error {
            BinningError::Table(TableError::Interrupted(_)) => Self::Interrupted,
            error => Self::Binning(error),
        }
    }
}

impl RunError {
    /// The memory that was not to be had, if that is what ended the job.
    pub(crate) fn memory(&self) -> Option<&MemoryError> {
        match self {
            Self::Memory(error) => Some(error),
            Self::Table(TableError::Memory { source, .. }) => Some(source),
            Self::Device(DeviceError::Memory(error))
            | Self::Selector(SelectorError::Device(DeviceError::Memory(error)))
            | Self::Search(SearchError::Device(DeviceError::Memory(error))) => Some(error),
            Self::Resample { source, .. }
            | Self::Split { source, .. }
            | Self::Alternative { source, .. }
            | Self::Response { source, .. } => source.memory(),
            _ => None,
        }
    }

    /// The report of a job that would find no more if it were done again: of responses some of which can have no model.
    pub(crate) fn into_final(self) -> Result<Report, Self> {
        match self {
            Self::Incomplete(mut own)
                if matches!(own.fault, Fault::Responses { is_final: true, .. }) =>
            {
                own.report.take().ok_or(Self::Incomplete(own))
            }
            error => Err(error),
        }
    }

    /// 2 where arguments or data are wrong, 1 where the work failed, 130 where it was interrupted.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Interrupted => 130,
            Self::Resample { source, .. }
            | Self::Split { source, .. }
            | Self::Alternative { source, .. }
            | Self::Response { source, .. } => source.exit_code(),
            Self::Output(error) => error.exit_code(),
            Self::Device(error)
            | Self::Selector(SelectorError::Device(error))
            | Self::Search(SearchError::Device(error)) => match error {
                DeviceError::NoSuchDevice { .. } => 2,
                _ => 1,
            },
            Self::Selector(SelectorError::Threads(_) | SelectorError::Matrix { .. })
            | Self::Search(SearchError::Threads(_))
            | Self::NoScore(_)
            | Self::NoResample
            | Self::NoSplit
            | Self::NoSize
            | Self::TimedOut(_)
            | Self::Render(_)
            | Self::Incomplete(_) => 1,
            Self::Memory(_) | Self::Table(TableError::Memory { .. }) => 1,
            Self::Table(_) | Self::Design(_) | Self::Simulate(_) | Self::Binning(_) => 2,
            Self::Search(_) | Self::Selector(_) | Self::Responses(_) => 2,
            Self::MemoryOfRanks | Self::OtherResult { .. } | Self::FewRows { .. } => 2,
            Self::Checkpoint { .. } | Self::Unread { .. } => 2,
            Self::Prediction(_) | Self::Report { .. } => 2,
            Self::Scheme(_) => 2,
        }
    }
}

/// The partial result of a run that did not end as it should.
#[derive(Debug)]
pub struct Incomplete {
    /// The report, unless nothing was found.
    pub report: Option<Report>,
    /// What ended the work early, or what was lost after it.
    pub fault: Fault,
    /// Why the trace is lost too, if it is.
    pub trace: Option<OutputError>,
}

impl fmt::Display for Incomplete {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.fmt(formatter)
    }
}

impl Error for Incomplete {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.fault.source()
    }
}

/// What ended the work of a method early, or what was lost after it.
#[derive(Debug, Error)]
pub enum Fault {
    /// A device failed.
    #[error("a device failed, the selection is the best until then")]
    Device(#[source] DeviceError),
    /// The contingency table of a variable has no score: which variable, and why.
    #[error("{0}; what was found before is reported")]
    UndefinedScore(String),
    /// The procedure of a plugin failed.
    #[error("method `{method}` of plugin `{plugin}` failed")]
    Procedure {
        /// The name of the method.
        method: String,
        /// The name of its plugin.
        plugin: String,
        /// The reason.
        source: ProcedureError,
    },
    /// Some responses have no model.
    #[error("{}", FailedResponse::all(failed, *count))]
    Responses {
        /// These, with the reasons.
        failed: Vec<FailedResponse>,
        /// All responses.
        count: usize,
        /// Whether the data or the options are the reasons, so that they would fail again.
        is_final: bool,
    },
    /// The trace could not be written.
    #[error("the selection is complete, its trace is not")]
    Trace(#[source] OutputError),
}

/// An error and its causes on one line. A cause that the text contains already is not repeated.
pub fn error_chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let message = cause.to_string();
        if !text.contains(&message) {
            text += &format!(": {message}");
        }
        next = cause.source();
    }
    text
}

impl Fault {
    /// The failure of a device that counted for a method, which is a `what`.
    pub(super) fn of_counting<T>(
        error: DeviceError,
        columns: &BinnedColumns,
        (what, resolved): (&str, &ResolvedMethod<T>),
    ) -> Self {
        let DeviceError::UndefinedScore(undefined) = error else {
            return Self::Device(error);
        };
        let name = |column: u32| format!("`{}`", columns.columns[column as usize].name);
        let (method, plugin, reason) = (&resolved.name, &resolved.plugin, undefined.describe(name));
        Self::UndefinedScore(format!("{what} `{method}` of plugin `{plugin}`: {reason}"))
    }

    /// The failure of a plugin's procedure.
    pub(super) fn of_procedure<T>(source: ProcedureError, resolved: &ResolvedMethod<T>) -> Self {
        Self::Procedure {
            method: resolved.name.clone(),
            plugin: resolved.plugin.clone(),
            source,
        }
    }

    /// The warning in the report of what was chosen before.
    pub(super) fn warning(&self) -> String {
        let (end, reason) = match self {
            Self::UndefinedScore(reason) => ("the end", reason.clone()),
            Self::Procedure { source, .. } => ("the selector failed", source.to_string()),
            Self::Device(error) => ("a device failed", error.to_string()),
            Self::Responses { .. } => ("other responses failed", self.to_string()),
            Self::Trace(error) => ("the trace was lost", error.to_string()),
        };
        format!("what was chosen before {end}: {reason}")
    }

    /// The error of a run with the report of what was found before, if anything was.
    pub(super) fn of_run(self, report: Option<Report>, trace: Option<OutputError>) -> RunError {
        RunError::Incomplete(Box::new(Incomplete {
            report,
            fault: self,
            trace,
        }))
    }

    /// The error of a run that reports nothing.
    pub(super) fn without_report(self) -> RunError {
        match self {
            Self::Device(error) => error.into(),
            Self::UndefinedScore(reason) => RunError::NoScore(reason),
            fault => fault.of_run(None, None),
        }
    }
}
