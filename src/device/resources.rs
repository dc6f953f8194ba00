//! What a search may run on.

use std::{num::NonZeroUsize, thread::available_parallelism};

use super::DeviceError;
use crate::ranks::Among;

/// What a search may run on. The selection does not depend on it.
///
/// | field | meaning | default |
/// | --- | --- | --- |
/// | `threads` | threads of the CPU | one a core |
/// | `devices` | where sweeps run | chosen by the size of the problem |
/// | `precision` | what screens on GPUs; f64 decides | f64 |
/// | `memory_limit` | bytes on each device for its columns | what is free |
/// | `ranks` | processes that do the same work together | none: this one alone |
/// | `over` | what each of them has | what is less to say |
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resources {
    /// Threads of the CPU; none for one a core.
    pub threads: Option<NonZeroUsize>,
    /// Where sweeps run.
    pub devices: Choice,
    /// The arithmetic that screens on GPUs.
    pub precision: Precision,
    /// Bytes that a device's own columns may take, beside the models, the columns these
    /// have, and products: a GPU streams from the host's memory what has no room, a CPU
    /// does without copies in f32. None for what is free.
    pub memory_limit: Option<u64>,
    /// The processes that do the same work together; none for one alone.
    pub ranks: Option<Among>,
    /// What each of them has; none for what is less to say.
    pub over: Option<Over>,
}

/// What ranks that search together share among them. The selection does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// The columns: each sweeps its own, and updates all models; a column that joins one is told to
    /// all.
    Columns,
    /// The sweeps: the same, but all columns are told to all at once.
    Sweeps,
    /// The particles: each has all columns, and updates and sweeps its own models.
    Particles,
}

impl Choice {
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
            let ranks = self.ranks.as_ref().map_or(1, |it| it.on_cores().1);
            (cores / ranks).max(1)
        })
    }

    /// The ranks that read a share of the columns each, where there are several.
    pub(crate) fn sharing(&self) -> Option<&Among> {
        self.ranks.as_ref().filter(|it| it.size() > 1)
    }

    /// Waits until all ranks are ready: that one begins later is no part of what follows.
    ///
    /// # Errors
    /// A rank that failed or is gone.
    pub(crate) fn all_ready(&self) -> Result<(), DeviceError> {
        match self.sharing() {
            Some(among) => among.gather(&()).map(drop).map_err(DeviceError::ranks),
            None => Ok(()),
        }
    }

    /// Whether this process writes files and shows how far it is: of ranks the first.
    pub(crate) fn speaks(&self) -> bool {
        self.ranks.as_ref().is_none_or(Among::is_first)
    }

    /// The CPU alone, with so many threads; 0 for one a core.
    pub fn cpu(threads: usize) -> Self {
        Self {
            threads: NonZeroUsize::new(threads),
            devices: Choice::Cpu(NonZeroUsize::MIN),
            ..Self::default()
        }
    }
}

/// Where sweeps run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Choice {
    /// Every GPU, where there is one and the problem is worth starting it
    /// ([`WORTH_A_GPU`] elements of X); else the CPU.
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
pub const WORTH_A_GPU: usize = 1 << 26;

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
