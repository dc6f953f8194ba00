//! Doing the pending jobs on a few threads, each of which does one job after another.

use std::{
    cell::OnceCell,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::Receiver,
    },
    thread,
    time::Instant,
};

use super::{
    IfItHangs, RunSummary, error_chain,
    folder::ResultFolder,
    isolated,
    live::Live,
    one_job::{JobContext, JobEnd, JobFailure},
    pool::{Reservation, ResourcePool},
    survey::{PendingJob, Survey},
    tables,
    times::EndedJob,
};
use crate::{
    foreign_calls::Work,
    interrupt::{Interrupt, LOOK_EVERY, grace},
    memory::{MemoryBound, MemoryBudget},
    panics::catch_own_panic,
    plugin::{self, HungNotice},
    progress::{JobProgress, RunningJob},
    ranks::Communicator,
    run::DataCache,
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
    if_it_hangs: &'a IfItHangs<'a>,
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

impl<'a, 'f> Runner<'a, 'f> {
    /// Prepares to do the survey's pending jobs, and prints its notes and failures.
    pub(super) fn new(
        survey: &'a Survey<'f>,
        folder: &'a ResultFolder,
        pool: ResourcePool,
        partners: Option<&'a Communicator>,
        interrupt: &'a Interrupt,
        (live, if_it_hangs): (&'a Live<'f>, &'a IfItHangs<'a>),
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
            if_it_hangs,
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
        let (listening, hung) = plugin::hung_calls();
        thread::scope(|scope| {
            // Without the thread a hung call ends the process, and nobody adds up.
            let tell = || self.end_hung(hung);
            let _ = thread::Builder::new().spawn_scoped(scope, tell);
            self.run_all();
            drop(listening);
        });
        self.progress.finish();
        let summary = self.summary.into_inner();
        summary.unwrap_or_else(PoisonError::into_inner)
    }

    fn run_all(&self) {
        let at_once = match self.partners {
            Some(_) => 1,
            None => self.pool.max_running(),
        };
        let pending = self.survey.pending.len();
        // What may have ended a run is to end no other job: it is done alone, unless that cannot be.
        let alone = match self.isolates() || self.partners.is_some() {
            true => 0,
            false => self.survey.suspects(),
        };
        run_on(at_once.min(pending - alone), || {
            self.run_jobs(pending - alone);
        });
        for index in pending - alone..pending {
            self.run_job(index, 1, true);
        }
        let crowded = self.crowded.lock().map(|mut all| std::mem::take(&mut *all));
        for index in crowded.unwrap_or_default() {
            self.cache.expect(&self.survey.pending[index].planned.task);
            self.run_job(index, 1, true);
        }
    }

    /// Ends the run for the sake of a call that does not return: other jobs are let end, and what there is is written.
    fn end_hung(&self, hung: Receiver<HungNotice>) {
        let Ok((call, answer)) = hung.recv() else {
            return;
        };
        let reason = call.to_string();
        let was_requested = self.interrupt.requested_by_caller();
        self.interrupt.request();
        let running = &self.live.running;
        let is_other = |job: &RunningJob| Some(&*job.job) != call.job();
        let end = Instant::now() + grace();
        while Instant::now() < end && running.list().iter().any(is_other) {
            thread::sleep(LOOK_EVERY);
        }
        for own in running.list() {
            let (name, result) = (&own.job, Err(reason.clone()));
            if is_other(&own) {
                self.progress.interrupt_job(name, own.seconds);
                continue;
            }
            self.folder.append_times(&EndedJob {
                job: name,
                threads: own.threads,
                seconds: own.seconds,
                error: Some(&reason),
                ..EndedJob::default()
            });
            let ended = self.summary().add(name, &result);
            self.live.end_job(name, &result, own.seconds);
            self.progress
                .finish_job(name, (&result, own.seconds), (ended, self.total));
        }
        let mut summary = self.summary().clone();
        summary.left = self.total - summary.ended();
        let file = self.survey.file;
        let tables = tables::write(self.folder, file, &self.survey.recorded, &summary);
        summary.tables = tables.err().map(|error| error_chain(&error));
        let code = summary.exit_code(was_requested);
        self.live.finish(Some(&summary), code);
        let text = summary.to_text(self.folder.path());
        text.lines().for_each(|line| self.progress.print_line(line));
        (self.if_it_hangs)(&summary, code);
        // It ends the process.
        let _ = answer.send(code);
    }

    fn summary(&self) -> MutexGuard<'_, RunSummary> {
        self.summary.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn isolates(&self) -> bool {
        self.survey.file.settings.isolate
    }

    /// Does so many of the pending jobs, the first.
    fn run_jobs(&self, count: usize) {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return;
            }
            self.run_job(index, count - index, false);
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
        let (started, cpu_meter) = (Instant::now(), CpuMeter::of(Work::of_job(name)));
        let of_child = OnceCell::new();
        let work = || match self.partners {
            Some(partners) => self.run_with(partners, job, &reservation),
            None if self.isolates() => {
                let (end, measured) = self.run_isolated(job, &reservation)?;
                let _ = of_child.set(measured);
                end
            }
            None => self.run_here(job, &reservation),
        };
        let result = cpu_meter.run(|| catch_own_panic(work));
        let of_child = of_child.into_inner();
        let (cpu_seconds, peak_memory) = of_child.unwrap_or_else(|| {
            let cpu_seconds = cpu_meter.total(self.interrupt);
            (cpu_seconds, reservation.peak_memory())
        });
        let threads = reservation.threads;
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
            cpu_seconds,
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

    /// Why a job failed; a full disk ends the run.
    fn reason(&self, failure: JobFailure) -> String {
        if failure.is_disk_full
            && self.partners.is_none()
            && !self.is_disk_full.swap(true, Ordering::Relaxed)
        {
            self.progress
                .print_line("error: the disk is full: no further job is begun");
        }
        failure.reason
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

    fn context(&self) -> JobContext<'_> {
        JobContext {
            folder: self.folder,
            hashes: &self.survey.hashes,
            overwrite: self.survey.file.settings.overwrite,
            partners: self.partners,
            interrupt: self.interrupt,
            cache: &self.cache,
            progress: &self.progress,
            shares_memory: false,
        }
    }

    fn run_here(&self, job: &PendingJob, reservation: &Reservation) -> Result<JobEnd, String> {
        let apply = |resources: &mut _| reservation.apply(resources, &self.memory);
        let result = self.context().run(job, apply);
        result.map_err(|failure| self.reason(failure))
    }

    /// Does a job in a process of its own; how it ended there, with the CPU seconds that it took and the most memory that it held.
    fn run_isolated(
        &self,
        job: &PendingJob,
        reservation: &Reservation,
    ) -> Result<(Result<JobEnd, String>, Measured), String> {
        let place = (self.survey.file.folder(), &self.live.running);
        let ended = isolated::run(&self.context(), job, place, reservation.share())?;
        let result = ended.result.map_err(|failure| self.reason(failure));
        Ok((result, (ended.cpu_seconds, ended.peak_memory)))
    }
}

/// CPU seconds and bytes of memory, where they are known.
type Measured = (Option<f64>, Option<u64>);
