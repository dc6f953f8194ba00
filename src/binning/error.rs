//! What is wrong with a table or a saved rule.

use thiserror::Error;

use crate::table::TableError;

/// Why a table makes no columns of codes. The message names the table, the column and the mend.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BinningError {
    /// The text is no rule.
    #[error("{message}")]
    NoRule {
        /// The text, and what it may be.
        message: String,
        /// The rule that was meant, if one is near.
        nearest: Option<&'static str>,
    },
    /// What the table itself refuses: names of columns, missing values.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A column that the rules do not fit, or a file that holds none.
    #[error("{0}")]
    Refused(String),
}

pub(super) fn refuse<T>(message: String) -> Result<T, BinningError> {
    Err(BinningError::Refused(message))
}
