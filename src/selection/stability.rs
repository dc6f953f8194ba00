//! The report of stability selection.

use serde::{Deserialize, Serialize};

use super::{BinningRules, Label, NamedParameters, ResponseFamily, RunSummary, Truth};

/// How often each variable was chosen from resamples, and which are selected for it.
///
/// *Source:* N. Meinshausen and P. Bühlmann, Stability selection (2010); R. Shah and R. Samworth,
/// Variable selection with error control: another look at stability selection (2013).
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StabilityReport {
    /// The version of passel that made the report.
    pub passel: Label,
    /// The data file as it was given.
    pub data: Option<String>,
    /// The method that chose from each resample, and its plugin, where it has one.
    pub method: NamedParameters,
    /// The criterion; none where the method has none.
    pub criterion: Option<NamedParameters>,
    /// The rules by which the values of each resample became codes; none for a regression.
    pub binning: Option<BinningRules>,
    /// The name of the response.
    pub response: String,
    /// The formula whose terms are the candidates; none without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// What kind of response it is, of models of maximum likelihood; none of others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<ResponseFamily>,
    /// The column of weights; none where all observations count alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
    /// Observations that were resampled.
    pub n: usize,
    /// Candidates: columns of the file, a factor being one, without those kept.
    pub p: usize,
    /// Variables that every model holds: they are not chosen, and counted nowhere.
    pub kept: Vec<String>,
    /// `complementary`, `subsample` or `bootstrap`.
    pub resampling: Label,
    /// Resamples asked for; of complementary pairs both halves count.
    pub wanted: usize,
    /// Resamples done: all that follows is about these.
    pub resamples: usize,
    /// Rows of each resample.
    pub rows: usize,
    /// Candidates chosen from a resample, on average.
    pub q: f64,
    /// The expected number of false picks that is allowed; none where the cut-off was given.
    pub false_picks: Option<f64>,
    /// What set the cut-off: the name of a bound, or `given`.
    pub decides: Label,
    /// Variables of this frequency and above are selected; none where no cut-off keeps the allowed
    /// number of false picks.
    pub cutoff: Option<f64>,
    /// The bounds that hold for this kind of resampling.
    pub bounds: Vec<StabilityBound>,
    /// Selected variables.
    pub k: usize,
    /// The selected variables, the most frequent first.
    pub selected: Vec<StableVariable>,
    /// All variables chosen at least once, the most frequent first, in the file's order where
    /// equally frequent.
    pub variables: Vec<StableVariable>,
    /// How much of the true model was selected; none where the file marks no true variables.
    pub truth: Option<Truth>,
    /// The seed of resamples and selections.
    pub seed: u64,
    /// Where and how the selections ran: it ended `done`, or `interrupted` or at its
    /// `time-limit` before all resamples were done.
    #[serde(flatten)]
    pub run: RunSummary,
}

/// A bound on the expected number of false picks, at the cut-off given, or else at the least one
/// that keeps the allowed number.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StabilityBound {
    /// `meinshausen-buehlmann`, `worst-case`, `unimodal` or `r-concave`.
    pub name: Label,
    /// The cut-off; none where none keeps the allowed number.
    pub cutoff: Option<f64>,
    /// The bound at the cut-off, or at 1 without one; none where the bound does not apply there.
    pub false_picks: Option<f64>,
    /// The variables whose frequency reaches the cut-off, the most frequent first.
    pub variables: Vec<String>,
}

/// A variable and how often it was chosen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StableVariable {
    /// The column's name.
    pub name: String,
    /// 0-based position of the column in the file with response and weights taken out; the
    /// dummies of a factor are one variable, chosen where one of them is.
    pub index: usize,
    /// The share of resamples from which it was chosen.
    pub frequency: f64,
    /// The number of resamples from which it was chosen.
    pub count: usize,
    /// The share of complementary pairs from both halves of which it was chosen; none for other
    /// resampling.
    pub simultaneous: Option<f64>,
}
