//! What a run would write is nothing that its jobs read.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

use super::{BatchError, folder::own_files};
use crate::{
    job::file::JobFile,
    output::{FileIdentity, folder_of},
};

/// Checks that no file that a run of these jobs writes is one that a job reads, by whatever name, or the
/// job file, and that no job writes into the folder of results.
///
/// # Errors
/// The first such file.
pub fn check_files(file: &JobFile) -> Result<(), BatchError> {
    let folder = file.settings.folder(&file.path);
    let names: HashSet<&str> = file.jobs.iter().map(|job| &*job.id).collect();
    let own = own_files(&folder, &names).into_iter();
    let own: HashMap<FileIdentity, PathBuf> = own
        .filter_map(|path| Some((FileIdentity::of(&path)?, path)))
        .collect();
    let find = |path: &Path| own.get(&FileIdentity::of(path)?);
    let mend = "name another folder of results with --output, or move the file";
    let refused = |written: &Path, reader: String| {
        let written = written.display();
        Err(BatchError::Refused(format!(
            "{written} is written by the run, and {reader}; {mend}"
        )))
    };
    if let Some(written) = find(&file.path) {
        return refused(written, "is the job file".to_owned());
    }
    // Many jobs read the same files.
    let mut known = HashSet::new();
    for planned in &file.jobs {
        for path in planned.task.job().files_read() {
            if known.contains(&path) {
                continue;
            }
            if let Some(written) = find(&path) {
                let (path, id) = (path.display(), &planned.id);
                return refused(written, format!("{id} reads it as {path}"));
            }
            known.insert(path);
        }
    }
    for planned in &file.jobs {
        for (option, path) in planned.task.output_files() {
            if is_in(path, &folder) {
                let (path, folder, id) = (path.display(), folder.display(), &planned.id);
                return Err(BatchError::Refused(format!(
                    "{option} of {id} is {path}, and the folder of results, {folder}, is for passel's \
                     own files; name another folder for one of them"
                )));
            }
        }
    }
    Ok(())
}

/// Whether a file is or would be in a folder, by whatever name.
fn is_in(path: &Path, folder: &Path) -> bool {
    let parent = folder_of(path);
    let whole = |path: &Path| path.canonicalize().ok();
    let folder = whole(folder);
    folder.is_some_and(|folder| whole(parent).is_some_and(|parent| parent.starts_with(folder)))
}
