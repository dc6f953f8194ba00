//! The CPU as a device: models are [`Fit`]s, and all threads sweep the columns.

mod closures;
mod counting;
mod direct;
mod gain;
mod gram_cache;
mod gram_tile;
mod joining;
mod likelihood_terms;
mod neighbours;
mod products;
mod single_precision;
mod strongest;
mod term_products;
mod term_screen;
mod terms;
mod tie_window;

use rayon::prelude::*;

use super::{
    Candidate, Device, DeviceError, Gain, ModelUpdate, ModelView, Neighbours, Shard, TermChange,
    UpdateOutcome, terms::free_drops,
};
use crate::{
    design::Columns,
    interrupt::Interrupt,
    least_squares::{Fit, FitView},
    memory::{MemoryBudget, MemoryCharge},
};
pub(crate) use counting::{CpuCounter, CpuTableScorer};
#[cfg(test)]
pub(crate) use joining::bound_of as joining_bound;
use products::CpuProducts;
pub(super) use products::{ProductSource, Visit};
use strongest::Sweep;
pub(crate) use strongest::bytes_of_copies;
pub(super) use terms::{
    neighbours as neighbours_of_terms, strongest_exactly as strongest_terms_exactly,
};

/// Observations × variables × models below which waking the threads costs more than fitting.
const PARALLEL_WORK: usize = 1 << 17;

pub(crate) struct Cpu<'x> {
    shard: Shard<'x>,
    y: &'x [f64],
    sweep: Sweep<'x>,
    threads: usize,
    /// Variables that are never dropped, ascending.
    keep: Vec<u32>,
    models: Vec<Fit>,
    /// What ends a verb before its work is done.
    interrupt: Interrupt,
    /// Held for the models.
    charge: MemoryCharge,
}

impl<'x> Cpu<'x> {
    /// The CPU with the columns of `shard`, of which it makes copies of at most `limit` bytes, as far
    /// as the memory of the job reaches. With more than one thread it must be created and used inside
    /// a rayon pool of as many.
    ///
    /// *Shapes:* `y` has n entries and unit norm.
    pub(crate) fn new(
        shard: Shard<'x>,
        y: &'x [f64],
        threads: usize,
        (limit, memory): (Option<u64>, &MemoryBudget),
    ) -> Self {
        Self {
            shard,
            y,
            sweep: Sweep::new(shard, y, threads, (limit, memory)),
            threads,
            keep: Vec::new(),
            models: Vec::new(),
            interrupt: Interrupt::default(),
            charge: memory.charge(),
        }
    }
}

impl Device for Cpu<'_> {
    fn name(&self) -> String {
        "cpu".to_owned()
    }

    fn screen_precision(&self) -> &'static str {
        self.sweep.screen()
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
    }

    fn init_models(&mut self, model: &Fit, count: usize) -> Result<(), DeviceError> {
        let each = (2 * self.shard.x.n() * size_of::<f64>()) as u64;
        let what = "the models of the particles";
        self.charge.set(each.saturating_mul(count as u64), what)?;
        self.keep = model.terms().to_vec();
        self.keep.sort_unstable();
        self.models = vec![model.clone(); count];
        Ok(())
    }

    fn set_supports(&mut self, models: &[(usize, &[u32])]) -> Result<(), DeviceError> {
        for (model, support) in models {
            self.models[*model].set_terms(support);
        }
        Ok(())
    }

    fn update_models(
        &mut self,
        updates: &[(usize, ModelUpdate)],
    ) -> Result<Vec<UpdateOutcome>, DeviceError> {
        let mut orders = vec![None; self.models.len()];
        for &(model, update) in updates {
            orders[model] = Some(update);
        }
        let Shard { x, .. } = self.shard;
        let (y, keep, interrupt) = (self.y, &self.keep, &self.interrupt);
        let apply = |(fit, order): (&mut Fit, &Option<ModelUpdate>)| {
            let variable = match *order {
                None => None,
                Some(_) if interrupt.requested() => None,
                Some(ModelUpdate::Add(column)) => fit.add(x, column).is_ok().then_some(column),
                Some(ModelUpdate::Drop(column)) => drop(fit, x, column),
                Some(ModelUpdate::DropCheapest) if x.terms().is_some() => None,
                Some(ModelUpdate::DropCheapest) => {
                    cheapest(fit, keep).and_then(|column| drop(fit, x, column))
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
        Ok(updates.iter().map(|(model, _)| all[*model]).collect())
    }

    fn find_strongest(
        &mut self,
        models: &[ModelView],
        gain: Gain,
    ) -> Result<Vec<Vec<Candidate>>, DeviceError> {
        let anchors: Vec<FitView> = models
            .iter()
            .map(|model| self.models[model.number].view())
            .collect();
        let shard = self.shard;
        let interrupt = &self.interrupt;
        let stop = || interrupt.requested();
        let by_gain = |fit| gain::strongest(shard, fit, &stop);
        Ok(match gain {
            Gain::Correlation => self.sweep.strongest(&anchors, &stop),
            Gain::Exact if self.threads > 1 => anchors.par_iter().map(by_gain).collect(),
            Gain::Exact => anchors.iter().map(by_gain).collect(),
        })
    }

    fn find_strongest_terms(
        &mut self,
        models: &[ModelView],
        gain: Gain,
    ) -> Result<Vec<Vec<TermChange>>, DeviceError> {
        let Some(terms) = self.shard.x.terms() else {
            return Ok(vec![Vec::new(); models.len()]);
        };
        let fits = models.iter().map(|model| &self.models[model.number]);
        let (own, threads, interrupt) = ((self.shard, terms), self.threads, &self.interrupt);
        let stop = || interrupt.requested();
        if own.0.x.likelihood().is_some() {
            let anchors: Vec<FitView> = fits.map(Fit::view).collect();
            return match gain {
                Gain::Correlation => likelihood_terms::strongest(own, &anchors, threads, &stop),
                Gain::Exact => likelihood_terms::strongest_exactly(own, &anchors, threads, &stop),
            };
        }
        Ok(match gain {
            Gain::Correlation => {
                let anchors: Vec<FitView> = fits.map(Fit::view).collect();
                self.sweep.strongest_terms(terms, &anchors, &stop)
            }
            Gain::Exact => {
                let fits: Vec<Fit> = fits.cloned().collect();
                let mut source = CpuProducts {
                    shard: self.shard,
                    threads,
                };
                strongest_terms_exactly(&mut source, own, &fits, &stop)?
            }
        })
    }

    fn find_drop_costs(&mut self, models: &[usize]) -> Result<Vec<Vec<TermChange>>, DeviceError> {
        let (x, keep) = (self.shard.x, &self.keep);
        let costs = |model: &usize| {
            let fit = &self.models[*model];
            free_drops(x, keep, fit.terms(), fit.term_drop_costs(x))
        };
        Ok(models.iter().map(costs).collect())
    }

    fn find_neighbours(
        &mut self,
        anchors: &[FitView],
        keep: &[u32],
        count: usize,
        part: (usize, usize),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Neighbours>, DeviceError> {
        let shard = self.shard.part(part);
        let threads = self.threads;
        if let Some(terms) = shard.x.terms() {
            let mut source = CpuProducts { shard, threads };
            let wanted = (keep, count);
            if shard.x.likelihood().is_some() {
                let (own, models) = ((shard, terms), (self.y, anchors));
                return likelihood_terms::neighbours(own, models, wanted, threads, stop);
            }
            return neighbours_of_terms(
                &mut source,
                (shard, terms),
                (self.y, anchors),
                wanted,
                stop,
            );
        }
        Ok(neighbours::neighbours(
            shard, anchors, keep, count, threads, stop,
        ))
    }

    fn find_joining(
        &mut self,
        anchors: &[FitView],
        least: &[f64],
        part: (usize, usize),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vec<u32>>, DeviceError> {
        let shard = self.shard.part(part);
        match shard.x.likelihood() {
            Some(likelihood) => {
                joining::joining(shard, likelihood, (anchors, least), self.threads, stop)
            }
            None => Ok(vec![Vec::new(); anchors.len()]),
        }
    }
}

/// Drops a variable; none if the model does not contain it.
fn drop(fit: &mut Fit, x: Columns, variable: u32) -> Option<u32> {
    let position = fit.terms().iter().position(|v| *v == variable)?;
    fit.drop(x, position);
    Some(variable)
}

/// The variable that is not kept and whose loss raises RSS least, ties going to the lowest.
fn cheapest(fit: &Fit, keep: &[u32]) -> Option<u32> {
    let costs = std::iter::zip(fit.support(), fit.drop_costs());
    let mut cheapest: Option<(u32, f64)> = None;
    for (&variable, cost) in costs {
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
