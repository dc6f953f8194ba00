//! How a run stands, as the processes that do it write it into its folder of results.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::folder::STATUS;
use crate::{progress::RunningJob, system_limits::is_disk_full, whole_file::read_regular};

/// How the file begins.
const START: &[u8] = b"{\n  \"passel\": ";

/// The most letters of a reason that the file has.
const MAX_REASON: usize = 500;

/// How the part of a run stands that one process does.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct RunStatus {
    pub(super) passel: String,
    /// The job file.
    pub(super) file: String,
    pub(super) host: String,
    pub(super) pid: u32,
    pub(super) rank: usize,
    pub(super) started: String,
    /// When this was written.
    pub(super) updated: String,
    /// What the run does besides jobs; empty while it does jobs.
    pub(super) phase: String,
    pub(super) jobs: usize,
    /// Whether it is known which jobs were done before.
    pub(super) is_counted: bool,
    /// The jobs that were done before the run, and by it.
    pub(super) before: usize,
    pub(super) done: usize,
    /// The number of jobs that failed in this run.
    pub(super) failed: usize,
    pub(super) failures: Vec<Failure>,
    pub(super) running: Vec<RunningJob>,
    /// Jobs that were under way when an earlier run was killed, and have not ended since.
    pub(super) suspects: Vec<String>,
    /// Those of them that were alone under way.
    pub(super) culprits: Vec<String>,
    /// How long the rest may take.
    pub(super) left_seconds: Option<f64>,
    /// When and how the run ended in order; `None` while it goes on, or if it was killed.
    pub(super) ended: Option<String>,
    pub(super) exit_code: Option<u8>,
}

/// Jobs that were under way when a run was killed, each with whether it was alone.
pub(super) type LostJobs = HashMap<String, bool>;

/// A job that failed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Failure {
    pub(super) job: String,
    pub(super) error: String,
    /// Whether it failed in an earlier run, and was not tried again since.
    pub(super) before: bool,
}

impl Failure {
    pub(super) fn new(job: &str, error: &str, before: bool) -> Self {
        Self {
            job: job.to_owned(),
            error: error.chars().take(MAX_REASON).collect(),
            before,
        }
    }
}

/// The jobs that were under way when a run into a folder was killed, the last one or one before, and have not ended since: each
/// may have been the reason, and one that was alone is (`true`).
pub(super) fn lost_jobs(folder: &Path) -> LostJobs {
    let paths = status_paths(folder).into_iter();
    let all: Vec<_> = paths.filter_map(|path| RunStatus::read(&path)).collect();
    let is_lost = |own: &&RunStatus| own.ended.is_none();
    let running = all.iter().filter(is_lost).flat_map(|own| &own.running);
    let is_alone = running.clone().count() == 1;
    let mut lost = LostJobs::new();
    let suspects = all.iter().flat_map(|own| &own.suspects);
    lost.extend(suspects.map(|job| (job.clone(), false)));
    let culprits = all.iter().flat_map(|own| &own.culprits);
    lost.extend(culprits.map(|job| (job.clone(), true)));
    for own in running {
        *lost.entry(own.job.clone()).or_default() |= is_alone;
    }
    lost
}

/// The path of the file of a rank.
pub(super) fn status_path(folder: &Path, rank: usize) -> PathBuf {
    match rank {
        0 => folder.join(STATUS),
        rank => folder.join(format!("{STATUS}-{rank}")),
    }
}

/// The files of all ranks, also unfinished ones.
pub(super) fn status_paths(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_status = |name: &str| {
        let end = name.strip_prefix(STATUS);
        end.is_some_and(|end| end.is_empty() || end.starts_with(['-', '~']))
    };
    let own = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_status));
    let mut paths: Vec<PathBuf> = own.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Removes a file that says how a run stood. A file that somebody else gave such a name stays.
pub(super) fn remove_status(path: &Path) {
    if may_replace(path) {
        let _ = fs::remove_file(path);
    }
}

/// Returns true if there is no such file, or one that a run wrote, be it in part: a power cut may leave an
/// empty one.
fn may_replace(path: &Path) -> bool {
    let Ok(file) = fs::symlink_metadata(path) else {
        return true;
    };
    let is_own = |text: &[u8]| text.starts_with(START) || START.starts_with(text);
    file.is_file() && fs::read(path).is_ok_and(|text| is_own(&text))
}

impl RunStatus {
    /// What a file says; none of one that is not there, or not whole.
    pub(super) fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&read_regular(path).ok()?).ok()
    }

    /// Replaces the file of this process. It is not flushed to the disk: after a power cut nobody asks
    /// how the run stood.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        let path = status_path(folder, self.rank);
        // Of one name, so that a kill leaves no more than one, which the next run replaces.
        let mut unfinished = path.clone().into_os_string();
        unfinished.push("~");
        let unfinished = PathBuf::from(unfinished);
        remove_status(&unfinished);
        if !may_replace(&path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let text = serde_json::to_vec_pretty(self)?;
        let written = File::create_new(&unfinished).and_then(|mut file| file.write_all(&text));
        let replaced = written.and_then(|()| fs::rename(&unfinished, &path));
        if replaced.as_ref().is_err_and(is_disk_full) {
            // What the file before took is there.
            remove_status(&unfinished);
            let short = RunStatus {
                failures: Vec::new(),
                running: Vec::new(),
                ..self.clone()
            };
            let text = serde_json::to_vec_pretty(&short)?;
            let mut file = File::options().write(true).open(&path)?;
            file.write_all(&text)?;
            return file.set_len(text.len() as u64);
        }
        replaced
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_run_wrote_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (path, unfinished) = (
            folder.path().join(".status"),
            folder.path().join(".status~"),
        );
        let status = RunStatus::default();
        for cut in ["", "{\n  \"pa", "{\n  \"passel\": \"0.1.0\",\n  \"fi"] {
            for name in [&path, &unfinished] {
                fs::write(name, cut).unwrap();
            }
            status.write(folder.path()).unwrap();
            assert!(fs::read(&path).unwrap().starts_with(START));
            assert!(!unfinished.exists());
        }
        for name in [&path, &unfinished] {
            fs::write(name, "mine").unwrap();
            status.write(folder.path()).unwrap_err();
            remove_status(name);
            assert_eq!(fs::read_to_string(name).unwrap(), "mine");
            fs::remove_file(name).unwrap();
        }
    }
}
