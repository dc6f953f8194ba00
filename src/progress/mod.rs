//! Progress of a job, on standard error.

#[cfg(feature = "program")]
mod bars;
#[cfg(feature = "program")]
mod jobs;
#[cfg(not(feature = "program"))]
mod no_bars;
#[cfg(feature = "program")]
mod running;
mod waiting;

use std::{
    io::{self, IsTerminal, Write},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

#[cfg(feature = "program")]
pub use jobs::{Heartbeat, JobProgress};
#[cfg(not(feature = "program"))]
use no_bars as bars;
#[cfg(feature = "program")]
pub use running::{RunningJob, RunningJobs, duration_text};
use serde::{Deserialize, Serialize};
use serde_json::json;
use waiting::Waiting;

use crate::{
    machine,
    printable::{printable_error, printable_json},
    search::IterationRecord,
};

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

impl Progress {
    /// How long nothing is shown after something was; none where nothing ever is.
    fn pause(self) -> Option<Duration> {
        match self {
            Self::None => None,
            Self::Auto | Self::Json => Some(Duration::from_millis(100)),
            Self::Plain => Some(Duration::from_secs(1)),
        }
    }
}

/// How far a job is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// What is counted, in the singular.
    pub what: String,
    /// How many are done.
    pub number: usize,
    /// How many there are, if that is known.
    pub of: Option<usize>,
}

impl Stage {
    fn new(what: &str, number: usize, of: Option<usize>) -> Self {
        let what = what.to_owned();
        Self { what, number, of }
    }

    fn of_iteration(record: &IterationRecord) -> Self {
        match (record.proof, record.wave) {
            (Some(proof), _) => Self::new("node of the proof", proof.nodes as usize, None),
            (None, Some(wave)) => Self::new("wave of the polish", wave, None),
            (None, None) => Self::new("iteration", record.number, Some(record.of)),
        }
    }

    /// `iteration 12 of 32`.
    pub fn to_text(&self) -> String {
        let Self { what, number, of } = self;
        let of = of.map_or(String::new(), |of| format!(" of {of}"));
        format!("{what} {number}{of}")
    }
}

/// Where a job notes how far it is, for whoever asks.
type StageCell = Arc<Mutex<Option<Stage>>>;

/// Shows the progress of one job, as often as its kind allows.
#[derive(Debug)]
pub struct Meter {
    kind: Progress,
    /// Where a bar goes.
    place: bars::Place,
    bar: Option<bars::Bar>,
    /// Where the stage is noted, whether it is shown or not.
    stage: Option<StageCell>,
    started: Instant,
    /// When a line was last written; none before the first.
    shown: Option<Instant>,
    /// The last iteration, and whether it was shown.
    last: Option<(IterationRecord<'static>, bool)>,
    /// What shows that a stage goes on, until something is counted.
    waiting: Option<Waiting>,
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
            place: Default::default(),
            bar: None,
            stage: None,
            started: Instant::now(),
            shown: None,
            last: None,
            waiting: None,
        }
    }

    /// Starts the clock anew, at a stage that is shown to go on until the first of its parts is counted.
    pub fn begin(&mut self, stage: &'static str) {
        self.waiting = None;
        self.started = Instant::now();
        self.waiting = Waiting::start(self.kind, self.place.clone(), stage);
    }

    pub fn show(&mut self, iteration: &IterationRecord<'_>) {
        let iteration = IterationRecord {
            steps: &[],
            ..*iteration
        };
        self.note(|| Stage::of_iteration(&iteration));
        // The first line waits too: a search shorter than the pause needs one.
        let is_due = self.is_due(false);
        match self.kind {
            Progress::Auto if is_due => self.draw(&iteration),
            _ if is_due => self.write(&iteration),
            _ => {}
        }
        self.last = Some((iteration, is_due));
    }

    fn note(&self, stage: impl FnOnce() -> Stage) {
        if let Some(cell) = &self.stage
            && let Ok(mut noted) = cell.lock()
        {
            *noted = Some(stage());
        }
    }

    /// Returns true where something is to be shown now: a while after the last time, or at the end.
    fn is_due(&mut self, is_end: bool) -> bool {
        let Some(pause) = self.kind.pause() else {
            return false;
        };
        let since = self.shown.unwrap_or(self.started);
        let is_due = is_end || since.elapsed() >= pause;
        if is_due {
            self.waiting = None;
            self.shown = Some(Instant::now());
        }
        is_due
    }

    /// Takes note that `number` of so many things are done.
    pub fn count(&mut self, what: &'static str, number: usize, of: usize) {
        self.note(|| Stage::new(what, number, Some(of)));
        if !self.is_due(number >= of) {
            return;
        }
        let elapsed = self.started.elapsed().as_secs_f64();
        match self.kind {
            Progress::Auto => self.bar(of, what).set(number, String::new()),
            Progress::Json => write_json(&json!({
                "time": machine::now(),
                what: number,
                "of": of,
                "elapsed_seconds": elapsed,
            })),
            _ => write_line(&format!(
                "{} {what} {number} of {of}, {elapsed:.1} s",
                machine::now()
            )),
        }
    }

    /// Takes note that `number` of so many permutations are made, after this many chosen variables.
    pub fn count_tests(&mut self, number: usize, of: usize, chosen: usize) {
        self.note(|| Stage::new("permutation", number, Some(of)));
        if !self.is_due(number >= of) {
            return;
        }
        let elapsed = self.started.elapsed().as_secs_f64();
        match self.kind {
            Progress::Auto => {
                let message = format!(", {chosen} chosen");
                self.bar(of, "permutation").set(number, message);
            }
            Progress::Json => write_json(&json!({
                "time": machine::now(),
                "permutation": number,
                "of": of,
                "chosen": chosen,
                "elapsed_seconds": elapsed,
            })),
            _ => write_line(&format!(
                "{} permutation {number} of {of}, {chosen} chosen, {elapsed:.1} s",
                machine::now()
            )),
        }
    }

    /// Shows the last iteration, if it was not shown yet, and takes the bar away.
    pub fn finish(mut self) {
        self.waiting = None;
        match (&self.bar, &self.last, self.kind) {
            (Some(bar), ..) => bar.finish(),
            (None, Some((iteration, false)), Progress::Plain | Progress::Json) => {
                self.write(iteration);
            }
            _ => {}
        }
    }

    fn bar(&mut self, of: usize, what: &str) -> &bars::Bar {
        self.bar.get_or_insert_with(|| self.place.bar(of, what))
    }

    fn draw(&mut self, iteration: &IterationRecord) {
        let stage = stage(iteration).map(|stage| stage + ", ");
        let message = format!(", {}{}", stage.unwrap_or_default(), best(iteration));
        self.bar(iteration.of, "iteration")
            .set(swarm_iteration(iteration), message);
    }

    fn write(&self, iteration: &IterationRecord) {
        let elapsed = self.started.elapsed().as_secs_f64();
        let IterationRecord {
            number,
            of,
            wave,
            best_value,
            best_size,
            ..
        } = iteration;
        if self.kind == Progress::Json {
            let proof = iteration.proof.map(|proof| {
                json!({
                    "nodes": proof.nodes,
                    "open": proof.open,
                    "undecided": proof.undecided,
                    "bound": proof.bound,
                    "gap": best_value - proof.bound,
                })
            });
            return write_json(&json!({
                "time": machine::now(),
                "iteration": swarm_iteration(iteration),
                "of": of,
                "wave": wave,
                "proof": proof,
                "best": best_value,
                "size": best_size,
                "elapsed_seconds": elapsed,
            }));
        }
        let stage = stage(iteration).unwrap_or_else(|| format!("iteration {number} of {of}"));
        write_line(&format!(
            "{} {stage}: {}, {elapsed:.1} s",
            machine::now(),
            best(iteration)
        ));
    }
}

/// The stage of a search after its iterations, and how far it got.
fn stage(iteration: &IterationRecord) -> Option<String> {
    let polish = iteration.wave.map(|wave| format!("polish, wave {wave}"));
    let proof = iteration.proof.map(|proof| {
        let (nodes, open, share) = (proof.nodes, proof.open, 100.0 * proof.undecided);
        format!("proof, {nodes} nodes, {open} branches open with {share:.3}% of all models")
    });
    proof.or(polish)
}

/// The best model's criterion and size, and what no model is below.
fn best(iteration: &IterationRecord) -> String {
    let (value, size) = (iteration.best_value, iteration.best_size);
    let bound = iteration.proof.map(|proof| proof.bound);
    let bound = bound.filter(|bound| bound.is_finite());
    let bound = bound.map(|bound| format!(", none below {bound:.6}"));
    format!("best {value:.6}, size {size}{}", bound.unwrap_or_default())
}

/// One line; a closed standard error is no reason to stop.
fn write_line(line: &str) {
    let _ = writeln!(io::stderr(), "{}", printable_error(line));
}

/// One object of JSON on a line.
fn write_json(object: &serde_json::Value) {
    let _ = writeln!(io::stderr(), "{}", printable_json(&object.to_string()));
}

/// The last iteration of the swarm: waves of the polish count on from there, but are no iterations.
fn swarm_iteration(record: &IterationRecord) -> usize {
    let waves = record.wave.unwrap_or(0);
    record.number.saturating_sub(waves).min(record.of)
}
