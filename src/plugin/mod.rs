//! Plugins: shared libraries that bring methods by the contract of `plugins/abi/passel.h`.
//!
//! They are looked for ([`Plugins::find`]), loaded and never unloaded; whatever they say is
//! checked and copied once, so that from here on they are plain data. What is wrong with a
//! library is one error with its path, and passel goes on without it, unless it was named.

mod error;
mod find;
mod load;
mod methods;
mod read;
mod whole;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

pub use error::{Fault, MethodError, PluginError};
pub use find::PATH;
pub use methods::Declared;

use crate::score::PairScore;
use read::Declare;

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
    pub methods: Vec<Method>,
    /// The pair scores it brings.
    pub pair_scores: Vec<PairMethod>,
}

/// A selector of a plugin.
#[derive(Debug)]
pub struct Method {
    /// The name it is asked for by.
    pub name: String,
    /// What it is called in full.
    pub title: String,
    /// Its score, on one line.
    pub formula: String,
    /// Where it was published.
    pub source: String,
    /// Its parameters, in the plugin's order.
    pub parameters: Vec<Parameter>,
    /// The plugin it is of.
    pub plugin: String,
    declare: Declare,
}

/// A number that a selector's score depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairMethod {
    /// The name it is asked for by.
    pub name: String,
    /// What it is called in full.
    pub title: String,
    /// The score, on one line.
    pub formula: String,
    /// Where it was published.
    pub source: String,
    /// The plugin it is of.
    pub plugin: String,
    /// The score.
    pub score: PairScore,
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
            .map(|it| find::whole(&it.path))
            .collect();
        for path in named {
            if find::is_new(path, &mut seen) {
                found.add(path)?;
            }
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
    pub fn methods(&self) -> impl Iterator<Item = &Method> {
        self.0.plugins.iter().flat_map(|it| &it.methods)
    }

    /// The pair scores of all plugins.
    pub fn pair_scores(&self) -> impl Iterator<Item = &PairMethod> {
        self.0.plugins.iter().flat_map(|it| &it.pair_scores)
    }
}

impl Found {
    /// Loads one library, if what it brings is not there already.
    fn add(&mut self, path: &Path) -> Result<(), PluginError> {
        let plugin = load::load(path)?;
        for other in &self.plugins {
            if let Some((what, name)) = clash(&plugin, other) {
                let (name, by) = (name.to_owned(), other.path.clone());
                return Err(PluginError {
                    path: path.to_owned(),
                    fault: Fault::Taken { what, name, by },
                });
            }
        }
        self.plugins.push(plugin);
        Ok(())
    }
}

/// What two plugins both bring.
fn clash<'a>(plugin: &'a Plugin, other: &Plugin) -> Option<(&'static str, &'a str)> {
    let method = |it: &&Method| other.methods.iter().any(|has| has.name == it.name);
    let pair = |it: &&PairMethod| other.pair_scores.iter().any(|has| has.name == it.name);
    if plugin.name == other.name {
        return Some(("plugin", &plugin.name));
    }
    let method = plugin.methods.iter().find(method);
    let pair = || plugin.pair_scores.iter().find(pair);
    let method = method.map(|it| ("method", it.name.as_str()));
    method.or_else(|| pair().map(|it| ("pair score", it.name.as_str())))
}
