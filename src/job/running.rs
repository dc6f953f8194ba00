//! How the jobs of a file are run.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::progress::Progress;

/// How the jobs of a file are run: nothing here changes what they find.
#[derive(Debug, Clone, Default)]
pub struct RunSettings {
    /// The folder of results.
    pub output: Option<PathBuf>,
    /// Jobs at the same time; none for as many as threads and memory allow.
    pub at_once: Option<NonZeroUsize>,
    /// Threads that they share; none for one a core.
    pub threads: Option<NonZeroUsize>,
    /// Bytes that they may need together, by estimate.
    pub memory_limit: Option<u64>,
    /// When the run stops.
    pub time_limit: Option<Duration>,
    /// Whether ranks take a job each; none for where there are as many jobs as ranks.
    pub apart: Option<bool>,
    /// How progress is shown.
    pub progress: Progress,
}

impl RunSettings {
    /// The folder of results, of the jobs of this file.
    pub fn folder(&self, file: &Path) -> PathBuf {
        self.output.clone().unwrap_or_else(|| {
            let mut name = file.file_stem().unwrap_or_default().to_owned();
            name.push("-results");
            file.with_file_name(name)
        })
    }
}
