//! Temporary files: made beside the files that they become, locked while their maker lives, and
//! removed by whoever finds them without one.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::Path,
    time::{Duration, SystemTime},
};

use tempfile::NamedTempFile;

use super::identity::folder_of;
use crate::{fnv::Fnv, machine};

/// Every temporary file is `.passel-HOST-RANDOM.tmp`.
const PREFIX: &str = ".passel-";
const SUFFIX: &str = ".tmp";
const RANDOM: usize = 6;

/// The age from which a file of another machine, whose locks may not be seen here, is swept.
const OLD: Duration = Duration::from_secs(24 * 60 * 60);

/// A temporary file that will have the permissions of the file it replaces, or those of any new file.
/// It is locked as long as it is open, which tells others that its maker lives.
pub(super) fn create(folder: &Path, existing: Option<&fs::Metadata>) -> io::Result<NamedTempFile> {
    let prefix = prefix_of_host();
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(SUFFIX).rand_bytes(RANDOM);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Given at creation, so the umask is taken off: never 0600.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    // Another process may sweep the file before it is locked.
    let file = loop {
        let file = builder.tempfile_in(folder).map_err(bare)?;
        if is_held(file.as_file())? {
            break file;
        }
    };
    if let Some(existing) = existing {
        file.as_file().set_permissions(existing.permissions())?;
    }
    Ok(file)
}

/// Locks a new file; false if another process has removed it, or is about to.
fn is_held(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => return Ok(false),
        // Without locks nobody sweeps.
        Err(TryLockError::Error(_)) => return Ok(true),
        Ok(()) => {}
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Ok(file.metadata()?.nlink() > 0)
    }
    #[cfg(not(unix))]
    Ok(true)
}

/// Removes the temporary files in a folder whose makers are gone. In a folder that `is_own`, which no
/// other process writes to, those of other machines too, however new they are. What cannot be removed
/// stays.
pub(crate) fn sweep(folder: &Path, is_own: bool) {
    let prefix = prefix_of_host();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| is_temporary(name)) else {
            continue;
        };
        let may_sweep = is_own || name.starts_with(&prefix) || is_old(&entry);
        // A pipe of that name would have to be waited for.
        if may_sweep && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            remove_unlocked(&entry.path());
        }
    }
}

/// Removes the temporary files that were left beside any of these files by processes that are gone.
pub(crate) fn sweep_beside<'a>(files: impl Iterator<Item = &'a Path>) {
    let folders: BTreeSet<&Path> = files.map(folder_of).collect();
    for folder in folders {
        sweep(folder, false);
    }
}

/// Removes a file unless its maker holds the lock.
fn remove_unlocked(path: &Path) {
    let file = OpenOptions::new().read(true).write(true).open(path);
    // The lock is held until the file is gone: see `create`.
    if let Ok(file) = file
        && file.try_lock().is_ok()
    {
        let _ = fs::remove_file(path);
    }
}

fn is_old(entry: &fs::DirEntry) -> bool {
    let modified = entry.metadata().and_then(|metadata| metadata.modified());
    let age = modified.map(|modified| SystemTime::now().duration_since(modified));
    matches!(age, Ok(Ok(age)) if age > OLD)
}

fn is_temporary(name: &str) -> bool {
    let own = name.strip_prefix(PREFIX);
    let own = own.and_then(|own| own.strip_suffix(SUFFIX));
    own.and_then(|own| own.split_once('-'))
        .is_some_and(|(host, random)| {
            let is_hash = host.bytes().all(|byte| byte.is_ascii_hexdigit());
            let is_random = random.bytes().all(|byte| byte.is_ascii_alphanumeric());
            (host.len(), random.len()) == (8, RANDOM) && is_hash && is_random
        })
}

/// The beginning of the names of this machine's temporary files.
fn prefix_of_host() -> String {
    let hash = Fnv::new().part(machine::host().as_bytes()).finish();
    format!("{PREFIX}{:08x}-", hash as u32)
}

/// The error without the hidden file's name, which would only puzzle a reader.
fn bare(error: io::Error) -> io::Error {
    // Some reasons have no name but their number, which nothing but the text of the error holds.
    let text = error.to_string();
    let number = text.split_once("(os error ");
    let number = number.and_then(|(_, number)| number.split_once(')'));
    match number.and_then(|(number, _)| number.parse().ok()) {
        Some(number) => io::Error::from_raw_os_error(number),
        None => error.kind().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn files_without_a_maker_are_swept_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let of_dead = create(folder.path(), None).unwrap();
        let (file, path) = of_dead.keep().unwrap();
        drop(file);
        let of_living = create(folder.path(), None).unwrap();
        let of_user = [
            ".passel-backup",
            ".passel-notes.tmp",
            "passel-00000000-abcdef.tmp",
        ];
        let elsewhere = ".passel-zzzzzzzz-abcdef.tmp".replace('z', "0");
        for name in of_user.into_iter().chain([&*elsewhere]) {
            fs::write(folder.path().join(name), "kept").unwrap();
        }
        assert!(path.exists());
        sweep(folder.path(), false);
        let living = of_living.path().file_name().unwrap().to_str().unwrap();
        let mut left = vec![living, &*elsewhere];
        left.extend(of_user);
        left.sort_unstable();
        assert_eq!(names(folder.path()), left);
        sweep(folder.path(), true);
        left.retain(|name| *name != elsewhere);
        assert_eq!(names(folder.path()), left);
    }
}
