//! Progress of a search, on standard error.

use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

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

/// Shows the iterations it is told of, as often as its kind allows.
#[derive(Debug)]
pub struct Meter {
    kind: Progress,
    /// The bars it is among, and what its own is called.
    among: Option<(MultiProgress, String)>,
    bar: Option<ProgressBar>,
    started: Instant,
    /// When a line was last written; none before the first.
    shown: Option<Instant>,
    last: Option<Point>,
}

/// What a line tells.
#[derive(Debug, Clone, Copy)]
struct Point {
    number: usize,
    of: usize,
    wave: Option<usize>,
    best: f64,
    size: usize,
    told: bool,
}

impl Default for Meter {
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
            among: None,
            bar: None,
            started: Instant::now(),
            shown: None,
            last: None,
        }
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
            told: false,
        };
        // The first line waits too: a search shorter than the pause needs one.
        let since = self.shown.unwrap_or(self.started);
        if since.elapsed() >= pause {
            self.tell(&point);
            point.told = true;
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

    /// Takes note of one thing done, of so many.
    pub fn count(&mut self, what: &'static str, number: usize, of: usize) {
        let Some(pause) = self.pause() else { return };
        let since = self.shown.unwrap_or(self.started);
        if since.elapsed() < pause && number < of {
            return;
        }
        self.shown = Some(Instant::now());
        let elapsed = self.started.elapsed().as_secs_f64();
        let line = match self.kind {
            Progress::Auto => {
                let among = &self.among;
                let bar = self.bar.get_or_insert_with(|| bar(of, what, among));
                bar.set_position(number as u64);
                return;
            }
            Progress::Json => serde_json::json!({
                what: number,
                "of": of,
                "elapsed_seconds": elapsed,
            })
            .to_string(),
            _ => format!("{what} {number} of {of}, {elapsed:.1} s"),
        };
        let _ = writeln!(io::stderr(), "{line}");
    }

    /// Shows the last iteration, if it was not shown yet, and takes the bar away.
    pub fn finish(self) {
        match (&self.bar, self.last) {
            (Some(bar), _) => bar.finish_and_clear(),
            (None, Some(point)) if !point.told && self.kind != Progress::Auto => self.line(&point),
            _ => {}
        }
    }

    fn tell(&mut self, point: &Point) {
        if self.kind != Progress::Auto {
            return self.line(point);
        }
        let among = &self.among;
        let bar = self
            .bar
            .get_or_insert_with(|| bar(point.of, "iteration", among));
        let stage = point
            .wave
            .map_or(String::new(), |wave| format!("polish, wave {wave}, "));
        bar.set_message(format!(
            ", {stage}best {:.6}, size {}",
            point.best, point.size
        ));
        bar.set_position(point.number as u64);
    }

    /// One line; a closed standard error is no reason to stop.
    fn line(&self, point: &Point) {
        let Point {
            number,
            of,
            wave,
            best,
            size,
            ..
        } = *point;
        let elapsed = self.started.elapsed().as_secs_f64();
        let line = match self.kind {
            Progress::Json => serde_json::json!({
                "iteration": number,
                "of": of,
                "wave": wave,
                "best": best,
                "size": size,
                "elapsed_seconds": elapsed,
            })
            .to_string(),
            _ => {
                let stage = match wave {
                    Some(wave) => format!("polish, wave {wave}"),
                    None => format!("iteration {number} of {of}"),
                };
                format!("{stage}: best {best:.6}, size {size}, {elapsed:.1} s")
            }
        };
        let _ = writeln!(io::stderr(), "{line}");
    }
}

/// A bar of so many things; above the last where it is among others.
fn bar(of: usize, what: &str, among: &Option<(MultiProgress, String)>) -> ProgressBar {
    let bar = ProgressBar::new(of as u64);
    let (bar, name) = match among {
        Some((bars, name)) => (bars.insert_from_back(1, bar), format!("{name} ")),
        None => (bar, String::new()),
    };
    let style = format!("{{prefix}}{{bar:30}} {{pos}}/{{len}} {what}s{{msg}}, {{eta}} left");
    // The text is fixed: a plain bar if it should ever be wrong.
    let style = ProgressStyle::with_template(&style);
    let bar = bar.with_prefix(name);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Shows how many of many jobs are done, and each that runs.
#[derive(Debug)]
pub struct JobProgress {
    kind: Progress,
    bars: Option<(MultiProgress, ProgressBar)>,
    started: Instant,
}

impl JobProgress {
    /// Of so many jobs, of which some are done already.
    pub fn new(kind: Progress, done: usize, of: usize) -> Self {
        let kind = match kind {
            Progress::Auto if !io::stderr().is_terminal() => Progress::Plain,
            kind => kind,
        };
        let bars = (kind == Progress::Auto).then(|| {
            let (bars, whole) = (MultiProgress::new(), ProgressBar::new(of as u64));
            let whole = bars.add(bar_style(whole));
            whole.set_position(done as u64);
            (bars, whole)
        });
        Self {
            kind,
            bars,
            started: Instant::now(),
        }
    }

    /// What shows a job's own progress: a bar, where there are bars.
    pub fn meter(&self, id: &str) -> Meter {
        let among = self.bars.as_ref().map(|it| (it.0.clone(), id.to_owned()));
        let kind = match among {
            Some(_) => Progress::Auto,
            None => Progress::None,
        };
        Meter {
            among,
            ..Meter::new(kind)
        }
    }

    /// A job ended, well or for this reason, and how many have by now.
    pub fn finish_job(
        &self,
        id: &str,
        (status, seconds): (Result<(), &str>, f64),
        (done, of): (usize, usize),
    ) {
        if let Some((_, whole)) = &self.bars {
            whole.set_position(done as u64);
        }
        if let (Err(message), false) = (status, self.kind == Progress::Json) {
            self.print_line(&format!("error: {id}: {message}"));
        }
        let message = status.err();
        let status = if message.is_none() { "done" } else { "failed" };
        let line = match self.kind {
            Progress::Json => serde_json::json!({
                "job": id,
                "status": status,
                "message": message,
                "seconds": seconds,
                "done": done,
                "of": of,
                "elapsed_seconds": self.started.elapsed().as_secs_f64(),
            })
            .to_string(),
            Progress::Plain => format!("{done} of {of}: {id}: {status}, {seconds:.1} s"),
            Progress::Auto | Progress::None => return,
        };
        let _ = writeln!(io::stderr(), "{line}");
    }

    /// A line that every way of showing progress leaves whole.
    pub fn print_line(&self, line: &str) {
        match &self.bars {
            Some((bars, _)) => {
                let _ = bars.println(line);
            }
            None if self.kind == Progress::Json => {
                let _ = writeln!(io::stderr(), "{}", serde_json::json!({ "message": line }));
            }
            None => {
                let _ = writeln!(io::stderr(), "{line}");
            }
        }
    }

    /// Takes the bars away.
    pub fn finish(self) {
        if let Some((bars, whole)) = &self.bars {
            whole.finish_and_clear();
            let _ = bars.clear();
        }
    }
}

fn bar_style(bar: ProgressBar) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{bar:30} {pos}/{len} jobs, {elapsed} gone, {eta} left");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
