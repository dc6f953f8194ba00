//! Pools of CPU threads, why one could not be started, and the CPU time of all threads of some work.

use std::{
    cell::RefCell,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder, prelude::*};
use thiserror::Error;

use crate::{
    foreign_calls::{Work, set_work},
    interrupt::{Interrupt, LOOK_EVERY},
    machine,
};

/// Threads that the system did not start.
#[derive(Debug, Error)]
pub enum ThreadError {
    #[error("{threads} threads could not be started")]
    Pool {
        threads: usize,
        source: ThreadPoolBuildError,
    },
    /// The single thread of a plugin's procedure.
    #[error("no thread could be started")]
    Spawn { source: std::io::Error },
}

/// Starts a pool of its own of this many threads, whose CPU time counts to the work of this thread.
pub(crate) fn pool(threads: usize) -> Result<ThreadPool, ThreadError> {
    let meter = CpuMeter::current();
    let started = meter.clone();
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .start_handler(move |_| started.start_thread())
        .exit_handler(move |_| meter.end_thread())
        .build();
    pool.map_err(|source| ThreadError::Pool { threads, source })
}

/// How long ended work waits for its pools' threads, which end a moment after it.
const PATIENCE: Duration = Duration::from_secs(1);

thread_local! {
    static METER: RefCell<Option<CpuMeter>> = const { RefCell::new(None) };
    static HELPERS: RefCell<Option<Arc<ThreadPool>>> = const { RefCell::new(None) };
}

/// Gives this thread the helpers back that it had before.
struct Helped(Option<Arc<ThreadPool>>);

impl Drop for Helped {
    fn drop(&mut self) {
        HELPERS.set(self.0.take());
    }
}

/// Does work of which so many threads may do the parts of [`map_each`]. Those that the system refuses are done without.
pub(crate) fn with_helpers<T>(threads: usize, work: impl FnOnce() -> T) -> T {
    let helpers = (threads > 1).then(|| pool(threads).ok()).flatten();
    let _before = Helped(HELPERS.replace(helpers.map(Arc::new)));
    work()
}

/// How many threads do the parts of [`map_each`].
pub(crate) fn helpers() -> usize {
    let helpers = HELPERS.with_borrow(|own| Some(own.as_ref()?.current_num_threads()));
    helpers.unwrap_or_else(|| match rayon::current_thread_index() {
        Some(_) => rayon::current_num_threads(),
        None => 1,
    })
}

/// A size of the pieces of a file that are worked on at a time. Those of fuzz targets are small, so that many meet in a file.
pub(crate) const fn piece(size: usize) -> usize {
    if cfg!(fuzzing) { 48 } else { size }
}

/// What becomes of each item, in their order, by the threads that help this one, or those of the pool that it is of.
pub(crate) fn map_each<T: Send, U: Send>(
    items: Vec<T>,
    of: impl Fn(T) -> U + Send + Sync,
) -> Vec<U> {
    let helpers = HELPERS.with_borrow(Clone::clone);
    match helpers.filter(|_| items.len() > 1) {
        Some(pool) => pool.install(|| items.into_par_iter().map(of).collect()),
        None if rayon::current_thread_index().is_some() => items.into_par_iter().map(of).collect(),
        None => items.into_iter().map(of).collect(),
    }
}

/// Adds up the CPU time of the threads that some work runs on, which know what they work for.
#[derive(Debug, Clone)]
pub(crate) struct CpuMeter {
    sum: Arc<(Mutex<CpuTime>, Condvar)>,
    work: Arc<Work>,
}

/// Of what this thread works for.
impl Default for CpuMeter {
    fn default() -> Self {
        Self::of(Work::current())
    }
}

#[derive(Debug, Default)]
struct CpuTime {
    ended: Duration,
    /// Threads of pools that have not ended yet.
    running: usize,
}

impl CpuMeter {
    pub(crate) fn of(work: Arc<Work>) -> Self {
        let sum = Arc::default();
        Self { sum, work }
    }

    /// The meter of the work that this thread does; one that nobody reads if there is none.
    pub(crate) fn current() -> Self {
        METER.with_borrow(|meter| meter.clone().unwrap_or_default())
    }

    fn time(&self) -> MutexGuard<'_, CpuTime> {
        self.sum.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does a part of the work on this thread.
    pub(crate) fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = own_cpu_time();
        let outer = METER.replace(Some(self.clone()));
        let outer_work = set_work(Some(Arc::clone(&self.work)));
        let result = work();
        set_work(outer_work);
        METER.set(outer);
        self.time().ended += own_cpu_time().saturating_sub(before);
        result
    }

    fn start_thread(&self) {
        self.time().running += 1;
        METER.set(Some(self.clone()));
        set_work(Some(Arc::clone(&self.work)));
    }

    fn end_thread(&self) {
        METER.set(None);
        let mut time = self.time();
        time.ended += own_cpu_time();
        time.running -= 1;
        drop(time);
        self.sum.1.notify_all();
    }

    /// The CPU seconds of all threads, once those of pools have ended; `None` if the system does not
    /// say. A plugin that was left behind is not waited for, nor anything after an interrupt.
    pub(crate) fn total(&self, interrupt: &Interrupt) -> Option<f64> {
        self.total_within(PATIENCE, interrupt)
    }

    fn total_within(&self, patience: Duration, interrupt: &Interrupt) -> Option<f64> {
        let end = Instant::now() + patience;
        let mut time = self.time();
        while time.running > 0 && !interrupt.requested_here() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.sum.1.wait_timeout(time, left.min(LOOK_EVERY));
            time = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let ended = time.ended;
        (!ended.is_zero()).then_some(ended.as_secs_f64())
    }
}

/// The CPU time of this thread; zero where it is not known.
fn own_cpu_time() -> Duration {
    machine::thread_cpu_time().unwrap_or_default()
}

/// Does work on so many threads at once. Those that the system refuses are done without; if it refuses all,
/// the work is done here.
pub(crate) fn run_on(threads: usize, work: impl Fn() + Sync) {
    std::thread::scope(|scope| {
        let start = |_: &usize| {
            let thread = std::thread::Builder::new().spawn_scoped(scope, &work);
            thread.is_ok()
        };
        if (0..threads).take_while(start).count() == 0 {
            work();
        }
    });
}

#[cfg(all(test, unix, feature = "program"))]
mod tests {
    use rayon::prelude::*;

    use super::*;

    /// Keeps a thread busy until its own clock has gone on this far.
    fn burn(milliseconds: u64) {
        let end = own_cpu_time() + Duration::from_millis(milliseconds);
        while own_cpu_time() < end {}
    }

    #[test]
    fn the_threads_of_nested_pools_count_to_their_work_alone() {
        let (meter, other) = (CpuMeter::default(), CpuMeter::default());
        burn(30);
        other.run(|| burn(1));
        meter.run(|| {
            burn(3);
            let outer = pool(2).unwrap();
            outer.install(|| {
                burn(4);
                pool(2)
                    .unwrap()
                    .install(|| (0..2).into_par_iter().for_each(|_| burn(5)));
            });
            let beside = CpuMeter::current();
            std::thread::scope(|scope| {
                scope.spawn(|| beside.run(|| burn(6)));
            });
            other.run(|| burn(7));
        });
        // Nested work counts to the outer thread too, and nothing before the work to either.
        assert!(
            meter.total(&Interrupt::default()).unwrap() >= 0.023,
            "{meter:?}"
        );
        let other = other.total(&Interrupt::default()).unwrap();
        assert!((0.008..0.03).contains(&other), "{other}");
    }

    #[test]
    fn an_interrupt_waits_for_no_thread_that_was_left_behind() {
        let (meter, interrupt) = (CpuMeter::default(), Interrupt::default());
        let left_behind = meter.run(|| pool(1).unwrap());
        left_behind.install(|| burn(1));
        interrupt.request();
        meter.total_within(Duration::from_secs(3600), &interrupt);
        assert_eq!(meter.time().running, 1);
        drop(left_behind);
        assert!(meter.total(&Interrupt::default()).is_some());
    }
}
