//! Models that the polish considers: fitted from scratch, and those one change away from them.

use super::super::{
    objective::{Objective, rises},
    problem::SearchProblem,
    settings::Pass,
    tabu::EXACT,
    visited::VisitedModels,
};
use crate::{device::Neighbours, least_squares::Fit, ranks::Communicator};

/// Columns of each kind, additions and exchanges, that the sweep of one model inserts into the
/// pool.
pub(crate) const NEAR: usize = 64;

/// Changes of each kind that the certificate fits, the strongest.
const FITTED: usize = 4;

/// The inputs of the polish.
#[derive(Clone, Copy)]
pub(crate) struct PolishContext<'a> {
    pub(crate) problem: &'a SearchProblem<'a>,
    pub(crate) objective: Objective<'a>,
    pub(crate) pass: &'a Pass,
    pub(crate) threads: usize,
    /// Whether the search should end.
    pub(crate) stop: &'a (dyn Fn() -> bool + Sync),
    /// The ranks that share out the islands.
    pub(crate) communicator: Option<&'a Communicator>,
}

/// A model and its φ.
pub(crate) struct Candidate {
    pub(crate) fit: Fit,
    pub(crate) value: f64,
}

impl Candidate {
    /// Columns, ascending.
    pub(crate) fn members(&self) -> Vec<u32> {
        let mut members = self.fit.support().to_vec();
        members.sort_unstable();
        members
    }
}

impl PolishContext<'_> {
    /// The model of these columns, fitted from scratch.
    pub(crate) fn fitted(&self, members: &[u32]) -> Candidate {
        let (fit, _) = Fit::of(self.problem.x, self.problem.y, members);
        let value = self.objective.of_fit(&fit);
        Candidate { fit, value }
    }

    /// Records the models one change away from a model that was swept.
    pub(crate) fn visit_neighbours(
        &self,
        fit: &Fit,
        neighbours: &Neighbours,
        visited: &mut VisitedModels,
    ) {
        let SearchProblem { keep, max_size, .. } = *self.problem;
        let (support, rss) = (fit.support(), fit.rss());
        let room = if support.len() < max_size { NEAR } else { 0 };
        let joining = neighbours.additions.iter().take(room);
        let changes = joining.chain(&neighbours.exchanges);
        let changes = changes.map(|change| (change.replaces, Some(change.column), change.fall));
        let drops = fit.drop_costs().enumerate();
        let drops = drops.filter(|(at, _)| keep.binary_search(&support[*at]).is_err());
        let drops = drops.map(|(at, cost)| (Some(at), None, -cost));
        for (leaves, joins, fall) in changes.chain(drops) {
            let left = usize::from(leaves.is_some());
            let size = support.len() + usize::from(joins.is_some()) - left;
            let value = self.objective.at(size, (rss - fall).max(EXACT));
            if visited.wants(value) {
                let stay = support.iter().enumerate();
                let stay = stay.filter(|(at, _)| Some(*at) != leaves);
                let mut members: Vec<u32> = stay.map(|(_, v)| *v).chain(joins).collect();
                members.sort_unstable();
                visited.offer(value, &members);
            }
        }
    }

    /// The best model one addition, drop or exchange away, if it is better than this.
    pub(crate) fn improve(&self, best: &Candidate, neighbours: &Neighbours) -> Option<Candidate> {
        let SearchProblem {
            x, keep, max_size, ..
        } = *self.problem;
        let k = best.fit.support().len();
        let room = usize::from(k < max_size) * FITTED;
        let joining = neighbours.additions.iter().take(room);
        let replacing = neighbours.exchanges.iter().take(FITTED);
        let changes = joining
            .chain(replacing)
            .map(|change| (change.replaces, Some(change.column)));
        let mut drops: Vec<(usize, f64)> = best.fit.drop_costs().enumerate().collect();
        drops.retain(|(at, _)| keep.binary_search(&best.fit.support()[*at]).is_err());
        drops.sort_by(|a, b| a.1.total_cmp(&b.1));
        let drops = drops.iter().take(FITTED).map(|(at, _)| (Some(*at), None));
        let mut better: Vec<Candidate> = changes
            .chain(drops)
            .filter_map(|(leaves, joins)| {
                let mut fit = best.fit.clone();
                if let Some(position) = leaves {
                    fit.drop(x, position);
                }
                if let Some(column) = joins {
                    fit.add(x, column).ok()?;
                }
                let value = self.objective.of_fit(&fit);
                rises(value, best.value).then_some(Candidate { fit, value })
            })
            .collect();
        better.sort_by(|a, b| a.value.total_cmp(&b.value));
        // Fitted from scratch, the last digits may differ, and with them the verdict.
        let mut anew = better.iter().map(|model| self.fitted(&model.members()));
        anew.find(|model| rises(model.value, best.value))
    }
}
