//! Validation of a whole procedure: rows are split, a model is made of some and judged on the others.
//!
//! [`Scheme`] says how, [`Splits`] are the rows of each model, `Response` is what was observed, and `errors` weighs what models
//! predicted against it. Nothing here knows how models are selected.

mod bootstrap;
mod error;
mod errors;
mod events;
mod losses;
mod measure;
mod plain;
mod response;
mod scheme;
mod sizes;
mod splits;
mod survival;
#[cfg(test)]
mod tests;

pub use error::SchemeError;
pub(crate) use errors::{Errors, errors};
pub(crate) use measure::Measure;
pub use plain::PlainModel;
pub(crate) use response::{Judged, Observed, Predicted, Response};
pub use scheme::Scheme;
pub(crate) use sizes::{SizeErrors, errors_by_size};
pub use splits::{Split, Splits};
