//! A job whose options are being set, and how it becomes one that can run.

use std::{path::PathBuf, sync::Arc};

use passel_criteria::{Criterion, CriterionError};

use super::{
    Job, OptionError, Responses,
    cohort::take_phenotypes,
    conflicts::{conflicts, conflicts_of_cross_validation, matrix_conflicts, several_criteria},
    families::FamilyChoice,
    options::MethodClass,
    path_text::{to_path, to_text},
    plugin_lookup::{PluginLookup, refused},
    plugin_questions::Asking,
    raw_values::CriterionChoice,
    response::{read_levels_as_text, response_conflicts, split_response},
    responses::{conflicts_of_responses, refuse_several},
    task::{Command, PairsJob, StabilityJob, Task, ValidationJob},
};
use crate::{
    binning::Binning,
    family::Distribution,
    plugin::{MethodError, MethodKind, Offered, PASS, ResolvedMethod},
    presentation::Format,
    stability::Resampling,
    table::is_npy,
    validation::{PlainModel, Scheme},
};

/// A job of a command whose options are being set, starting from the defaults.
#[derive(Debug, Clone)]
pub struct JobDraft {
    command: Command,
    pub(super) job: Job,
    /// The criteria that were asked for; none for the default.
    pub(super) criteria: Vec<CriterionChoice>,
    // Of pairs.
    pub(super) score: String,
    pub(super) partners: bool,
    pub(super) matrix: Option<PathBuf>,
    // Of resamples.
    pub(super) resampling: Resampling,
    pub(super) resamples: usize,
    pub(super) fraction: Option<f64>,
    pub(super) false_picks: Option<f64>,
    pub(super) cutoff: Option<f64>,
    // Of validation.
    /// Methods and families that are compared with the job's.
    pub(super) other_methods: Vec<String>,
    pub(super) other_families: Vec<Distribution>,
    /// All families that were asked for, until those of plugins are found.
    pub(super) families: Vec<FamilyChoice>,
    pub(super) scheme: Scheme,
    pub(super) by: Option<String>,
    pub(super) then: Option<PlainModel>,
    /// The folder to which paths are relative.
    pub(super) folder: PathBuf,
    /// The options that were set for this job: those of a job file's `[defaults]` are not in it.
    pub(super) explicit: Vec<&'static str>,
    /// Whether a method was named that cannot be read.
    has_misread_method: bool,
    pub(super) plugins: PluginLookup,
}

impl Default for JobDraft {
    fn default() -> Self {
        Self::new("")
    }
}

impl JobDraft {
    /// A selection with every option at its default.
    pub fn new(data: impl Into<PathBuf>) -> Self {
        Self {
            command: Command::Select,
            job: Job::new(data),
            criteria: Vec::new(),
            score: "mi3".to_owned(),
            partners: false,
            matrix: None,
            resampling: Resampling::Complementary,
            resamples: 100,
            fraction: None,
            false_picks: None,
            cutoff: None,
            other_methods: Vec::new(),
            other_families: Vec::new(),
            families: Vec::new(),
            scheme: Scheme::default(),
            by: None,
            then: None,
            folder: PathBuf::new(),
            explicit: Vec::new(),
            has_misread_method: false,
            plugins: PluginLookup::default(),
        }
    }

    /// A copy for a job of this command.
    pub fn of(&self, command: Command) -> Self {
        let draft = self.clone();
        Self { command, ..draft }
    }

    /// Sets one option from its texts: one text for most, several for a list, `true` or `false` for a
    /// flag.
    ///
    /// # Errors
    /// The command has no such option, or it does not take such a value.
    pub fn set(&mut self, name: &str, texts: &[String]) -> Result<(), OptionError> {
        let mut options = self.command.options();
        let option = options.find(|option| option.name == name).ok_or_else(|| {
            OptionError::unknown(name, self.command.options().map(|option| option.name))
        })?;
        self.explicit.push(option.name);
        let read = option.read(self, texts);
        self.has_misread_method |= name == "method" && read.is_err();
        read
    }

    /// Treats options as defaults: what they say need not concern the job's method.
    pub(super) fn mark_defaults(&mut self, is_default: impl Fn(&str) -> bool) {
        self.explicit.retain(|name| !is_default(name));
    }

    /// Replaces `{id}` in the paths that the job writes to by its name.
    pub(super) fn insert_id(&mut self, id: &str) {
        let paths = [&mut self.job.output, &mut self.job.trace, &mut self.matrix];
        for path in paths.into_iter().flatten() {
            let text = to_text(path.as_os_str());
            if text.contains("{id}") {
                *path = to_path(&text.replace("{id}", id));
            }
        }
    }

    /// The checked job of its command. Its paths are relative to the draft's folder.
    ///
    /// # Errors
    /// Every conflict between options, and every method, score or criterion that does not exist.
    pub fn task(self) -> Result<Task, Vec<OptionError>> {
        Ok(match self.command {
            Command::Select => Task::Select(Box::new(self.check()?)),
            Command::Pairs => Task::Pairs(Box::new(self.check_pairs()?)),
            Command::Stability => Task::Stability(Box::new(self.check_stability()?)),
            Command::Validate => Task::Validate(Box::new(self.check_validation()?)),
        })
    }

    /// The task as far as it is known without the plugins of its job: it can be shown, and not done.
    #[cfg(feature = "program")]
    pub(super) fn unresolved_task(mut self) -> Task {
        // What is wrong was told.
        let _ = take_phenotypes(&mut self.job).and_then(|()| split_response(&mut self.job));
        self.resolve_paths();
        match self.command {
            Command::Select => Task::Select(Box::new(self.job)),
            Command::Pairs => Task::Pairs(Box::new(PairsJob {
                matrix: self.matrix,
                ..PairsJob::new(self.job, ResolvedMethod::unresolved(self.score))
            })),
            Command::Stability => Task::Stability(Box::new(StabilityJob::new(self.job))),
            Command::Validate => Task::Validate(Box::new(ValidationJob::new(self.job))),
        }
    }

    /// The checked selection. Its paths are relative to the draft's folder.
    ///
    /// # Errors
    /// Every conflict between options, and a method or criterion that does not exist.
    pub fn check(mut self) -> Result<Job, Vec<OptionError>> {
        self.resolve_families().map_err(|error| vec![error])?;
        let split = take_phenotypes(&mut self.job)
            .and_then(|()| split_response(&mut self.job))
            .err();
        self.resolve_paths();
        let mut errors = conflicts(&self.job);
        errors.extend(split);
        let mut unused = Vec::new();
        match self.resolve_method() {
            Ok(()) => {
                unused.extend(self.unused_options());
                errors.extend_from_slice(&unused);
                // Defaults of a job file may be of other methods.
                if !MethodClass::of_job(&self.job).uses("covariates") {
                    self.job.cohort.covariates = None;
                }
            }
            Err(error) => errors.push(error),
        }
        errors.extend(self.several_alternatives());
        errors.extend(several_criteria(&self.job, self.criteria.len()));
        // A library that cannot be used fails both look-ups, and is one error.
        let criterion = self.resolve_criteria().err();
        errors.extend(criterion.filter(|error| {
            let is_same = |other: &OptionError| other.message == error.message;
            !errors.iter().any(is_same)
        }));
        // An option that the method does not use is wrong once, whatever its value.
        let of_response = response_conflicts(&self.job).into_iter();
        let is_used = |own: &OptionError| unused.iter().all(|other| other.option != own.option);
        errors.extend(of_response.filter(is_used));
        errors.extend(conflicts_of_responses(&self.job));
        errors.extend(conflicts_of_cross_validation(&self.job, self.command));
        read_levels_as_text(&mut self.job);
        match errors.is_empty() {
            true => Ok(self.job),
            false => Err(errors),
        }
    }

    /// Errors for several methods or families, which a validation alone compares.
    fn several_alternatives(&self) -> impl Iterator<Item = OptionError> {
        let counts = [
            ("method", 1 + self.other_methods.len()),
            ("family", 1 + self.other_families.len()),
        ];
        let several = counts.into_iter().filter(|(_, count)| *count > 1);
        several.map(|(option, count)| {
            let message = format!(
                "{option} names {count}, of which `passel validate` alone compares several"
            );
            let help = format!(
                "name one; of a job file a list, {option} = [\"…\", \"…\"], makes a job each"
            );
            OptionError::new(option, message).help(help)
        })
    }

    fn check_pairs(mut self) -> Result<PairsJob, Vec<OptionError>> {
        self.resolve_families().map_err(|error| vec![error])?;
        let split = take_phenotypes(&mut self.job)
            .and_then(|()| split_response(&mut self.job))
            .err();
        self.resolve_paths();
        let mut errors = conflicts(&self.job);
        errors.extend(split);
        errors.extend(response_conflicts(&self.job));
        errors.extend(refuse_several(&self.job, "passel pairs"));
        errors.extend(self.parquet_of_others());
        let score = match self.look_up(&self.score, refused) {
            Ok(score) => Some(score),
            Err(error) => {
                errors.push(error);
                None
            }
        };
        let Some(method) = score.filter(|_| errors.is_empty()) else {
            return Err(errors);
        };
        PluginLookup::record(&mut self.job, &method);
        if let Some(matrix) = &self.matrix {
            errors = matrix_conflicts(&self.job, matrix);
        }
        match errors.is_empty() {
            true => Ok(PairsJob {
                job: self.job,
                method,
                partners: self.partners,
                matrix: self.matrix,
            }),
            false => Err(errors),
        }
    }

    /// Makes paths relative to the draft's folder.
    fn resolve_paths(&mut self) {
        let (folder, job) = (&self.folder, &mut self.job);
        let is_file = is_npy(&job.data);
        if let Some(response) = job.response.as_mut().filter(|_| is_file) {
            *response = folder.join(&*response).to_string_lossy().into_owned();
        }
        let outputs = [
            &mut job.output,
            &mut job.trace,
            &mut job.checkpoint,
            &mut self.matrix,
        ];
        let groups = job.terms.groups_file.iter_mut();
        let responses = match &mut job.responses {
            Some(Responses::File(path)) => Some(path),
            _ => None,
        };
        let inputs = job.plugins.iter_mut().chain([&mut job.data]);
        let cohort = &mut job.cohort;
        let beside = [&mut cohort.phenotype, &mut cohort.covariates].into_iter();
        let beside = beside.flatten().map(|own| &mut own.path);
        let lists = [
            &mut cohort.keep_people,
            &mut cohort.scratch,
            &mut cohort.remove,
            &mut cohort.extract,
            &mut cohort.exclude,
        ];
        let inputs = inputs.chain(groups).chain(responses);
        let lists = lists.into_iter().flatten().chain(&mut cohort.merge);
        let inputs = inputs.chain(beside).chain(lists);
        let rules = [&mut job.binning, &mut job.bin_response].into_iter();
        let rules = rules.filter_map(|binning| match binning {
            Binning::Edges(file) => Some(file),
            _ => None,
        });
        for path in outputs.into_iter().flatten().chain(inputs).chain(rules) {
            *path = folder.join(&*path);
        }
    }

    /// Looks something up in the plugins of the job.
    fn look_up<T: Offered>(
        &self,
        spec: &str,
        refused: impl FnOnce(MethodError) -> OptionError,
    ) -> Result<ResolvedMethod<T>, OptionError> {
        let asking = Asking {
            named: &self.job.plugins,
            folder: &self.folder,
            timeout: self.job.timeout,
        };
        self.plugins.find(asking, spec, refused)
    }

    /// Finds the selector that the method names, unless that is `pass`.
    pub(super) fn resolve_method(&mut self) -> Result<(), OptionError> {
        let method = &*self.job.method;
        if method != PASS {
            let selector: ResolvedMethod<MethodKind> = self.look_up(method, refused)?;
            PluginLookup::record(&mut self.job, &selector);
            self.job.selector = Some(selector);
        }
        if let Some(rule) = &mut self.job.stop.permutation {
            rule.seed = self.job.pass.seed;
        }
        Ok(())
    }

    /// Errors for options that the method does not use.
    fn unused_options(&self) -> Vec<OptionError> {
        let (class, method) = (MethodClass::of_job(&self.job), &self.job.method);
        // What a method uses that is not known is not known either.
        if self.has_misread_method {
            return Vec::new();
        }
        let permutes = self.job.stop.permutation.is_some();
        let of_tests = ["seed", "checkpoint"];
        let is_unused =
            |option: &&&str| !(class.uses(option) || permutes && of_tests.contains(option));
        let unused = self.explicit.iter().filter(is_unused).map(|option| {
            let message = format!("{option} has no effect with the method {method}");
            OptionError::new(option, message).help(MethodClass::users(option))
        });
        let parquet = self.parquet_of_others();
        unused
            .chain(parquet.filter(|_| class != MethodClass::Pass))
            .collect()
    }

    /// The error for a Parquet report, which only a selection by a criterion has.
    pub(super) fn parquet_of_others(&self) -> Option<OptionError> {
        let message =
            "format = parquet is only for one selection by the method pass: use csv, json or html";
        (self.job.format == Format::Parquet).then(|| OptionError::new("format", message))
    }

    /// Finds the criteria that are not passel's own among plugins.
    fn resolve_criteria(&mut self) -> Result<(), OptionError> {
        let choices = std::mem::take(&mut self.criteria).into_iter();
        let found = choices.map(|choice| match choice {
            CriterionChoice::Own(own) => Ok(own),
            CriterionChoice::OfPlugin(value) => self.plugin_criterion(&value),
        });
        let mut criteria = found.collect::<Result<Vec<_>, _>>()?.into_iter();
        if let Some(first) = criteria.next() {
            self.job.criterion = first;
        }
        self.job.other_criteria = criteria.collect();
        Ok(())
    }

    fn plugin_criterion(&mut self, value: &str) -> Result<Arc<dyn Criterion>, OptionError> {
        // The same error as for a misspelt criterion of passel's own.
        let refused = |error| match error {
            MethodError::UnknownName { name, nearest, .. } => {
                let error = CriterionError::UnknownName { name };
                let error = OptionError::new("criterion", format!("criterion = {value}: {error}"));
                match nearest {
                    None => error.help("`passel criteria` lists them"),
                    nearest => error.suggest(nearest.as_deref()),
                }
            }
            error => refused(error),
        };
        let criterion: ResolvedMethod<Arc<dyn Criterion>> = self.look_up(value, refused)?;
        PluginLookup::record(&mut self.job, &criterion);
        Ok(criterion.value)
    }
}
