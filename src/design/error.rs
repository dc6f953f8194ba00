//! What is wrong with a table, and how to mend it.

use thiserror::Error;

use super::FEWEST_ROWS;
use crate::{
    nearest::{as_option, did_you_mean, list},
    table::TableError,
};

/// Why a table makes no design.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DesignError {
    /// No column was named as the response.
    #[error("{table} does not say which column is the response: name it with --response (columns: {})", list(.columns))]
    NoResponse {
        /// The table.
        table: String,
        /// Its columns.
        columns: Vec<String>,
    },
    /// An option names a column that is not there.
    #[error("{option} names `{name}`, which is no column of {table}{}", did_you_mean(.nearest))]
    UnknownColumn {
        /// The table.
        table: String,
        /// The option that names it.
        option: &'static str,
        /// The name.
        name: String,
        /// The most similar name there is.
        nearest: Option<String>,
    },
    /// The response is kept or dropped.
    #[error("`{name}` is the response: it cannot be in {option} too")]
    ResponseInList {
        /// The response.
        name: String,
        /// The option that names it.
        option: &'static str,
    },
    /// A column is both kept and dropped.
    #[error("`{name}` is in both --keep and --drop: take it out of one")]
    KeptAndDropped {
        /// The column.
        name: String,
    },
    /// The response is text.
    #[error("the response `{name}` holds text (`{level}`), where numbers must be")]
    TextResponse {
        /// The response.
        name: String,
        /// One of its levels.
        level: String,
    },
    /// The weights are kept or dropped.
    #[error("`{name}` holds the weights: it cannot be in {option} too")]
    WeightsInList {
        /// The column of weights.
        name: String,
        /// The option that names it.
        option: &'static str,
    },
    /// The weights are text.
    #[error("the weights `{name}` hold text (`{level}`), where numbers must be")]
    TextWeights {
        /// The column of weights.
        name: String,
        /// One of its levels.
        level: String,
    },
    /// A weight below zero, or infinite.
    #[error(
        "{table}: {value} in row {row} of the weights `{name}` is no weight: those are finite and not below 0; mend the value, or write 0 to leave the observation out"
    )]
    Weight {
        /// The table.
        table: String,
        /// The column of weights.
        name: String,
        /// 1-based observation.
        row: usize,
        /// The value.
        value: f64,
    },
    /// No observation has a weight.
    #[error(
        "{table}: all weights in `{name}` are 0: at least {FEWEST_ROWS} observations need one above 0"
    )]
    NoWeight {
        /// The table.
        table: String,
        /// The column of weights.
        name: String,
    },
    /// The response never changes.
    #[error("the response `{name}` is constant ({value}): there is nothing to explain")]
    ConstantResponse {
        /// The response.
        name: String,
        /// Its only value.
        value: f64,
    },
    /// Squares of the response leave the range of f64.
    #[error(
        "the response `{name}` has norm {norm:e}, whose square f64 cannot hold: change its unit"
    )]
    ResponseScale {
        /// The response.
        name: String,
        /// Its norm about its mean.
        norm: f64,
    },
    /// A variable is the response again.
    #[error(
        "`{name}` is the response `{response}` again, up to scale: leave it out with --drop {}", as_option(.name)
    )]
    ResponseCopied {
        /// The response.
        response: String,
        /// The variable.
        name: String,
    },
    /// Missing values that the policy refuses, or none left.
    #[error(transparent)]
    Missing(#[from] TableError),
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
    FewRows {
        /// The table.
        table: String,
        /// Observations, after dropping rows.
        n: usize,
    },
    /// No variable is left to choose from.
    #[error("{table} has no variable to choose from beside the response `{response}`{}", if *.set_aside == 0 { String::new() } else { format!(": {set_aside} were set aside, being constant or duplicates") })]
    NoVariables {
        /// The table.
        table: String,
        /// The response.
        response: String,
        /// Variables set aside.
        set_aside: usize,
    },
    /// More candidates than are said to have been screened.
    #[error(
        "--p-total = {p_total} is below the {p} candidates in {table}: give the number before screening"
    )]
    Total {
        /// The table.
        table: String,
        /// Candidates before screening, as told.
        p_total: usize,
        /// Candidates in the table, after setting aside.
        p: usize,
    },
    /// A factor with a level of its own for every observation.
    #[error(
        "the factor `{name}` has a level of its own in each of {n} rows, like an identifier: leave it out with --drop {}", as_option(.name)
    )]
    Identifier {
        /// The column.
        name: String,
        /// Observations.
        n: usize,
    },
    /// More than fits into memory.
    #[error(
        "{table} makes a design matrix of {n} × {p}, more than fits into memory; most of it may come from `{widest}`"
    )]
    TooLarge {
        /// The table.
        table: String,
        /// Observations.
        n: usize,
        /// Variables, factors as their dummies.
        p: usize,
        /// The column with most of them.
        widest: String,
    },
    /// A value that is no number.
    #[error("{table}: {value} in row {row} of column `{name}` is not a finite number")]
    NotFinite {
        /// The table.
        table: String,
        /// The column.
        name: String,
        /// 1-based observation.
        row: usize,
        /// The value.
        value: f64,
    },
    /// A kept column cannot be in a model.
    #[error("--keep names `{name}`, which is {reason} and cannot be in a model")]
    KeptSetAside {
        /// The column.
        name: String,
        /// Why it was set aside.
        reason: String,
    },
    /// Names that do not fit the matrix.
    #[error("{names} names for {columns} columns: X needs one a column")]
    Names {
        /// Names given.
        names: usize,
        /// Columns of X.
        columns: usize,
    },
    /// A kept column that X does not have.
    #[error("column {column} is to be kept, but X has {columns} columns, counted from 0")]
    KeptColumn {
        /// The column.
        column: usize,
        /// Columns of X.
        columns: usize,
    },
    /// Matrices whose shapes do not fit.
    #[error(
        "X is {rows} × {columns}, y has {y} values{}: each needs one a row",
        match weights == rows {
            true => String::new(),
            false => format!(" and there are {weights} weights"),
        }
    )]
    Shape {
        /// Rows of X.
        rows: usize,
        /// Columns of X.
        columns: usize,
        /// Length of y.
        y: usize,
        /// Weights, or rows where there are none.
        weights: usize,
    },
}
