//! Where the check of a plugin is, which the process that waits for it tells should it die there.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, Write},
    path::Path,
    sync::{Mutex, OnceLock, PoisonError},
};

use crate::printable::printable;

static FILE: OnceLock<File> = OnceLock::new();
static ITEM: Mutex<String> = Mutex::new(String::new());

/// From now on the place is written into this file, which loses its name: it is gone with the processes that have it open, however
/// they end.
pub(super) fn begin(file: &Path) {
    // Without it less is told.
    if let Ok(open) = OpenOptions::new().write(true).open(file) {
        // Where a system keeps the names of open files, who made it removes it.
        let _ = fs::remove_file(file);
        // There is one check in a process.
        let _ = FILE.set(open);
    }
}

/// Something of the plugin is checked: `method jmi`.
pub(super) fn at(item: &str) {
    item.clone_into(&mut ITEM.lock().unwrap_or_else(PoisonError::into_inner));
    write(item);
}

/// What is asked of it now.
pub(super) fn step(step: &str) {
    let item = ITEM.lock().unwrap_or_else(PoisonError::into_inner);
    write(&format!("{item}, {step}"));
}

fn write(place: &str) {
    let rewrite = |mut file: &File| {
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(place.as_bytes())
    };
    // What is not written is not told.
    let _: Option<io::Result<()>> = FILE.get().map(rewrite);
}

/// The end of a message about a check that died, from its file.
pub(super) fn told(mut file: &File) -> String {
    let mut place = String::new();
    // As much as can be read.
    let _ = file.rewind().and_then(|()| file.read_to_string(&mut place));
    match place {
        place if place.is_empty() => String::new(),
        place => format!(", at {}", printable(&place)),
    }
}
