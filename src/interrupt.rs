//! A request to stop, from outside: a signal asks, the search looks.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use thiserror::Error;

/// How long work that cannot look at the request itself is awaited between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The end of the work was requested before it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("interrupted")]
pub struct Interrupted;

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
    heeded: AtomicUsize,
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

    /// Fails once the end of the work was requested. Of ranks that work together the one that was asked
    /// fails at once: whoever returns this error tells the others of it, as of any failure.
    pub(crate) fn check(&self) -> Result<(), Interrupted> {
        match self.requested_here() || self.requested() {
            true => Err(Interrupted),
            false => Ok(()),
        }
    }

    /// Does work that may block, and cannot look at the request itself, on a thread of its own. After
    /// a request the thread is left behind; the work is then to own all that it uses.
    ///
    /// # Errors
    /// [`Interrupted`], as the cause; the thread cannot be started, or panicked.
    pub(crate) fn await_work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<T> {
        let (done, result) = mpsc::sync_channel(1);
        // Whoever waited may have left.
        thread::Builder::new().spawn(move || drop(done.send(work())))?;
        loop {
            self.check().map_err(io::Error::other)?;
            match result.recv_timeout(LOOK_EVERY) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("a thread of passel's own failed"));
                }
            }
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
    pub(crate) fn detachable(&self) -> InterruptGuard {
        self.guard(|request| &request.detachable)
    }

    /// While it lives, work is done that looks at the request and ends in order, or its report is not
    /// told yet. Where there is none, a request may end the process at once.
    pub(crate) fn heeding(&self) -> InterruptGuard {
        self.guard(|request| &request.heeded)
    }

    /// Whether work is done that looks at the request.
    #[cfg(feature = "program")]
    pub(crate) fn is_heeded(&self) -> bool {
        self.0.heeded.load(Ordering::Relaxed) > 0
    }

    fn guard(&self, counter: fn(&Request) -> &AtomicUsize) -> InterruptGuard {
        counter(&self.0).fetch_add(1, Ordering::Relaxed);
        InterruptGuard {
            request: Arc::clone(&self.0),
            counter,
        }
    }
}

/// See [`Interrupt::detachable`] and [`Interrupt::heeding`].
#[derive(Debug)]
pub(crate) struct InterruptGuard {
    request: Arc<Request>,
    counter: fn(&Request) -> &AtomicUsize,
}

impl Drop for InterruptGuard {
    fn drop(&mut self) {
        (self.counter)(&self.request).fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_blocks_is_awaited_until_a_request_and_then_left_behind() {
        let interrupt = Interrupt::default();
        assert_eq!(interrupt.await_work(|| 7).unwrap(), 7);
        let (_never, blocked) = mpsc::channel::<()>();
        let asked = interrupt.clone();
        let error = interrupt.await_work(move || {
            asked.request();
            blocked.recv()
        });
        let error = error.unwrap_err();
        assert!(error.get_ref().unwrap().is::<Interrupted>());
        assert!(interrupt.await_work(|| panic!("left unheard")).is_err());
    }

    #[test]
    fn one_rank_alone_fails_at_once_where_all_are_needed_to_end_in_order() {
        let interrupt = Interrupt::default();
        interrupt.require_agreement(true);
        assert_eq!(interrupt.check(), Ok(()));
        interrupt.request();
        assert!(!interrupt.requested() && interrupt.check() == Err(Interrupted));
    }

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
