//! What contradicts itself in a job, whatever its data.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use super::{Job, OptionError};
use crate::{binning::Binning, report::Format, table};

/// Files that would be written over one another, or over the data.
pub(super) fn same_files(job: &Job, npy: bool) -> Vec<OptionError> {
    let response = job.response.as_deref().filter(|_| npy).map(Path::new);
    let (binning, bin_response) = (edges(&job.binning), edges(&job.bin_response));
    let data = table::input_files(&job.data);
    let written = [
        ("output", job.output.as_deref()),
        ("trace", job.trace.as_deref()),
        ("checkpoint", job.checkpoint.as_deref()),
    ];
    let mut places = Vec::new();
    for (at, (option, path)) in written.into_iter().enumerate() {
        let others = written[at + 1..].iter().copied();
        let read = [
            ("the response", response),
            ("binning", binning),
            ("bin-response", bin_response),
        ];
        let data = data.iter().map(|file| ("the data", Some(&**file)));
        let others = others.chain(read).chain(data);
        places.extend(others.map(|(other, other_path)| (option, path, other, other_path)));
    }
    let mut errors = Vec::new();
    for (option, path, other, other_path) in places {
        let (Some(path), Some(other_path)) = (path, other_path) else {
            continue;
        };
        if same_file(path, other_path) {
            errors.push(OptionError::SameFile {
                option,
                other,
                path: path.to_owned(),
            });
        }
    }
    errors
}

/// The file of rules that a binning reads.
fn edges(binning: &Binning) -> Option<&Path> {
    match binning {
        Binning::Edges(file) => Some(file),
        _ => None,
    }
}

/// What a report as Parquet lacks.
pub(super) fn parquet_without(job: &Job) -> Option<OptionError> {
    match job.format {
        Format::Parquet if cfg!(not(feature = "parquet")) => Some(OptionError::ParquetUnbuilt),
        Format::Parquet if job.output.is_none() => Some(OptionError::ParquetOutput),
        _ => None,
    }
}

/// A trace of a search that may go on: the steps taken before are not kept.
pub(super) fn traced_in_parts(job: &Job) -> Option<OptionError> {
    let both = job.trace.is_some() && job.checkpoint.is_some();
    both.then_some(OptionError::TracedInParts)
}

/// Columns asked to be two things at once.
pub(super) fn names_twice(job: &Job) -> Vec<OptionError> {
    let (response, weights) = (job.response.as_slice(), job.weights.as_slice());
    let pairs = [
        ("keep", &job.keep[..], "drop", &job.drop[..]),
        ("keep", &job.keep, "response", response),
        ("drop", &job.drop, "response", response),
        ("factor", &job.factor, "response", response),
        ("weights", weights, "response", response),
        ("keep", &job.keep, "weights", weights),
        ("drop", &job.drop, "weights", weights),
        ("factor", &job.factor, "weights", weights),
    ];
    let mut errors = Vec::new();
    for (option, names, other, others) in pairs {
        let others: HashSet<&String> = others.iter().collect();
        let both = names.iter().filter(|name| others.contains(*name));
        errors.extend(both.map(|name| OptionError::NameTwice {
            option,
            other,
            name: name.clone(),
        }));
    }
    errors
}

/// Whether writing one of two paths would change the other.
pub(super) fn same_file(a: &Path, b: &Path) -> bool {
    place(a).is_some_and(|a| place(b) == Some(a))
}

/// Where a path leads, by whatever name; nowhere if it is a device or a pipe. These are nobody's
/// file: `/dev/null` may be named twice.
pub(super) fn place(path: &Path) -> Option<PathBuf> {
    if path.metadata().is_ok_and(|it| !it.is_file()) {
        return None;
    }
    let whole = path.canonicalize().ok().or_else(|| {
        // Not there yet: its folder may be, under another name.
        let folder = Path::new(".").join(path.parent()?).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    });
    Some(whole.unwrap_or_else(|| path.to_owned()))
}
