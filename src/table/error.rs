//! Errors of reading a table: what is wrong, where, and how to mend it.

use std::error::Error;
use std::fmt::{self, Write as _};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::nearest::{as_option, did_you_mean, list};

/// Columns named in a message about missing values; the others are counted.
const COLUMNS_LISTED: usize = 8;

/// Missing values of one column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingColumn {
    /// The column's name.
    pub name: String,
    /// Missing values in it.
    pub count: usize,
    /// First observation without a value, counted from 1.
    pub first_row: usize,
}

/// Why a file could not become a [`Table`](super::Table).
///
/// `path` is the file as the caller named it. Lines count from 1 in the file, rows count
/// observations from 1, columns are named or count from 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(
    missing_docs,
    reason = "the fields are the message's facts, described above"
)]
pub enum TableError {
    /// The file's name has no known ending.
    #[error("{path}: the file's name tells its format and must end in {endings}")]
    UnknownFormat { path: String, endings: String },
    /// Another rank failed or is gone.
    #[error("{reason}")]
    Ranks { reason: String },
    /// The name of a file to be written has no ending that can be.
    #[error(
        "{path}: the file's name tells its format and must end in .csv, .tsv or .dat, \
         each optionally followed by .gz"
    )]
    UnwritableFormat { path: String },
    /// There is no such file.
    #[error("{path}: no such file")]
    NotFound { path: String },
    /// The path is a directory.
    #[error("{path}: a directory, not a file; name the file in it")]
    Directory { path: String },
    /// The file may not be read.
    #[error("{path}: no permission to read this file")]
    PermissionDenied { path: String },
    /// The operating system failed while reading.
    #[error("{path}: cannot be read: {source}")]
    Io { path: String, source: io::Error },
    /// The compressed stream is corrupt or cut off.
    #[error("{path}: not a whole gzip file ({source}); copy or compress it again")]
    Gzip { path: String, source: io::Error },
    /// The file is empty.
    #[error("{path}: empty; expected a header line with the columns' names, then the rows")]
    Empty { path: String },
    /// No observations.
    #[error("{path}: no observations: the file ends before the first row")]
    NoRows { path: String },
    /// No variables.
    #[error("{path}: no variables: it has no columns")]
    NoColumns { path: String },

    /// A header cell is empty.
    #[error("{path}: line {line}: column {column} has no name; give it one")]
    NoName {
        path: String,
        line: u64,
        column: usize,
    },
    /// A column without a name, where no line has the names.
    #[error("{path}: column {column} has no name; give it one")]
    UnnamedColumn { path: String, column: usize },
    /// Columns of different lengths, in memory.
    #[error("{path}: column `{column}` has {found} values, but {expected} are expected")]
    ColumnLength {
        path: String,
        column: String,
        found: usize,
        expected: usize,
    },
    /// The first header cell is empty, as R writes it above row names.
    #[error(
        "{path}: line {line}: the first column has no name, as R writes row names; \
         write the file with write.csv(..., row.names = FALSE), or name the column"
    )]
    RowNames { path: String, line: u64 },
    /// Two columns share a name.
    #[error("{path}: columns {first} and {second} are both named `{name}`; rename one")]
    DuplicateName {
        path: String,
        name: String,
        first: usize,
        second: usize,
    },
    /// A column to read as factor is not in the file.
    #[error(
        "{path}: no column `{name}` to read as a factor{}",
        did_you_mean(nearest)
    )]
    UnknownFactor {
        path: String,
        name: String,
        nearest: Option<String>,
    },
    /// Text that is not UTF-8.
    #[error("{path}: line {line}, column {column}: not UTF-8; save the file as UTF-8")]
    NotUtf8 {
        path: String,
        line: u64,
        column: usize,
    },
    /// A line above the header begins like one of passel's own, and is none.
    #[error(
        "{path}: line {line}: {} is neither `# passel simulate …` nor `# passel truth NAMES`; \
         mend or delete the line",
        shown(text)
    )]
    HeadLine {
        path: String,
        line: u64,
        text: String,
    },
    /// The list of true variables is not written like one.
    #[error(
        "{path}: line {line}: the true variables are names separated by commas, in double quotes \
         where a name holds one: {reason}"
    )]
    TruthList {
        path: String,
        line: u64,
        reason: &'static str,
    },
    /// A true variable is not in the file.
    #[error(
        "{path}: line {line}: the truth names `{name}`, which is no column{}",
        did_you_mean(nearest)
    )]
    UnknownTruth {
        path: String,
        line: u64,
        name: String,
        nearest: Option<String>,
    },
    /// Another number of fields than the header has.
    #[error(
        "{path}: line {line}, row {row}: {found} fields, but {expected} are expected; \
         mend the line"
    )]
    Ragged {
        path: String,
        line: u64,
        row: usize,
        found: usize,
        expected: usize,
    },
    /// A value that its column cannot hold.
    #[error("{path}: line {line}, row {row}: {}", fault.message(column, text))]
    Value {
        path: String,
        line: u64,
        row: usize,
        column: String,
        text: String,
        fault: ValueFault,
    },
    /// A quotation mark without its partner.
    #[error(
        "{path}: a quoted field is not closed (last record begins at line {line}); \
         close it, and double a quotation mark that is part of a value"
    )]
    UnclosedQuote { path: String, line: u64 },

    /// An infinite element.
    #[error("{path}: row {row}, column `{column}` is infinite; mend the value, or make it NaN")]
    InfiniteElement {
        path: String,
        row: usize,
        column: String,
    },
    /// Parquet is left out of this program.
    #[error(
        "{path}: this passel was built without Parquet; build it with \
         `cargo install --path . --features parquet`, or write the table as .csv"
    )]
    ParquetUnbuilt { path: String },
    /// An error that only files of one format can have, in a line or in the whole file.
    #[error("{path}: {}{source}", line.map_or_else(String::new, |line| format!("line {line}: ")))]
    Format {
        path: String,
        line: Option<u64>,
        source: Box<dyn Error + Send + Sync>,
    },

    /// No column was named as the response, and the format names none.
    #[error(
        "{path} does not say which column is the response: name it with --response (columns: {})",
        list(columns)
    )]
    NoResponse { path: String, columns: Vec<String> },
    /// An option names a column that is not there.
    #[error(
        "{option} names `{name}`, which is no column of {path}{}",
        did_you_mean(nearest)
    )]
    UnknownColumn {
        path: String,
        option: &'static str,
        name: String,
        nearest: Option<String>,
    },
    /// An option names the response.
    #[error("`{name}` is the response: it cannot be in {option} too")]
    ResponseInList { name: String, option: &'static str },

    /// Missing values, and the policy refuses them.
    #[error(
        "{path}: {total} missing values in {} of {} columns: {}; mend them, \
         leave out their rows with --missing drop-rows, or, for selectors and pairs, make them a \
         level with --missing level or leave them out table by table with --missing pairwise",
        columns.len(), width, missing_list(columns)
    )]
    Missing {
        path: String,
        total: usize,
        width: usize,
        columns: Vec<MissingColumn>,
    },
    /// Every row has a missing value.
    #[error(
        "{path}: each of the {rows} rows has a missing value, dropping them leaves none; \
         leave out the columns with the most missing values: {}",
        missing_list(columns)
    )]
    NoCompleteRow {
        path: String,
        rows: usize,
        columns: Vec<MissingColumn>,
    },
}

/// Why a column cannot hold a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueFault {
    /// Text in a column that began with numbers.
    Text,
    /// No number, where no factor could hold it.
    NoNumber,
    /// An infinite number, or one beyond the range of 64-bit floating point.
    Infinite,
}

impl ValueFault {
    fn message(self, column: &str, text: &str) -> String {
        let value = shown(text);
        match self {
            Self::Text => format!(
                "{value} in the numeric column `{column}`; mend the value, or read the column as \
                 a factor with --factor {}",
                as_option(column)
            ),
            Self::NoNumber => {
                format!("{value} in column `{column}` is no number; mend the value")
            }
            Self::Infinite => format!(
                "{value} in column `{column}` is infinite; mend the value, or write NA for a \
                 missing one"
            ),
        }
    }
}

/// A value for a message: quoted, control characters escaped, and cut where it is long.
pub(super) fn shown(text: &str) -> impl fmt::Display {
    const CHARACTERS: usize = 40;
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// Bytes of a file as text for a message.
pub(super) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl TableError {
    /// A message to or from the other ranks failed.
    pub(crate) fn ranks(error: io::Error) -> Self {
        Self::Ranks {
            reason: error.to_string(),
        }
    }

    /// An error that only files of one format can have, in the whole file.
    pub(super) fn format(path: &Path, source: impl Error + Send + Sync + 'static) -> Self {
        Self::Format {
            path: path.to_string_lossy().into_owned(),
            line: None,
            source: Box::new(source),
        }
    }
}

fn missing_list(columns: &[MissingColumn]) -> String {
    let mut list = String::new();
    for (place, column) in columns.iter().take(COLUMNS_LISTED).enumerate() {
        let MissingColumn {
            name,
            count,
            first_row,
        } = column;
        let comma = if place > 0 { ", " } else { "" };
        // Writing to a String cannot fail.
        let _ = write!(list, "{comma}`{name}` {count} (first in row {first_row})");
    }
    if let Some(more @ 1..) = columns.len().checked_sub(COLUMNS_LISTED) {
        let _ = write!(list, " and {more} more");
    }
    list
}
