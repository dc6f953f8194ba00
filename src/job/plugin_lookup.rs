//! Looking up methods, scores, criteria and families in the plugins of a job.

use std::{
    collections::{BTreeSet, HashMap, hash_map::Entry},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    Job, OptionError,
    other_methods::instead_of,
    plugin_questions::{Asking, Looked, PluginAsker, of_plugins},
};
use crate::plugin::{self, MethodError, Offered, PluginError, Plugins, ResolvedMethod};

/// The plugins that were found, by the libraries named besides; clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct PluginLookup {
    found: Arc<Mutex<PluginCache>>,
    place: Place,
    /// What is to be known of names that a library which was not loaded may bring as well.
    notes: Arc<Mutex<BTreeSet<String>>>,
}

type PluginCache = HashMap<Vec<PathBuf>, Result<Plugins, PluginError>>;

/// Where libraries are loaded.
#[derive(Debug, Clone, Default)]
enum Place {
    /// In this process.
    #[default]
    Here,
    /// In this process, but for those that jobs name, which are only looked at. What they bring is then unknown.
    Inspection,
    /// In another process.
    Elsewhere(Arc<PluginAsker>),
}

impl PluginLookup {
    /// A lookup that loads no library but those that are installed.
    #[cfg(feature = "program")]
    pub(super) fn inspection() -> Self {
        Self {
            place: Place::Inspection,
            ..Self::default()
        }
    }

    /// A lookup that loads no library, and asks another process.
    #[cfg(feature = "program")]
    pub(super) fn elsewhere(asker: PluginAsker) -> Self {
        Self {
            place: Place::Elsewhere(Arc::new(asker)),
            ..Self::default()
        }
    }

    /// Whether look-ups may end in errors that need not be mistakes.
    #[cfg(feature = "program")]
    pub(super) fn may_need_libraries(&self) -> bool {
        !matches!(self.place, Place::Here)
    }

    /// What is to be known of names that were looked up.
    #[cfg(feature = "program")]
    pub(super) fn notes(&self) -> Vec<String> {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.iter().cloned().collect()
    }

    /// The plugins that are installed, and those of the libraries named.
    pub(super) fn plugins(&self, named: &[PathBuf]) -> Result<Plugins, PluginError> {
        let cache = self.found.lock();
        let mut cache = cache.unwrap_or_else(PoisonError::into_inner);
        let found = cache.entry(named.to_owned());
        let find = || match self.place {
            Place::Inspection => {
                named.iter().try_for_each(|path| plugin::inspect(path))?;
                Plugins::find(&[])
            }
            _ => Plugins::find(named),
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

    /// Adds the library of a plugin, and the files that parameters name, to those that a job depends on.
    pub(super) fn record<T>(job: &mut Job, found: &ResolvedMethod<T>) {
        let library = &found.library;
        for file in &found.files {
            if !job.parameter_files.contains(file) {
                job.parameter_files.push(file.clone());
            }
        }
        if library.is_file() && !job.libraries.iter().any(|own| own == library) {
            job.libraries.push(library.to_owned());
        }
    }

    /// Looks something up in the plugins of a job. An unknown name may come from a library that was
    /// refused, so the error says which; any other error is that of `refused`.
    pub(super) fn find<T: Offered>(
        &self,
        asking: Asking<'_>,
        spec: &str,
        refused: impl FnOnce(MethodError) -> OptionError,
    ) -> Result<ResolvedMethod<T>, OptionError> {
        let looked = match &self.place {
            Place::Elsewhere(asker) => asker.ask::<T>(asking, spec)?,
            _ => {
                let plugins = self.plugins(asking.named).map_err(of_plugins)?;
                let plugins = plugins.starting_at(asking.folder);
                Looked {
                    found: T::look_up(&plugins, spec),
                    refused: plugins.refused().to_owned(),
                }
            }
        };
        // A library that the job names comes before those that are installed, whatever it brings.
        let may_be_other = matches!(self.place, Place::Inspection) && !asking.named.is_empty();
        let error = match looked.found {
            Ok(found) if may_be_other => {
                let (what, name, plugin) = (T::WHAT.name(), &found.name, &found.plugin);
                let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
                notes.insert(format!(
                    "{what} `{name}` is taken for that of plugin {plugin}; a library that jobs name was not loaded, and may bring its own: \
                     --open loads it"
                ));
                return Ok(found);
            }
            Ok(found) => return Ok(found),
            Err(error) if may_be_other => {
                let reason = "a plugin that it names was not loaded; --open loads it";
                return Err(OptionError::of_library(error.option(), reason));
            }
            Err(error) => error,
        };
        let is_unknown = matches!(error, MethodError::UnknownName { .. });
        let reason = match &looked.refused[..] {
            _ if !is_unknown => return Err(refused(error)),
            [] => return Err(refused(error)),
            [first] => format!("a library was refused ({first})"),
            [first, others @ ..] => {
                format!("a library was refused ({first}), and {} more", others.len())
            }
        };
        let message =
            format!("{error}: {reason}; `passel plugins` lists the places that are searched");
        Err(OptionError::new(error.option(), message))
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
