//! How a run stands, read from its folder of results by anybody at any time: what `passel status` shows.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{BatchError, folder::STATUS, lock::is_locked};
use crate::{
    machine,
    progress::{Heartbeat, RunningJob, duration_text},
    system_limits::is_disk_full,
    whole_file::read_regular,
};

/// How the file begins.
const START: &[u8] = b"{\n  \"passel\": ";

/// The most letters of a reason that the file has.
const MAX_REASON: usize = 500;

/// A run on another machine, whose lock may not be seen from here, is alive if its file is no older.
const RECENT: Duration = Duration::from_secs(30);

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
    /// How long the rest may take.
    pub(super) left_seconds: Option<f64>,
    /// When and how the run ended in order; `None` while it goes on, or if it was killed.
    pub(super) ended: Option<String>,
    pub(super) exit_code: Option<u8>,
}

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

/// Whether a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Life {
    Running,
    /// It ended in order, whether all jobs were done or not.
    Ended,
    /// It ended without a word: it was killed, or its machine was.
    Lost,
}

/// How the last run into a folder stands.
#[derive(Debug)]
pub struct FolderStatus {
    folder: PathBuf,
    life: Life,
    /// What each process said last, rank 0 first; at least one.
    processes: Vec<RunStatus>,
    /// How long ago rank 0 said so.
    age: Duration,
}

/// Reads how the last run into a folder of results stands.
///
/// # Errors
/// The folder is not there, or no run has left a status in it.
pub fn folder_status(folder: &Path) -> Result<FolderStatus, BatchError> {
    let shown = folder.display();
    if !folder.is_dir() {
        return Err(BatchError::Refused(format!(
            "{shown} is no folder; name the folder of results of a run, or its job file"
        )));
    }
    let path = status_path(folder, 0);
    let paths = status_paths(folder).into_iter();
    let read = |path: PathBuf| serde_json::from_slice::<RunStatus>(&read_regular(&path).ok()?).ok();
    let is_whole = |path: &PathBuf| !path.to_string_lossy().ends_with('~');
    let others = paths.filter(is_whole).filter_map(read);
    let Some(own) = read(path.clone()) else {
        return Err(BatchError::Refused(format!(
            "no run has said in {shown} how it stands; `passel run JOBS.toml --list` shows which jobs \
             are done"
        )));
    };
    let modified = fs::metadata(&path).and_then(|file| file.modified());
    let age = modified.map_or(Duration::MAX, |time| time.elapsed().unwrap_or_default());
    // The lock is no proof where it is not seen from another machine.
    let is_near = own.host == machine::host();
    let life = match is_locked(folder) {
        Some(true) => Life::Running,
        _ if own.ended.is_some() => Life::Ended,
        Some(false) if is_near || age > RECENT => Life::Lost,
        None if age > RECENT => Life::Lost,
        _ => Life::Running,
    };
    let mut processes = vec![own];
    processes.extend(others.filter(|other| other.rank > 0));
    processes.sort_by_key(|process| process.rank);
    Ok(FolderStatus {
        folder: folder.to_owned(),
        life,
        processes,
        age,
    })
}

impl FolderStatus {
    fn root(&self) -> &RunStatus {
        &self.processes[0]
    }

    fn sum(&self, count: impl Fn(&RunStatus) -> usize) -> usize {
        self.processes.iter().map(count).sum()
    }

    /// Whether it is known which jobs were done before.
    fn is_counted(&self) -> bool {
        self.root().is_counted
    }

    /// The number of jobs that are done, now or before.
    fn done(&self) -> usize {
        self.sum(|process| process.before + process.done)
    }

    fn running(&self) -> Vec<RunningJob> {
        let jobs = self.processes.iter().flat_map(|process| &process.running);
        let mut jobs: Vec<RunningJob> = jobs.cloned().collect();
        if self.life == Life::Running {
            for job in &mut jobs {
                job.seconds += self.age.as_secs_f64();
            }
        }
        jobs
    }

    /// Failures, but for those before this run of jobs that run now.
    fn failures(&self) -> Vec<&Failure> {
        let running = self.running();
        let now = |job: &str| running.iter().any(|running| running.job == job);
        let all = self.processes.iter().flat_map(|process| &process.failures);
        all.filter(|failure| !(failure.before && self.life == Life::Running && now(&failure.job)))
            .collect()
    }

    /// How long the rest may take: as long as the process that takes longest.
    fn left_seconds(&self) -> Option<f64> {
        let each = self.processes.iter().map(|process| process.left_seconds);
        let longest = each.flatten().max_by(f64::total_cmp)?;
        let is_running = self.life == Life::Running;
        is_running.then(|| (longest - self.age.as_secs_f64()).max(0.0))
    }

    /// The status as one JSON object.
    pub fn to_json(&self) -> String {
        let root = self.root();
        let processes = self.processes.iter().map(|process| {
            json!({
                "rank": process.rank,
                "host": process.host,
                "pid": process.pid,
                "updated": process.updated,
                "running": process.running,
            })
        });
        let failures: Vec<_> = self.failures();
        let (jobs, done) = (self.sum(|process| process.jobs), self.done());
        let failed = self.sum(|process| process.failed);
        let running = self.running();
        let known = |count: usize| self.is_counted().then_some(count);
        let status = json!({
            "state": self.life,
            "folder": self.folder.to_string_lossy(),
            "file": root.file,
            "passel": root.passel,
            "host": root.host,
            "pid": root.pid,
            "started": root.started,
            "updated": root.updated,
            "phase": root.phase,
            "ended": root.ended,
            "exit_code": root.exit_code,
            "jobs": jobs,
            "done": known(done),
            "before": known(self.sum(|process| process.before)),
            "failed": failed,
            "to_do": known(jobs.saturating_sub(done + failed + running.len())),
            "left_seconds": self.left_seconds(),
            "running": running,
            "failures": failures,
            "processes": processes.collect::<Vec<_>>(),
        });
        format!("{status:#}\n")
    }

    /// The status in words.
    pub fn to_text(&self) -> String {
        let root = self.root();
        let (host, pid, started) = (&root.host, root.pid, &root.started);
        let updated = duration_text(self.age.as_secs_f64());
        let head = match (self.life, root.exit_code, &root.ended) {
            (Life::Running, ..) => {
                format!("running since {started} on {host}, process {pid}")
            }
            (Life::Ended, Some(code), Some(ended)) => {
                let how = match code {
                    0 => "all jobs are done",
                    130 => "interrupted; the same command continues",
                    _ => "not all jobs are done",
                };
                format!("ended {ended} on {host}, exit code {code}: {how}")
            }
            _ => format!(
                "lost: process {pid} on {host}, begun {started}, ended without a word; it was alive \
                 {updated} ago. The same command continues"
            ),
        };
        let mut text = format!("{head}\n{}\n", root.file);
        let running = self.running();
        let is_running = self.life == Life::Running;
        let stands = Heartbeat {
            phase: &root.phase,
            done: self.done(),
            failed: self.sum(|process| process.failed),
            of: self.sum(|process| process.jobs),
            running: &[],
            left_seconds: self.left_seconds(),
            elapsed_seconds: 0.0,
        };
        text += &match self.is_counted() {
            true => stands.to_text(),
            false => format!(
                "{} jobs; it had not seen yet which are done, which `passel run {} --list` tells",
                stands.of, root.file
            ),
        };
        text += "\n";
        if !running.is_empty() {
            text += match is_running {
                true => "\nrunning:\n",
                false => "\nbegun and not finished:\n",
            };
        }
        for job in &running {
            text += &format!("  {}\n", job.to_text());
        }
        let failures = self.failures();
        if !failures.is_empty() {
            text += "\nfailed:\n";
        }
        for failure in failures {
            let when = match failure.before {
                true => " (in a run before)",
                false => "",
            };
            text += &format!("  {}{when}: {}\n", failure.job, failure.error);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_yet_is_not_told_as_a_number() {
        let folder = tempfile::tempdir().unwrap();
        let status = RunStatus {
            jobs: 20,
            phase: "looking at earlier results".to_owned(),
            ..RunStatus::default()
        };
        status.write(folder.path()).unwrap();
        let told = folder_status(folder.path()).unwrap();
        let json: serde_json::Value = serde_json::from_str(&told.to_json()).unwrap();
        assert!(json["done"].is_null() && json["to_do"].is_null(), "{json}");
        assert!(
            told.to_text()
                .contains("20 jobs; it had not seen yet which are done")
        );
        let counted = RunStatus {
            is_counted: true,
            before: 3,
            ..status
        };
        counted.write(folder.path()).unwrap();
        let told = folder_status(folder.path()).unwrap();
        let json: serde_json::Value = serde_json::from_str(&told.to_json()).unwrap();
        assert_eq!((&json["done"], &json["to_do"]), (&json!(3), &json!(17)));
    }

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
