//! One job of any command: a command of the program with its options.

use std::{path::PathBuf, sync::Arc};

use passel_criteria::Criterion;

use super::{
    Job, OPTIONS, OptionSpec, PAIRS, STABILITY, VALIDATION, option,
    options::{MethodClass, SHARED_WITH_PAIRS},
};
use crate::{
    plugin::ResolvedMethod,
    score::PairScore,
    stability::Resampling,
    validation::{PlainModel, Scheme},
};

/// Options that a run sets for all of its jobs.
const SET_BY_RUN: [&str; 4] = ["progress", "checkpoint", "overwrite", "timings"];

/// The command that a job stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Command {
    /// `passel select`.
    #[default]
    Select,
    /// `passel pairs`.
    Pairs,
    /// `passel stability`.
    Stability,
    /// `passel validate`.
    Validate,
}

impl Command {
    /// All commands that a job may stand for.
    pub const ALL: [Self; 4] = [Self::Select, Self::Pairs, Self::Stability, Self::Validate];

    /// The command with this name.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|command| command.name() == name)
    }

    /// The command's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Select => "select",
            Self::Pairs => "pairs",
            Self::Stability => "stability",
            Self::Validate => "validate",
        }
    }

    /// The options of the command, in the order in which they are listed.
    pub fn options(self) -> impl Iterator<Item = &'static OptionSpec> {
        let own: &[OptionSpec] = match self {
            Self::Select => &[],
            Self::Pairs => &PAIRS,
            Self::Stability => &STABILITY,
            Self::Validate => &VALIDATION,
        };
        let is_shared = move |option: &&OptionSpec| {
            self != Self::Pairs || SHARED_WITH_PAIRS.contains(&option.name)
        };
        own.iter().chain(OPTIONS.iter().filter(is_shared))
    }

    /// Returns true if a job of this command may have the option.
    pub fn has(self, name: &str) -> bool {
        let has = self.options().any(|option| option.name == name);
        has && !SET_BY_RUN.contains(&name)
    }
}

/// All options that some job may have. Those of several commands occur several times.
pub(super) fn job_options() -> impl Iterator<Item = &'static OptionSpec> {
    let all = Command::ALL.into_iter().flat_map(Command::options);
    all.filter(|option| !SET_BY_RUN.contains(&option.name))
}

/// The option with this name, if some job may have it.
pub(super) fn job_option(name: &str) -> Option<&'static OptionSpec> {
    job_options().find(|option| option.name == name)
}

/// The scores of all pairs of one file, checked as far as that is possible without its data.
#[derive(Debug, Clone)]
pub struct PairsJob {
    /// The data, the binning, how many pairs are reported, the resources and the report.
    pub job: Job,
    /// The score of a pair.
    pub method: ResolvedMethod<PairScore>,
    /// Whether the best partner of every variable is reported too.
    pub partners: bool,
    /// Where the scores of all pairs go; `None` for nowhere.
    pub matrix: Option<PathBuf>,
}

impl PairsJob {
    /// Scores the pairs of a job's data by a score of a plugin, with the other options at their
    /// defaults.
    pub fn new(job: Job, method: ResolvedMethod<PairScore>) -> Self {
        Self {
            job,
            method,
            partners: false,
            matrix: None,
        }
    }
}

/// A selection from resamples of one file, checked as far as that is possible without its data.
#[derive(Debug, Clone)]
pub struct StabilityJob {
    /// The selection that is run on each resample, and the report of all. Its seed also draws the
    /// resamples.
    pub job: Job,
    /// How rows are drawn.
    pub resampling: Resampling,
    /// The number of resamples; for complementary pairs, the number of pairs.
    pub resamples: usize,
    /// The expected number of false picks that is allowed.
    pub false_picks: f64,
    /// The cut-off of frequencies; `None` to derive it from `false_picks`.
    pub cutoff: Option<f64>,
}

impl StabilityJob {
    /// Runs a job on the halves of 100 complementary pairs, and allows one false pick.
    pub fn new(job: Job) -> Self {
        Self {
            job,
            resampling: Resampling::Complementary,
            resamples: 100,
            false_picks: 1.0,
            cutoff: None,
        }
    }
}

/// A validation of the selection from one file, checked as far as that is possible without its data.
#[derive(Debug, Clone)]
pub struct ValidationJob {
    /// The selection that is repeated in each split of the rows, and the report of all. Its seed also draws the splits.
    pub job: Job,
    /// Further criteria, whose models are judged on the same rows.
    pub other_criteria: Vec<Arc<dyn Criterion>>,
    /// How rows are split.
    pub scheme: Scheme,
    /// The column of groups whose rows stay together, of `time` that of times, of `marked` that of marks; it is no candidate.
    pub by: Option<String>,
    /// Of a selector that ranks variables: what predicts from those that it chose.
    pub then: Option<PlainModel>,
    /// Other methods and families, whose models are judged on the same rows.
    pub others: Vec<ValidationJob>,
}

impl ValidationJob {
    /// Judges the model of a job, and those of its other criteria, by cross-validation with ten folds.
    pub fn new(mut job: Job) -> Self {
        Self {
            other_criteria: std::mem::take(&mut job.other_criteria),
            job,
            scheme: Scheme::default(),
            by: None,
            then: None,
            others: Vec::new(),
        }
    }
}

/// One job, checked as far as that is possible without its data.
#[derive(Debug, Clone)]
pub enum Task {
    /// A selection.
    Select(Box<Job>),
    /// The scores of all pairs.
    Pairs(Box<PairsJob>),
    /// A selection from resamples.
    Stability(Box<StabilityJob>),
    /// The error of a selection on rows held out.
    Validate(Box<ValidationJob>),
}

impl Task {
    /// The data, resources and report of the task.
    pub fn job(&self) -> &Job {
        match self {
            Self::Select(job) => job,
            Self::Pairs(pairs) => &pairs.job,
            Self::Stability(stability) => &stability.job,
            Self::Validate(validation) => &validation.job,
        }
    }

    /// The data, resources and report of the task, to be changed.
    pub fn job_mut(&mut self) -> &mut Job {
        match self {
            Self::Select(job) => job,
            Self::Pairs(pairs) => &mut pairs.job,
            Self::Stability(stability) => &mut stability.job,
            Self::Validate(validation) => &mut validation.job,
        }
    }

    /// The command that the task stands for.
    pub fn command(&self) -> Command {
        match self {
            Self::Select(_) => Command::Select,
            Self::Pairs(_) => Command::Pairs,
            Self::Stability(_) => Command::Stability,
            Self::Validate(_) => Command::Validate,
        }
    }

    /// Sets the checkpoint of a task that can have one: a search by PaSS, unless it writes a trace or
    /// has several criteria, a selection by permutations, and pairs without a matrix.
    pub(crate) fn set_checkpoint(&mut self, path: PathBuf) {
        let has_one = match self {
            Self::Select(job) => match MethodClass::of_job(job) {
                MethodClass::Pass => {
                    let is_one = job.other_criteria.is_empty() && job.responses.is_none();
                    let is_search = is_one && job.inference.is_none() && !job.cross_validates();
                    job.trace.is_none() && is_search
                }
                MethodClass::Score => job.stop.permutation.is_some(),
                MethodClass::Ranking | MethodClass::Regression => false,
            },
            Self::Pairs(pairs) => pairs.matrix.is_none(),
            Self::Stability(_) | Self::Validate(_) => false,
        };
        if has_one {
            self.job_mut().checkpoint = Some(path);
        }
    }

    /// Returns true if one rank does the task alone: a procedure needs all columns, and resamples and responses are
    /// not divided among ranks.
    pub fn runs_on_one_rank(&self) -> bool {
        match self {
            Self::Select(job) => {
                let class = MethodClass::of_job(job);
                job.responses.is_some()
                    || job.inference.is_some()
                    || job.cross_validates()
                    || [MethodClass::Ranking, MethodClass::Regression].contains(&class)
            }
            Self::Pairs(_) => false,
            Self::Stability(_) | Self::Validate(_) => true,
        }
    }

    /// Returns true if the option has an effect on the task.
    pub(super) fn uses(&self, name: &str) -> bool {
        let job = self.job();
        let draws = job.stop.permutation.is_some() || self.command() != Command::Select;
        let is_own = self.command() == Command::Pairs || option(name).is_none();
        is_own || name == "seed" && draws || MethodClass::of_job(job).uses(name)
    }

    /// The files that the task writes, each with its option.
    pub fn output_files(&self) -> Vec<(&'static str, &PathBuf)> {
        let job = self.job();
        let matrix = match self {
            Self::Pairs(pairs) => pairs.matrix.as_ref(),
            Self::Select(_) | Self::Stability(_) | Self::Validate(_) => None,
        };
        let all = [
            ("output", job.output.as_ref()),
            ("trace", job.trace.as_ref()),
            ("matrix", matrix),
        ];
        let all = all.into_iter();
        all.filter_map(|(option, path)| Some((option, path?)))
            .collect()
    }
}
