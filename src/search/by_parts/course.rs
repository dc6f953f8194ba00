//! Where a search by parts is.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{design::WideFormula, formula::PairwiseTerm, search::bits};

/// Where a search by parts is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Course {
    /// Parts searched.
    pub(super) parts: usize,
    /// Their iterations.
    pub(super) iterations: usize,
    /// The variables whose interactions are made; with all others, which are divided into blocks.
    pub(super) active: BTreeSet<usize>,
    /// The block that is next.
    pub(super) block: usize,
    /// The best model, its variables, and its φ.
    pub(super) best: Vec<PairwiseTerm>,
    pub(super) variables: BTreeSet<usize>,
    #[serde(with = "bits")]
    pub(super) value: f64,
    /// Of the blocks with these variables before the next: whether one improved the best model, and whether all
    /// certified it.
    pub(super) improved: bool,
    pub(super) certified: bool,
    /// Whether all interactions were looked at beside the best model.
    pub(super) swept: bool,
}

impl Course {
    pub(super) fn is_sound(&self, wide: &WideFormula) -> bool {
        let count = wide.variable_count();
        let is_term = |term: &PairwiseTerm| match *term {
            PairwiseTerm::Single(place) => place < wide.term_count(),
            PairwiseTerm::Pair(one, other) => one < other && other < count,
        };
        let mut variables = self.active.iter().chain(&self.variables);
        variables.all(|variable| *variable < count) && self.best.iter().all(is_term)
    }
}

/// The variables of a part with those whose interactions are made.
pub(super) fn blocks(
    wide: &WideFormula,
    active: &BTreeSet<usize>,
    columns: usize,
) -> Vec<BTreeSet<usize>> {
    let own: usize = active.iter().map(|variable| wide.width(*variable)).sum();
    let (mut blocks, mut left) = (
        vec![BTreeSet::new()],
        columns.saturating_sub(own * (own + 1) / 2),
    );
    let others = (0..wide.variable_count()).filter(|variable| !active.contains(variable));
    for variable in others {
        let width = wide.width(variable).saturating_mul(own + 1);
        let is_full = width > left && blocks.last().is_some_and(|last| !last.is_empty());
        if is_full {
            blocks.push(BTreeSet::new());
            left = columns.saturating_sub(own * (own + 1) / 2);
        }
        left = left.saturating_sub(width);
        blocks.last_mut().into_iter().for_each(|last| {
            last.insert(variable);
        });
    }
    blocks
}
