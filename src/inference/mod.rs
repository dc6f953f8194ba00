//! Inference on the whole procedure, the choice of variables included.
//!
//! P-values and intervals of a selected model take it as given beforehand. Those here do not: by splits, where one half of the rows chooses
//! and the other estimates, or by the bootstrap, where each resample chooses anew.

mod bootstrap;
mod method;
mod splits;

pub use bootstrap::{Replicates, Uncorrected, bca_interval, percentile_interval};
pub use method::InferenceMethod;
pub use splits::{SplitEstimate, aggregated_p_value, false_discovery_rates, split_interval};
