//! Every model one step away: what each column would do for a model by joining
//! it, or by taking the place of one of its variables.
//!
//! With Q = X_A·T (orthonormal), W = Qᵀx and U = T·W for a column x outside:
//!
//! ```text
//! joining        RSS falls by e² / s            e = xᵀr, s = 1 − ‖W‖²
//! replacing i    RSS falls by e'² / s' − cᵢ     e' = e + β̂ᵢUᵢ/gᵢ, s' = s + Uᵢ²/gᵢ
//!                gᵢ = ((XᵀX)⁻¹)ᵢᵢ, cᵢ = β̂ᵢ²/gᵢ: what dropping i alone costs
//! ```
//!
//! Here is what every device's sweep shares; [`super::cpu`] and [`super::cuda`]
//! have the sweeps.

use serde::{Deserialize, Serialize};

use super::exact::{Projection, RELATIVE_TIE, project};
use crate::{
    design::Columns,
    least_squares::{FitView, PIVOT_TOLERANCE},
    vector::packed_columns,
};

/// Least share of a unit column's square that the model must leave unexplained
/// for the formulas to keep their digits: a column below it is projected by
/// itself.
pub(crate) const MIN_UNEXPLAINED: f64 = 1e-10;

/// One column in or for one position of the model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct ModelChange {
    /// The column that joins.
    pub(crate) column: u32,
    /// By how much RSS falls; negative where it rises.
    pub(crate) fall: f64,
    /// The position in the support that it replaces; none where it just joins.
    pub(crate) replaces: Option<usize>,
}

/// The columns that would do most for a model, the strongest first; of each
/// column its best exchange.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Neighbours {
    pub(crate) additions: Vec<ModelChange>,
    pub(crate) exchanges: Vec<ModelChange>,
}

impl Neighbours {
    /// The `count` strongest of each kind, of what several sweeps found.
    pub(crate) fn strongest(self, count: usize) -> Self {
        Self {
            additions: strongest_changes(self.additions, count),
            exchanges: strongest_changes(self.exchanges, count),
        }
    }
}

/// What of a model the formulas take.
pub(crate) struct Model {
    pub(crate) k: usize,
    /// Tᵀ, dense, column-major.
    pub(crate) transposed: Vec<f64>,
    /// β̂ᵢ/gᵢ, 1/gᵢ and cᵢ of each position that may be replaced.
    pub(crate) places: Vec<Option<[f64; 3]>>,
}

impl Model {
    pub(crate) fn new(anchor: &FitView, keep: &[u32]) -> Self {
        let k = anchor.support.len();
        let mut transposed = vec![0.0; k * k];
        let mut diagonal = vec![0.0; k];
        for (c, column) in packed_columns(anchor.inverse).enumerate() {
            for (i, t) in column.iter().enumerate() {
                transposed[i * k + c] = *t;
                diagonal[i] += t * t;
            }
        }
        let places = (0..k).map(|i| {
            let free = keep.binary_search(&anchor.support[i]).is_err();
            let (b, g) = (anchor.coefficients[i], diagonal[i]);
            free.then(|| [b / g, 1.0 / g, b * b / g])
        });
        Self {
            k,
            places: places.collect(),
            transposed,
        }
    }

    /// The fall by joining and the best exchange of a column that the model all
    /// but explains. What the others leave of it once i has left is s + Uᵢ²/gᵢ,
    /// both parts with all their digits.
    pub(crate) fn evaluate_collinear(
        &self,
        x: Columns,
        anchor: &FitView,
        column: u32,
    ) -> (f64, ModelChange) {
        let collinear = PIVOT_TOLERANCE * PIVOT_TOLERANCE;
        let Projection { e, s, u } = project(x, anchor, column);
        let mut best = ModelChange {
            column,
            fall: f64::NEG_INFINITY,
            replaces: None,
        };
        for (i, (u, place)) in u.iter().zip(&self.places).enumerate() {
            let Some([step, inverse, cost]) = *place else {
                continue;
            };
            let (e, s) = (e + step * u, s + u * u * inverse);
            let fall = e * e / s - cost;
            if s >= collinear && fall > best.fall {
                (best.fall, best.replaces) = (fall, Some(i));
            }
        }
        let joining = if s >= collinear { e * e / s } else { 0.0 };
        (joining, best)
    }
}

/// The `count` strongest, strongest first, and what equals the last of them; of
/// equals the lowest column first.
pub(crate) fn strongest_changes(mut changes: Vec<ModelChange>, count: usize) -> Vec<ModelChange> {
    changes.sort_by(|a, b| b.fall.total_cmp(&a.fall).then(a.column.cmp(&b.column)));
    if let Some(last) = changes.get(count - 1) {
        let least = tie_threshold(last.fall);
        changes.retain(|change| change.fall >= least);
    }
    changes
}

/// What is as strong as a fall up to rounding.
pub(crate) fn tie_threshold(fall: f64) -> f64 {
    fall - RELATIVE_TIE * fall.abs()
}
