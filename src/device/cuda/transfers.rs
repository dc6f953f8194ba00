//! Transfers beside a GPU's work: prefetches, peer access to other GPUs, and pinned host memory.

#![allow(unsafe_code)]

use std::{ffi::c_void, marker::PhantomData};

use cudarc::driver::{CudaEvent, sys};

use super::{
    super::DeviceError,
    gpu::Gpu,
    memory::{PinnedBytes, PinnedInPlace, sync_guard},
};

impl Gpu {
    /// An event, for one stream to wait for another.
    pub(super) fn event(&self) -> Result<CudaEvent, DeviceError> {
        let made = self.context.new_event(None);
        made.map_err(|error| self.failed("making an event", error))
    }

    /// Copies to the GPU on the copy stream, side by side: behind `after`; `done` is recorded behind it.
    pub(super) fn prefetch<'a, T: Copy + 'a>(
        &self,
        from: impl Iterator<Item = &'a [T]>,
        mut to: u64,
        (after, done): (&CudaEvent, &CudaEvent),
    ) -> Result<(), DeviceError> {
        let failed = |error| self.failed("streaming to it", error);
        self.bind()?;
        self.copier.wait(after).map_err(failed)?;
        for from in from {
            self.copy_in(&self.copier, from, to)?;
            to += size_of_val(from) as u64;
        }
        done.record(&self.copier).map_err(failed)
    }

    /// Lets later work wait for an event.
    pub(super) fn after(&self, event: &CudaEvent) -> Result<(), DeviceError> {
        let waits = self.stream.wait(event);
        waits.map_err(|error| self.failed("streaming to it", error))
    }

    /// Records an event behind the work so far.
    pub(super) fn mark(&self, event: &CudaEvent) -> Result<(), DeviceError> {
        let marked = event.record(&self.stream);
        marked.map_err(|error| self.failed("streaming to it", error))
    }

    /// Waits until what is before an event is done.
    pub(super) fn wait_for(&self, event: &CudaEvent) -> Result<(), DeviceError> {
        let waited = event.synchronize();
        waited.map_err(|error| self.failed("copying to it", error))
    }

    /// Enables this GPU's kernels to access the memory of another, where the two are linked; true if
    /// they can.
    pub(super) fn enable_peer(&self, other: &Self) -> bool {
        use sys::CUresult::{CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED as ALREADY, CUDA_SUCCESS};
        let _held = sync_guard();
        if self.bind().is_err() {
            return false;
        }
        let (mine, theirs) = (self.context.cu_device(), other.context.cu_device());
        let mut linked = 0;
        // SAFETY: writes one number; both contexts live as long as the GPUs.
        let asked = unsafe { sys::cuDeviceCanAccessPeer(&mut linked, mine, theirs) };
        asked == CUDA_SUCCESS
            && linked != 0
            // SAFETY: as above.
            && matches!(
                unsafe { sys::cuCtxEnablePeerAccess(other.context.cu_ctx(), 0) },
                CUDA_SUCCESS | ALREADY
            )
    }

    /// Pins memory of the host where it lies, so that copies from it run at full speed;
    /// none where the system refuses, or where it is pinned already.
    pub(super) fn pin<'a, T: Copy>(&self, values: &'a [T]) -> Option<PinnedInPlace<'a>> {
        self.pin_at(values.as_ptr().cast(), size_of_val(values))
    }

    /// Keeps bytes in the host's memory, pinned if it lets itself be.
    pub(super) fn pin_bytes(&self, bytes: Vec<u8>) -> PinnedBytes {
        PinnedBytes {
            _pinned: self.pin_at(bytes.as_ptr().cast(), bytes.len()),
            bytes,
        }
    }

    /// Pins memory that stays where it is until the pin has gone.
    fn pin_at<'a>(&self, start: *const c_void, bytes: usize) -> Option<PinnedInPlace<'a>> {
        let _held = sync_guard();
        self.bind().ok()?;
        let (start, every_gpu) = (start.cast_mut(), 1);
        // SAFETY: both callers keep the memory as long as the pin.
        let pinned = unsafe { sys::cuMemHostRegister_v2(start, bytes, every_gpu) };
        pinned.result().ok()?;
        Some(PinnedInPlace {
            start,
            context: self.context.clone(),
            values: PhantomData,
        })
    }
}
