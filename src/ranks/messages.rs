//! What ranks report of one another: which failed, and how many messages were exchanged.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The failure of one rank, as every rank learns it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("rank {rank} on {host}: {message}")]
pub struct RankFailure {
    /// The failed rank, counted from 0.
    pub rank: usize,
    /// The name of the machine it ran on.
    pub host: String,
    /// Its error message.
    pub message: String,
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
