//! Cox's regression of survival times, by its partial likelihood.
//!
//! `response.rs` who is at risk when; `sums.rs` sums over them; `state.rs` the likelihood and its derivatives, `products.rs`
//! these of several columns; `fit.rs` models; `bounds.rs` what a column more can do at most; `hazard.rs` what a fit says of
//! times.
//!
//! *Source:* D. R. Cox, Regression models and life-tables, Journal of the Royal Statistical Society B 34, 1972.

mod bounds;
mod fit;
mod hazard;
mod products;
mod response;
mod state;
mod sums;
#[cfg(test)]
mod tests;

pub(crate) use bounds::{NewPart, RiskBounds, RiskRoom};
pub use response::{SurvivalResponse, SurvivalTimes, Ties};
pub(crate) use state::RiskCurvature;
