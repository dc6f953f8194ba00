//! Which GPUs there are, kept open, and linked.

use std::thread::{Builder, JoinHandle};

use super::{Cuda, gpu::Gpu, library};
use crate::device::{DeviceChoice, DeviceError, Resources};

/// GPUs that can be used, at least one.
pub(in crate::device) fn count() -> Result<usize, DeviceError> {
    library::count()
}

/// Whether there are GPUs, whatever else is missing.
pub(in crate::device) fn is_there() -> bool {
    library::gpus().is_ok()
}

/// GPUs kept open, so that opening one again does not wait for its context to start.
pub(crate) struct OpenGpus {
    _gpus: Vec<Gpu>,
}

impl OpenGpus {
    /// Opens the GPUs of these ordinals; one that fails is left out, and its user is told why.
    pub(crate) fn open(ordinals: &[usize]) -> Self {
        let gpus = ordinals
            .iter()
            .filter_map(|ordinal| Gpu::open(*ordinal, &[]).ok());
        Self {
            _gpus: gpus.collect(),
        }
    }
}

/// GPUs whose contexts start on a thread of their own, while other work goes on; they stay open as long as this.
pub(crate) struct StartingGpus(Option<JoinHandle<OpenGpus>>);

impl StartingGpus {
    /// Those that are named; none of a choice that may fall on the CPU, and where ranks divide them. What fails their user is told
    /// when they are opened.
    pub(crate) fn of(resources: &Resources) -> Self {
        let (DeviceChoice::Cuda(ordinals), None) = (&resources.devices, &resources.communicator)
        else {
            return Self(None);
        };
        let ordinals = ordinals.clone();
        let open = move || match (&*ordinals, count()) {
            ([], Ok(all)) => OpenGpus::open(&Vec::from_iter(0..all)),
            (ordinals, _) => OpenGpus::open(ordinals),
        };
        Self(Builder::new().spawn(open).ok())
    }
}

impl Drop for StartingGpus {
    fn drop(&mut self) {
        // A thread that ended by a panic leaves none open.
        let _ = self.0.take().map(JoinHandle::join);
    }
}

/// Lets linked GPUs copy columns and read residuals from one another's memory; true if every
/// pair of them is linked.
pub(in crate::device) fn enable_peer_access(gpus: &mut [Cuda]) -> bool {
    let residuals: Vec<u64> = gpus.iter().map(Cuda::residuals).collect();
    let mut all = true;
    for at in 0..gpus.len() {
        let (before, rest) = gpus.split_at_mut(at);
        let Some((gpu, after)) = rest.split_first_mut() else {
            continue;
        };
        for other in before.iter().chain(&*after) {
            match gpu.gpu.enable_peer(&other.gpu) {
                true => gpu.columns.enable_peer(&other.columns),
                false => all = false,
            }
        }
    }
    if all {
        for gpu in gpus {
            gpu.owners.clone_from(&residuals);
        }
    }
    all
}
