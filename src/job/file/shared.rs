//! Files that several jobs of a file use in ways that exclude each other.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

use super::{Mistake, expand::LocatedJob};
use crate::output::{FileIdentity, Replaces};

/// Mistakes for files that one job writes and another job reads or writes, and for files that a job
/// writes into the folder of results or over the job file.
pub(super) fn shared_files(jobs: &[LocatedJob], file: &Path, results: &Path) -> Vec<Mistake> {
    let (mut writers, mut readers) = (HashMap::new(), HashMap::new());
    for job in jobs {
        for (_, path) in job.planned.task.output_files() {
            if let Some(path) = FileIdentity::of(path) {
                writers.entry(path).or_insert(job);
            }
        }
    }
    if writers.is_empty() {
        return Vec::new();
    }
    for job in jobs {
        for path in job.planned.task.job().files_read() {
            if let Some(path) = FileIdentity::of(&path) {
                readers.entry(path).or_insert(job);
            }
        }
    }
    let job_file = FileIdentity::of(file);
    let mut mistakes: Vec<Mistake> = Vec::new();
    for job in jobs {
        for (option, path) in job.planned.task.output_files() {
            let Some(target) = FileIdentity::of(path) else {
                continue;
            };
            let is_other = |other: &&&LocatedJob| other.planned.id != job.planned.id;
            // Of two writers, the later one is reported.
            let writer = writers.get(&target).filter(is_other);
            let reader = readers.get(&target).filter(is_other);
            let shown = path.display();
            let title = match (writer, reader) {
                _ if job_file.as_ref() == Some(&target) => "this is the job file".to_owned(),
                _ if path.starts_with(results) => {
                    format!("{shown} is in the folder of results, which is for passel's own files")
                }
                (Some(other), _) => format!("{} also writes {shown}", describe(other, job)),
                (None, Some(other)) => format!("{} reads {shown}", describe(other, job)),
                (None, None) => continue,
            };
            let span = Some(job.span_of(option));
            if mistakes.iter().any(|mistake| mistake.span == span) {
                continue;
            }
            let help = match (writer, reader) {
                (None, Some(_)) => "write it to another folder, or let the data be another file",
                _ => "give each job a file of its own: {id} stands for the name of the job",
            };
            mistakes.push(Mistake::new(span, title, "written here").help(help.to_owned()));
        }
    }
    mistakes
}

/// Those files that jobs read as their data which passel has written for a job of the same file.
pub(super) fn written_data(jobs: &[LocatedJob]) -> HashSet<FileIdentity> {
    let tasks = || jobs.iter().map(|job| &job.planned.task);
    let outputs: Vec<_> = tasks().flat_map(|task| task.output_files()).collect();
    if outputs.is_empty() {
        return HashSet::new();
    }
    let data: HashSet<&PathBuf> = tasks().map(|task| &task.job().data).collect();
    let data: HashSet<FileIdentity> = data
        .into_iter()
        .filter_map(|path| FileIdentity::of(path))
        .collect();
    let written = outputs.into_iter().filter_map(|(option, path)| {
        let file = FileIdentity::of(path).filter(|file| data.contains(file))?;
        let kind = match option {
            "trace" => Replaces::Trace,
            "matrix" => Replaces::Matrix,
            _ => Replaces::Report,
        };
        kind.allows(path).then_some(file)
    });
    written.collect()
}

/// What a message about a job calls another job.
fn describe(other: &LocatedJob, job: &LocatedJob) -> String {
    match other.number == job.number {
        true => format!("`{}` of the same grid", other.planned.id),
        false => format!("job {}", other.number),
    }
}
