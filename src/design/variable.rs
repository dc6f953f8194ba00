//! Candidates, and the variables that are none.

use serde::{Deserialize, Serialize};

/// A variable that never was a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAside {
    /// The column's name.
    pub name: String,
    /// Why: `constant`, or `duplicate of NAME`.
    pub reason: String,
}

/// One candidate variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// The column's name; `column=level` for a dummy of a factor.
    pub name: String,
    /// 0-based position of its column in the file, response and weights taken out.
    pub index: usize,
    /// The (weighted) mean, which was subtracted; 0 without an intercept.
    ///
    /// *Units:* those of the column.
    pub mean: f64,
    /// The (weighted) norm about the mean, by which the column was divided.
    ///
    /// *Units:* those of the column.
    pub norm: f64,
}
