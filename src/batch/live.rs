//! What a process says of its part of a run while it goes on: in the file `.status` of the folder of
//! results, which `passel status` reads, and by a heartbeat on standard error.

use std::{
    path::{Path, absolute},
    process,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

use super::{
    RunSummary,
    run_status::{Failure, LostJobs, RunStatus, remove_status, status_path, status_paths},
    survey::Survey,
    time_left::TimeLeft,
};
use crate::{
    job::{Task, file::JobFile},
    machine,
    progress::{Heartbeat, Progress, RunningJobs},
    ranks::Communicator,
};

/// The time between two writings of the file.
const UPDATE: Duration = Duration::from_secs(2);

/// The time between two heartbeats, unless the user chose one.
const HEARTBEAT: Duration = Duration::from_secs(60);

/// The most failures that the file names.
const MAX_FAILURES: usize = 1000;

/// The part of a run that this process does, as others are told of it.
#[derive(Debug)]
pub(super) struct Live<'a> {
    folder: &'a Path,
    rank: usize,
    /// Whether this process does jobs of its own, and so has something to say.
    is_told: AtomicBool,
    state: Mutex<State<'a>>,
    pub(super) running: RunningJobs,
    progress: Progress,
    heartbeat: Duration,
    started: Instant,
}

#[derive(Debug, Default)]
struct State<'a> {
    status: RunStatus,
    left: TimeLeft<'a>,
    /// The most jobs at a time.
    at_once: usize,
}

impl<'a> Live<'a> {
    /// Begins a run of so many jobs of a file into a folder that this process, or rank 0 for it, has
    /// locked.
    pub(super) fn new(
        folder: &'a Path,
        file: &JobFile,
        (jobs, lost): (usize, &LostJobs),
        communicator: Option<&Communicator>,
    ) -> Self {
        let rank = communicator.map_or(0, Communicator::rank);
        if rank == 0 {
            // Those of ranks that a run before had.
            for path in status_paths(folder) {
                if path != status_path(folder, 0) {
                    remove_status(&path);
                }
            }
        }
        let path = absolute(&file.path).unwrap_or_else(|_| file.path.clone());
        let now = machine::now();
        let status = RunStatus {
            passel: env!("CARGO_PKG_VERSION").to_owned(),
            file: path.to_string_lossy().into_owned(),
            host: machine::host(),
            pid: process::id(),
            rank,
            started: now.clone(),
            updated: now,
            phase: "looking at earlier results".to_owned(),
            jobs,
            suspects: lost.keys().cloned().collect(),
            culprits: lost
                .iter()
                .filter(|own| *own.1)
                .map(|own| own.0.clone())
                .collect(),
            ..RunStatus::default()
        };
        Self {
            folder,
            rank,
            is_told: AtomicBool::new(rank == 0),
            state: Mutex::new(State {
                status,
                ..State::default()
            }),
            running: RunningJobs::default(),
            progress: file.settings.progress,
            heartbeat: file.settings.heartbeat.unwrap_or(HEARTBEAT),
            started: Instant::now(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of the jobs that a survey found are to be done by this process, at most so many at a
    /// time.
    pub(super) fn start_jobs(&self, survey: &Survey<'a>, at_once: usize) {
        let pending = survey.pending.iter().map(|job| &*job.planned.id);
        let left = TimeLeft::new(survey.file, &survey.last_ends, pending);
        let mut state = self.state();
        let failures = survey.failed_before();
        let failures = failures.map(|(job, reason)| Failure::new(job, reason, true));
        let now = survey.summary.failed.iter();
        let now = now.map(|(job, reason)| Failure::new(job, reason, false));
        let status = RunStatus {
            phase: String::new(),
            is_counted: true,
            jobs: survey.summary.ended() + survey.summary.left + survey.pending.len(),
            before: survey.summary.before,
            failed: survey.summary.failed.len(),
            failures: now.chain(failures).take(MAX_FAILURES).collect(),
            ..state.status.clone()
        };
        *state = State {
            status,
            left,
            at_once,
        };
        drop(state);
        self.is_told.store(true, Ordering::Relaxed);
        self.write();
    }

    /// Takes note that a job was started. One that runs the code of a library is told at once: should that end this process, the
    /// next run knows.
    pub(super) fn began(&self, task: &Task) {
        if !task.job().libraries.is_empty() {
            self.write();
        }
    }

    /// Takes note that a job ended after so many seconds.
    pub(super) fn end_job(&self, job: &str, result: &Result<(), String>, seconds: f64) {
        let mut state = self.state();
        state.left.end(job, seconds);
        let status = &mut state.status;
        status.failures.retain(|failure| failure.job != job);
        status.suspects.retain(|own| own != job);
        status.culprits.retain(|own| own != job);
        match result {
            Ok(()) => status.done += 1,
            Err(reason) => {
                status.failed += 1;
                if status.failures.len() < MAX_FAILURES {
                    status.failures.push(Failure::new(job, reason, false));
                }
            }
        }
    }

    /// Takes note of what the run does besides jobs.
    pub(super) fn enter(&self, phase: &str) {
        phase.clone_into(&mut self.state().status.phase);
    }

    /// Writes the file and heartbeats, until the run has ended.
    pub(super) fn keep(&self, ended: Receiver<()>) {
        let mut beat = Instant::now();
        loop {
            self.write();
            let pause = UPDATE.min(self.heartbeat.saturating_sub(beat.elapsed()));
            if ended.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            if beat.elapsed() >= self.heartbeat {
                beat = Instant::now();
                self.print();
            }
        }
    }

    fn print(&self) {
        if !self.is_told.load(Ordering::Relaxed) {
            return;
        }
        let running = self.running.list();
        let state = self.state();
        let (status, left) = (&state.status, state.left.seconds(&running, state.at_once));
        let heartbeat = Heartbeat {
            phase: &status.phase,
            done: status.before + status.done,
            failed: status.failed,
            of: status.jobs,
            running: &running,
            left_seconds: left,
            elapsed_seconds: self.started.elapsed().as_secs_f64(),
        };
        heartbeat.print(self.progress);
    }

    fn write(&self) {
        if !self.is_told.load(Ordering::Relaxed) {
            return;
        }
        let running = self.running.list();
        let mut state = self.state();
        state.status.left_seconds = state.left.seconds(&running, state.at_once);
        state.status.running = running;
        state.status.updated = machine::now();
        // A run does not fail for want of this file.
        let _ = state.status.write(self.folder);
    }

    /// Ends the file: of rank 0 it tells how the run ended, of other ranks it is removed.
    pub(super) fn finish(&self, ended: Option<&RunSummary>, exit_code: u8) {
        if self.rank > 0 {
            if self.is_told.load(Ordering::Relaxed) {
                remove_status(&status_path(self.folder, self.rank));
            }
            return;
        }
        let mut state = self.state();
        let status = &mut state.status;
        if let Some(summary) = ended {
            // Of all ranks.
            (status.before, status.done) = (summary.before, summary.done.len());
            status.failed = summary.failed.len();
            status.is_counted = true;
            status.jobs = summary.ended() + summary.left;
            let known = |failure: &Failure| {
                let job = &failure.job;
                !summary.failed.contains_key(job) && !summary.done.contains(job)
            };
            status.failures.retain(known);
            let failed = summary.failed.iter();
            let failed = failed.map(|(job, reason)| Failure::new(job, reason, false));
            let failures = failed.chain(std::mem::take(&mut status.failures));
            status.failures = failures.take(MAX_FAILURES).collect();
        }
        status.phase = String::new();
        status.exit_code = Some(exit_code);
        status.ended = Some(machine::now());
        state.left = TimeLeft::default();
        drop(state);
        self.write();
    }
}
