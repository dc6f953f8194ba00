//! The wish to stop, from outside.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A flag that asks a search to end and report the best so far. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Asks; may be called from any thread and from a signal handler.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether someone asked.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
