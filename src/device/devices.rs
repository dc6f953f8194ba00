//! One device or several as one.

use std::{
    ops::Range,
    sync::atomic::{AtomicUsize, Ordering},
};

use rayon::prelude::*;

use super::{
    Candidate, Choice, Device, DeviceError, Gain, Held, Neighbours, Resources, Shard, Update,
    Updated, WORTH_A_GPU,
    cpu::Cpu,
    cuda::{self, Cuda},
    exact::{TIE, tie},
};
use crate::{
    design::Columns,
    least_squares::{Anchor, Fit},
};

/// Where the devices of a search are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Places {
    /// The CPU, in so many shards.
    Cpu(usize),
    /// The GPUs of these ordinals, at least one.
    Cuda(Vec<usize>),
}

impl Places {
    /// Those chosen, for n × p elements; a GPU named twice counts once. A note where there
    /// are GPUs that cannot be used, and nobody asked for them.
    ///
    /// # Errors
    /// GPUs that were asked for and are not there.
    pub(crate) fn of(
        choice: &Choice,
        elements: usize,
    ) -> Result<(Self, Option<String>), DeviceError> {
        let places = match choice {
            Choice::Cpu(count) => Self::Cpu(count.get()),
            Choice::Auto if elements < WORTH_A_GPU => Self::Cpu(1),
            Choice::Auto => match cuda::count() {
                Ok(count) => Self::Cuda((0..count).collect()),
                Err(error) => {
                    let note = format!("the CPU was used, for the GPUs cannot be: {error}");
                    return Ok((Self::Cpu(1), cuda::is_there().then_some(note)));
                }
            },
            Choice::Cuda(ordinals) => {
                let count = cuda::count()?;
                if let Some(&asked) = ordinals.iter().find(|it| **it >= count) {
                    return Err(DeviceError::Ordinal { asked, count });
                }
                let mut once: Vec<usize> = Vec::new();
                for ordinal in ordinals {
                    if !once.contains(ordinal) {
                        once.push(*ordinal);
                    }
                }
                Self::Cuda(match once.is_empty() {
                    true => (0..count).collect(),
                    false => once,
                })
            }
        };
        Ok((places, None))
    }

    /// Whether the GPUs asked for are there: to be known before a long reading.
    ///
    /// # Errors
    /// As [`Places::of`].
    pub(crate) fn check(choice: &Choice) -> Result<(), DeviceError> {
        match choice {
            Choice::Cuda(_) => Self::of(choice, 0).map(drop),
            Choice::Auto | Choice::Cpu(_) => Ok(()),
        }
    }

    /// Threads that wait for a device of their own.
    pub(crate) fn threads(&self) -> usize {
        match self {
            Self::Cpu(_) => 1,
            Self::Cuda(ordinals) => ordinals.len(),
        }
    }
}

/// The devices of a search, each with its range of the columns.
///
/// Every device holds all models, for they are small beside the columns, and the same
/// update gives the same bits on each. Where the devices can read each other's memory,
/// each updates only a share of them, and a sweep reads the residuals where they lie.
pub(crate) struct Devices<'x> {
    devices: Vec<Box<dyn Device + 'x>>,
    n: usize,
    /// Whether model i is updated by device i mod their number alone.
    split: bool,
    /// RSS of each model.
    rss: Vec<f64>,
}

impl<'x> Devices<'x> {
    /// The devices of these places, the columns of `x` (unit norm) sharded over them, for
    /// so many models of `y` (unit norm) that improve by this gain. With more than one
    /// thread it must be made and used inside a rayon pool of as many.
    ///
    /// # Errors
    /// A device that is not there, or cannot be used.
    pub(crate) fn new(
        places: &Places,
        x: Columns<'x>,
        y: &'x [f64],
        (models, gain): (usize, Gain),
        resources: &Resources,
        threads: usize,
    ) -> Result<Self, DeviceError> {
        let cpus = |count: usize| {
            let limit = resources.memory_limit;
            let shards = shards(x, count).into_iter();
            let cpus =
                shards.map(|it| Box::new(Cpu::new(it, y, threads, limit)) as Box<dyn Device>);
            cpus.collect()
        };
        let (devices, split) = match places {
            Places::Cpu(count) => (cpus(*count), false),
            Places::Cuda(ordinals) => {
                let shards = shards(x, ordinals.len());
                let (precision, limit) = (resources.precision, resources.memory_limit);
                let open = |(ordinal, shard): (&usize, Shard<'x>)| {
                    Cuda::new(*ordinal, shard, y, models, precision, limit)
                };
                let opened = ordinals.par_iter().with_max_len(1).zip(shards).map(open);
                let mut cards = opened.collect::<Result<Vec<_>, _>>()?;
                let reached = cuda::introduce(&mut cards);
                let cards = cards.into_iter().map(|it| Box::new(it) as Box<dyn Device>);
                // The exact gain takes a model's factor, which does not travel.
                (cards.collect(), reached && gain == Gain::Correlation)
            }
        };
        Ok(Self::of(devices, x.n(), split))
    }

    /// Devices that have their shards.
    pub(crate) fn of(devices: Vec<Box<dyn Device + 'x>>, n: usize, split: bool) -> Self {
        Self {
            devices,
            n,
            split,
            rss: Vec::new(),
        }
    }

    /// Their names.
    pub(crate) fn names(&self) -> Vec<String> {
        self.devices.iter().map(|it| it.name()).collect()
    }

    /// What screens; where cards differ, each way once.
    pub(crate) fn screen(&self) -> String {
        let mut ways: Vec<_> = self.devices.iter().map(|it| it.screen()).collect();
        ways.sort_unstable();
        ways.dedup();
        ways.join(", ")
    }

    /// See [`Device::hold`].
    pub(crate) fn hold(&mut self, model: &Fit, count: usize) -> Result<(), DeviceError> {
        self.rss = vec![model.rss(); count];
        self.each(|_, device| device.hold(model, count))?;
        Ok(())
    }

    /// Gives each held model its support (ascending, the kept variables among them) and
    /// factors it anew: the bits are those that [`Update::Refactor`] gives.
    pub(crate) fn place(&mut self, supports: &[&[u32]]) -> Result<(), DeviceError> {
        let (count, split) = (self.devices.len(), self.split);
        let all: Vec<(usize, &[u32])> = supports.iter().copied().enumerate().collect();
        self.each(|at, device| {
            let own = |it: &&(usize, &[u32])| !split || it.0 % count == at;
            let own: Vec<_> = all.iter().filter(own).copied().collect();
            device.place(&own)
        })?;
        let anew: Vec<_> = all.iter().map(|it| (it.0, Update::Refactor)).collect();
        self.update(&anew)?;
        Ok(())
    }

    /// RSS of a held model.
    pub(crate) fn rss(&self, model: usize) -> f64 {
        self.rss[model]
    }

    /// See [`Device::update`].
    pub(crate) fn update(
        &mut self,
        updates: &[(usize, Update)],
    ) -> Result<Vec<Updated>, DeviceError> {
        if updates.is_empty() {
            return Ok(Vec::new());
        }
        let count = self.devices.len();
        let told = match self.split && count > 1 {
            false => self
                .each(|_, device| device.update(updates))?
                .swap_remove(0),
            true => {
                let mut shares = vec![Vec::new(); count];
                for update in updates {
                    shares[update.0 % count].push(*update);
                }
                let told = self.each(|at, device| device.update(&shares[at]))?;
                let mut told: Vec<_> = told.into_iter().map(Vec::into_iter).collect();
                let in_turn = updates.iter().map(|(model, _)| told[model % count].next());
                in_turn.flatten().collect()
            }
        };
        for ((model, _), updated) in updates.iter().zip(&told) {
            self.rss[*model] = updated.rss;
        }
        Ok(told)
    }

    /// Of each model named, the strongest column outside its support; none where no
    /// column is left. Ties go to the lowest column.
    pub(crate) fn strongest(
        &mut self,
        models: &[Held],
        gain: Gain,
    ) -> Result<Vec<Option<u32>>, DeviceError> {
        if models.is_empty() {
            return Ok(Vec::new());
        }
        let found = self.each(|_, device| device.strongest(models, gain))?;
        let strongest = |(at, model): (usize, &Held)| {
            let near = || found.iter().flat_map(|shard| &shard[at]);
            let most = near().map(|it| it.score).fold(0.0, f64::max);
            let off = match gain {
                Gain::Correlation => tie(self.n, model.rss.sqrt()),
                Gain::Exact => TIE * most,
            };
            let equal = near().filter(|it| it.score >= most - off);
            equal.map(|Candidate { column, .. }| *column).min()
        };
        Ok(models.iter().enumerate().map(strongest).collect())
    }

    /// See [`Device::neighbours`]; of all columns.
    pub(crate) fn neighbours(
        &mut self,
        anchors: &[Anchor],
        keep: &[u32],
        count: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Neighbours>, DeviceError> {
        let found = self.each(|_, device| device.neighbours(anchors, keep, count, stop))?;
        let mut all = vec![Neighbours::default(); anchors.len()];
        for shard in found {
            for (all, some) in all.iter_mut().zip(shard) {
                all.joining.extend(some.joining);
                all.replacing.extend(some.replacing);
            }
        }
        Ok(all.into_iter().map(|it| it.first(count)).collect())
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
                    let _done = Done(busy);
                    *told = Some(verb(at, device));
                });
            }
            if let Some((at, (device, told))) = first {
                let _done = Done(&busy);
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
            device.settle();
        }
    }
}

/// Counts down when it goes, by a panic too.
struct Done<'a>(&'a AtomicUsize);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}

/// The columns in as many shards, where there are so many.
fn shards(x: Columns<'_>, count: usize) -> Vec<Shard<'_>> {
    let shard = |range: Range<usize>| Shard {
        x,
        first: range.start,
        own: x.range(range),
    };
    super::shards(x.p(), count).map(shard).collect()
}
