//! A selected model as what predicts: all that it needs of the data it was fitted to, and what it says of other data.
//!
//! [`Model::of`] takes it from a design and a fit, a report has it as JSON, and [`Model::predict`] makes fitted values and
//! intervals of a table that has its columns. Variables are centred where they were in the fit, so that no digits are lost
//! where means are large beside deviations.

mod checks;
mod columns;
mod combine;
mod equation;
mod error;
mod inputs;
mod intervals;
mod levels;
mod model;
mod of_design;
mod options;
mod predict;
mod predictions;
mod units;

pub use columns::{Alleles, ModelColumn, ModelVariable};
pub use equation::Equation;
pub(crate) use equation::MOST_COVARIANCES;
pub use error::PredictionError;
pub use model::{MODEL_VERSION, Model};
pub use options::{IntervalKind, PredictionOptions, Scale, UnknownLevels};
pub use predictions::{LevelProbabilities, PredictedColumn, Predictions};
