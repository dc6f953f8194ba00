//! Which file a path leads to, whatever its name.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The file at a path: two paths with the same identity lead to one file, through symbolic or hard
/// links, or to where one file would be made.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum FileIdentity {
    /// A file that exists, by the numbers of its device and inode.
    #[cfg(unix)]
    Inode(u64, u64),
    /// The whole path, without links.
    Path(PathBuf),
}

impl FileIdentity {
    /// The identity of a file, which need not exist; `None` for a device or a pipe, which any number
    /// of options may name: `/dev/null`.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        match path.metadata() {
            Ok(metadata) if !metadata.is_file() => return None,
            #[cfg(unix)]
            Ok(metadata) => {
                use std::os::unix::fs::MetadataExt;
                return Some(Self::Inode(metadata.dev(), metadata.ino()));
            }
            #[cfg(not(unix))]
            Ok(_) => {}
            Err(_) => {}
        }
        let target = follow_links(path).unwrap_or_else(|_| path.to_owned());
        let canonical = target.canonicalize().ok().or_else(|| {
            // The file does not exist yet, but its folder may, under another name.
            let folder = folder_of(&target).canonicalize().ok()?;
            Some(folder.join(target.file_name()?))
        });
        Some(Self::Path(canonical.unwrap_or(target)))
    }
}

/// The file a chain of symbolic links ends at, whether it exists or not
/// (`canonicalize` wants it to exist).
pub(super) fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..40 {
        match fs::symlink_metadata(&target) {
            Ok(facts) if facts.is_symlink() => {
                target = folder_of(&target).join(fs::read_link(&target)?);
            }
            _ => return Ok(target),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The folder a path lies in; `.` for a bare name.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
