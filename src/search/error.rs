//! Why a search could not run, or could not resume.

use thiserror::Error;

use super::settings::SettingsError;
use crate::{design::DesignError, device::DeviceError, threads::ThreadError};

/// Why a search could not run.
#[derive(Debug, Error)]
pub enum SearchError {
    /// A parameter outside its range, or a kept variable that those before it explain.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The threads could not be started.
    #[error(transparent)]
    Threads(#[from] ThreadError),
    /// The search cannot go on from the checkpoint.
    #[error("the checkpoint {0}")]
    Checkpoint(#[from] CheckpointError),
    /// A device asked for is absent, or cannot start.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The columns of a part of a formula cannot be made.
    #[error(transparent)]
    Design(#[from] DesignError),
}

/// Why a search cannot go on from a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CheckpointError {
    /// The text is no checkpoint.
    #[error("is no checkpoint of a search")]
    Foreign,
    /// The checkpoint was cut short or changed.
    #[error("is damaged")]
    Damaged,
    /// The checkpoint is of another version of passel, of other data or of other settings.
    #[error("is of {0}")]
    Other(String),
}
