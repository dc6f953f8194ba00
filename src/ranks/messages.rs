//! What ranks report of one another: which failed, and how many messages were exchanged.

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
};

use serde::{Deserialize, Serialize};

/// The failure of one rank, as every rank learns it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankFailure {
    /// The failed rank, counted from 0.
    pub rank: usize,
    /// The name of the machine it ran on.
    pub host: String,
    /// Its error message.
    pub message: String,
}

impl fmt::Display for RankFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rank,
            host,
            message,
        } = self;
        write!(f, "rank {rank} on {host}: {message}")
    }
}

/// Messages and bytes that one rank exchanged with the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Traffic {
    /// All-gathers in which this rank took part.
    pub gathered: u64,
    /// Bytes that this rank contributed to them.
    pub gathered_bytes: u64,
    /// Broadcasts in which this rank took part.
    pub broadcast: u64,
    /// Bytes of these broadcasts, whichever rank sent them.
    pub broadcast_bytes: u64,
}

/// Counts messages of one kind and their bytes.
#[derive(Debug, Default)]
pub(super) struct Counter {
    messages: AtomicU64,
    bytes: AtomicU64,
}

impl Counter {
    pub(super) fn add(&self, bytes: usize) {
        self.messages.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// The messages and their bytes.
    pub(super) fn get(&self) -> (u64, u64) {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (load(&self.messages), load(&self.bytes))
    }

    pub(super) fn reset(&self) {
        self.messages.store(0, Ordering::Relaxed);
        self.bytes.store(0, Ordering::Relaxed);
    }
}
