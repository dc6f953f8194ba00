//! What is told of ranks: who failed, and how much was said.

use std::fmt;

use serde::Serialize;

/// What went wrong on a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Which, from 0 on.
    pub rank: usize,
    /// Its machine.
    pub host: String,
    /// What it says.
    pub message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rank,
            host,
            message,
        } = self;
        write!(f, "rank {rank} on {host}: {message}")
    }
}

/// Messages that a rank gave, and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Told {
    /// What all gave to all.
    pub gathered: u64,
    /// Bytes that this one gave to all.
    pub gathered_bytes: u64,
    /// What one gave to all.
    pub broadcast: u64,
    /// Bytes of it, whoever gave them.
    pub broadcast_bytes: u64,
}
