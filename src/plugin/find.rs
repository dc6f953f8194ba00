//! Where libraries are looked for: beside the program and in the folders of [`PATH`]. Never in
//! the working directory by itself.

use std::{
    env,
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    fs, io,
    path::{Path, PathBuf},
};

use super::{PluginError, Refusal};

/// The variable with more folders, separated as those of `PATH` are. All libraries in them are
/// taken for plugins.
pub const PATH: &str = "PASSEL_PLUGIN_PATH";

/// The libraries that are there without being named, and the folders that cannot be read.
pub(super) fn libraries() -> (Vec<PathBuf>, Vec<PluginError>) {
    let mut found: Vec<PathBuf> = Vec::new();
    let own = format!("{DLL_PREFIX}passel_");
    for folder in beside_the_program() {
        // Not every program has both folders.
        for path in list(&folder).unwrap_or_default() {
            let name = path.file_name();
            let ours = name.is_some_and(|it| it.to_string_lossy().starts_with(&own));
            // Cargo leaves a second, maybe older, link to what lies in `deps`.
            if ours && !found.iter().any(|it| it.file_name() == name) {
                found.push(path);
            }
        }
    }
    let mut lost = Vec::new();
    let folders = env::var_os(PATH).unwrap_or_default();
    // An empty entry would be the working directory.
    for folder in env::split_paths(&folders).filter(|it| !it.as_os_str().is_empty()) {
        match list(&folder) {
            Ok(paths) => found.extend(paths),
            Err(error) => lost.push(unreadable(&folder, &error.to_string())),
        }
    }
    (found, lost)
}

/// The program's folder; where it is cargo's, `deps` in it or beside it first, which is what
/// cargo built last.
fn beside_the_program() -> Vec<PathBuf> {
    let program = env::current_exe().ok();
    let Some(folder) = program.as_deref().and_then(Path::parent) else {
        return Vec::new();
    };
    match folder.parent().filter(|_| folder.ends_with("deps")) {
        Some(parent) => vec![folder.to_owned(), parent.to_owned()],
        None => vec![folder.join("deps"), folder.to_owned()],
    }
}

/// The libraries of a folder by name, so that the order is the same anywhere.
fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(DLL_SUFFIX) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

pub(super) fn unreadable(path: &Path, reason: &str) -> PluginError {
    PluginError {
        path: path.to_owned(),
        refusal: Refusal::Unreadable {
            reason: reason.to_owned(),
        },
    }
}

/// The file behind links, if there is one.
pub(super) fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Notes a file; false for one seen before.
pub(super) fn is_new(path: &Path, seen: &mut Vec<PathBuf>) -> bool {
    let path = canonical(path);
    let new = !seen.contains(&path);
    if new {
        seen.push(path);
    }
    new
}
