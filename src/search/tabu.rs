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
    problem::{SearchProblem, rises},
    tableau::{Step, Tableau},
    visited::VisitedModels,
};
use crate::{
    device::GramPool,
    random::{Stream, uniform_below},
};

/// Tabu tenure: a dropped variable may not return for this many to twice as many steps, drawn each
/// time; a variable just added stays for half of it. (Shorter tenures for few columns missed more
/// optima, not fewer.)
const TENURE: usize = 8;

/// The least RSS that products of columns can distinguish from zero, y at unit norm.
pub(super) const EXACT: f64 = 1e-13;

/// The cost of one step in multiply-adds of a product with X: for each of its k·m entries, and for
/// a fixed number of entries whatever k and m. Measured: see docs/performance.md.
pub(super) const ENTRY_COST: u64 = 40;
const STEP_ENTRIES: u64 = 500;

const CHECK_EVERY: usize = 16;

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
    /// The last model, columns ascending, and its φ.
    pub(super) end: Vec<u32>,
    pub(super) end_value: f64,
    /// The best model with φ below `value`, columns ascending.
    pub(super) best: Option<Vec<u32>>,
    pub(super) visited: VisitedModels,
    /// The work done, in multiply-adds of a product with X.
    pub(super) work: u64,
}

impl TabuSearch<'_> {
    /// Searches from a model (columns in any order); `visited` collects the models on the way.
    pub(super) fn run_from(
        &self,
        start: &[u32],
        stream: &mut Stream,
        visited: VisitedModels,
    ) -> TabuResult {
        let (pool, problem) = (self.pool, &self.problem);
        // A column that the pool has no room for is left out.
        let places: Vec<usize> = start.iter().filter_map(|v| pool.position(*v)).collect();
        let mut tableau = Tableau::new(pool, &places);
        let mut result = TabuResult {
            end: start.to_vec(),
            end_value: self.value_of(tableau.members.len(), tableau.rss),
            best: None,
            visited,
            work: ENTRY_COST / 4 * (places.len() * places.len() * pool.len()) as u64,
        };
        let kept: Vec<usize> = problem
            .keep
            .iter()
            .filter_map(|v| pool.position(*v))
            .collect();
        let holds = |tableau: &Tableau| kept.iter().all(|v| tableau.members.contains(v));
        if kept.len() < problem.keep.len() || !holds(&tableau) {
            // Too many kept variables for a pool, or too nearly collinear ones for products of
            // columns: there is only the sweep then.
            result.work = 0;
            return result;
        }
        let mut open = vec![0.0; pool.xty().len()];
        open[..pool.len()].fill(1.0);
        tableau.members.iter().for_each(|m| open[*m] = 0.0);
        // For each place, the first step at which it may move again.
        let mut until = vec![0; pool.len()];
        let mut away: Vec<usize> = Vec::new();
        let mut least = self.value;
        for step in 1..=self.steps {
            if step % CHECK_EVERY == 0 && self.limits.stop() {
                break;
            }
            away.retain(|&place| {
                let waits = until[place] > step;
                if !waits && !tableau.members.contains(&place) {
                    open[place] = 1.0;
                }
                waits
            });
            let steps = self.steps(&mut tableau, &open, |place| {
                until[place] <= step && !kept.contains(&place)
            });
            for (value, step) in &steps {
                if result.visited.wants(*value) {
                    let met = columns(&tableau, pool, step.leaves, step.joins);
                    result.visited.offer(*value, &met);
                }
            }
            let best = steps.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
            result.work +=
                ENTRY_COST * (STEP_ENTRIES + (tableau.members.len() * pool.len()) as u64);
            let Some((_, Step { leaves, joins, .. })) = best.filter(|best| best.0 < f64::INFINITY)
            else {
                if until.iter().all(|until| *until <= step) {
                    // No tabu is left that could open a step.
                    result.work = 0;
                    break;
                }
                continue;
            };
            let tenure = TENURE + uniform_below(stream.next_word(), TENURE + 1);
            if let Some(position) = leaves {
                let place = tableau.members[position];
                until[place] = step + tenure;
                away.push(place);
            }
            if let Some(place) = joins {
                until[place] = step + tenure / 2;
                open[place] = 0.0;
            }
            tableau.step(pool, leaves, joins);
            if !holds(&tableau) {
                // Rebuilt, the tableau had to leave out a kept variable.
                break;
            }
            let value = self.value_of(tableau.members.len(), tableau.rss);
            let columns = columns(&tableau, pool, None, None);
            result.end.clone_from(&columns);
            result.visited.offer(value, &columns);
            if rises(value, least) {
                least = value;
                result.best = Some(columns);
            }
            result.end_value = value;
        }
        result
    }

    /// The best exchange, addition and drop, each with its φ.
    fn steps(
        &self,
        tableau: &mut Tableau,
        open: &[f64],
        free: impl Fn(usize) -> bool,
    ) -> Vec<(f64, Step)> {
        let (k, rss) = (tableau.members.len(), tableau.rss);
        let has_room = k < self.problem.max_size;
        let exchange = tableau.best_exchange(open, &free);
        let addition = has_room.then(|| tableau.best_addition(open)).flatten();
        let drop = tableau.best_drop(&free);
        let valued = |(size, step): (usize, Option<Step>)| {
            let step = step.filter(|step| step.fall > f64::NEG_INFINITY)?;
            Some((self.value_of(size, rss - step.fall), step))
        };
        let sized = [(k, exchange), (k + 1, addition), (k.wrapping_sub(1), drop)];
        sized.into_iter().filter_map(valued).collect()
    }

    fn value_of(&self, k: usize, rss: f64) -> f64 {
        self.problem.objective.at(k, rss.max(EXACT))
    }
}

/// The columns of the tableau's model after a step, ascending.
fn columns(
    tableau: &Tableau,
    pool: &GramPool,
    leaves: Option<usize>,
    joins: Option<usize>,
) -> Vec<u32> {
    let members = tableau.members.iter().enumerate();
    let stay = members.filter(|(position, _)| Some(*position) != leaves);
    let places = stay.map(|(_, place)| *place).chain(joins);
    let mut columns: Vec<u32> = places.map(|place| pool.column(place)).collect();
    columns.sort_unstable();
    columns
}
