//! A request to stop, from outside: a signal asks, the search looks.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
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
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Asks for the end of the work.
    pub fn request(&self) {
        // Nothing else is published with the flag, so no ordering is needed.
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the end of the work was asked for.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, for a signal handler to set.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}
