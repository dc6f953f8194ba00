//! Errors of reading a table: what is wrong, where, and how to mend it.

use std::fmt;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::interrupt::Interrupted;
use crate::memory::MemoryError;
use crate::nearest::{either, list, near_or_listed, plural};

/// What is told of bytes that are no text.
pub(super) const NOT_UTF8: &str =
    "not UTF-8; if it is Latin-1, read it with --encoding latin1; or save the file as UTF-8";

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

impl fmt::Display for MissingColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, count, row) = (&self.name, self.count, self.first_row);
        write!(f, "`{name}` {count} (first in row {row})")
    }
}

/// Why a file could not become a [`Table`](super::Table).
///
/// `path` is the file as the caller named it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are the message's facts")]
pub enum TableError {
    /// The file's name has no known ending.
    #[error("{path}: {mend}the file's name tells its format and must end in {endings}")]
    UnknownFormat {
        path: String,
        /// What makes a file that is read of this one; empty where that is not known.
        mend: &'static str,
        endings: String,
    },
    /// There is no such file.
    #[error("{path}: no such file{}", match &near[..] {
        [] => String::new(),
        near => format!("; did you mean {}?", either(near)),
    })]
    NotFound { path: String, near: Vec<String> },
    /// The path is a directory.
    #[error("{path}: a directory, not a file; name the file in it")]
    Directory { path: String },
    /// The file may not be read.
    #[error("{path}: no permission to read this file")]
    PermissionDenied { path: String },
    /// The operating system failed while reading.
    #[error("{path}: cannot be read: {source}")]
    Io { path: String, source: io::Error },
    /// An interrupt ended the reading, or the making of a design or of codes.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// The compressed stream is corrupt or cut off.
    #[error("{path}: not a whole gzip file ({source}); copy or compress it again")]
    Gzip { path: String, source: io::Error },
    /// No observations.
    #[error("{path}: no observations: the file ends before the first row")]
    NoRows { path: String },
    /// No variables.
    #[error("{path}: no variables: it has no columns")]
    NoColumns { path: String },
    /// What the file or the table holds is not as it should be. Lines and rows count from 1, rows
    /// are observations.
    #[error("{path}: {}{message}", place(*line, *row))]
    Content {
        path: String,
        line: Option<u64>,
        row: Option<usize>,
        message: String,
    },
    /// No option names the response, and neither does the format.
    #[error(
        "{path} does not say which column is the response: name it with --response (columns: {}){}",
        list(columns.iter().map(String::as_str)), header_doubted(columns)
    )]
    NoResponse { path: String, columns: Vec<String> },
    /// An option names a column that is not there.
    #[error(
        "{option} names `{name}`, which is no column of {path}{}{}",
        near_or_listed(near, columns),
        header_doubted(columns)
    )]
    UnknownColumn {
        path: String,
        option: &'static str,
        name: String,
        /// Names near to it in spelling.
        near: Vec<String>,
        columns: Vec<String>,
    },
    /// An option names a column that has another part, as the response or the weights.
    #[error("`{name}` {part}: it cannot be in {option} too")]
    InList {
        name: String,
        part: &'static str,
        option: &'static str,
    },
    /// Missing values, and the policy refuses them.
    #[error(
        "{path}: {total} missing value{} in {} of {width} column{}: {}; mend them, \
         leave out their rows with --missing drop-rows, take the mean of their column with --missing mean (of regressions), \
         or, for selectors and pairs, make them a level with --missing level or leave them out table by table with \
         --missing pairwise",
        plural(*total), columns.len(), plural(*width), missing_list(columns)
    )]
    Missing {
        path: String,
        total: usize,
        width: usize,
        columns: Vec<MissingColumn>,
    },
    /// A column of text that misses values, which are to be means.
    #[error(
        "{path}: column `{name}` is a factor and misses {count} value{}, which have no mean: use --missing drop-rows, or \
         leave it out with --drop",
        if *count == 1 { "" } else { "s" }
    )]
    MeanOfFactor {
        path: String,
        name: String,
        count: usize,
    },
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
    /// The file's content would take more memory than the job may have.
    #[error("{path}: {source}")]
    Memory { path: String, source: MemoryError },
    /// Another rank failed or is gone.
    #[error(transparent)]
    Ranks(io::Error),
}

impl TableError {
    pub(crate) fn in_list(name: &str, part: &'static str, option: &'static str) -> Self {
        let name = name.to_owned();
        Self::InList { name, part, option }
    }

    pub(super) fn content(path: impl AsRef<Path>, fault: impl Into<Fault>) -> Self {
        fault.into().at(path.as_ref(), None)
    }

    /// An empty file; `expected` says what its format begins with.
    pub(crate) fn memory(path: impl AsRef<Path>, source: MemoryError) -> Self {
        let path = as_given(path.as_ref());
        Self::Memory { path, source }
    }

    pub(super) fn empty(path: impl AsRef<Path>, expected: &str) -> Self {
        Self::content(path, format!("empty; expected {expected}"))
    }

    pub(super) fn no_rows(path: impl AsRef<Path>) -> Self {
        let path = as_given(path.as_ref());
        Self::NoRows { path }
    }

    pub(super) fn no_columns(path: impl AsRef<Path>) -> Self {
        let path = as_given(path.as_ref());
        Self::NoColumns { path }
    }

    /// `row` counts from 0.
    pub(super) fn infinite_element(path: &Path, row: usize, column: &str) -> Self {
        let place = format!("row {}, column `{column}`", row + 1);
        let message = format!("{place} is infinite; mend the value, or make it NaN");
        Self::content(path, message)
    }

    /// `line` is where the last record begins.
    pub(super) fn open_quote(path: &Path, line: u64) -> Self {
        let message = format!(
            "a quoted field is not closed (last record begins at line {line}); close it, and \
             double a quotation mark that is part of a value"
        );
        Self::content(path, message)
    }

    pub(super) fn not_utf8(path: impl AsRef<Path>, line: u64, column: usize) -> Self {
        let place = format!("line {line}, column {column}");
        Self::content(path, format!("{place}: {NOT_UTF8}"))
    }
}

/// What is wrong, where the file and the line are known to the caller alone.
pub(super) struct Fault {
    row: Option<usize>,
    message: String,
}

impl Fault {
    pub(super) fn in_row(row: usize, message: String) -> Self {
        let row = Some(row);
        Self { row, message }
    }

    pub(super) fn ragged(row: usize, found: usize, expected: usize) -> Self {
        let message = format!("{found} fields, but {expected} are expected; mend the line");
        Self::in_row(row, message)
    }

    pub(super) fn at(self, path: &Path, line: Option<u64>) -> TableError {
        let Self { row, message } = self;
        TableError::Content {
            path: as_given(path),
            line,
            row,
            message,
        }
    }
}

impl<T: Into<String>> From<T> for Fault {
    fn from(message: T) -> Self {
        let (row, message) = (None, message.into());
        Self { row, message }
    }
}

/// Whether a path stands for standard input.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

pub(super) fn as_given(path: &Path) -> String {
    match is_standard_input(path) {
        true => "standard input".to_owned(),
        false => path.to_string_lossy().into_owned(),
    }
}

/// The end of a message about a name that is no column, where the columns' names are numbers.
fn header_doubted(columns: &[String]) -> &'static str {
    match columns.iter().all(|name| name.parse::<f64>().is_ok()) {
        true => "; if the first line holds values, read the file with --no-header",
        false => "",
    }
}

fn place(line: Option<u64>, row: Option<usize>) -> String {
    match (line, row) {
        (Some(line), Some(row)) => format!("line {line}, row {row}: "),
        (Some(line), None) => format!("line {line}: "),
        (None, _) => String::new(),
    }
}

/// A value for a message: quoted, control characters escaped, and cut where it is long.
pub(super) fn shown(text: &str) -> String {
    const CHARACTERS: usize = 40;
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// Bytes of a file for a message, as [`shown`].
pub(super) fn shown_bytes(bytes: &[u8]) -> String {
    shown(&String::from_utf8_lossy(bytes))
}

fn missing_list(columns: &[MissingColumn]) -> String {
    let listed = columns.iter().take(COLUMNS_LISTED);
    let list: Vec<String> = listed.map(ToString::to_string).collect();
    let mut list = list.join(", ");
    if let Some(more @ 1..) = columns.len().checked_sub(COLUMNS_LISTED) {
        list += &format!(" and {more} more");
    }
    list
}
