//! All devices of a search as one.

mod joining;
mod response;
mod to_host;

use std::{
    collections::BTreeSet,
    ops::Range,
    sync::atomic::{AtomicUsize, Ordering},
};

use rayon::prelude::*;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    Device, DeviceError, Gain, ModelUpdate, ModelView, Neighbours, Partition, Placement, Resources,
    Shard, TermChange, UpdateOutcome,
    cpu::Cpu,
    cuda::{self, Cuda},
    gain::{RELATIVE_TIE, tie_width},
    shards::{interleave, shards},
};
use crate::{
    design::{Columns, Terms},
    interrupt::Interrupt,
    least_squares::{Fit, FitView},
    ranks::Communicator,
};

/// The devices of a search, each with its range of the columns.
///
/// Every device holds all models, for they are small compared with the columns, and an update gives
/// the same bits on each. Where devices can read one another's memory, each updates only a part of
/// the models, and a sweep reads the residuals in the memory of the device that has them.
pub(crate) struct Devices<'x> {
    devices: Vec<Box<dyn Device + 'x>>,
    /// Fetches columns that other ranks have read.
    x: Option<Columns<'x>>,
    n: usize,
    /// Whether model i is updated only by device i modulo their number.
    split: bool,
    /// Residual sum of squares, ‖r‖² and number of columns of each model.
    rss: Vec<f64>,
    squares: Vec<f64>,
    parameters: Vec<usize>,
    /// The other ranks, and what is partitioned over them.
    communicator: Option<(Communicator, Partition)>,
}

impl<'x> Devices<'x> {
    /// Opens the devices of a placement, the columns of `x` sharded over them, for a number of
    /// models that improve by this gain. With more than one thread it must be created and used
    /// inside a rayon pool of as many.
    ///
    /// *Shapes:* `x` n × p, column-major, and `y` n, of unit norm, on the host.
    ///
    /// # Errors
    /// A device that does not exist, cannot be used or has too little memory.
    pub(crate) fn new(
        placement: &Placement,
        x: Columns<'x>,
        y: &[f64],
        (models, gain): (usize, Gain),
        resources: &Resources,
        threads: usize,
    ) -> Result<Self, DeviceError> {
        let over = resources.partition.unwrap_or(Partition::Columns);
        let x = match (placement, x.is_unpacked()) {
            (Placement::Cpu(_), false) | (Placement::Cuda(_), true) => x,
            (Placement::Cuda(_), false) if x.n() < cuda::MOST_PEOPLE => x,
            _ => x.in_memory(&resources.memory)?,
        };
        let own = match &resources.communicator {
            // Other ranks have read the other columns.
            _ if x.is_partitioned() => x.local(),
            Some(communicator) if over != Partition::Particles => communicator.local_range(x.p()),
            _ => 0..x.p(),
        };
        let cpus = |count: usize| {
            let limits = (resources.room_for_copies(), &resources.memory);
            let shards = shards(x, &own, count).into_iter();
            let cpus = shards
                .map(|shard| Box::new(Cpu::new(shard, y, threads, limits)) as Box<dyn Device>);
            cpus.collect()
        };
        let (devices, split) = match placement {
            // A rank without columns needs no GPU.
            _ if own.is_empty() => (cpus(1), false),
            Placement::Cpu(count) => (cpus(*count), false),
            Placement::Cuda(ordinals) => {
                let shards = shards(x, &own, ordinals.len());
                let open = |(ordinal, shard): (&usize, Shard<'x>)| {
                    Cuda::new(*ordinal, shard, y, (models, gain), resources, threads)
                };
                let opened = ordinals.par_iter().with_max_len(1).zip(shards).map(open);
                let mut gpus = opened.collect::<Result<Vec<_>, _>>()?;
                let reached = cuda::enable_peer_access(&mut gpus);
                let gpus = gpus.into_iter().map(|gpu| Box::new(gpu) as Box<dyn Device>);
                // The exact gain takes a model's factor, which does not travel, and so do drops of terms.
                let splits = gain == Gain::Correlation && x.terms().is_none();
                (gpus.collect(), reached && splits)
            }
        };
        let mut all = Self::from_devices(devices, x.n(), split);
        all.communicator = resources.communicator.clone().map(|ranks| (ranks, over));
        all.x = Some(x);
        Ok(all)
    }

    /// Devices that were opened with their shards, for n observations.
    pub(crate) fn from_devices(devices: Vec<Box<dyn Device + 'x>>, n: usize, split: bool) -> Self {
        Self {
            devices,
            n,
            split,
            rss: Vec::new(),
            squares: Vec::new(),
            parameters: Vec::new(),
            communicator: None,
            x: None,
        }
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.devices.iter().map(|device| device.name()).collect()
    }

    /// The arithmetic that screens; where devices differ, each kind once, separated by commas.
    pub(crate) fn screen_precision(&self) -> String {
        let kinds = self.devices.iter().map(|device| device.screen_precision());
        Vec::from_iter(BTreeSet::from_iter(kinds)).join(", ")
    }

    /// See [`Device::heed`].
    pub(crate) fn heed(&mut self, interrupt: &Interrupt) {
        for device in &mut self.devices {
            device.heed(interrupt);
        }
    }

    /// See [`Device::init_models`].
    pub(crate) fn init_models(&mut self, model: &Fit, count: usize) -> Result<(), DeviceError> {
        self.rss = vec![model.rss(); count];
        self.squares = vec![model.square(); count];
        self.parameters = vec![model.support().len(); count];
        self.each(|_, device| device.init_models(model, count))?;
        Ok(())
    }

    /// Gives each model its support (ascending, with the kept variables) and factors it anew, so
    /// that its bits depend on nothing but the support.
    pub(crate) fn set_supports(&mut self, supports: &[&[u32]]) -> Result<(), DeviceError> {
        self.fetch(supports.iter().flat_map(|support| support.iter().copied()))?;
        let (count, split) = (self.devices.len(), self.split);
        let local = self.local_models(supports.len());
        let all: Vec<(usize, &[u32])> = supports.iter().copied().enumerate().collect();
        self.each(|at, device| {
            let own = |(model, _): &&(usize, _)| !split || model % count == at;
            let own: Vec<_> = all[local.clone()].iter().filter(own).copied().collect();
            device.set_supports(&own)
        })?;
        let refactor = (0..all.len()).map(|model| (model, ModelUpdate::Refactor));
        self.update_models(&Vec::from_iter(refactor))?;
        Ok(())
    }

    /// The models that this rank's devices update and sweep.
    fn local_models(&self, models: usize) -> Range<usize> {
        match &self.communicator {
            Some((communicator, Partition::Particles)) => communicator.local_range(models),
            _ => 0..models,
        }
    }

    pub(crate) fn rss(&self, model: usize) -> f64 {
        self.rss[model]
    }

    /// ‖r‖² of a model; see [`UpdateOutcome::square`].
    pub(crate) fn square(&self, model: usize) -> f64 {
        self.squares[model]
    }

    /// The columns of a model.
    pub(crate) fn parameters(&self, model: usize) -> usize {
        self.parameters[model]
    }

    /// See [`Device::update_models`]; the outcomes are in the order of the updates.
    pub(crate) fn update_models(
        &mut self,
        updates: &[(usize, ModelUpdate)],
    ) -> Result<Vec<UpdateOutcome>, DeviceError> {
        if updates.is_empty() {
            return Ok(Vec::new());
        }
        self.fetch(updates.iter().filter_map(|(_, update)| match update {
            ModelUpdate::Add(column) => Some(*column),
            ModelUpdate::Drop(_) | ModelUpdate::DropCheapest | ModelUpdate::Refactor => None,
        }))?;
        let local = self.local_models(self.rss.len());
        let own = updates.iter().filter(|(model, _)| local.contains(model));
        let own: Vec<_> = own.copied().collect();
        let outcomes = self.update_local(&own)?;
        let outcomes = self.gather_models(outcomes, updates.iter().map(|(model, _)| *model))?;
        for ((model, _), outcome) in updates.iter().zip(&outcomes) {
            self.rss[*model] = outcome.rss;
            self.squares[*model] = outcome.square;
            self.parameters[*model] = outcome.parameters;
        }
        Ok(outcomes)
    }

    /// Updates models of this rank.
    fn update_local(
        &mut self,
        updates: &[(usize, ModelUpdate)],
    ) -> Result<Vec<UpdateOutcome>, DeviceError> {
        let count = self.devices.len();
        if !self.split || count == 1 {
            return Ok(self
                .each(|_, device| device.update_models(updates))?
                .swap_remove(0));
        }
        let mut shares = vec![Vec::new(); count];
        for update in updates {
            shares[update.0 % count].push(*update);
        }
        let outcomes = self.each(|at, device| device.update_models(&shares[at]))?;
        let owners = updates.iter().map(|(model, _)| model % count);
        Ok(interleave(outcomes, owners))
    }

    /// The results of all ranks' models, in the order of `models`.
    fn gather_models<T: Serialize + DeserializeOwned>(
        &self,
        own: Vec<T>,
        models: impl Iterator<Item = usize>,
    ) -> Result<Vec<T>, DeviceError> {
        let Some((communicator, Partition::Particles)) = &self.communicator else {
            return Ok(own);
        };
        let owners = models.map(|model| communicator.owner(model, self.rss.len()));
        Ok(interleave(communicator.gather(&own)?, owners))
    }

    /// The strongest column outside each model's support, ties going to the lowest column; none
    /// where no column is outside.
    pub(crate) fn find_strongest(
        &mut self,
        models: &[ModelView],
        gain: Gain,
    ) -> Result<Vec<Option<u32>>, DeviceError> {
        if models.is_empty() {
            return Ok(Vec::new());
        }
        let local = self.local_models(self.rss.len());
        let own = models.iter().filter(|model| local.contains(&model.number));
        let own: Vec<_> = own.copied().collect();
        let mut found = match own.is_empty() {
            true => Vec::new(),
            false => self.each(|_, device| device.find_strongest(&own, gain))?,
        };
        if let Some((communicator, Partition::Columns | Partition::Sweeps)) = &self.communicator {
            found = communicator.gather(&found)?.into_iter().flatten().collect();
        }
        let strongest = |(at, model): (usize, &ModelView)| {
            let near = || found.iter().flat_map(|shard| &shard[at]);
            let most = near().map(|candidate| candidate.score).fold(0.0, f64::max);
            let width = match gain {
                Gain::Correlation => tie_width(self.n, model.square.sqrt()),
                Gain::Exact => RELATIVE_TIE * most,
            };
            let tied = near().filter(|candidate| candidate.score >= most - width);
            tied.map(|candidate| candidate.column).min()
        };
        let own = own.iter().enumerate().map(strongest).collect();
        self.gather_models(own, models.iter().map(|model| model.number))
    }

    /// Of a design with terms of several columns: for each model and each number of parameters the term
    /// outside the model that gains most, ties going to the lowest.
    pub(crate) fn find_strongest_terms(
        &mut self,
        models: &[ModelView],
        gain: Gain,
    ) -> Result<Vec<Vec<TermChange>>, DeviceError> {
        if models.is_empty() {
            return Ok(Vec::new());
        }
        let growth = self.x.and_then(|x| x.terms()).map_or(1.0, Terms::growth);
        let local = self.local_models(self.rss.len());
        let own = models.iter().filter(|model| local.contains(&model.number));
        let own: Vec<_> = own.copied().collect();
        let found = match own.is_empty() {
            true => Vec::new(),
            false => self.each(|_, device| device.find_strongest_terms(&own, gain))?,
        };
        let strongest = |(at, model): (usize, &ModelView)| {
            let near = || found.iter().flat_map(|shard| &shard[at]);
            let widths: BTreeSet<usize> = near().map(|change| change.parameters).collect();
            let of_width = |width| {
                let near = || near().filter(|change| change.parameters == width);
                let most = near().map(|change| change.rss).fold(0.0, f64::max);
                let least = match gain {
                    Gain::Correlation => {
                        let tie = tie_width(self.n, model.square.sqrt()) * growth;
                        (most.sqrt() - tie).max(0.0).powi(2)
                    }
                    Gain::Exact => most * (1.0 - RELATIVE_TIE),
                };
                let tied = near().filter(|change| change.rss >= least);
                tied.min_by_key(|change| change.term).copied()
            };
            widths.into_iter().filter_map(of_width).collect()
        };
        let own = own.iter().enumerate().map(strongest).collect();
        self.gather_models(own, models.iter().map(|model| model.number))
    }

    /// See [`Device::find_drop_costs`].
    pub(crate) fn find_drop_costs(
        &mut self,
        models: &[usize],
    ) -> Result<Vec<Vec<TermChange>>, DeviceError> {
        let local = self.local_models(self.rss.len());
        let own = models.iter().filter(|model| local.contains(model));
        let own: Vec<_> = own.copied().collect();
        // All devices of a rank hold all its models.
        let costs = self.devices[0].find_drop_costs(&own)?;
        self.gather_models(costs, models.iter().copied())
    }

    /// The strongest additions and exchanges among all columns; see [`Device::find_neighbours`].
    pub(crate) fn find_neighbours(
        &mut self,
        anchors: &[FitView],
        keep: &[u32],
        count: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Neighbours>, DeviceError> {
        let part = self.part();
        let mut found =
            self.each(|_, device| device.find_neighbours(anchors, keep, count, part, stop))?;
        if let Some((communicator, _)) = &self.communicator {
            found = communicator.gather(&found)?.into_iter().flatten().collect();
        }
        Ok(Neighbours::merge(found, anchors.len(), count))
    }

    /// Calls a verb of all devices at the same time; the results in their order.
    fn each<T: Send>(
        &mut self,
        verb: impl Fn(usize, &mut Box<dyn Device + 'x>) -> Result<T, DeviceError> + Send + Sync,
    ) -> Result<Vec<T>, DeviceError> {
        let mut results: Vec<_> = self.devices.iter().map(|_| None).collect();
        let busy = AtomicUsize::new(self.devices.len());
        rayon::in_place_scope(|scope| {
            let mut all = self.devices.iter_mut().zip(&mut results).enumerate();
            let first = all.next();
            for (at, (device, result)) in all {
                let (verb, busy) = (&verb, &busy);
                scope.spawn(move |_| {
                    let _done = BusyGuard(busy);
                    *result = Some(verb(at, device));
                });
            }
            if let Some((at, (device, result))) = first {
                let _done = BusyGuard(&busy);
                *result = Some(verb(at, device));
            }
            // At the scope's own end this thread would fall asleep, and to wake it takes as
            // long as a small sweep.
            while busy.load(Ordering::Acquire) > 0 {
                rayon::yield_now();
                std::hint::spin_loop();
            }
        });
        results.into_iter().flatten().collect()
    }
}

impl Drop for Devices<'_> {
    /// Synchronizes all devices first: none may free its memory while another still reads it.
    fn drop(&mut self) {
        for device in &mut self.devices {
            device.synchronize();
        }
    }
}

/// Counts one device as done when dropped, also by a panic.
struct BusyGuard<'a>(&'a AtomicUsize);

impl Drop for BusyGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}
