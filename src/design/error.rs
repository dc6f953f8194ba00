//! What is wrong with a table.

use thiserror::Error;

use crate::table::TableError;

/// Why a table makes no design. The message names the table, the column and the mend.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DesignError {
    /// What the table itself refuses: names of columns, missing values.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Columns or options of which no design can be made.
    #[error("{0}")]
    Refused(String),
}

pub(super) fn refuse<T>(message: String) -> Result<T, DesignError> {
    Err(DesignError::Refused(message))
}
