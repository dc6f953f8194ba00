//! The folders that are searched for plugins: those of [`PATH`], the program's own, and those that plugins are installed in.
//! The working directory is not, unless [`PATH`] names it.

use std::{
    env,
    env::consts::DLL_PREFIX,
    path::{Path, PathBuf},
};

use super::{
    error::{PluginError, unreadable},
    installed::{self, list},
};

/// The environment variable with further folders, separated as in `PATH`. Every library in them
/// is taken for a plugin.
pub const PATH: &str = "PASSEL_PLUGIN_PATH";

/// The libraries that are found without being named.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// In the folders of [`PATH`].
    pub(super) in_folders: Vec<PathBuf>,
    /// Beside the program.
    pub(super) beside: Vec<PathBuf>,
    /// In the folders of installed plugins.
    pub(super) installed: Vec<PathBuf>,
    /// An error for each folder that cannot be read.
    pub(super) unreadable: Vec<PluginError>,
}

impl Found {
    pub(super) fn all(self) -> Vec<PathBuf> {
        [self.in_folders, self.beside, self.installed].concat()
    }
}

/// The libraries in the searched folders.
pub(super) fn libraries() -> Found {
    let mut found: Vec<PathBuf> = Vec::new();
    let own = format!("{DLL_PREFIX}passel_");
    for folder in program_folders() {
        // Not every program has both folders.
        for path in list(&folder).unwrap_or_default() {
            let name = path.file_name();
            let ours = name.is_some_and(|name| name.to_string_lossy().starts_with(&own));
            // Cargo leaves a second, maybe older, link to what lies in `deps`.
            if ours && !found.iter().any(|other| other.file_name() == name) {
                found.push(path);
            }
        }
    }
    let (mut in_folders, mut unreadable_folders) = (Vec::new(), Vec::new());
    let folders = env::var_os(PATH).unwrap_or_default();
    // An empty entry would be the working directory.
    for folder in env::split_paths(&folders).filter(|folder| !folder.as_os_str().is_empty()) {
        match list(&folder) {
            Ok(paths) => in_folders.extend(paths),
            Err(error) => unreadable_folders.push(PluginError {
                path: folder,
                reason: unreadable(error),
            }),
        }
    }
    let (installed, unreadable) = installed::libraries();
    unreadable_folders.extend(unreadable);
    Found {
        in_folders,
        beside: found,
        installed,
        unreadable: unreadable_folders,
    }
}

/// The program's folder and cargo's `deps` in or above it, which comes first: cargo builds there.
fn program_folders() -> Vec<PathBuf> {
    let program = env::current_exe().ok();
    let Some(folder) = program.as_deref().and_then(Path::parent) else {
        return Vec::new();
    };
    match folder.parent() {
        // Tests, and examples, which cargo puts beside `deps`.
        Some(parent) if folder.ends_with("deps") || folder.ends_with("examples") => {
            vec![parent.join("deps"), parent.to_owned()]
        }
        _ => vec![folder.join("deps"), folder.to_owned()],
    }
}

/// The path with symbolic links resolved; unchanged if the file does not exist.
pub(super) fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Adds a file to those seen; false if it was there already.
pub(super) fn is_new(path: &Path, seen: &mut Vec<PathBuf>) -> bool {
    let path = canonical(path);
    let new = !seen.contains(&path);
    if new {
        seen.push(path);
    }
    new
}
