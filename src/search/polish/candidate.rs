//! Models that the polish considers: fitted from scratch, and those one change away from them.

use super::super::{
    control::Limits,
    problem::{SearchProblem, rises},
    tabu::EXACT,
    visited::VisitedModels,
};
use crate::{device::Neighbours, least_squares::Fit};

/// Columns of each kind, additions and exchanges, that the sweep of one model inserts into the
/// pool.
pub(super) const NEAR: usize = 64;

/// Work without a better model after which the polish ends, in multiply-adds of a product: so
/// much, or less where candidates are few (they have few models), but at least so many products of
/// X with one column.
const IDLE_WORK: u64 = 1 << 30;
const IDLE_CANDIDATE: u64 = 1 << 22;
const IDLE_PAIR: u64 = 13 << 12;
const IDLE_PRODUCTS: u64 = 32;

/// Changes of each kind that the certificate fits, the strongest.
const FITTED: usize = 4;

#[derive(Clone, Copy)]
pub(in super::super) struct PolishContext<'a> {
    pub(in super::super) problem: SearchProblem<'a>,
    pub(in super::super) threads: usize,
    pub(in super::super) limits: Limits<'a>,
    /// Iterations of the swarm, on which the waves count.
    pub(in super::super) iterations: usize,
}

pub(super) struct Candidate {
    pub(super) fit: Fit,
    pub(super) value: f64,
}

/// A change of a model: the position that leaves, the column that joins, and the fall in RSS.
type Change = (Option<usize>, Option<u32>, f64);

impl PolishContext<'_> {
    /// Work without a better model after which the polish ends: for each candidate, and for each pair
    /// of them where that is more.
    pub(super) fn idle_work(&self) -> u64 {
        let (n, p) = (self.problem.x.n() as u64, self.problem.x.p() as u64);
        let of_candidates = (IDLE_CANDIDATE * p).max(IDLE_PAIR * p * p);
        IDLE_WORK.min(of_candidates).max(IDLE_PRODUCTS * n * p)
    }

    pub(super) fn fitted(&self, members: &[u32]) -> Candidate {
        let (fit, _) = Fit::of(self.problem.x, self.problem.y, members);
        let value = self.problem.objective.of_fit(&fit);
        Candidate { fit, value }
    }

    /// The strongest additions that a swept model has room for, and the strongest exchanges.
    fn changes(
        &self,
        fit: &Fit,
        neighbours: &Neighbours,
        (additions, exchanges): (usize, usize),
    ) -> impl Iterator<Item = Change> {
        let has_room = fit.support().len() < self.problem.max_size;
        let joining = neighbours.additions.iter();
        let joining = joining.take(if has_room { additions } else { 0 });
        let changes = joining.chain(neighbours.exchanges.iter().take(exchanges));
        changes.map(|change| (change.replaces, Some(change.column), change.fall))
    }

    /// The drops of variables that are not kept.
    fn drops(&self, fit: &Fit) -> impl Iterator<Item = Change> {
        let keep = self.problem.keep;
        let drops = fit.drop_costs().zip(fit.support()).enumerate();
        let drops = drops.filter(|(_, (_, column))| keep.binary_search(column).is_err());
        drops.map(|(at, (cost, _))| (Some(at), None, -cost))
    }

    /// φ after a change, by the sweep's numbers.
    fn value_after(&self, fit: &Fit, (leaves, joins, fall): Change) -> f64 {
        let left = usize::from(leaves.is_some());
        let size = fit.support().len() + usize::from(joins.is_some()) - left;
        self.problem
            .objective
            .at(size, (fit.rss() - fall).max(EXACT))
    }

    /// Records the models one change away from a model that was swept.
    pub(super) fn visit_neighbours(
        &self,
        fit: &Fit,
        neighbours: &Neighbours,
        visited: &mut VisitedModels,
    ) {
        let changes = self.changes(fit, neighbours, (NEAR, usize::MAX));
        for change in changes.chain(self.drops(fit)) {
            let value = self.value_after(fit, change);
            if visited.wants(value) {
                visited.offer(value, &changed(fit, change));
            }
        }
    }

    /// The best model, fitted from scratch, that is one addition or exchange away from one of these
    /// and better than a value.
    pub(super) fn improve_any(&self, swept: &[(Fit, Neighbours)], value: f64) -> Option<Candidate> {
        let strongest = swept.iter().flat_map(|(fit, neighbours)| {
            let changes = self.changes(fit, neighbours, (1, 1));
            changes.map(move |change| (self.value_after(fit, change), changed(fit, change)))
        });
        let mut better: Vec<(f64, Vec<u32>)> = strongest
            .filter(|(after, _)| rises(*after, value))
            .collect();
        let least = better.iter().map(|model| model.0).reduce(f64::min)?;
        // Of those that rounding alone may order, the first by columns.
        better.retain(|model| !rises(least, model.0));
        let (_, members) = better.into_iter().min_by(|a, b| a.1.cmp(&b.1))?;
        Some(self.fitted(&members)).filter(|model| rises(model.value, value))
    }

    /// The best model one addition, drop or exchange away, if it is better than this.
    pub(super) fn improve(&self, best: &Candidate, neighbours: &Neighbours) -> Option<Candidate> {
        let x = self.problem.x;
        let changes = self.changes(&best.fit, neighbours, (FITTED, FITTED));
        let mut drops: Vec<Change> = self.drops(&best.fit).collect();
        drops.sort_by(|a, b| b.2.total_cmp(&a.2));
        let changes = changes.chain(drops.into_iter().take(FITTED));
        let better = changes.filter_map(|(leaves, joins, _)| {
            let mut fit = best.fit.clone();
            if let Some(position) = leaves {
                fit.drop(x, position);
            }
            if let Some(column) = joins {
                fit.add(x, column).ok()?;
            }
            let value = self.problem.objective.of_fit(&fit);
            rises(value, best.value).then_some(Candidate { fit, value })
        });
        let mut better: Vec<Candidate> = better.collect();
        better.sort_by(|a, b| a.value.total_cmp(&b.value));
        // Fitted from scratch, the last digits may differ, and with them the verdict.
        let mut anew = better.iter().map(|model| self.fitted(&model.fit.members()));
        anew.find(|model| rises(model.value, best.value))
    }
}

/// The columns of a model after a change, ascending.
fn changed(fit: &Fit, (leaves, joins, _): Change) -> Vec<u32> {
    let stay = fit.support().iter().enumerate();
    let stay = stay.filter(|(at, _)| Some(*at) != leaves);
    let mut members: Vec<u32> = stay.map(|(_, column)| *column).chain(joins).collect();
    members.sort_unstable();
    members
}
