//! What one job does: a command of the program with its options.

use std::path::PathBuf;

use super::{
    Job, JobDraft, OPTIONS, OptionError, OptionSpec, PAIRS, PairsDraft, PairsJob, RUN, RunSettings,
    STABILITY, StabilityDraft, StabilityJob, option,
    options::{Kind, SHARED},
};
use crate::nearest::nearest;
use crate::plugin::MethodKind;

/// Options that a run sees to, for all of its jobs.
const OF_THE_RUN: [&str; 2] = ["progress", "checkpoint"];

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
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Select, Self::Pairs, Self::Stability];

    /// As it is written on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Select => "select",
            Self::Pairs => "pairs",
            Self::Stability => "stability",
        }
    }

    /// Its options, in the order they are listed.
    pub fn options(self) -> Vec<OptionInfo> {
        match self {
            Self::Select => OPTIONS.iter().map(OptionSpec::info).collect(),
            Self::Stability => {
                let own = STABILITY.iter().map(OptionSpec::info);
                own.chain(OPTIONS.iter().map(OptionSpec::info)).collect()
            }
            Self::Pairs => {
                let shared = OPTIONS.iter().filter(|it| SHARED.contains(&it.name));
                PAIRS
                    .iter()
                    .map(OptionSpec::info)
                    .chain(shared.map(OptionSpec::info))
                    .collect()
            }
        }
    }

    /// Whether a job of it may have this option.
    pub fn has(self, name: &str) -> bool {
        let own = match self {
            Self::Select => option(name).is_some(),
            Self::Stability => option(name).is_some() || STABILITY.iter().any(|it| it.name == name),
            Self::Pairs => SHARED.contains(&name) || PAIRS.iter().any(|it| it.name == name),
        };
        own && !OF_THE_RUN.contains(&name)
    }
}

/// What there is to say of an option, whatever it is read into.
#[derive(Debug, Clone, Copy)]
pub struct OptionInfo {
    /// As [`OptionSpec::name`].
    pub name: &'static str,
    /// As [`OptionSpec::value`].
    pub value: &'static str,
    /// As [`OptionSpec::default`].
    pub default: &'static str,
    /// As [`OptionSpec::range`].
    pub range: &'static str,
    /// As [`OptionSpec::help`].
    pub help: &'static str,
    /// As [`OptionSpec::list`].
    pub list: bool,
}

impl OptionInfo {
    /// Whether an array is one value of it: of names, or of numbers that belong together.
    pub fn takes_array(&self) -> bool {
        self.list || self.value.contains(',')
    }
}

impl<T> OptionSpec<T> {
    /// What there is to say of it.
    pub fn info(&self) -> OptionInfo {
        OptionInfo {
            name: self.name,
            value: self.value,
            default: self.default,
            range: self.range,
            help: self.help,
            list: self.list,
        }
    }
}

/// The option of a job of that name, whatever the command.
pub fn job_option(name: &str) -> Option<OptionInfo> {
    let pairs = || {
        PAIRS
            .iter()
            .find(|it| it.name == name)
            .map(OptionSpec::info)
    };
    let stability = || {
        STABILITY
            .iter()
            .find(|it| it.name == name)
            .map(OptionSpec::info)
    };
    let found = option(name).map(OptionSpec::info);
    let found = found.or_else(pairs).or_else(stability);
    found.filter(|it| !OF_THE_RUN.contains(&it.name))
}

/// The names of all options that a job may have.
pub fn job_option_names() -> impl Iterator<Item = &'static str> {
    let all = OPTIONS.iter().map(|it| it.name);
    let pairs = PAIRS.iter().map(|it| it.name);
    all.chain(pairs)
        .chain(STABILITY.iter().map(|it| it.name))
        .filter(|it| !OF_THE_RUN.contains(it))
}

/// One job, checked as far as it can be without its data.
#[derive(Debug, Clone)]
pub enum Task {
    /// A selection.
    Select(Box<Job>),
    /// All pairs.
    Pairs(Box<PairsJob>),
    /// A selection from resamples.
    Stability(Box<StabilityJob>),
}

impl Task {
    /// What it shares with every other: data, resources, report.
    pub fn job(&self) -> &Job {
        match self {
            Self::Select(job) => job,
            Self::Pairs(pairing) => &pairing.job,
            Self::Stability(stability) => &stability.job,
        }
    }

    /// The same, to be changed.
    pub fn job_mut(&mut self) -> &mut Job {
        match self {
            Self::Select(job) => job,
            Self::Pairs(pairing) => &mut pairing.job,
            Self::Stability(stability) => &mut stability.job,
        }
    }

    /// The command it stands for.
    pub fn command(&self) -> Command {
        match self {
            Self::Select(_) => Command::Select,
            Self::Pairs(_) => Command::Pairs,
            Self::Stability(_) => Command::Stability,
        }
    }

    /// Lets a search keep there what it can go on from; others, and one that writes a trace, keep
    /// nothing.
    pub(crate) fn set_checkpoint(&mut self, path: PathBuf) {
        if let Self::Select(job) = self
            && job.selector.is_none()
            && job.trace.is_none()
        {
            job.checkpoint = Some(path);
        }
    }

    /// Whether ranks leave it to one of them: a procedure sees all columns, and resamples are not
    /// shared out.
    pub fn runs_on_one_rank(&self) -> bool {
        match self {
            Self::Select(job) => job.selector.as_ref().is_some_and(|it| match it.value {
                MethodKind::Score(_) => false,
                MethodKind::Ranking(_) | MethodKind::Regression(_) => true,
            }),
            Self::Pairs(_) => false,
            Self::Stability(_) => true,
        }
    }

    /// Whether an option that was given means anything to it.
    pub(super) fn uses(&self, name: &str) -> bool {
        let job = self.job();
        let kind = match job.selector.as_ref() {
            None => Kind::Pass,
            Some(settled) => Kind::of(&settled.value),
        };
        let is_seed = name == "seed" && (job.stop.permutation.is_some() || !self.is_select());
        let shared = option(name).is_some();
        matches!(self, Self::Pairs(_)) || !shared || is_seed || kind.uses(name)
    }

    fn is_select(&self) -> bool {
        matches!(self, Self::Select(_))
    }

    /// The files that it writes, each by its option.
    pub fn output_files(&self) -> Vec<(&'static str, &PathBuf)> {
        let job = self.job();
        let matrix = match self {
            Self::Pairs(pairing) => pairing.matrix.as_ref(),
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

/// A task being filled in.
#[derive(Debug, Clone)]
pub(super) struct TaskDraft {
    pub(super) command: Command,
    pub(super) shared: JobDraft,
    pairing: PairsDraft,
    stability: StabilityDraft,
}

impl TaskDraft {
    pub(super) fn new(shared: JobDraft, command: Command) -> Self {
        Self {
            command,
            shared,
            pairing: PairsDraft::default(),
            stability: StabilityDraft::default(),
        }
    }

    /// As [`JobDraft::set`].
    pub(super) fn set(&mut self, name: &str, values: &[String]) -> Result<(), OptionError> {
        let pairs = PAIRS.iter().find(|it| it.name == name);
        let stability = STABILITY.iter().find(|it| it.name == name);
        match (self.command, pairs, stability) {
            (Command::Pairs, Some(option), _) => option.read(&mut self.pairing, values),
            (Command::Stability, _, Some(option)) => option.read(&mut self.stability, values),
            _ => self.shared.set(name, values),
        }
    }

    /// Puts what the job is called in the files that it writes.
    pub(super) fn name_files(&mut self, id: &str) {
        let job = &mut self.shared.job;
        let all = [&mut job.output, &mut job.trace, &mut self.pairing.matrix];
        for path in all.into_iter().flatten() {
            if let Some(text) = path.to_str().filter(|it| it.contains("{id}")) {
                *path = text.replace("{id}", id).into();
            }
        }
    }

    /// Takes paths from the draft's folder.
    ///
    /// # Errors
    /// Every two options that contradict each other, and a method or score that there is not.
    pub(super) fn check(mut self) -> Result<Task, Vec<OptionError>> {
        match self.command {
            Command::Select => Ok(Task::Select(Box::new(self.shared.check()?))),
            Command::Pairs => {
                if let Some(matrix) = &mut self.pairing.matrix {
                    *matrix = self.shared.folder.join(&*matrix);
                }
                Ok(Task::Pairs(Box::new(self.pairing.check(self.shared)?)))
            }
            Command::Stability => {
                let checked = self.stability.check(self.shared)?;
                Ok(Task::Stability(Box::new(checked)))
            }
        }
    }
}

/// The option of `passel run` of that name.
pub fn run_option(name: &str) -> Option<&'static OptionSpec<RunSettings>> {
    RUN.iter().find(|it| it.name == name)
}

/// The command of that name.
///
/// # Errors
/// The name that it resembles.
pub(super) fn command(name: &str) -> Result<Command, Option<&'static str>> {
    let found = Command::ALL.into_iter().find(|it| it.name() == name);
    found.ok_or_else(|| nearest(name, Command::ALL.iter().map(|it| it.name())))
}
