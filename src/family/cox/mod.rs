//! Cox's regression of survival times, by its partial likelihood.
//!
//! `response.rs` who is at risk when; `state.rs` the likelihood and its derivatives; `hazard.rs` what a fit says of times.
//! Models are fitted in [`super::joint`].
//!
//! *Source:* D. R. Cox, Regression models and life-tables, Journal of the Royal Statistical Society B 34, 1972.

mod hazard;
mod response;
mod state;
#[cfg(test)]
mod tests;

pub use response::{SurvivalResponse, SurvivalTimes, Ties};
pub use state::RiskCurvature;
pub(super) use state::{CoxState, informative};
