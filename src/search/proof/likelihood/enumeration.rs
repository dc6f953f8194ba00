//! All allowed models that have a likelihood, each fitted, where they are few.

use rayon::prelude::*;

use super::super::{enumeration::is_small as is_small_plain, terms};
use crate::{
    family::Distribution,
    least_squares::Fit,
    search::{problem::SearchProblem, visited::VisitedModel},
};

/// Levels of the tree of models whose branches threads share.
const SHARED: usize = 4;

/// Observations × models, times what a fit costs, beyond which they are not all fitted where nobody asked for a proof.
const UNASKED: usize = 1 << 25;

/// How many times as long an observation takes in a fit as one of a response that is a number.
fn cost(problem: &SearchProblem) -> usize {
    let Some(likelihood) = problem.x.likelihood() else {
        return 1;
    };
    let levels = likelihood.constants();
    match likelihood.response().family().distribution() {
        Distribution::Ordinal => 8,
        // Coefficients of each level but one, and the products of all.
        Distribution::Multinomial => 8 * levels * levels,
        _ => 1,
    }
}

/// Whether all models are few enough to be fitted.
pub(in super::super) fn is_small(problem: &SearchProblem, asked: bool) -> bool {
    let candidates = (problem.x.term_count() - problem.keep.len()).min(30);
    let work = problem.x.n().saturating_mul(cost(problem));
    if !asked && work > UNASKED >> candidates.min(14) {
        return false;
    }
    match problem.x.terms() {
        Some(own) => terms::is_small(problem, own),
        None => is_small_plain(problem),
    }
}

/// All models that additions can make of the kept terms, up to the largest size, as the hierarchy allows them. None where
/// `stop` returns true before all are fitted, or a fit does not converge.
pub(in super::super) fn enumerate(
    problem: &SearchProblem,
    threads: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<VisitedModel>> {
    let x = problem.x;
    let is_free = |term: &u32| problem.keep.binary_search(term).is_err();
    let mut free: Vec<u32> = (0..x.term_count() as u32).filter(is_free).collect();
    if let Some(terms) = x.terms() {
        // A part of a term has fewer parts than the term.
        free.sort_by_key(|term| terms.parents(*term).len());
    }
    let tree = Tree {
        problem,
        free,
        threads,
        stop,
    };
    tree.visit(problem.kept, 0, 0)
}

struct Tree<'a> {
    problem: &'a SearchProblem<'a>,
    free: Vec<u32>,
    threads: usize,
    stop: &'a (dyn Fn() -> bool + Sync),
}

impl Tree<'_> {
    /// A model, and all that add terms to it from a position on.
    fn visit(&self, fit: &Fit, from: usize, level: usize) -> Option<Vec<VisitedModel>> {
        let SearchProblem { x, objective, .. } = *self.problem;
        if !fit.has_converged() || (self.stop)() {
            return None;
        }
        let members = fit.members();
        let joining = |at: usize| -> Option<Vec<VisitedModel>> {
            let term = self.free[at];
            if !x
                .terms()
                .is_none_or(|terms| terms.admits(term, &members, None))
            {
                return Some(Vec::new());
            }
            let mut larger = fit.clone();
            if larger.add(x, term).is_err() || larger.support().len() > self.problem.max_size {
                return Some(Vec::new());
            }
            self.visit(&larger, at + 1, level + 1)
        };
        let positions = from..self.free.len();
        let below: Option<Vec<Vec<VisitedModel>>> = match self.threads > 1 && level < SHARED {
            true => positions.into_par_iter().map(joining).collect(),
            false => positions.map(joining).collect(),
        };
        let mut all = vec![VisitedModel {
            value: objective.of_fit(fit),
            members: members.into(),
        }];
        all.extend(below?.into_iter().flatten());
        Some(all)
    }
}
