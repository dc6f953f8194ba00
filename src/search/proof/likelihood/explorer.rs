//! Explores branches of the tree of losses ([`super::tree`]).

use std::{rc::Rc, sync::atomic::AtomicBool};

use super::{
    super::{
        best::BestModels,
        terms::{Decision, Decisions, Thresholds},
        waves::{Explore, Explored},
    },
    bounds::Bounds,
    node::{Known, Node, fit_work, largest, leaving},
    tree::LikelihoodTree,
};
use crate::{
    design::Terms,
    least_squares::Fit,
    search::{
        problem::{SearchProblem, Size},
        state::Branch,
        visited::VisitedModel,
    },
};

/// Fits of a branch, at least, before others have their turn: its first ones are made again in each. One in tests, so that
/// proofs of small problems take several waves.
const FITS: u64 = if cfg!(test) { 1 } else { 64 };

/// Explores branches, knowing some best models.
pub(in super::super) struct Explorer<'a> {
    tree: &'a LikelihoodTree<'a>,
    best: BestModels,
    thresholds: Thresholds,
    nodes: u64,
    work: u64,
    /// Whether a model that counts has no converged fit.
    is_stuck: bool,
}

impl<'a> Explorer<'a> {
    pub(in super::super) fn new(tree: &'a LikelihoodTree<'a>, best: BestModels) -> Self {
        Self {
            thresholds: tree.thresholds(&best),
            tree,
            best,
            nodes: 0,
            work: 0,
            is_stuck: false,
        }
    }

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
        if node.fit.has_converged() {
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
        self.is_stuck |= !fit.has_converged();
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
