//! The last step of a file: from its temporary name to its place.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

use tempfile::{NamedTempFile, PersistError};

use super::{error::OutputError, mark::Replaces};

/// Renames a file to its place, where another may have appeared since it was created.
pub(super) fn rename(
    file: NamedTempFile,
    target: &Path,
    replaces: Replaces,
) -> Result<(), PersistError> {
    if replaces == Replaces::AnyFile {
        return file.persist(target).map(drop);
    }
    let Err(error) = file.persist_noclobber(target) else {
        return Ok(());
    };
    let may_replace = match error.error.kind() {
        io::ErrorKind::AlreadyExists => replaces.allows(target),
        // Some file systems have neither links nor a rename that replaces nothing.
        _ => fs::symlink_metadata(target).is_err(),
    };
    match may_replace {
        true => error.file.persist(target).map(drop),
        false => Err(error),
    }
}

/// Gives a complete file whose place was taken meanwhile a name beside it; the error that says so.
pub(super) fn set_beside(mut file: NamedTempFile, path: &Path, target: &Path) -> OutputError {
    let taken = format!(
        "writing {} failed: a file that passel did not write has appeared there",
        path.display()
    );
    let error = |message, source| OutputError {
        message,
        source,
        is_place: false,
    };
    for number in 2..1000 {
        let mut name = target.file_name().unwrap_or_default().to_owned();
        name.push(format!("~{number}"));
        let beside = target.with_file_name(name);
        match file.persist_noclobber(&beside) {
            Ok(_) => {
                let message = format!("{taken}; the new one is {}", beside.display());
                return error(message, None);
            }
            Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => file = taken.file,
            Err(failed) => return error(taken, Some(failed.error)),
        }
    }
    error(taken, None)
}

/// A rename is only safe from a power cut once the folder itself is on the disk.
#[cfg(unix)]
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Some file systems cannot sync a folder, and a folder may be writable
        // without being readable: the file itself is safe by now.
        Err(error) if error.kind() != io::ErrorKind::StorageFull => Ok(()),
        done => done,
    }
}

#[cfg(not(unix))]
pub(super) fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}
