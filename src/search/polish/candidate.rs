//! Models that the polish considers: fitted from scratch, and those one change away from them.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::super::{
    control::Limits,
    problem::{SearchProblem, Size, rises},
    tabu::EXACT,
    visited::VisitedModels,
};
use crate::{
    device::{ClosureChange, ModelChange, Neighbours, first_of_each},
    least_squares::Fit,
};

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

/// Changes of each kind that the certificate fits, the strongest; with a likelihood more, for their order is that of a
/// quadratic.
const FITTED: usize = 4;
const FITTED_LIKELIHOODS: usize = 12;

/// Changes of a model with a likelihood that are fitted before the best of them is taken.
const FITTED_TOGETHER: usize = 4;

/// The work of a fit of a likelihood, in multiply-adds of a product with X, for each observation and square of its size.
pub(super) const FIT_WORK: u64 = 20;

/// Models that a walk by a quadratic met which are fitted, at most.
const JUDGED: usize = 16;

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

/// A change of a model: the term that leaves, by its position there, the one that joins, the terms that go
/// with it, the parameters that the model has more then, and the fall in RSS.
#[derive(Debug, Clone)]
struct Change {
    leaves: Option<usize>,
    joins: Option<u32>,
    /// Terms that join or leave with it, by the hierarchy.
    beside: Vec<u32>,
    parameters: i32,
    fall: f64,
}

impl Change {
    /// The terms that a model has more then.
    fn terms(&self) -> isize {
        let beside = self.beside.len() as isize;
        match (self.leaves, self.joins) {
            (Some(_), None) => -1 - beside,
            (None, Some(_)) => 1 + beside,
            _ => 0,
        }
    }
}

impl PolishContext<'_> {
    /// Work without a better model after which the polish ends: for each candidate, and for each pair
    /// of them where that is more.
    pub(super) fn idle_work(&self) -> u64 {
        let (n, p) = (self.problem.x.n() as u64, self.problem.x.p() as u64);
        let of_candidates = (IDLE_CANDIDATE * p).max(IDLE_PAIR * p * p);
        IDLE_WORK.min(of_candidates).max(IDLE_PRODUCTS * n * p)
    }

    /// Whether some model has room for all columns of a term that is not kept.
    fn has_room(&self, term: u32) -> bool {
        let problem = self.problem;
        let room = problem
            .max_size
            .saturating_sub(problem.kept.support().len());
        problem
            .x
            .terms()
            .is_none_or(|terms| terms.columns(term).len() <= room)
    }

    /// The terms that a pool may hold.
    pub(super) fn terms(&self) -> impl Iterator<Item = u32> {
        let is_kept = |term: &u32| self.problem.keep.binary_search(term).is_ok();
        let all = 0..self.problem.x.term_count() as u32;
        all.filter(move |term| is_kept(term) || self.has_room(*term))
    }

    /// Leaves out changes by which a term would join that is too wide for any model.
    pub(super) fn leave_out_the_wide(&self, swept: &mut [Neighbours]) {
        if self.problem.x.terms().is_some() {
            let fits = |term: u32| self.has_room(term);
            swept.iter_mut().for_each(|near| near.retain(fits));
        }
    }

    pub(super) fn fitted(&self, members: &[u32]) -> Candidate {
        let (fit, _) = Fit::of(self.problem.x, self.problem.y, members);
        let value = self.problem.value_of(&fit);
        Candidate { fit, value }
    }

    /// Fits the best models that walks from a model met by its quadratic, and records them; the best of them, and the
    /// work.
    pub(super) fn judge(
        &self,
        near: &Fit,
        walks: impl Iterator<Item = VisitedModels>,
        visited: &mut VisitedModels,
    ) -> (Option<Candidate>, u64) {
        let best = walks.flat_map(|met| met.best().into_iter().take(JUDGED));
        let members: BTreeSet<Box<[u32]>> = best.map(|met| met.members).collect();
        let members: Vec<Box<[u32]>> = members.into_iter().collect();
        let fitted = |members: &[u32]| match self.limits.stop() {
            true => None,
            false => {
                let SearchProblem { x, y, .. } = self.problem;
                let fit = Fit::of_near(x, y, members, near);
                let value = self.problem.value_of(&fit);
                Some(Candidate { fit, value })
            }
        };
        let fitted: Vec<Option<Candidate>> = match self.threads > 1 {
            true => members.par_iter().map(|own| fitted(own)).collect(),
            false => members.iter().map(|own| fitted(own)).collect(),
        };
        let (mut lowest, mut work): (Option<Candidate>, u64) = (None, 0);
        for (members, own) in members.iter().zip(fitted) {
            let Some(own) = own else { continue };
            work += FIT_WORK * (self.problem.x.n() * (own.fit.support().len() + 2).pow(2)) as u64;
            if own.value < f64::INFINITY {
                visited.offer(own.value, members);
            }
            if lowest
                .as_ref()
                .is_none_or(|low| rises(own.value, low.value))
            {
                lowest = Some(own);
            }
        }
        // From scratch, so that the way to it does not show.
        (lowest.map(|own| self.fitted(&own.fit.members())), work)
    }

    /// The strongest additions, exchanges and closures that a swept model has room for, so many of each
    /// number of parameters; as many closures as additions.
    fn changes(
        &self,
        fit: &Fit,
        neighbours: &Neighbours,
        (additions, exchanges): (usize, usize),
    ) -> impl Iterator<Item = Change> {
        let room = self.problem.max_size as i32 - fit.support().len() as i32;
        let (mut joins, mut replaces) = (first_of_each(additions), first_of_each(exchanges));
        let mut together = first_of_each(additions);
        let joining = neighbours.additions.iter();
        let joining = joining.filter(move |change| joins(change.parameters));
        let replacing = neighbours.exchanges.iter();
        let replacing = replacing.filter(move |change| replaces(change.parameters));
        let single = joining.chain(replacing);
        let single = single.map(|change: &ModelChange| Change {
            leaves: change.replaces,
            joins: Some(change.column),
            beside: Vec::new(),
            parameters: change.parameters,
            fall: change.fall,
        });
        let closures = neighbours.closures.iter();
        let closures = closures.filter(move |change| together(change.size()));
        let closures = closures.map(|change: &ClosureChange| Change {
            leaves: None,
            joins: Some(change.term),
            beside: change.beside.clone(),
            parameters: change.parameters,
            fall: change.fall,
        });
        let changes = single.chain(closures);
        changes.filter(move |change| change.parameters <= room)
    }

    /// The drops of terms, with those that stand on them, where none is kept.
    fn drops(&self, fit: &Fit) -> impl Iterator<Item = Change> {
        let (x, keep) = (self.problem.x, self.problem.keep);
        let costs = fit.term_drop_costs(x).into_iter();
        let drops = costs.zip(fit.terms()).enumerate();
        let drops = drops.map(move |(at, ((cost, parameters), term))| {
            let change = Change {
                leaves: Some(at),
                joins: None,
                beside: x.standing_on(*term, fit.terms()),
                parameters: -(parameters as i32),
                fall: -cost,
            };
            (*term, change)
        });
        let is_kept = |term: &u32| keep.binary_search(term).is_ok();
        let free = drops
            .filter(move |(term, change)| !is_kept(term) && !change.beside.iter().any(is_kept));
        free.map(|(_, change)| change)
    }

    /// φ after a change, by the sweep's numbers.
    fn value_after(&self, fit: &Fit, change: &Change) -> f64 {
        let before = Size::of(fit);
        let size = Size {
            terms: before.terms.saturating_add_signed(change.terms()),
            parameters: before
                .parameters
                .saturating_add_signed(change.parameters as isize),
        };
        let rss = (fit.rss() - change.fall).max(EXACT);
        self.problem.objective.at(size, rss)
    }

    /// Records the models one change away from a model that was swept.
    pub(super) fn visit_neighbours(
        &self,
        fit: &Fit,
        neighbours: &Neighbours,
        visited: &mut VisitedModels,
    ) {
        if self.problem.x.likelihood().is_some() {
            // A likelihood is not what the sweep's quadratic says.
            return;
        }
        let changes = self.changes(fit, neighbours, (NEAR, usize::MAX));
        for change in changes.chain(self.drops(fit)) {
            let value = self.value_after(fit, &change);
            let is_wanted = visited.wants(value);
            // One that joins may have more parameters once another has left that explained some.
            let met = is_wanted.then(|| changed(fit, &change));
            if let Some(met) = met.filter(|met| self.problem.has_room(met)) {
                visited.offer(value, &met);
            }
        }
    }

    /// The best model, fitted from scratch, that is one addition or exchange away from one of these
    /// and better than a value.
    pub(super) fn improve_any(&self, swept: &[(Fit, Neighbours)], value: f64) -> Option<Candidate> {
        let strongest = swept.iter().flat_map(|(fit, neighbours)| {
            let changes = self.changes(fit, neighbours, (1, 1));
            changes.map(move |change| (self.value_after(fit, &change), changed(fit, &change)))
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

    /// The best model one addition, drop or exchange away, of one term or by the hierarchy with others, if it
    /// is better than this; with a likelihood the best of the first few, by its quadratic, among which one is better.
    pub(super) fn improve(
        &self,
        best: &Candidate,
        neighbours: &Neighbours,
        visited: &mut VisitedModels,
    ) -> Option<Candidate> {
        let x = self.problem.x;
        let has_likelihood = x.likelihood().is_some();
        let most = if has_likelihood {
            FITTED_LIKELIHOODS
        } else {
            FITTED
        };
        let changes = self.changes(&best.fit, neighbours, (most, most));
        let mut drops: Vec<Change> = self.drops(&best.fit).collect();
        drops.sort_by(|a, b| b.fall.total_cmp(&a.fall));
        let mut strongest = first_of_each(most);
        drops.retain(|drop| strongest((drop.terms(), drop.parameters)));
        let mut changes: Vec<Change> = changes.chain(drops).collect();
        // By its quadratic; the first few that hold a better model decide.
        let together = match has_likelihood {
            true => {
                let after = |change: &Change| self.value_after(&best.fit, change);
                changes.sort_by(|a, b| after(a).total_cmp(&after(b)));
                FITTED_TOGETHER
            }
            false => changes.len().max(1),
        };
        let mut fitted = |change: &Change| {
            let mut fit = best.fit.clone();
            // What joins is fitted at once, with what leaves.
            let leaves_alone = change.joins.is_none();
            let while_leaving = x.with_likelihood(x.likelihood().filter(|_| leaves_alone));
            if let Some(position) = change.leaves {
                fit.drop(while_leaving, position);
            }
            match change.joins {
                Some(term) => {
                    let mut terms = change.beside.iter().chain([&term]);
                    terms.try_for_each(|term| fit.add(x, *term)).ok()?;
                }
                None => fit.drop_all(x, &change.beside),
            }
            let value = self.problem.value_of(&fit);
            if has_likelihood && value < f64::INFINITY {
                visited.offer(value, &fit.members());
            }
            rises(value, best.value).then_some(Candidate { fit, value })
        };
        changes.chunks(together).find_map(|few| {
            let mut better: Vec<Candidate> = few.iter().filter_map(&mut fitted).collect();
            better.sort_by(|a, b| a.value.total_cmp(&b.value));
            // Fitted from scratch, the last digits may differ, and with them the verdict.
            let mut anew = better.iter().map(|model| self.fitted(&model.fit.members()));
            anew.find(|model| rises(model.value, best.value))
        })
    }
}

/// The terms of a model after a change, ascending.
fn changed(fit: &Fit, change: &Change) -> Vec<u32> {
    let stay = fit.terms().iter().enumerate();
    let stay =
        stay.filter(|(at, term)| Some(*at) != change.leaves && !change.beside.contains(term));
    let joining = change
        .joins
        .iter()
        .flat_map(|term| change.beside.iter().chain([term]));
    let terms = stay.map(|(_, term)| term).chain(joining);
    let mut members: Vec<u32> = terms.copied().collect();
    members.sort_unstable();
    members
}
