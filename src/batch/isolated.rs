//! A job in a process of its own: whatever ends that process, the run goes on.

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use super::{
    child::{self, Child, LAST_WORDS, PATIENCE, ended_text, listen, messages},
    folder::ResultFolder,
    manifest::{FileHashes, Manifest},
    one_job::{JobContext, JobEnd, JobFailure},
    pool::{Demand, Share},
    survey::PendingJob,
};
use crate::{
    foreign_calls::Work,
    interrupt::{Interrupt, grace},
    job::file::JobRecipe,
    memory::{MemoryBound, MemoryBudget},
    panics::catch_own_panic,
    progress::{JobProgress, Progress, RunningJobs, Stage},
    run::DataCache,
    threads::CpuMeter,
};

/// How often a child is looked at, and looks how far its job is.
const LOOK_EVERY: Duration = Duration::from_millis(50);
const TELL_EVERY: Duration = Duration::from_millis(500);

/// What a child is to do.
#[derive(Serialize, Deserialize)]
struct Order {
    recipe: JobRecipe,
    /// What the result will be known by.
    manifest: Manifest,
    /// The folder of the job file, and that of results.
    folders: [PathBuf; 2],
    overwrite: bool,
    share: Share,
}

/// What a child tells, a line each.
#[derive(Serialize, Deserialize)]
enum Told {
    Stage(Stage),
    End(Ended),
}

/// How a job ended, and what it took.
#[derive(Serialize, Deserialize)]
pub(super) struct Ended {
    pub(super) result: Result<JobEnd, JobFailure>,
    pub(super) cpu_seconds: Option<f64>,
    pub(super) peak_memory: Option<u64>,
}

/// Passes on what a child tells while it works; the end of its job is what comes last. Nothing else is kept.
fn heard(output: impl Read, tell: impl Fn(Stage)) -> Option<Ended> {
    let lines = BufReader::new(output).lines().map_while(Result::ok);
    let mut told = lines.filter_map(|line| serde_json::from_str(&line).ok());
    told.find_map(|told| match told {
        Told::Stage(stage) => {
            tell(stage);
            None
        }
        Told::End(ended) => Some(ended),
    })
}

/// Does a job of a file in this folder in a child, with what the run gives it of the machine.
///
/// # Errors
/// What became of a child that did not tell how its job ended.
pub(super) fn run(
    context: &JobContext,
    job: &PendingJob,
    (folder, running): (&Path, &RunningJobs),
    share: Share,
) -> Result<Ended, String> {
    let (id, interrupt, progress) = (&job.planned.id, context.interrupt, context.progress);
    let order = Order {
        recipe: JobRecipe::of(job.planned, folder),
        manifest: job.manifest.clone(),
        folders: [folder, context.folder.path()].map(Path::to_owned),
        overwrite: context.overwrite,
        share,
    };
    let order = serde_json::to_string(&order).map_err(|error| error.to_string())?;
    let started = Child::start([COMMAND], &order, true);
    let mut child =
        started.map_err(|error| format!("no process can be started for it: {error}"))?;
    let (output, errors) = child.pipes();
    let (running, name) = (running.clone(), id.clone());
    let ended = listen(move || heard(output?, |stage| running.note(&name, stage)));
    let (lines, told) = mpsc::channel();
    let last = listen(move || {
        messages(errors?, |line| {
            let _ = lines.send(line.to_owned());
        })
    });
    let pass_on = || {
        for line in told.try_iter() {
            progress.print_line(&format!("{id}: {line}"));
        }
    };
    let timeout = job.planned.task.job().timeout;
    let mut end_by = timeout.map(|timeout| Instant::now() + timeout + grace() + PATIENCE);
    let (mut is_asked, mut is_killed) = (false, false);
    let status = loop {
        let status = child.wait(LOOK_EVERY).map_err(|error| error.to_string())?;
        pass_on();
        if let Some(status) = status {
            break status;
        }
        if !is_asked && interrupt.requested() {
            is_asked = true;
            child.interrupt();
            end_by = Some(Instant::now() + grace() + PATIENCE);
        }
        if end_by.is_some_and(|end_by| Instant::now() >= end_by) {
            is_killed = true;
            child.kill();
        }
    };
    let ended = ended.recv_timeout(LAST_WORDS).ok().flatten();
    let last = last.recv_timeout(LAST_WORDS).ok().flatten();
    pass_on();
    if let Some(ended) = ended {
        if let Some(error) = last {
            progress.print_line(&format!("{id}: error: {error}"));
        }
        return Ok(ended);
    }
    let what = match is_killed {
        true => "did not end when it was to, and was killed".to_owned(),
        false => ended_text(status),
    };
    let reason = match last {
        Some(error) => format!("lost: {error} (its process {what})"),
        None => format!("lost: its process {what}"),
    };
    match is_asked {
        // Who asked knows why, and may want to know whom to blame.
        true => {
            progress.print_line(&format!("note: {id}: {reason}"));
            Ok(Ended {
                result: Ok(JobEnd::Interrupted),
                cpu_seconds: None,
                peak_memory: None,
            })
        }
        false => Err(reason),
    }
}

/// The command of a child.
pub const COMMAND: &str = "isolated-job";

/// Does the job that the process orders which started this one, and tells it how that ended.
///
/// # Errors
/// Nobody orders anything, or listens.
pub fn run_ordered(interrupt: &Interrupt, output: &mut (dyn Write + Send)) -> Result<(), String> {
    let _heeding = interrupt.heeding();
    let order = child::order(interrupt).map_err(|error| error.to_string())?;
    let order: Order = serde_json::from_str(&order).map_err(|error| error.to_string())?;
    let running = RunningJobs::default();
    let progress = JobProgress::new(Progress::None, running.clone(), 0, 1);
    let id = order.manifest.job.clone();
    progress.start_job(&id, order.share.threads, (0, 1));
    let meter = CpuMeter::of(Work::of_job(&id));
    let mut tell = |told: &Told| -> Result<(), String> {
        let mut line = serde_json::to_vec(told).map_err(|error| error.to_string())?;
        line.push(b'\n');
        let written = output.write_all(&line).and_then(|()| output.flush());
        written.map_err(|error| error.to_string())
    };
    let (result, peak_memory) = thread::scope(|scope| {
        let (done, result) = mpsc::channel();
        let (order, meter, progress) = (&order, &meter, &progress);
        let work = move || {
            let worked = || Ok(run_here(order, interrupt, progress));
            let result = meter.run(|| catch_own_panic(worked));
            // The other end waits for it.
            let _ = done.send(result.unwrap_or_else(|panic| (Err(panic.into()), None)));
        };
        let started = thread::Builder::new().spawn_scoped(scope, work);
        started.map_err(|error| error.to_string())?;
        let mut known = None;
        loop {
            match result.recv_timeout(TELL_EVERY) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Disconnected) => return Err("no result".to_owned()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let stage = running.list().into_iter().find_map(|job| job.stage);
            if let Some(stage) = stage.filter(|stage| known.as_ref() != Some(stage)) {
                known = Some(stage.clone());
                tell(&Told::Stage(stage))?;
            }
        }
    })?;
    tell(&Told::End(Ended {
        result,
        cpu_seconds: meter.total(interrupt),
        peak_memory,
    }))
}

/// Does the job that is ordered; how it ended, and the most memory that it held.
fn run_here(
    order: &Order,
    interrupt: &Interrupt,
    progress: &JobProgress,
) -> (Result<JobEnd, JobFailure>, Option<u64>) {
    let [folder, results] = &order.folders;
    let changed = |what: String| format!("{what} since the run began: run again");
    let planned = match order.recipe.planned() {
        Ok(planned) => planned,
        Err(errors) => {
            let errors = errors.iter().map(ToString::to_string);
            return (Err(errors.collect::<Vec<_>>().join("; ").into()), None);
        }
    };
    let mut hashes = FileHashes::new(interrupt);
    let manifest = match Manifest::of(&planned, folder, &mut hashes) {
        Ok(manifest) => manifest,
        Err(_) if interrupt.requested() => return (Ok(JobEnd::Interrupted), None),
        Err(reason) => return (Err(reason.into()), None),
    };
    if let Some(difference) = order.manifest.difference(&manifest) {
        return (Err(changed(difference).into()), None);
    }
    let job = PendingJob {
        planned: &planned,
        manifest,
        demand: Demand::default(),
    };
    let whole = MemoryBudget::of_system().part(MemoryBound::Run, order.share.memory);
    let context = JobContext {
        folder: &ResultFolder::opened_by_root(results, order.overwrite),
        hashes: &hashes,
        overwrite: order.overwrite,
        partners: None,
        interrupt,
        cache: &DataCache::default(),
        progress,
        shares_memory: order.share.is_crowded,
    };
    let mut account = None;
    let result = context.run(&job, |resources| {
        order.share.apply(resources);
        resources.hold_within(&whole);
        account = Some(resources.memory.clone());
    });
    (result, account.as_ref().map(MemoryBudget::peak))
}
