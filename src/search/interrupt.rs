//! A request to stop, from outside: a signal asks, the search looks.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

/// A request to stop that any thread may make. Clones share one request: a
/// caller keeps one and every job of a run another.
///
/// ```
/// let interrupt = passel::search::Interrupt::default();
/// let job = interrupt.clone();
/// interrupt.request();
/// assert!(job.requested());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<Request>);

#[derive(Debug, Default)]
struct Request {
    requested: AtomicBool,
    insisted: AtomicBool,
    leavable: AtomicUsize,
}

impl Interrupt {
    /// Asks for the end of the work.
    pub fn request(&self) {
        // Nothing else is published with the flags, so no ordering is needed.
        self.0.requested.store(true, Ordering::Relaxed);
    }

    /// Whether the end of the work was asked for.
    pub fn requested(&self) -> bool {
        self.0.requested.load(Ordering::Relaxed)
    }

    /// Asks for the end of the work a second time: who waits for a plugin that does not heed
    /// the first leaves it behind. False where nobody does, or it was insisted before.
    pub fn insist(&self) -> bool {
        let heard = self.0.leavable.load(Ordering::Relaxed) > 0;
        heard && !self.0.insisted.swap(true, Ordering::Relaxed)
    }

    pub(crate) fn insisted(&self) -> bool {
        self.0.insisted.load(Ordering::Relaxed)
    }

    /// While it lives, work is done that can be left behind.
    pub(crate) fn leavable(&self) -> Leavable<'_> {
        self.0.leavable.fetch_add(1, Ordering::Relaxed);
        Leavable(&self.0.leavable)
    }
}

/// See [`Interrupt::leavable`].
#[derive(Debug)]
pub(crate) struct Leavable<'a>(&'a AtomicUsize);

impl Drop for Leavable<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
