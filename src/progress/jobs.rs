//! Progress of many jobs.

use std::{
    io::{self, IsTerminal},
    process,
    time::Instant,
};

use serde_json::json;

use super::{
    Meter, Progress, bars::Bars, running::RunningJob, running::RunningJobs, running::duration_text,
    write_json, write_line,
};
use crate::{machine, printable::printable_error};

/// The most jobs that a heartbeat in words names.
const NAMED_JOBS: usize = 8;

/// Shows how many of many jobs are done, and each that runs.
#[derive(Debug)]
pub struct JobProgress {
    kind: Progress,
    bars: Option<Bars>,
    running: RunningJobs,
    started: Instant,
}

impl Progress {
    /// How the progress of many jobs is shown: where there is no terminal, lines take the place of bars.
    pub fn of_jobs(self) -> Self {
        match self {
            Self::Auto if !io::stderr().is_terminal() => Self::Plain,
            kind => kind,
        }
    }
}

impl JobProgress {
    /// Shows that so many jobs are done already. Jobs that are being done are noted in `running`.
    pub fn new(kind: Progress, running: RunningJobs, done: usize, of: usize) -> Self {
        let kind = kind.of_jobs();
        Self {
            kind,
            bars: (kind == Progress::Auto).then(|| Bars::new(done, of)),
            running,
            started: Instant::now(),
        }
    }

    /// What shows a job's own progress: a bar, where there are bars.
    pub fn meter(&self, id: &str) -> Meter {
        let meter = match &self.bars {
            Some(bars) => Meter {
                place: bars.place(id),
                ..Meter::new(Progress::Auto)
            },
            None => Meter::default(),
        };
        Meter {
            stage: self.running.stage(id),
            ..meter
        }
    }

    /// Shows that a job starts, on so many threads.
    pub fn start_job(&self, id: &str, threads: usize, (done, of): (usize, usize)) {
        self.running.start(id, threads);
        match self.kind {
            Progress::Json => write_json(&json!({
                "time": machine::now(),
                "job": id,
                "status": "started",
                "host": machine::host(),
                "pid": process::id(),
                "threads": threads,
                "done": done,
                "of": of,
                "elapsed_seconds": self.started.elapsed().as_secs_f64(),
            })),
            Progress::Plain => write_line(&format!("{} {id}: started", machine::now())),
            Progress::Auto | Progress::None => {}
        }
    }

    /// Shows that a job ended, well or for this reason, and how many have by now.
    pub fn finish_job(
        &self,
        id: &str,
        (result, seconds): (&Result<(), String>, f64),
        (done, of): (usize, usize),
    ) {
        self.running.end(id);
        if let Some(bars) = &self.bars {
            bars.set(done);
        }
        let message = result.as_ref().err();
        if let (Some(message), false) = (message, self.kind == Progress::Json) {
            self.print_line(&format!("error: {id}: {message}"));
        }
        let status = if message.is_none() { "done" } else { "failed" };
        match self.kind {
            Progress::Json => write_json(&json!({
                "time": machine::now(),
                "job": id,
                "status": status,
                "message": message,
                "seconds": seconds,
                "done": done,
                "of": of,
                "elapsed_seconds": self.started.elapsed().as_secs_f64(),
            })),
            Progress::Plain => {
                let now = machine::now();
                write_line(&format!(
                    "{now} {done} of {of}: {id}: {status}, {seconds:.1} s"
                ));
            }
            Progress::Auto | Progress::None => {}
        }
    }

    /// Shows that a job was interrupted after this time.
    pub fn interrupt_job(&self, id: &str, seconds: f64) {
        self.running.end(id);
        match self.kind {
            Progress::Json => write_json(&json!({
                "time": machine::now(),
                "job": id,
                "status": "interrupted",
                "seconds": seconds,
                "elapsed_seconds": self.started.elapsed().as_secs_f64(),
            })),
            Progress::Plain => {
                let now = machine::now();
                write_line(&format!("{now} {id}: interrupted, {seconds:.1} s"));
            }
            Progress::Auto | Progress::None => {}
        }
    }

    /// Prints a line that leaves bars and JSON whole.
    pub fn print_line(&self, line: &str) {
        match &self.bars {
            Some(bars) => bars.print(&printable_error(line)),
            None if self.kind == Progress::Json => write_json(&json!({
                "time": machine::now(),
                "message": line,
            })),
            None => write_line(line),
        }
    }

    /// Takes the bars away.
    pub fn finish(self) {
        if let Some(bars) = &self.bars {
            bars.finish();
        }
    }
}

/// How a run of many jobs stands.
#[derive(Debug)]
pub struct Heartbeat<'a> {
    /// What the run does besides jobs; empty while it does jobs.
    pub phase: &'a str,
    pub done: usize,
    pub failed: usize,
    /// The number of all jobs.
    pub of: usize,
    pub running: &'a [RunningJob],
    /// How long the rest may take, if that can be said.
    pub left_seconds: Option<f64>,
    pub elapsed_seconds: f64,
}

impl Heartbeat<'_> {
    /// Writes a line that says that the run goes on, where there is no terminal.
    pub fn print(&self, kind: Progress) {
        match kind.of_jobs() {
            Progress::Json => write_json(&json!({
                "time": machine::now(),
                "status": "running",
                "done": self.done,
                "failed": self.failed,
                "of": self.of,
                "running": self.running,
                "left_seconds": self.left_seconds,
                "elapsed_seconds": self.elapsed_seconds,
            })),
            Progress::Plain => write_line(&format!("{} {}", machine::now(), self.to_text())),
            Progress::Auto | Progress::None => {}
        }
    }

    /// How the run stands, in a line.
    pub fn to_text(&self) -> String {
        let mut text = format!("{} of {} jobs done", self.done, self.of);
        if self.failed > 0 {
            text += &format!(", {} failed", self.failed);
        }
        if !self.phase.is_empty() {
            text += &format!(", {}", self.phase);
        }
        if let Some(seconds) = self.left_seconds {
            text += &format!(", about {} left", duration_text(seconds));
        }
        let (named, others) = self.running.split_at(self.running.len().min(NAMED_JOBS));
        let named: Vec<String> = named.iter().map(RunningJob::to_text).collect();
        if !named.is_empty() {
            text += &format!("; running: {}", named.join("; "));
        }
        if !others.is_empty() {
            text += &format!("; and {} more", others.len());
        }
        text
    }
}
