//! Cox's regression of survival times, by its partial likelihood.
//!
//! `response.rs` who is at risk when; `state.rs` the likelihood and its derivatives; `fit.rs` models; `hazard.rs` what a fit
//! says of times.
//!
//! *Source:* D. R. Cox, Regression models and life-tables, Journal of the Royal Statistical Society B 34, 1972.

mod fit;
mod hazard;
mod response;
mod state;
#[cfg(test)]
mod tests;

pub use response::{SurvivalResponse, SurvivalTimes, Ties};
pub(crate) use state::RiskCurvature;
