//! Files that several jobs have to do with.

use std::{collections::HashMap, path::Path};

use super::{super::contradictions::place, LocatedJob, Mistake};

/// Files that one job writes and another writes or reads, or that hold the jobs.
pub(super) fn shared_files(jobs: &[LocatedJob], file: &Path, results: &Path) -> Vec<Mistake> {
    let (mut writers, mut readers) = (HashMap::new(), HashMap::new());
    for this in jobs {
        for (_, path) in this.planned.task.output_files() {
            if let Some(at) = place(path) {
                writers.entry(at).or_insert(this);
            }
        }
    }
    if writers.is_empty() {
        return Vec::new();
    }
    for this in jobs {
        let job = this.planned.task.job();
        for at in job.input_files().iter().filter_map(|it| place(it)) {
            readers.entry(at).or_insert(this);
        }
    }
    let own = place(file);
    let mut mistakes = Vec::new();
    for this in jobs {
        for (option, path) in this.planned.task.output_files() {
            let Some(at) = place(path) else {
                continue;
            };
            // Of two that write, the later one is told.
            let writer = writers
                .get(&at)
                .filter(|it| it.planned.id != this.planned.id);
            let reader = readers
                .get(&at)
                .filter(|it| it.planned.id != this.planned.id);
            let shown = path.display();
            let what = match (writer, reader) {
                _ if own.as_ref() == Some(&at) => "this is the job file".to_owned(),
                _ if path.starts_with(results) => {
                    format!("{shown} is in the folder of results, whose files are passel's own")
                }
                (Some(other), _) => format!("{} also writes {shown}", told(other, this)),
                (None, Some(other)) => format!("{} reads {shown}", told(other, this)),
                (None, None) => continue,
            };
            let place = Some(this.place_of(option));
            if mistakes.iter().any(|it: &Mistake| it.place == place) {
                continue;
            }
            mistakes.push(Mistake {
                place,
                what,
                label: "written here".to_owned(),
                help: Some(
                    "give each job a file of its own: {id} stands for what the job is called"
                        .to_owned(),
                ),
            });
        }
    }
    mistakes
}

/// How one job is called before another.
fn told(other: &LocatedJob, this: &LocatedJob) -> String {
    match other.number == this.number {
        true => format!("`{}` of the same grid", other.planned.id),
        false => format!("job {}", other.number),
    }
}
