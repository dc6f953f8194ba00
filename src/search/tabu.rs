//! One island's walk among the columns of the pool: tabu search by the exact
//! change in RSS.
//!
//! Each step is the best there is, of all single additions, drops and exchanges,
//! even where φ rises: so the walk climbs out of a local optimum. What was just
//! dropped may not return for a while, nor what was just added leave: so it does
//! not fall back. (Glover, Tabu Search, 1989.)

use serde::{Deserialize, Serialize};

use super::{
    objective::{Objective, rises},
    problem::SearchProblem,
    tableau::{Best, Tableau},
    visited::VisitedModels,
};
use crate::{
    device::GramPool,
    random::{Stream, uniform_below},
};

/// Steps for which a dropped variable may not return: this many to twice as
/// many, drawn anew each time. A variable just added stays for half of it. (Fewer
/// where there are few columns was tried: more minima were missed, not fewer.)
const TENURE: usize = 8;

/// Least RSS that products of columns can tell from zero, y at unit norm.
pub(super) const EXACT: f64 = 1e-13;

/// What one step costs, in multiply-adds of a product of X, for each of the k·m
/// entries it goes over, and as many entries again that it costs whatever k and
/// m are. Measured: see docs/performance.md.
pub(super) const ENTRY_COST: u64 = 40;
const STEP_ENTRIES: u64 = 500;

/// Steps between two looks at whether the search should end.
const LOOK_EVERY: usize = 16;

/// What a walk starts from and goes by.
pub(super) struct TabuSearch<'a> {
    pub(super) problem: &'a SearchProblem<'a>,
    pub(super) objective: Objective<'a>,
    pub(super) pool: &'a GramPool,
    /// Steps at most.
    pub(super) steps: usize,
    /// φ that a model must be below to be told.
    pub(super) value: f64,
    /// Whether the search should end.
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
}

/// One walk: the model it stands at, columns ascending, and its random stream.
pub(super) struct Island {
    pub(super) members: Vec<u32>,
    pub(super) stream: Stream,
}

/// Where a walk came to.
#[derive(Serialize, Deserialize)]
pub(super) struct TabuResult {
    /// The last model, columns ascending, and its φ.
    pub(super) end: Vec<u32>,
    pub(super) end_value: f64,
    /// The best model below the value asked for, columns ascending.
    pub(super) best: Option<Vec<u32>>,
    pub(super) visited: VisitedModels,
    /// In multiply-adds of a product.
    pub(super) work: u64,
}

impl TabuSearch<'_> {
    /// Walks from a model (columns in any order).
    pub(super) fn from(
        &self,
        start: &[u32],
        stream: &mut Stream,
        visited: VisitedModels,
    ) -> TabuResult {
        let (pool, problem) = (self.pool, self.problem);
        // Where the pool has no room for one, the walk starts without it.
        let places: Vec<usize> = start.iter().filter_map(|v| pool.position(*v)).collect();
        let mut tableau = Tableau::new(pool, &places);
        let mut walked = TabuResult {
            end: start.to_vec(),
            end_value: self.value_of(tableau.members().len(), tableau.rss()),
            best: None,
            visited,
            work: ENTRY_COST / 4 * (places.len() * places.len() * pool.len()) as u64,
        };
        let kept: Vec<usize> = problem
            .keep
            .iter()
            .filter_map(|v| pool.position(*v))
            .collect();
        let holds = |tableau: &Tableau| kept.iter().all(|v| tableau.members().contains(v));
        if kept.len() < problem.keep.len() || !holds(&tableau) {
            // Kept variables too many for a pool, or too nearly collinear for
            // products of columns: what the sweep says has to do.
            walked.work = 0;
            return walked;
        }
        let mut open = vec![0.0; pool.xty().len()];
        open[..pool.len()].fill(1.0);
        tableau.members().iter().for_each(|m| open[*m] = 0.0);
        // Of each place, the first step at which it may move again.
        let mut until = vec![0; pool.len()];
        let mut away: Vec<usize> = Vec::new();
        let mut least = self.value;
        for step in 1..=self.steps {
            if step % LOOK_EVERY == 0 && (self.stop)() {
                break;
            }
            away.retain(|&place| {
                let waits = until[place] > step;
                if !waits && !tableau.members().contains(&place) {
                    open[place] = 1.0;
                }
                waits
            });
            let steps = self.steps(&mut tableau, &open, |place| {
                until[place] <= step && !kept.contains(&place)
            });
            for &(value, leaves, joins) in &steps {
                if walked.visited.wants(value) {
                    let met = columns(&tableau, pool, leaves, joins);
                    walked.visited.offer(value, &met);
                }
            }
            let best = steps.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
            walked.work +=
                ENTRY_COST * (STEP_ENTRIES + (tableau.members().len() * pool.len()) as u64);
            let Some((_, leaves, joins)) = best.filter(|best| best.0 < f64::INFINITY) else {
                if until.iter().all(|until| *until <= step) {
                    // Nothing waits to be allowed again.
                    walked.work = 0;
                    break;
                }
                continue;
            };
            let tenure = TENURE + uniform_below(stream.next_word(), TENURE + 1);
            if let Some(position) = leaves {
                let place = tableau.members()[position];
                until[place] = step + tenure;
                away.push(place);
            }
            if let Some(place) = joins {
                until[place] = step + tenure / 2;
                open[place] = 0.0;
            }
            tableau.step(pool, leaves, joins);
            if !holds(&tableau) {
                // Built anew, it had to leave a kept variable out.
                break;
            }
            let value = self.value_of(tableau.members().len(), tableau.rss());
            let columns = columns(&tableau, pool, None, None);
            walked.end.clone_from(&columns);
            walked.visited.offer(value, &columns);
            if rises(value, least) {
                least = value;
                walked.best = Some(columns);
            }
            walked.end_value = value;
        }
        walked
    }

    /// The best exchange, addition and drop: φ, the position that leaves and the
    /// place that joins.
    fn steps(
        &self,
        tableau: &mut Tableau,
        open: &[f64],
        free: impl Fn(usize) -> bool,
    ) -> Vec<(f64, Option<usize>, Option<usize>)> {
        let (k, rss) = (tableau.members().len(), tableau.rss());
        let mut steps = Vec::with_capacity(3);
        let mut offer = |size: usize, best: Best, leaves, joins| {
            if best.fall > f64::NEG_INFINITY {
                steps.push((self.value_of(size, rss - best.fall), leaves, joins));
            }
        };
        let exchange = tableau.best_exchange(open, &free);
        offer(k, exchange, Some(exchange.leaves), Some(exchange.joins));
        if k < self.problem.max_size {
            let addition = tableau.best_addition(open);
            offer(k + 1, addition, None, Some(addition.joins));
        }
        if k > 0 {
            let drop = tableau.best_drop(&free);
            offer(k - 1, drop, Some(drop.leaves), None);
        }
        steps
    }

    fn value_of(&self, k: usize, rss: f64) -> f64 {
        self.objective.at(k, rss.max(EXACT))
    }
}

/// The columns of a tableau's model after a step, ascending.
fn columns(
    tableau: &Tableau,
    pool: &GramPool,
    leaves: Option<usize>,
    joins: Option<usize>,
) -> Vec<u32> {
    let members = tableau.members().iter().enumerate();
    let stay = members.filter(|(position, _)| Some(*position) != leaves);
    let places = stay.map(|(_, place)| *place).chain(joins);
    let mut columns: Vec<u32> = places.map(|place| pool.column(place)).collect();
    columns.sort_unstable();
    columns
}
