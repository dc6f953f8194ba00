//! What a procedure can do wrong, and what can fail under it.

use thiserror::Error;

use crate::device::DeviceError;

/// An invalid call by a procedure, or a failure during one.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CallError {
    /// A column does not exist.
    #[error("it named column {column} of {p}")]
    Column {
        /// The column.
        column: usize,
        /// The number of candidates.
        p: usize,
    },
    /// A variable was chosen twice.
    #[error("it chose column {column} twice")]
    Twice {
        /// The column.
        column: usize,
    },
    /// More variables were chosen than are allowed.
    #[error("it chose more than {most} variables")]
    TooMany {
        /// The largest number.
        most: usize,
    },
    /// A score is not finite.
    #[error("its score of column {column} is {score}")]
    Score {
        /// The column.
        column: usize,
        /// NaN, or an infinity.
        score: f64,
    },
    /// An anchor is not finite.
    #[error("its anchor {at} holds {value}")]
    Anchor {
        /// The number of the anchor, from 0.
        at: usize,
        /// The value in it.
        value: f64,
    },
    /// A sweep for more candidates than there are.
    #[error("it asked for the {wanted} strongest of {p} candidates")]
    Wanted {
        /// The number asked for.
        wanted: usize,
        /// The number of candidates.
        p: usize,
    },
    /// A call that this kind of problem does not have.
    #[error("it asked for {what}, which {of} does not have")]
    NotLent {
        /// What was called for.
        what: &'static str,
        /// The kind of problem.
        of: &'static str,
    },
    /// A pointer is null that must not be.
    #[error("it handed over a null pointer, not {what}")]
    Null {
        /// What it should point to.
        what: &'static str,
    },
    /// An array is larger than any memory.
    #[error("it handed over {what} that no memory can hold")]
    Room {
        /// The array.
        what: &'static str,
    },
    /// A device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A panic in passel itself.
    #[error("passel itself failed: {0}")]
    Broken(String),
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
