//! Calls of code that is not passel's: which thread is in which one, for which job, and until when that job has time. A thread notes
//! a call by a few stores of its own; others read them.

use std::{
    cell::{Cell, RefCell},
    sync::{
        Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// The most names of callees; more are one.
const NAMES: usize = 4096;

/// The names of callees, which stay as long as the process lives, and which a handler of signals may read.
static CALLEES: [OnceLock<&'static str>; NAMES] = [const { OnceLock::new() }; NAMES];

/// Who is called: the number of a name, or 0 for passel itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Callee(usize);

impl Callee {
    pub(crate) const PASSEL: Self = Self(0);

    /// Somebody by the name that messages have.
    pub(crate) fn named(name: &str) -> Self {
        for (at, place) in CALLEES.iter().enumerate() {
            // Whoever comes first keeps the place.
            if *place.get_or_init(|| name.to_owned().leak()) == name {
                return Self(at + 1);
            }
        }
        Self(NAMES + 1)
    }

    /// The name; empty for passel itself.
    fn name(self) -> &'static str {
        match self.0.checked_sub(1).map(|at| CALLEES.get(at)) {
            None => "",
            Some(place) => place.and_then(OnceLock::get).copied().unwrap_or("a plugin"),
        }
    }
}

/// Deadlines are counted from here.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// No deadline.
const NEVER: u64 = u64::MAX;

/// What threads work for: a job of a run, or all that the process does.
#[derive(Debug)]
pub(crate) struct Work {
    job: Option<String>,
    /// The earliest deadline. *Units:* milliseconds from [`START`].
    deadline: AtomicU64,
}

static WHOLE_PROCESS: LazyLock<Arc<Work>> = LazyLock::new(|| Work::new(None));

impl Work {
    fn new(job: Option<String>) -> Arc<Self> {
        LazyLock::force(&START);
        let deadline = AtomicU64::new(NEVER);
        Arc::new(Self { job, deadline })
    }

    /// A job of a run.
    pub(crate) fn of_job(name: &str) -> Arc<Self> {
        Self::new(Some(name.to_owned()))
    }

    /// What this thread works for.
    pub(crate) fn current() -> Arc<Self> {
        Slot::own().work()
    }

    /// The work has no more time than until then.
    pub(crate) fn ends_at(&self, at: Instant) {
        let at = at.saturating_duration_since(*START).as_millis();
        let at = u64::try_from(at).unwrap_or(NEVER);
        self.deadline.fetch_min(at, Relaxed);
    }

    /// The work has no more time than this, from now on.
    pub(crate) fn end_within(&self, time: Duration) {
        if let Some(at) = Instant::now().checked_add(time) {
            self.ends_at(at);
        }
    }

    /// Whether a deadline has passed.
    pub(crate) fn is_late(&self) -> bool {
        let deadline = self.deadline.load(Relaxed);
        deadline < NEVER && START.elapsed() >= Duration::from_millis(deadline)
    }

    /// How much time it has left; `None` without a deadline.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        let deadline = self.deadline.load(Relaxed);
        let left = || Duration::from_millis(deadline).saturating_sub(START.elapsed());
        (deadline < NEVER).then(left)
    }

    /// The job's name.
    pub(crate) fn job(&self) -> Option<&str> {
        self.job.as_deref()
    }
}

/// The calls of one thread.
#[derive(Debug, Default)]
struct Slot {
    /// The number of a [`Callee`].
    callee: AtomicUsize,
    /// How many calls there were.
    calls: AtomicUsize,
    /// Whether who waits for the thread will leave it behind.
    is_awaited: AtomicBool,
    is_taken: AtomicBool,
    work: Mutex<Option<Arc<Work>>>,
}

/// The slots of all threads that called, which later threads take over.
static SLOTS: Mutex<Vec<&'static Slot>> = Mutex::new(Vec::new());

thread_local! {
    static OWN: Cell<Option<&'static Slot>> = const { Cell::new(None) };
    static LEASE: RefCell<Option<Lease>> = const { RefCell::new(None) };
}

/// Gives a slot back when its thread ends.
struct Lease(&'static Slot);

impl Drop for Lease {
    fn drop(&mut self) {
        // Of a thread that calls `exit` the system drops this first, and asks later whose code it ran.
        if self.0.callee.load(Relaxed) != Callee::PASSEL.0 {
            return;
        }
        OWN.set(None);
        *self.0.locked_work() = None;
        self.0.is_taken.store(false, Relaxed);
    }
}

fn slots() -> MutexGuard<'static, Vec<&'static Slot>> {
    SLOTS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Slot {
    fn own() -> &'static Self {
        OWN.get().unwrap_or_else(Self::take)
    }

    #[cold]
    fn take() -> &'static Self {
        let mut slots = slots();
        let free = slots.iter().find(|slot| !slot.is_taken.load(Relaxed));
        let slot = free.copied().unwrap_or_else(|| {
            let slot: &'static Self = Box::leak(Box::default());
            slots.push(slot);
            slot
        });
        slot.is_taken.store(true, Relaxed);
        drop(slots);
        OWN.set(Some(slot));
        // A thread that ends already keeps it.
        let _ = LEASE.try_with(|lease| lease.replace(Some(Lease(slot))));
        slot
    }

    fn locked_work(&self) -> MutexGuard<'_, Option<Arc<Work>>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) -> Arc<Work> {
        let own = self.locked_work().clone();
        own.unwrap_or_else(|| Arc::clone(&WHOLE_PROCESS))
    }
}

/// What this thread works for from now on; what it worked for before.
pub(crate) fn set_work(work: Option<Arc<Work>>) -> Option<Arc<Work>> {
    std::mem::replace(&mut *Slot::own().locked_work(), work)
}

/// Notes that this thread enters the code of somebody, or passel's own; whose it leaves, which [`leave_to`] takes.
pub(crate) fn enter(callee: Callee) -> Callee {
    let slot = Slot::own();
    let outer = slot.callee.load(Relaxed);
    // No other thread writes either.
    slot.calls
        .store(slot.calls.load(Relaxed).wrapping_add(1), Relaxed);
    slot.callee.store(callee.0, Relaxed);
    Callee(outer)
}

/// Notes that this thread is in this code again.
pub(crate) fn leave_to(outer: Callee) {
    Slot::own().callee.store(outer.0, Relaxed);
}

/// Does work that is left behind by who waits for it, should it not end.
pub(crate) fn awaited<T>(work: impl FnOnce() -> T) -> T {
    let slot = Slot::own();
    let outer = slot.is_awaited.swap(true, Relaxed);
    let result = work();
    slot.is_awaited.store(outer, Relaxed);
    result
}

/// Does work that has no time but the grace that calls have, for the job that this thread works for.
pub(crate) fn within_grace<T>(work: impl FnOnce() -> T) -> T {
    let own = Work::new(Work::current().job.clone());
    own.ends_at(Instant::now());
    let outer = set_work(Some(own));
    let result = work();
    set_work(outer);
    result
}

/// Whose code this thread runs; empty while it is passel's own. A handler of signals may ask.
pub(crate) fn callee() -> &'static str {
    let slot = OWN.get();
    slot.map_or("", |slot| Callee(slot.callee.load(Relaxed)).name())
}

/// Whether this is a thread of passel's that has called others, or works for a job. A handler of signals may ask.
pub(crate) fn is_known_thread() -> bool {
    OWN.get().is_some()
}

/// A call that goes on.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) callee: &'static str,
    pub(crate) work: Arc<Work>,
    /// Which thread and which call: the same again while it goes on.
    pub(crate) id: (usize, usize),
}

/// The calls that go on now, but for those that are left behind by who waits for them.
pub(crate) fn under_way() -> Vec<Call> {
    let slots = slots();
    let all = slots.iter().enumerate().filter_map(|(at, slot)| {
        let callee = Callee(slot.callee.load(Relaxed)).name();
        let is_watched = !callee.is_empty() && !slot.is_awaited.load(Relaxed);
        is_watched.then(|| Call {
            callee,
            work: slot.work(),
            id: (at, slot.calls.load(Relaxed)),
        })
    });
    all.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_known_to_others_while_it_goes_on() {
        const NAME: &str = "somebody";
        let somebody = Callee::named(NAME);
        assert_eq!(somebody, Callee::named(NAME));
        let of_job = |job: &str| {
            let mut all = under_way();
            all.retain(|call| call.work.job() == Some(job));
            all
        };
        let work = Work::of_job("a job of this test");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                set_work(Some(Arc::clone(&work)));
                let outer = enter(somebody);
                let first = of_job("a job of this test");
                assert_eq!((first.len(), first[0].callee, callee()), (1, NAME, NAME));
                let inner = enter(Callee::PASSEL);
                assert!(of_job("a job of this test").is_empty() && callee().is_empty());
                leave_to(inner);
                awaited(|| assert!(of_job("a job of this test").is_empty()));
                leave_to(outer);
                let again = enter(somebody);
                assert_ne!(of_job("a job of this test")[0].id, first[0].id);
                leave_to(again);
            });
        });
        assert!(of_job("a job of this test").is_empty());
        assert!(!work.is_late() && work.time_left().is_none());
        work.end_within(Duration::from_secs(7200));
        work.end_within(Duration::from_secs(3600));
        let left = work.time_left().unwrap();
        assert!((3590..=3600).contains(&left.as_secs()), "{left:?}");
        work.ends_at(Instant::now());
        std::thread::sleep(Duration::from_millis(2));
        assert!(work.is_late() && work.time_left() == Some(Duration::ZERO));
    }
}
