//! Every model one step away: by how much RSS falls if a column joins a model, or replaces one of
//! its variables.
//!
//! With Q = X_A·T (orthonormal), W = Qᵀx and U = T·W for a column x outside:
//!
//! ```text
//! joining        RSS falls by e² / s            e = xᵀr, s = 1 − ‖W‖²
//! replacing i    RSS falls by e'² / s' − cᵢ     e' = e + β̂ᵢUᵢ/gᵢ, s' = s + Uᵢ²/gᵢ
//!                gᵢ = ((XᵀX)⁻¹)ᵢᵢ, cᵢ = β̂ᵢ²/gᵢ: what dropping i alone costs
//! ```
//!
//! Here is what all devices share; the sweeps themselves are in [`super::cpu`] and [`super::cuda`].

use serde::{Deserialize, Serialize};

use super::gain::{Projection, RELATIVE_TIE, project};
use crate::{
    design::Columns,
    least_squares::{FitView, PIVOT_TOLERANCE},
    vector::packed_columns,
};

/// Least s at which the formulas above keep their digits: a column below it is projected by itself.
pub(crate) const MIN_UNEXPLAINED: f64 = 1e-10;

/// A column that joins a model, or replaces one of its variables.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct ModelChange {
    /// The term that joins: a column, where each is a term.
    pub(crate) column: u32,
    /// The fall in RSS; negative where it rises.
    pub(crate) fall: f64,
    /// The position among the model's terms of the one that it replaces, if any.
    pub(crate) replaces: Option<usize>,
    /// The parameters that the model has more then.
    pub(crate) parameters: i32,
}

/// The changes that reduce RSS of a model most, of each number of parameters that they bring.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Neighbours {
    /// Columns that join, strongest first.
    pub(crate) additions: Vec<ModelChange>,
    /// The best exchange of each column, strongest first.
    pub(crate) exchanges: Vec<ModelChange>,
}

impl Neighbours {
    /// The `count` strongest of each kind, with ties of the last.
    pub(crate) fn strongest(self, count: usize) -> Self {
        Self {
            additions: strongest_changes(self.additions, count),
            exchanges: strongest_changes(self.exchanges, count),
        }
    }

    /// For each of `models` models the `count` strongest of each kind, with ties of the last, of
    /// what several parts of the columns have.
    pub(crate) fn merge(
        parts: impl IntoIterator<Item = Vec<Self>>,
        models: usize,
        count: usize,
    ) -> Vec<Self> {
        let mut all = vec![Self::default(); models];
        for part in parts {
            for (all, own) in all.iter_mut().zip(part) {
                all.additions.extend(own.additions);
                all.exchanges.extend(own.exchanges);
            }
        }
        all.into_iter().map(|all| all.strongest(count)).collect()
    }
}

pub(crate) struct ExchangeTerms {
    pub(crate) k: usize,
    /// Tᵀ, dense, column-major.
    pub(crate) transposed: Vec<f64>,
    /// β̂ᵢ/gᵢ, 1/gᵢ and cᵢ of each position that may be replaced.
    pub(crate) positions: Vec<Option<[f64; 3]>>,
}

impl ExchangeTerms {
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
        let positions = (0..k).map(|i| {
            let free = keep.binary_search(&anchor.support[i]).is_err();
            let (b, g) = (anchor.coefficients[i], diagonal[i]);
            free.then(|| [b / g, 1.0 / g, b * b / g])
        });
        Self {
            k,
            positions: positions.collect(),
            transposed,
        }
    }

    /// The fall by joining, and the best exchange, of a column that is nearly collinear with the
    /// model. Without variable i the others leave s + Uᵢ²/gᵢ of it, and both parts are computed to
    /// full precision.
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
            parameters: 0,
        };
        for (i, (u, terms)) in u.iter().zip(&self.positions).enumerate() {
            let Some([step, inverse, cost]) = *terms else {
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

/// Of each number of parameters the `count` strongest changes and those that tie with the last,
/// strongest first; of equal falls the lowest column first.
pub(crate) fn strongest_changes(mut changes: Vec<ModelChange>, count: usize) -> Vec<ModelChange> {
    changes.sort_by(|a, b| b.fall.total_cmp(&a.fall).then(a.column.cmp(&b.column)));
    let mut last = ByParameters::new();
    changes.retain(|change| {
        let (taken, least) = last.of(change.parameters);
        *taken += 1;
        if *taken == count {
            *least = tie_threshold(change.fall);
        }
        change.fall >= *least
    });
    changes
}

/// What takes the first `count` changes of each number of parameters.
pub(crate) fn first_of_each(count: usize) -> impl FnMut(i32) -> bool {
    let mut taken = ByParameters::new();
    move |parameters| {
        let (taken, _) = taken.of(parameters);
        *taken += 1;
        *taken <= count
    }
}

/// How many changes were taken of each number of parameters, and the least fall that is taken.
struct ByParameters(Vec<(i32, (usize, f64))>);

impl ByParameters {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn of(&mut self, parameters: i32) -> &mut (usize, f64) {
        let known = self.0.iter().position(|(own, _)| *own == parameters);
        let at = known.unwrap_or_else(|| {
            self.0.push((parameters, (0, f64::NEG_INFINITY)));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }
}

/// The least fall that ties with this one.
pub(crate) fn tie_threshold(fall: f64) -> f64 {
    fall - RELATIVE_TIE * fall.abs()
}
