//! Whether the jobs of a file are done, for `--list` and for a run.

use std::path::Path;

use super::{
    BatchError,
    folder::{self, NoResult},
    manifest::{FileHashes, Manifest},
    pool::DemandEstimator,
    times::LastEnd,
};
use crate::{
    interrupt::Interrupt,
    job::file::{JobFile, PlannedJob},
    memory::Bytes,
    nearest::plural,
    printable::{printable, without_place},
};

/// Whether a job of a file is done.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Status {
    /// Its result is in the folder and up to date.
    Done,
    /// It has no result.
    Missing,
    /// It has no result that is up to date, because it failed the last time; the text says why.
    Failed(String),
    /// Its result was made of something else; the text says what differs.
    Stale(String),
    /// Its result is not as it was written; the text says in what.
    Damaged(String),
    /// A file that it reads cannot be read; the text says why.
    Unreadable(String),
}

impl Status {
    /// The status of a job that ended like this the last time it was run.
    pub(super) fn after(self, last: Option<&LastEnd>) -> Self {
        match (self, last.and_then(|last| last.error.as_ref())) {
            (Self::Missing | Self::Stale(_), Some(reason)) => Self::Failed(reason.clone()),
            (status, _) => status,
        }
    }

    /// The word for it in tables, and the reason.
    pub(super) fn words(&self) -> (&'static str, Option<&str>) {
        match self {
            Self::Done => ("done", None),
            Self::Missing => ("missing", None),
            Self::Failed(reason) => ("failed", Some(reason)),
            Self::Stale(reason) => ("stale", Some(reason)),
            Self::Damaged(reason) => ("damaged", Some(reason)),
            Self::Unreadable(reason) => ("unreadable", Some(reason)),
        }
    }
}

/// The jobs of a file whose names match a pattern; all without one. `*` stands for any characters, `?`
/// for one; a pattern without them matches every name that contains it.
///
/// # Errors
/// The pattern is malformed, or matches no job.
pub fn matching_jobs<'a>(
    file: &'a JobFile,
    pattern: Option<&str>,
) -> Result<Vec<&'a PlannedJob>, BatchError> {
    let Some(pattern) = pattern else {
        return Ok(file.jobs.iter().collect());
    };
    let is_chosen = job_filter(pattern)?;
    let jobs: Vec<_> = file.jobs.iter().filter(|job| is_chosen(&job.id)).collect();
    match jobs.is_empty() {
        true => Err(BatchError::Refused(format!(
            "--only {pattern} matches no job; `--list` shows the names of the jobs"
        ))),
        false => Ok(jobs),
    }
}

/// Whether a pattern chooses the job of a name.
fn job_filter(pattern: &str) -> Result<impl Fn(&str) -> bool, BatchError> {
    let glob = match pattern.contains(['*', '?', '[']) {
        true => pattern.to_owned(),
        false => format!("*{pattern}*"),
    };
    let refused = |error| BatchError::Refused(format!("--only {pattern}: {error}"));
    let glob = glob::Pattern::new(&glob).map_err(refused)?;
    Ok(move |id: &str| glob.matches(id))
}

/// The manifest that a job's result would have now, and whether the stored result has it.
///
/// # Errors
/// A file that the job reads cannot be read, or it is not known what its plugins make of it.
pub(super) fn inspect(
    planned: &PlannedJob,
    file: &JobFile,
    folder: &Path,
    hashes: &mut FileHashes,
) -> Result<(Manifest, Status), String> {
    if let Some(reason) = &planned.unchecked {
        return Err(reason.clone());
    }
    let manifest = Manifest::of(planned, file.folder(), hashes)?;
    let status = compare(planned, &manifest, folder, hashes);
    Ok((manifest, status))
}

fn compare(
    planned: &PlannedJob,
    manifest: &Manifest,
    folder: &Path,
    hashes: &FileHashes,
) -> Status {
    let stored = match folder::read_manifest(folder, &planned.id) {
        Ok(stored) => stored,
        Err(NoResult::Missing) => return Status::Missing,
        Err(NoResult::Damaged(reason)) => return Status::Damaged(reason),
    };
    if let Some(difference) = stored.difference(manifest) {
        return Status::Stale(difference);
    }
    // The other files that the job wrote are part of its result.
    let outputs = planned.task.output_files();
    let recorded = match outputs.is_empty() {
        true => Vec::new(),
        false => folder::read_output_hashes(folder, &planned.id),
    };
    for (option, path) in outputs {
        let now = hashes.hash_output(path, option).unwrap_or(None);
        if now.is_none_or(|output| !recorded.contains(&output)) {
            let path = path.display();
            return Status::Stale(format!("{option} {path} is not the file that it wrote"));
        }
    }
    Status::Done
}

/// One line for each of these jobs of a file (status, estimated memory, command, name), then how many
/// jobs there are and how many are to be done.
pub fn status_table(file: &JobFile, jobs: &[&PlannedJob]) -> String {
    let folder = file.settings.folder(&file.path);
    let mut hashes = FileHashes::new(&Interrupt::default());
    let mut estimator = DemandEstimator::of_run(&file.settings, file.jobs.len());
    let last_ends = folder::last_ends(&folder);
    let mut text = String::new();
    let (mut pending, mut unknown) = (0, 0);
    for job in jobs {
        if let Some(reason) = &job.unchecked {
            unknown += 1;
            text += &format!(
                "{:<10}  {:>12}  {:<9}  {}  ({})\n",
                "unknown",
                "",
                "",
                job.id,
                printable(without_place(reason))
            );
            continue;
        }
        let status = match inspect(job, file, &folder, &mut hashes) {
            Ok((_, status)) => status.after(last_ends.get(&job.id)),
            Err(reason) => Status::Unreadable(reason),
        };
        pending += usize::from(status != Status::Done);
        let (word, reason) = status.words();
        let reason = reason.map_or(String::new(), |reason| {
            format!("  ({})", printable(without_place(reason)))
        });
        let memory = estimator.estimate(last_ends.get(&job.id), &job.task).memory;
        let memory = format!("≈ {}", Bytes(memory));
        let (command, id) = (job.task.command().name(), &job.id);
        text += &format!("{word:<10}  {memory:>12}  {command:<9}  {id}{reason}\n");
    }
    let (all, s) = (jobs.len(), plural(jobs.len()));
    text + &match unknown {
        0 => format!("{all} job{s}, {pending} to do\n"),
        unknown => format!("{all} job{s}, {pending} to do, {unknown} unknown\n"),
    }
}
