//! Progress of many jobs.

use std::{
    io::{self, IsTerminal},
    time::Instant,
};

use serde_json::json;

use super::{Meter, Progress, bars::Bars, write_json, write_line};
use crate::printable::printable;

/// Shows how many of many jobs are done, and each that runs.
#[derive(Debug)]
pub struct JobProgress {
    kind: Progress,
    bars: Option<Bars>,
    started: Instant,
}

impl JobProgress {
    pub fn new(kind: Progress, done: usize, of: usize) -> Self {
        let kind = match kind {
            Progress::Auto if !io::stderr().is_terminal() => Progress::Plain,
            kind => kind,
        };
        Self {
            kind,
            bars: (kind == Progress::Auto).then(|| Bars::new(done, of)),
            started: Instant::now(),
        }
    }

    /// What shows a job's own progress: a bar, where there are bars.
    pub fn meter(&self, id: &str) -> Meter {
        let Some(bars) = &self.bars else {
            return Meter::default();
        };
        Meter {
            place: bars.place(id),
            ..Meter::new(Progress::Auto)
        }
    }

    /// Shows that a job ended, well or for this reason, and how many have by now.
    pub fn finish_job(
        &self,
        id: &str,
        (result, seconds): (&Result<(), String>, f64),
        (done, of): (usize, usize),
    ) {
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
                "job": id,
                "status": status,
                "message": message,
                "seconds": seconds,
                "done": done,
                "of": of,
                "elapsed_seconds": self.started.elapsed().as_secs_f64(),
            })),
            Progress::Plain => {
                write_line(&format!("{done} of {of}: {id}: {status}, {seconds:.1} s"));
            }
            Progress::Auto | Progress::None => {}
        }
    }

    /// Prints a line that leaves bars and JSON whole.
    pub fn print_line(&self, line: &str) {
        match &self.bars {
            Some(bars) => bars.print(&printable(line)),
            None if self.kind == Progress::Json => write_json(&json!({ "message": line })),
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
