//! What is wrong with a table or a saved rule, and how to mend it.

use std::io;

use thiserror::Error;

use super::{Binning, MOST_LEVELS};
use crate::{
    nearest::{as_option, did_you_mean},
    table::TableError,
};

/// Why a table makes no columns of codes.
///
/// `table` is its path as the caller named it; rows count observations from 1; `file` is what
/// was asked for as `edges:FILE`.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(
    missing_docs,
    reason = "the fields are the message's facts, described above"
)]
pub enum BinningError {
    /// The text is no rule.
    #[error("`{text}` is no binning, which is {}{}", Binning::RANGE, did_you_mean(&nearest.map(str::to_owned)))]
    NoRule {
        text: String,
        nearest: Option<&'static str>,
    },
    /// The response's levels cannot be made of themselves.
    #[error(
        "--bin-response mdlp: mdlp bins variables by the levels of the response, which must have them already: take --bin-response equal-frequency:5, say"
    )]
    MdlpOfResponse,
    /// No candidate is left.
    #[error("{table} has no variable to choose from beside the response")]
    NoVariables { table: String },
    /// What the table itself refuses: names of columns, missing values.
    #[error(transparent)]
    Table(#[from] TableError),
    /// More levels than codes can tell apart.
    #[error(
        "{table}: column `{name}` has {levels} levels, and {MOST_LEVELS} are the most: {}",
        match text {
            true => format!("leave it out with --drop {}", as_option(name)),
            false => format!("make fewer with {option} equal-width:10"),
        }
    )]
    Levels {
        table: String,
        name: String,
        levels: usize,
        text: bool,
        option: &'static str,
    },

    /// The file of rules cannot be read.
    #[error("{file}: cannot be read: {source}")]
    File { file: String, source: io::Error },
    /// The file of rules is something else.
    #[error(
        "{file}: neither a JSON report that has a `binning` nor such a binning itself: {source}"
    )]
    Json {
        file: String,
        source: serde_json::Error,
    },
    /// A saved rule that is none.
    #[error("{file}: the rule of `{name}` is none: {fault}")]
    Saved {
        file: String,
        name: String,
        fault: SavedFault,
    },
    /// No rule was saved for a column.
    #[error(
        "{table}: {file} has no rule for the column `{name}`: leave it out with --drop {}, or bin by another rule{}",
        as_option(name),
        did_you_mean(nearest)
    )]
    NoSavedRule {
        table: String,
        file: String,
        name: String,
        nearest: Option<String>,
    },
    /// A column of text for a rule of numbers, or the other way round.
    #[error(
        "{table}: column `{name}` holds {}",
        match text {
            true => format!("text, where {file} has a rule for numbers: mend the column"),
            false => format!("numbers, where {file} has levels of text: read it with --factor {}", as_option(name)),
        }
    )]
    Kind {
        table: String,
        file: String,
        name: String,
        text: bool,
    },
    /// A value that was no level when the rules were saved.
    #[error(
        "{table}: row {row} of column `{name}` {}, which was no level when {file} was saved: leave out the row, or bin by another rule",
        value.as_ref().map_or_else(|| "is missing".to_owned(), |value| format!("holds {value:?}"))
    )]
    Unseen {
        table: String,
        name: String,
        row: usize,
        value: Option<String>,
        file: String,
    },
}

/// What can be wrong with a saved rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SavedFault {
    /// Edges in another order.
    #[error("its edges do not ascend")]
    Edges,
    /// Levels in another order, or twice.
    #[error("its numbers do not ascend, each once")]
    Numbers,
    /// Levels twice.
    #[error("a text is there twice")]
    Texts,
    /// The code of missing values is not the last.
    #[error("the code of missing values is the number of its other levels")]
    Missing,
    /// More than codes can tell apart.
    #[error("it has more than {MOST_LEVELS} levels")]
    Levels,
    /// Two rules for one column.
    #[error("another column has that name")]
    Twice,
}
