//! What is wrong with a table, and how to mend it.

use thiserror::Error;

use super::FEWEST_ROWS;
use crate::{nearest::as_option, table::TableError};

/// Why a table makes no design.
///
/// `table` is its path as the caller named it; rows count observations from 1.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(
    missing_docs,
    reason = "the fields are the message's facts, described above"
)]
pub enum DesignError {
    /// A column is both kept and dropped.
    #[error("`{name}` is in both --keep and --drop: take it out of one")]
    KeptAndDropped { name: String },
    /// The response is text.
    #[error("the response `{name}` holds text (`{level}`), where numbers must be")]
    TextResponse { name: String, level: String },
    /// The weights are kept or dropped.
    #[error("`{name}` holds the weights: it cannot be in {option} too")]
    WeightsInList { name: String, option: &'static str },
    /// The weights are text.
    #[error("the weights `{name}` hold text (`{level}`), where numbers must be")]
    TextWeights { name: String, level: String },
    /// A weight below zero, or infinite.
    #[error(
        "{table}: {value} in row {row} of the weights `{name}` is no weight: those are finite and not below 0; mend the value, or write 0 to leave the observation out"
    )]
    Weight {
        table: String,
        name: String,
        row: usize,
        value: f64,
    },
    /// No observation has a weight.
    #[error(
        "{table}: all weights in `{name}` are 0: at least {FEWEST_ROWS} observations need one above 0"
    )]
    NoWeight { table: String, name: String },
    /// The response never changes.
    #[error("the response `{name}` is constant ({value}): there is nothing to explain")]
    ConstantResponse { name: String, value: f64 },
    /// Squares of the response leave the range of f64.
    #[error(
        "the response `{name}` has norm {norm:e}, whose square f64 cannot hold: change its unit"
    )]
    ResponseScale { name: String, norm: f64 },
    /// A variable is the response again.
    #[error(
        "`{name}` is the response `{response}` again, up to scale: leave it out with --drop {}", as_option(.name)
    )]
    ResponseCopied { response: String, name: String },
    /// What the table itself refuses: names of columns, missing values.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A policy that only binned columns can have.
    #[error(
        "--missing level makes missing values a level of their own, for methods that count levels; a regression has none: use refuse or drop-rows"
    )]
    MissingLevel,
    /// Another one.
    #[error(
        "--missing pairwise leaves observations out of one table of counts at a time, for methods that count levels; a regression has whole observations: use refuse or drop-rows"
    )]
    MissingPairwise,
    /// Too few observations.
    #[error("{table} has {n} observations: at least {FEWEST_ROWS} are needed")]
    FewRows { table: String, n: usize },
    /// No variable is left to choose from.
    #[error("{table} has no variable to choose from beside the response `{response}`{}", if *.set_aside == 0 { String::new() } else { format!(": {set_aside} were set aside, being constant or duplicates") })]
    NoVariables {
        table: String,
        response: String,
        set_aside: usize,
    },
    /// More candidates than are said to have been screened.
    #[error(
        "--p-total = {p_total} is below the {p} candidates in {table}: give the number before screening"
    )]
    Total {
        table: String,
        p_total: usize,
        p: usize,
    },
    /// A factor with a level of its own for every observation.
    #[error(
        "the factor `{name}` has a level of its own in each of {n} rows, like an identifier: leave it out with --drop {}", as_option(.name)
    )]
    Identifier { name: String, n: usize },
    /// More than fits into memory.
    #[error(
        "{table} makes a design matrix of {n} × {p}, more than fits into memory; most of it may come from `{widest}`"
    )]
    TooLarge {
        table: String,
        n: usize,
        p: usize,
        widest: String,
    },
    /// A value that is no number.
    #[error("{table}: {value} in row {row} of column `{name}` is not a finite number")]
    NotFinite {
        table: String,
        name: String,
        row: usize,
        value: f64,
    },
    /// A kept column cannot be in a model.
    #[error("--keep names `{name}`, which is {reason} and cannot be in a model")]
    KeptSetAside { name: String, reason: String },
    /// Names that do not fit the matrix.
    #[error("{names} names for {columns} columns: X needs one a column")]
    Names { names: usize, columns: usize },
    /// A kept column that X does not have.
    #[error("column {column} is to be kept, but X has {columns} columns, counted from 0")]
    KeptColumn { column: usize, columns: usize },
    /// Matrices whose shapes do not fit.
    #[error(
        "X is {rows} × {columns}, y has {y} values{}: each needs one a row",
        match weights == rows {
            true => String::new(),
            false => format!(" and there are {weights} weights"),
        }
    )]
    Shape {
        rows: usize,
        columns: usize,
        y: usize,
        weights: usize,
    },
}
