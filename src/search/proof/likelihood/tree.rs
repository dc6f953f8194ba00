//! Branch and bound by losses.
//!
//! A branch holds the models between a smallest one F and a largest one L. None of them has a lower loss than L, and
//! none that lacks a term a lower loss than L without it; so of the models that lack d terms none is below the d-th
//! lowest of these. Where no number of terms is left at which that may be as good as the best model known, the branch
//! is decided; a term whose loss alone is too high is fixed; else one branch fixes the term of the highest loss and
//! the other drops it. A fixed term leaves L as it is, and what is known of losses.
//!
//! The loss without a term is fitted, or, of logistic and Poisson regression, bounded by the dual of the likelihood at
//! little more than the cost of a look at its columns ([`super::bounds`]).
//!
//! *Source:* G. Furnival and R. Wilson, Regressions by leaps and bounds, Technometrics 16, 1974, whose bound asks of
//! RSS only that it rises as columns leave.

use super::{
    super::{
        best::BestModels,
        terms::{Decision, Decisions, Sizes, Thresholds},
    },
    node::largest,
};
use crate::{
    least_squares::Fit,
    search::{
        problem::{SearchProblem, Size},
        state::Branch,
    },
};

/// What the loss of a converged fit may lack, that of the empty model at 1, besides the rounding of its terms.
const ROUNDING: f64 = 1e-10;
const ROUNDINGS: f64 = 16.0;

/// The tree of all allowed models.
pub(in super::super) struct LikelihoodTree<'a> {
    pub(super) problem: SearchProblem<'a>,
    sizes: Sizes,
    pub(super) rounding: f64,
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> LikelihoodTree<'a> {
    pub(in super::super) fn new(
        problem: SearchProblem<'a>,
        stop: &'a (dyn Fn() -> bool + Sync),
    ) -> Self {
        Self {
            sizes: sizes(&problem),
            rounding: problem
                .x
                .likelihood()
                .map_or(0.0, |own| ROUNDING.max(ROUNDINGS * own.rounding())),
            problem,
            stop,
        }
    }

    /// Whether φ never falls while the loss rises.
    pub(in super::super) fn rises_with_loss(problem: &SearchProblem) -> bool {
        sizes(problem).rise_with_rss(&problem.objective, problem.keep.len())
    }

    /// The branch of all models; none where columns depend on others.
    pub(in super::super) fn root(&self) -> Option<Branch> {
        let SearchProblem { x, y, keep, .. } = self.problem;
        // Which columns depend on others is known without a likelihood.
        let x = x.with_likelihood(None);
        let all: Vec<u32> = (0..x.term_count() as u32).collect();
        let mut fit = Fit::empty(y);
        let is_independent = |term: &u32| fit.add(x, *term).is_ok() && !fit.is_partial();
        if !all.iter().all(is_independent) {
            return None;
        }
        let is_free = |term: &u32| keep.binary_search(term).is_err();
        Some(Branch::new(
            keep.to_vec(),
            all.into_iter().filter(is_free).collect(),
        ))
    }

    pub(super) fn thresholds(&self, best: &BestModels) -> Thresholds {
        let (value, _) = best.target();
        let size = self.size(&best.first().members);
        Thresholds::new(
            &self.problem.objective,
            (value, size),
            &self.sizes,
            self.rounding,
        )
    }

    pub(super) fn size(&self, terms: &[u32]) -> Size {
        Size {
            terms: terms.len(),
            parameters: self.problem.x.width_of(terms),
        }
    }

    /// The sizes that models of a branch may have, by the number of free terms that they lack.
    pub(super) fn sizes_of(&self, branch: &Branch) -> Vec<impl Iterator<Item = Size>> {
        let x = self.problem.x;
        let largest = self.size(&largest(branch));
        let free = branch.free.iter();
        let mut widths: Vec<usize> = free.map(|term| x.columns_of(*term).len()).collect();
        widths.sort_unstable();
        let (mut narrow, mut wide) = (0, 0);
        let sizes = |dropped: usize| {
            if dropped > 0 {
                narrow += widths[dropped - 1];
                wide += widths[widths.len() - dropped];
            }
            let parameters = largest.parameters - wide..=largest.parameters - narrow;
            let terms = largest.terms - dropped;
            parameters.map(move |parameters| Size { terms, parameters })
        };
        (0..=widths.len()).map(sizes).collect()
    }

    /// The part of a branch in which a free term is decided, and what follows of a hierarchy; none where it has no model.
    pub(super) fn decided(&self, branch: &Branch, term: u32, decision: Decision) -> Option<Branch> {
        let part = |(fixed, free)| Branch {
            fixed,
            free,
            ..*branch
        };
        if let Some(terms) = self.problem.x.terms() {
            let mut decisions = Decisions::of(branch, terms);
            decisions.decide(term, decision);
            let is_there = decisions.close(terms);
            return is_there.then(|| {
                let Branch { fixed, free, .. } = decisions.branch();
                part((fixed, free))
            });
        }
        let (mut fixed, mut free) = (branch.fixed.clone(), branch.free.clone());
        free.retain(|own| *own != term);
        if decision == Decision::Fixed {
            let at = fixed.partition_point(|own| *own < term);
            fixed.insert(at, term);
        }
        Some(part((fixed, free)))
    }
}

/// The sizes that models may have where all columns are independent.
fn sizes(problem: &SearchProblem) -> Sizes {
    let terms = 0..problem.x.term_count() as u32;
    let widths = terms.map(|term| problem.x.columns_of(term).len());
    Sizes::of(widths.collect(), false, problem.max_size)
}
