//! One job: what to read, what to search, where to write. A command line or a
//! job file fills in a [`JobDraft`] through one table of [`OPTIONS`]; only a
//! checked draft becomes a [`Job`], and only a job can run.

pub mod arguments;
mod contradictions;
mod error;
pub mod file;
mod given;
mod markdown;
#[cfg(test)]
mod method_tests;
mod opt;
mod options;
mod pairing;
mod running;
mod simulation;
mod stability;
pub mod task;
#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use passel_criteria::{Criterion, CriterionError, Ebic};

use crate::{
    binning::Binning,
    device::Resources,
    interrupt::Interrupt,
    nearest::nearest,
    plugin::{MethodError, MethodKind, PASS, PluginError, Plugins, ResolvedMethod},
    progress::Progress,
    report::Format,
    score::PairScore,
    search::Pass,
    selection::CONFIDENCE_LEVEL,
    selector::Stop,
    table::{Missing, input_files, is_npy},
};

use contradictions::{names_twice, parquet_without, same_file, same_files, traced_in_parts};
pub use error::OptionError;
pub use given::RawValues;
pub use markdown::options_markdown;
pub use opt::OptionSpec;
use options::Kind;
pub use options::{OPTIONS, PAIRS, RUN, STABILITY, option};
pub use pairing::{PairsDraft, PairsJob};
pub use running::RunSettings;
pub use simulation::{SIMULATE, Simulation, simulate_markdown};
pub use stability::{StabilityDraft, StabilityJob};
pub use task::Task;

/// One selection to be made, checked as far as it can be without its data.
#[derive(Debug, Clone)]
pub struct Job {
    /// The file of observations and variables.
    pub data: PathBuf,
    /// The response: a column, or a second file beside a `.npy`; none where the
    /// format of the data names it.
    pub response: Option<String>,
    /// Columns read as factors, whatever they look like.
    pub factor: Vec<String>,
    /// Variables every model holds.
    pub keep: Vec<String>,
    /// Columns left out.
    pub drop: Vec<String>,
    /// What to do with missing values.
    pub missing: Missing,
    /// How the candidates become codes, where levels are counted.
    pub binning: Binning,
    /// The same for the response.
    pub bin_response: Binning,
    /// Whether the model has an intercept.
    pub intercept: bool,
    /// The column of weights; none where all observations count alike.
    pub weights: Option<String>,
    /// Candidates before a prescreening; none where those of the file are all.
    pub p_total: Option<usize>,
    /// The level of the confidence intervals.
    pub level: f64,
    /// What chooses, as it was given: `pass`, `jmi`, `mifs:beta=0.5`.
    pub method: String,
    /// The selector of a plugin that the method names; none for `pass`.
    pub selector: Option<ResolvedMethod<MethodKind>>,
    /// When a selector ends.
    pub stop: Stop,
    /// What models are compared by.
    pub criterion: Arc<dyn Criterion>,
    /// The criterion as it was asked for, where it is not passel's own.
    pub plugin_criterion: Option<String>,
    /// Libraries loaded beside those found by themselves.
    pub plugins: Vec<PathBuf>,
    /// The libraries that method, criterion or score came from.
    pub libraries: Vec<PathBuf>,
    /// The search.
    pub pass: Pass,
    /// What it may run on.
    pub resources: Resources,
    /// The form of the report.
    pub format: Format,
    /// The command that asks for it, where it was one; for pages.
    pub command: Option<String>,
    /// Where the report goes; none for standard output.
    pub output: Option<PathBuf>,
    /// Where the trace goes; none for no trace.
    pub trace: Option<PathBuf>,
    /// Where the state of the search is kept, and gone on from; none where it is not.
    pub checkpoint: Option<PathBuf>,
    /// How progress is shown.
    pub progress: Progress,
    /// The request to stop that this job heeds.
    pub interrupt: Interrupt,
}

impl Job {
    /// The files that it reads, but for libraries.
    pub fn input_files(&self) -> Vec<PathBuf> {
        let mut all = input_files(&self.data);
        // A response is a file where the data are an array.
        let response = self.response.as_ref().filter(|_| is_npy(&self.data));
        all.extend(response.map(PathBuf::from));
        for binning in [&self.binning, &self.bin_response] {
            if let Binning::Edges(file) = binning {
                all.push(file.clone());
            }
        }
        all
    }
}

/// A job being filled in: defaults at first, then one option after another.
#[derive(Debug, Clone)]
pub struct JobDraft {
    job: Job,
    folder: PathBuf,
    /// The options set, but for a job file's defaults.
    given: Vec<&'static str>,
    /// The plugins there are, once they were looked for: method and criterion may both be
    /// theirs.
    plugins: Arc<Mutex<Found>>,
}

/// The plugins there are beside those named, by these.
type Found = HashMap<Vec<PathBuf>, Result<Plugins, PluginError>>;

impl JobDraft {
    /// A draft with every option at its default.
    pub fn new(data: impl Into<PathBuf>) -> Self {
        let job = Job {
            data: data.into(),
            response: None,
            factor: Vec::new(),
            keep: Vec::new(),
            drop: Vec::new(),
            missing: Missing::Refuse,
            binning: Binning::Auto,
            bin_response: Binning::Auto,
            intercept: true,
            weights: None,
            p_total: None,
            level: CONFIDENCE_LEVEL,
            method: PASS.to_owned(),
            selector: None,
            stop: Stop::default(),
            criterion: Arc::new(Ebic { gamma: 1.0 }),
            plugin_criterion: None,
            plugins: Vec::new(),
            libraries: Vec::new(),
            pass: Pass::default(),
            resources: Resources::default(),
            format: Format::Text,
            command: None,
            output: None,
            trace: None,
            checkpoint: None,
            progress: Progress::Auto,
            interrupt: Interrupt::default(),
        };
        Self {
            job,
            folder: PathBuf::new(),
            given: Vec::new(),
            plugins: Arc::default(),
        }
    }

    /// Sets one option from its texts: one for most, several for a list,
    /// `true` or `false` for a flag.
    ///
    /// # Errors
    /// An unknown option, or a value that the option does not take.
    pub fn set(&mut self, name: &str, values: &[String]) -> Result<(), OptionError> {
        let option = option(name).ok_or_else(|| OptionError::Unknown {
            option: name.to_owned(),
            nearest: nearest(name, OPTIONS.iter().map(|option| option.name)),
        })?;
        self.given.push(option.name);
        option.read(&mut self.job, values)
    }

    /// Forgets that what these options say was asked for: what a job file's defaults say need
    /// not concern every job.
    fn settle(&mut self, is_default: impl Fn(&str) -> bool) {
        self.given.retain(|it| !is_default(it));
    }

    /// The job, its paths taken from the draft's folder.
    ///
    /// # Errors
    /// Every pair of options that contradict each other, and a method that there is not.
    pub fn check(mut self) -> Result<Job, Vec<OptionError>> {
        let mut errors = self.at_home();
        let kind = match self.job.method.as_str() {
            PASS => Some(Kind::Pass),
            method => match self.found(|it| it.method(method)) {
                Ok(settled) => {
                    let kind = Kind::of(&settled.value);
                    self.came_from(&settled.plugin);
                    self.job.selector = Some(settled);
                    Some(kind)
                }
                Err(error) => {
                    errors.push(error);
                    None
                }
            },
        };
        if let Some(kind) = kind {
            let permuted = self.job.stop.permutation.is_some();
            let mut useless = self.without_meaning(kind);
            useless.retain(|it| !permuted || it.option() != "seed");
            errors.extend(useless);
            if let Some(rule) = &mut self.job.stop.permutation {
                rule.seed = self.job.pass.seed;
            }
            if kind != Kind::Pass && self.job.format == Format::Parquet {
                errors.push(OptionError::ParquetOfPass);
            }
        }
        if let Err(error) = self.settle_criterion() {
            // A library that cannot be used is one error, whoever looks for it.
            let told = error.to_string();
            if !errors.iter().any(|it| it.to_string() == told) {
                errors.push(error);
            }
        }
        if errors.is_empty() {
            Ok(self.job)
        } else {
            Err(errors)
        }
    }

    /// Looks for a criterion that is not passel's own.
    fn settle_criterion(&mut self) -> Result<(), OptionError> {
        let Some(value) = self.job.plugin_criterion.clone() else {
            return Ok(());
        };
        match self.found(|it| it.criterion(&value)) {
            Ok(settled) => {
                self.came_from(&settled.plugin);
                self.job.criterion = settled.value;
                Ok(())
            }
            // As of passel's own.
            Err(OptionError::Method(MethodError::UnknownName { name, nearest, .. })) => {
                let error = CriterionError::UnknownName { name };
                Err(OptionError::Criterion {
                    value,
                    error,
                    nearest,
                })
            }
            Err(error) => Err(error),
        }
    }

    /// The job of `passel pairs`, beside what only that has.
    fn check_pairs(
        mut self,
        score: &str,
    ) -> Result<(Job, ResolvedMethod<PairScore>), Vec<OptionError>> {
        let mut errors = self.at_home();
        if self.job.format == Format::Parquet {
            errors.push(OptionError::ParquetOfPass);
        }
        let found = self.found(|it| it.pair_score(score));
        match found {
            Ok(score) if errors.is_empty() => {
                self.came_from(&score.plugin);
                Ok((self.job, score))
            }
            Ok(_) => Err(errors),
            Err(error) => {
                errors.push(error);
                Err(errors)
            }
        }
    }

    /// The plugins there are, looked for once for all drafts of one origin.
    fn there_are(&self) -> Result<Plugins, PluginError> {
        let mut found = self.plugins.lock().unwrap_or_else(PoisonError::into_inner);
        let named = &self.job.plugins;
        let all = found.entry(named.clone());
        all.or_insert_with(|| Plugins::find(named)).clone()
    }

    /// Takes note of the library of a plugin that is used.
    fn came_from(&mut self, plugin: &str) {
        let all = self.there_are().unwrap_or_default();
        let used = all.plugins().iter().find(|it| it.name == plugin);
        let library = used.map(|it| it.path.clone());
        let library = library.filter(|it| it.is_file() && !self.job.libraries.contains(it));
        self.job.libraries.extend(library);
    }

    /// What the plugins there are have of it.
    fn found<T>(
        &self,
        of: impl FnOnce(&Plugins) -> Result<T, MethodError>,
    ) -> Result<T, OptionError> {
        let plugins = self.there_are()?;
        of(&plugins).map_err(|error| match (plugins.plugins(), plugins.refused()) {
            _ if !matches!(error, MethodError::UnknownName { .. }) => error.into(),
            (_, [first, others @ ..]) => OptionError::NoPlugin {
                error: Box::new(error),
                reason: match others.len() {
                    0 => format!("a library was not used ({first})"),
                    more => format!("a library was not used ({first}), nor {more} more"),
                },
            },
            ([], []) => OptionError::NoPlugin {
                error: Box::new(error),
                reason: "no plugin was found".to_owned(),
            },
            _ => error.into(),
        })
    }

    /// Options given that the method has no use for.
    fn without_meaning(&self, kind: Kind) -> Vec<OptionError> {
        let given = self.given.iter().filter(|it| !kind.uses(it));
        let error = |option: &&'static str| OptionError::NotOfMethod {
            option,
            method: self.job.method.clone(),
        };
        given.map(error).collect()
    }

    /// Takes paths from the draft's folder; what contradicts itself whatever the method.
    fn at_home(&mut self) -> Vec<OptionError> {
        let folder = &self.folder;
        let job = &mut self.job;
        let npy = is_npy(&job.data);
        if let Some(response) = job.response.as_mut().filter(|_| npy) {
            *response = folder.join(&*response).to_string_lossy().into_owned();
        }
        let files = [&mut job.output, &mut job.trace, &mut job.checkpoint];
        let written = files.map(Option::as_mut);
        let read = job.plugins.iter_mut().chain([&mut job.data]);
        for path in written.into_iter().flatten().chain(read) {
            *path = folder.join(&*path);
        }
        for binning in [&mut job.binning, &mut job.bin_response] {
            if let Binning::Edges(file) = binning {
                *file = folder.join(&*file);
            }
        }
        let mut errors = same_files(job, npy);
        errors.extend(names_twice(job));
        if let Some(max_size) = job.pass.max_size.filter(|&max| job.pass.start_size > max) {
            errors.push(OptionError::StartAboveMax {
                start_size: job.pass.start_size,
                max_size,
            });
        }
        errors.extend(parquet_without(job));
        errors.extend(traced_in_parts(job));
        errors
    }
}
