//! How the jobs of a job file are run: the options of `passel run` and the table `[run]`.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::progress::Progress;

/// How the jobs of a job file are run. No setting changes a result.
#[derive(Debug, Clone, Default)]
pub struct RunSettings {
    /// The folder of results; `None` for the job file's name with `-results`.
    pub output: Option<PathBuf>,
    /// Whether the run may replace files that passel did not write.
    pub overwrite: bool,
    /// The most jobs that run at the same time; `None` for as many as threads and memory allow.
    pub max_running: Option<NonZeroUsize>,
    /// Threads of the CPU that the running jobs share; `None` for one per core.
    pub threads: Option<NonZeroUsize>,
    /// The most memory that jobs may hold at the same time; `None` for no limit.
    /// *Units:* bytes.
    pub memory_limit: Option<u64>,
    /// The time after which the run is interrupted; `None` for no limit.
    pub time_limit: Option<Duration>,
    /// The number of failures after which no further job is started; `None` for no such limit.
    pub max_failures: Option<usize>,
    /// Whether each job is done by a process of its own.
    pub isolate: bool,
    /// Whether only jobs are run that failed the last time.
    pub retry_failed: bool,
    /// The time between two lines that say that the run goes on; `None` for a minute.
    pub heartbeat: Option<Duration>,
    /// What is added to the niceness of the process: 0 leaves its priority, 19 is the lowest.
    pub nice: usize,
    /// How ranks share the jobs.
    pub ranks: RankSharing,
    /// How progress is shown.
    pub progress: Progress,
}

/// How the ranks of `passel-mpi` share the jobs of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RankSharing {
    /// Apart if there are at least as many jobs to do as ranks, else together.
    #[default]
    Auto,
    /// Each rank does jobs of its own.
    Apart,
    /// All ranks work at each job.
    Together,
}

impl RunSettings {
    /// The folder of results of the job file at this path.
    pub fn folder(&self, file: &Path) -> PathBuf {
        self.output.clone().unwrap_or_else(|| {
            let mut name = file.file_stem().unwrap_or_default().to_owned();
            name.push("-results");
            file.with_file_name(name)
        })
    }
}
