//! Errors of the engine as exceptions of the package.

use passel::{
    job::OptionError,
    run::{Incomplete, Report as RunReport, RunError, error_chain},
};
use pyo3::{PyErr, prelude::*};

use crate::report::Report;

/// An exception of `passel.errors`, with what it holds beside its message.
fn raised(py: Python<'_>, class: &str, message: &str, held: Option<RunReport>) -> PyErr {
    let made = || {
        let class = py.import("passel.errors")?.getattr(class)?;
        let exception = class.call1((message,))?;
        if let Some(report) = held {
            exception.setattr("report", Py::new(py, Report::new(report))?)?;
        }
        PyResult::Ok(PyErr::from_value(exception))
    };
    made().unwrap_or_else(|error| error)
}

/// The exception for options that are refused.
pub(crate) fn of_options(py: Python<'_>, errors: &[OptionError]) -> PyErr {
    let of_python = |option: &str| option.replace('-', "_");
    let lines = errors.iter().map(|error| match &error.help {
        Some(help) => format!("{error}: {help}"),
        None => error.to_string(),
    });
    let message = lines.collect::<Vec<_>>().join("\n");
    let names = errors.iter().map(|error| of_python(&error.option));
    of_named(py, names.collect(), &message)
}

/// The exception for the options of these names.
pub(crate) fn of_named(py: Python<'_>, names: Vec<String>, message: &str) -> PyErr {
    let exception = raised(py, "OptionError", message, None);
    // Nothing is lost where the exception takes no such attribute.
    let _ = exception.value(py).setattr("options", names);
    exception
}

/// The exception for a run that failed; what was found before is held by it.
pub(crate) fn of_run(py: Python<'_>, error: RunError) -> PyErr {
    let message = error_chain(&error);
    let class = match (&error, error.exit_code()) {
        (RunError::Interrupted, _) => "Interrupted",
        (RunError::TimedOut(_), _) => "TimedOut",
        (RunError::Memory(_), _) => "OutOfMemory",
        (_, 2) => "DataError",
        _ => "EngineError",
    };
    let held = match error {
        RunError::Incomplete(incomplete) => {
            let Incomplete { report, .. } = *incomplete;
            report
        }
        _ => None,
    };
    raised(py, class, &message, held)
}

/// The exception for data that are not what they should be.
pub(crate) fn of_data(py: Python<'_>, message: &str) -> PyErr {
    raised(py, "DataError", message, None)
}

/// The exception for what a result does not have.
pub(crate) fn of_result(py: Python<'_>, message: &str) -> PyErr {
    raised(py, "ResultError", message, None)
}

/// The exception for data that would be copied.
pub(crate) fn of_copy(py: Python<'_>) -> PyErr {
    let message = "the tensor would be copied to the host, which copy=False forbids: GPUs search a tensor where it lies with \
                   device=\"cuda\", of at least 1,000 columns and 64 MiB, without missing values and for a search by PaSS";
    raised(py, "CopyError", message, None)
}

/// The exception for an end that the user asked for, with the best until then.
pub(crate) fn interrupted(py: Python<'_>, report: RunReport) -> PyErr {
    let message = "interrupted: `result` is the best until then";
    raised(py, "Interrupted", message, Some(report))
}

/// The exception for a timeout, with the best until then, if there is one.
pub(crate) fn timed_out(py: Python<'_>, reason: &str, report: Option<RunReport>) -> PyErr {
    raised(py, "TimedOut", reason, report)
}
