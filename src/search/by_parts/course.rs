//! Where a search by parts is.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{
    design::{Design, WideFormula},
    formula::PairwiseTerm,
    search::{SearchResult, bits},
};

/// The most of what is counted, in a state that is read.
const MOST: usize = 1 << 40;

/// Where a search by parts is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Course {
    /// Parts searched.
    pub(super) parts: usize,
    /// Their iterations.
    pub(super) iterations: usize,
    /// The most terms that one had.
    pub(super) terms: usize,
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
    /// What the parts noted.
    pub(super) notes: BTreeSet<String>,
}

impl Course {
    pub(super) fn is_sound(&self, wide: &WideFormula) -> bool {
        let count = wide.variable_count();
        let is_term = |term: &PairwiseTerm| match *term {
            PairwiseTerm::Single(place) => place < wide.term_count(),
            PairwiseTerm::Pair(one, other) => one < other && other < count,
        };
        let mut variables = self.active.iter().chain(&self.variables);
        variables.all(|variable| *variable < count)
            && self.best.iter().all(is_term)
            && [self.parts, self.iterations, self.terms, self.block]
                .iter()
                .all(|count| *count < MOST)
    }

    /// Keeps what a part noted.
    pub(super) fn note(&mut self, found: &SearchResult) {
        self.notes.extend(found.notes.iter().cloned());
    }

    /// Counts a part that was searched.
    pub(super) fn count(&mut self, design: &Design, found: &SearchResult) {
        self.parts += 1;
        self.iterations += found.iterations;
        self.terms = self.terms.max(design.columns().term_count());
    }

    /// The variables that are not active, in blocks: the interactions that those of one have with the active ones are
    /// columns of one part, of which it has about so many, but at least so
    /// many variables.
    pub(super) fn blocks(
        &self,
        wide: &WideFormula,
        (columns, fewest): (usize, usize),
    ) -> Vec<BTreeSet<usize>> {
        let own: usize = self
            .active
            .iter()
            .map(|variable| wide.width(*variable))
            .sum();
        let room = columns.saturating_sub(own * own / 2);
        let (mut blocks, mut block, mut used) = (Vec::new(), BTreeSet::new(), 0);
        for variable in (0..wide.variable_count()).filter(|own| !self.active.contains(own)) {
            let more = wide.width(variable).saturating_mul(own);
            if used + more > room && block.len() >= fewest {
                blocks.push(std::mem::take(&mut block));
                used = 0;
            }
            used += more;
            block.insert(variable);
        }
        blocks.push(block);
        blocks
    }
}
