//! Memory of a GPU and of the host, given back when it goes.

#![allow(unsafe_code)]

use std::{
    cell::Cell,
    ffi::c_void,
    marker::PhantomData,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, atomic::AtomicU32},
};

use cudarc::driver::{CudaContext, result, sys};

/// Held alone while GPUs wait for one another. The driver takes memory and gives it back, and
/// opens a GPU's to others, behind the work of several GPUs: where one of these waits for what
/// this process has yet to launch, launching must not wait for that.
static WAITING: RwLock<()> = RwLock::new(());

thread_local! {
    /// Whether this thread launches on GPUs that wait for one another.
    static LAUNCHES: Cell<bool> = const { Cell::new(false) };
}

/// Held by who asks the driver for what is behind the work of several GPUs.
pub(super) fn while_none_waits() -> Option<RwLockReadGuard<'static, ()>> {
    let reads = || WAITING.read().unwrap_or_else(PoisonError::into_inner);
    (!LAUNCHES.get()).then(reads)
}

/// Does work that lets GPUs wait for one another, one such at a time.
pub(super) fn while_they_wait<T>(work: impl FnOnce() -> T) -> T {
    let _alone = WAITING.write().unwrap_or_else(PoisonError::into_inner);
    work()
}

/// Does the part of it that a thread of its own does.
pub(super) fn launching<T>(work: impl FnOnce() -> T) -> T {
    LAUNCHES.set(true);
    let done = work();
    LAUNCHES.set(false);
    done
}

/// Memory on the GPU.
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
        let _held = while_none_waits();
        // A GPU that was lost has lost its memory too: nothing is to be done then.
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: allocated by `Gpu::buffer`, freed once. It waits for the work.
            let _ = unsafe { result::free_sync(self.address) };
        }
    }
}

/// Memory of the host that the GPU reads and writes itself.
pub(super) struct Pinned<T> {
    pub(super) values: *mut T,
    pub(super) len: usize,
    pub(super) context: Arc<CudaContext>,
}

// SAFETY: it owns its memory, as a `Vec` does.
unsafe impl<T: Send> Send for Pinned<T> {}

impl<T> Pinned<T> {
    /// The same for the host and the GPU.
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
    /// The first value, which threads may set while GPUs look at it.
    pub(super) fn word(&self) -> &AtomicU32 {
        // SAFETY: there is one at least, set when it was made, and threads that share it come
        // to it by this alone.
        unsafe { AtomicU32::from_ptr(self.values) }
    }
}

impl<T> Drop for Pinned<T> {
    fn drop(&mut self) {
        let _held = while_none_waits();
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: allocated by `Gpu::pinned`, freed once.
            let _ = unsafe { result::free_host(self.values.cast()) };
        }
    }
}

/// Memory of the host that is pinned where it lies, until this goes.
pub(super) struct PinnedInPlace<'a> {
    pub(super) start: *mut c_void,
    pub(super) context: Arc<CudaContext>,
    pub(super) values: PhantomData<&'a [f64]>,
}

// SAFETY: it gives back by address, from whatever thread.
unsafe impl Send for PinnedInPlace<'_> {}

impl Drop for PinnedInPlace<'_> {
    fn drop(&mut self) {
        let _held = while_none_waits();
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: pinned by `Gpu::pin`, given back once.
            let _ = unsafe { sys::cuMemHostUnregister(self.start) };
        }
    }
}

/// Bytes of the host that stay where they are, and are pinned there if they could be.
pub(super) struct Staying {
    // Goes before the bytes.
    pub(super) _pinned: Option<PinnedInPlace<'static>>,
    pub(super) bytes: Vec<u8>,
}

impl Staying {
    pub(super) fn get(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc::channel, thread, time::Duration};

    use super::*;

    #[test]
    fn memory_is_not_asked_for_while_gpus_wait() {
        let (told, asked) = channel();
        thread::scope(|scope| {
            while_they_wait(|| {
                scope.spawn(move || {
                    drop(while_none_waits());
                    told.send(()).unwrap();
                });
                // Threads that launch may have to: nobody else would.
                let launches = scope.spawn(|| launching(|| while_none_waits().is_none()));
                assert!(launches.join().unwrap());
                assert!(asked.recv_timeout(Duration::from_millis(50)).is_err());
            });
            asked.recv().unwrap();
        });
        assert!(while_none_waits().is_some());
    }
}
