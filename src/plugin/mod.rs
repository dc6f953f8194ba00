//! Plugins: shared libraries that bring methods by the contract of `plugins/abi/passel.h`.
//!
//! They are looked for ([`Plugins::find`]), loaded and never unloaded; whatever they say is
//! checked and copied once, so that from here on they are plain data. What is wrong with a
//! library is one error with its path, and passel goes on without it, unless it was named.

mod calls;
mod elf;
mod error;
mod find;
mod lent;
mod load;
mod memory;
mod methods;
mod read;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

pub use error::{MethodError, PluginError, Refusal};
pub use find::PATH;
pub use methods::{MethodKind, ResolvedMethod};

use calls::{Declare, Run, Value};
use methods::PairWay;
use passel_abi::passel_entry;

/// The method that is passel's own: no plugin may bring one of this name.
pub const PASS: &str = "pass";

/// All plugins there are; cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Plugins(Arc<Found>);

#[derive(Debug, Default)]
struct Found {
    plugins: Vec<Plugin>,
    refused: Vec<PluginError>,
}

/// One plugin, as it was loaded.
#[derive(Debug)]
pub struct Plugin {
    /// Its name, which its library's name holds.
    pub name: String,
    /// Its own version.
    pub version: String,
    /// What it is, on one line.
    pub description: String,
    /// Its library.
    pub path: PathBuf,
    /// The selectors it brings.
    pub methods: Vec<PluginMethod>,
    /// The pair scores it brings.
    pub pair_scores: Vec<PluginPairScore>,
    /// The criteria it brings.
    pub criteria: Vec<PluginCriterion>,
}

/// What is known of a method, whatever it does.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodInfo {
    /// The name it is asked for by.
    pub name: String,
    /// What it is called in full.
    pub title: String,
    /// What it computes, on one line.
    pub formula: String,
    /// Where it was published.
    pub source: String,
    /// Its parameters, in the plugin's order.
    pub parameters: Vec<MethodParameter>,
    /// The plugin it is of.
    pub plugin: String,
}

/// A selector of a plugin.
#[derive(Debug)]
pub struct PluginMethod {
    /// How it is asked for.
    pub info: MethodInfo,
    way: Way,
}

#[derive(Debug)]
enum Way {
    Declares(Declare),
    Ranks(Run),
    Regresses(Run),
}

/// A number that a method depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodParameter {
    /// The name in `method:name=number`.
    pub name: String,
    /// What it does, on one line.
    pub help: String,
    /// The value when it is not given.
    pub default: f64,
    /// Smallest value allowed.
    pub least: f64,
    /// Largest value allowed.
    pub most: f64,
}

/// A pair score of a plugin.
#[derive(Debug)]
pub struct PluginPairScore {
    /// How it is asked for.
    pub info: MethodInfo,
    way: PairWay,
}

/// A criterion of a plugin.
#[derive(Debug)]
pub struct PluginCriterion {
    /// How it is asked for.
    pub info: MethodInfo,
    value: Value,
}

impl Plugins {
    /// Loads the plugins beside the program, those in the folders of [`PATH`], then those
    /// named by path. What cannot be used of the first two is [`refused`](Self::refused).
    ///
    /// # Errors
    /// A plugin that was named and cannot be used.
    pub fn find(named: &[PathBuf]) -> Result<Self, PluginError> {
        let mut found = Found::default();
        let mut seen = Vec::new();
        let (libraries, lost) = find::libraries();
        found.refused = lost;
        for path in libraries {
            if find::is_new(&path, &mut seen) {
                let refused = found.add(&path).err();
                found.refused.extend(refused);
            }
        }
        let mut seen = found
            .plugins
            .iter()
            .map(|it| find::canonical(&it.path))
            .collect();
        for path in named {
            if find::is_new(path, &mut seen) {
                found.add(path)?;
            }
        }
        Ok(Self(Arc::new(found)))
    }

    /// Plugins that are part of the program: each `PLUGIN` of what `passel_sdk::plugin!` makes.
    ///
    /// # Errors
    /// One that cannot be used, or brings what another has.
    pub fn linked(plugins: &[(&str, passel_entry)]) -> Result<Self, PluginError> {
        let mut found = Found::default();
        for (name, entry) in plugins {
            found.take(load::linked(name, *entry)?)?;
        }
        Ok(Self(Arc::new(found)))
    }

    /// The plugins, in the order they were loaded.
    pub fn plugins(&self) -> &[Plugin] {
        &self.0.plugins
    }

    /// What was found and is not used, and why.
    pub fn refused(&self) -> &[PluginError] {
        &self.0.refused
    }

    /// The selectors of all plugins.
    pub fn methods(&self) -> impl Iterator<Item = &PluginMethod> {
        self.0.plugins.iter().flat_map(|it| &it.methods)
    }

    /// The pair scores of all plugins.
    pub fn pair_scores(&self) -> impl Iterator<Item = &PluginPairScore> {
        self.0.plugins.iter().flat_map(|it| &it.pair_scores)
    }

    /// The criteria of all plugins.
    pub fn criteria(&self) -> impl Iterator<Item = &PluginCriterion> {
        self.0.plugins.iter().flat_map(|it| &it.criteria)
    }
}

impl Found {
    /// Loads one library, if what it brings is not there already.
    fn add(&mut self, path: &Path) -> Result<(), PluginError> {
        self.take(load::load(path)?)
    }

    fn take(&mut self, plugin: Plugin) -> Result<(), PluginError> {
        for other in &self.plugins {
            if let Some((what, name)) = clash(&plugin, other) {
                let (name, by) = (name.to_owned(), other.path.clone());
                return Err(PluginError {
                    path: plugin.path.clone(),
                    refusal: Refusal::Taken { what, name, by },
                });
            }
        }
        self.plugins.push(plugin);
        Ok(())
    }
}

/// What two plugins both bring.
fn clash<'a>(plugin: &'a Plugin, other: &Plugin) -> Option<(&'static str, &'a str)> {
    if plugin.name == other.name {
        return Some(("plugin", &plugin.name));
    }
    let theirs = names(other);
    names(plugin).find(|it| theirs.clone().any(|has| has == *it))
}

/// What a plugin brings, by kind and name.
fn names(plugin: &Plugin) -> impl Iterator<Item = (&'static str, &str)> + Clone {
    let methods = plugin
        .methods
        .iter()
        .map(|it| ("method", it.info.name.as_str()));
    let pairs = plugin
        .pair_scores
        .iter()
        .map(|it| ("pair score", it.info.name.as_str()));
    let criteria = plugin
        .criteria
        .iter()
        .map(|it| ("criterion", it.info.name.as_str()));
    methods.chain(pairs).chain(criteria)
}
