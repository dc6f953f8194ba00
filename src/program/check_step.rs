//! Where the check of a plugin is, which the process that waits for it tells should it die there.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
};

use crate::printable::printable;

static FILE: OnceLock<PathBuf> = OnceLock::new();
static ITEM: Mutex<String> = Mutex::new(String::new());

/// From now on the place is written into this file.
pub(super) fn begin(file: &Path) {
    // There is one check in a process.
    let _ = FILE.set(file.to_owned());
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
    if let Some(file) = FILE.get() {
        // Without it less is told.
        let _ = fs::write(file, place);
    }
}

/// The end of a message about a check that died, from its file.
pub(super) fn told(file: &Path) -> String {
    match fs::read_to_string(file).unwrap_or_default() {
        place if place.is_empty() => String::new(),
        place => format!(", at {}", printable(&place)),
    }
}
