//! The result of a selector: variables in the order of choice.

use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};

use super::{Elapsed, Independence, RankSummary, Truth};
use crate::{design::SetAside, device::DeviceError};

/// A selection by a selector of a plugin. Serialised as it stands, it is the JSON of the
/// program: fields are added, never renamed.
#[derive(Debug, Clone, Serialize)]
pub struct Ranking {
    /// The version of passel that made it.
    pub passel: &'static str,
    /// Name, parameters and plugin of the selector.
    pub method: Map<String, Value>,
    /// There is none.
    pub criterion: Option<()>,
    /// The name of the response.
    pub response: String,
    /// Levels of the response.
    pub classes: usize,
    /// Observations used.
    pub n: usize,
    /// Candidates.
    pub p: usize,
    /// How many were chosen.
    pub k: usize,
    /// In the order of choice.
    pub selected: Vec<RankedVariable>,
    /// The winner that permutations did not find significant; none where they ended nothing.
    pub refused: Option<RejectedVariable>,
    /// The rule of permutations, where there is one.
    pub stop: Option<StopRule>,
    /// The seed of the permutations, where there are any; of a selector that runs, its own.
    pub seed: Option<u64>,
    /// The rules by which values became codes, on one line: see [`crate::binning::SavedBinning`].
    pub binning: Box<RawValue>,
    /// None: every column is a candidate here.
    pub set_aside: Vec<SetAside>,
    /// How many of the variables that the file marks as true were chosen.
    pub truth: Option<Truth>,
    /// What counted.
    pub devices: Vec<String>,
    /// Counts are integers, and scores fixed-point numbers.
    pub precision: &'static str,
    /// Why it ended.
    pub termination: StopReason,
    /// The ranks that did it together, where it was not one process.
    #[serde(rename = "together", skip_serializing_if = "Option::is_none")]
    pub rank_summary: Option<RankSummary>,
    /// Wall-clock seconds.
    pub elapsed_seconds: Elapsed,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

/// A chosen variable by its name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankedVariable {
    /// The column's name.
    pub name: String,
    /// 0-based position of the column in the file with the response taken out.
    pub index: usize,
    /// See [`ChosenColumn::score`].
    pub score: f64,
    /// See [`ChosenColumn::relevance`].
    pub relevance: f64,
    /// See [`ChosenColumn::redundancy`].
    pub redundancy: Option<f64>,
    /// See [`ChosenColumn::independence`].
    #[serde(flatten)]
    pub independence: Independence,
    /// See [`ChosenColumn::permutation_p`].
    pub permutation_p: Option<f64>,
}

/// A rule of permutations, as the report tells it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StopRule {
    /// `permutation`.
    pub rule: &'static str,
    /// Permutations of each step.
    pub n: usize,
    /// The largest p-value with which a variable joins.
    pub alpha: f64,
}

/// The winner before which a selection ended, by its name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RejectedVariable {
    /// The column's name.
    pub name: String,
    /// As [`RankedVariable::index`].
    pub index: usize,
    /// See [`RejectedColumn::score`].
    pub score: f64,
    /// See [`RejectedColumn::permutation_p`].
    pub permutation_p: f64,
}

/// All variables and the best pairs. Serialised as it stands, it is the JSON of the program.
#[derive(Debug, Clone, Serialize)]
pub struct PairsReport {
    /// The version of passel that made it.
    pub passel: &'static str,
    /// Name and plugin of the pair score.
    pub method: Map<String, Value>,
    /// The name of the response.
    pub response: String,
    /// Levels of the response.
    pub classes: usize,
    /// Observations used.
    pub n: usize,
    /// Variables.
    pub p: usize,
    /// Every variable, in the file's order.
    pub single: Vec<SingleVariable>,
    /// The best first.
    pub pairs: Vec<VariablePair>,
    /// Where they were asked for: of every variable its best partner, in the file's order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partners: Option<Vec<VariablePartner>>,
    /// See [`Ranking::binning`].
    pub binning: Box<RawValue>,
    /// What counted.
    pub devices: Vec<String>,
    /// Counts are integers, and scores fixed-point numbers.
    pub precision: &'static str,
    /// Why it ended.
    pub termination: StopReason,
    /// The ranks that did it together, where it was not one process.
    #[serde(rename = "together", skip_serializing_if = "Option::is_none")]
    pub rank_summary: Option<RankSummary>,
    /// Wall-clock seconds.
    pub elapsed_seconds: Elapsed,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

/// One variable and what it tells alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SingleVariable {
    /// The column's name.
    pub name: String,
    /// As [`RankedVariable::index`].
    pub index: usize,
    /// I(x;y) in nats.
    pub score: f64,
    /// See [`Independence::p_value`].
    pub p_value: f64,
}

/// A pair by its names.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariablePair {
    /// The one that comes first in the file.
    pub a: String,
    /// The other.
    pub b: String,
    /// As [`RankedVariable::index`].
    pub a_index: usize,
    /// The same of the other.
    pub b_index: usize,
    /// See [`ColumnPair::score`].
    pub score: f64,
    /// See [`ColumnPair::synergy`].
    pub synergy: f64,
}

/// A variable and the other with which it scores best, by their names; all of the other is none
/// where there is none, or no score may be chosen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariablePartner {
    /// The variable.
    pub name: String,
    /// As [`RankedVariable::index`].
    pub index: usize,
    /// The other; of equal scores the one that comes first in the file.
    pub partner: Option<String>,
    /// As `index`, of the other.
    pub partner_index: Option<usize>,
    /// See [`ColumnPair::score`].
    pub score: Option<f64>,
    /// See [`ColumnPair::synergy`].
    pub synergy: Option<f64>,
}

/// A chosen variable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChosenColumn {
    /// Its place among the columns.
    pub column: usize,
    /// The score it was chosen for, in nats.
    pub score: f64,
    /// Its relevance, in nats.
    pub relevance: f64,
    /// Mean of I(x;w) over the variables w chosen before it, in nats; none for the first.
    pub redundancy: Option<f64>,
    /// Whether it and the response are independent.
    pub independence: Independence,
    /// The share of permutations whose best candidate scores no less, itself counted; none
    /// where no test was asked for.
    pub permutation_p: Option<f64>,
}

/// A winner that was not chosen, for its p-value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RejectedColumn {
    /// Its place among the columns.
    pub column: usize,
    /// The score it won by, in nats.
    pub score: f64,
    /// As [`ChosenColumn::permutation_p`].
    pub permutation_p: f64,
}

/// What a selector found.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedColumns {
    /// In the order of choice.
    pub chosen: Vec<ChosenColumn>,
    /// Where permutations ended it: the winner that was not chosen.
    pub refused: Option<RejectedColumn>,
    /// Why it ended.
    pub termination: StopReason,
    /// What counted.
    pub devices: Vec<String>,
    /// Wall-clock seconds of laying out the columns.
    pub starting: f64,
    /// Wall-clock seconds of the selection.
    pub seconds: f64,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// A device that failed; what was chosen before stands.
    pub fault: Option<DeviceError>,
}

/// Two variables and their score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnPair {
    /// Places among the columns, a < b.
    pub a: usize,
    /// See `a`.
    pub b: usize,
    /// In nats.
    pub score: f64,
    /// I((a,b);y) − I(a;y) − I(b;y), in nats.
    pub synergy: f64,
}

/// The variable that another scores best with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnPartner {
    /// Its place among the columns.
    pub column: usize,
    /// As [`ColumnPair::score`].
    pub score: f64,
    /// As [`ColumnPair::synergy`].
    pub synergy: f64,
}

/// Every variable, and the best pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct PairScan {
    /// I(x;y) of every column, in nats, and the p-value of its independence.
    pub single: Vec<(f64, f64)>,
    /// The best first.
    pub pairs: Vec<ColumnPair>,
    /// Where they were wanted: of every column the partner, of equal scores the lowest; none
    /// where there is none, or no score may be chosen.
    pub partners: Vec<Option<ColumnPartner>>,
    /// Where it was wanted: the score of every two, p × p by rows, in nats; of each with itself
    /// on the diagonal.
    pub matrix: Vec<f64>,
    /// Why it ended.
    pub termination: StopReason,
    /// What counted.
    pub devices: Vec<String>,
    /// What a reader should know besides.
    pub notes: Vec<String>,
    /// Wall-clock seconds of laying out the columns.
    pub starting: f64,
    /// Wall-clock seconds of counting.
    pub seconds: f64,
    /// A device that failed.
    pub fault: Option<DeviceError>,
}

/// Why a selector ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// As many variables were chosen as were asked for, or as there are.
    Top,
    /// No candidate's score reaches the threshold.
    Threshold,
    /// No candidate's score is above zero.
    Zero,
    /// The best candidate is no better than the best of chance.
    Permutation,
    /// Interrupted from outside: what was chosen before is reported.
    Interrupted,
    /// A device or a plugin failed: what was chosen before is reported.
    Fault,
    /// The time limit was reached.
    TimeLimit,
    /// The selector chose all that it wanted to.
    Done,
}
