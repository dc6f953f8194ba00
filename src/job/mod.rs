//! Jobs: what to read, what to do with it and where to write the report.
//!
//! A command line or a job file sets the options of a [`JobDraft`] through the table [`OPTIONS`]. Only
//! a checked draft becomes a [`Job`], and only a job can run.

#[cfg(feature = "program")]
pub mod arguments;
mod cohort;
#[cfg(feature = "program")]
mod command_time;
mod conflicts;
mod draft;
mod error;
#[cfg(feature = "program")]
mod examples;
mod families;
#[cfg(feature = "program")]
pub mod file;
#[cfg(feature = "program")]
mod kernel_arguments;
#[cfg(feature = "program")]
mod markdown;
mod option_spec;
mod options;
mod other_methods;
mod path_text;
#[cfg(feature = "program")]
mod plugin_answers;
#[cfg(feature = "program")]
mod plugin_arguments;
mod plugin_lookup;
#[cfg_attr(not(feature = "program"), allow(dead_code))]
mod plugin_questions;
mod prediction;
mod raw_specs;
mod raw_terms;
mod raw_values;
mod repeated;
mod response;
mod responses;
mod run_settings;
mod simulation;
pub mod task;
mod terms;
#[cfg(test)]
mod tests;

use std::{path::PathBuf, sync::Arc, time::Duration};

use passel_criteria::{Criterion, EbicMonotone};

use crate::{
    binning::Binning,
    device::Resources,
    inference::InferenceMethod,
    interrupt::Interrupt,
    plugin::PASS,
    score::Correction,
    search::Pass,
    selection::{Adjustment, CONFIDENCE_LEVEL, Intervals},
    selector::Stop,
    table::{
        Cohort, GenotypeEncoding, Missing, Table, TextOptions, input_files, is_npy,
        is_standard_input,
    },
};

pub use crate::plugin::{MethodKind, ResolvedMethod};
#[cfg(feature = "program")]
pub use crate::progress::{JobProgress, RunningJob, RunningJobs, Stage};
pub use crate::{presentation::Format, progress::Progress};
#[cfg(feature = "program")]
pub(crate) use command_time::command_time;
pub use draft::JobDraft;
pub use error::OptionError;
#[cfg(feature = "program")]
pub use markdown::options_markdown;
pub use option_spec::{OptionInfo, OptionSpec};
pub use options::{OPTIONS, option};
use options::{PAIRS, RUN, STABILITY, VALIDATION};
#[cfg(feature = "program")]
pub(crate) use plugin_answers::PluginAnswers;
#[cfg(feature = "program")]
pub(crate) use plugin_questions::AskLine;
pub use prediction::{PREDICT, PredictionJob};
use raw_values::RawValues;
pub use response::ResponseSettings;
pub use responses::Responses;
pub use run_settings::{RankSharing, RunSettings};
pub use simulation::{SIMULATE, Simulation, simulate_markdown};
pub use task::{PairsJob, StabilityJob, Task, ValidationJob};
pub use terms::TermSettings;

/// One selection to make, checked as far as that is possible without its data.
#[derive(Debug, Clone)]
pub struct Job {
    /// The file of observations and variables.
    pub data: PathBuf,
    /// The data themselves where they are in memory; [`Job::data`] is then only what reports call
    /// them. A single process alone can use them.
    pub table: Option<Arc<Table>>,
    /// The response: a column, or a second file for `.npy` data; `None` if the data format names it.
    pub response: Option<String>,
    /// Several responses, of each of which a model is selected; `None` for one.
    pub responses: Option<Responses>,
    /// Columns that are factors even if they hold numbers.
    pub factor: Vec<String>,
    /// Columns of dates, which become days since 1970-01-01.
    pub date: Vec<String>,
    /// Words and numbers that mean a missing value, besides those that always do.
    pub na: Vec<String>,
    /// How delimited text is written.
    pub text: TextOptions,
    /// Of genotypes: which people and variants are used, and the tables beside them.
    pub cohort: Cohort,
    /// Variables that every model contains.
    pub keep: Vec<String>,
    /// Columns that are left out.
    pub drop: Vec<String>,
    /// The levels that factors are compared with, as `column=level`.
    pub reference: Vec<String>,
    /// Which terms models may have.
    pub terms: TermSettings,
    /// What happens to missing values.
    pub missing: Missing,
    /// How candidates become codes, for methods that count levels.
    pub binning: Binning,
    /// How the response becomes codes, for methods that count levels.
    pub bin_response: Binning,
    /// Whether models have an intercept.
    pub intercept: bool,
    /// What kind of response it is.
    pub kind: ResponseSettings,
    /// The column of weights; `None` for equal weights.
    pub weights: Option<String>,
    /// The number of candidates before a screening; `None` for that of the file.
    pub p_total: Option<usize>,
    /// The level of the confidence intervals, in (0, 1).
    pub level: f64,
    /// What the intervals of coefficients are by.
    pub intervals: Intervals,
    /// How p-values are adjusted for the number of tests.
    pub adjustment: Adjustment,
    /// Which inference accounts for the choice of variables; `None` for none.
    pub inference: Option<InferenceMethod>,
    /// The method as it was given: `pass`, `jmi`, `mifs:beta=0.5`.
    pub method: String,
    /// The plugin's selector that the method names; `None` for `pass`.
    pub selector: Option<ResolvedMethod<MethodKind>>,
    /// How a selector corrects entropies for their bias.
    pub correction: Correction,
    /// The rules that end a selection by a selector.
    pub stop: Stop,
    /// What compares models.
    pub criterion: Arc<dyn Criterion>,
    /// Further criteria, each of which chooses a model of its own.
    pub other_criteria: Vec<Arc<dyn Criterion>>,
    /// Libraries that are loaded besides those found automatically.
    pub plugins: Vec<PathBuf>,
    /// The libraries that the method, the criterion or the score came from.
    pub libraries: Vec<PathBuf>,
    /// The files that parameters of these name.
    pub parameter_files: Vec<PathBuf>,
    /// The settings of the search.
    pub pass: Pass,
    /// The threads, devices, memory and ranks.
    pub resources: Resources,
    /// The form of the report.
    pub format: Format,
    /// The command line that asks for the job, if there was one; pages show it.
    pub command: Option<String>,
    /// Where the report goes; `None` for standard output.
    pub output: Option<PathBuf>,
    /// Where the trace goes; `None` for no trace.
    pub trace: Option<PathBuf>,
    /// Whether the files that the job writes may replace files that passel did not write.
    pub overwrite: bool,
    /// Whether the program prints where the time went.
    pub timings: bool,
    /// The file of the search's state, from which it can continue; `None` for no checkpoints.
    pub checkpoint: Option<PathBuf>,
    /// How progress is shown.
    pub progress: Progress,
    /// The time after which the job has failed; `None` for no limit. It begins with the run of the job.
    pub timeout: Option<Duration>,
    /// The request to stop that the job heeds.
    pub interrupt: Interrupt,
}

impl Job {
    /// Whether a criterion leaves the size of models to cross-validation.
    pub(crate) fn cross_validates(&self) -> bool {
        let mut criteria = std::iter::once(&self.criterion).chain(&self.other_criteria);
        criteria.any(|own| own.cross_validation().is_some())
    }

    /// Whether each variant is a term of two columns.
    pub(crate) fn is_genotypic(&self) -> bool {
        self.cohort.encoding == GenotypeEncoding::Genotypic
    }

    /// A selection by PaSS from a file, with every option at its default.
    pub fn new(data: impl Into<PathBuf>) -> Self {
        Self {
            data: data.into(),
            table: None,
            response: None,
            responses: None,
            factor: Vec::new(),
            date: Vec::new(),
            na: Vec::new(),
            text: TextOptions::default(),
            keep: Vec::new(),
            drop: Vec::new(),
            reference: Vec::new(),
            terms: TermSettings::default(),
            cohort: Cohort::default(),
            missing: Missing::Auto,
            binning: Binning::Auto,
            bin_response: Binning::Auto,
            intercept: true,
            kind: ResponseSettings::default(),
            weights: None,
            p_total: None,
            level: CONFIDENCE_LEVEL,
            intervals: Intervals::Wald,
            adjustment: Adjustment::None,
            inference: None,
            method: PASS.to_owned(),
            selector: None,
            correction: Correction::None,
            stop: Stop::default(),
            criterion: Arc::new(EbicMonotone::default()),
            other_criteria: Vec::new(),
            plugins: Vec::new(),
            libraries: Vec::new(),
            parameter_files: Vec::new(),
            pass: Pass::default(),
            resources: Resources::default(),
            format: Format::Text,
            command: None,
            output: None,
            trace: None,
            overwrite: false,
            timings: false,
            checkpoint: None,
            progress: Progress::Auto,
            timeout: None,
            interrupt: Interrupt::default(),
        }
    }

    /// A selection by PaSS from a table in memory, with every other option at its default and no
    /// progress shown.
    pub fn from_table(table: Table) -> Self {
        Self {
            table: Some(Arc::new(table)),
            progress: Progress::None,
            ..Self::new("the table")
        }
    }

    /// Starts the clock of the job's timeout: from now on it heeds this request, or the timeout, which
    /// ranks that work together heed together.
    pub fn start_timeout(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.with_timeout(self.timeout);
        if let Some(communicator) = &self.resources.communicator {
            communicator.heed_deadline(&self.interrupt);
        }
    }

    /// Why the job has failed, if its timeout has passed.
    pub fn timed_out(&self) -> Option<String> {
        let timeout = self.timeout.filter(|_| self.interrupt.is_timed_out())?;
        Some(format!("it did not end within its timeout of {timeout:?}"))
    }

    /// The files that the job reads or loads.
    #[cfg(feature = "program")]
    pub(crate) fn files_read(&self) -> impl Iterator<Item = PathBuf> {
        self.named_files().into_iter().map(|(_, path)| path)
    }

    /// The files that the job reads, without libraries.
    pub fn input_files(&self) -> Vec<PathBuf> {
        let named = self.named_input_files().into_iter();
        named.map(|(_, path)| path).collect()
    }

    /// The files that the job reads, each with what an error calls it.
    fn named_input_files(&self) -> Vec<(&'static str, PathBuf)> {
        let data = input_files(&self.data).into_iter();
        let data = data.map(|path| ("the data", path));
        // The response of an array is a second file.
        let response = self.response.iter().filter(|_| is_npy(&self.data));
        let response = response.map(|path| ("the response", PathBuf::from(path)));
        let rules = [
            ("binning", &self.binning),
            ("bin-response", &self.bin_response),
        ];
        let rules = rules.into_iter().filter_map(|(option, rule)| match rule {
            Binning::Edges(file) => Some((option, file.clone())),
            _ => None,
        });
        let groups = self.terms.groups_file.iter();
        let groups = groups.map(|path| ("groups", path.clone()));
        let table = match &self.responses {
            Some(Responses::File(path)) => input_files(path),
            _ => Vec::new(),
        };
        let table = table.into_iter().map(|path| ("responses", path));
        let cohort = self.cohort.given().into_iter();
        let cohort = cohort.filter_map(|(option, path)| Some((option, input_files(path?))));
        let cohort =
            cohort.flat_map(|(option, paths)| paths.into_iter().map(move |path| (option, path)));
        let parameters = self.parameter_files.iter();
        let parameters = parameters.map(|path| ("a parameter", path.clone()));
        let beside = response
            .chain(parameters)
            .chain(rules)
            .chain(groups)
            .chain(table)
            .chain(cohort);
        data.chain(beside).collect()
    }

    /// The files that the job reads, with the libraries of plugins, each with what an error calls it.
    fn named_files(&self) -> Vec<(&'static str, PathBuf)> {
        let plugins = self.plugins.iter().chain(&self.libraries);
        let plugins = plugins.map(|path| ("a plugin", path.clone()));
        let read = self.named_input_files().into_iter();
        let read = read.map(|(name, path)| match is_standard_input(&path) {
            // What a shell let lead there may be a file.
            true => (name, PathBuf::from("/dev/stdin")),
            false => (name, path),
        });
        read.chain(plugins).collect()
    }
}
