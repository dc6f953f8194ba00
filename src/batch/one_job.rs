//! Doing one job in this process, and storing what it finds.

use std::fs;

use serde::{Deserialize, Serialize};

use super::{
    error_chain,
    folder::{ResultFolder, StoredResult},
    manifest::{FileHashes, InputFile},
    survey::PendingJob,
};
use crate::{
    device::Resources,
    interrupt::Interrupt,
    memory::MemoryError,
    output::{OutputError, OutputFile, Replaces},
    progress::JobProgress,
    ranks::Communicator,
    run::{DataCache, Fault, Report, ResampleCheckpoint, RunContext, RunError, run_task},
    selection::Elapsed,
};

/// How a job that did not fail has ended.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum JobEnd {
    Done(Elapsed),
    Interrupted,
    /// It met a limit of memory of which other jobs held a part: the message.
    Crowded(String),
}

/// Why a job failed.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct JobFailure {
    pub(super) reason: String,
    /// Whether it was for want of room on a disk, which other jobs will want too.
    pub(super) is_disk_full: bool,
}

impl From<String> for JobFailure {
    fn from(reason: String) -> Self {
        Self {
            reason,
            is_disk_full: false,
        }
    }
}

impl From<OutputError> for JobFailure {
    fn from(error: OutputError) -> Self {
        Self {
            reason: error_chain(&error),
            is_disk_full: error.is_disk_full(),
        }
    }
}

/// What a job needs of the run that it is of.
pub(super) struct JobContext<'a> {
    pub(super) folder: &'a ResultFolder,
    pub(super) hashes: &'a FileHashes,
    pub(super) overwrite: bool,
    /// The ranks that work at the job together; `None` if this process does it alone.
    pub(super) partners: Option<&'a Communicator>,
    pub(super) interrupt: &'a Interrupt,
    pub(super) cache: &'a DataCache,
    pub(super) progress: &'a JobProgress,
    /// Whether the memory that the job may have is a part of what it would have alone.
    pub(super) shares_memory: bool,
}

impl JobContext<'_> {
    /// Does a job with what `apply` gives it of the machine.
    pub(super) fn run(
        &self,
        job: &PendingJob,
        apply: impl FnOnce(&mut Resources),
    ) -> Result<JobEnd, JobFailure> {
        let mut task = job.planned.task.clone();
        let runs_on_one_rank = task.runs_on_one_rank();
        let own = task.job_mut();
        apply(&mut own.resources);
        own.resources.communicator = self.partners.filter(|_| !runs_on_one_rank).cloned();
        own.start_timeout(self.interrupt);
        own.overwrite = self.overwrite;
        let report_kind = Replaces::Report.or_any(own.overwrite);
        // The report goes to the job's own output once the result is complete, not before.
        let output = own.output.take();
        let create = |path| OutputFile::create(path, report_kind);
        let output = output.as_deref().map(create).transpose()?;
        self.folder.check_place(&job.manifest.job)?;
        let checkpoint = self.folder.checkpoint(&job.manifest);
        if !Replaces::Checkpoint.allows(&checkpoint) {
            // There is none, or it is damaged.
            let _ = fs::remove_file(&checkpoint);
        }
        let fingerprint = serde_json::to_string(&job.manifest).unwrap_or_default();
        let context = RunContext {
            // So that the same job file elsewhere gives the same bytes.
            data: Some(&job.manifest.data),
            cache: Some(self.cache),
            board: Some((self.progress, &job.planned.id)),
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
        let has_rivals = |error: &MemoryError| self.shares_memory || error.has_rivals();
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
            Err(error) if self.partners.is_none() && error.memory().is_some_and(has_rivals) => {
                return Ok(JobEnd::Crowded(error_chain(&error)));
            }
            Err(error) => {
                let reason = error_chain(&error);
                let RunError::Incomplete(mut incomplete) = error else {
                    return Err(reason.into());
                };
                return Err(self.write_partial(job, reason, incomplete.report.as_mut()));
            }
        };
        let hashes = self.hashes;
        hashes.check_unchanged(&task).map_err(|path| {
            let path = path.display();
            format!("{path} changed while it was read: run again")
        })?;
        let elapsed = report.outcome.overview().elapsed;
        let stored = stored_result(job, &mut report)?;
        if let Some(file) = output {
            let text = report.render().map_err(|error| error_chain(&error))?;
            file.finish(&text)?;
        }
        let outputs = job.planned.task.output_files().into_iter();
        let outputs = outputs.map(|(option, path)| hashes.hash_output(path, option));
        let Ok(outputs) = outputs.collect::<Result<Vec<_>, _>>() else {
            // A list that lacks a file would disown it.
            return Ok(JobEnd::Interrupted);
        };
        let outputs: Vec<InputFile> = outputs.into_iter().flatten().collect();
        self.folder.write(&stored, &outputs)?;
        Ok(JobEnd::Done(elapsed))
    }

    /// Writes what a failed job found until then, if it found anything; why the job failed, and
    /// where that file is.
    fn write_partial(
        &self,
        job: &PendingJob,
        reason: String,
        report: Option<&mut Report>,
    ) -> JobFailure {
        let Some(report) = report else {
            return reason.into();
        };
        let stored = stored_result(job, report).map_err(JobFailure::from);
        let written = stored.and_then(|stored| Ok(self.folder.write_partial(&stored)?));
        match written {
            Ok(path) => format!("{reason}; the result so far is in {}", path.display()).into(),
            Err(error) => JobFailure {
                reason: format!(
                    "{reason}; the result so far could not be written: {}",
                    error.reason
                ),
                ..error
            },
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
