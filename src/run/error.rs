//! Why a job gave no report, or not all of it.

use std::{io, path::PathBuf};

use thiserror::Error;

use super::Report;
use crate::{
    binning::BinningError,
    design::DesignError,
    device::DeviceError,
    output::OutputError,
    search::{CheckpointError, SearchError},
    selector::{ProcedureError, SelectorError},
    simulate::SimulateError,
    table::TableError,
};

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
    /// A device that was asked for is not there, or failed before anything was found.
    #[error(transparent)]
    Device(#[from] DeviceError),
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
        source: Box<ProcedureError>,
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
            Self::Device(error)
            | Self::Selector(SelectorError::Device(error))
            | Self::Search(SearchError::Device(error)) => match error {
                DeviceError::NoSuchDevice { .. } => 2,
                _ => 1,
            },
            Self::Selector(SelectorError::Threads(_) | SelectorError::Matrix { .. })
            | Self::Search(SearchError::Threads(_)) => 1,
            Self::Search(_) | Self::Selector(_) | Self::FewRows { .. } => 2,
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
