//! What the system says of a file that it does not open or read.

use std::io;
use std::path::Path;

use super::TableError;
use super::error::as_given;
use crate::interrupt::Interrupted;
use crate::nearest::near;
use crate::system_limits::with_mend;

/// Names of a folder that are compared with one that is not there.
const FILES_COMPARED: usize = 1000;

/// What the system says of a file, as an error of reading it.
pub(super) fn failure(path: &Path, error: io::Error) -> TableError {
    let path = as_given(path);
    match error.kind() {
        _ if is_interrupt(&error) => TableError::Interrupted(Interrupted),
        io::ErrorKind::NotFound => TableError::NotFound {
            near: near_files(&path),
            path,
        },
        io::ErrorKind::PermissionDenied => TableError::PermissionDenied { path },
        io::ErrorKind::IsADirectory => TableError::Directory { path },
        _ => TableError::Io {
            path,
            source: with_mend(error),
        },
    }
}

impl TableError {
    /// What the system says of a file, some of which stayed there to be read when it is needed.
    pub(crate) fn unread(path: &Path, error: io::Error) -> Self {
        failure(path, error)
    }
}

/// Names like that of a file that is not there, of files beside it.
fn near_files(path: &str) -> Vec<String> {
    let path = Path::new(path);
    let (Some(name), Some(folder)) = (path.file_name(), path.parent()) else {
        return Vec::new();
    };
    let folder = Path::new(".").join(folder);
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.take(FILES_COMPARED).collect();
    names.sort_unstable();
    near(&name.to_string_lossy(), names.iter().map(String::as_str))
}

/// Whether an error is an interrupt's, in whatever wrapping it came.
pub(super) fn is_interrupt(error: &io::Error) -> bool {
    let inner = error.get_ref();
    inner.is_some_and(|inner| inner.is::<Interrupted>())
}
