//! Cox's regression of survival times, by its partial likelihood.
//!
//! `response.rs` who is at risk when; `sums.rs` sums over them; `state.rs` the likelihood and its derivatives, `products.rs`
//! these of several columns; `bounds.rs` what a column more can do at most; `hazard.rs` what a fit says of times, `rows.rs` parts of them,
//! `proportional.rs` whether hazards are proportional, `residuals.rs` what each observation adds to the score. Models are fitted in [`super::joint`].
//!
//! *Source:* D. R. Cox, Regression models and life-tables, Journal of the Royal Statistical Society B 34, 1972.

mod bounds;
mod curve;
mod hazard;
mod products;
mod proportional;
mod residuals;
mod response;
mod rows;
mod state;
mod sums;
#[cfg(test)]
mod tests;

pub(crate) use bounds::{NewPart, RiskBounds, RiskRoom};
pub(crate) use proportional::{EventMoments, SurvivalStep};
pub use response::{SurvivalResponse, SurvivalTimes, Ties};
pub(crate) use rows::SurvivalRows;
pub use state::RiskCurvature;
pub(super) use state::{CoxState, informative};
