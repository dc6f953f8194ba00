//! Runs a task on a thread of its own, while this one waits without the interpreter's lock, looks for Ctrl-C and tells how far
//! the task is.

use std::{
    io,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use passel::{
    Interrupt,
    criteria::Criterion,
    job::{Format, JobDraft, JobProgress, Progress, RunningJobs, Task, task::Command},
    memory::MemoryBudget,
    run::{DataCache, Report as RunReport, RunContext, RunError, run_task},
};
use pyo3::{
    exceptions::{PyKeyboardInterrupt, PyValueError},
    prelude::*,
};

use crate::{
    criterion::PythonCriterion,
    failure,
    report::Report,
    score,
    table::{self, Part, Table},
};

/// How often signals are looked for.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The stack of the thread that works: that of a program's first thread.
const STACK: usize = 8 << 20;

/// The name of the one task among running jobs.
const NAME: &str = "passel";

/// An option and its texts, as a command line would give them.
pub(crate) type Given = (String, Vec<String>);

/// The first error of a function of Python that the engine calls, which ends the work.
#[derive(Debug, Clone, Default)]
pub(crate) struct Failure {
    error: Arc<Mutex<Option<PyErr>>>,
    interrupt: Interrupt,
}

impl Failure {
    /// What was asked for, or NaN and the end of the work.
    pub(crate) fn or_nan(&self, asked: PyResult<f64>) -> f64 {
        asked.unwrap_or_else(|error| {
            let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(error);
            self.interrupt.request();
            f64::NAN
        })
    }

    fn take(&self) -> Option<PyErr> {
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        first.take()
    }
}

/// Functions of Python in the place of what options name: criteria by their places among all, and a score.
fn put_functions(
    task: &mut Task,
    criteria: &[(usize, Bound<'_, PyAny>)],
    score: Option<&Bound<'_, PyAny>>,
    failure: &Failure,
) -> PyResult<()> {
    for (at, object) in criteria {
        let own: Arc<dyn Criterion> = Arc::new(PythonCriterion::of(object, failure)?);
        put_criterion(task, *at, &own);
    }
    let Some(object) = score else {
        return Ok(());
    };
    match task {
        Task::Pairs(pairs) => pairs.method = score::pairs(object, failure)?,
        task => task.job_mut().selector = Some(score::selector(object, failure)?),
    }
    Ok(())
}

fn put_criterion(task: &mut Task, at: usize, own: &Arc<dyn Criterion>) {
    let put = |first: &mut Arc<dyn Criterion>, others: &mut [Arc<dyn Criterion>]| {
        let place = match at.checked_sub(1) {
            None => Some(first),
            Some(at) => others.get_mut(at),
        };
        if let Some(place) = place {
            *place = Arc::clone(own);
        }
    };
    match task {
        Task::Validate(validation) => {
            put(
                &mut validation.job.criterion,
                &mut validation.other_criteria,
            );
            for other in &mut validation.others {
                put(&mut other.job.criterion, &mut other.other_criteria);
            }
        }
        task => {
            let job = task.job_mut();
            put(&mut job.criterion, &mut job.other_criteria);
        }
    }
}

/// Runs a command on a table, or on the file `data` without one. `criteria` are functions of Python in the place of those that
/// options name, by their places, and `score` is one in the place of the method or the score of pairs. `progress` is called with what is counted, how many are done
/// and how many there are, or None, every `pause` seconds at most.
#[pyfunction]
#[pyo3(signature = (command, data, table, given, criteria=Vec::new(), score=None, progress=None, pause=0.1, must_stay=false))]
#[expect(clippy::too_many_arguments)]
pub(crate) fn run(
    py: Python<'_>,
    command: &str,
    data: PathBuf,
    table: Option<&Bound<'_, Table>>,
    given: Vec<Given>,
    criteria: Vec<(usize, Bound<'_, PyAny>)>,
    score: Option<&Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
    pause: f64,
    must_stay: bool,
) -> PyResult<Report> {
    let Some(command) = Command::named(command) else {
        return Err(PyValueError::new_err(format!("no command {command}")));
    };
    let mut task = py
        .detach(|| task_of(command, data, &given))
        .map_err(|errors| failure::of_options(py, &errors))?;
    let table = table.map(table::take).transpose()?;
    let interrupt = Interrupt::default();
    let failure = Failure {
        interrupt: interrupt.clone(),
        ..Failure::default()
    };
    put_functions(&mut task, &criteria, score, &failure)?;
    let job = task.job_mut();
    job.progress = Progress::None;
    // What a page shows beyond the JSON is kept too: a result may become either.
    job.format = Format::Html;
    job.resources.hold_within(&MemoryBudget::of_system());
    job.start_timeout(&interrupt);
    let running = RunningJobs::default();
    let board = JobProgress::new(Progress::None, running.clone(), 0, 1);
    let work = move || {
        // The table is made first, as a program reads its file.
        let started = Instant::now();
        board.start_job(NAME, 1, (0, 1));
        let cache = match table {
            Some((source, parts)) => cache_of(&task, &source, parts, must_stay)?.map(Some),
            None => Ok(None),
        };
        let report = match cache {
            Ok(cache) => run_task(
                &task,
                &RunContext {
                    cache: cache.as_ref(),
                    board: Some((&board, NAME)),
                    process_started: Some(started),
                    ..RunContext::default()
                },
            ),
            Err(error) => Err(error),
        };
        Ok::<_, NotBegun>((report, task.job().timed_out()))
    };
    let told = Told::of(progress, pause, running);
    let (ended, signal) = await_work(py, &interrupt, told, work)?;
    if let Some(error) = failure.take() {
        return Err(error);
    }
    let (report, timed_out) = match ended {
        Ok(ended) => ended,
        Err(NotBegun::Data(message)) => return Err(failure::of_data(py, &message)),
        Err(NotBegun::Copy) => return Err(failure::of_copy(py)),
    };
    delivered(py, report, timed_out, signal)
}

/// Why a run did not begin, if it is none of the engine's own errors.
enum NotBegun {
    Data(String),
    /// A tensor would be copied to the host.
    Copy,
}

/// The data of a task. A matrix stays where it is if GPUs search its columns; else it is brought to the host, unless it must stay.
fn cache_of(
    task: &Task,
    source: &str,
    parts: Vec<Part>,
    must_stay: bool,
) -> Result<Result<DataCache, RunError>, NotBegun> {
    if let Some(matrix) = table::only_matrix(&parts)
        && DataCache::may_hold(task, &*matrix)
    {
        let beside = table::beside_matrix(source, &parts).map_err(NotBegun::Data)?;
        if let Some(there) = DataCache::of_columns(task, &matrix, &beside).transpose() {
            return Ok(there);
        }
    }
    if must_stay {
        return Err(NotBegun::Copy);
    }
    let whole = table::assemble(source, parts).map_err(NotBegun::Data)?;
    Ok(DataCache::of_table(task, whole))
}

fn task_of(
    command: Command,
    data: PathBuf,
    given: &[Given],
) -> Result<Task, Vec<passel::job::OptionError>> {
    let mut draft = JobDraft::new(data).of(command);
    let mut errors = Vec::new();
    for (name, texts) in given {
        errors.extend(draft.set(name, texts).err());
    }
    // The other options are checked too, so that every mistake is seen at once.
    match draft.task() {
        Ok(task) if errors.is_empty() => Ok(task),
        checked => {
            errors.extend(checked.err().into_iter().flatten());
            Err(errors)
        }
    }
}

/// The report of a run, or the exception that holds it.
fn delivered(
    py: Python<'_>,
    report: Result<RunReport, RunError>,
    timed_out: Option<String>,
    signal: Option<PyErr>,
) -> PyResult<Report> {
    let is_key = (signal.as_ref()).is_none_or(|own| own.is_instance_of::<PyKeyboardInterrupt>(py));
    match (report, timed_out, signal) {
        // What a handler of signals raised goes on; of Ctrl-C with what was found.
        (_, _, Some(signal)) if !is_key => Err(signal),
        (Ok(report), None, Some(_)) => Err(failure::interrupted(py, report)),
        (Ok(report), Some(reason), _) if report.outcome.interrupted() => {
            Err(failure::timed_out(py, &reason, Some(report)))
        }
        (Ok(report), ..) => Ok(Report::new(report)),
        (Err(RunError::Interrupted), Some(reason), None) => {
            Err(failure::timed_out(py, &reason, None))
        }
        (Err(error), ..) => Err(failure::of_run(py, error)),
    }
}

/// Who is told how far the work is.
pub(crate) struct Told {
    progress: Option<(Py<PyAny>, RunningJobs)>,
    pause: Duration,
    last: Instant,
}

impl Told {
    fn of(progress: Option<Py<PyAny>>, pause: f64, running: RunningJobs) -> Self {
        Self {
            progress: progress.map(|own| (own, running)),
            pause: Duration::try_from_secs_f64(pause).unwrap_or_default(),
            last: Instant::now(),
        }
    }

    pub(crate) fn nobody() -> Self {
        Self::of(None, 0.0, RunningJobs::default())
    }

    fn tell(&mut self, py: Python<'_>) -> PyResult<()> {
        let Some((progress, running)) = &self.progress else {
            return Ok(());
        };
        if self.last.elapsed() < self.pause {
            return Ok(());
        }
        self.last = Instant::now();
        let jobs = running.list();
        let stage = jobs.into_iter().find_map(|job| job.stage);
        if let Some(stage) = stage {
            progress.call1(py, (stage.what, stage.number, stage.of))?;
        }
        Ok(())
    }
}

/// Does work on a thread of its own. What a handler of signals or the progress function raises asks for the work's end, and is
/// returned beside what the work then gives.
pub(crate) fn await_work<T: Send + 'static>(
    py: Python<'_>,
    interrupt: &Interrupt,
    mut told: Told,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<(T, Option<PyErr>)> {
    let (done, result) = mpsc::sync_channel(1);
    let builder = thread::Builder::new()
        .name("passel".to_owned())
        .stack_size(STACK);
    // Whoever waited never leaves before.
    let worker = builder.spawn(move || drop(done.send(work())))?;
    let mut signal = None;
    let mut result = Some(result);
    loop {
        // Moved, as a receiver is of one thread at a time.
        let received = py.detach(|| {
            let own = result.take();
            let received = own.as_ref().map(|own| own.recv_timeout(LOOK_EVERY));
            result = own;
            received.unwrap_or(Err(RecvTimeoutError::Disconnected))
        });
        match received {
            Ok(result) => {
                // Its thread-local memory is gone before the next run begins.
                let _ = py.detach(|| worker.join());
                return Ok((result, signal));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                let message = "a thread of passel's own failed: this is a defect of passel";
                return Err(io::Error::other(message).into());
            }
        }
        let raised = py.check_signals().and_then(|()| told.tell(py));
        if let Err(raised) = raised {
            interrupt.request();
            // A second time a plugin that ignores the first is left behind.
            if signal.is_some() {
                interrupt.force();
            }
            signal.get_or_insert(raised);
        }
    }
}
