//! What a procedure can do wrong, and what can fail under it.

use thiserror::Error;

use crate::device::DeviceError;

/// An invalid call by a procedure, or a failure during one.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CallError {
    /// What is wrong with the call.
    #[error("{0}")]
    Invalid(String),
    /// A device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl CallError {
    pub(super) fn column(column: usize, p: usize) -> Self {
        Self::Invalid(format!("it named column {column} of {p}"))
    }

    pub(super) fn twice(column: usize) -> Self {
        Self::Invalid(format!("it chose column {column} twice"))
    }

    pub(crate) fn too_many(most: usize) -> Self {
        Self::Invalid(format!("it chose more than {most} variables"))
    }
}

/// Why a procedure failed; variables chosen before stand.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ProcedureError {
    /// The procedure returned this reason.
    #[error("{0}")]
    Failed(String),
    /// The procedure made an invalid call, or a device failed.
    #[error(transparent)]
    Call(#[from] CallError),
}
