//! What is decided of terms in a part of the tree, and what their hierarchy then decides.

use crate::{
    design::{Hierarchy, Terms},
    search::state::Branch,
};

/// What is decided of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Decision {
    /// No model holds it.
    Dropped,
    Free,
    /// Every model holds it.
    Fixed,
}

/// The models that hold all fixed terms and any of the free ones.
#[derive(Debug, Clone)]
pub(in super::super) struct Decisions(Vec<Decision>);

impl Decisions {
    pub(in super::super) fn of(branch: &Branch, terms: &Terms) -> Self {
        let mut all = vec![Decision::Dropped; terms.count()];
        for term in &branch.free {
            all[*term as usize] = Decision::Free;
        }
        for term in &branch.fixed {
            all[*term as usize] = Decision::Fixed;
        }
        Self(all)
    }

    pub(in super::super) fn of_term(&self, term: u32) -> Decision {
        self.0[term as usize]
    }

    /// The terms of which this is decided, ascending.
    pub(in super::super) fn all(&self, decision: Decision) -> Vec<u32> {
        let all = (0..self.0.len() as u32).filter(|term| self.of_term(*term) == decision);
        all.collect()
    }

    pub(in super::super) fn branch(&self) -> Branch {
        Branch::new(self.all(Decision::Fixed), self.all(Decision::Free))
    }

    pub(in super::super) fn decide(&mut self, term: u32, decision: Decision) {
        self.0[term as usize] = decision;
    }

    /// Drops the terms that no allowed model holds beside these decisions, and fixes those that all do.
    /// False where there is no such model.
    pub(in super::super) fn close(&mut self, terms: &Terms) -> bool {
        loop {
            let mut is_closed = true;
            for term in 0..self.0.len() as u32 {
                let parents = terms.parents(term);
                if parents.is_empty() || self.of_term(term) == Decision::Dropped {
                    continue;
                }
                let is = |decision| move |own: &&Decision| **own == decision;
                let own: Vec<Decision> = parents.iter().map(|own| self.of_term(*own)).collect();
                let count = |decision| own.iter().filter(is(decision)).count();
                let (dropped, free) = (count(Decision::Dropped), count(Decision::Free));
                let (lacks, needs) = match terms.hierarchy() {
                    Hierarchy::Strong => (dropped > 0, free > 0),
                    Hierarchy::Weak => {
                        (dropped == own.len(), dropped + 1 == own.len() && free == 1)
                    }
                    Hierarchy::None => (false, false),
                };
                let is_fixed = self.of_term(term) == Decision::Fixed;
                if lacks && is_fixed {
                    return false;
                } else if lacks {
                    self.decide(term, Decision::Dropped);
                    is_closed = false;
                } else if needs && is_fixed {
                    for parent in parents {
                        if self.of_term(*parent) == Decision::Free {
                            self.decide(*parent, Decision::Fixed);
                        }
                    }
                    is_closed = false;
                }
            }
            if is_closed {
                return true;
            }
        }
    }

    /// Whether the fixed terms alone are an allowed model.
    pub(in super::super) fn is_smallest_allowed(&self, terms: &Terms) -> bool {
        let fixed = self.all(Decision::Fixed);
        terms.hierarchy() != Hierarchy::Weak
            || fixed.iter().all(|term| terms.admits(*term, &fixed, None))
    }

    /// The free terms that enter with a free one.
    pub(in super::super) fn with(&self, term: u32, terms: &Terms) -> Vec<u32> {
        let parents = match terms.hierarchy() {
            Hierarchy::Strong => terms.parents(term),
            _ => &[],
        };
        let parents = parents.iter().copied();
        let all = parents.chain([term]);
        all.filter(|own| self.of_term(*own) == Decision::Free)
            .collect()
    }

    /// The free terms that leave with a free one.
    pub(in super::super) fn without(&self, term: u32, terms: &Terms) -> Vec<u32> {
        let mut all = vec![term];
        if terms.hierarchy() == Hierarchy::Strong {
            let others =
                (0..self.0.len() as u32).filter(|own| self.of_term(*own) == Decision::Free);
            all.extend(others.filter(|own| terms.parents(*own).contains(&term)));
        }
        all
    }
}
