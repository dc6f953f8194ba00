//! One device or several as one.

use std::{
    ops::Range,
    sync::atomic::{AtomicUsize, Ordering},
};

use rayon::prelude::*;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    Candidate, Device, DeviceError, Gain, ModelUpdate, ModelView, Neighbours, Partition, Placement,
    Resources, Shard, UpdateOutcome,
    cpu::Cpu,
    cuda::{self, Cuda},
    exact::{RELATIVE_TIE, tie_width},
};
use crate::{
    design::Columns,
    least_squares::{Fit, FitView},
    ranks::Communicator,
};

/// The devices of a search, each with its range of the columns.
///
/// Every device holds all models, for they are small beside the columns, and the same
/// update gives the same bits on each. Where the devices can read each other's memory,
/// each updates only a share of them, and a sweep reads the residuals where they lie.
pub(crate) struct Devices<'x> {
    devices: Vec<Box<dyn Device + 'x>>,
    /// Where a column that other ranks have comes from.
    x: Option<Columns<'x>>,
    n: usize,
    /// Whether model i is updated by device i mod their number alone.
    split: bool,
    /// RSS of each model.
    rss: Vec<f64>,
    /// The other ranks, and what is theirs: some of the columns, or all columns and some of the
    /// models.
    communicator: Option<(Communicator, Partition)>,
}

impl<'x> Devices<'x> {
    /// The devices of these places, the columns of `x` (unit norm) sharded over them, for
    /// so many models of `y` (unit norm) that improve by this gain. With more than one
    /// thread it must be made and used inside a rayon pool of as many.
    ///
    /// # Errors
    /// A device that is not there, or cannot be used.
    pub(crate) fn new(
        places: &Placement,
        x: Columns<'x>,
        y: &'x [f64],
        (models, gain): (usize, Gain),
        resources: &Resources,
        threads: usize,
    ) -> Result<Self, DeviceError> {
        let over = resources.partition.unwrap_or(Partition::Columns);
        let own = match &resources.communicator {
            // Not all are here.
            _ if x.is_partitioned() => x.local(),
            Some(communicator) if over != Partition::Particles => communicator.local_range(x.p()),
            _ => 0..x.p(),
        };
        let cpus = |count: usize| {
            let limit = resources.memory_limit;
            let shards = shards(x, &own, count).into_iter();
            let cpus =
                shards.map(|it| Box::new(Cpu::new(it, y, threads, limit)) as Box<dyn Device>);
            cpus.collect()
        };
        let (devices, split) = match places {
            // A rank without columns.
            _ if own.is_empty() => (cpus(1), false),
            Placement::Cpu(count) => (cpus(*count), false),
            Placement::Cuda(ordinals) => {
                let shards = shards(x, &own, ordinals.len());
                let (precision, limit) = (resources.precision, resources.memory_limit);
                let open = |(ordinal, shard): (&usize, Shard<'x>)| {
                    Cuda::new(*ordinal, shard, y, models, precision, limit)
                };
                let opened = ordinals.par_iter().with_max_len(1).zip(shards).map(open);
                let mut gpus = opened.collect::<Result<Vec<_>, _>>()?;
                let reached = cuda::enable_peer_access(&mut gpus);
                let gpus = gpus.into_iter().map(|it| Box::new(it) as Box<dyn Device>);
                // The exact gain takes a model's factor, which does not travel.
                (gpus.collect(), reached && gain == Gain::Correlation)
            }
        };
        let mut all = Self::from_devices(devices, x.n(), split);
        all.communicator = resources.communicator.clone().map(|it| (it, over));
        all.x = Some(x);
        Ok(all)
    }

    /// Devices that have their shards.
    pub(crate) fn from_devices(devices: Vec<Box<dyn Device + 'x>>, n: usize, split: bool) -> Self {
        Self {
            devices,
            n,
            split,
            rss: Vec::new(),
            communicator: None,
            x: None,
        }
    }

    /// Their names.
    pub(crate) fn names(&self) -> Vec<String> {
        self.devices.iter().map(|it| it.name()).collect()
    }

    /// What screens; where cards differ, each way once.
    pub(crate) fn screen_precision(&self) -> String {
        let mut ways: Vec<_> = self
            .devices
            .iter()
            .map(|it| it.screen_precision())
            .collect();
        ways.sort_unstable();
        ways.dedup();
        ways.join(", ")
    }

    /// See [`Device::init_models`].
    pub(crate) fn init_models(&mut self, model: &Fit, count: usize) -> Result<(), DeviceError> {
        self.rss = vec![model.rss(); count];
        self.each(|_, device| device.init_models(model, count))?;
        Ok(())
    }

    /// Gives each held model its support (ascending, the kept variables among them) and
    /// factors it anew: the bits are those that [`ModelUpdate::Refactor`] gives.
    pub(crate) fn set_supports(&mut self, supports: &[&[u32]]) -> Result<(), DeviceError> {
        self.bring(supports.iter().flat_map(|it| it.iter().copied()))?;
        let (count, split) = (self.devices.len(), self.split);
        let mine = self.share(supports.len());
        let all: Vec<(usize, &[u32])> = supports.iter().copied().enumerate().collect();
        self.each(|at, device| {
            let own = |it: &&(usize, &[u32])| !split || it.0 % count == at;
            let own: Vec<_> = all[mine.clone()].iter().filter(own).copied().collect();
            device.set_supports(&own)
        })?;
        let anew: Vec<_> = all.iter().map(|it| (it.0, ModelUpdate::Refactor)).collect();
        self.update_models(&anew)?;
        Ok(())
    }

    /// The models that this rank's devices update and sweep.
    fn share(&self, models: usize) -> Range<usize> {
        match &self.communicator {
            Some((communicator, Partition::Particles)) => communicator.local_range(models),
            _ => 0..models,
        }
    }

    /// Columns that other ranks have come here before a model holds them.
    fn bring(&self, columns: impl Iterator<Item = u32>) -> Result<(), DeviceError> {
        let brought = self.x.map_or(Ok(()), |x| x.fetch(columns));
        brought.map_err(DeviceError::from_rank_error)
    }

    /// RSS of a held model.
    pub(crate) fn rss(&self, model: usize) -> f64 {
        self.rss[model]
    }

    /// See [`Device::update_models`].
    pub(crate) fn update_models(
        &mut self,
        updates: &[(usize, ModelUpdate)],
    ) -> Result<Vec<UpdateOutcome>, DeviceError> {
        if updates.is_empty() {
            return Ok(Vec::new());
        }
        self.bring(updates.iter().filter_map(|(_, update)| match update {
            ModelUpdate::Add(column) => Some(*column),
            ModelUpdate::Drop(_) | ModelUpdate::DropCheapest | ModelUpdate::Refactor => None,
        }))?;
        let mine = self.share(self.rss.len());
        let own: Vec<_> = updates
            .iter()
            .filter(|it| mine.contains(&it.0))
            .copied()
            .collect();
        let told = self.update_here(&own)?;
        let told = self.of_all(told, updates.iter().map(|it| it.0))?;
        for ((model, _), updated) in updates.iter().zip(&told) {
            self.rss[*model] = updated.rss;
        }
        Ok(told)
    }

    /// The same of models that are this rank's.
    fn update_here(
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
        let told = self.each(|at, device| device.update_models(&shares[at]))?;
        let mut told: Vec<_> = told.into_iter().map(Vec::into_iter).collect();
        let in_turn = updates.iter().map(|(model, _)| told[model % count].next());
        Ok(in_turn.flatten().collect())
    }

    /// Of each model named what its rank told.
    fn of_all<T: Serialize + DeserializeOwned>(
        &self,
        own: Vec<T>,
        models: impl Iterator<Item = usize>,
    ) -> Result<Vec<T>, DeviceError> {
        let Some((communicator, Partition::Particles)) = &self.communicator else {
            return Ok(own);
        };
        let told = communicator
            .gather(&own)
            .map_err(DeviceError::from_rank_error)?;
        let mut told: Vec<_> = told.into_iter().map(Vec::into_iter).collect();
        let owner = |model| communicator.owner(model, self.rss.len());
        Ok(models.filter_map(|it| told[owner(it)].next()).collect())
    }

    /// Of each model named, the strongest column outside its support; none where no
    /// column is left. Ties go to the lowest column.
    pub(crate) fn find_strongest(
        &mut self,
        models: &[ModelView],
        gain: Gain,
    ) -> Result<Vec<Option<u32>>, DeviceError> {
        if models.is_empty() {
            return Ok(Vec::new());
        }
        let mine = self.share(self.rss.len());
        let own: Vec<_> = models
            .iter()
            .filter(|it| mine.contains(&it.number))
            .copied()
            .collect();
        let mut found = match own.is_empty() {
            true => Vec::new(),
            false => self.each(|_, device| device.find_strongest(&own, gain))?,
        };
        if let Some((communicator, Partition::Columns | Partition::Sweeps)) = &self.communicator {
            found = gathered(communicator, &found)?;
        }
        let strongest = |(at, model): (usize, &ModelView)| {
            let near = || found.iter().flat_map(|shard| &shard[at]);
            let most = near().map(|it| it.score).fold(0.0, f64::max);
            let off = match gain {
                Gain::Correlation => tie_width(self.n, model.rss.sqrt()),
                Gain::Exact => RELATIVE_TIE * most,
            };
            let equal = near().filter(|it| it.score >= most - off);
            equal.map(|Candidate { column, .. }| *column).min()
        };
        let own = own.iter().enumerate().map(strongest).collect();
        self.of_all(own, models.iter().map(|it| it.number))
    }

    /// See [`Device::find_neighbours`]; of all columns.
    pub(crate) fn find_neighbours(
        &mut self,
        anchors: &[FitView],
        keep: &[u32],
        count: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Neighbours>, DeviceError> {
        // Of ranks that have all columns each sweeps a part.
        let part = match &self.communicator {
            Some((communicator, Partition::Particles)) => {
                (communicator.rank(), communicator.size())
            }
            _ => (0, 1),
        };
        let mut found =
            self.each(|_, device| device.find_neighbours(anchors, keep, count, part, stop))?;
        if let Some((communicator, _)) = &self.communicator {
            found = gathered(communicator, &found)?;
        }
        let mut all = vec![Neighbours::default(); anchors.len()];
        for shard in found {
            for (all, some) in all.iter_mut().zip(shard) {
                all.additions.extend(some.additions);
                all.exchanges.extend(some.exchanges);
            }
        }
        Ok(all.into_iter().map(|it| it.strongest(count)).collect())
    }

    /// All devices at the same time.
    fn each<T: Send>(
        &mut self,
        verb: impl Fn(usize, &mut Box<dyn Device + 'x>) -> Result<T, DeviceError> + Send + Sync,
    ) -> Result<Vec<T>, DeviceError> {
        let mut told: Vec<Option<Result<T, DeviceError>>> = Vec::new();
        told.resize_with(self.devices.len(), || None);
        let busy = AtomicUsize::new(self.devices.len());
        rayon::in_place_scope(|scope| {
            let mut all = self.devices.iter_mut().zip(&mut told).enumerate();
            let first = all.next();
            for (at, (device, told)) in all {
                let (verb, busy) = (&verb, &busy);
                scope.spawn(move |_| {
                    let _done = BusyGuard(busy);
                    *told = Some(verb(at, device));
                });
            }
            if let Some((at, (device, told))) = first {
                let _done = BusyGuard(&busy);
                *told = Some(verb(at, device));
            }
            // At the scope's own end this thread would fall asleep, and to wake it takes as
            // long as a small sweep.
            while busy.load(Ordering::Acquire) > 0 {
                rayon::yield_now();
                std::hint::spin_loop();
            }
        });
        told.into_iter().flatten().collect()
    }
}

impl Drop for Devices<'_> {
    /// No device's memory may go while another still reads it.
    fn drop(&mut self) {
        for device in &mut self.devices {
            device.synchronize();
        }
    }
}

/// Counts down when it goes, by a panic too.
struct BusyGuard<'a>(&'a AtomicUsize);

impl Drop for BusyGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}

/// What the devices of all ranks found, of what those of this one did.
fn gathered<T: Serialize + DeserializeOwned>(
    communicator: &Communicator,
    own: &Vec<T>,
) -> Result<Vec<T>, DeviceError> {
    let all = communicator
        .gather(own)
        .map_err(DeviceError::from_rank_error)?;
    Ok(all.into_iter().flatten().collect())
}

/// Some of the columns in as many shards, where there are so many.
fn shards<'x>(x: Columns<'x>, own: &Range<usize>, count: usize) -> Vec<Shard<'x>> {
    let shard = |range: Range<usize>| {
        let range = own.start + range.start..own.start + range.end;
        Shard {
            x,
            first: range.start,
            own: x.range(range),
        }
    };
    super::split_range(own.len(), count).map(shard).collect()
}
