//! Why data cannot be simulated.

use thiserror::Error;

/// Why a model cannot be drawn.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SimulateError {
    /// A setting outside its limits.
    #[error("{option} = {value} must be {limit} in the model {model}")]
    Limit {
        /// The model.
        model: &'static str,
        /// The setting.
        option: &'static str,
        /// The value.
        value: String,
        /// The values that are allowed.
        limit: String,
    },
    /// More than fits into memory.
    #[error("a table of {n} × {p} is more than fits into memory: ask for a smaller one")]
    TooLarge {
        /// Observations.
        n: usize,
        /// Variables.
        p: usize,
    },
    /// Xβ is the same in all observations, so that no noise has the ratio that is asked for.
    #[error(
        "no true variable varies among the {n} observations: raise n, or the frequencies of --maf"
    )]
    Constant {
        /// Observations.
        n: usize,
    },
}
