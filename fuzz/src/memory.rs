//! Counts the bytes that are allocated, of all threads together.

#![expect(unsafe_code, reason = "an allocator is unsafe by its contract")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counted;

#[global_allocator]
static COUNTED: Counted = Counted;

/// What work returns, and the most bytes held at once beyond those held before.
pub fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    let done = work();
    (done, PEAK.load(Relaxed).saturating_sub(before))
}

fn took(bytes: usize) {
    let held = HELD.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(held, Relaxed);
}

fn gave(bytes: usize) {
    HELD.fetch_sub(bytes, Relaxed);
}

// SAFETY: every call is the system's own, which keeps the contract; the counts touch no memory
// of the caller.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller's promise is handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller's promise is handed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both may be held while one is copied to the other.
        took(size);
        // SAFETY: the caller's promise is handed on.
        let moved = unsafe { System.realloc(block, layout, size) };
        gave(layout.size());
        moved
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is handed on.
        unsafe { System.dealloc(block, layout) };
        gave(layout.size());
    }
}
