//! Plugins: shared libraries that bring methods by the contract of `plugins/abi/passel.h`.
//!
//! Libraries are looked for ([`Plugins::find`]), loaded and never unloaded. Their descriptions
//! are checked and copied once into plain data. A library that cannot be used gives one error
//! with its path, and passel goes on without it, unless it was named.

mod calls;
mod contract;
mod description;
mod elf;
mod error;
mod find;
mod load;
mod memory;
mod problem;
mod read;
mod resolve;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use passel_abi::passel_entry;

use description::{CriterionCall, MethodCall, PairCall};
pub use description::{MethodInfo, MethodParameter, Offer, Plugin};
pub use error::{MethodError, PASS, PluginError};
pub use find::PATH;
pub use resolve::{MethodKind, ResolvedMethod};

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
    FOUND.get_or_init(|| find::libraries().0)
}

/// All loaded plugins; cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Plugins(Arc<PluginSet>);

#[derive(Debug, Default)]
struct PluginSet {
    plugins: Vec<Plugin>,
    refused: Vec<PluginError>,
}

impl Plugins {
    /// Loads the plugins beside the program, those in the folders of [`PATH`], then those
    /// named by path. Libraries of the first two that cannot be used are
    /// [`refused`](Self::refused).
    ///
    /// # Errors
    /// A plugin that was named and cannot be used.
    pub fn find(named: &[PathBuf]) -> Result<Self, PluginError> {
        let (libraries, unreadable) = find::libraries();
        let mut set = PluginSet {
            plugins: Vec::new(),
            refused: unreadable,
        };
        let mut seen = Vec::new();
        for path in libraries {
            if find::is_new(&path, &mut seen) {
                let refused = load::load(&path).and_then(|plugin| set.add(plugin)).err();
                set.refused.extend(refused);
            }
        }
        let loaded = set.plugins.iter();
        let mut seen = loaded.map(|plugin| find::canonical(&plugin.path)).collect();
        for path in named {
            if find::is_new(path, &mut seen) {
                set.add(load::load(path)?)?;
            }
        }
        Ok(Self(Arc::new(set)))
    }

    /// Takes plugins that are part of the program: the constant `PLUGIN` that `passel_sdk::plugin!`
    /// makes in each crate, as in `Plugins::linked(&[passel_information::PLUGIN])`.
    ///
    /// # Errors
    /// A plugin that cannot be used, or brings a name that another has.
    pub fn linked(plugins: &[(&str, passel_entry)]) -> Result<Self, PluginError> {
        let mut set = PluginSet::default();
        for (name, entry) in plugins {
            set.add(load::linked(name, *entry)?)?;
        }
        Ok(Self(Arc::new(set)))
    }

    /// The plugins, in the order they were loaded.
    pub fn plugins(&self) -> &[Plugin] {
        &self.0.plugins
    }

    /// The libraries that were found and cannot be used, each with the reason.
    pub fn refused(&self) -> &[PluginError] {
        &self.0.refused
    }

    /// The selectors of all plugins.
    pub fn methods(&self) -> impl Iterator<Item = &Offer<MethodCall>> + Clone {
        self.0.plugins.iter().flat_map(|plugin| &plugin.methods)
    }

    /// The pair scores of all plugins.
    pub fn pair_scores(&self) -> impl Iterator<Item = &Offer<PairCall>> + Clone {
        self.0.plugins.iter().flat_map(|plugin| &plugin.pair_scores)
    }

    /// The criteria of all plugins.
    pub fn criteria(&self) -> impl Iterator<Item = &Offer<CriterionCall>> + Clone {
        self.0.plugins.iter().flat_map(|plugin| &plugin.criteria)
    }
}

impl PluginSet {
    /// Adds a plugin, if neither it nor anything that it brings has a name that is taken.
    fn add(&mut self, plugin: Plugin) -> Result<(), PluginError> {
        for other in &self.plugins {
            let taken = names(&plugin).find(|own| names(other).any(|their| their == *own));
            if let Some((what, name)) = taken {
                let by = other.path.display();
                let reason = format!("{what} `{name}` is there already, from {by}");
                let path = plugin.path.clone();
                return Err(PluginError { path, reason });
            }
        }
        self.plugins.push(plugin);
        Ok(())
    }
}

/// The names of a plugin and of everything that it brings, by kind.
fn names(plugin: &Plugin) -> impl Iterator<Item = (&'static str, &str)> {
    let methods = plugin.methods.iter().map(|one| ("method", &one.info));
    let pairs = plugin.pair_scores.iter();
    let pairs = pairs.map(|one| ("pair score", &one.info));
    let criteria = plugin.criteria.iter().map(|one| ("criterion", &one.info));
    let all = methods.chain(pairs).chain(criteria);
    let all = all.map(|(kind, info)| (kind, info.name.as_str()));
    std::iter::once(("plugin", plugin.name.as_str())).chain(all)
}
