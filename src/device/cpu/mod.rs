//! The CPU as a device: models are fits, and all threads sweep the columns.

mod closures;
mod counting;
mod direct;
mod gain;
mod gram_cache;
mod gram_tile;
mod integer_products;
mod joining;
mod joining_risk;
mod likelihood_terms;
mod neighbours;
mod products;
mod risk_models;
mod single_precision;
mod strongest;
mod term_products;
mod term_screen;
mod terms;
mod tie_window;

use rayon::prelude::*;

use super::{
    Candidate, Device, DeviceError, Gain, ModelUpdate, ModelView, Neighbours, Shard, TermChange,
    UpdateOutcome, fitted_models::FittedModels,
};
use crate::{
    interrupt::Interrupt,
    least_squares::{Fit, FitView},
    memory::MemoryBudget,
};
pub(crate) use counting::{CpuCounter, CpuTableScorer, CpuTermScorer};
pub(super) use gain::strongest as strongest_on_host;
#[cfg(test)]
pub(crate) use joining::bound_of as joining_bound;
pub(super) use joining_risk::joining_by;
pub(super) use likelihood_terms::{
    neighbours as neighbours_of_likelihood_terms, strongest_exactly as strongest_likelihood_terms,
};
pub(crate) use neighbours::falls_by_joining;
pub(super) use neighbours::neighbours as neighbours_on_host;
use products::CpuProducts;
pub(super) use products::{ProductSource, Visit};
use strongest::Sweep;
pub(crate) use strongest::{bytes_of_copies, bytes_of_integers};
pub(super) use terms::{
    neighbours as neighbours_of_terms, strongest_exactly as strongest_terms_exactly,
};

pub(crate) struct Cpu<'x> {
    shard: Shard<'x>,
    y: Vec<f64>,
    sweep: Sweep<'x>,
    threads: usize,
    models: FittedModels<'x>,
}

impl<'x> Cpu<'x> {
    /// The CPU with the columns of `shard`, of which it makes copies of at most `limit` bytes, as far
    /// as the memory of the job reaches. With more than one thread it must be created and used inside
    /// a rayon pool of as many.
    ///
    /// *Shapes:* `y` has n entries and unit norm.
    pub(crate) fn new(
        shard: Shard<'x>,
        y: &[f64],
        threads: usize,
        (limit, memory): (Option<u64>, &MemoryBudget),
    ) -> Self {
        Self {
            shard,
            y: y.to_vec(),
            sweep: Sweep::new(shard, y, threads, (limit, memory)),
            threads,
            models: FittedModels::new(shard.x, y, threads, memory),
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
        self.models.interrupt = interrupt.clone();
    }

    fn set_response(&mut self, y: &[f64]) -> Result<(), DeviceError> {
        self.y = y.to_vec();
        self.sweep.set_response(y);
        self.models.set_response(y);
        Ok(())
    }

    fn init_models(&mut self, model: &Fit, count: usize) -> Result<(), DeviceError> {
        self.models.init(model, count)
    }

    fn set_supports(&mut self, models: &[(usize, &[u32])]) -> Result<(), DeviceError> {
        self.models.set_supports(models);
        Ok(())
    }

    fn update_models(
        &mut self,
        updates: &[(usize, ModelUpdate)],
    ) -> Result<Vec<UpdateOutcome>, DeviceError> {
        Ok(self.models.update(updates))
    }

    fn find_strongest(
        &mut self,
        models: &[ModelView],
        gain: Gain,
    ) -> Result<Vec<Vec<Candidate>>, DeviceError> {
        let anchors: Vec<FitView> = models
            .iter()
            .map(|model| self.models.view(model.number))
            .collect();
        let shard = self.shard;
        let interrupt = &self.models.interrupt;
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
        let fits = models.iter().map(|model| self.models.of(model.number));
        let (own, threads, interrupt) = ((self.shard, terms), self.threads, &self.models.interrupt);
        let stop = || interrupt.requested();
        if own.0.x.likelihood().is_some() {
            let anchors: Vec<FitView> = fits.map(Fit::view).collect();
            let source = &mut CpuProducts {
                shard: self.shard,
                threads,
            };
            return match gain {
                Gain::Correlation => likelihood_terms::strongest(source, own, &anchors, &stop),
                Gain::Exact => strongest_likelihood_terms(source, own, &anchors, &stop),
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
        Ok(self.models.drop_costs(models))
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
                let (own, models) = ((shard, terms), (&*self.y, anchors));
                return neighbours_of_likelihood_terms(&mut source, own, models, wanted, stop);
            }
            return neighbours_of_terms(
                &mut source,
                (shard, terms),
                (&self.y, anchors),
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
            Some(likelihood) if likelihood.is_survival() => {
                joining_risk::joining(shard, likelihood, (anchors, least), self.threads, stop)
            }
            Some(likelihood) => {
                joining::joining(shard, likelihood, (anchors, least), self.threads, stop)
            }
            None => Ok(vec![Vec::new(); anchors.len()]),
        }
    }
}
