//! Progress of a job, on standard error.

#[cfg(feature = "program")]
mod bars;
#[cfg(feature = "program")]
mod jobs;
#[cfg(not(feature = "program"))]
mod no_bars;

use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

#[cfg(feature = "program")]
pub use jobs::JobProgress;
#[cfg(not(feature = "program"))]
use no_bars as bars;
use serde_json::json;

use crate::search::IterationRecord;

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Progress {
    /// A bar where standard error is a terminal, else nothing.
    #[default]
    Auto,
    /// A line at most each second, and one at the end.
    Plain,
    /// A JSON object a line, at most each tenth of a second, and one at the end.
    Json,
    /// Nothing.
    None,
}

/// Shows the progress of one job, as often as its kind allows.
#[derive(Debug)]
pub struct Meter {
    kind: Progress,
    /// Where a bar goes.
    place: bars::Place,
    bar: Option<bars::Bar>,
    started: Instant,
    /// When a line was last written; none before the first.
    shown: Option<Instant>,
    last: Option<Point>,
}

/// What a line says of a search.
#[derive(Debug, Clone, Copy)]
struct Point {
    number: usize,
    of: usize,
    wave: Option<usize>,
    best: f64,
    size: usize,
    is_shown: bool,
}

impl Default for Meter {
    /// A meter that shows nothing.
    fn default() -> Self {
        Self::new(Progress::None)
    }
}

impl Meter {
    /// A meter that starts its clock now.
    pub fn new(kind: Progress) -> Self {
        let kind = match kind {
            Progress::Auto if !io::stderr().is_terminal() => Progress::None,
            kind => kind,
        };
        Self {
            kind,
            place: Default::default(),
            bar: None,
            started: Instant::now(),
            shown: None,
            last: None,
        }
    }

    /// Starts the clock anew, where preparations are no part of what is shown.
    pub fn restart(&mut self) {
        self.started = Instant::now();
    }

    /// Takes note of an iteration.
    pub fn show(&mut self, iteration: &IterationRecord<'_>) {
        let Some(pause) = self.pause() else { return };
        let mut point = Point {
            number: iteration.number,
            of: iteration.of,
            wave: iteration.wave,
            best: iteration.best_value,
            size: iteration.best_size,
            is_shown: false,
        };
        // The first line waits too: a search shorter than the pause needs one.
        let since = self.shown.unwrap_or(self.started);
        if since.elapsed() >= pause {
            match self.kind {
                Progress::Auto => self.draw(&point),
                _ => self.write(&point),
            }
            point.is_shown = true;
            self.shown = Some(Instant::now());
        }
        self.last = Some(point);
    }

    /// Least time between two lines; none where nothing is shown.
    fn pause(&self) -> Option<Duration> {
        match self.kind {
            Progress::None => None,
            Progress::Auto | Progress::Json => Some(Duration::from_millis(100)),
            Progress::Plain => Some(Duration::from_secs(1)),
        }
    }

    /// Takes note that `number` of so many things are done.
    pub fn count(&mut self, what: &'static str, number: usize, of: usize) {
        let Some(pause) = self.pause() else { return };
        let since = self.shown.unwrap_or(self.started);
        if since.elapsed() < pause && number < of {
            return;
        }
        self.shown = Some(Instant::now());
        let elapsed = self.started.elapsed().as_secs_f64();
        match self.kind {
            Progress::Auto => self.bar(of, what).set(number, String::new()),
            Progress::Json => write_line(&json!({
                what: number,
                "of": of,
                "elapsed_seconds": elapsed,
            })),
            _ => write_line(&format!("{what} {number} of {of}, {elapsed:.1} s")),
        }
    }

    /// Shows the last iteration, if it was not shown yet, and takes the bar away.
    pub fn finish(self) {
        match (&self.bar, self.last) {
            (Some(bar), _) => bar.finish(),
            (None, Some(point)) if !point.is_shown && self.kind != Progress::Auto => {
                self.write(&point)
            }
            _ => {}
        }
    }

    fn bar(&mut self, of: usize, what: &str) -> &bars::Bar {
        self.bar.get_or_insert_with(|| self.place.bar(of, what))
    }

    fn draw(&mut self, point: &Point) {
        let stage = match point.wave {
            Some(wave) => format!("polish, wave {wave}, "),
            None => String::new(),
        };
        let message = format!(", {stage}best {:.6}, size {}", point.best, point.size);
        self.bar(point.of, "iteration").set(point.number, message);
    }

    fn write(&self, point: &Point) {
        let elapsed = self.started.elapsed().as_secs_f64();
        let (number, of, best, size) = (point.number, point.of, point.best, point.size);
        if self.kind == Progress::Json {
            return write_line(&json!({
                "iteration": number,
                "of": of,
                "wave": point.wave,
                "best": best,
                "size": size,
                "elapsed_seconds": elapsed,
            }));
        }
        let stage = match point.wave {
            Some(wave) => format!("polish, wave {wave}"),
            None => format!("iteration {number} of {of}"),
        };
        write_line(&format!(
            "{stage}: best {best:.6}, size {size}, {elapsed:.1} s"
        ));
    }
}

/// One line; a closed standard error is no reason to stop.
fn write_line(line: &impl std::fmt::Display) {
    let _ = writeln!(io::stderr(), "{line}");
}
