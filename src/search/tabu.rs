//! The tabu search of one island among the columns of the pool, by the exact change in RSS.
//!
//! Each step is the best of all single additions, drops and exchanges, even where φ rises, so that
//! the search leaves local optima. A variable just dropped may not return for a while, nor one just
//! added be dropped, so that it does not fall back.
//!
//! *Source*: F. Glover, Tabu search, part I, ORSA Journal on Computing 1, 1989.

use serde::{Deserialize, Serialize};

use super::{
    control::Limits,
    problem::{SearchProblem, Size, rises},
    step::Step,
    tableau::Tableau,
    visited::VisitedModels,
};
use crate::{
    design::Terms,
    device::GramPool,
    random::{Stream, uniform_below},
};

/// Tabu tenure: a dropped variable may not return for this many to twice as many steps, drawn each
/// time; a variable just added stays for half of it.
const TENURE: usize = 6;

/// The least RSS that products of columns can distinguish from zero, y at unit norm.
pub(super) const EXACT: f64 = 1e-13;

/// The cost of one step in multiply-adds of a product with X: for each of its k·m entries, and for
/// a fixed number of entries whatever k and m. Measured: see docs/performance.md.
pub(super) const ENTRY_COST: u64 = 40;
const STEP_ENTRIES: u64 = 500;

const CHECK_EVERY: usize = 16;

/// Steps without a lower φ after which a walk drops a half to three quarters of its variables, drawn at
/// random, and goes on from there: a tabu alone rarely leads to another basin.
const STALL: usize = 30;

pub(super) struct TabuSearch<'a> {
    pub(super) problem: SearchProblem<'a>,
    pub(super) pool: &'a GramPool,
    pub(super) steps: usize,
    /// φ of the best model so far; only a lower one is returned.
    pub(super) value: f64,
    pub(super) limits: Limits<'a>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct TabuResult {
    /// The last model, terms ascending, and its φ.
    pub(super) end: Vec<u32>,
    pub(super) end_value: f64,
    /// The best model with φ below `value`, terms ascending.
    pub(super) best: Option<Vec<u32>>,
    pub(super) visited: VisitedModels,
    /// The work done, in multiply-adds of a product with X.
    pub(super) work: u64,
}

impl TabuSearch<'_> {
    /// Searches from a model (terms in any order); `visited` collects the models on the way.
    pub(super) fn run_from(
        &self,
        start: &[u32],
        stream: &mut Stream,
        visited: VisitedModels,
    ) -> TabuResult {
        let (pool, problem) = (self.pool, &self.problem);
        // A term that the pool has no room for is left out.
        let terms: Vec<usize> = start.iter().filter_map(|v| pool.position(*v)).collect();
        let place = (pool, problem.x.terms());
        let mut tableau = Tableau::new(pool, place.1, &terms);
        let mut result = TabuResult {
            end: start.to_vec(),
            end_value: self.value_of(size(&tableau), tableau.rss),
            best: None,
            visited,
            work: ENTRY_COST / 4 * (tableau.columns.len().pow(2) * pool.width()) as u64,
        };
        let kept: Vec<usize> = problem
            .keep
            .iter()
            .filter_map(|v| pool.position(*v))
            .collect();
        let holds = |tableau: &Tableau| {
            let stands = |rule: &Terms| {
                rule.are_free() || rule.allow(&terms_after(tableau, pool, &Step::default()))
            };
            kept.iter().all(|v| tableau.members.contains(v)) && place.1.is_none_or(stands)
        };
        if kept.len() < problem.keep.len() || !holds(&tableau) {
            // Too many kept variables for a pool, or too nearly collinear ones for products of
            // columns: there is only the sweep then.
            result.work = 0;
            return result;
        }
        let mut tabu = TabuList::new(pool, &tableau);
        let mut least = self.value;
        // The lowest φ since the start or the last scattering, and its step.
        let (mut lowest, mut lowered) = (result.end_value, 0);
        for step in 1..=self.steps {
            if step % CHECK_EVERY == 0 && self.limits.stop() {
                break;
            }
            if step - lowered > STALL {
                let rule = (&*kept, problem.x.terms());
                let drops = scatter(&mut tableau, pool, &mut tabu, rule, step, stream);
                let entries = drops * (tableau.columns.len() + drops) * pool.width();
                result.work += ENTRY_COST / 4 * entries as u64;
                (lowest, lowered) = (f64::INFINITY, step);
                if !holds(&tableau) {
                    // Rebuilt, the tableau had to leave out a kept variable.
                    break;
                }
            }
            tabu.release(step, &tableau);
            let steps = self.steps(&mut tableau, &tabu.open, |term| {
                tabu.until[term] <= step && !kept.contains(&term)
            });
            // Where columns are left out, those that enter once others leave are not known yet.
            let known = match tableau.is_partial(pool) {
                true => &[],
                false => &*steps,
            };
            for (value, step) in known {
                if result.visited.wants(*value) {
                    let met = terms_after(&tableau, pool, step);
                    // A term that joins may have more parameters once another has left that explained some.
                    if self.problem.has_room(&met) {
                        result.visited.offer(*value, &met);
                    }
                }
            }
            let best = steps.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
            let entries = tableau.columns.len() * pool.width() * term_width(&tableau);
            result.work += ENTRY_COST * (STEP_ENTRIES + entries as u64);
            let Some((_, next)) = best.filter(|best| best.0 < f64::INFINITY) else {
                if tabu.until.iter().all(|until| *until <= step) {
                    // No tabu is left that could open a step.
                    result.work = 0;
                    break;
                }
                continue;
            };
            let tenure = draw_tenure(stream);
            let leaving = next.leaves.map(|index| tableau.members[index]);
            let beside = next.beside.iter().copied();
            let (leave, join) = match leaving {
                Some(_) => (Some(beside), None),
                None => (None, Some(beside)),
            };
            for term in leaving.into_iter().chain(leave.into_iter().flatten()) {
                tabu.leave(term, step + tenure);
            }
            for term in next.joins.into_iter().chain(join.into_iter().flatten()) {
                tabu.join(term, step + tenure / 2);
            }
            tableau.take(place, &next);
            if !holds(&tableau) {
                break;
            }
            if size(&tableau).parameters > self.problem.max_size {
                // The next step leads back to a model that may be.
                continue;
            }
            let value = self.value_of(size(&tableau), tableau.rss);
            let terms = terms_after(&tableau, pool, &Step::default());
            result.end.clone_from(&terms);
            result.visited.offer(value, &terms);
            if rises(value, least) {
                least = value;
                result.best = Some(terms);
            }
            result.end_value = value;
            if rises(value, lowest) {
                (lowest, lowered) = (value, step);
            }
        }
        result
    }

    /// The best exchanges, additions and drops that the model has room for, each with its φ.
    fn steps(
        &self,
        tableau: &mut Tableau,
        open: &[f64],
        free: impl Fn(usize) -> bool,
    ) -> Vec<(f64, Step)> {
        let (before, rss) = (size(tableau), tableau.rss);
        let rule = (free, self.problem.x.terms());
        let steps = tableau.best_steps(self.pool, open, rule);
        let valued = |step: Step| {
            let after = Size {
                terms: before.terms.saturating_add_signed(step.terms()),
                parameters: before
                    .parameters
                    .saturating_add_signed(step.parameters as isize),
            };
            let has_room = step.parameters < 0 || after.parameters <= self.problem.max_size;
            let is_step = has_room && step.fall > f64::NEG_INFINITY;
            is_step.then(|| (self.value_of(after, rss - step.fall), step))
        };
        steps.into_iter().filter_map(valued).collect()
    }

    fn value_of(&self, size: Size, rss: f64) -> f64 {
        self.problem.objective.at(size, rss.max(EXACT))
    }
}

fn size(tableau: &Tableau) -> Size {
    Size {
        terms: tableau.members.len(),
        parameters: tableau.columns.len(),
    }
}

/// The columns of a term of the model, on average: as many times a step passes over the tableau.
fn term_width(tableau: &Tableau) -> usize {
    tableau
        .columns
        .len()
        .div_ceil(tableau.members.len().max(1))
        .max(1)
}

/// The terms that a walk may not touch for a while.
struct TabuList {
    /// For each term of the pool, 1 where it may join the model, else 0.
    open: Vec<f64>,
    /// For each term of the pool, the first step at which it may move again.
    until: Vec<usize>,
    /// The terms that left and may not return yet.
    away: Vec<usize>,
}

impl TabuList {
    fn new(pool: &GramPool, tableau: &Tableau) -> Self {
        let mut open = vec![0.0; pool.xty().len()];
        open[..pool.len()].fill(1.0);
        tableau
            .members
            .iter()
            .for_each(|member| open[*member] = 0.0);
        Self {
            open,
            until: vec![0; pool.len()],
            away: Vec::new(),
        }
    }

    /// Opens the terms that may return at this step.
    fn release(&mut self, step: usize, tableau: &Tableau) {
        let Self { open, until, away } = self;
        away.retain(|&place| {
            let waits = until[place] > step;
            if !waits && !tableau.members.contains(&place) {
                open[place] = 1.0;
            }
            waits
        });
    }

    fn leave(&mut self, place: usize, until: usize) {
        self.until[place] = until;
        self.away.push(place);
    }

    fn join(&mut self, place: usize, until: usize) {
        self.until[place] = until;
        self.open[place] = 0.0;
    }
}

fn draw_tenure(stream: &mut Stream) -> usize {
    TENURE + uniform_below(stream.next_word(), TENURE + 1)
}

/// Drops a half to three quarters of the variables that are not kept, at least one if there is any; returns
/// how many.
fn scatter(
    tableau: &mut Tableau,
    pool: &GramPool,
    tabu: &mut TabuList,
    (kept, rule): (&[usize], Option<&Terms>),
    step: usize,
    stream: &mut Stream,
) -> usize {
    let mut free = tableau.members.clone();
    free.retain(|place| !kept.contains(place));
    let quarter = free.len() / 4;
    let drops = 2 * quarter + uniform_below(stream.next_word(), quarter + 1);
    let drops = drops.max(1).min(free.len());
    for _ in 0..drops {
        let drawn = uniform_below(stream.next_word(), free.len());
        let at = rule.map_or(drawn, |rule| above(rule, tableau, pool, &free, drawn));
        let place = free.swap_remove(at);
        let position = tableau.members.iter().position(|member| *member == place);
        // Rebuilt, the tableau may have left it out.
        if position.is_some() {
            tableau.step((pool, rule), position, None);
            tabu.leave(place, step + draw_tenure(stream));
        }
    }
    drops
}

/// Of a list of terms of the model the one at a place, or, where others need it, one of those that nothing
/// needs.
fn above(rule: &Terms, tableau: &Tableau, pool: &GramPool, list: &[usize], at: usize) -> usize {
    let members = || tableau.members.iter().map(|term| pool.term(*term));
    let held: Vec<u32> = members().collect();
    let mut own = pool.term(list[at]);
    while !rule.may_leave(own, &held) {
        match members().find(|other| rule.parents(*other).contains(&own)) {
            Some(other) => own = other,
            None => break,
        }
    }
    let place = list.iter().position(|term| pool.term(*term) == own);
    place.unwrap_or(at)
}

/// The terms of the tableau's model after a step, ascending.
fn terms_after(tableau: &Tableau, pool: &GramPool, step: &Step) -> Vec<u32> {
    let leaving = step.leaves.map(|index| tableau.members[index]);
    let leaves = |place: &usize| Some(*place) == leaving || step.beside.contains(place);
    let stay = tableau.members.iter().filter(|place| !leaves(place));
    let joining = step.joins.iter().flat_map(|term| match leaving {
        Some(_) => [].iter().chain([term]),
        None => step.beside.iter().chain([term]),
    });
    let mut terms: Vec<u32> = stay.chain(joining).map(|place| pool.term(*place)).collect();
    terms.sort_unstable();
    terms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{design::Columns, least_squares::Fit};

    #[test]
    fn a_scattered_walk_keeps_what_is_kept_and_a_quarter() {
        let (n, p) = (40, 24);
        let mut stream = Stream::new(3, 0);
        let mut draw = || (stream.next_word() >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        let mut unit = || {
            let x: Vec<f64> = (0..n).map(|_| draw()).collect();
            let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
            x.into_iter().map(move |x| x / norm)
        };
        let y: Vec<f64> = unit().collect();
        let x: Vec<f64> = (0..p).flat_map(|_| unit()).collect();
        let x = Columns::new(&x, n);
        let mut pool = GramPool::new(x, &Fit::empty(&y));
        pool.insert(x, &y, 0..p as u32, 1, &|| false);
        for (size, kept) in [(0, 0), (1, 0), (1, 1), (2, 0), (12, 0), (13, 1), (20, 4)] {
            let model: Vec<usize> = (0..size).collect();
            let kept: Vec<usize> = (0..kept).collect();
            for seed in 0..20 {
                let mut tableau = Tableau::new(&pool, None, &model);
                let mut tabu = TabuList::new(&pool, &tableau);
                let mut stream = Stream::new(seed, 1);
                let rule = (&*kept, None);
                let drops = scatter(&mut tableau, &pool, &mut tabu, rule, 7, &mut stream);
                let free = size - kept.len();
                let (least, most) = (2 * (free / 4), 3 * (free / 4));
                assert!(drops >= least.max(1).min(free) && drops <= most.max(1));
                assert_eq!(tableau.members.len(), size - drops);
                assert!(kept.iter().all(|place| tableau.members.contains(place)));
                for place in 0..size {
                    let stays = tableau.members.contains(&place);
                    assert!(stays || tabu.until[place] >= 7 + TENURE);
                    assert!(tabu.open[place] == 0.0, "closed until it is released");
                }
            }
        }
    }
}
