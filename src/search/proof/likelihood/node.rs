//! A part of the tree of losses, and what is known of it.

use std::rc::Rc;

use crate::{least_squares::Fit, search::state::Branch};

/// A part of the tree.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) branch: Branch,
    /// The fit of the largest model, or of a larger one.
    pub(super) fit: Rc<Fit>,
    /// No model has a lower loss.
    pub(super) loss: f64,
    /// Whether the largest model was offered.
    pub(super) is_offered: bool,
    /// By position among the free terms: no model without the term has a lower loss.
    pub(super) without: Vec<(f64, Known)>,
}

/// What is known of the loss of the largest model without a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// That of a larger model.
    Inherited,
    /// A bound of its own.
    Bounded,
    Fitted,
}

impl Node {
    /// Whether the largest model without a free term was fitted.
    pub(super) fn is_fitted(&self, term: u32) -> bool {
        let at = self.branch.free.binary_search(&term);
        at.is_ok_and(|at| self.without[at].1 == Known::Fitted)
    }

    /// Becomes a part of itself.
    pub(super) fn become_part(&mut self, part: Branch) {
        let Branch { fixed, free, .. } = &self.branch;
        let is_whole = fixed.len() + free.len() == part.fixed.len() + part.free.len();
        for (term, (loss, _)) in free.iter().zip(&self.without) {
            let is_there = |all: &[u32]| all.binary_search(term).is_ok();
            if !is_there(&part.fixed) && !is_there(&part.free) {
                self.loss = self.loss.max(*loss);
            }
        }
        let without = |term: &u32| {
            let at = free.binary_search(term);
            let (loss, known) = at.map_or((0.0, Known::Inherited), |at| self.without[at]);
            let known = if is_whole { known } else { Known::Inherited };
            (loss.max(self.loss), known)
        };
        self.without = part.free.iter().map(without).collect();
        self.branch = part;
    }
}

/// All terms of the largest model of a branch, ascending.
pub(super) fn largest(branch: &Branch) -> Vec<u32> {
    let mut all = [&*branch.fixed, &*branch.free].concat();
    all.sort_unstable();
    all
}

/// Terms of a fit that the largest model of a branch lacks.
pub(super) fn leaving(fit: &Fit, branch: &Branch) -> Vec<u32> {
    let members = largest(branch);
    let mut terms = fit.members();
    terms.retain(|term| members.binary_search(term).is_err());
    terms
}

/// What a fit counts as: entries of its columns, of which there are several multiply-adds each.
pub(super) fn fit_work(fit: &Fit) -> u64 {
    (8 * fit.residual().len() * (fit.support().len() + 1)) as u64
}
