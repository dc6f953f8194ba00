//! What kind of response a job has.

use super::{Job, OptionError, RawValues, Responses};
use crate::{
    design::{CovarianceError, CovarianceEstimator, ResponseOptions},
    family::{Distribution, Family, Link, QuasiDispersion, Ties},
    plugin::MethodKind,
    selection::Intervals,
    table::{is_npy, split_names},
};

/// What kind of response models are of: a normal one, unless another family is named.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseSettings {
    /// The distribution.
    pub distribution: Distribution,
    /// The link; `None` for the distribution's first.
    pub link: Option<Link>,
    /// The column of trials of which the response counts the events; `None` where each observation is one.
    pub trials: Option<String>,
    /// The column of failures, of which the response has the events; `None` where it is one column.
    pub failures: Option<String>,
    /// The level or the value that is an event; `None` for 1, or for the second of two levels.
    pub success: Option<String>,
    /// Of a response of levels: these, from lowest to highest, or the baseline first; empty for ascending ones.
    pub levels: Vec<String>,
    /// The column that is added to the linear predictor of every model; `None` for none.
    pub offset: Option<String>,
    /// Of survival times: their column, which becomes the response.
    pub time: Option<String>,
    /// Of survival times, which the response holds: the column of events; `None` for another response.
    pub event: Option<String>,
    /// The column of the times from which on observations are at risk; `None` where they are from the beginning.
    pub entry: Option<String>,
    /// The column whose values are strata; `None` for one.
    pub strata: Option<String>,
    /// How events at equal times share their risk set.
    pub ties: Ties,
    /// Of the families binomial and Poisson: the dispersion of a quasi-likelihood; `None` for the likelihood.
    pub dispersion: Option<QuasiDispersion>,
    /// Whether the estimates of the selected model are those of Firth's penalty.
    pub firth: bool,
    /// What the standard errors of the selected model rest on.
    pub covariance: CovarianceEstimator,
    /// The column whose values are clusters, of which observations may depend on one another; `None` where all are independent.
    pub cluster: Option<String>,
}

impl Default for ResponseSettings {
    fn default() -> Self {
        Self {
            distribution: Distribution::Gaussian,
            link: None,
            trials: None,
            failures: None,
            success: None,
            levels: Vec::new(),
            offset: None,
            time: None,
            event: None,
            entry: None,
            strata: None,
            ties: Ties::default(),
            dispersion: None,
            firth: false,
            covariance: CovarianceEstimator::Model,
            cluster: None,
        }
    }
}

impl ResponseSettings {
    /// Whether models are fitted by least squares.
    pub fn is_normal(&self) -> bool {
        self.distribution == Distribution::Gaussian
    }

    /// As designs take it. A link that the distribution cannot have was refused.
    pub(crate) fn options(&self) -> ResponseOptions<'_> {
        ResponseOptions {
            family: Family::new(self.distribution, self.link).unwrap_or_default(),
            trials: self.trials.as_deref(),
            failures: self.failures.as_deref(),
            success: self.success.as_deref(),
            levels: &self.levels,
            offset: self.offset.as_deref(),
            event: self.event.as_deref(),
            entry: self.entry.as_deref(),
            strata: self.strata.as_deref(),
            ties: self.ties,
            dispersion: self.dispersion,
            firth: self.firth,
            covariance: self.covariance,
            cluster: self.cluster.as_deref(),
        }
    }

    /// The columns that are no candidates.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &String> {
        let of_trials = self.trials.iter().chain(&self.failures);
        let of_survival = self.event.iter().chain(&self.entry).chain(&self.strata);
        let others = self.offset.iter().chain(&self.cluster);
        of_trials.chain(others).chain(of_survival)
    }
}

/// The dispersion of a quasi-likelihood.
pub(super) fn dispersion(raw: &RawValues) -> Result<QuasiDispersion, OptionError> {
    match raw.one()? {
        "estimate" => Ok(QuasiDispersion::Estimated),
        _ => {
            let number = raw.number(|number| number > 0.0 && number.is_finite());
            number.map(QuasiDispersion::Given)
        }
    }
}

/// The response of a job: a column, the columns of events and failures, or several responses. A text without a comma is a name as it stands, and
/// so is the file of an array.
pub(super) fn split_response(job: &mut Job) -> Result<(), OptionError> {
    if let Some(time) = job.kind.time.take() {
        let wrong = |message: String, help| Err(OptionError::new("time", message).help(help));
        if job.kind.distribution != Distribution::Cox {
            let message = format!("time = {time} is the response of the family cox");
            return wrong(message, "add family = cox, or leave it out");
        }
        if let Some(response) = &job.response {
            let message =
                format!("time = {time} and response = {response} both name the survival times");
            return wrong(message, "leave response out");
        }
        job.response = Some(time);
        return Ok(());
    }
    let is_list = |text: &String| text.contains(',') && !is_npy(&job.data);
    let Some(text) = job.response.take_if(|text| is_list(text)) else {
        return Ok(());
    };
    let refused = |reason: &str| {
        let message = format!("response = {text} {reason}");
        let help = "write a name with a comma in double quotes: '\"a, b\"'";
        OptionError::new("response", message).help(help)
    };
    if matches!(job.responses, Some(Responses::File(_))) {
        let message = format!("responses names a table of responses, and response = {text}");
        return Err(OptionError::new("responses", message).help("leave one of them out"));
    }
    let names = split_names(&text).map_err(|reason| {
        refused(&format!(
            "must be columns, or EVENTS,FAILURES of the family binomial: {reason}"
        ))
    })?;
    match (names.len(), job.kind.distribution) {
        (1, _) | (2, Distribution::Binomial) => {
            let mut names = names.into_iter();
            (job.response, job.kind.failures) = (names.next(), names.next());
            Ok(())
        }
        (count, Distribution::Binomial) => {
            let message = format!(
                "response = {text} names {count} columns: of the family binomial it is one, or two of counts, \
                 EVENTS,FAILURES"
            );
            let help =
                "write several responses into a table of their own, and name that by responses";
            Err(OptionError::new("response", message).help(help))
        }
        _ => {
            job.responses = Some(Responses::Columns(names));
            Ok(())
        }
    }
}

/// Has a response of levels read as text where `--levels` names numbers and other texts, or where it is of dates.
pub(super) fn read_levels_as_text(job: &mut Job) {
    let levels = &job.kind.levels;
    let is_number = |level: &String| level.parse::<f64>().is_ok();
    let is_mixed = levels.iter().any(is_number) && !levels.iter().all(is_number);
    let columns = job.responses.iter().flat_map(Responses::columns);
    let responses: Vec<String> = job.response.iter().chain(columns).cloned().collect();
    let of_levels = responses
        .into_iter()
        .filter(|_| job.kind.distribution.has_levels());
    for name in of_levels {
        if is_mixed || job.date.contains(&name) {
            job.date.retain(|own| *own != name);
            job.factor.push(name);
        }
    }
}

/// Options that contradict a response of events and failures.
fn conflicts_of_failures(own: &ResponseSettings) -> Vec<OptionError> {
    if own.distribution != Distribution::Binomial {
        let message = format!(
            "response names two columns, events and failures, which are of the family binomial, not of {}",
            own.distribution
        );
        let help =
            "add family = binomial, or write one name with a comma in double quotes: '\"a, b\"'";
        return vec![OptionError::new("response", message).help(help)];
    }
    let beside = [("trials", &own.trials), ("success", &own.success)];
    let beside = beside.into_iter().filter(|(_, value)| value.is_some());
    beside
        .map(|(option, _)| {
            let message = format!(
                "{option} is beside a response of events and failures, whose sum is the number of trials"
            );
            OptionError::new(option, message).help("leave it out")
        })
        .collect()
}

/// Options of survival times and of levels that contradict others, or lack.
fn survival_conflicts(job: &Job) -> Vec<OptionError> {
    let own = &job.kind;
    let is_survival = own.distribution == Distribution::Cox;
    if is_survival && own.event.is_none() {
        let message = "family = cox needs the column of events";
        let help =
            "name it with event: 1 where an observation ended by an event, 0 where it was censored";
        return vec![OptionError::new("event", message).help(help)];
    }
    // What the likelihood has in place of an intercept.
    let constants = match own.distribution {
        Distribution::Cox => Some("a baseline hazard"),
        Distribution::Ordinal => Some("thresholds between its levels"),
        Distribution::Multinomial => Some("an intercept for each of its levels"),
        _ => None,
    };
    if constants.is_some() && job.intervals == Intervals::Profile {
        let family = own.distribution;
        let message = format!("intervals = profile is not there for the family {family}");
        let help = "leave it out: intervals are Wald's, as those of R's summary";
        return vec![OptionError::new("intervals", message).help(help)];
    }
    if let (Some(constants), false) = (constants, job.intercept) {
        let family = own.distribution;
        let message =
            format!("no-intercept has no meaning with the family {family}, which has {constants}");
        return vec![OptionError::new("no-intercept", message).help("leave it out")];
    }
    if !own.levels.is_empty() && !own.distribution.has_levels() {
        let family = own.distribution;
        let message = format!("levels is of the families ordinal and multinomial, not of {family}");
        let help = "add family = ordinal or multinomial, or leave it out";
        return vec![OptionError::new("levels", message).help(help)];
    }
    if own.offset.is_some() && own.distribution == Distribution::Multinomial {
        let message = "offset has no meaning with the family multinomial, each level of which has a linear predictor of its own";
        return vec![OptionError::new("offset", message).help("leave it out")];
    }
    let given = [
        ("event", own.event.is_some()),
        ("entry", own.entry.is_some()),
        ("strata", own.strata.is_some()),
        ("ties", own.ties != Ties::default()),
    ];
    let given = given
        .into_iter()
        .filter(|(_, is_given)| *is_given && !is_survival);
    given
        .map(|(option, _)| {
            let message = format!("{option} is of the family cox, not of {}", own.distribution);
            OptionError::new(option, message).help("add family = cox, or leave it out")
        })
        .collect()
}

/// Options of the response that contradict each other.
pub(super) fn response_conflicts(job: &Job) -> Vec<OptionError> {
    let own = &job.kind;
    let mut errors = Vec::new();
    match Family::new(own.distribution, own.link) {
        Err(error) => errors.push(OptionError::new("link", error.to_string())),
        Ok(family) if own.firth => {
            let error = family.check_firth().err();
            let error = error.map(|error| OptionError::new("firth", error.to_string()));
            let help = "add family = binomial or poisson without another link, or leave firth out";
            errors.extend(error.map(|error| error.help(help)));
        }
        Ok(_) => {}
    }
    let is_binomial = own.distribution == Distribution::Binomial;
    if own.failures.is_some() {
        errors.extend(conflicts_of_failures(own));
    }
    let of_binomial = [("trials", &own.trials), ("success", &own.success)];
    errors.extend(survival_conflicts(job));
    for (option, value) in of_binomial {
        let is_level = option == "success" && own.event.is_some();
        if value.is_some() && !is_binomial && !is_level {
            let message = format!(
                "{option} is of the family binomial, not of {}",
                own.distribution
            );
            errors.push(
                OptionError::new(option, message).help("add family = binomial, or leave it out"),
            );
        }
    }
    if own.trials.is_some() && own.success.is_some() {
        let message = "trials and success exclude each other: of several trials the response counts the events";
        errors.push(OptionError::new("success", message));
    }
    if own.dispersion.is_some() && own.firth {
        let message = "firth and dispersion exclude each other: Firth's penalty is of a likelihood";
        errors.push(OptionError::new("firth", message).help("leave one of them out"));
    }
    if let Err(error) = own.options().check_covariance() {
        let option = error.option();
        let help = match error {
            CovarianceError::Clusters { .. } | CovarianceError::Levels { .. } => "take hc0 or hc1",
            CovarianceError::Survival { .. } => "take hc0",
            _ => "leave one of them out",
        };
        errors.push(OptionError::new(option, error.to_string()).help(help));
    }
    let is_robust = own.covariance != CovarianceEstimator::Model || own.cluster.is_some();
    if is_robust && job.intervals == Intervals::Profile {
        let message = "intervals = profile and robust covariances exclude each other: profiles are of the likelihood";
        errors.push(OptionError::new("intervals", message).help("leave one of them out"));
    }
    let has_dispersion = matches!(
        own.distribution,
        Distribution::Binomial | Distribution::Poisson
    );
    if own.dispersion.is_some() && !has_dispersion {
        let message = format!(
            "dispersion is of the families binomial and poisson, not of {}",
            own.distribution
        );
        errors.push(OptionError::new("dispersion", message).help("leave it out"));
    }
    if own.is_normal() {
        return errors;
    }
    let criteria = std::iter::once(&job.criterion).chain(&job.other_criteria);
    for criterion in criteria.filter(|criterion| criterion.needs_least_squares()) {
        let reason = match criterion.origin() {
            Some(_) => "is of linear regressions alone, as its plugin says",
            None => "is of least squares",
        };
        let (name, family) = (criterion.name(), own.distribution);
        let message = format!("criterion {name} {reason}, and the family is {family}");
        let help = "use aic, bic, ebic or ebic-monotone";
        errors.push(OptionError::new("criterion", message).help(help));
    }
    let selector = job.selector.as_ref().map(|selector| &selector.value);
    if let Some(MethodKind::Regression(procedure)) = selector {
        let (family, method) = (own.distribution, &job.method);
        let message = match (procedure.has_likelihoods(), family) {
            (false, _) => Some(format!(
                "family = {family}: the method {method} chooses models of linear regressions alone, as its plugin says"
            )),
            (true, Distribution::Multinomial) => Some(format!(
                "family = {family}: it has several linear predictors an observation, and the method {method} is lent one"
            )),
            (true, _) => None,
        };
        let error = message.map(|message| OptionError::new("family", message));
        errors.extend(error.map(|error| error.help("leave one of them out")));
    }
    errors
}
