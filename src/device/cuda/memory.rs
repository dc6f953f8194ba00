//! Memory of a GPU and pinned memory of the host, freed when dropped.

#![allow(unsafe_code)]

use std::{
    cell::Cell,
    ffi::c_void,
    marker::PhantomData,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, atomic::AtomicU32},
};

use cudarc::driver::{CudaContext, result, sys};

/// Written while kernels of several GPUs wait for one another, read by driver calls that wait for
/// them. Allocating, freeing, peer access, loading a module or one of its functions and launching a
/// function for the first time wait for running kernels: if one of those kernels waits
/// for a launch of this process in turn, a thread that launches would wait for ever.
static WAITING_KERNELS: RwLock<()> = RwLock::new(());

thread_local! {
    /// Whether this thread launches kernels that wait for one another.
    static IS_LAUNCHER: Cell<bool> = const { Cell::new(false) };
}

/// Guard for a driver call that synchronises devices: no kernel waits for another GPU while it is
/// held. None on a launching thread, which must not wait for itself.
pub(super) fn sync_guard() -> Option<RwLockReadGuard<'static, ()>> {
    let reads = || {
        WAITING_KERNELS
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    };
    (!IS_LAUNCHER.get()).then(reads)
}

/// Runs work that launches kernels which wait for one another, one such piece of work at a time.
pub(super) fn with_waiting_kernels<T>(work: impl FnOnce() -> T) -> T {
    let _alone = WAITING_KERNELS
        .write()
        .unwrap_or_else(PoisonError::into_inner);
    work()
}

/// Marks this thread as a launching one while it runs its part of such work.
pub(super) fn as_launching_thread<T>(work: impl FnOnce() -> T) -> T {
    IS_LAUNCHER.set(true);
    let done = work();
    IS_LAUNCHER.set(false);
    done
}

/// Memory of a GPU.
pub(super) struct Buffer<T> {
    pub(super) address: u64,
    pub(super) len: usize,
    pub(super) context: Arc<CudaContext>,
    pub(super) of: PhantomData<T>,
}

impl<T> Buffer<T> {
    pub(super) fn address(&self) -> u64 {
        self.address
    }

    /// The address of value `at`.
    pub(super) fn at(&self, at: usize) -> u64 {
        self.address + (at * size_of::<T>()) as u64
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        let _held = sync_guard();
        // A lost GPU has lost its memory too: there is nothing to free.
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: allocated by `Gpu::buffer`, freed once. It waits for the work.
            let _ = unsafe { result::free_sync(self.address) };
        }
    }
}

/// Pinned memory of the host that the GPU reads and writes directly.
pub(super) struct Pinned<T> {
    pub(super) values: *mut T,
    pub(super) len: usize,
    pub(super) context: Arc<CudaContext>,
}

// SAFETY: it owns its memory, as a `Vec` does.
unsafe impl<T: Send> Send for Pinned<T> {}

impl<T> Pinned<T> {
    /// The address, valid on the host and on the GPU.
    pub(super) fn address(&self) -> u64 {
        self.values as u64
    }

    pub(super) fn get(&self) -> &[T] {
        // SAFETY: `len` values were set when it was made.
        unsafe { std::slice::from_raw_parts(self.values, self.len) }
    }

    pub(super) fn values(&mut self) -> &mut [T] {
        // SAFETY: `len` values were set when it was made.
        unsafe { std::slice::from_raw_parts_mut(self.values, self.len) }
    }
}

impl Pinned<u32> {
    /// The first value, which threads may set while GPUs poll it.
    pub(super) fn word(&self) -> &AtomicU32 {
        // SAFETY: there is at least one value, set when it was made, and threads share it
        // through this method alone.
        unsafe { AtomicU32::from_ptr(self.values) }
    }
}

impl<T> Drop for Pinned<T> {
    fn drop(&mut self) {
        let _held = sync_guard();
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: allocated by `Gpu::pinned`, freed once.
            let _ = unsafe { result::free_host(self.values.cast()) };
        }
    }
}

/// Memory of the host that is pinned in place until this is dropped.
pub(super) struct PinnedInPlace<'a> {
    pub(super) start: *mut c_void,
    pub(super) context: Arc<CudaContext>,
    pub(super) values: PhantomData<&'a [f64]>,
}

// SAFETY: it is unpinned by address, from any thread.
unsafe impl Send for PinnedInPlace<'_> {}

impl Drop for PinnedInPlace<'_> {
    fn drop(&mut self) {
        let _held = sync_guard();
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: pinned by `Gpu::pin`, unpinned once.
            let _ = unsafe { sys::cuMemHostUnregister(self.start) };
        }
    }
}

/// Bytes of the host that do not move, pinned if the system allows it.
pub(super) struct PinnedBytes {
    // Dropped before the bytes.
    pub(super) _pinned: Option<PinnedInPlace<'static>>,
    pub(super) bytes: Vec<u8>,
}

impl PinnedBytes {
    pub(super) fn get(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc::channel, thread, time::Duration};

    use super::*;

    #[test]
    fn memory_is_not_allocated_while_kernels_wait() {
        let (sender, receiver) = channel();
        thread::scope(|scope| {
            with_waiting_kernels(|| {
                scope.spawn(move || {
                    drop(sync_guard());
                    sender.send(()).unwrap();
                });
                // A launching thread does not wait for itself.
                let launches = scope.spawn(|| as_launching_thread(|| sync_guard().is_none()));
                assert!(launches.join().unwrap());
                assert!(receiver.recv_timeout(Duration::from_millis(50)).is_err());
            });
            receiver.recv().unwrap();
        });
        assert!(sync_guard().is_some());
    }
}
