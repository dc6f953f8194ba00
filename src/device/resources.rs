//! The hardware that a search or selection may use.

use std::{num::NonZeroUsize, thread::available_parallelism, time::Duration};

use super::{DeviceError, Placement};
use crate::{
    interrupt::Interrupt,
    memory::{MemoryBound, MemoryBudget},
    ranks::Communicator,
};

/// The hardware that a search or selection may use. Results do not depend on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resources {
    /// Threads of the CPU; `None` for one per core.
    pub threads: Option<NonZeroUsize>,
    /// The devices that sweep; by default they are chosen by the size of the problem.
    pub devices: DeviceChoice,
    /// The arithmetic that screens on GPUs; f64 decides, and screens by default.
    pub precision: Precision,
    /// Bytes that the columns on each device may take, not counting models and products; `None` for
    /// all that is free. Columns beyond it stay in the host's memory, from where a GPU streams
    /// them; a CPU then makes no copies in f32.
    pub memory_limit: Option<u64>,
    /// What the memory of a job is charged to.
    pub memory: MemoryBudget,
    /// The ranks that work together; `None` for a single process.
    pub communicator: Option<Communicator>,
    /// What the ranks share out; `None` for whatever communicates least.
    pub partition: Option<Partition>,
}

/// What the ranks of a search share out. The selection does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partition {
    /// Columns: each rank reads and sweeps its own, and updates all models. A column that joins a
    /// model is broadcast.
    Columns,
    /// Sweeps: each rank has all columns, sweeps a part of them, and updates all models.
    Sweeps,
    /// Particles: each rank has all columns, and updates and sweeps its own models.
    Particles,
}

impl DeviceChoice {
    /// Whether GPUs were asked for.
    pub fn is_cuda(&self) -> bool {
        matches!(self, Self::Cuda(_))
    }
}

impl Resources {
    /// The number of CPU threads: as requested, or this rank's share of the cores.
    pub(crate) fn thread_count(&self) -> usize {
        let requested = self.threads.map(NonZeroUsize::get);
        requested.unwrap_or_else(|| {
            let cores = available_parallelism().map_or(1, NonZeroUsize::get);
            // Ranks that are not bound to cores of their own share them.
            let communicator = self.communicator.as_ref();
            let ranks = communicator.map_or(1, Communicator::ranks_on_same_cores);
            (cores / ranks).max(1)
        })
    }

    /// The communicator, if it has more than one rank: then each reads a share of the columns.
    pub(crate) fn distributed(&self) -> Option<&Communicator> {
        let communicator = self.communicator.as_ref();
        communicator.filter(|communicator| communicator.size() > 1)
    }

    /// Waits for all ranks, so that the delay of one does not count into the time that follows.
    ///
    /// # Errors
    /// A rank failed or is gone.
    pub(crate) fn barrier(&self) -> Result<(), DeviceError> {
        if let Some(communicator) = self.distributed() {
            communicator.gather(&())?;
        }
        Ok(())
    }

    /// The request to stop with a time limit that begins now, if there is one. Where ranks work
    /// together it counts once all of them know that it has passed on one.
    pub(crate) fn with_time_limit(
        &self,
        interrupt: &Interrupt,
        limit: Option<Duration>,
    ) -> Interrupt {
        let limited = interrupt.with_time_limit(limit);
        if let Some(communicator) = &self.communicator {
            communicator.heed_deadline(&limited);
        }
        limited
    }

    /// Returns true for a single process and for rank 0, which alone writes files and shows
    /// progress.
    pub(crate) fn is_root(&self) -> bool {
        self.communicator.as_ref().is_none_or(Communicator::is_root)
    }

    /// Makes this job's memory a part of a whole. Where a CPU sweeps, its limit is that of all that the
    /// job holds; of GPUs it is that of the columns on each.
    pub fn hold_within(&mut self, whole: &MemoryBudget) {
        let limit = self.memory_limit.filter(|_| match &self.devices {
            DeviceChoice::Cpu(_) => true,
            DeviceChoice::Cuda(_) => false,
            DeviceChoice::Auto => {
                let place = Placement::resolve(&self.devices, true);
                place.is_ok_and(|(place, _)| matches!(place, Placement::Cpu(_)))
            }
        });
        self.memory = whole.part(MemoryBound::Job, limit);
    }

    /// Bytes that the copies of a CPU may take.
    pub(crate) fn room_for_copies(&self) -> Option<u64> {
        let left = self.memory.left();
        let left = (left < u64::MAX).then_some(left);
        self.memory_limit.into_iter().chain(left).min()
    }

    /// The CPU alone with this many threads; 0 for one per core.
    pub fn cpu(threads: usize) -> Self {
        Self {
            threads: NonZeroUsize::new(threads),
            devices: DeviceChoice::Cpu(NonZeroUsize::MIN),
            ..Self::default()
        }
    }
}

/// The devices that sweep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// All GPUs, if there are any and they would be done before the CPU, by an estimate of the work; else the CPU.
    #[default]
    Auto,
    /// The CPU, with its columns in this many shards. Use one: several imitate as many devices,
    /// which shows that results do not depend on their number.
    Cpu(NonZeroUsize),
    /// The GPUs with these ordinals, as CUDA numbers them; all GPUs if the list is empty.
    Cuda(Vec<usize>),
}

/// The arithmetic that screens candidates on a GPU. Decisions are always in f64.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Precision {
    /// f64, but f32 on GPUs whose f64 is many times slower.
    #[default]
    F64,
    /// f32, from a copy of the columns that takes half as much memory again.
    F32,
    /// The 19-bit floats of tensor cores, on GPUs that have them.
    Tf32,
}
