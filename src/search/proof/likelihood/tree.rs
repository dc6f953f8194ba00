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

use std::{rc::Rc, sync::atomic::AtomicBool};

use super::{
    super::{
        best::BestModels,
        terms::{Decision, Decisions, Sizes, Thresholds},
        waves::{Explore, Explored},
    },
    bounds::Bounds,
};
use crate::{
    design::Terms,
    family::{FamilyFit, FitStatus},
    least_squares::Fit,
    search::{
        problem::{SearchProblem, Size},
        state::Branch,
        visited::VisitedModel,
    },
};

/// What the loss of a converged fit may lack, that of the empty model at 1, besides the rounding of its terms.
const ROUNDING: f64 = 1e-10;
const ROUNDINGS: f64 = 16.0;

/// Fits of a branch, at least, before others have their turn: its first ones are made again in each. One in tests, so that
/// proofs of small problems take several waves.
const FITS: u64 = if cfg!(test) { 1 } else { 64 };

/// The tree of all allowed models.
pub(in super::super) struct LikelihoodTree<'a> {
    problem: SearchProblem<'a>,
    sizes: Sizes,
    rounding: f64,
    stop: &'a (dyn Fn() -> bool + Sync),
}

/// A part of the tree.
#[derive(Clone)]
struct Node {
    branch: Branch,
    /// The fit of the largest model, or of a larger one.
    fit: Rc<Fit>,
    /// No model has a lower loss.
    loss: f64,
    /// Whether the largest model was offered.
    is_offered: bool,
    /// By position among the free terms: no model without the term has a lower loss.
    without: Vec<(f64, Known)>,
}

/// What is known of the loss of the largest model without a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// That of a larger model.
    Inherited,
    /// A bound of its own.
    Bounded,
    Fitted,
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

    pub(in super::super) fn explorer(&'a self, best: BestModels) -> impl Explore + 'a {
        Explorer {
            tree: self,
            thresholds: self.thresholds(&best),
            best,
            nodes: 0,
            work: 0,
            is_stuck: false,
        }
    }

    fn thresholds(&self, best: &BestModels) -> Thresholds {
        let (value, _) = best.target();
        let size = self.size(&best.first().members);
        Thresholds::new(
            &self.problem.objective,
            (value, size),
            &self.sizes,
            self.rounding,
        )
    }

    fn size(&self, terms: &[u32]) -> Size {
        Size {
            terms: terms.len(),
            parameters: self.problem.x.width_of(terms),
        }
    }

    /// The sizes that models of a branch may have, by the number of free terms that they lack.
    fn sizes_of(&self, branch: &Branch) -> Vec<impl Iterator<Item = Size>> {
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
    fn decided(&self, branch: &Branch, term: u32, decision: Decision) -> Option<Branch> {
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

/// Explores branches, knowing some best models.
struct Explorer<'a> {
    tree: &'a LikelihoodTree<'a>,
    best: BestModels,
    thresholds: Thresholds,
    nodes: u64,
    work: u64,
    /// Whether a model that counts has no converged fit.
    is_stuck: bool,
}

impl Explorer<'_> {
    /// A node, its largest model fitted from scratch.
    fn start(&mut self, branch: &Branch) -> Node {
        let SearchProblem { x, y, .. } = self.tree.problem;
        let members = largest(branch);
        let (fit, _) = Fit::of(x, y, &members);
        let mut node = Node {
            branch: branch.clone(),
            fit: Rc::new(fit),
            loss: 0.0,
            is_offered: false,
            without: vec![(0.0, Known::Inherited); branch.free.len()],
        };
        self.take_largest(&mut node);
        node
    }

    /// What the fit of the largest model says.
    fn take_largest(&mut self, node: &mut Node) {
        let size = Size::of(&node.fit);
        self.work += fit_work(&node.fit);
        // A loss below its bound: something is wrong with that.
        self.is_stuck |= node.fit.rss() + self.tree.rounding < node.loss;
        if is_converged(&node.fit) {
            node.loss = node.loss.max(node.fit.rss());
            self.offer(&node.fit);
        } else if node.loss <= self.thresholds.at(size) {
            self.is_stuck = true;
        }
        node.is_offered = true;
        for (loss, _) in &mut node.without {
            *loss = loss.max(node.loss);
        }
    }

    /// Fits a model from scratch, if it may be as good as the best: that decides.
    fn offer(&mut self, fit: &Fit) {
        if fit.rss() > self.thresholds.at(Size::of(fit)) {
            return;
        }
        self.offer_members(fit.members());
    }

    fn offer_members(&mut self, members: Vec<u32>) {
        let SearchProblem {
            x,
            y,
            objective,
            max_size,
            ..
        } = self.tree.problem;
        let known = &self.best.models;
        if x.width_of(&members) > max_size || known.iter().any(|own| *own.members == *members) {
            return;
        }
        let (fit, _) = Fit::of(x, y, &members);
        self.work += fit_work(&fit);
        self.is_stuck |= !is_converged(&fit);
        let model = VisitedModel {
            value: objective.of_fit(&fit),
            members: members.into(),
        };
        if self.best.offer(model) {
            self.thresholds = self.tree.thresholds(&self.best);
        }
    }

    /// The largest loss with which models of a node that lack so many of its free terms, 1 the first, may be as good as
    /// the best.
    fn limits(&self, node: &Node) -> Vec<f64> {
        let sizes = self.tree.sizes_of(&node.branch).into_iter().skip(1);
        let limits = sizes.map(|sizes| {
            let limits = sizes.map(|size| self.thresholds.at(size));
            limits.fold(f64::NEG_INFINITY, f64::max)
        });
        limits.collect()
    }

    /// Fixes terms as bounds decide; the term to branch on, if that leaves models open.
    fn decide(&mut self, node: &mut Node) -> Option<u32> {
        loop {
            let limits = self.limits(node);
            let mut losses: Vec<f64> = node.without.iter().map(|(loss, _)| *loss).collect();
            losses.sort_unstable_by(f64::total_cmp);
            let is_open = |at: &usize| losses[*at] <= limits[*at];
            let open: Vec<usize> = (0..limits.len()).filter(is_open).collect();
            if open.is_empty() {
                return None;
            }
            if open == [limits.len() - 1] {
                self.offer_smallest(node);
                return None;
            }
            let limits = open.iter().map(|at| limits[*at]);
            let most = limits.fold(f64::NEG_INFINITY, f64::max);
            let free = node.branch.free.iter().zip(&node.without);
            let dear = free.clone().filter(|(_, (loss, _))| *loss > most);
            let dear: Vec<u32> = dear.map(|(term, _)| *term).collect();
            if dear.is_empty() && !self.learn(node) {
                let dearest = node.branch.free.iter().zip(&node.without);
                let dearest = dearest.max_by(|a, b| a.1.0.total_cmp(&b.1.0));
                return dearest.map(|(term, _)| *term);
            }
            for term in dear {
                // Others may have fixed it.
                if node.branch.free.binary_search(&term).is_ok() {
                    let fixed = self.tree.decided(&node.branch, term, Decision::Fixed)?;
                    node.become_part(fixed);
                }
            }
        }
    }

    /// Learns more of the losses without free terms: by bounds of all, or by the fit of the one of the lowest bound. False
    /// where no more is to be learnt.
    fn learn(&mut self, node: &mut Node) -> bool {
        let unknown = node.without.iter().enumerate();
        let unknown = unknown.filter(|(_, (_, known))| *known == Known::Inherited);
        let next = unknown.min_by(|a, b| a.1.0.total_cmp(&b.1.0));
        let Some(at) = next.map(|(at, _)| at).filter(|_| !(self.tree.stop)()) else {
            return false;
        };
        self.shrink(node);
        if self.bound_all(node) {
            return true;
        }
        let term = node.branch.free[at];
        node.without[at].1 = Known::Fitted;
        let Some(branch) = self.tree.decided(&node.branch, term, Decision::Dropped) else {
            node.without[at].0 = f64::INFINITY;
            return true;
        };
        let mut part = node.clone();
        part.become_part(branch);
        self.shrink(&mut part);
        node.without[at].0 = part.loss;
        true
    }

    /// Bounds the losses without each free term, where the likelihood has bounds.
    fn bound_all(&mut self, node: &mut Node) -> bool {
        let x = self.tree.problem.x;
        let Some(bounds) = Bounds::of(x, &node.fit) else {
            return false;
        };
        for at in 0..node.branch.free.len() {
            let term = node.branch.free[at];
            let Some(part) = self.tree.decided(&node.branch, term, Decision::Dropped) else {
                node.without[at] = (f64::INFINITY, Known::Bounded);
                continue;
            };
            let without = bounds.loss_without(&leaving(&node.fit, &part));
            let (loss, known) = &mut node.without[at];
            if *known == Known::Inherited {
                (*loss, *known) = (loss.max(without), Known::Bounded);
                self.work += fit_work(&node.fit) / 8;
            }
        }
        true
    }

    /// Fits the largest model of a node from a larger one, unless it has its fit.
    fn shrink(&mut self, node: &mut Node) {
        let leaving = leaving(&node.fit, &node.branch);
        if !leaving.is_empty() {
            Rc::make_mut(&mut node.fit).drop_all(self.tree.problem.x, &leaving);
            self.take_largest(node);
        }
    }

    /// Offers the smallest model of a node, if it is allowed.
    fn offer_smallest(&mut self, node: &Node) {
        let terms = self.tree.problem.x.terms();
        let is_allowed =
            |terms: &Terms| Decisions::of(&node.branch, terms).is_smallest_allowed(terms);
        if terms.is_none_or(is_allowed) {
            self.offer_members(node.branch.fixed.clone());
        }
    }

    /// A bound on φ of all models of a node.
    fn floor_of(&self, node: &Node) -> f64 {
        let problem = &self.tree.problem;
        let undefined = AtomicBool::new(false);
        let objective = problem.objective.noting(&undefined);
        let mut losses: Vec<f64> = node.without.iter().map(|(loss, _)| *loss).collect();
        losses.sort_unstable_by(f64::total_cmp);
        let losses = std::iter::once(node.loss).chain(losses);
        let values = self.tree.sizes_of(&node.branch).into_iter().zip(losses);
        let values = values.flat_map(|(sizes, loss)| {
            let loss = (loss - self.tree.rounding).min(1.0);
            let allowed = sizes.filter(|size| size.parameters <= problem.max_size);
            allowed.map(move |size| objective.floored(size, loss))
        });
        values.fold(f64::INFINITY, f64::min)
    }
}

impl Explore for Explorer<'_> {
    fn explore(mut self: Box<Self>, branch: &Branch, most: u64) -> Explored {
        let start = self.start(branch);
        let most = self.work + most.max(FITS * fit_work(&start.fit));
        let mut open = vec![start];
        // At least one, so that every turn gets further.
        while (self.work < most || self.nodes == 0)
            && !(self.is_stuck || (self.tree.stop)())
            && let Some(mut node) = open.pop()
        {
            self.nodes += 1;
            if !node.is_offered {
                self.shrink(&mut node);
            }
            let Some(term) = self.decide(&mut node) else {
                continue;
            };
            for decision in [Decision::Dropped, Decision::Fixed] {
                if let Some(part) = self.tree.decided(&node.branch, term, decision) {
                    let mut child = node.clone();
                    if decision == Decision::Dropped {
                        child.is_offered = node.is_fitted(term);
                    }
                    child.become_part(part);
                    open.push(child);
                }
            }
        }
        let rest = |node: &Node| Branch {
            floor: branch.floor.max(self.floor_of(node)),
            is_bounded: true,
            ..node.branch.clone()
        };
        Explored {
            open: open.iter().map(rest).collect(),
            is_stuck: self.is_stuck,
            best: self.best.models,
            nodes: self.nodes,
            work: self.work,
        }
    }

    fn floor(&mut self, branch: &Branch) -> f64 {
        let node = self.start(branch);
        self.floor_of(&node)
    }
}

impl Node {
    /// Whether the largest model without a free term was fitted.
    fn is_fitted(&self, term: u32) -> bool {
        let at = self.branch.free.binary_search(&term);
        at.is_ok_and(|at| self.without[at].1 == Known::Fitted)
    }

    /// Becomes a part of itself.
    fn become_part(&mut self, part: Branch) {
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

/// The sizes that models may have where all columns are independent.
fn sizes(problem: &SearchProblem) -> Sizes {
    let terms = 0..problem.x.term_count() as u32;
    let widths = terms.map(|term| problem.x.columns_of(term).len());
    Sizes::of(widths.collect(), false, problem.max_size)
}

/// All terms of the largest model of a branch, ascending.
fn largest(branch: &Branch) -> Vec<u32> {
    let mut all = [&*branch.fixed, &*branch.free].concat();
    all.sort_unstable();
    all
}

/// Terms of a fit that the largest model of a branch lacks.
fn leaving(fit: &Fit, branch: &Branch) -> Vec<u32> {
    let members = largest(branch);
    let mut terms = fit.members();
    terms.retain(|term| members.binary_search(term).is_err());
    terms
}

fn is_converged(fit: &Fit) -> bool {
    let status = fit.family().map(FamilyFit::status);
    status.is_some_and(|status| status != FitStatus::NotConverged)
}

/// What a fit counts as: entries of its columns, of which there are several multiply-adds each.
fn fit_work(fit: &Fit) -> u64 {
    (8 * fit.residual().len() * (fit.support().len() + 1)) as u64
}
