//! Plugins that were installed: the folders of the user and of the system that they lie in, and the manifest beside each, by
//! which they are listed without being loaded.

use std::{
    env,
    env::consts::{ARCH, DLL_PREFIX, DLL_SUFFIX, OS},
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use passel_abi::PASSEL_ABI_VERSION;
use serde::{Deserialize, Serialize};

use super::{
    description::About,
    error::{PluginError, unreadable},
};
use crate::{interrupt::Interrupt, sha256};

/// What is known of an installed plugin without loading it: the file beside its library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it is, on one line.
    pub description: String,
    /// What else it says of itself.
    #[serde(flatten)]
    pub about: About,
    /// The processor and the system that its library is built for, as in `x86_64-linux`.
    pub platform: String,
    /// The version of the contract that it was compiled with.
    pub contract: u32,
    /// The SHA-256 of its library, in hexadecimal digits.
    pub sha256: String,
    /// The names of its methods.
    pub methods: Vec<String>,
    /// The names of its pair scores.
    pub pair_scores: Vec<String>,
    /// The names of its criteria.
    pub criteria: Vec<String>,
    /// The names of its families.
    pub families: Vec<String>,
}

/// A plugin in a folder of installed ones.
#[derive(Debug)]
pub struct Installed {
    /// Its library, which may be missing.
    pub library: PathBuf,
    /// Whether it is in the user's folder, and not in the system's.
    pub is_users: bool,
    /// What the manifest says, if there is one that can be read.
    pub manifest: Option<Manifest>,
    /// Why it is not used as it is.
    pub fault: Option<String>,
}

/// The processor and the system of this program, as in `x86_64-linux`.
pub(crate) fn platform() -> String {
    format!("{ARCH}-{OS}")
}

/// The path of the library of a plugin in a folder, by the plugin's name.
pub(crate) fn library_in(folder: &Path, name: &str) -> PathBuf {
    let stem = name.replace('-', "_");
    folder.join(format!("{DLL_PREFIX}{stem}{DLL_SUFFIX}"))
}

/// The path of the manifest of a library.
pub(crate) fn manifest_of(library: &Path) -> PathBuf {
    library.with_extension("json")
}

/// The folder that plugins are installed in for this user; none where the environment names no home.
pub(crate) fn user_folder() -> Option<PathBuf> {
    let data = user_data(OS, |name| env::var_os(name));
    Some(below(&data?, PASSEL_ABI_VERSION))
}

/// The folders of installed plugins that are searched, in their order, each with whether it is the user's: of each place that of
/// this version of the contract comes first, and then those of earlier ones, whose plugins work as well.
fn folders() -> Vec<(PathBuf, bool)> {
    let user = user_data(OS, |name| env::var_os(name));
    let system = system_data(OS, |name| env::var_os(name));
    let places = user.into_iter().map(|folder| (folder, true));
    let places = places.chain(system.into_iter().map(|folder| (folder, false)));
    places
        .flat_map(|(folder, is_users)| {
            let versions = (1..=PASSEL_ABI_VERSION).rev();
            versions.map(move |version| (below(&folder, version), is_users))
        })
        .collect()
}

fn below(data: &Path, contract: u32) -> PathBuf {
    let folder = data.join("passel").join("plugins");
    folder.join(contract.to_string()).join(platform())
}

/// Where a user's programs keep their data, by the convention of a system.
fn user_data(system: &str, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = |name| variable(name).map(PathBuf::from);
    // The specification of these variables has relative paths ignored.
    let folder = |name| folder(name).filter(|path| path.is_absolute());
    match system {
        "windows" => folder("APPDATA"),
        "macos" => folder("HOME").map(|home| home.join("Library/Application Support")),
        _ => {
            let share = || folder("HOME").map(|home| home.join(".local/share"));
            folder("XDG_DATA_HOME").or_else(share)
        }
    }
}

/// Where an administrator puts plugins for all users.
fn system_data(system: &str, variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    match system {
        "windows" => variable("ProgramData")
            .map(PathBuf::from)
            .into_iter()
            .collect(),
        "macos" => vec!["/Library/Application Support".into()],
        _ => ["/usr/local/lib", "/usr/lib"].map(PathBuf::from).to_vec(),
    }
}

/// The installed libraries, and an error for each folder that is there and cannot be read. A library stands in the place of
/// those of its file name in later folders.
pub(super) fn libraries() -> (Vec<PathBuf>, Vec<PluginError>) {
    let (mut libraries, mut refused): (Vec<PathBuf>, _) = (Vec::new(), Vec::new());
    for (folder, _) in folders() {
        match list(&folder) {
            Ok(paths) => {
                for path in paths {
                    let name = path.file_name();
                    if !libraries.iter().any(|other| other.file_name() == name) {
                        libraries.push(path);
                    }
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => refused.push(PluginError {
                path: folder,
                reason: unreadable(error),
            }),
        }
    }
    (libraries, refused)
}

/// The libraries in a folder, sorted by name: the order of loading must not depend on the system.
pub(super) fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
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

/// All that is installed for the user and in the system, by name in each folder; no library is loaded.
pub(crate) fn installed() -> Vec<Installed> {
    let of_folder = |(folder, is_users): (PathBuf, bool)| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut libraries: Vec<PathBuf> = entries
            .map(|entry| entry.path())
            .filter_map(|path| {
                let ending = path.extension()?.to_str()?;
                let is_part = ending == "json" || DLL_SUFFIX.ends_with(ending);
                is_part.then(|| path.with_extension(&DLL_SUFFIX[1..]))
            })
            .collect();
        libraries.sort();
        libraries.dedup();
        libraries
            .into_iter()
            .map(move |library| look(library, is_users))
    };
    let mut all: Vec<Installed> = folders().into_iter().flat_map(of_folder).collect();
    for at in 1..all.len() {
        let (before, [this, ..]) = all.split_at_mut(at) else {
            continue;
        };
        let name = this.library.file_name();
        let is_other =
            |other: &&Installed| other.library.file_name() == name && other.library.is_file();
        if let Some(other) = before.iter().find(is_other) {
            let place = other.library.display();
            this.fault = Some(format!("{place} stands in its place"));
        }
    }
    all
}

/// What there is of a plugin whose library has this path.
pub(crate) fn look(library: PathBuf, is_users: bool) -> Installed {
    let (manifest, fault) = match manifest(&library) {
        Ok(Some(manifest)) => {
            let fault = hash(&library, &manifest).err();
            (Some(manifest), fault)
        }
        Ok(None) => (None, None),
        Err(fault) => (None, Some(fault)),
    };
    Installed {
        library,
        is_users,
        manifest,
        fault,
    }
}

/// Refuses an installed library that is not the one of its manifest. What has none was put there by hand, and is taken as it
/// is. Its hash, where it was computed.
pub(super) fn check(library: &Path) -> Result<Option<String>, PluginError> {
    let checked = manifest(library).and_then(|manifest| match manifest {
        Some(manifest) => hash(library, &manifest).map(Some),
        None => Ok(None),
    });
    checked.map_err(|reason| PluginError {
        path: library.to_owned(),
        reason,
    })
}

fn manifest(library: &Path) -> Result<Option<Manifest>, String> {
    let path = manifest_of(library);
    let again =
        |reason: String| format!("its manifest {} {reason}; install it again", path.display());
    match fs::read_to_string(&path) {
        Ok(text) => serde_json::from_str(&text)
            .map(Some)
            .map_err(|error| again(format!("is no manifest: {error}"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(again(format!("cannot be read: {error}"))),
    }
}

/// The hash of a library, which is that of its manifest.
fn hash(library: &Path, manifest: &Manifest) -> Result<String, String> {
    if !library.is_file() {
        return Err(format!(
            "it is missing, and its manifest is there; install it again, or `passel plugins remove {}`",
            manifest.name
        ));
    }
    let hash = sha256::of_file(library, &Interrupt::default()).map_err(unreadable)?;
    match hash == manifest.sha256 {
        true => Ok(hash),
        false => Err(format!(
            "its SHA-256 is {hash}, and that of its manifest is {}: it is not the library that was installed; install it again",
            manifest.sha256
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(system: &str, variables: &[(&str, &str)]) -> (Option<PathBuf>, Vec<PathBuf>) {
        let variable = |name: &str| {
            let found = variables.iter().find(|(own, _)| *own == name);
            found.map(|(_, value)| OsString::from(value))
        };
        (user_data(system, variable), system_data(system, variable))
    }

    #[cfg(unix)]
    #[test]
    fn the_folders_are_those_of_each_system() {
        let home = ("HOME", "/home/ada");
        let (user, system) = of("linux", &[home]);
        assert_eq!(user, Some("/home/ada/.local/share".into()));
        assert_eq!(system, ["/usr/local/lib", "/usr/lib"].map(PathBuf::from));
        let (user, _) = of("linux", &[home, ("XDG_DATA_HOME", "/data")]);
        assert_eq!(user, Some("/data".into()));
        let (user, _) = of("linux", &[home, ("XDG_DATA_HOME", "data")]);
        assert_eq!(user, Some("/home/ada/.local/share".into()));
        assert_eq!(of("linux", &[]).0, None);
        let (user, system) = of("macos", &[home]);
        assert_eq!(user, Some("/home/ada/Library/Application Support".into()));
        assert_eq!(system, [PathBuf::from("/Library/Application Support")]);
        let windows = [("APPDATA", "/roaming"), ("ProgramData", "/all")];
        let (user, system) = of("windows", &windows);
        assert_eq!(
            (user, system),
            (Some("/roaming".into()), vec!["/all".into()])
        );
    }
}
