//! Doing the pending jobs on a few threads, each of which does one job after another.

use std::{
    fs,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Instant,
};

use super::{
    RunSummary, error_chain,
    folder::{ResultFolder, StoredResult},
    live::Live,
    manifest::InputFile,
    pool::{Reservation, ResourcePool},
    survey::{PendingJob, Survey},
    times::EndedJob,
};
use crate::{
    interrupt::Interrupt,
    memory::{MemoryBound, MemoryBudget, MemoryError},
    output::{OutputError, OutputFile, Replaces},
    panics::catch_own_panic,
    progress::JobProgress,
    ranks::Communicator,
    run::{DataCache, Fault, Report, ResampleCheckpoint, RunContext, RunError, run_task},
    selection::Elapsed,
    threads::{CpuMeter, run_on},
};

pub(super) struct Runner<'a, 'f> {
    survey: &'a Survey<'f>,
    folder: &'a ResultFolder,
    pool: ResourcePool,
    /// The ranks that work at each job together; `None` if this process does its jobs alone.
    partners: Option<&'a Communicator>,
    interrupt: &'a Interrupt,
    live: &'a Live<'f>,
    /// Whether it was said that too many jobs failed.
    has_given_up: AtomicBool,
    cache: DataCache,
    /// Of all jobs together.
    memory: MemoryBudget,
    /// The jobs that had too little memory beside others, which are done again one after another.
    crowded: Mutex<Vec<usize>>,
    progress: JobProgress,
    total: usize,
    /// The next pending job to start.
    next: AtomicUsize,
    /// Whether a disk is full: what began is finished, nothing else is begun.
    is_disk_full: AtomicBool,
    summary: Mutex<RunSummary>,
}

/// How a job that did not fail has ended.
enum JobEnd {
    Done(Elapsed),
    Interrupted,
    /// It met a limit of memory of which other jobs held a part: the message.
    Crowded(String),
}

impl<'a, 'f> Runner<'a, 'f> {
    /// Prepares to do the survey's pending jobs, and prints its notes and failures.
    pub(super) fn new(
        survey: &'a Survey<'f>,
        folder: &'a ResultFolder,
        pool: ResourcePool,
        partners: Option<&'a Communicator>,
        interrupt: &'a Interrupt,
        live: &'a Live<'f>,
    ) -> Self {
        let cache = DataCache::default();
        for job in &survey.pending {
            cache.expect(&job.planned.task);
        }
        let summary = survey.summary.clone();
        let total = summary.ended() + survey.pending.len();
        let kind = survey.file.settings.progress;
        let progress = JobProgress::new(kind, live.running.clone(), summary.before, total);
        for note in &survey.notes {
            progress.print_line(&format!("note: {note}"));
        }
        for (name, reason) in &summary.failed {
            progress.print_line(&format!("error: {name}: {reason}"));
            folder.append_times(&EndedJob {
                job: name,
                error: Some(reason),
                ..EndedJob::default()
            });
        }
        let at_once = match partners {
            Some(_) => 1,
            None => pool.max_running(),
        };
        live.start_jobs(survey, at_once);
        Self {
            survey,
            folder,
            pool,
            partners,
            interrupt,
            live,
            has_given_up: AtomicBool::new(false),
            cache,
            memory: MemoryBudget::of_system()
                .part(MemoryBound::Run, survey.file.settings.memory_limit),
            crowded: Mutex::default(),
            progress,
            total,
            next: AtomicUsize::new(0),
            is_disk_full: AtomicBool::new(false),
            summary: Mutex::new(summary),
        }
    }

    /// Does the jobs. Those that an interrupt keeps from being done are counted as left.
    pub(super) fn run(self) -> RunSummary {
        let at_once = match self.partners {
            Some(_) => 1,
            None => self.pool.max_running(),
        };
        run_on(at_once.min(self.survey.pending.len()), || self.run_jobs());
        let crowded = self.crowded.lock().map(|mut all| std::mem::take(&mut *all));
        for index in crowded.unwrap_or_default() {
            self.cache.expect(&self.survey.pending[index].planned.task);
            self.run_job(index, 1, true);
        }
        self.progress.finish();
        let summary = self.summary.into_inner();
        summary.unwrap_or_else(PoisonError::into_inner)
    }

    fn summary(&self) -> MutexGuard<'_, RunSummary> {
        self.summary.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run_jobs(&self) {
        let pending = &self.survey.pending;
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= pending.len() {
                return;
            }
            self.run_job(index, pending.len() - index, false);
        }
    }

    /// Returns true if so many jobs have failed that no further one is to be started.
    fn gives_up(&self) -> bool {
        let most = self.survey.file.settings.max_failures;
        let failed = self.summary().failed.len();
        let gives_up = most.is_some_and(|most| failed >= most);
        if gives_up && !self.has_given_up.swap(true, Ordering::Relaxed) {
            let reason = format!("note: {failed} failed, so no further job is started");
            self.progress.print_line(&reason);
        }
        gives_up
    }

    /// Does a job, which is one of `left` jobs still to be started; alone it has no other to wait for.
    fn run_job(&self, index: usize, left: usize, is_alone: bool) {
        let job = &self.survey.pending[index];
        let Some(reservation) = self.reserve(job, left) else {
            self.summary().left += 1;
            return;
        };
        let name = &job.planned.id;
        let ended = self.summary().ended();
        self.progress
            .start_job(name, reservation.threads, (ended, self.total));
        self.live.began(&job.planned.task);
        let (started, cpu_meter) = (Instant::now(), CpuMeter::default());
        let work = || match self.partners {
            Some(partners) => self.run_with(partners, job, &reservation),
            None => self.run_here(job, &reservation),
        };
        let result = cpu_meter.run(|| catch_own_panic(work));
        let (threads, peak_memory) = (reservation.threads, reservation.peak_memory());
        drop(reservation);
        self.cache.release(&job.planned.task);
        let seconds = started.elapsed().as_secs_f64();
        let (parts, result) = match result {
            Ok(JobEnd::Interrupted) => {
                self.progress.interrupt_job(name, seconds);
                self.summary().left += 1;
                return;
            }
            Ok(JobEnd::Crowded(_)) if !is_alone => {
                self.progress.interrupt_job(name, seconds);
                let note =
                    "had too little memory beside other jobs: it is done again when they ended";
                self.progress.print_line(&format!("note: {name} {note}"));
                let mut crowded = self.crowded.lock().unwrap_or_else(PoisonError::into_inner);
                crowded.push(index);
                return;
            }
            Ok(JobEnd::Done(parts)) => (Some(parts), Ok(())),
            Ok(JobEnd::Crowded(reason)) | Err(reason) => (None, Err(reason)),
        };
        self.folder.append_times(&EndedJob {
            job: name,
            threads,
            parts,
            seconds,
            cpu_seconds: cpu_meter.total(self.interrupt),
            peak_memory,
            error: result.as_ref().err().map(String::as_str),
        });
        let ended = self.summary().add(name, &result);
        self.live.end_job(name, &result, seconds);
        self.progress
            .finish_job(name, (&result, seconds), (ended, self.total));
    }

    /// Waits for the resources of a job, which is one of `left` jobs still to be started. `None` if
    /// the run is interrupted, gives up, or has nowhere to write.
    fn reserve(&self, job: &PendingJob, left: usize) -> Option<Reservation<'_>> {
        // Ranks that share their jobs go through all of them together.
        let is_full = || self.partners.is_none() && self.is_disk_full.load(Ordering::Relaxed);
        let is_over = || self.interrupt.requested() || self.gives_up() || is_full();
        if is_over() {
            return None;
        }
        let reservation = self.pool.reserve(&job.demand, left);
        (!is_over()).then_some(reservation)
    }

    /// Why a file of a job could not be written; a full disk ends the run.
    fn unwritten(&self, error: &OutputError) -> String {
        if error.is_disk_full()
            && self.partners.is_none()
            && !self.is_disk_full.swap(true, Ordering::Relaxed)
        {
            self.progress
                .print_line("error: the disk is full: no further job is begun");
        }
        error_chain(error)
    }

    /// Does a job together with the other ranks, and exchanges with them how it ended.
    fn run_with(
        &self,
        partners: &Communicator,
        job: &PendingJob,
        reservation: &Reservation,
    ) -> Result<JobEnd, String> {
        partners.reset();
        partners.interrupt_locally(job.planned.task.runs_on_one_rank());
        let result = catch_own_panic(|| self.run_here(job, reservation));
        partners.interrupt_locally(false);
        let own = result.as_ref().map(|_| ()).map_err(String::clone);
        let failures = partners.finish(own).map_err(|error| error.to_string())?;
        if !failures.is_empty() && self.interrupt.requested() {
            // One rank heeded it before the others knew: they failed for its sake.
            return Ok(JobEnd::Interrupted);
        }
        match failures.into_iter().find(|failure| failure.rank > 0) {
            Some(failure) if result.is_ok() => Err(failure.to_string()),
            _ => result,
        }
    }

    fn run_here(&self, job: &PendingJob, reservation: &Reservation) -> Result<JobEnd, String> {
        let mut task = job.planned.task.clone();
        let runs_on_one_rank = task.runs_on_one_rank();
        let own = task.job_mut();
        reservation.apply(&mut own.resources, &self.memory);
        own.resources.communicator = self.partners.filter(|_| !runs_on_one_rank).cloned();
        own.start_timeout(self.interrupt);
        own.overwrite = self.survey.file.settings.overwrite;
        let report_kind = Replaces::Report.or_any(own.overwrite);
        // The report goes to the job's own output once the result is complete, not before.
        let output = own.output.take();
        let create = |path| OutputFile::create(path, report_kind);
        let output = output.as_deref().map(create).transpose();
        let output = output.map_err(|error| self.unwritten(&error))?;
        let place = self.folder.check_place(&job.manifest.job);
        place.map_err(|error| self.unwritten(&error))?;
        let checkpoint = self.folder.checkpoint(&job.manifest);
        if !Replaces::Checkpoint.allows(&checkpoint) {
            // There is none, or it is damaged.
            let _ = fs::remove_file(&checkpoint);
        }
        let fingerprint = serde_json::to_string(&job.manifest).unwrap_or_default();
        let context = RunContext {
            // So that the same job file elsewhere gives the same bytes.
            data: Some(&job.manifest.data),
            cache: Some(&self.cache),
            board: Some((&self.progress, &job.planned.id)),
            checkpoint: Some(ResampleCheckpoint {
                path: &checkpoint,
                fingerprint: &fingerprint,
            }),
            process_started: None,
        };
        task.set_checkpoint(checkpoint.clone());
        let mut result = run_task(&task, &context);
        if let Err(RunError::Checkpoint { .. } | RunError::Unread { .. }) = result {
            // The checkpoint is damaged: start again without it.
            let _ = fs::remove_file(&checkpoint);
            result = run_task(&task, &context);
        }
        // Of a job of several responses those without a model fail however often it is done.
        let result = result.or_else(RunError::into_final);
        let cut_short = |report: Option<&mut Report>| match task.job().timed_out() {
            None => Ok(JobEnd::Interrupted),
            Some(reason) => Err(self.write_partial(job, reason, report)),
        };
        let mut report = match result {
            Ok(mut report) if report.outcome.interrupted() => {
                return cut_short(Some(&mut report));
            }
            Ok(report) => report,
            // Of ranks that share the job the others are told first.
            Err(RunError::Interrupted)
                if self.partners.is_none()
                    || runs_on_one_rank
                    || task.job().timed_out().is_some() =>
            {
                return cut_short(None);
            }
            // The procedure ended because it was asked to.
            Err(RunError::Incomplete(mut incomplete))
                if matches!(incomplete.fault, Fault::Procedure { .. })
                    && task.job().interrupt.requested() =>
            {
                return cut_short(incomplete.report.as_mut());
            }
            // Ranks do their jobs one after another.
            Err(error)
                if self.partners.is_none()
                    && error.memory().is_some_and(MemoryError::has_rivals) =>
            {
                return Ok(JobEnd::Crowded(error_chain(&error)));
            }
            Err(error) => {
                let reason = error_chain(&error);
                let RunError::Incomplete(mut incomplete) = error else {
                    return Err(reason);
                };
                return Err(self.write_partial(job, reason, incomplete.report.as_mut()));
            }
        };
        let hashes = &self.survey.hashes;
        hashes.check_unchanged(&task).map_err(|path| {
            let path = path.display();
            format!("{path} changed while it was read: run again")
        })?;
        let elapsed = report.outcome.overview().elapsed;
        let stored = stored_result(job, &mut report)?;
        if let Some(file) = output {
            let text = report.render().map_err(|error| error_chain(&error))?;
            file.finish(&text).map_err(|error| self.unwritten(&error))?;
        }
        let outputs = job.planned.task.output_files().into_iter();
        let outputs = outputs.map(|(option, path)| hashes.hash_output(path, option));
        let Ok(outputs) = outputs.collect::<Result<Vec<_>, _>>() else {
            // A list that lacks a file would disown it.
            return Ok(JobEnd::Interrupted);
        };
        let outputs: Vec<InputFile> = outputs.into_iter().flatten().collect();
        let written = self.folder.write(&stored, &outputs);
        written.map_err(|error| self.unwritten(&error))?;
        Ok(JobEnd::Done(elapsed))
    }

    /// Writes what a failed job found until then, if it found anything; why the job failed, and
    /// where that file is.
    fn write_partial(
        &self,
        job: &PendingJob,
        reason: String,
        report: Option<&mut Report>,
    ) -> String {
        let Some(report) = report else {
            return reason;
        };
        let written = stored_result(job, report).and_then(|stored| {
            let written = self.folder.write_partial(&stored);
            written.map_err(|error| self.unwritten(&error))
        });
        match written {
            Ok(path) => format!("{reason}; the result so far is in {}", path.display()),
            Err(error) => format!("{reason}; the result so far could not be written: {error}"),
        }
    }
}

/// A report as it is stored: without what differs from one run to the next, which is removed from it.
fn stored_result(job: &PendingJob, report: &mut Report) -> Result<StoredResult, String> {
    let mut manifest = job.manifest.clone();
    manifest.devices = report.outcome.remove_circumstances().into();
    let result = serde_json::to_value(&report.outcome);
    let result = result.map_err(|error| error.to_string())?;
    Ok(StoredResult { manifest, result })
}
