//! A request to stop, from outside: a signal asks, the search looks.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

/// A request to stop that any thread may make. Clones share one request: a
/// caller keeps one and every job of a run another.
///
/// ```
/// let interrupt = passel::Interrupt::default();
/// let job = interrupt.clone();
/// interrupt.request();
/// assert!(job.requested());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<Request>);

#[derive(Debug, Default)]
struct Request {
    requested: AtomicBool,
    /// Whether ranks work together, and whether all of them know of the request.
    needs_agreement: AtomicBool,
    agreed: AtomicBool,
    forced: AtomicBool,
    detached: AtomicBool,
    detachable: AtomicUsize,
}

impl Interrupt {
    /// Requests the end of the work.
    pub fn request(&self) {
        // Nothing else is published with the flags, so no ordering is needed.
        self.0.requested.store(true, Ordering::Relaxed);
    }

    /// Returns true if the end of the work was requested; where ranks work together, once all of them
    /// know of the request.
    pub fn requested(&self) -> bool {
        match self.0.needs_agreement.load(Ordering::Relaxed) {
            true => self.0.agreed.load(Ordering::Relaxed),
            false => self.requested_here(),
        }
    }

    /// Whether it was asked for here.
    pub(crate) fn requested_here(&self) -> bool {
        self.0.requested.load(Ordering::Relaxed)
    }

    /// Whether from now on a request counts once all ranks know of it.
    pub(crate) fn require_agreement(&self, wait: bool) {
        self.0.needs_agreement.store(wait, Ordering::Relaxed);
    }

    /// All ranks know of a request, of this one's or another's.
    pub(crate) fn mark_agreed(&self) {
        self.0.agreed.store(true, Ordering::Relaxed);
    }

    /// Requests the end a second time: a plugin that ignores the first request is left behind, and what
    /// it had chosen is reported. Returns false if nothing waits for a plugin, or if this was
    /// requested before.
    pub fn force(&self) -> bool {
        let heard = self.0.detachable.load(Ordering::Relaxed) > 0;
        heard && !self.0.forced.swap(true, Ordering::Relaxed)
    }

    pub(crate) fn is_forced(&self) -> bool {
        self.0.forced.load(Ordering::Relaxed)
    }

    /// Returns true if a plugin was left behind. It may run until the process ends, which must then
    /// end without running destructors.
    pub fn has_detached(&self) -> bool {
        self.0.detached.load(Ordering::Relaxed)
    }

    pub(crate) fn mark_detached(&self) {
        self.0.detached.store(true, Ordering::Relaxed);
    }

    /// While it lives, work is done that can be left behind, or its report is not told yet.
    pub(crate) fn detachable(&self) -> DetachableGuard {
        self.0.detachable.fetch_add(1, Ordering::Relaxed);
        DetachableGuard(Arc::clone(&self.0))
    }
}

/// See [`Interrupt::detachable`].
#[derive(Debug)]
pub(crate) struct DetachableGuard(Arc<Request>);

impl Drop for DetachableGuard {
    fn drop(&mut self) {
        self.0.detachable.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_insists_is_heard_once_and_only_where_work_can_be_left() {
        let interrupt = Interrupt::default();
        interrupt.request();
        assert!(!interrupt.force(), "nobody could leave anything");
        let (work, report) = (interrupt.detachable(), interrupt.detachable());
        drop(work);
        // The work has returned, its report is not told: the second wish must not lose it.
        assert!(interrupt.force() && interrupt.is_forced());
        assert!(!interrupt.force(), "the third is the end");
        drop(report);
        let after = Interrupt::default();
        drop(after.detachable());
        assert!(!after.force());
    }
}
