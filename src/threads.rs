//! Pools of CPU threads, and why one could not be started.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use thiserror::Error;

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

/// Starts a pool of its own of this many threads.
pub(crate) fn pool(threads: usize) -> Result<ThreadPool, ThreadError> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|source| ThreadError::Pool { threads, source })
}
