//! How a run stands, read from its folder of results by anybody at any time: what `passel status` shows.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Serialize;
use serde_json::json;

use super::{
    BatchError,
    lock::is_locked,
    run_status::{Failure, RunStatus, status_path, status_paths},
};
use crate::{
    machine,
    progress::{Heartbeat, RunningJob, duration_text},
};

/// A run on another machine, whose lock may not be seen from here, is alive if its file is no older.
const RECENT: Duration = Duration::from_secs(30);

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
    let is_whole = |path: &PathBuf| !path.to_string_lossy().ends_with('~');
    let others = paths.filter(is_whole);
    let others = others.filter_map(|path| RunStatus::read(&path));
    let Some(own) = RunStatus::read(&path) else {
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
}
