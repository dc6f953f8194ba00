//! When work ends without being asked to.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

/// When the work must end, whether or not anyone asks.
#[derive(Debug)]
pub(crate) struct Deadline {
    pub(super) at: Instant,
    pub(super) kind: DeadlineKind,
    /// Where ranks work together: all of them know that it has passed on one of them.
    pub(super) agreed: AtomicBool,
}

/// What a deadline that has passed makes of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeadlineKind {
    /// The best until then is the result.
    TimeLimit,
    /// The job has failed.
    Timeout,
}

impl Deadline {
    /// Whether it has passed by the clock of this process.
    pub(crate) fn has_passed_here(&self) -> bool {
        Instant::now() >= self.at
    }

    /// All ranks know that it has passed on one of them.
    pub(crate) fn mark_agreed(&self) {
        self.agreed.store(true, Ordering::Relaxed);
    }
}
