//! How the jobs of a file stand.

use std::path::Path;

use super::{
    BatchError, error_chain, folder,
    manifest::{Inputs, Manifest},
    room::{Demand, GpuCensus},
};
use crate::{
    interrupt::Interrupt,
    job::file::{JobFile, PlannedJob},
};

/// How a job of a file stands.
#[derive(Debug, Clone, PartialEq)]
pub enum Status {
    /// Its result is there.
    Done,
    /// There is none.
    Missing,
    /// Its result was made of something else, told here.
    Stale(String),
    /// What it reads cannot be read.
    Unreadable(String),
}

/// A job and how it stands.
#[derive(Debug, Clone)]
pub struct JobStatus<'a> {
    /// The job.
    pub planned: &'a PlannedJob,
    /// How it stands.
    pub status: Status,
    /// Bytes that it needs, by estimate.
    pub memory: u64,
}

/// The jobs of a file that a pattern matches, all without one: `*` and `?` stand for letters, and
/// without them a part is enough.
///
/// # Errors
/// The pattern is none, or matches no job.
pub fn matching_jobs<'a>(
    file: &'a JobFile,
    pattern: Option<&str>,
) -> Result<Vec<&'a PlannedJob>, BatchError> {
    let Some(pattern) = pattern else {
        return Ok(file.jobs.iter().collect());
    };
    let whole = match pattern.contains(['*', '?', '[']) {
        true => pattern.to_owned(),
        false => format!("*{pattern}*"),
    };
    let matcher = glob::Pattern::new(&whole).map_err(|error| BatchError::Pattern {
        pattern: pattern.to_owned(),
        reason: error.to_string(),
    })?;
    let jobs: Vec<_> = file
        .jobs
        .iter()
        .filter(|it| matcher.matches(&it.id))
        .collect();
    match jobs.is_empty() {
        true => Err(BatchError::NoJob {
            pattern: pattern.to_owned(),
        }),
        false => Ok(jobs),
    }
}

/// How these jobs of a file stand.
pub fn job_statuses<'a>(file: &JobFile, jobs: &[&'a PlannedJob]) -> Vec<JobStatus<'a>> {
    let folder = file.settings.folder(&file.path);
    let never = Interrupt::default();
    let (mut inputs, mut cards) = (Inputs::heeding(&never), GpuCensus::default());
    let mut standing = |planned: &&'a PlannedJob| JobStatus {
        planned,
        status: match Manifest::of(planned, file.folder(), &mut inputs) {
            Ok(manifest) => status(&folder, planned, &manifest, &inputs),
            Err(error) => Status::Unreadable(error_chain(&error)),
        },
        memory: Demand::of(&planned.task, &mut cards).memory,
    };
    jobs.iter().map(&mut standing).collect()
}

/// How a job stands that would be made of this.
pub(super) fn status(
    folder: &Path,
    planned: &PlannedJob,
    manifest: &Manifest,
    inputs: &Inputs,
) -> Status {
    let Some(there) = folder::head(folder, &planned.id) else {
        return Status::Missing;
    };
    if let Some(differs) = there.manifest.differs(manifest) {
        return Status::Stale(differs);
    }
    // Its other files are of it too, and as they were written.
    let written = planned.task.output_files();
    let files = match written.is_empty() {
        true => Vec::new(),
        false => folder::files(folder, &planned.id),
    };
    for (option, path) in written {
        let now = inputs.anew(path, option);
        if now.is_none_or(|it| !files.contains(&it)) {
            return Status::Stale(format!("{option} {} is not what it wrote", path.display()));
        }
    }
    Status::Done
}

/// A line a job: how it stands, about how much memory it needs, what it is called; and how many
/// stand how.
pub fn status_table(job_statuses: &[JobStatus]) -> String {
    let mut text = String::new();
    let mut open = 0;
    for JobStatus {
        planned,
        status,
        memory,
    } in job_statuses
    {
        let (word, why) = match status {
            Status::Done => ("done", String::new()),
            Status::Missing => ("missing", String::new()),
            Status::Stale(why) => ("stale", format!("  ({why})")),
            Status::Unreadable(why) => ("unreadable", format!("  ({why})")),
        };
        open += usize::from(*status != Status::Done);
        let memory = mebibytes(*memory);
        let (command, id) = (planned.task.command().name(), &planned.id);
        text += &format!("{word:<10}  {memory:>11}  {command:<9}  {id}{why}\n");
    }
    text + &format!("{} jobs, {open} to do\n", job_statuses.len())
}

fn mebibytes(bytes: u64) -> String {
    match bytes >> 20 {
        0 => "< 1 MiB".to_owned(),
        whole => format!("≈ {whole} MiB"),
    }
}
