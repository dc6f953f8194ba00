//! One job of any command: a command of the program with its options.

use std::path::PathBuf;

use super::{
    Job, JobDraft, OPTIONS, OptionError, OptionInfo, OptionSpec, PAIRS, PairsDraft, PairsJob,
    STABILITY, StabilityDraft, StabilityJob, option,
    options::{MethodClass, SHARED_WITH_PAIRS},
};
use crate::plugin::MethodKind;

/// Options that a run sets for all of its jobs.
const SET_BY_RUN: [&str; 2] = ["progress", "checkpoint"];

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
}

impl Command {
    /// All commands that a job may stand for.
    pub const ALL: [Self; 3] = [Self::Select, Self::Pairs, Self::Stability];

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
        }
    }

    /// The options of the command, in the order in which they are listed.
    pub fn options(self) -> impl Iterator<Item = OptionInfo> {
        let pairs = PAIRS.iter().filter(move |_| self == Self::Pairs);
        let stability = STABILITY.iter().filter(move |_| self == Self::Stability);
        let shared = OPTIONS
            .iter()
            .filter(move |option| self != Self::Pairs || SHARED_WITH_PAIRS.contains(&option.name));
        let own = pairs
            .map(OptionSpec::info)
            .chain(stability.map(OptionSpec::info));
        own.chain(shared.map(OptionSpec::info))
    }

    /// Returns true if a job of this command may have the option.
    pub fn has(self, name: &str) -> bool {
        let has = self.options().any(|option| option.name == name);
        has && !SET_BY_RUN.contains(&name)
    }
}

/// All options that some job may have. Those of several commands occur several times.
pub fn job_options() -> impl Iterator<Item = OptionInfo> {
    let all = Command::ALL.into_iter().flat_map(Command::options);
    all.filter(|option| !SET_BY_RUN.contains(&option.name))
}

/// The option with this name, if some job may have it.
pub fn job_option(name: &str) -> Option<OptionInfo> {
    job_options().find(|option| option.name == name)
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
}

impl Task {
    /// The data, resources and report of the task.
    pub fn job(&self) -> &Job {
        match self {
            Self::Select(job) => job,
            Self::Pairs(pairs) => &pairs.job,
            Self::Stability(stability) => &stability.job,
        }
    }

    /// The data, resources and report of the task, to be changed.
    pub fn job_mut(&mut self) -> &mut Job {
        match self {
            Self::Select(job) => job,
            Self::Pairs(pairs) => &mut pairs.job,
            Self::Stability(stability) => &mut stability.job,
        }
    }

    /// The command that the task stands for.
    pub fn command(&self) -> Command {
        match self {
            Self::Select(_) => Command::Select,
            Self::Pairs(_) => Command::Pairs,
            Self::Stability(_) => Command::Stability,
        }
    }

    /// Sets the checkpoint of a search by PaSS, unless it writes a trace; other tasks have none.
    pub(crate) fn set_checkpoint(&mut self, path: PathBuf) {
        if let Self::Select(job) = self
            && job.selector.is_none()
            && job.trace.is_none()
        {
            job.checkpoint = Some(path);
        }
    }

    /// Returns true if one rank does the task alone: a procedure needs all columns, and resamples are
    /// not divided among ranks.
    pub fn runs_on_one_rank(&self) -> bool {
        match self {
            Self::Select(job) => {
                let kind = job.selector.as_ref().map(|selector| &selector.value);
                matches!(
                    kind,
                    Some(MethodKind::Ranking(_) | MethodKind::Regression(_))
                )
            }
            Self::Pairs(_) => false,
            Self::Stability(_) => true,
        }
    }

    /// Returns true if the option has an effect on the task.
    pub(super) fn uses(&self, name: &str) -> bool {
        let job = self.job();
        let is_select = matches!(self, Self::Select(_));
        let is_seed = name == "seed" && (job.stop.permutation.is_some() || !is_select);
        let is_shared = option(name).is_some();
        let kind = MethodClass::of_job(job);
        matches!(self, Self::Pairs(_)) || !is_shared || is_seed || kind.uses(name)
    }

    /// The files that the task writes, each with its option.
    pub fn output_files(&self) -> Vec<(&'static str, &PathBuf)> {
        let job = self.job();
        let matrix = match self {
            Self::Pairs(pairs) => pairs.matrix.as_ref(),
            Self::Select(_) | Self::Stability(_) => None,
        };
        let all = [
            ("output", job.output.as_ref()),
            ("trace", job.trace.as_ref()),
            ("matrix", matrix),
        ];
        all.into_iter()
            .filter_map(|(option, path)| Some((option, path?)))
            .collect()
    }
}

/// A task whose options are being set.
#[derive(Debug, Clone)]
pub(super) struct TaskDraft {
    command: Command,
    pub(super) shared: JobDraft,
    pairs: PairsDraft,
    stability: StabilityDraft,
}

impl TaskDraft {
    pub(super) fn new(shared: JobDraft, command: Command) -> Self {
        Self {
            command,
            shared,
            pairs: PairsDraft::default(),
            stability: StabilityDraft::default(),
        }
    }

    /// Sets one option of the command; see [`JobDraft::set`].
    ///
    /// # Errors
    /// There is no such option, or it does not take such a value.
    pub(super) fn set(&mut self, name: &str, texts: &[String]) -> Result<(), OptionError> {
        let pairs = PAIRS.iter().find(|option| option.name == name);
        let stability = STABILITY.iter().find(|option| option.name == name);
        match (self.command, pairs, stability) {
            (Command::Pairs, Some(option), _) => option.read(&mut self.pairs, texts),
            (Command::Stability, _, Some(option)) => option.read(&mut self.stability, texts),
            _ => self.shared.set(name, texts),
        }
    }

    /// Replaces `{id}` in the paths that the task writes to by the name of the job.
    pub(super) fn insert_id(&mut self, id: &str) {
        let job = &mut self.shared.job;
        let paths = [&mut job.output, &mut job.trace, &mut self.pairs.matrix];
        for path in paths.into_iter().flatten() {
            if let Some(text) = path.to_str().filter(|text| text.contains("{id}")) {
                *path = text.replace("{id}", id).into();
            }
        }
    }

    /// The checked task. Its paths are relative to the draft's folder.
    ///
    /// # Errors
    /// Every conflict between options, and every method, score or criterion that does not exist.
    pub(super) fn check(mut self) -> Result<Task, Vec<OptionError>> {
        match self.command {
            Command::Select => Ok(Task::Select(Box::new(self.shared.check()?))),
            Command::Pairs => {
                if let Some(matrix) = &mut self.pairs.matrix {
                    *matrix = self.shared.folder.join(&*matrix);
                }
                Ok(Task::Pairs(Box::new(self.pairs.check(self.shared)?)))
            }
            Command::Stability => {
                let checked = self.stability.check(self.shared)?;
                Ok(Task::Stability(Box::new(checked)))
            }
        }
    }
}
