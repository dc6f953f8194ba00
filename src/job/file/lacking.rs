//! What jobs lack without which they cannot run: a response, folders to write to.

use std::{collections::HashSet, path::Path};

use super::{Mistake, expand::LocatedJob, mistakes::Mistakes};
use crate::{formula::Formula, table::names_response};

/// Mistakes for jobs whose data cannot name a response and whose options do not, and for files in folders
/// that are not there: one for each place of the file.
pub(super) fn lacking(jobs: &[LocatedJob]) -> Mistakes {
    let (mut mistakes, mut places) = (Mistakes::new(), HashSet::new());
    for job in jobs {
        let own = job.planned.task.job();
        let span = job.span_of("response");
        let formula = own.terms.formula.as_ref();
        let has_response = own.response.is_some()
            || own.responses.is_some()
            || names_response(&own.data)
            || formula.is_some_and(Formula::has_response);
        if !has_response && places.insert(span.clone()) {
            let title = "this job has no response, and its data name none";
            let mistake = Mistake::new(span, title, "a job without a response");
            mistakes.push(mistake.help("name its column: response = \"NAME\"".to_owned()));
        }
        for (option, path) in job.planned.task.output_files() {
            let span = job.span_of(option);
            if let Some((title, help)) = fault_of_place(path)
                && places.insert(span.clone())
            {
                let mistake = Mistake::new(span, title, "written here");
                mistakes.push(mistake.help(help.to_owned()));
            }
        }
    }
    mistakes
}

/// Why no file can be written there, and what would help.
fn fault_of_place(path: &Path) -> Option<(String, &'static str)> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let is_here = folder.as_os_str().is_empty();
    if !is_here && !folder.is_dir() {
        let title = format!("there is no folder {}", folder.display());
        let help = "make it first; paths are relative to the folder of the job file";
        return Some((title, help));
    }
    let title = format!("{} is a folder", path.display());
    path.is_dir().then_some((title, "name a file in it"))
}
