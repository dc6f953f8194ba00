//! The models that a search met, fitted from scratch.

use rayon::prelude::*;

use super::{
    problem::Objective,
    visited::{VisitedModel, VisitedModels},
};
use crate::least_squares::Fit;

/// The number of visited models that are reported, each fitted from scratch.
pub(super) const REPORTED: usize = 10;

/// Observations × variables² of the best models met beyond which they are not fitted from scratch:
/// that would take seconds.
pub(super) const REFIT_WORK: usize = 1 << 28;

/// Observations × variables² of the best models of each size beyond which larger ones are not fitted from
/// scratch: some ten milliseconds.
const FRONT_WORK: usize = 1 << 25;

/// The best model of each size visited, fitted from scratch, the smallest first, as far as that is little
/// work: one that the products of columns gave has lost digits.
pub(super) fn refitted_front(
    mut front: Vec<VisitedModel>,
    objective: Objective,
) -> Vec<VisitedModel> {
    if objective.design.likelihood().is_some() {
        // Each was fitted when it was met.
        return front;
    }
    let mut left = FRONT_WORK;
    let n = objective.design.n();
    let is_little = |met: &&mut VisitedModel| {
        let work = n * met.members.len().pow(2);
        left.checked_sub(work).map(|rest| left = rest).is_some()
    };
    let few: Vec<&mut VisitedModel> = front.iter_mut().take_while(is_little).collect();
    few.into_par_iter().for_each(|met| refit(met, objective));
    front
}

fn refit(met: &mut VisitedModel, objective: Objective) {
    let (x, y) = (objective.design.columns(), objective.design.y());
    met.value = objective.of_fit(&Fit::of(x, y, &met.members).0);
}

/// The other models visited, best first. Those that will be reported are fitted from scratch: a
/// tabu search loses digits.
pub(super) fn other_models(
    found: &[u32],
    visited: VisitedModels,
    objective: Objective,
) -> Vec<VisitedModel> {
    let n = objective.design.n();
    let mut models = visited.best();
    models.retain(|met| *met.members != *found);
    let is_fitted = objective.design.likelihood().is_some();
    let mut again = match is_fitted {
        true => 0,
        false => models.len().min(2 * REPORTED),
    };
    let work = |met: &VisitedModel| n * met.members.len().pow(2);
    if models[..again].iter().map(work).sum::<usize>() > REFIT_WORK {
        again = 0;
    }
    models[..again]
        .par_iter_mut()
        .for_each(|met| refit(met, objective));
    models[..again].sort_by(VisitedModel::order);
    models
}
