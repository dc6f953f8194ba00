//! What is wrong with a table or a saved rule, and how to mend it.

use std::io;

use thiserror::Error;

use super::{Binning, MOST_LEVELS};
use crate::{
    nearest::{as_option, plural, suggestion},
    table::TableError,
};

/// Why a table makes no columns of codes.
///
/// `table` is its path as the caller named it, `name` a column; rows count observations from 1.
/// `file` was asked for as `edges:FILE`; `nearest` is what was meant, if a name is near.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are the message's facts")]
pub enum BinningError {
    #[error("`{text}` is no binning, which is {}{}", Binning::RANGE, suggestion(*nearest))]
    NoRule {
        text: String,
        nearest: Option<&'static str>,
    },
    #[error(
        "--missing mean: levels are counted here, of which a mean is none: use refuse, drop-rows, level or pairwise"
    )]
    Mean,
    #[error(
        "--bin-response mdlp: mdlp bins variables by the levels of the response, which must have \
         them already: take --bin-response equal-frequency:5, say"
    )]
    MdlpOfResponse,
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(
        "{table} has {n} observation{}: at least 2 are needed, for one says nothing of any variable",
        plural(*n)
    )]
    TooFewRows { table: String, n: usize },
    #[error("{table} has no variable to choose from beside the response")]
    NoVariables { table: String },
    /// `option` gives another rule; of text there is none.
    #[error(
        "{table}: column `{name}` has {levels} levels, and {MOST_LEVELS} are the most: {}",
        match option {
            None => format!("leave it out with --drop {}", as_option(name)),
            Some(option) => format!("make fewer with {option} equal-width:10"),
        }
    )]
    Levels {
        table: String,
        name: String,
        levels: usize,
        option: Option<&'static str>,
    },
    #[error("{file}: {fault}: {source}")]
    File {
        file: String,
        fault: &'static str,
        source: io::Error,
    },
    #[error("{file}: the rule of `{name}` is none: {fault}")]
    Saved {
        file: String,
        name: String,
        fault: &'static str,
    },
    #[error(
        "{table}: {file} has no rule for the column `{name}`: leave it out with --drop {}, or bin \
         by another rule{}",
        as_option(name),
        suggestion(nearest.as_deref())
    )]
    NoSavedRule {
        table: String,
        file: String,
        name: String,
        nearest: Option<String>,
    },
    /// `text` is what the column holds, and the rule does not take.
    #[error(
        "{table}: column `{name}` holds {}",
        match text {
            true => format!("text, where {file} has a rule for numbers: mend the column"),
            false => format!(
                "numbers, where {file} has levels of text: read it with --factor {}",
                as_option(name)
            ),
        }
    )]
    Kind {
        table: String,
        file: String,
        name: String,
        text: bool,
    },
    #[error(
        "{table}: row {row} of column `{name}` {}, which was no level when {file} was saved: leave \
         out the row, or bin by another rule",
        value.as_ref().map_or("is missing".to_owned(), |level| format!("holds {level:?}"))
    )]
    Unseen {
        table: String,
        file: String,
        name: String,
        row: usize,
        value: Option<String>,
    },
}
