//! The jobs of a run that are being done, with how far each is.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use serde::{Deserialize, Serialize};

use super::{Stage, StageCell};
use crate::machine;

/// The jobs that are being done at the moment. Clones share one list.
#[derive(Debug, Clone, Default)]
pub struct RunningJobs(Arc<Mutex<Vec<Entry>>>);

#[derive(Debug)]
struct Entry {
    id: String,
    since: String,
    started: Instant,
    threads: usize,
    stage: StageCell,
}

/// A job that is being done, as others are told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunningJob {
    /// The name of the job.
    pub job: String,
    /// When it was started, in UTC.
    pub since: String,
    /// For how long it has been running.
    pub seconds: f64,
    /// The threads that it has.
    pub threads: usize,
    /// How far it is, if it says so.
    pub stage: Option<Stage>,
}

impl RunningJob {
    /// The name, and in parentheses for how long it has been running and how far it is.
    pub fn to_text(&self) -> String {
        let stage = self.stage.as_ref();
        let stage = stage.map_or(String::new(), |stage| format!(", {}", stage.to_text()));
        format!("{} ({}{stage})", self.job, duration_text(self.seconds))
    }
}

impl RunningJobs {
    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a job that starts now.
    pub(super) fn start(&self, id: &str, threads: usize) {
        self.entries().push(Entry {
            id: id.to_owned(),
            since: machine::now(),
            started: Instant::now(),
            threads,
            stage: StageCell::default(),
        });
    }

    /// Where a job notes how far it is.
    pub(super) fn stage(&self, id: &str) -> Option<StageCell> {
        let entries = self.entries();
        let entry = entries.iter().find(|entry| entry.id == id);
        entry.map(|entry| StageCell::clone(&entry.stage))
    }

    /// Notes how far a job is that another process does.
    pub(crate) fn note(&self, id: &str, stage: Stage) {
        if let Some(cell) = self.stage(id)
            && let Ok(mut noted) = cell.lock()
        {
            *noted = Some(stage);
        }
    }

    /// Removes a job that has ended.
    pub(super) fn end(&self, id: &str) {
        self.entries().retain(|entry| entry.id != id);
    }

    /// The jobs, in the order of their starts.
    pub fn list(&self) -> Vec<RunningJob> {
        let entries = self.entries();
        let jobs = entries.iter().map(|entry| RunningJob {
            job: entry.id.clone(),
            since: entry.since.clone(),
            seconds: entry.started.elapsed().as_secs_f64(),
            threads: entry.threads,
            stage: entry.stage.lock().map_or(None, |stage| stage.clone()),
        });
        jobs.collect()
    }
}

/// A duration in words, with two units at most: `42 s`, `12 min`, `3 h 20 min`, `2 d 4 h`.
pub fn duration_text(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    let (minutes, hours) = ((whole + 30) / 60, (whole + 30) / 3600);
    match whole {
        0..60 => format!("{whole} s"),
        60..3570 => format!("{minutes} min"),
        3570..86_370 => format!("{hours} h {} min", minutes % 60),
        _ => format!(
            "{} d {} h",
            (whole + 1800) / 86_400,
            (whole + 1800) / 3600 % 24
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_two_units() {
        for (seconds, text) in [
            (-1.0, "0 s"),
            (59.4, "59 s"),
            (59.6, "1 min"),
            (3569.0, "59 min"),
            (3570.0, "1 h 0 min"),
            (12_000.0, "3 h 20 min"),
            (86_369.0, "23 h 59 min"),
            (86_400.0, "1 d 0 h"),
            (187_200.0, "2 d 4 h"),
        ] {
            assert_eq!(duration_text(seconds), text, "{seconds}");
        }
    }

    #[test]
    fn a_job_is_listed_from_its_start_to_its_end() {
        let running = RunningJobs::default();
        running.start("a", 2);
        running.start("b", 1);
        let stage = Stage::new("column", 3, Some(9));
        *running.stage("b").unwrap().lock().unwrap() = Some(stage);
        let jobs = running.clone().list();
        assert_eq!((&*jobs[0].job, jobs[0].threads), ("a", 2));
        assert!(
            jobs[1].to_text().ends_with(" s, column 3 of 9)"),
            "{jobs:?}"
        );
        running.end("a");
        assert_eq!(running.list().len(), 1);
        assert!(running.stage("a").is_none());
    }
}
