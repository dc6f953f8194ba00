//! What a report says of a selection, the choice of variables included.

use serde::{Deserialize, Serialize};

use super::Label;

/// P-values or intervals that account for the choice of variables.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Inference {
    /// `split` or `bootstrap`.
    pub method: Label,
    /// Splits, or resamples, that were asked for.
    pub wanted: usize,
    /// How many there were.
    pub done: usize,
    /// The column of clusters, whose rows are drawn together; none where rows are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The level of the intervals.
    pub level: f64,
    /// What the numbers promise, in one sentence.
    pub promise: Label,
    /// The variables, or terms, that were chosen at least once, the most often chosen first; at most 1,000.
    pub variables: Vec<InferredVariable>,
}

/// What splits or resamples say of one variable or term.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct InferredVariable {
    /// Its name.
    pub name: String,
    /// Whether the model of all rows has it.
    pub selected: bool,
    /// In how many splits or resamples it was chosen.
    pub chosen: usize,
    /// The median of its estimates: by splits over those that chose it, by the bootstrap over all, 0 where it was not chosen.
    /// None of a term of several coefficients.
    pub coefficient: Option<f64>,
    /// Of splits: the p-value, adjusted for all variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_value: Option<f64>,
    /// Of splits: the least false discovery rate at which it is found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub false_discovery_rate: Option<f64>,
    /// The lower end of its interval, by splits or by the bias-corrected and accelerated bootstrap; null where it has no end, or
    /// there is none.
    pub lower: Option<f64>,
    /// The upper end.
    pub upper: Option<f64>,
    /// Of the bootstrap: the lower end by percentiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percentile_lower: Option<f64>,
    /// The upper end by percentiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percentile_upper: Option<f64>,
    /// Of the bootstrap why there is no corrected interval: `jump`, for it would leave out 0, which too many resamples are, or `bias`, for
    /// it would leave out the median of the resamples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncorrected: Option<Label>,
}
