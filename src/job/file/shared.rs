//! Files that several jobs of a file use in ways that exclude each other.

use std::{collections::HashMap, path::Path};

use super::{super::conflicts::canonical_file, Mistake, expand::LocatedJob};

/// Mistakes for files that one job writes and another job reads or writes, and for files that a job
/// writes into the folder of results or over the job file.
pub(super) fn shared_files(jobs: &[LocatedJob], file: &Path, results: &Path) -> Vec<Mistake> {
    let (mut writers, mut readers) = (HashMap::new(), HashMap::new());
    for job in jobs {
        for (_, path) in job.planned.task.output_files() {
            if let Some(path) = canonical_file(path) {
                writers.entry(path).or_insert(job);
            }
        }
    }
    if writers.is_empty() {
        return Vec::new();
    }
    for job in jobs {
        let inputs = job.planned.task.job().input_files();
        for path in inputs.iter().filter_map(|path| canonical_file(path)) {
            readers.entry(path).or_insert(job);
        }
    }
    let job_file = canonical_file(file);
    let mut mistakes: Vec<Mistake> = Vec::new();
    for job in jobs {
        for (option, path) in job.planned.task.output_files() {
            let Some(target) = canonical_file(path) else {
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
            mistakes.push(Mistake::new(span, title, "written here").help(
                "give each job a file of its own: {id} stands for the name of the job".to_owned(),
            ));
        }
    }
    mistakes
}

/// What a message about a job calls another job.
fn describe(other: &LocatedJob, job: &LocatedJob) -> String {
    match other.number == job.number {
        true => format!("`{}` of the same grid", other.planned.id),
        false => format!("job {}", other.number),
    }
}
