//! The tree of all models of terms.

use std::sync::{Arc, Mutex, PoisonError, atomic::AtomicBool};

use super::{
    super::{
        best::BestModels,
        positive::diagonal_below,
        waves::{Explore, Explored},
    },
    bounds::{Bounds, Node},
    decisions::{Decision, Decisions},
    parts::{Part, independent_parts},
    thresholds::{Sizes, Thresholds},
};
use crate::{
    design::{Hierarchy, Terms},
    least_squares::Fit,
    search::{
        problem::{SearchProblem, Size},
        state::Branch,
        visited::VisitedModel,
    },
};

/// D is made anew once the free columns are so few of those it was made for.
const SHRUNK: f64 = 0.6;

/// Work of one subproblem beside its arithmetic, in multiply-adds.
const OVERHEAD: usize = 4096;

/// Whether φ never falls while RSS rises, at any size that a model of these terms may have.
pub(in super::super) fn rises_with_rss(problem: &SearchProblem, terms: &Terms) -> bool {
    let widths = widths(terms);
    let sizes = Sizes::of(widths, true, problem.max_size);
    sizes.rise_with_rss(&problem.objective, problem.keep.len())
}

fn widths(terms: &Terms) -> Vec<usize> {
    let all = (0..terms.count() as u32).map(|term| terms.columns(term).len());
    all.collect()
}

/// The thresholds last made, and the bits of φ and the size of the model for which they were.
struct Made {
    of: (u64, Size),
    thresholds: Arc<Thresholds>,
}

/// All allowed models, in parts in which no columns depend on others.
pub(in super::super) struct TermTree<'a> {
    problem: SearchProblem<'a>,
    terms: &'a Terms,
    parts: Vec<Part>,
    sizes: Sizes,
    /// What RSS may lack by rounding, the response at unit norm.
    rounding: f64,
    /// Whether models have terms of which others explain columns.
    is_dependent: bool,
    made: Mutex<Option<Made>>,
}

impl<'a> TermTree<'a> {
    /// None where dependent columns split it into too many parts or columns are nearly dependent, where
    /// there are any under a weak hierarchy, or where `stop` returns true.
    pub(in super::super) fn new(
        problem: SearchProblem<'a>,
        terms: &'a Terms,
        stop: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let parts = independent_parts(&problem, terms, stop)?;
        let is_dependent = parts.len() > 1 || parts.iter().any(|part| part.is_reduced(terms));
        // By which of its parents a model came about may decide there which columns it has.
        if is_dependent && terms.hierarchy() == Hierarchy::Weak {
            return None;
        }
        Some(Self {
            problem,
            terms,
            sizes: Sizes::of(widths(terms), is_dependent, problem.max_size),
            rounding: parts.iter().map(|part| part.rounding).fold(0.0, f64::max),
            parts,
            is_dependent,
            made: Mutex::new(None),
        })
    }

    pub(in super::super) fn branches(&self) -> Vec<Branch> {
        let parts = self.parts.iter();
        parts.map(|part| part.decisions.branch()).collect()
    }

    pub(in super::super) fn explorer(&self, best: BestModels) -> Explorer<'_> {
        Explorer {
            tree: self,
            thresholds: self.thresholds(&best),
            best,
            bounds: Bounds::default(),
            nodes: 0,
            work: 0,
        }
    }

    fn size(&self, members: &[u32]) -> Size {
        Size::of(&Fit::of(self.problem.x, self.problem.y, members).0)
    }

    fn thresholds(&self, best: &BestModels) -> Arc<Thresholds> {
        let (value, _) = best.target();
        let size = self.size(&best.first().members);
        let key = (value.to_bits(), size);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        match &*made {
            Some(own) if own.of == key => own.thresholds.clone(),
            _ => {
                let objective = &self.problem.objective;
                let new = Thresholds::new(objective, (value, size), &self.sizes, self.rounding);
                let new = Arc::new(new);
                *made = Some(Made {
                    of: key,
                    thresholds: new.clone(),
                });
                new
            }
        }
    }

    /// The part that holds all models of a branch, and these models.
    fn node(&self, branch: &Branch) -> Option<(&Part, Node)> {
        let decisions = Decisions::of(branch, self.terms);
        let part = self.parts.iter().find(|part| part.holds(&decisions))?;
        let columns = part.subproblem(&decisions)?;
        Some((part, Node { decisions, columns }))
    }

    /// Whether additions can make a model, each of a term that the model does not explain.
    fn is_reachable(&self, members: &[u32]) -> bool {
        let mut left = members.to_vec();
        let mut parameters = self.size(&left).parameters;
        while left.len() > self.problem.keep.len() {
            let own = left.iter().copied();
            let others = own.filter(|term| {
                !self.problem.keep.contains(term) && self.terms.may_leave(*term, &left)
            });
            let without = others.map(|term| {
                let rest = left.iter().copied().filter(|own| *own != term);
                rest.collect::<Vec<u32>>()
            });
            let mut fewer = without.map(|rest| (self.size(&rest).parameters, rest));
            match fewer.find(|(count, _)| *count < parameters) {
                Some((count, rest)) => (parameters, left) = (count, rest),
                None => return false,
            }
        }
        true
    }
}

/// Explores branches of one problem.
pub(in super::super) struct Explorer<'a> {
    tree: &'a TermTree<'a>,
    best: BestModels,
    thresholds: Arc<Thresholds>,
    bounds: Bounds,
    nodes: u64,
    work: u64,
}

impl Explorer<'_> {
    fn end(self, open: Vec<Branch>, is_stuck: bool) -> Explored {
        Explored {
            open,
            is_stuck,
            best: self.best.models,
            nodes: self.nodes,
            work: self.work,
        }
    }

    /// Fixes or drops free terms, and what follows by the hierarchy; false where no model is left.
    fn settle(&mut self, node: &mut Node, part: &Part, all: &[(u32, Decision)]) -> bool {
        let before = node.decisions.clone();
        for (term, decision) in all {
            if node.decisions.of_term(*term) == Decision::Free {
                node.decisions.decide(*term, *decision);
            }
        }
        if !node.decisions.close(self.tree.terms) {
            return false;
        }
        for term in before.all(Decision::Free) {
            let decision = node.decisions.of_term(term);
            let own = part.columns[term as usize].iter();
            for column in own.filter(|_| decision != Decision::Free) {
                self.work += node.columns.free.len().pow(2) as u64;
                if let Some(position) = node.columns.position(*column) {
                    match decision {
                        Decision::Fixed => node.columns.fix(position),
                        _ => node.columns.drop(position),
                    }
                }
            }
        }
        self.offer_ends(node);
        true
    }

    /// Offers the smallest and the largest model of a node.
    fn offer_ends(&mut self, node: &Node) {
        let fixed = node.decisions.all(Decision::Fixed);
        if node.decisions.is_smallest_allowed(self.tree.terms) {
            let parameters = node.columns.fixed.len();
            self.offer(fixed.clone(), parameters, node.columns.smallest.rss);
        }
        let free = node.decisions.all(Decision::Free);
        let parameters = node.columns.fixed.len() + node.columns.free.len();
        self.offer([fixed, free].concat(), parameters, node.columns.largest.rss);
    }

    /// Fits a model from X, if it may be as good as the best: that decides.
    fn offer(&mut self, mut members: Vec<u32>, parameters: usize, rss: f64) {
        let terms = members.len();
        if rss > self.thresholds.at(Size { terms, parameters }) {
            return;
        }
        members.sort_unstable();
        if self.best.models.iter().any(|own| *own.members == *members) {
            return;
        }
        let SearchProblem { x, y, .. } = self.tree.problem;
        let (fit, _) = Fit::of(x, y, &members);
        self.work += (parameters * parameters * x.n()) as u64;
        if self.tree.is_dependent && !self.tree.is_reachable(&members) {
            return;
        }
        let value = self.tree.problem.objective.of_fit(&fit);
        let members = members.into();
        if self.best.offer(VisitedModel { value, members }) {
            self.thresholds = self.tree.thresholds(&self.best);
        }
    }

    /// Fixes and drops terms as bounds decide; the term to branch on, if that leaves one open.
    fn decide(&mut self, node: &mut Node, part: &Part) -> Option<u32> {
        loop {
            let m = node.columns.free.len();
            self.work += (m * m + OVERHEAD) as u64;
            let of_terms = (part, self.tree.terms);
            if self.bounds.begin(node, of_terms, &self.thresholds) {
                return None;
            }
            if node.columns.made_for == usize::MAX {
                self.remake(node);
            }
            if self.bounds.at_largest(node) {
                return None;
            }
            if self.bounds.fixed.is_empty()
                && self.bounds.dropped.is_empty()
                && self.bounds.at_relaxation(node, self.thresholds.price)
            {
                return None;
            }
            self.work += self.bounds.work as u64;
            let fixed = std::mem::take(&mut self.bounds.fixed);
            let dropped = std::mem::take(&mut self.bounds.dropped);
            if fixed.is_empty() && dropped.is_empty() {
                if m < 4 || m as f64 > SHRUNK * node.columns.made_for as f64 {
                    return self.least_decided(node, part);
                }
                self.remake(node);
            }
            let fixed = fixed.into_iter().map(|term| (term, Decision::Fixed));
            let dropped = dropped.into_iter().map(|term| (term, Decision::Dropped));
            let all: Vec<(u32, Decision)> = fixed.chain(dropped).collect();
            if !self.settle(node, part, &all) {
                return None;
            }
        }
    }

    fn remake(&mut self, node: &mut Node) {
        let own = &mut node.columns;
        let m = own.free.len();
        self.work += 8 * m.pow(3) as u64;
        let (gram, inverse) = (&own.smallest.matrix, &own.largest.matrix);
        own.diagonal = diagonal_below(gram, inverse, &own.diagonal);
        own.made_for = m;
    }

    /// The term of which the relaxation uses nearest to a half.
    fn least_decided(&self, node: &Node, part: &Part) -> Option<u32> {
        let undecided = |term: &u32| {
            let columns = part.columns[*term as usize].iter();
            let positions = columns.filter_map(|column| node.columns.position(*column));
            let squares =
                positions.map(|at| node.columns.point[at].powi(2) * node.columns.diagonal[at]);
            let full = self.thresholds.price * part.width(*term).max(1) as f64;
            let share = (squares.sum::<f64>() / full).sqrt();
            (share.min(1.0) - 0.5).abs()
        };
        let free = node.decisions.all(Decision::Free);
        let free = free.into_iter();
        free.min_by(|a, b| undecided(a).total_cmp(&undecided(b)))
    }
}

impl Explore for Explorer<'_> {
    fn explore(mut self: Box<Self>, branch: &Branch, most: u64) -> Explored {
        let tree = self.tree;
        let Some((part, start)) = tree.node(branch) else {
            return self.end(vec![branch.clone()], true);
        };
        let size = start.columns.fixed.len() + start.columns.free.len();
        self.work += size.pow(3) as u64;
        let most = self.work.saturating_add(most);
        self.offer_ends(&start);
        let mut open = vec![start];
        // At least one, so that every turn gets further.
        while (self.work < most || self.nodes == 0)
            && let Some(mut node) = open.pop()
        {
            self.nodes += 1;
            if let Some(term) = self.decide(&mut node, part) {
                let mut other = node.clone();
                if self.settle(&mut other, part, &[(term, Decision::Dropped)]) {
                    open.push(other);
                }
                if self.settle(&mut node, part, &[(term, Decision::Fixed)]) {
                    open.push(node);
                }
            }
        }
        let rest = |node: Node| Branch {
            floor: branch.floor,
            ..node.decisions.branch()
        };
        let open = open.into_iter().map(rest).collect();
        self.end(open, false)
    }

    fn floor(&mut self, branch: &Branch) -> f64 {
        let tree = self.tree;
        let Some((part, mut node)) = tree.node(branch) else {
            return f64::NEG_INFINITY;
        };
        self.bounds
            .begin(&node, (part, tree.terms), &self.thresholds);
        self.remake(&mut node);
        self.bounds.at_largest(&node);
        let undefined = AtomicBool::new(false);
        let objective = tree.problem.objective.noting(&undefined);
        let (terms, parameters) = (branch.fixed.len(), node.columns.fixed.len());
        let mut least = f64::INFINITY;
        for (added, (rss, fewest, most)) in self.bounds.floors().into_iter().enumerate() {
            if parameters + added > tree.problem.max_size {
                break;
            }
            for count in fewest..=most {
                let size = Size {
                    terms: terms + count,
                    parameters: parameters + added,
                };
                let rss = (rss - tree.rounding).min(1.0);
                least = least.min(objective.floored(size, rss));
            }
        }
        least
    }
}
