//! Reports of selectors and of pair scores: variables by name.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    ChosenColumn, Label, NamedParameters, RejectedColumn, RunSummary, StopReason, Truth,
    number_or_nan,
};
use crate::design::SetAside;

/// Variables in the order in which a selector of a plugin chose them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Ranking {
    /// The version of passel that made the report.
    pub passel: Label,
    /// The data file as it was given.
    pub data: Option<String>,
    /// The selector, its parameters and its plugin.
    pub method: NamedParameters,
    /// Always null, where a [`Selection`](super::Selection) has its criterion: a selector minimises
    /// none.
    pub criterion: Option<()>,
    /// The name of the response.
    pub response: String,
    /// Levels of the response.
    pub classes: usize,
    /// Observations used.
    pub n: usize,
    /// Candidate variables.
    pub p: usize,
    /// Chosen variables.
    pub k: usize,
    /// The chosen variables, in the order of choice.
    pub selected: Vec<RankedVariable>,
    /// The best candidate that failed the permutation test, where that ended the selection.
    pub refused: Option<RejectedVariable>,
    /// The permutation test, where one was asked for.
    pub stop: Option<StopRule>,
    /// How entropies were corrected for their bias: `miller-madow`; none of plug-in estimates.
    pub correction: Option<Label>,
    /// The seed of the permutations, or of a selector that draws numbers itself.
    pub seed: Option<u64>,
    /// The rules by which values became codes, on one line: see [`crate::binning::SavedBinning`].
    pub binning: Box<RawValue>,
    /// Always empty: a selector has every column as a candidate.
    pub set_aside: Vec<SetAside>,
    /// How much of the true model was chosen; none where the file marks no true variables.
    pub truth: Option<Truth>,
    /// Where and how it ran.
    #[serde(flatten)]
    pub run: RunSummary,
}

/// A chosen variable.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RankedVariable {
    /// The column's name.
    pub name: String,
    /// 0-based position of the column in the file with the response taken out.
    pub index: usize,
    /// What it was chosen for.
    #[serde(flatten)]
    pub choice: ChosenColumn,
}

/// A permutation test that ends a selection.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StopRule {
    /// `permutation`.
    pub rule: Label,
    /// Permutations of each step.
    pub n: usize,
    /// The largest p-value with which a variable joins.
    pub alpha: f64,
    /// Whether scores are standardised by each candidate's own permutations.
    pub standardised: bool,
}

impl fmt::Display for StopRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, n, alpha, .. } = self;
        let raw = if self.standardised { "" } else { "raw," };
        write!(f, "{rule}:{raw}n={n},alpha={alpha}")
    }
}

/// The best candidate of the step at which a permutation test ended the selection.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RejectedVariable {
    /// The column's name.
    pub name: String,
    /// As [`RankedVariable::index`].
    pub index: usize,
    /// What it was refused for.
    #[serde(flatten)]
    pub rejection: RejectedColumn,
}

/// Every variable alone, and the best pairs.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PairsReport {
    /// The version of passel that made the report.
    pub passel: Label,
    /// The data file as it was given.
    pub data: Option<String>,
    /// The pair score and its plugin.
    pub method: NamedParameters,
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
    /// The best pairs, best first.
    pub pairs: Vec<VariablePair>,
    /// The share of all pairs that were scored, about, where the scan was cut short: the best pairs
    /// may be among the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scored: Option<f64>,
    /// The best partner of every variable, in the file's order, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partners: Option<Vec<VariablePartner>>,
    /// The rules by which values became codes, on one line: see [`crate::binning::SavedBinning`].
    pub binning: Box<RawValue>,
    /// Where and how it ran.
    #[serde(flatten)]
    pub run: RunSummary,
}

impl PairsReport {
    /// The number of all pairs.
    pub(crate) fn all(&self) -> usize {
        self.p * self.p.saturating_sub(1) / 2
    }

    /// What cut the scan short and how much of it was done; nothing where it is complete.
    pub(crate) fn cut_short(&self) -> Option<String> {
        let cause = match self.run.termination {
            StopReason::Interrupted => "interrupted",
            StopReason::TimeLimit => "time limit",
            StopReason::Fault => return Some("a device failed: not all were scored".to_owned()),
            _ => return None,
        };
        let part = self.scored.map_or("not all".to_owned(), |share| {
            format!("about {:.0} %", 100.0 * share)
        });
        Some(format!("{cause}: {part} were scored"))
    }
}

/// What one variable tells about the response by itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SingleVariable {
    /// The column's name.
    pub name: String,
    /// As [`RankedVariable::index`].
    pub index: usize,
    /// I(x;y) in nats.
    #[serde(deserialize_with = "number_or_nan")]
    pub score: f64,
    /// See [`Independence::p_value`](super::Independence::p_value).
    #[serde(deserialize_with = "number_or_nan")]
    pub p_value: f64,
}

/// Two variables and their score.
///
/// *Units:* nats.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct VariablePair {
    /// The variable that comes first in the file.
    pub a: String,
    /// The other variable.
    pub b: String,
    /// As [`RankedVariable::index`], of `a`.
    pub a_index: usize,
    /// As [`RankedVariable::index`], of `b`.
    pub b_index: usize,
    /// The pair score.
    #[serde(deserialize_with = "number_or_nan")]
    pub score: f64,
    /// I((a,b);y) − I(a;y) − I(b;y).
    #[serde(deserialize_with = "number_or_nan")]
    pub synergy: f64,
}

/// A variable and the other with which it scores best; the other is absent where no pair with
/// this variable has a score.
///
/// *Units:* nats.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct VariablePartner {
    /// The variable's name.
    pub name: String,
    /// As [`RankedVariable::index`].
    pub index: usize,
    /// The other variable's name; of equal scores the one that comes first in the file.
    pub partner: Option<String>,
    /// As [`RankedVariable::index`], of the partner.
    pub partner_index: Option<usize>,
    /// See [`VariablePair::score`].
    pub score: Option<f64>,
    /// See [`VariablePair::synergy`].
    pub synergy: Option<f64>,
}
