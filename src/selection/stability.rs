//! The result of stability selection.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Elapsed, StopReason, Truth};

/// How often each variable was chosen from resamples, and which are selected for it. Serialised
/// as it stands, it is the JSON of the program: fields are added, never renamed.
#[derive(Debug, Clone, Serialize)]
pub struct StabilityReport {
    /// The version of passel that made it.
    pub passel: &'static str,
    /// Name and parameters of the method that chose, and its plugin, where it is of one.
    pub method: Map<String, Value>,
    /// Name and parameters of the criterion; none where the method has none.
    pub criterion: Option<Map<String, Value>>,
    /// The rules asked for by which values became codes, anew in each resample; none of a
    /// regression.
    pub binning: Option<Map<String, Value>>,
    /// The name of the response.
    pub response: String,
    /// Observations that were resampled.
    pub n: usize,
    /// Candidates: columns of the file, a factor being one, without those kept.
    pub p: usize,
    /// Variables that every model holds: they are not chosen, and counted nowhere.
    pub kept: Vec<String>,
    /// `complementary`, `subsample` or `bootstrap`.
    pub resampling: &'static str,
    /// Resamples that were to be done; of complementary pairs both halves.
    pub wanted: usize,
    /// Those done, which everything below is of.
    pub resamples: usize,
    /// Rows of each.
    pub rows: usize,
    /// Candidates chosen from a resample, on average.
    pub q: f64,
    /// The expected number of false picks that is allowed; none where the cut-off was given.
    pub false_picks: Option<f64>,
    /// What decides: the name of a bound, or `given`.
    pub decides: &'static str,
    /// The cut-off: variables of this frequency and above are selected; none where no cut-off
    /// keeps what is allowed.
    pub cutoff: Option<f64>,
    /// The bounds of this kind of resamples.
    pub bounds: Vec<StabilityBound>,
    /// How many are selected.
    pub k: usize,
    /// The selected variables, the most frequent first.
    pub selected: Vec<StableVariable>,
    /// All that were chosen at least once, the most frequent first, of equal ones the file's first.
    pub variables: Vec<StableVariable>,
    /// How many of the variables that the file marks as true were selected.
    pub truth: Option<Truth>,
    /// The seed of resamples and selections.
    pub seed: u64,
    /// What the selections ran on.
    pub devices: Vec<String>,
    /// `done`, or `interrupted`: then it is of the resamples done before.
    pub termination: StopReason,
    /// Wall-clock seconds.
    pub elapsed_seconds: Elapsed,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

/// A bound on the expected number of false picks, at the least cut-off that keeps what is
/// allowed, or at the one given.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StabilityBound {
    /// `meinshausen-buehlmann`, `worst-case`, `unimodal` or `r-concave`.
    pub name: &'static str,
    /// The cut-off; none where none keeps what is allowed.
    pub cutoff: Option<f64>,
    /// The bound there, at 1 where there is no cut-off; none where it says nothing there.
    pub false_picks: Option<f64>,
    /// The variables whose frequency reaches the cut-off, as `selected` has them.
    pub variables: Vec<String>,
}

/// A variable and how often it was chosen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StableVariable {
    /// The column's name.
    pub name: String,
    /// 0-based position of the column in the file with response and weights taken out; the
    /// dummies of a factor are one variable, chosen where one of them is.
    pub index: usize,
    /// The share of resamples it was chosen from.
    pub frequency: f64,
    /// How many these are.
    pub count: usize,
    /// The share of complementary pairs from both halves of which it was chosen; none where
    /// there are no pairs.
    pub simultaneous: Option<f64>,
}
