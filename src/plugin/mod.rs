//! Plugins: shared libraries that bring methods by the contract of `plugins/abi/passel.h`.
//!
//! Libraries are looked for ([`Plugins::find`]), loaded and never unloaded. Their descriptions
//! are checked and copied once into plain data. A library that cannot be used gives one error
//! with its path, and passel goes on without it, unless it was named.
//!
//! A name means what the first plugin brings that has it: of those named by path, then of those in the folders of [`PATH`], then of
//! those beside the program or part of it, then of those that were installed. `PLUGIN/NAME`, or the path of a library in the place of `PLUGIN`, means that one's.

mod calls;
mod contract;
mod description;
mod elf;
#[cfg_attr(not(feature = "program"), allow(dead_code))]
mod elsewhere;
#[cfg_attr(not(feature = "program"), allow(dead_code))]
mod ends;
mod error;
mod family;
mod files;
mod find;
mod finish;
mod guard;
mod guard_pages;
mod installed;
#[cfg(test)]
mod layout_tests;
mod load;
#[cfg_attr(not(unix), allow(dead_code))]
mod mapped;
mod memory;
mod parameter;
mod problem;
mod process_state;
mod read;
mod resolve;
mod rise;
#[cfg_attr(not(feature = "program"), allow(dead_code))]
mod watchdog;

use std::{
    collections::BTreeSet,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use passel_abi::passel_entry;

pub use description::{About, MethodInfo, MethodParameter, Offer, Plugin};
use description::{CriterionCall, FamilyCall, MethodCall, PairCall};
pub(crate) use elsewhere::{Offered, Told, What};
#[cfg(feature = "program")]
pub(crate) use ends::{end, end_now, end_without_others, watch};
pub use error::{MethodError, PASS, PluginError};
pub use find::PATH;
#[cfg(feature = "program")]
pub(crate) use guard_pages::guarded;
pub use installed::{Installed, Manifest};
#[cfg(feature = "program")]
pub(crate) use installed::{installed, library_in, look, manifest_of, platform, user_folder};
use load::Whence;
#[cfg(feature = "program")]
pub(crate) use memory::is_name;
pub use resolve::{MethodKind, ResolvedMethod};
#[cfg(feature = "program")]
pub(crate) use watchdog::{HungNotice, hung_calls};

use crate::printable::printable_error;

/// Checks what can be known of a library without loading it, for which its initialisers would run: that it
/// is a file, whole, of this architecture and with a plugin's name.
///
/// # Errors
/// A library that cannot be used.
pub fn inspect(path: &Path) -> Result<(), PluginError> {
    load::inspect(path)
}

/// The libraries that are found without being named, as the program began with them.
pub(crate) fn installed_libraries() -> &'static [PathBuf] {
    static FOUND: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| find::libraries().all())
}

/// The plugins of passel that are part of the program: with them alone it has every method that ships.
const OWN: [(&str, passel_entry); 2] = [passel_information::PLUGIN, passel_relief::PLUGIN];

/// Whether a plugin of passel, which is part of the program, has this name: an installed one of the name is never used.
#[cfg(feature = "program")]
pub(crate) fn is_own(name: &str) -> bool {
    OWN.iter().any(|(own, _)| *own == name)
}

/// All loaded plugins; cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Plugins {
    set: Arc<PluginSet>,
    /// Where paths of libraries in names start.
    folder: PathBuf,
}

#[derive(Debug, Default)]
struct PluginSet {
    plugins: Vec<Plugin>,
    /// How many of them, the first, were named by path.
    named: usize,
    refused: Vec<PluginError>,
}

impl Plugins {
    /// Loads the plugins named by path, those in the folders of [`PATH`], those beside the program, those of passel that are part
    /// of it where none of their name was found, and those that were installed. Libraries in folders that cannot be used are
    /// [`refused`](Self::refused), and so is one whose plugin's name another has that was found, and an installed one that is
    /// not the library of its manifest.
    ///
    /// # Errors
    /// A plugin that was named and cannot be used.
    pub fn find(named: &[PathBuf]) -> Result<Self, PluginError> {
        let found = find::libraries();
        let mut seen = Vec::new();
        let mut set = PluginSet::named(named, &mut seen)?;
        set.refused = found.unreadable;
        let mut look = |set: &mut PluginSet, libraries: &[PathBuf], whence: Whence| {
            for path in libraries {
                if find::is_new(path, &mut seen) {
                    let refused = load::load(path, whence)
                        .and_then(|plugin| set.add(plugin))
                        .err();
                    set.refused.extend(refused);
                }
            }
        };
        look(&mut set, &found.in_folders, Whence::Folder);
        look(&mut set, &found.beside, Whence::Beside);
        for (name, entry) in OWN {
            let plugin = load::linked(name, entry)?;
            if set.of_name(&plugin.name).is_none() {
                set.plugins.push(plugin);
            }
        }
        for path in &found.installed {
            if find::is_new(path, &mut seen) {
                let loaded = installed::check(path).and_then(|hash| {
                    let plugin = load::load(path, Whence::Installed)?;
                    // It was computed a moment ago.
                    let _ = hash.map(|hash| plugin.hash.set(Some(hash)));
                    set.add(plugin)
                });
                set.refused.extend(loaded.err());
            }
        }
        Ok(Self::of(set))
    }

    /// Loads the plugins named by path, and no others.
    ///
    /// # Errors
    /// A plugin that cannot be used.
    #[cfg(feature = "program")]
    pub(crate) fn named(paths: &[PathBuf]) -> Result<Self, PluginError> {
        let set = PluginSet::named(paths, &mut Vec::new())?;
        Ok(Self::of(set))
    }

    fn of(set: PluginSet) -> Self {
        Self {
            set: Arc::new(set),
            folder: PathBuf::new(),
        }
    }

    /// The same plugins, by names in which paths of libraries start at a folder, and not at the working directory.
    pub(crate) fn starting_at(self, folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            ..self
        }
    }

    /// Takes plugins that are part of the program: the constant `PLUGIN` that `passel_sdk::plugin!`
    /// makes in each crate, as in `Plugins::linked(&[passel_information::PLUGIN])`.
    ///
    /// # Errors
    /// A plugin that cannot be used, or whose name another has.
    pub fn linked(plugins: &[(&str, passel_entry)]) -> Result<Self, PluginError> {
        let mut set = PluginSet::default();
        for (name, entry) in plugins {
            set.add(load::linked(name, *entry)?)?;
        }
        Ok(Self::of(set))
    }

    /// The plugins, in the order they were loaded.
    pub fn plugins(&self) -> &[Plugin] {
        &self.set.plugins
    }

    /// The libraries that were found and cannot be used, each with the reason.
    pub fn refused(&self) -> &[PluginError] {
        &self.set.refused
    }

    /// The selectors of all plugins.
    pub fn methods(&self) -> impl Iterator<Item = &Offer<MethodCall>> + Clone {
        self.set.plugins.iter().flat_map(|plugin| &plugin.methods)
    }

    /// The pair scores of all plugins.
    pub fn pair_scores(&self) -> impl Iterator<Item = &Offer<PairCall>> + Clone {
        self.set
            .plugins
            .iter()
            .flat_map(|plugin| &plugin.pair_scores)
    }

    /// The criteria of all plugins.
    pub fn criteria(&self) -> impl Iterator<Item = &Offer<CriterionCall>> + Clone {
        self.set.plugins.iter().flat_map(|plugin| &plugin.criteria)
    }

    /// The families of all plugins.
    pub fn families(&self) -> impl Iterator<Item = &Offer<FamilyCall>> + Clone {
        self.set.plugins.iter().flat_map(|plugin| &plugin.families)
    }
}

impl PluginSet {
    /// The plugins named by path.
    fn named(paths: &[PathBuf], seen: &mut Vec<PathBuf>) -> Result<Self, PluginError> {
        let new = paths.iter().filter(|path| find::is_new(path, seen));
        let plugins: Vec<Plugin> = new
            .map(|path| load::load(path, Whence::Named))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            named: plugins.len(),
            plugins,
            refused: Vec::new(),
        })
    }

    fn of_name(&self, name: &str) -> Option<usize> {
        self.plugins.iter().position(|other| other.name == name)
    }

    /// Adds a plugin that was found, if none that was found has its name. One that was named stands in its place, and it is
    /// left out.
    fn add(&mut self, plugin: Plugin) -> Result<(), PluginError> {
        match self.of_name(&plugin.name) {
            None => self.plugins.push(plugin),
            Some(other) if other < self.named => {}
            Some(other) => {
                let by = self.plugins[other].path.display();
                let reason = format!("plugin `{}` is there already, from {by}", plugin.name);
                let path = plugin.path;
                return Err(PluginError { path, reason });
            }
        }
        Ok(())
    }
}

/// Writes a warning on standard error, once in the life of the process.
pub(crate) fn warn_once(text: &str) {
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if told.insert(text.to_owned()) {
        // Standard error may be closed.
        let _ = writeln!(io::stderr(), "warning: {}", printable_error(text));
    }
}
