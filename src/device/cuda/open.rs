//! Which GPUs there are, kept open, and linked.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{Builder, JoinHandle},
};

use super::{Cuda, gpu::Gpu, library};
use crate::device::{DeviceError, Placement, Resources};

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

/// GPUs whose contexts start on a thread of their own, while data are read; they stay open as long as this.
pub(crate) struct StartingGpus {
    starting: Option<JoinHandle<Result<OpenGpus, DeviceError>>>,
    _open: Option<OpenGpus>,
    /// Set once it is known that some are not there.
    pub(crate) failed: Arc<AtomicBool>,
}

impl StartingGpus {
    /// Those that are named; none of a choice that may fall on the CPU. Where ranks divide them it is only checked that
    /// they are there.
    ///
    /// # Errors
    /// As [`Placement::check`], if that is known at once.
    pub(crate) fn of(resources: &Resources) -> Result<Self, DeviceError> {
        let failed = Arc::new(AtomicBool::new(false));
        let mut all = Self {
            starting: None,
            _open: None,
            failed: Arc::clone(&failed),
        };
        let choice = resources.devices.clone();
        if choice.is_cuda() && resources.communicator.is_none() {
            let start = move || {
                let placement = Placement::resolve(&choice, true);
                failed.store(placement.is_err(), Ordering::Relaxed);
                Ok(match placement?.0 {
                    Placement::Cuda(ordinals) => OpenGpus::open(&ordinals),
                    Placement::Cpu(_) => OpenGpus::open(&[]),
                })
            };
            all.starting = Builder::new().spawn(start).ok();
        }
        if all.starting.is_none() {
            Placement::check(&resources.devices)?;
        }
        Ok(all)
    }

    /// Waits until they have started. What fails of their start their user is told when they are opened.
    ///
    /// # Errors
    /// As [`Placement::check`].
    pub(crate) fn wait(&mut self) -> Result<(), DeviceError> {
        // A thread that ended by a panic leaves none open.
        if let Some(Ok(open)) = self.starting.take().map(JoinHandle::join) {
            self._open = Some(open?);
        }
        Ok(())
    }
}

impl Drop for StartingGpus {
    fn drop(&mut self) {
        let _ = self.wait();
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
