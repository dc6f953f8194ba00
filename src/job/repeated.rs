//! Jobs that repeat a selection on parts of the rows: on resamples, or in the splits of a validation.

use std::collections::HashSet;

use super::{
    Job, JobDraft, OptionError, RawValues,
    options::{FALSE_PICKS, MethodClass},
    responses::refuse_several,
    task::{StabilityJob, ValidationJob},
};
use crate::{
    family::Distribution,
    inference::InferenceMethod,
    nearest::nearest,
    presentation::Format,
    search::Pass,
    spec::parse_spec,
    stability::Resampling,
    table::Missing,
    validation::{PlainModel, Scheme},
};

/// Options of a single selection, which have no effect on resamples.
const OF_SINGLE_SELECTION: [&str; 9] = [
    "trace",
    "level",
    "intervals",
    "adjust",
    "infer",
    "firth",
    "covariance",
    "cluster",
    "checkpoint",
];

/// Those that have no effect on what models predict.
const OF_REPORT: [&str; 8] = [
    "trace",
    "level",
    "intervals",
    "adjust",
    "infer",
    "covariance",
    "cluster",
    "checkpoint",
];

fn contradicts(option: &str, reason: &str) -> OptionError {
    OptionError::new(option, format!("{option} {reason}"))
}

impl JobDraft {
    /// The errors of options that one selection alone has, of which defaults are taken back.
    fn refuse_options_of_one(&mut self, what: &str, of_one: &[&str]) -> Vec<OptionError> {
        let given = of_one
            .iter()
            .filter(|option| self.explicit.contains(option));
        let mut errors: Vec<_> = given
            .map(|option| {
                let mend = match *option {
                    "cluster" => {
                        "name the column with by, where there is such an option, or with drop"
                    }
                    _ => "leave it out",
                };
                let reason =
                    format!("applies to a single selection and has no effect on {what}: {mend}");
                contradicts(option, &reason)
            })
            .collect();
        (self.job.trace, self.job.checkpoint) = (None, None);
        self.job.inference = None;
        // The seed draws rows, whether or not the method uses it.
        self.explicit
            .retain(|option| *option != "seed" && !of_one.contains(option));
        if let Some(error) = self.parquet_of_others() {
            errors.push(error);
            self.job.format = Format::Text;
        }
        errors
    }

    pub(super) fn check_stability(mut self) -> Result<StabilityJob, Vec<OptionError>> {
        let mut errors = self.refuse_options_of_one("resamples", &OF_SINGLE_SELECTION);
        self.job.kind.firth = false;
        match (&mut self.resampling, self.fraction) {
            (Resampling::Subsample(part), fraction) => *part = fraction.unwrap_or(*part),
            (_, None) => {}
            (_, Some(_)) => errors.push(contradicts(
                "fraction",
                "needs resampling = subsample: other resamples have a fixed size",
            )),
        }
        if self.criteria.len() > 1 {
            errors.push(contradicts(
                "criterion",
                "takes one criterion for resamples: leave the others out",
            ));
        }
        if self.cutoff.is_some() && self.false_picks.is_some() {
            errors.push(contradicts(
                "false-picks",
                "determines the cut-off, and cutoff is given too: leave one of them out",
            ));
        }
        let (resampling, resamples) = (self.resampling, self.resamples);
        let (false_picks, cutoff) = (self.false_picks.unwrap_or(FALSE_PICKS), self.cutoff);
        match self.check() {
            Ok(job) if job.responses.is_some() => {
                errors.extend(refuse_several(&job, "passel stability"));
                Err(errors)
            }
            Ok(job) if errors.is_empty() => Ok(StabilityJob {
                job,
                resampling,
                resamples,
                false_picks,
                cutoff,
            }),
            checked => {
                errors.extend(checked.err().into_iter().flatten());
                Err(errors)
            }
        }
    }

    /// The checked validation, beside which those of the other methods and families stand.
    pub(super) fn check_validation(mut self) -> Result<ValidationJob, Vec<OptionError>> {
        self.resolve_families().map_err(|error| vec![error])?;
        let methods = std::mem::take(&mut self.other_methods);
        let families = std::mem::take(&mut self.other_families);
        let methods = std::iter::once(self.job.method.clone()).chain(methods);
        let families = std::iter::once(self.job.kind.distribution).chain(families);
        let families: Vec<Distribution> = families.collect();
        // Without a class where the method is unknown, which is told below.
        let mut drafts: Vec<(Option<MethodClass>, Self)> = Vec::new();
        let mut errors: Vec<OptionError> = Vec::new();
        let methods: Vec<String> = methods.collect();
        let families_asked = families.iter().map(|own| own.spec()).collect();
        for (option, names) in [("method", &methods), ("family", &families_asked)] {
            let again = |at: &usize| names[..*at].contains(&names[*at]);
            let twice: Option<usize> = (0..names.len()).find(again);
            errors
                .extend(twice.map(|at| contradicts(option, &format!("names {} twice", names[at]))));
        }
        for method in methods {
            for family in &families {
                let mut own = self.clone();
                own.job.method.clone_from(&method);
                own.job.kind.distribution = *family;
                let mut resolved = own.clone();
                let class = resolved.resolve_method().ok();
                let class = class.map(|()| MethodClass::of_job(&resolved.job));
                drafts.push((class, own));
                if class.is_some_and(MethodClass::ranks) {
                    break;
                }
            }
        }
        // What one of the methods uses concerns that one alone.
        let is_used = |name: &str, of: Option<MethodClass>| {
            let uses = |class: Option<MethodClass>| {
                class.is_none_or(|class| match name {
                    "then" => class.ranks(),
                    name => class.uses(name),
                })
            };
            uses(of) || !drafts.iter().any(|(class, _)| uses(*class))
        };
        let mut all: Vec<ValidationJob> = Vec::new();
        for (class, draft) in &drafts {
            let mut own = draft.clone();
            own.explicit.retain(|name| is_used(name, *class));
            if !is_used("then", *class) {
                own.then = None;
            }
            if class.is_some_and(MethodClass::ranks) && drafts.len() > 1 {
                own.forget_models();
            }
            match own.check_one_validation() {
                Ok(job) => all.push(job),
                Err(own) => errors.extend(own),
            }
        }
        let mut known: HashSet<String> = HashSet::new();
        errors.retain(|own| known.insert(own.message.clone()));
        let mut all = all.into_iter();
        match (all.next(), errors.is_empty()) {
            (Some(first), true) => Ok(ValidationJob {
                others: all.collect(),
                ..first
            }),
            _ => Err(errors),
        }
    }

    /// Takes back what says how models are chosen and made, which a method that ranks does not use.
    fn forget_models(&mut self) {
        let (own, fresh) = (&mut self.job, Job::new(""));
        own.pass = Pass {
            seed: own.pass.seed,
            time_limit: own.pass.time_limit,
            ..fresh.pass
        };
        (own.kind, own.terms) = (fresh.kind, fresh.terms);
        (own.keep, own.weights) = (fresh.keep, fresh.weights);
        (own.intercept, own.p_total) = (fresh.intercept, fresh.p_total);
        self.criteria.clear();
    }

    fn check_one_validation(mut self) -> Result<ValidationJob, Vec<OptionError>> {
        let mut errors = self.refuse_options_of_one("a validation", &OF_REPORT);
        let (scheme, by, then) = (self.scheme, self.by.take(), self.then);
        // One that was misspelt is told of by itself.
        let asks_none = !self.explicit.contains(&"then");
        if scheme == Scheme::Marked && by.is_none() {
            let error = contradicts(
                "scheme",
                "= marked needs by: the column that marks the rows",
            );
            errors.push(error);
        }
        match self.check() {
            Ok(mut job) => {
                errors.extend(refuse_several(&job, "passel validate"));
                let class = MethodClass::of_job(&job);
                if then.is_some() && [Missing::Level, Missing::Pairwise].contains(&job.missing) {
                    let message = "missing leaves gaps, of which a model behind a selector has none: use mean or drop-rows";
                    errors.push(OptionError::new("missing", message));
                }
                let ranks = class.ranks();
                match then {
                    None if ranks && asks_none => {
                        let message = format!(
                            "method = {}: it ranks variables and makes no model that predicts",
                            job.method
                        );
                        let help = "name what predicts from those that it chose: then = ols, logistic or knn";
                        errors.push(OptionError::new("method", message).help(help));
                    }
                    Some(_) if !ranks => errors.push(contradicts(
                        "then",
                        "is for selectors that rank, and the models of other methods predict by themselves: leave it out",
                    )),
                    _ => {}
                }
                if let Some(name) = by.as_ref() {
                    let used = [("response", job.response.as_slice()), ("keep", &job.keep)];
                    let used = used
                        .into_iter()
                        .chain([("weights", job.weights.as_slice())]);
                    let others: Vec<String> = job.kind.columns().cloned().collect();
                    let used = used.chain([("another option", &*others)]);
                    let both = used.filter(|(_, names)| names.contains(name));
                    errors.extend(both.map(|(other, _)| {
                        contradicts("by", &format!("and {other} both name {name}"))
                    }));
                    if !job.drop.contains(name) {
                        job.drop.push(name.clone());
                    }
                }
                match errors.is_empty() {
                    true => Ok(ValidationJob {
                        scheme,
                        by,
                        then,
                        ..ValidationJob::new(job)
                    }),
                    false => Err(errors),
                }
            }
            Err(others) => {
                errors.extend(others);
                Err(errors)
            }
        }
    }
}

impl RawValues<'_> {
    /// Which inference, if any: `split`, `bootstrap:resamples=500`.
    pub(super) fn inference(&self) -> Result<Option<InferenceMethod>, OptionError> {
        match self.one()? {
            "none" => Ok(None),
            _ => {
                let (names, named) = (InferenceMethod::NAMES, InferenceMethod::named);
                self.of_one_parameter(names, named, InferenceMethod::set)
                    .map(Some)
            }
        }
    }

    /// What stands behind a selector: `ols`, `knn:k=7`.
    pub(super) fn plain_model(&self) -> Result<PlainModel, OptionError> {
        self.of_one_parameter(PlainModel::NAMES, PlainModel::named, PlainModel::set)
    }

    /// A value of a name, with one parameter at most.
    fn of_one_parameter<T, const N: usize>(
        &self,
        names: [&'static str; N],
        named: impl Fn(&str) -> Option<T>,
        set: impl Fn(&mut T, &str, f64) -> bool,
    ) -> Result<T, OptionError> {
        let (name, parameters) = parse_spec(self.one()?).ok_or_else(|| self.out_of_range())?;
        let mut own =
            named(name).ok_or_else(|| self.out_of_range().suggest(nearest(name, names)))?;
        let is_set = |(parameter, value): &(String, f64)| set(&mut own, parameter, *value);
        match parameters.len() < 2 && parameters.iter().all(is_set) {
            true => Ok(own),
            false => Err(self.out_of_range()),
        }
    }

    /// A scheme of validation: `folds`, `folds:k=5,repeats=20`.
    pub(super) fn scheme(&self) -> Result<Scheme, OptionError> {
        let (name, parameters) = parse_spec(self.one()?).ok_or_else(|| self.out_of_range())?;
        let mut scheme = Scheme::named(name).ok_or_else(|| {
            let nearest = nearest(name, Scheme::NAMES);
            self.out_of_range().suggest(nearest)
        })?;
        for (index, (parameter, value)) in parameters.iter().enumerate() {
            let mut before = parameters[..index].iter();
            let is_twice = before.any(|(other, _)| other == parameter);
            if is_twice || !scheme.set(parameter, *value) {
                let known = scheme.parameters().into_iter().map(|(name, _)| name);
                let nearest = nearest(parameter, known).filter(|name| name != parameter);
                return Err(self.out_of_range().suggest(nearest));
            }
        }
        Ok(scheme)
    }
}
