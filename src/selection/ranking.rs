//! The result of a selector: variables in the order of choice.

use serde::Serialize;

use crate::device::DeviceError;

/// A chosen variable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chosen {
    /// Its place among the columns.
    pub column: usize,
    /// The score it was chosen for, in nats.
    pub score: f64,
    /// Its relevance, in nats.
    pub relevance: f64,
    /// Mean of I(x;w) over the variables w chosen before it, in nats; none for the first.
    pub redundancy: Option<f64>,
}

/// What a selector found.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// In the order of choice.
    pub chosen: Vec<Chosen>,
    /// Why it ended.
    pub termination: Ending,
    /// What counted.
    pub devices: Vec<String>,
    /// Wall-clock seconds of laying out the columns.
    pub starting: f64,
    /// Wall-clock seconds of the selection.
    pub seconds: f64,
    /// A device that failed; what was chosen before stands.
    pub fault: Option<DeviceError>,
}

/// Two variables and their score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Places among the columns, a < b.
    pub a: usize,
    /// See `a`.
    pub b: usize,
    /// In nats.
    pub score: f64,
    /// I((a,b);y) − I(a;y) − I(b;y), in nats.
    pub synergy: f64,
}

/// Every variable, and the best pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Paired {
    /// I(x;y) of every column, in nats.
    pub single: Vec<f64>,
    /// The best first.
    pub pairs: Vec<Pair>,
    /// Why it ended.
    pub termination: Ending,
    /// What counted.
    pub devices: Vec<String>,
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
pub enum Ending {
    /// As many variables were chosen as were asked for, or as there are.
    Top,
    /// No candidate's score reaches the threshold.
    Threshold,
    /// No candidate's score is above zero.
    Zero,
    /// Interrupted from outside: what was chosen before is reported.
    Interrupted,
    /// A device failed: what was chosen before is reported.
    Fault,
}
