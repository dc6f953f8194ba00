//! Why a model cannot predict what a table asks for.

use crate::{
    formula::FormulaError,
    nearest::{list, near_or_listed},
};

/// Why there is no prediction. Rows are observations and count from 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are the message's facts")]
pub enum PredictionError {
    /// The table lacks a column that the model uses.
    #[error(
        "{path}: the model needs the column `{name}`, which is not there{}",
        near_or_listed(near, columns)
    )]
    NoColumn {
        path: String,
        name: String,
        /// Names near to it in spelling.
        near: Vec<String>,
        columns: Vec<String>,
    },
    /// A column of numbers is text.
    #[error(
        "{path}: column `{name}` was numbers where the model was fitted, and is text here: `{level}` in row {row}{}",
        match are_dates { true => "; --date reads dates as numbers", false => "; name words that mean a missing value with --na" }
    )]
    Text {
        path: String,
        name: String,
        level: String,
        row: usize,
        are_dates: bool,
    },
    /// A level that no observation of the fit had.
    #[error(
        "{path}: column `{name}` has in row {row} the level `{level}`, which no observation of the fit had (levels: {}); mend \
         it, or leave such rows without a prediction by --unknown-levels missing",
        list(levels.iter().map(String::as_str))
    )]
    UnknownLevel {
        path: String,
        name: String,
        level: String,
        row: usize,
        levels: Vec<String>,
    },
    /// A weight that is none.
    #[error(
        "{path}: column `{name}` holds the weight {weight} in row {row}, and weights are not negative: mend it, or leave the row out"
    )]
    NegativeWeight {
        path: String,
        name: String,
        weight: f64,
        row: usize,
    },
    /// The alleles of a variant are none of those of the fit.
    #[error(
        "{path}: the variant {name} has the alleles {found}; where the model was fitted they were {expected}{mend}"
    )]
    Alleles {
        path: String,
        name: String,
        /// Both, and which of them is counted.
        found: String,
        expected: String,
        mend: &'static str,
    },
    /// What a formula makes of the values.
    #[error("{path}: {source}")]
    Formula { path: String, source: FormulaError },
    /// Intervals that such models have none of.
    #[error("{reason}: leave --interval out")]
    NoInterval { reason: &'static str },
    /// Intervals of new observations that such models have none of.
    #[error(
        "a new observation of the family {family} has no interval: --interval mean has that of its mean"
    )]
    NoObservationInterval { family: String },
    /// Times are asked for of another response.
    #[error("a model of the family {family} has no survival curves: leave --times out")]
    NoCurves { family: String },
    /// A report of one model alone.
    #[error("the report has no other models than the selected one to average over")]
    NoAverage,
    /// A model that a later version made.
    #[error(
        "its model has version {found}, and this program reads versions up to {known}: use the version of passel that made it, or a later one"
    )]
    Version { found: u32, known: u32 },
    /// The parts of a model do not fit each other.
    #[error("the model is damaged: {what}; select it again")]
    Damaged { what: String },
}
