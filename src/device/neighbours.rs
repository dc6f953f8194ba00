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

/// Least s of a column that the model does not explain.
const COLLINEAR: f64 = PIVOT_TOLERANCE * PIVOT_TOLERANCE;

/// Working weights below this, which are about 1 otherwise, tell nothing.
const NO_WEIGHT: f64 = 1e-9;

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

/// A term that joins a model together with those that it needs and the model lacks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClosureChange {
    pub(crate) term: u32,
    /// What it needs.
    pub(crate) beside: Vec<u32>,
    pub(crate) fall: f64,
    /// The parameters that the model has more then.
    pub(crate) parameters: i32,
}

impl ClosureChange {
    /// What a criterion tells apart: the terms that join, and their parameters.
    pub(crate) fn size(&self) -> (usize, i32) {
        (self.beside.len() + 1, self.parameters)
    }
}

/// The changes that reduce RSS of a model most, of each number of parameters that they bring.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Neighbours {
    /// Columns that join, strongest first.
    pub(crate) additions: Vec<ModelChange>,
    /// The best exchange of each column, strongest first.
    pub(crate) exchanges: Vec<ModelChange>,
    /// Terms that join with what they need, strongest first, where terms need others.
    #[serde(default)]
    pub(crate) closures: Vec<ClosureChange>,
}

impl Neighbours {
    /// All terms that a change would bring.
    pub(crate) fn joining(&self) -> impl Iterator<Item = u32> {
        let single = self.additions.iter().chain(&self.exchanges);
        let beside = self.closures.iter();
        let beside = beside.flat_map(|change| change.beside.iter().copied().chain([change.term]));
        single.map(|change| change.column).chain(beside)
    }

    /// Leaves out the changes by which a term joins for which this is false.
    pub(crate) fn retain(&mut self, may_join: impl Fn(u32) -> bool) {
        self.additions.retain(|change| may_join(change.column));
        self.exchanges.retain(|change| may_join(change.column));
        let all = |change: &ClosureChange| {
            may_join(change.term) && change.beside.iter().all(|term| may_join(*term))
        };
        self.closures.retain(all);
    }

    /// The `count` strongest of each kind, with ties of the last.
    pub(crate) fn strongest(self, count: usize) -> Self {
        Self {
            additions: strongest_changes(self.additions, count),
            exchanges: strongest_changes(self.exchanges, count),
            closures: strongest_closures(self.closures, count),
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
                all.closures.extend(own.closures);
            }
        }
        all.into_iter().map(|all| all.strongest(count)).collect()
    }
}

/// Whether no observation has a weight left: then the loss is as low as it gets.
pub(crate) fn is_flat(anchor: &FitView) -> bool {
    let weighted = anchor.weighted.as_ref();
    weighted.is_some_and(|own| own.weights.iter().all(|weight| *weight < NO_WEIGHT))
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
        let projection = project(x, anchor, column);
        let mut best = ModelChange {
            column,
            fall: f64::NEG_INFINITY,
            replaces: None,
            parameters: 0,
        };
        for (at, fall) in self.falls(&projection) {
            if fall > best.fall {
                (best.fall, best.replaces) = (fall, Some(at));
            }
        }
        let Projection { e, s, .. } = projection;
        let joining = if s >= COLLINEAR { e * e / s } else { 0.0 };
        (joining, best)
    }

    /// The fall in RSS by each exchange of a column, to full precision, with the position that it replaces; none that would
    /// make a collinear model.
    pub(crate) fn exchanges(
        &self,
        x: Columns,
        anchor: &FitView,
        column: u32,
    ) -> impl Iterator<Item = (usize, f64)> {
        let falls: Vec<(usize, f64)> = self.falls(&project(x, anchor, column)).collect();
        falls.into_iter()
    }

    fn falls(&self, own: &Projection) -> impl Iterator<Item = (usize, f64)> {
        let places = own.u.iter().zip(&self.positions).enumerate();
        places.filter_map(|(at, (u, terms))| {
            let [step, inverse, cost] = (*terms)?;
            let (e, s) = (own.e + step * u, own.s + u * u * inverse);
            (s >= COLLINEAR).then(|| (at, e * e / s - cost))
        })
    }
}

/// Of each number of parameters the `count` strongest changes and those that tie with the last,
/// strongest first; of falls that tie with one another the lowest column first.
pub(crate) fn strongest_changes(mut changes: Vec<ModelChange>, count: usize) -> Vec<ModelChange> {
    changes.sort_by(|a, b| b.fall.total_cmp(&a.fall).then(a.column.cmp(&b.column)));
    // How products round differs between devices: it must not decide which of two equal columns is first.
    let mut first = 0;
    while first < changes.len() {
        let least = tie_threshold(changes[first].fall);
        let tied = changes[first..]
            .iter()
            .take_while(|change| change.fall >= least);
        let end = first + tied.count();
        changes[first..end].sort_by_key(|change| (change.column, change.replaces));
        first = end.max(first + 1);
    }
    let mut last = ByKind::new();
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

/// As [`strongest_changes`], of closures of each size; of equal falls those of the lowest terms first.
pub(crate) fn strongest_closures(
    mut changes: Vec<ClosureChange>,
    count: usize,
) -> Vec<ClosureChange> {
    changes.sort_by(|a, b| {
        let terms = |change: &ClosureChange| (change.term, change.beside.clone());
        let falls = b.fall.total_cmp(&a.fall);
        falls.then_with(|| terms(a).cmp(&terms(b)))
    });
    let mut last = ByKind::new();
    changes.retain(|change| {
        let (taken, least) = last.of(change.size());
        *taken += 1;
        if *taken == count {
            *least = tie_threshold(change.fall);
        }
        change.fall >= *least
    });
    changes
}

/// What takes the first `count` changes of each kind, such as a number of parameters.
pub(crate) fn first_of_each<K: Copy + PartialEq>(count: usize) -> impl FnMut(K) -> bool {
    let mut taken = ByKind::new();
    move |kind| {
        let (taken, _) = taken.of(kind);
        *taken += 1;
        *taken <= count
    }
}

/// How many changes were taken of each kind, and the least fall that is taken.
struct ByKind<K>(Vec<(K, (usize, f64))>);

impl<K: Copy + PartialEq> ByKind<K> {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn of(&mut self, kind: K) -> &mut (usize, f64) {
        let known = self.0.iter().position(|(own, _)| *own == kind);
        let at = known.unwrap_or_else(|| {
            self.0.push((kind, (0, f64::NEG_INFINITY)));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }
}

/// The least fall that ties with this one.
pub(crate) fn tie_threshold(fall: f64) -> f64 {
    fall - RELATIVE_TIE * fall.abs()
}
