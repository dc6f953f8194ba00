//! A selected model as what predicts: all that it needs of the data it was fitted to, and what it says of other data.
//!
//! [`Model::of`] takes it from a design and a fit, a report has it as JSON, and [`Model::predict`] makes fitted values and
//! intervals of a table that has its columns. Variables are centred where they were in the fit, so that no digits are lost
//! where means are large beside deviations.

mod checks;
mod columns;
mod combine;
mod curves;
mod equation;
mod error;
mod extrapolation;
mod formula_columns;
mod inputs;
mod intervals;
mod lacking;
mod levels;
mod model;
mod of_design;
mod options;
mod predict;
mod predictions;
mod survival;
mod units;

pub use columns::{Alleles, ModelColumn, ModelVariable};
pub use curves::HazardCurve;
pub use equation::Equation;
pub(crate) use equation::MOST_COVARIANCES;
pub use error::PredictionError;
pub use model::{MODEL_VERSION, Model};
pub use options::{IntervalKind, PredictionOptions, Scale, UnknownLevels};
pub use predictions::{LevelProbabilities, PredictedColumn, Predictions, SurvivalAt};

use serde::{Serializer, ser::Error};
use serde_json::value::to_raw_value;

/// Writes each list on a line of its own, where the rest is indented number by number.
fn rows_on_lines<S: Serializer>(rows: &[Vec<f64>], serializer: S) -> Result<S::Ok, S::Error> {
    let rows = rows.iter().map(to_raw_value).collect::<Result<Vec<_>, _>>();
    serializer.collect_seq(rows.map_err(S::Error::custom)?)
}

/// Writes a list on one line.
fn on_one_line<S: Serializer>(list: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    let raw = to_raw_value(list).map_err(S::Error::custom)?;
    serde::Serialize::serialize(&raw, serializer)
}
