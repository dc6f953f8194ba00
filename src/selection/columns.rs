//! What selectors and pair scores return: columns by their positions, before a report names them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Independence, number_or_nan};
use crate::{device::DeviceError, interrupt::Interrupt, score::Totals};

/// A chosen column.
///
/// *Units:* nats, for all scores.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChosenColumn {
    /// Position among the columns; no part of a report.
    #[serde(skip)]
    pub column: usize,
    /// The score it was chosen for.
    #[serde(deserialize_with = "number_or_nan")]
    pub score: f64,
    /// Its relevance, I(x;y) as a rule.
    #[serde(deserialize_with = "number_or_nan")]
    pub relevance: f64,
    /// Mean of I(x;w) over the columns w chosen before it; none for the first.
    pub redundancy: Option<f64>,
    /// The test of independence from the response.
    #[serde(flatten)]
    pub independence: Independence,
    /// The share of the cells of the table of x and y that expect fewer than 5 observations: where it
    /// is most of them, the p-value of the test is not to be trusted.
    pub sparse_cells: f64,
    /// The score less the mean of its scores over all orders of the observations, the permuted ones
    /// and the observed, in deviations of these; none without a test that standardises.
    pub standardised: Option<f64>,
    /// The share of permutations, the observed one counted, whose best candidate scores no less;
    /// none without a permutation test.
    pub permutation_p: Option<f64>,
    /// What it had gathered, of a score that needs it for the next; no part of a report.
    #[serde(skip)]
    pub(crate) totals: Totals,
}

/// A best candidate that was not chosen, for its p-value.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RejectedColumn {
    /// Position among the columns; no part of a report.
    #[serde(skip)]
    pub column: usize,
    /// Its score, in nats: the highest of its step, or that of the highest standardised score.
    #[serde(deserialize_with = "number_or_nan")]
    pub score: f64,
    /// As [`ChosenColumn::standardised`].
    pub standardised: Option<f64>,
    /// As [`ChosenColumn::permutation_p`].
    #[serde(deserialize_with = "number_or_nan")]
    pub permutation_p: f64,
}

/// The result of a selector.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RankedColumns {
    /// The chosen columns, in the order of choice.
    pub chosen: Vec<ChosenColumn>,
    /// Where the permutation test ended the selection: the candidate that failed it.
    pub refused: Option<RejectedColumn>,
    /// Why the selection ended.
    pub termination: StopReason,
    /// The devices that counted, by name.
    pub devices: Vec<String>,
    /// Wall-clock seconds of copying the columns to the devices.
    pub starting: f64,
    /// Wall-clock seconds of the selection.
    pub seconds: f64,
    /// Warnings for the report.
    pub notes: Vec<String>,
    /// What a procedure told of its work, by name.
    pub numbers: BTreeMap<String, f64>,
    /// The failure of a device that ended the selection; columns chosen before it stand.
    pub fault: Option<DeviceError>,
}

/// Two columns and their score.
///
/// *Units:* nats.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnPair {
    /// Position of the first column, a < b.
    pub a: usize,
    /// Position of the second.
    pub b: usize,
    /// The pair score.
    pub score: f64,
    /// I((a,b);y) − I(a;y) − I(b;y).
    pub synergy: f64,
}

/// The column with which another scores best.
///
/// *Units:* nats.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnPartner {
    /// Position among the columns.
    pub column: usize,
    /// As [`ColumnPair::score`].
    pub score: f64,
    /// As [`ColumnPair::synergy`].
    pub synergy: f64,
}

/// A column and the response, without another column.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ColumnAlone {
    /// I(x;y). *Units:* nats.
    pub score: f64,
    /// The p-value of the G-test of independence.
    pub p_value: f64,
    /// As [`ChosenColumn::sparse_cells`].
    pub sparse_cells: f64,
}

/// The result of scoring all pairs of p columns.
///
/// *Units:* nats.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PairScan {
    /// Every column by itself.
    ///
    /// *Shapes:* p.
    pub single: Vec<ColumnAlone>,
    /// The best pairs, best first.
    pub pairs: Vec<ColumnPair>,
    /// If asked for, the best partner of every column, of equal scores the lowest position; none
    /// where a column has no partner with a score.
    ///
    /// *Shapes:* p, or empty.
    pub partners: Vec<Option<ColumnPartner>>,
    /// If asked for, the scores of all pairs, with each column's pair with itself on the diagonal.
    ///
    /// *Shapes:* p × p, row by row, or empty.
    pub matrix: Vec<f64>,
    /// Why the scan ended.
    pub termination: StopReason,
    /// The share of the pairs that were scored, about: 1 where the scan is complete.
    pub scored: f64,
    /// The devices that counted, by name.
    pub devices: Vec<String>,
    /// Warnings for the report.
    pub notes: Vec<String>,
    /// Wall-clock seconds of copying the columns to the devices.
    pub starting: f64,
    /// Wall-clock seconds of counting.
    pub seconds: f64,
    /// The failure of a device that ended the scan.
    pub fault: Option<DeviceError>,
}

/// Why a selector, a scan of pairs or stability selection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// As many variables were chosen as were asked for, or as there are; all pairs were scored.
    Top,
    /// No candidate's score reaches the threshold.
    Threshold,
    /// No candidate's score is above zero.
    Zero,
    /// The best candidate failed the permutation test.
    Permutation,
    /// Interrupted from outside: what was chosen before is reported.
    Interrupted,
    /// A device or a plugin failed: what was chosen before is reported.
    Fault,
    /// The time limit was reached.
    TimeLimit,
    /// The method ended by itself.
    #[default]
    Done,
}

impl StopReason {
    /// Whether the work ended before it was done, so that it can go on from a checkpoint.
    pub(crate) fn is_early(self) -> bool {
        matches!(self, Self::Interrupted | Self::TimeLimit | Self::Fault)
    }

    /// Why work has ended that a request or a time limit cut short.
    pub(crate) fn of_cut(interrupt: &Interrupt) -> Self {
        match interrupt.is_at_time_limit() {
            true => Self::TimeLimit,
            false => Self::Interrupted,
        }
    }
}
