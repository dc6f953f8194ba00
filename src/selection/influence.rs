//! Observations that decide alone.

use serde::{Deserialize, Serialize};

use super::{goodness::f_tail, number_or_nan, residuals::LEAST_FREE};
use crate::design::Design;

/// Influential observations that are listed.
const LISTED: usize = 10;

/// An observation that decides alone.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct InfluentialObservation {
    /// The row of the table, counted from 1.
    pub row: usize,
    /// What the file calls it, if it has names of observations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Cook's distance.
    #[serde(deserialize_with = "number_or_nan")]
    pub cooks_distance: f64,
    /// Its leverage.
    #[serde(deserialize_with = "number_or_nan")]
    pub leverage: f64,
    /// Its residual over its standard error, of a likelihood the deviance residual.
    #[serde(deserialize_with = "number_or_nan")]
    pub standardised_residual: f64,
}

/// What the influence of an observation is made of, residuals over the root of the dispersion.
pub(super) struct Influence {
    pub(super) leverage: f64,
    pub(super) residual: f64,
    /// Pearson's, which is the same of least squares.
    pub(super) pearson: f64,
}

/// The observations that decide alone, those of the largest Cook's distances, and how many there are; with q coefficients and so
/// many degrees of freedom left.
pub(super) fn influential(
    design: &Design,
    (q, left): (usize, usize),
    mut of: impl FnMut(usize) -> Influence,
) -> (Vec<InfluentialObservation>, usize) {
    let mut all: Vec<InfluentialObservation> = Vec::new();
    for i in 0..design.n() {
        let own = of(i);
        let free = 1.0 - own.leverage;
        if free <= LEAST_FREE {
            continue;
        }
        let cooks_distance = (own.pearson / free).powi(2) * own.leverage / q as f64;
        // The tail of F is read for the few that may be far enough.
        let is_far = cooks_distance > 0.1 && f_tail(cooks_distance, q as f64, left as f64) < 0.5;
        if is_far {
            all.push(InfluentialObservation {
                row: design.row(i) + 1,
                label: design.labels().get(i).cloned(),
                cooks_distance,
                leverage: own.leverage,
                standardised_residual: own.residual / free.sqrt(),
            });
        }
    }
    let count = all.len();
    all.sort_by(|a, b| b.cooks_distance.total_cmp(&a.cooks_distance));
    all.truncate(LISTED);
    (all, count)
}
