//! Options that contradict each other, whatever the data.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use super::{
    Job, OptionError, Responses, options::MethodClass, task::Command, terms::term_conflicts,
};
use crate::{
    family::Distribution,
    output::FileIdentity,
    plugin,
    presentation::Format,
    table::{DecimalMark, Separator},
};

/// Every conflict between the options of a job.
pub(super) fn conflicts(job: &Job) -> Vec<OptionError> {
    let mut errors = file_conflicts(job);
    errors.extend(column_conflicts(job));
    errors.extend(term_conflicts(job));
    let text = &job.text;
    if text.decimal == Some(DecimalMark::Comma) && text.separator == Some(Separator::COMMA) {
        let message = "separator and decimal are both a comma: where numbers in quotes have one, leave \
                       separator out";
        errors.push(OptionError::new("separator", message));
    }
    let start_size = job.pass.start_size;
    if let Some(max_size) = job.pass.max_size.filter(|max_size| start_size > *max_size) {
        let message = format!("start-size = {start_size} is above max-size = {max_size}");
        errors.push(OptionError::new("start-size", message));
    }
    if job.format == Format::Parquet {
        if cfg!(not(feature = "parquet")) {
            let message = "format = parquet: this passel was built without Parquet";
            let help = "build it with `cargo install --path . --features parquet`";
            errors.push(OptionError::new("format", message).help(help));
        } else if job.output.is_none() {
            let message = "format = parquet needs a file: name it with output";
            errors.push(OptionError::new("format", message));
        }
    }
    if job.inference.is_some() && job.checkpoint.is_some() {
        let message = "checkpoint and infer exclude each other: a checkpoint is of one search, and inference makes many; leave \
                       one of them out";
        errors.push(OptionError::new("checkpoint", message));
    }
    if job.inference.is_some() && job.responses.is_some() {
        let message = "infer is of one response: select each in a job of its own";
        errors.push(OptionError::new("infer", message));
    }
    // The trace of a continued search would lack the steps before its checkpoint.
    if job.trace.is_some() && job.checkpoint.is_some() {
        let message = "checkpoint and trace exclude each other: a search that continues has not kept \
                       the steps before its checkpoint; leave one of them out";
        errors.push(OptionError::new("checkpoint", message));
    }
    errors
}

/// The error for a checkpoint, which is of one search, where several criteria make several.
pub(super) fn several_criteria(job: &Job, count: usize) -> Option<OptionError> {
    let message = format!("criterion names {count} criteria, and checkpoint is of one search");
    let help = "run each criterion by itself, with a checkpoint of its own; of a job file \
                criterion = [\"aic\", \"bic\"] makes a job each, and a run sees to their checkpoints";
    let error = || OptionError::new("criterion", message).help(help);
    (count > 1 && job.checkpoint.is_some()).then(error)
}

/// Errors for what does not go with a criterion that leaves the size of models to cross-validation.
pub(super) fn conflicts_of_cross_validation(job: &Job, command: Command) -> Vec<OptionError> {
    if !job.cross_validates() || !MethodClass::of_job(job).uses("criterion") {
        return Vec::new();
    }
    let mut errors = Vec::new();
    let mut refuse = |is_there: bool, option, message: &str, help: &str| {
        errors.extend(is_there.then(|| OptionError::new(option, message).help(help)));
    };
    let other = "name an information criterion, such as ebic-monotone";
    let message =
        "criterion cv chooses one size, and stability selection counts what many selections choose";
    refuse(command == Command::Stability, "criterion", message, other);
    let message = "criterion cv judges models of each size, which the method pass alone selects";
    refuse(job.selector.is_some(), "criterion", message, other);
    let message = "infer selects from parts of the rows, and criterion cv from parts of these";
    refuse(
        job.inference.is_some(),
        "infer",
        message,
        "leave one of them out; `passel validate` judges the whole procedure",
    );
    let message = "criterion cv is of one response";
    refuse(
        job.responses.is_some(),
        "criterion",
        message,
        "select each in a job of its own",
    );
    let message = "checkpoint is of one search, and criterion cv makes many";
    refuse(
        job.checkpoint.is_some(),
        "checkpoint",
        message,
        "leave one of them out",
    );
    errors
}

/// Files that would be written over one another, or over what the job reads.
fn file_conflicts(job: &Job) -> Vec<OptionError> {
    let outputs = [
        ("output", job.output.as_deref()),
        ("trace", job.trace.as_deref()),
        ("checkpoint", job.checkpoint.as_deref()),
    ];
    let outputs = outputs.into_iter();
    let outputs = outputs.filter_map(|(option, path)| Some((option, path?)));
    let outputs: Vec<_> = outputs.collect();
    if outputs.is_empty() {
        return Vec::new();
    }
    let inputs = read_or_installed(job);
    let mut errors = Vec::new();
    for (index, (option, path)) in outputs.iter().enumerate() {
        let others = outputs[index + 1..].iter().copied();
        let inputs = inputs.iter().map(|(name, path)| (*name, &**path));
        errors.extend(overwrites(option, path, others.chain(inputs)));
    }
    errors
}

/// Conflicts of the file of all scores of pairs with the other options of its job.
pub(super) fn matrix_conflicts(job: &Job, matrix: &Path) -> Vec<OptionError> {
    let inputs = read_or_installed(job);
    let inputs = inputs.iter().map(|(name, path)| (*name, &**path));
    let output = job.output.as_deref().map(|path| ("output", path));
    let mut errors = overwrites("matrix", matrix, inputs.chain(output));
    if job.checkpoint.is_some() {
        let message = "checkpoint and matrix exclude each other: the scores of all pairs are more than a \
                       checkpoint keeps; leave one of them out";
        errors.push(OptionError::new("checkpoint", message));
    }
    errors
}

/// The files that a job reads, and the libraries of all plugins that are installed.
fn read_or_installed(job: &Job) -> Vec<(&'static str, PathBuf)> {
    let installed = plugin::installed_libraries();
    let installed = installed.iter().map(|path| ("a plugin", path.clone()));
    let mut all = job.named_files();
    all.extend(installed);
    all
}

/// Errors for those of the other files that writing to `path` would change.
fn overwrites<'a>(
    option: &'static str,
    path: &Path,
    others: impl Iterator<Item = (&'static str, &'a Path)>,
) -> Vec<OptionError> {
    let target = FileIdentity::of(path);
    let is_same = |(_, other): &(_, &Path)| target.is_some() && FileIdentity::of(other) == target;
    let error = |(other, _)| {
        let message = format!("{option} and {other} are the same file, {}", path.display());
        let error = OptionError::new(option, message);
        OptionError {
            is_of_file: true,
            ..error
        }
    };
    // A library may be named and installed.
    let mut same: Vec<_> = others.filter(is_same).collect();
    same.dedup_by_key(|(name, _)| *name);
    same.into_iter().map(error).collect()
}

/// Columns that two options use in ways that exclude each other.
fn column_conflicts(job: &Job) -> Vec<OptionError> {
    let response: Vec<String> = job
        .response
        .iter()
        .chain(&job.kind.failures)
        .chain(job.responses.iter().flat_map(Responses::columns))
        .cloned()
        .collect();
    let (response, weights) = (&response[..], job.weights.as_slice());
    let (trials, offset) = (job.kind.trials.as_slice(), job.kind.offset.as_slice());
    // Numbers of these families may be levels.
    let of_numbers = match job.kind.distribution {
        Distribution::Binomial | Distribution::Ordinal | Distribution::Multinomial => &[],
        _ => response,
    };
    let pairs = [
        ("keep", &job.keep[..], "drop", &job.drop[..]),
        ("keep", &job.keep, "response", response),
        ("drop", &job.drop, "response", response),
        ("factor", &job.factor, "response", of_numbers),
        ("date", &job.date, "factor", &job.factor),
        ("date", &job.date, "drop", &job.drop),
        ("weights", weights, "response", response),
        ("keep", &job.keep, "weights", weights),
        ("drop", &job.drop, "weights", weights),
        ("factor", &job.factor, "weights", weights),
        ("trials", trials, "response", response),
        ("trials", trials, "weights", weights),
        ("offset", offset, "response", response),
        ("offset", offset, "weights", weights),
        ("offset", offset, "trials", trials),
        ("keep", &job.keep, "trials", trials),
        ("drop", &job.drop, "trials", trials),
        ("factor", &job.factor, "trials", trials),
        ("keep", &job.keep, "offset", offset),
        ("drop", &job.drop, "offset", offset),
        ("factor", &job.factor, "offset", offset),
    ];
    let mut errors = Vec::new();
    for (option, names, other, others) in pairs {
        let others: HashSet<&String> = others.iter().collect();
        let both = names.iter().filter(|name| others.contains(name));
        errors.extend(both.map(|name| {
            OptionError::new(option, format!("{option} and {other} both name {name}"))
        }));
    }
    errors
}
