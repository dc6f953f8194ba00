//! What can be read only once: standard input, a named pipe, a device.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::TableError;
use super::error::is_standard_input;
use super::failure::failure;
use crate::interrupt::Interrupt;
use crate::memory::MemoryBudget;

/// The content of every stream that was read: readers open their file several times.
static CONTENTS: Mutex<BTreeMap<PathBuf, &'static [u8]>> = Mutex::new(BTreeMap::new());

/// Whether a path names a pipe or a device. What opens one may wait for ever.
pub(super) fn is_stream(path: &Path) -> bool {
    let metadata = fs::metadata(path);
    metadata.is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// All that a stream has to give; `None` of a path that names none. An interrupt ends the wait for
/// it.
pub(super) fn content(
    path: &Path,
    interrupt: &Interrupt,
) -> Result<Option<&'static [u8]>, TableError> {
    let is_input = is_standard_input(path);
    if !is_input && !is_stream(path) {
        return Ok(None);
    }
    let mut contents = CONTENTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bytes) = contents.get(path) {
        return Ok(Some(bytes));
    }
    if is_input && io::stdin().is_terminal() {
        let message = "is a terminal; give it a file, as in `passel select - < data.csv`";
        return Err(TableError::content(path, message));
    }
    let named = path.to_owned();
    // Of the memory there is half: a table is to be made of it.
    let most = MemoryBudget::of_system().left() / 2;
    let read = interrupt.await_work(move || {
        let mut bytes = Vec::new();
        let read = match is_input {
            true => io::stdin().take(most).read_to_end(&mut bytes)?,
            false => File::open(named)?.take(most).read_to_end(&mut bytes)?,
        };
        match read as u64 == most {
            true => Err(io::ErrorKind::OutOfMemory.into()),
            false => Ok(bytes),
        }
    });
    let bytes: Vec<u8> = read
        .and_then(|bytes: io::Result<_>| bytes)
        .map_err(|error| failure(path, error))?;
    let bytes: &'static [u8] = bytes.leak();
    contents.insert(path.to_owned(), bytes);
    Ok(Some(bytes))
}
