//! Several responses of one job.

use std::path::PathBuf;

use super::{Job, OptionError, options::MethodClass};
use crate::family::Distribution;

/// Several responses, of each of which a job selects a model. None of them is a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Responses {
    /// Columns of the data, at least two.
    Columns(Vec<String>),
    /// All columns of a second table, which has a row for each of the data.
    File(PathBuf),
}

impl Responses {
    /// The option that names them.
    pub(super) fn option(&self) -> &'static str {
        match self {
            Self::Columns(_) => "response",
            Self::File(_) => "responses",
        }
    }

    /// Those that are columns of the data.
    pub(crate) fn columns(&self) -> &[String] {
        match self {
            Self::Columns(names) => names,
            Self::File(_) => &[],
        }
    }
}

/// The error for several responses where only one can be.
pub(super) fn refuse_several(job: &Job, what: &str) -> Option<OptionError> {
    let option = job.responses.as_ref()?.option();
    let message = format!("{option} names several responses, and {what} is of one");
    let help =
        "name one response at a time; in a job file response = [\"a\", \"b\"] makes a job each";
    Some(OptionError::new(option, message).help(help))
}

/// Options that contradict several responses.
pub(super) fn conflicts_of_responses(job: &Job) -> Vec<OptionError> {
    let Some(responses) = &job.responses else {
        return Vec::new();
    };
    let option = responses.option();
    let mut errors = Vec::new();
    let mut refuse = |message: String, help: &str| {
        errors.push(OptionError::new(option, message).help(help));
    };
    if let (Responses::File(_), Some(response)) = (responses, &job.response) {
        let message = format!("responses names a table of responses, and response = {response}");
        refuse(message, "leave one of them out");
    }
    let names = responses.columns();
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            refuse(
                format!("response names {name} twice"),
                "leave one of them out",
            );
        }
    }
    let formula = job.terms.formula.as_ref();
    if formula.is_some_and(|formula| formula.has_response()) {
        let message = format!("{option} names responses, and so does the formula");
        refuse(message, "write the formula without a response: ~ x + z");
    }
    if MethodClass::of_job(job) != MethodClass::Pass {
        errors.extend(refuse_several(job, &format!("the method {}", job.method)));
    }
    if job.kind.distribution == Distribution::Cox {
        errors.extend(refuse_several(job, "the family cox"));
    }
    for (option, is_given) in [
        ("checkpoint", job.checkpoint.is_some()),
        ("trace", job.trace.is_some()),
    ] {
        if is_given {
            errors.extend(refuse_several(job, option));
        }
    }
    errors
}
