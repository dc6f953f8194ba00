//! What there is to do of a job file, given the results that its folder already holds.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use super::{
    RunSummary,
    folder::ResultFolder,
    manifest::{FileHashes, Manifest},
    pool::{Demand, DemandEstimator, ResourcePool},
    run_status::LostJobs,
    status::{Status, inspect},
    times::LastEnd,
};
use crate::{
    interrupt::Interrupt,
    job::file::{JobFile, PlannedJob},
    ranks::Communicator,
};

/// The most jobs that a note names.
const NAMED_FAILURES: usize = 10;

pub(super) struct PendingJob<'a> {
    pub(super) planned: &'a PlannedJob,
    pub(super) manifest: Manifest,
    pub(super) demand: Demand,
}

/// The jobs to do, and what was found out while looking for them.
pub(super) struct Survey<'a> {
    pub(super) file: &'a JobFile,
    pub(super) hashes: FileHashes,
    estimator: DemandEstimator,
    pub(super) pending: Vec<PendingJob<'a>>,
    /// How jobs ended the last time, by their names.
    pub(super) last_ends: HashMap<String, LastEnd>,
    /// How jobs stood before the run, by their names.
    pub(super) recorded: HashMap<&'a str, Status>,
    /// What is known of the requested jobs before the run: which are done, whose files cannot be
    /// read, and how many an interrupt kept from being looked at.
    pub(super) summary: RunSummary,
    /// What the user should know before the run.
    pub(super) notes: Vec<String>,
    lost: LostJobs,
}

impl<'a> Survey<'a> {
    pub(super) fn new(file: &'a JobFile, interrupt: &Interrupt) -> Self {
        Self {
            file,
            hashes: FileHashes::new(interrupt),
            estimator: DemandEstimator::of_run(&file.settings, file.jobs.len()),
            pending: Vec::new(),
            last_ends: HashMap::new(),
            recorded: HashMap::new(),
            summary: RunSummary::default(),
            notes: Vec::new(),
            lost: LostJobs::new(),
        }
    }

    /// Finds which of the requested jobs are to be done, and removes checkpoints of no pending job.
    pub(super) fn inspect_folder(
        &mut self,
        folder: &ResultFolder,
        requested: &[&PlannedJob],
        interrupt: &Interrupt,
    ) {
        let file = self.file;
        let requested: HashSet<&str> = requested.iter().map(|job| &*job.id).collect();
        self.last_ends = folder.last_ends();
        let mut failed_before = Vec::new();
        for job in &file.jobs {
            let failed = |end: &LastEnd| end.error.is_some();
            let is_chosen =
                !file.settings.retry_failed || self.last_ends.get(&job.id).is_some_and(failed);
            let is_requested = is_chosen && requested.contains(&*job.id);
            let inspected = inspect(job, file, folder.path(), &mut self.hashes);
            if interrupt.requested() {
                self.summary.left += usize::from(is_requested);
                continue;
            }
            match inspected {
                Ok((manifest, status)) => {
                    let status = status.after(self.last_ends.get(&job.id));
                    if is_requested && matches!(status, Status::Failed(_)) {
                        failed_before.push(&*job.id);
                    }
                    self.add(job, manifest, status, is_requested);
                }
                Err(reason) if is_requested => {
                    self.summary.add(&job.id, &Err(reason));
                }
                Err(_) => {}
            }
        }
        self.notes.extend(note_of_failed(&failed_before));
        let names: HashSet<&str> = file.jobs.iter().map(|job| &*job.id).collect();
        for orphan in folder.orphans(&names) {
            let path = folder.path().join(orphan);
            let (path, file) = (path.display(), file.path.display());
            self.notes
                .push(format!("{path}.json belongs to no job of {file}"));
        }
        let mut jobs = file.jobs.iter();
        let has_all = requested.len() == names.len()
            && !file.settings.retry_failed
            && jobs.all(|job| job.unchecked.is_none());
        if has_all && !interrupt.requested() {
            folder.remove_checkpoints_except(self.pending.iter().map(|job| &job.manifest));
        }
    }

    fn add(&mut self, job: &'a PlannedJob, manifest: Manifest, status: Status, is_requested: bool) {
        if is_requested {
            match &status {
                Status::Stale(reason) => {
                    let note = format!("{}: out of date ({reason})", job.id);
                    self.notes.push(note);
                }
                Status::Damaged(reason) => {
                    let note = format!("{}: done again, for {reason}", job.id);
                    self.notes.push(note);
                }
                _ => {}
            }
            match status {
                Status::Done => self.summary.before += 1,
                _ => self.push(job, manifest),
            }
        }
        self.recorded.insert(&job.id, status);
    }

    fn push(&mut self, planned: &'a PlannedJob, manifest: Manifest) {
        let last = self.last_ends.get(&planned.id);
        self.pending.push(PendingJob {
            planned,
            manifest,
            demand: self.estimator.estimate(last, &planned.task),
        });
    }

    /// The jobs that failed the last time they were run, before this run, each with the reason.
    pub(super) fn failed_before(&self) -> impl Iterator<Item = (&'a str, &str)> {
        let jobs = self.file.jobs.iter().map(|job| &*job.id);
        jobs.filter_map(|job| match self.recorded.get(job) {
            Some(Status::Failed(reason)) => Some((job, &**reason)),
            _ => None,
        })
    }

    /// Orders the pending jobs so that those of one data file follow one another: its memory is
    /// freed before the next file is read. Jobs that failed before come last, so that they hold up
    /// nothing that may succeed, and behind them those that were under way when the last run was killed, for one of them may
    /// have done it: the one that was alone, if there is such, last of all.
    pub(super) fn order(&mut self, lost: &LostJobs) {
        let data = |job: &PendingJob<'a>| -> &'a Path { &job.planned.task.job().data };
        let mut first: HashMap<&Path, usize> = HashMap::new();
        for (index, job) in self.pending.iter().enumerate() {
            first.entry(data(job)).or_insert(index);
        }
        let recorded = &self.recorded;
        let has_failed = |job: &PendingJob| {
            let status = recorded.get(&*job.planned.id);
            matches!(status, Some(Status::Failed(_)))
        };
        let is_lost = |job: &PendingJob| lost.contains_key(&job.planned.id);
        let names = self.pending.iter().filter(|job| is_lost(job));
        let names: Vec<&str> = names.map(|job| &*job.planned.id).collect();
        self.notes.extend(note_of_lost(&names));
        self.pending
            .sort_by_key(|job| (lost.get(&job.planned.id), has_failed(job), first[data(job)]));
        self.lost.clone_from(lost);
    }

    /// How many of the pending jobs, the last, were under way when a run was killed.
    pub(super) fn suspects(&self) -> usize {
        let last = self.pending.iter().rev();
        last.take_while(|job| self.lost.contains_key(&job.planned.id))
            .count()
    }

    /// Restricts the pending jobs to those of these names, some of which only rank 0 has inspected.
    pub(super) fn restrict_to(&mut self, names: &[&str]) {
        let pending = std::mem::take(&mut self.pending).into_iter();
        let mut known: HashMap<&str, PendingJob> =
            pending.map(|job| (&*job.planned.id, job)).collect();
        let jobs: HashMap<&str, &PlannedJob> =
            self.file.jobs.iter().map(|job| (&*job.id, job)).collect();
        for name in names {
            if let Some(job) = known.remove(name) {
                self.pending.push(job);
                continue;
            }
            let Some(job) = jobs.get(name) else {
                continue;
            };
            match Manifest::of(job, self.file.folder(), &mut self.hashes) {
                Ok(manifest) => self.push(job, manifest),
                Err(reason) => {
                    self.summary.add(&job.id, &Err(reason));
                }
            }
        }
    }

    pub(super) fn resource_pool(&mut self, communicator: Option<&Communicator>) -> ResourcePool {
        let uses_gpus = self.pending.iter().any(|job| job.demand.uses_gpus());
        let gpus = match uses_gpus {
            true => self.estimator.gpu_count(),
            false => 0,
        };
        ResourcePool::new(&self.file.settings, gpus, communicator)
    }
}

/// The first names, and how many more there are.
fn listed(names: &[&str]) -> String {
    let shown = names.iter().take(NAMED_FAILURES).copied();
    let list = shown.collect::<Vec<_>>().join("; ");
    match names.len().saturating_sub(NAMED_FAILURES) {
        0 => list,
        more => format!("{list}; and {more} more"),
    }
}

/// What the user should know of jobs that were under way when the last run was killed.
fn note_of_lost(names: &[&str]) -> Option<String> {
    let list = listed(names);
    match names.len() {
        0 => None,
        1 => Some(format!(
            "1 job was under way when a run was killed, and is done last: {list}"
        )),
        count => Some(format!(
            "{count} jobs were under way when a run was killed, and are done last: {list}"
        )),
    }
}

/// What the user should know of jobs that failed the last time.
fn note_of_failed(names: &[&str]) -> Option<String> {
    let list = listed(names);
    match names.len() {
        0 => None,
        1 => Some(format!("1 job failed before and is tried again: {list}")),
        count => Some(format!(
            "{count} jobs failed before and are tried again, last: {list}"
        )),
    }
}
