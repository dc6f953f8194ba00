//! What a search may run on.

use std::{num::NonZeroUsize, thread::available_parallelism};

use super::DeviceError;
use crate::ranks::Communicator;

/// What a search may run on. The selection does not depend on it.
///
/// | field | meaning | default |
/// | --- | --- | --- |
/// | `threads` | threads of the CPU | one a core |
/// | `devices` | where sweeps run | chosen by the size of the problem |
/// | `precision` | what screens on GPUs; f64 decides | f64 |
/// | `memory_limit` | bytes on each device for its columns | what is free |
/// | `communicator` | the ranks that work together | none: a single process |
/// | `partition` | what the ranks share out | whatever communicates least |
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resources {
    /// Threads of the CPU; none for one a core.
    pub threads: Option<NonZeroUsize>,
    /// Where sweeps run.
    pub devices: DeviceChoice,
    /// The arithmetic that screens on GPUs.
    pub precision: Precision,
    /// Bytes that a device's own columns may take, beside the models, the columns these
    /// have, and products: a GPU streams from the host's memory what has no room, a CPU
    /// does without copies in f32. None for what is free.
    pub memory_limit: Option<u64>,
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
    /// How many threads of the CPU that is.
    pub(crate) fn thread_count(&self) -> usize {
        let asked = self.threads.map(NonZeroUsize::get);
        asked.unwrap_or_else(|| {
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
        match self.distributed() {
            Some(communicator) => {
                let reached = communicator.gather(&());
                reached.map(drop).map_err(DeviceError::from_rank_error)
            }
            None => Ok(()),
        }
    }

    /// Returns true for a single process and for rank 0, which alone writes files and shows progress.
    pub(crate) fn is_root(&self) -> bool {
        self.communicator.as_ref().is_none_or(Communicator::is_root)
    }

    /// The CPU alone, with so many threads; 0 for one a core.
    pub fn cpu(threads: usize) -> Self {
        Self {
            threads: NonZeroUsize::new(threads),
            devices: DeviceChoice::Cpu(NonZeroUsize::MIN),
            ..Self::default()
        }
    }
}

/// Where sweeps run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// Every GPU, where there is one and the problem is worth starting it
    /// ([`MIN_GPU_ELEMENTS`] elements of X); else the CPU.
    #[default]
    Auto,
    /// The CPU, in so many shards: one is the way to run, more stand for as many
    /// devices in tests.
    Cpu(NonZeroUsize),
    /// The GPUs of these ordinals; all there are where none is named.
    Cuda(Vec<usize>),
}

/// n × p from which a search goes to a GPU by itself: below, the CPU is done
/// before a GPU has started.
pub const MIN_GPU_ELEMENTS: usize = 1 << 26;

/// The arithmetic that screens on a GPU. f64 decides in every case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Precision {
    /// f64, but f32 on cards whose f64 runs at a small share of their f32.
    #[default]
    F64,
    /// f32, at half as much memory again.
    F32,
    /// The tensor cores' 19-bit floats, where the card has them.
    Tf32,
}
