//! A job whose options are being set, and how it becomes one that can run.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use passel_criteria::CriterionError;

use super::{Job, OPTIONS, OptionError, conflicts::conflicts, option, options::MethodClass};
use crate::{
    binning::Binning,
    nearest::nearest,
    plugin::{MethodError, PASS, PluginError, Plugins, ResolvedMethod},
    presentation::Format,
    score::PairScore,
    table::is_npy,
};

/// A job whose options are being set, starting from the defaults.
#[derive(Debug, Clone)]
pub struct JobDraft {
    pub(super) job: Job,
    /// The folder to which paths are relative.
    pub(super) folder: PathBuf,
    /// The options that were set for this job: those of a job file's `[defaults]` are not in it.
    pub(super) explicit: Vec<&'static str>,
    plugins: Arc<Mutex<PluginCache>>,
}

/// The plugins that were found, by the libraries named besides. Drafts of one origin share them.
type PluginCache = HashMap<Vec<PathBuf>, Result<Plugins, PluginError>>;

impl JobDraft {
    /// A draft with every option at its default.
    pub fn new(data: impl Into<PathBuf>) -> Self {
        Self {
            job: Job::new(data),
            folder: PathBuf::new(),
            explicit: Vec::new(),
            plugins: Arc::default(),
        }
    }

    /// Sets one option from its texts: one text for most, several for a list, `true` or `false` for a
    /// flag.
    ///
    /// # Errors
    /// There is no such option, or it does not take such a value.
    pub fn set(&mut self, name: &str, texts: &[String]) -> Result<(), OptionError> {
        let option = option(name).ok_or_else(|| OptionError::Unknown {
            option: name.to_owned(),
            nearest: nearest(name, OPTIONS.iter().map(|option| option.name)),
        })?;
        self.explicit.push(option.name);
        option.read(&mut self.job, texts)
    }

    /// Treats options as defaults: what they say need not concern the job's method.
    pub(super) fn mark_defaults(&mut self, is_default: impl Fn(&str) -> bool) {
        self.explicit.retain(|name| !is_default(name));
    }

    /// The checked job. Its paths are relative to the draft's folder.
    ///
    /// # Errors
    /// Every conflict between options, and a method or criterion that does not exist.
    pub fn check(mut self) -> Result<Job, Vec<OptionError>> {
        self.resolve_paths();
        let mut errors = conflicts(&self.job);
        match self.resolve_method() {
            Ok(()) => errors.extend(self.unused_options()),
            Err(error) => errors.push(error),
        }
        if let Err(error) = self.resolve_criterion()
            // A library that cannot be used fails both look-ups, and is one error.
            && !errors.iter().any(|other| other.to_string() == error.to_string())
        {
            errors.push(error);
        }
        match errors.is_empty() {
            true => Ok(self.job),
            false => Err(errors),
        }
    }

    /// The checked job of `passel pairs`, and its score.
    ///
    /// # Errors
    /// Every conflict between options, and a score that does not exist.
    pub(super) fn check_pairs(
        mut self,
        score: &str,
    ) -> Result<(Job, ResolvedMethod<PairScore>), Vec<OptionError>> {
        self.resolve_paths();
        let mut errors = conflicts(&self.job);
        if self.job.format == Format::Parquet {
            errors.push(OptionError::ParquetOfPass);
        }
        match self.find(|plugins| plugins.pair_score(score)) {
            Ok(score) if errors.is_empty() => {
                self.record_library(&score.plugin);
                return Ok((self.job, score));
            }
            Ok(_) => {}
            Err(error) => errors.push(error),
        }
        Err(errors)
    }

    /// Makes paths relative to the draft's folder.
    fn resolve_paths(&mut self) {
        let (folder, job) = (&self.folder, &mut self.job);
        let is_file = is_npy(&job.data);
        if let Some(response) = job.response.as_mut().filter(|_| is_file) {
            *response = folder.join(&*response).to_string_lossy().into_owned();
        }
        let outputs = [&mut job.output, &mut job.trace, &mut job.checkpoint];
        let inputs = job.plugins.iter_mut().chain([&mut job.data]);
        for path in outputs.into_iter().flatten().chain(inputs) {
            *path = folder.join(&*path);
        }
        for binning in [&mut job.binning, &mut job.bin_response] {
            if let Binning::Edges(file) = binning {
                *file = folder.join(&*file);
            }
        }
    }

    /// Finds the selector that the method names, unless that is `pass`.
    fn resolve_method(&mut self) -> Result<(), OptionError> {
        let method = &*self.job.method;
        if method != PASS {
            let selector = self.find(|plugins| plugins.method(method))?;
            self.record_library(&selector.plugin);
            self.job.selector = Some(selector);
        }
        if let Some(rule) = &mut self.job.stop.permutation {
            rule.seed = self.job.pass.seed;
        }
        Ok(())
    }

    /// Errors for options that the method does not use.
    fn unused_options(&self) -> Vec<OptionError> {
        let class = MethodClass::of_job(&self.job);
        let permutes = self.job.stop.permutation.is_some();
        let is_unused = |option: &&&str| !(class.uses(option) || permutes && **option == "seed");
        let unused = self.explicit.iter().filter(is_unused);
        let unused = unused.map(|option| OptionError::NotOfMethod {
            option,
            method: self.job.method.clone(),
        });
        let mut errors: Vec<_> = unused.collect();
        if class != MethodClass::Pass && self.job.format == Format::Parquet {
            errors.push(OptionError::ParquetOfPass);
        }
        errors
    }

    /// Finds the criterion among plugins, unless it is one of passel's own.
    fn resolve_criterion(&mut self) -> Result<(), OptionError> {
        let Some(value) = self.job.plugin_criterion.clone() else {
            return Ok(());
        };
        match self.find(|plugins| plugins.criterion(&value)) {
            Ok(criterion) => {
                self.record_library(&criterion.plugin);
                self.job.criterion = criterion.value;
                Ok(())
            }
            // The same error as for a misspelt criterion of passel's own.
            Err(OptionError::Method(MethodError::UnknownName { name, nearest, .. })) => {
                Err(OptionError::Criterion {
                    value,
                    error: CriterionError::UnknownName { name },
                    nearest,
                })
            }
            Err(error) => Err(error),
        }
    }

    fn plugins(&self) -> Result<Plugins, PluginError> {
        let cache = self.plugins.lock();
        let mut cache = cache.unwrap_or_else(PoisonError::into_inner);
        let named = &self.job.plugins;
        let found = cache.entry(named.clone());
        found.or_insert_with(|| Plugins::find(named)).clone()
    }

    /// Adds the library of a plugin to those that the job depends on.
    fn record_library(&mut self, plugin: &str) {
        let all = self.plugins().unwrap_or_default();
        let used = all.plugins().iter().find(|other| other.name == plugin);
        let library = used.map(|plugin| plugin.path.clone());
        let library = library.filter(|path| path.is_file() && !self.job.libraries.contains(path));
        self.job.libraries.extend(library);
    }

    /// Looks something up in the plugins. An unknown name may come from a library that was refused,
    /// so the error says which.
    fn find<T>(
        &self,
        look_up: impl FnOnce(&Plugins) -> Result<T, MethodError>,
    ) -> Result<T, OptionError> {
        let plugins = self.plugins()?;
        look_up(&plugins).map_err(|error| {
            let is_unknown = matches!(error, MethodError::UnknownName { .. });
            let reason = match (plugins.plugins(), plugins.refused()) {
                _ if !is_unknown => return error.into(),
                (_, [first]) => format!("a library was refused ({first})"),
                (_, [first, others @ ..]) => {
                    format!("a library was refused ({first}), and {} more", others.len())
                }
                ([], []) => "no plugin was found".to_owned(),
                (_, []) => return error.into(),
            };
            OptionError::NoPlugin {
                error: Box::new(error),
                reason,
            }
        })
    }
}
