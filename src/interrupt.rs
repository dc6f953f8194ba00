//! A request to stop, from outside: a signal asks, or a deadline passes; the search looks.

mod deadline;
mod grace;

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

pub(crate) use deadline::Deadline;
use deadline::DeadlineKind;
pub(crate) use grace::grace;
use thiserror::Error;

use crate::foreign_calls::Work;

/// How long work that cannot look at the request itself is awaited between two looks.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The end of the work was requested before it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("interrupted")]
pub struct Interrupted;

/// A request to stop that any thread may make. Clones share one request: a
/// caller keeps one and every job of a run another. A clone may have a deadline of its own, from which
/// on the end counts as requested.
///
/// ```
/// let interrupt = passel::Interrupt::default();
/// let job = interrupt.clone();
/// interrupt.request();
/// assert!(job.requested());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    request: Arc<Request>,
    deadline: Option<Arc<Deadline>>,
    /// Set where work beside this one has failed, so that this one is in vain.
    in_vain: Option<Arc<AtomicBool>>,
}

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
    /// Of tests: how many looks are left until one finds it requested; 0 for no such end.
    #[cfg(test)]
    looks: AtomicUsize,
}

impl Interrupt {
    /// Requests the end of the work.
    pub fn request(&self) {
        // Nothing else is published with the flags, so no ordering is needed.
        self.request.requested.store(true, Ordering::Relaxed);
    }

    /// Returns true if the end of the work was requested, or its deadline has passed; where ranks work
    /// together, once all of them know.
    pub fn requested(&self) -> bool {
        self.requested_by_caller() || self.deadline().is_some()
    }

    /// One that the `count`-th look at it finds requested, which no clock decides.
    #[cfg(test)]
    pub(crate) fn at_look(count: usize) -> Self {
        let interrupt = Self::default();
        interrupt.request.looks.store(count, Ordering::Relaxed);
        interrupt
    }

    #[cfg(test)]
    fn count_look(&self) {
        let one_less = |left: usize| left.checked_sub(1);
        let looks = &self.request.looks;
        if looks.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less) == Ok(1) {
            self.request();
        }
    }

    /// Whether somebody asked for the end, whatever the deadline.
    pub(crate) fn requested_by_caller(&self) -> bool {
        #[cfg(test)]
        self.count_look();
        match self.needs_agreement() {
            true => self.request.agreed.load(Ordering::Relaxed),
            false => self.request.requested.load(Ordering::Relaxed),
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

    /// Whether the end was requested in this process, or the deadline has passed by its clock.
    pub(crate) fn requested_here(&self) -> bool {
        let deadline = self.deadline.as_ref();
        self.request.requested.load(Ordering::Relaxed)
            || deadline.is_some_and(|deadline| deadline.has_passed_here())
            || (self.in_vain.as_ref()).is_some_and(|in_vain| in_vain.load(Ordering::Relaxed))
    }

    /// The same request, for work that also ends once this is set.
    pub(crate) fn or_in_vain(&self, in_vain: &Arc<AtomicBool>) -> Self {
        Self {
            in_vain: Some(Arc::clone(in_vain)),
            ..self.clone()
        }
    }

    fn needs_agreement(&self) -> bool {
        self.request.needs_agreement.load(Ordering::Relaxed)
    }

    /// The kind of the deadline, once it has passed.
    fn deadline(&self) -> Option<DeadlineKind> {
        let deadline = self.deadline.as_ref()?;
        let has_passed = match self.needs_agreement() {
            true => deadline.agreed.load(Ordering::Relaxed),
            false => deadline.has_passed_here(),
        };
        has_passed.then_some(deadline.kind)
    }

    /// Whether a time limit, and nobody's request, wants the end: what was found is the result.
    pub(crate) fn is_at_time_limit(&self) -> bool {
        !self.requested_by_caller() && self.deadline() == Some(DeadlineKind::TimeLimit)
    }

    /// Whether a timeout, and nobody's request, wants the end: the job has failed.
    pub(crate) fn is_timed_out(&self) -> bool {
        !self.requested_by_caller() && self.deadline() == Some(DeadlineKind::Timeout)
    }

    /// The same request with a time limit that begins now, unless an earlier deadline is set.
    pub(crate) fn with_time_limit(&self, limit: Option<Duration>) -> Self {
        self.with_deadline(limit, DeadlineKind::TimeLimit)
    }

    /// The same request with a timeout that begins now, unless an earlier deadline is set.
    pub(crate) fn with_timeout(&self, limit: Option<Duration>) -> Self {
        self.with_deadline(limit, DeadlineKind::Timeout)
    }

    fn with_deadline(&self, limit: Option<Duration>, kind: DeadlineKind) -> Self {
        let mut own = self.clone();
        let at = limit.and_then(|limit| Instant::now().checked_add(limit));
        let is_earlier = |at: &Instant| self.deadline.as_ref().is_none_or(|set| *at < set.at);
        if let Some(at) = at.filter(is_earlier) {
            Work::current().ends_at(at);
            own.deadline = Some(Arc::new(Deadline {
                at,
                kind,
                agreed: AtomicBool::default(),
            }));
        }
        own
    }

    /// What ranks tell one another of: see [`Deadline::mark_agreed`].
    pub(crate) fn shared_deadline(&self) -> Option<Arc<Deadline>> {
        self.deadline.clone()
    }

    /// Whether from now on a request counts once all ranks know of it.
    pub(crate) fn require_agreement(&self, wait: bool) {
        self.request.needs_agreement.store(wait, Ordering::Relaxed);
    }

    /// All ranks know of a request, of this one's or another's.
    pub(crate) fn mark_agreed(&self) {
        self.request.agreed.store(true, Ordering::Relaxed);
    }

    /// Requests the end a second time: a plugin that ignores the first request is left behind, and what
    /// it had chosen is reported. Returns false if nothing waits for a plugin, or if this was
    /// requested before.
    pub fn force(&self) -> bool {
        let heard = self.request.detachable.load(Ordering::Relaxed) > 0;
        heard && !self.request.forced.swap(true, Ordering::Relaxed)
    }

    pub(crate) fn is_forced(&self) -> bool {
        self.request.forced.load(Ordering::Relaxed)
    }

    /// Returns true if a plugin was left behind. It may run until the process ends, which must then
    /// end without running destructors.
    pub fn has_detached(&self) -> bool {
        self.request.detached.load(Ordering::Relaxed)
    }

    pub(crate) fn mark_detached(&self) {
        self.request.detached.store(true, Ordering::Relaxed);
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
        self.request.heeded.load(Ordering::Relaxed) > 0
    }

    /// A sink that refuses to be written once the end was requested.
    pub(crate) fn heeded_by<W: io::Write>(&self, sink: W) -> HeedingSink<'_, W> {
        HeedingSink {
            sink,
            interrupt: self,
        }
    }

    fn guard(&self, counter: fn(&Request) -> &AtomicUsize) -> InterruptGuard {
        counter(&self.request).fetch_add(1, Ordering::Relaxed);
        InterruptGuard {
            request: Arc::clone(&self.request),
            counter,
        }
    }
}

/// See [`Interrupt::heeded_by`].
pub(crate) struct HeedingSink<'a, W> {
    sink: W,
    interrupt: &'a Interrupt,
}

impl<W: io::Write> io::Write for HeedingSink<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.interrupt.requested() {
            true => Err(io::Error::other(Interrupted)),
            false => self.sink.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
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
    fn a_sink_is_written_until_a_request() {
        let interrupt = Interrupt::at_look(3);
        let mut written = Vec::new();
        let mut sink = interrupt.heeded_by(&mut written);
        let results = [1, 2, 3, 4].map(|byte| io::Write::write(&mut sink, &[byte]).is_ok());
        assert_eq!(results, [true, true, false, false]);
        assert_eq!(written, [1, 2]);
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
    fn the_earliest_deadline_counts_and_who_asks_comes_first() {
        let base = Interrupt::default();
        let (now, later) = (Some(Duration::ZERO), Some(Duration::from_secs(1 << 20)));
        let limited = base.with_time_limit(later);
        assert!(!limited.requested() && !limited.requested_here());
        let out = limited.with_timeout(now);
        assert!(out.requested() && out.is_timed_out() && !out.is_at_time_limit());
        // A later one changes nothing, and neither does none.
        assert!(out.with_time_limit(later).is_timed_out());
        assert!(out.with_time_limit(None).is_timed_out());
        let late = base.with_timeout(later).with_time_limit(now);
        assert!(late.is_at_time_limit() && !late.is_timed_out());
        // A deadline is of one clone; a request is of all, and explains the end.
        assert!(!base.requested() && !limited.requested());
        base.request();
        assert!(limited.requested() && late.requested() && !late.is_at_time_limit());
    }

    #[test]
    fn where_ranks_work_together_a_deadline_counts_once_all_know() {
        let base = Interrupt::default();
        base.require_agreement(true);
        let late = base.with_time_limit(Some(Duration::ZERO));
        assert!(late.requested_here() && !late.requested());
        late.shared_deadline().unwrap().mark_agreed();
        assert!(late.requested() && late.is_at_time_limit());
        assert!(!base.requested());
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
