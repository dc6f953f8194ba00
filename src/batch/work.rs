//! Doing jobs, one after another on each of a few threads.

use std::{
    any::Any,
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use serde_json::Value;

use super::{
    RunSummary, error_chain,
    folder::{Folder, Stored, Times},
    manifest::{Input, Inputs, Manifest},
    room::{Demand, Reservation, ResourcePool},
};
use crate::{
    interrupt::Interrupt,
    job::file::PlannedJob,
    output::OutputFile,
    panics::panic_message,
    progress::JobProgress,
    ranks::Communicator,
    run::{DataCache, Fault, Outcome, Report, ResampleCheckpoint, RunContext, RunError, run_task},
};

/// A job that is to be done.
pub(super) struct PendingJob<'a> {
    pub(super) planned: &'a PlannedJob,
    pub(super) manifest: Manifest,
    pub(super) need: Demand,
}

/// What the workers share.
pub(super) struct Worker<'a> {
    /// The ranks that work at each job together; none for one process.
    pub(super) together: Option<&'a Communicator>,
    pub(super) folder: Folder,
    pub(super) inputs: Inputs,
    pub(super) cache: DataCache,
    pub(super) room: ResourcePool,
    pub(super) board: JobProgress,
    /// Jobs in all, and those that have ended.
    pub(super) of: usize,
    pub(super) ended: AtomicUsize,
    pub(super) next: AtomicUsize,
    pub(super) state: Mutex<RunSummary>,
    pub(super) interrupt: &'a Interrupt,
}

/// How a job ended.
enum Ended {
    Done,
    Interrupted,
}

impl Worker<'_> {
    pub(super) fn state(&self) -> MutexGuard<'_, RunSummary> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does one job after another, until none is left to start.
    pub(super) fn work(&self, open: &[PendingJob], order: &[(usize, usize)]) {
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(&(_, number)) = order.get(at) else {
                return;
            };
            let job = &open[number];
            let task = &job.planned.task;
            let id = &*job.planned.id;
            if self.interrupt.requested() {
                self.state().left += 1;
                continue;
            }
            let taken = self.room.take(&job.need, open.len() - at);
            if self.interrupt.requested() {
                self.state().left += 1;
                continue;
            }
            let started = Instant::now();
            let ended = catch_unwind(AssertUnwindSafe(|| self.one(job, &taken, started)));
            drop(taken);
            self.cache.release(task);
            let ended = ended.unwrap_or_else(|panic| Err(panic_report(&*panic)));
            let status = match ended {
                Ok(Ended::Done) => Ok(()),
                Ok(Ended::Interrupted) => {
                    self.state().left += 1;
                    continue;
                }
                Err(message) => Err(message),
            };
            let done = self.ended.fetch_add(1, Ordering::Relaxed) + 1;
            let seconds = started.elapsed().as_secs_f64();
            let told = match &status {
                Ok(()) => Ok(()),
                Err(message) => Err(message.as_str()),
            };
            self.board.finish_job(id, (told, seconds), (done, self.of));
            match status {
                Ok(()) => {
                    self.state().done.insert(id.to_owned());
                }
                Err(message) => {
                    self.state().failed.insert(id.to_owned(), message);
                }
            }
        }
    }

    /// Does one job and writes its result; else why there is none. Ranks that do it together learn
    /// how it ended.
    fn one(
        &self,
        job: &PendingJob,
        taken: &Reservation,
        started: Instant,
    ) -> Result<Ended, String> {
        let Some(communicator) = self.together else {
            return self.alone(job, taken, started);
        };
        communicator.reset();
        communicator.interrupt_locally(job.planned.task.runs_on_one_rank());
        let ended = catch_unwind(AssertUnwindSafe(|| self.alone(job, taken, started)));
        communicator.interrupt_locally(false);
        let ended = ended.unwrap_or_else(|panic| Err(panic_report(&*panic)));
        let told = ended.as_ref().map(|_| ()).map_err(String::clone);
        let failures = communicator
            .finish(told)
            .map_err(|error| error.to_string())?;
        match failures.into_iter().find(|it| it.rank > 0) {
            Some(failure) if ended.is_ok() => Err(failure.to_string()),
            _ => ended,
        }
    }

    fn alone(
        &self,
        job: &PendingJob,
        taken: &Reservation,
        started: Instant,
    ) -> Result<Ended, String> {
        let mut task = job.planned.task.clone();
        let runs_on_one_rank = task.runs_on_one_rank();
        let own = task.job_mut();
        own.interrupt = self.interrupt.clone();
        taken.give(&mut own.resources);
        own.resources.communicator = self.together.filter(|_| !runs_on_one_rank).cloned();
        // Its report goes there when it is whole, and not before.
        let output = own.output.take();
        let place = output.as_deref().map(OutputFile::create).transpose();
        let place = place.map_err(|error| error_chain(&error))?;
        let checkpoint = self.folder.checkpoint(&job.manifest);
        let fingerprint = serde_json::to_string(&job.manifest).unwrap_or_default();
        let context = RunContext {
            cache: Some(&self.cache),
            board: Some((&self.board, &job.planned.id)),
            checkpoint: Some(ResampleCheckpoint {
                path: &checkpoint,
                fingerprint: &fingerprint,
            }),
        };
        task.set_checkpoint(checkpoint.clone());
        let mut result = run_task(&task, &context);
        if let Err(RunError::Checkpoint { .. } | RunError::Unread { .. }) = result {
            // Damaged: it begins anew.
            let _ = fs::remove_file(&checkpoint);
            result = run_task(&task, &context);
        }
        let report = match result {
            Ok(report) => report,
            Err(RunError::Interrupted) => return Ok(Ended::Interrupted),
            // It was told to stop.
            Err(RunError::Incomplete(incomplete))
                if matches!(incomplete.fault, Fault::Procedure { .. })
                    && self.interrupt.requested() =>
            {
                return Ok(Ended::Interrupted);
            }
            Err(error) => return Err(self.partly(job, error)),
        };
        if report.outcome.interrupted() {
            return Ok(Ended::Interrupted);
        }
        self.inputs.unchanged(&task).map_err(|path| {
            let path = path.display();
            format!("{path} changed while it was read: run again")
        })?;
        if let Some(file) = place {
            let text = report.render().map_err(|error| error_chain(&error))?;
            file.finish(&text).map_err(|error| error_chain(&error))?;
        }
        let (stored, mut times) = stored(job, &report)?;
        let written = job.planned.task.output_files().into_iter();
        let written = written.filter_map(|(option, path)| self.inputs.anew(path, option));
        let files: Vec<Input> = written.collect();
        times.threads = taken.threads();
        times.total = started.elapsed().as_secs_f64();
        self.folder
            .write(&stored, &files, &times)
            .map_err(|error| error_chain(&error))?;
        Ok(Ended::Done)
    }

    /// Why a job failed; what it found until then is put beside the results.
    fn partly(&self, job: &PendingJob, error: RunError) -> String {
        let told = error_chain(&error);
        let RunError::Incomplete(incomplete) = error else {
            return told;
        };
        let Some(report) = incomplete.report else {
            return told;
        };
        let written = stored(job, &report).and_then(|(stored, _)| {
            self.folder
                .write_partial(&stored)
                .map_err(|error| error_chain(&error))
        });
        match written {
            Ok(path) => format!("{told}; what was found until then is in {}", path.display()),
            Err(lost) => format!("{told}; what was found until then could not be written: {lost}"),
        }
    }
}

/// A report as it is stored, and its times, which are not.
fn stored(job: &PendingJob, report: &Report) -> Result<(Stored, Times), String> {
    let result = match &report.outcome {
        Outcome::Selection(it) => serde_json::to_value(it),
        Outcome::Ranking(it) => serde_json::to_value(it),
        Outcome::Pairs(it) => serde_json::to_value(it),
        Outcome::Stability(it) => serde_json::to_value(it),
    };
    let mut result = result.map_err(|error| error.to_string())?;
    let mut manifest = job.manifest.clone();
    let mut times = Times::default();
    if let Some(members) = result.as_object_mut() {
        if let Some(elapsed) = members.shift_remove("elapsed_seconds") {
            let seconds = |of: &str| elapsed.get(of).and_then(Value::as_f64).unwrap_or(0.0);
            times.read = seconds("read");
            times.devices = seconds("devices");
            times.search = seconds("search");
        }
        // Who did it is no part of the result.
        members.shift_remove("together");
        // Which of several is none either.
        let devices = members.get("devices").and_then(Value::as_array);
        let kinds = devices.into_iter().flatten().filter_map(Value::as_str);
        let mut kinds: Vec<&str> = kinds.filter_map(|it| it.split(':').next()).collect();
        kinds.dedup();
        manifest.devices = kinds.into();
        members.insert("devices".to_owned(), manifest.devices.clone());
    }
    Ok((Stored { manifest, result }, times))
}

/// A panic as one line.
pub fn panic_report(panic: &(dyn Any + Send)) -> String {
    let text = panic_message(panic).unwrap_or("a panic");
    format!("an error in passel itself: {text}")
}
