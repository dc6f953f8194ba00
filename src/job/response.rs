//! What kind of response a job has.

use super::{Job, OptionError};
use crate::{
    design::ResponseOptions,
    device::DeviceChoice,
    family::{Distribution, Family, Link},
    plugin::MethodKind,
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
    /// The level or the value that is an event; `None` for 1, or for the second of two levels.
    pub success: Option<String>,
    /// The column that is added to the linear predictor of every model; `None` for none.
    pub offset: Option<String>,
    /// Whether the estimates of the selected model are those of Firth's penalty.
    pub firth: bool,
}

impl Default for ResponseSettings {
    fn default() -> Self {
        Self {
            distribution: Distribution::Gaussian,
            link: None,
            trials: None,
            success: None,
            offset: None,
            firth: false,
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
            success: self.success.as_deref(),
            offset: self.offset.as_deref(),
            firth: self.firth,
        }
    }

    /// The columns that are no candidates.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &String> {
        self.trials.iter().chain(&self.offset)
    }
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
    let of_binomial = [("trials", &own.trials), ("success", &own.success)];
    for (option, value) in of_binomial {
        if value.is_some() && !is_binomial {
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
    if own.is_normal() {
        return errors;
    }
    if matches!(job.resources.devices, DeviceChoice::Cuda(_)) {
        let message = format!(
            "device = cuda: models of the family {} are not searched on GPUs yet",
            own.distribution
        );
        errors.push(OptionError::new("device", message).help("leave it out, or use cpu"));
    }
    let criteria = std::iter::once(&job.criterion).chain(&job.other_criteria);
    for criterion in criteria.filter(|criterion| criterion.needs_least_squares()) {
        let message = format!(
            "criterion {} is of least squares, and the family is {}",
            criterion.name(),
            own.distribution
        );
        let help = "use aic, bic, ebic or ebic-monotone";
        errors.push(OptionError::new("criterion", message).help(help));
    }
    let selector = job.selector.as_ref().map(|selector| &selector.value);
    if let Some(MethodKind::Regression(_)) = selector {
        let message = format!(
            "family = {}: the method {} chooses the model of a linear regression",
            own.distribution, job.method
        );
        errors.push(OptionError::new("family", message).help("leave one of them out"));
    }
    errors
}
