//! The tree of subproblems: each is closed where no model of it is as good as the best known, else one of
//! its columns is fixed in one part of it and dropped in the other.
//!
//! *Source:* G. Furnival and R. Wilson, Regressions by leaps and bounds, Technometrics 16, 1974.

use std::sync::atomic::AtomicBool;

use super::{
    super::{problem::SearchProblem, state::Branch, visited::VisitedModel},
    best::BestModels,
    bounds::{Bounds, DESCENTS},
    positive::diagonal_below,
    subproblem::Subproblem,
    thresholds::Thresholds,
    waves::{Explore, Explored},
};
use crate::{
    device::GramPool,
    least_squares::{Fit, PIVOT_TOLERANCE},
};

/// D is made anew once the free columns are so few of those it was made for.
const SHRUNK: f64 = 0.6;

/// Work of one subproblem beside its arithmetic, in multiply-adds.
const OVERHEAD: usize = 256;

/// Explores branches of one problem.
pub(super) struct Explorer<'a> {
    problem: SearchProblem<'a>,
    pool: &'a GramPool,
    rounding: f64,
    best: BestModels,
    thresholds: Thresholds,
    bounds: Bounds,
    nodes: u64,
    work: u64,
}

impl<'a> Explorer<'a> {
    /// `rounding` is what RSS may lack by the arithmetic of products, the response at unit norm.
    pub(super) fn new(
        problem: SearchProblem<'a>,
        pool: &'a GramPool,
        best: BestModels,
        rounding: f64,
    ) -> Self {
        let (objective, largest) = (&problem.objective, problem.max_size);
        Self {
            problem,
            pool,
            rounding,
            thresholds: Thresholds::new(objective, best.target(), largest, rounding),
            best,
            bounds: Bounds::default(),
            nodes: 0,
            work: 0,
        }
    }

    /// Explores a branch depth first, until all its models are decided or so much work is done.
    fn explore(mut self, branch: &Branch, most: u64) -> Explored {
        let Some(start) = Subproblem::new(self.pool, &branch.fixed, &branch.free) else {
            return self.end(vec![branch.clone()], true);
        };
        let size = branch.fixed.len() + branch.free.len();
        self.work += size.pow(3) as u64;
        let most = self.work.saturating_add(most);
        self.offer(&start.fixed, &[], start.smallest.rss);
        self.offer(&start.fixed, &start.free, start.largest.rss);
        let mut open = vec![start];
        // At least one, so that every turn gets further, whatever a fit of a long column costs.
        while (self.work < most || self.nodes == 0)
            && let Some(mut node) = open.pop()
        {
            self.nodes += 1;
            if let Some(position) = self.decide(&mut node) {
                let mut other = node.clone();
                self.drop(&mut other, position);
                self.fix(&mut node, position);
                open.push(other);
                open.push(node);
            }
        }
        let part = |node: Subproblem| Branch {
            floor: branch.floor,
            ..Branch::new(node.fixed, node.free)
        };
        let open = open.into_iter().map(part).collect();
        self.end(open, false)
    }

    fn end(self, open: Vec<Branch>, is_stuck: bool) -> Explored {
        Explored {
            open,
            is_stuck,
            best: self.best.models,
            nodes: self.nodes,
            work: self.work,
        }
    }

    /// No model of a branch has a lower φ; −∞ where nothing is known of it.
    fn floor(&mut self, branch: &Branch) -> f64 {
        let Some(mut node) = Subproblem::new(self.pool, &branch.fixed, &branch.free) else {
            return f64::NEG_INFINITY;
        };
        self.bounds.begin(&node, &self.thresholds);
        self.remake(&mut node);
        self.bounds.at_largest(&node);
        let floors = self.bounds.by_size(&node).into_iter().enumerate();
        let sizes = floors.map(|(added, rss)| (branch.fixed.len() + added, rss - self.rounding));
        let allowed = sizes.take_while(|(size, _)| *size <= self.problem.max_size);
        let undefined = AtomicBool::new(false);
        let objective = self.problem.objective.noting(&undefined);
        let values = allowed.map(|(size, rss)| objective.floored(size, rss.min(1.0)));
        values.fold(f64::INFINITY, f64::min)
    }

    fn fix(&mut self, node: &mut Subproblem, position: usize) {
        self.work += (node.free.len() * node.free.len()) as u64;
        node.fix(position);
        self.offer(&node.fixed, &[], node.smallest.rss);
    }

    fn drop(&mut self, node: &mut Subproblem, position: usize) {
        self.work += (node.free.len() * node.free.len()) as u64;
        node.drop(position);
        self.offer(&node.fixed, &node.free, node.largest.rss);
    }

    /// Fits a model from X, if it may be as good as the best: that decides.
    fn offer(&mut self, fixed: &[u32], free: &[u32], rss: f64) {
        let size = fixed.len() + free.len();
        if rss > self.thresholds.at(size) {
            return;
        }
        let mut members = [fixed, free].concat();
        members.sort_unstable();
        if self.best.models.iter().any(|own| *own.members == *members) {
            return;
        }
        let SearchProblem {
            x,
            y,
            objective,
            max_size,
            ..
        } = self.problem;
        let (fit, pivot) = Fit::of(x, y, &members);
        self.work += (size * size * x.n()) as u64;
        // A collinear column never enters a model.
        if pivot < PIVOT_TOLERANCE {
            return;
        }
        let value = objective.of_fit(&fit);
        let members = members.into();
        if self.best.offer(VisitedModel { value, members }) {
            let target = self.best.target();
            self.thresholds = Thresholds::new(&objective, target, max_size, self.rounding);
        }
    }

    /// Fixes and drops columns as bounds decide; the position to branch on, if that leaves one open.
    fn decide(&mut self, node: &mut Subproblem) -> Option<usize> {
        loop {
            let m = node.free.len();
            self.work += (m * m + OVERHEAD) as u64;
            if self.bounds.begin(node, &self.thresholds) {
                return None;
            }
            if node.made_for == usize::MAX {
                self.remake(node);
            }
            if self.bounds.at_largest(node) {
                return None;
            }
            self.bounds.fix_the_dear(node);
            if self.bounds.fixed.is_empty() && self.bounds.dropped.is_empty() {
                self.work += ((DESCENTS + 1) * m * m) as u64;
                if self.bounds.at_relaxation(node, self.thresholds.price) {
                    return None;
                }
            }
            let fixed = std::mem::take(&mut self.bounds.fixed);
            let dropped = std::mem::take(&mut self.bounds.dropped);
            if fixed.is_empty() && dropped.is_empty() {
                if m < 4 || m as f64 > SHRUNK * node.made_for as f64 {
                    return Some(self.least_decided(node));
                }
                self.remake(node);
            }
            for column in fixed {
                if let Some(position) = node.position(column) {
                    self.fix(node, position);
                }
            }
            for column in dropped {
                if let Some(position) = node.position(column) {
                    self.drop(node, position);
                }
            }
        }
    }

    fn remake(&mut self, node: &mut Subproblem) {
        let m = node.free.len();
        self.work += 8 * m.pow(3) as u64;
        let (gram, inverse) = (&node.smallest.matrix, &node.largest.matrix);
        node.diagonal = diagonal_below(gram, inverse, &node.diagonal);
        node.made_for = m;
    }

    /// The position of the column of which the relaxation uses nearest to a half.
    fn least_decided(&self, node: &Subproblem) -> usize {
        let price = self.thresholds.price;
        let undecided = |position: &usize| {
            let share = node.point[*position].abs() * (node.diagonal[*position] / price).sqrt();
            (share.min(1.0) - 0.5).abs()
        };
        let positions = 0..node.free.len();
        let least = positions.min_by(|a, b| undecided(a).total_cmp(&undecided(b)));
        least.unwrap_or(0)
    }
}

impl Explore for Explorer<'_> {
    fn explore(self: Box<Self>, branch: &Branch, most: u64) -> Explored {
        Explorer::explore(*self, branch, most)
    }

    fn floor(&mut self, branch: &Branch) -> f64 {
        Explorer::floor(self, branch)
    }
}
