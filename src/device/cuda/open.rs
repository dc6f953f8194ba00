//! Which GPUs there are, kept open, and linked.

use super::{Cuda, gpu::Gpu, library};
use crate::device::DeviceError;

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
