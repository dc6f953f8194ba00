//! Looking up methods, scores and criteria in the plugins of a job.

use std::{
    collections::{HashMap, hash_map::Entry},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use super::{Job, OptionError, other_methods::instead_of};
use crate::plugin::{self, MethodError, PluginError, Plugins};

/// The plugins that were found, by the libraries named besides; clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct PluginLookup {
    found: Arc<Mutex<PluginCache>>,
    /// Whether libraries that jobs name are not loaded, but only looked at. What they bring is then
    /// unknown.
    is_inspection: bool,
}

type PluginCache = HashMap<Vec<PathBuf>, Result<Plugins, PluginError>>;

impl PluginLookup {
    /// A lookup that loads no library but those that are installed.
    #[cfg(feature = "program")]
    pub(super) fn inspection() -> Self {
        Self {
            is_inspection: true,
            ..Self::default()
        }
    }

    /// The plugins that are installed, and those of the libraries named.
    fn plugins(&self, named: &[PathBuf]) -> Result<Plugins, PluginError> {
        let cache = self.found.lock();
        let mut cache = cache.unwrap_or_else(PoisonError::into_inner);
        let found = cache.entry(named.to_owned());
        let find = || match self.is_inspection {
            true => {
                named.iter().try_for_each(|path| plugin::inspect(path))?;
                Plugins::find(&[])
            }
            false => Plugins::find(named),
        };
        let is_new = matches!(found, Entry::Vacant(_));
        let plugins = found.or_insert_with(find).clone();
        if let (true, Ok(plugins)) = (is_new, &plugins) {
            for refused in plugins.refused() {
                plugin::warn_once(&format!("{refused}; it is not used"));
            }
        }
        plugins
    }

    /// Adds the library of a plugin to those that a job depends on.
    pub(super) fn record_library(job: &mut Job, library: &Path) {
        if library.is_file() && !job.libraries.iter().any(|own| own == library) {
            job.libraries.push(library.to_owned());
        }
    }

    /// Looks something up in the plugins. An unknown name may come from a library that was refused,
    /// so the error says which; any other error is that of `refused`.
    pub(super) fn find<T>(
        &self,
        named: &[PathBuf],
        look_up: impl FnOnce(&Plugins) -> Result<T, MethodError>,
        refused: impl FnOnce(MethodError) -> OptionError,
    ) -> Result<T, OptionError> {
        let plugins = self.plugins(named);
        let plugins = plugins.map_err(|error| OptionError::new("plugins", error.to_string()))?;
        look_up(&plugins).map_err(|error| {
            let is_unknown = matches!(error, MethodError::UnknownName { .. });
            if is_unknown && self.is_inspection && !named.is_empty() {
                let message = format!("{error} unless a library that was not loaded brings it");
                return OptionError {
                    needs_library: true,
                    ..OptionError::new(error.option(), message)
                };
            }
            let reason = match (plugins.plugins(), plugins.refused()) {
                _ if !is_unknown => return refused(error),
                (_, [first]) => format!("a library was refused ({first})"),
                (_, [first, others @ ..]) => {
                    format!("a library was refused ({first}), and {} more", others.len())
                }
                ([], []) => "no plugin was found".to_owned(),
                (_, []) => return refused(error),
            };
            let message =
                format!("{error}: {reason}; `passel plugins` lists the places that are searched");
            OptionError::new(error.option(), message)
        })
    }
}

/// The error for a method or a score that does not exist, or not with these parameters.
pub(super) fn refused(error: MethodError) -> OptionError {
    if let MethodError::UnknownName { what, name, .. } = &error
        && *what == "method"
        && let Some(instead) = instead_of(name)
    {
        return OptionError::new(
            "method",
            format!("passel has no method `{name}`: {instead}"),
        );
    }
    let refused = OptionError::new(error.option(), error.to_string());
    match error.is_unknown() {
        true => refused.help("`passel methods` lists them"),
        false => refused,
    }
}
