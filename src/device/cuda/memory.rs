//! Memory of a card and of the host, given back when it goes.

#![allow(unsafe_code)]

use std::{ffi::c_void, marker::PhantomData, sync::Arc};

use cudarc::driver::{CudaContext, result, sys};

/// Memory on the card.
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
        // A card that was lost has lost its memory too: nothing is to be done then.
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: allocated by `Card::buffer`, freed once. It waits for the work.
            let _ = unsafe { result::free_sync(self.address) };
        }
    }
}

/// Memory of the host that the card reads and writes itself.
pub(super) struct Pinned<T> {
    pub(super) values: *mut T,
    pub(super) len: usize,
    pub(super) context: Arc<CudaContext>,
}

// SAFETY: it owns its memory, as a `Vec` does.
unsafe impl<T: Send> Send for Pinned<T> {}

impl<T> Pinned<T> {
    /// The same for the host and the card.
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

impl<T> Drop for Pinned<T> {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: allocated by `Card::pinned`, freed once.
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
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: pinned by `Card::pin`, given back once.
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
