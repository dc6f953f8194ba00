//! The models of a swarm as fits on the host: those of the CPU, and on GPUs those that have a likelihood.

use rayon::prelude::*;

use super::{DeviceError, ModelUpdate, TermChange, UpdateOutcome, terms::free_drops};
use crate::{
    design::Columns,
    interrupt::Interrupt,
    least_squares::{Fit, FitView},
    memory::{MemoryBudget, MemoryCharge},
};

/// Observations × variables × models below which waking the threads costs more than fitting.
const PARALLEL_WORK: usize = 1 << 17;

pub(super) struct FittedModels<'x> {
    x: Columns<'x>,
    y: Vec<f64>,
    threads: usize,
    /// Variables that are never dropped, ascending.
    keep: Vec<u32>,
    models: Vec<Fit>,
    /// What ends a verb before its work is done.
    pub(super) interrupt: Interrupt,
    /// Held for the models.
    charge: MemoryCharge,
}

impl<'x> FittedModels<'x> {
    /// None yet, of `y` on all columns of a design. With more than one thread they must be used inside a rayon pool of as
    /// many.
    pub(super) fn new(x: Columns<'x>, y: &[f64], threads: usize, memory: &MemoryBudget) -> Self {
        Self {
            x,
            y: y.to_vec(),
            threads,
            keep: Vec::new(),
            models: Vec::new(),
            interrupt: Interrupt::default(),
            charge: memory.charge(),
        }
    }

    /// See [`super::Device::set_response`].
    pub(super) fn set_response(&mut self, y: &[f64]) {
        self.y = y.to_vec();
        self.models.clear();
    }

    pub(super) fn of(&self, model: usize) -> &Fit {
        &self.models[model]
    }

    pub(super) fn view(&self, model: usize) -> FitView<'_> {
        self.models[model].view()
    }

    /// See [`super::Device::init_models`].
    pub(super) fn init(&mut self, model: &Fit, count: usize) -> Result<(), DeviceError> {
        // Residual and scratch; of a likelihood scores, weights, means and predictors too, and scaled scores and weights.
        let vectors = if self.x.likelihood().is_some() { 8 } else { 2 };
        let each = (vectors * self.x.n() * size_of::<f64>()) as u64;
        let what = "the models of the particles";
        self.charge.set(each.saturating_mul(count as u64), what)?;
        self.keep = model.terms().to_vec();
        self.keep.sort_unstable();
        self.models = vec![model.clone(); count];
        Ok(())
    }

    /// See [`super::Device::set_supports`].
    pub(super) fn set_supports(&mut self, models: &[(usize, &[u32])]) {
        for (model, support) in models {
            self.models[*model].set_terms(support);
        }
    }

    /// See [`super::Device::update_models`].
    pub(super) fn update(&mut self, updates: &[(usize, ModelUpdate)]) -> Vec<UpdateOutcome> {
        let mut orders = vec![None; self.models.len()];
        for &(model, update) in updates {
            orders[model] = Some(update);
        }
        let (x, y, keep, interrupt) = (self.x, &self.y, &self.keep, &self.interrupt);
        let apply = |(fit, order): (&mut Fit, &Option<ModelUpdate>)| {
            let variable = match *order {
                None => None,
                Some(_) if interrupt.requested() => None,
                Some(ModelUpdate::Add(column)) => fit.add(x, column).is_ok().then_some(column),
                Some(ModelUpdate::Drop(column)) => drop(fit, x, column),
                Some(ModelUpdate::DropCheapest) if x.terms().is_some() => None,
                Some(ModelUpdate::DropCheapest) => {
                    let costs = std::iter::zip(fit.support().iter().copied(), fit.drop_costs());
                    cheapest(costs, keep).and_then(|column| drop(fit, x, column))
                }
                Some(ModelUpdate::Refactor) => {
                    fit.refactor(x, y);
                    None
                }
            };
            UpdateOutcome {
                variable,
                parameters: fit.support().len(),
                rss: fit.rss(),
                square: fit.square(),
            }
        };
        let sizes = self.models.iter().zip(&orders);
        let sizes = sizes.filter(|(_, order)| order.is_some());
        let work: usize = sizes.map(|(fit, _)| fit.support().len().max(1)).sum();
        let all: Vec<UpdateOutcome> = if self.threads > 1 && x.n() * work > PARALLEL_WORK {
            let share = self.models.len().div_ceil(8 * self.threads);
            let held = self.models.par_iter_mut().zip(&orders);
            held.with_min_len(share).map(apply).collect()
        } else {
            self.models.iter_mut().zip(&orders).map(apply).collect()
        };
        updates.iter().map(|(model, _)| all[*model]).collect()
    }

    /// See [`super::Device::find_drop_costs`].
    pub(super) fn drop_costs(&self, models: &[usize]) -> Vec<Vec<TermChange>> {
        let (x, keep) = (self.x, &self.keep);
        let costs = |model: &usize| {
            let fit = &self.models[*model];
            free_drops(x, keep, fit.terms(), fit.term_drop_costs(x))
        };
        models.iter().map(costs).collect()
    }
}

/// Drops a variable; none if the model does not contain it.
fn drop(fit: &mut Fit, x: Columns, variable: u32) -> Option<u32> {
    let position = fit.terms().iter().position(|v| *v == variable)?;
    fit.drop(x, position);
    Some(variable)
}

/// Of variables and what their loss costs, the one that is not kept and costs least, ties going to the lowest.
pub(super) fn cheapest(costs: impl Iterator<Item = (u32, f64)>, keep: &[u32]) -> Option<u32> {
    let mut cheapest: Option<(u32, f64)> = None;
    for (variable, cost) in costs {
        if keep.binary_search(&variable).is_ok() {
            continue;
        }
        let wins = cheapest.is_none_or(|(lowest, least)| {
            let tie = 1e-10 * cost.max(least);
            cost < least - tie || (cost <= least + tie && variable < lowest)
        });
        if wins {
            cheapest = Some((variable, cost));
        }
    }
    cheapest.map(|(variable, _)| variable)
}
