//! What `passel plugins --check` tries of a method.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{
    check_calls::{Checked, THREADS, of_function},
    check_data::{COLUMNS, Data, data},
    check_step,
};
use crate::{
    batch::error_chain,
    device::Resources,
    interrupt::grace,
    job::JobDraft,
    plugin::{self, MethodKind},
    run::{self, Fault, RunError},
    selector::ProcedureError,
};

/// A problem that a method is given besides the first: what it is, its data, and its options.
type Trial = (&'static str, Data, &'static [(&'static str, &'static str)]);

/// Those of selectors of levels.
const OF_LEVELS: [Trial; 3] = [
    ("of one column that is wanted", Data::Plain, &[("top", "1")]),
    (
        "with missing values",
        Data::Missing,
        &[("missing", "level")],
    ),
    ("with a column of text", Data::Text, &[]),
];

/// Those of selectors of regressions.
const OF_REGRESSION: [Trial; 4] = [
    ("of one variable at most", Data::Plain, &[("max-size", "1")]),
    ("with missing values", Data::Missing, &[("missing", "mean")]),
    ("with a column of text", Data::Text, &[]),
    (
        "with a variable that is kept",
        Data::Plain,
        &[("keep", "x3")],
    ),
];

/// Those of selectors of models of every family.
const OF_LIKELIHOODS: [Trial; 2] = [
    (
        "of the family binomial",
        Data::Events,
        &[("family", "binomial")],
    ),
    (
        "of the family poisson",
        Data::Counts,
        &[("family", "poisson")],
    ),
];

/// Why a method chose nothing.
struct Refused {
    reason: String,
    /// Whether the plugin said it in words of its own.
    is_told: bool,
}

impl From<String> for Refused {
    fn from(reason: String) -> Self {
        Self {
            reason,
            is_told: false,
        }
    }
}

/// What a method chooses is the same again, by several threads, and of sparse columns; and it goes through problems of other kinds, or
/// says why it does not.
pub(super) fn method_of(library: &Path, name: &str, kind: &MethodKind) -> Checked {
    let about = match kind {
        MethodKind::Score(score) => match score.function() {
            Some(function) => of_function(function, false)?,
            None if score.is_exact() => "declared, counted in integers".to_owned(),
            None => "declared, counted in floats".to_owned(),
        },
        MethodKind::Ranking(_) | MethodKind::Regression(_) => "a procedure".to_owned(),
    };
    let is_of_levels = !matches!(kind, MethodKind::Regression(_));
    let chosen = |threads: usize, of: Data, options: &[(&str, &str)]| {
        choose((library, name), (is_of_levels, of), threads, options)
    };
    let plain = |threads: usize, of: Data| chosen(threads, of, &[]).map_err(|own| own.reason);
    check_step::step("data of eight columns");
    let first = plain(1, Data::Plain)?;
    for (what, threads, of) in [
        ("asked again", 1, Data::Plain),
        ("chosen by several threads", THREADS, Data::Plain),
        ("chosen from sparse columns", 1, Data::Sparse),
    ] {
        check_step::step(what);
        let other = match what {
            "asked again" => plugin::guarded(|| plain(threads, of)),
            _ => plain(threads, of),
        };
        if other? != first {
            return Err(format!("what it chooses differs where it is {what}"));
        }
    }
    let likelihoods = match kind {
        MethodKind::Regression(own) if own.has_likelihoods() => &OF_LIKELIHOODS[..],
        _ => &[],
    };
    let others = match is_of_levels {
        true => &OF_LEVELS[..],
        false => &OF_REGRESSION[..],
    };
    let mut notes = String::new();
    for (what, of, options) in others.iter().chain(likelihoods) {
        check_step::step(&format!("a problem {what}"));
        match chosen(1, *of, options) {
            Ok(_) => {}
            Err(own) if own.is_told => {
                notes += &format!("; refuses a problem {what}: {}", own.reason);
            }
            Err(own) => return Err(format!("a problem {what}: {}", own.reason)),
        }
    }
    let count = first.as_array().map_or(0, Vec::len);
    Ok(format!(
        "{about}; chooses {count} of {COLUMNS} columns, the same each time{notes}"
    ))
}

/// Whether a procedure gave a reason of its own for choosing nothing, which neither a panic is nor an invalid call.
fn is_reason_of_plugin(error: &RunError) -> bool {
    let RunError::Incomplete(own) = error else {
        return false;
    };
    let unsaid = ["did not say why", "panicked"];
    match &own.fault {
        Fault::Procedure {
            source: ProcedureError::Failed(reason),
            ..
        } => !unsaid.iter().any(|own| reason.contains(own)),
        _ => false,
    }
}

/// What a method of a library chooses.
fn choose(
    (library, name): (&Path, &str),
    (is_of_levels, of): (bool, Data),
    threads: usize,
    options: &[(&str, &str)],
) -> Result<Value, Refused> {
    let mut draft = JobDraft::new(PathBuf::from("check"));
    let library = format!("\"{}\"", library.to_string_lossy());
    let own = [("response", "y"), ("method", name), ("plugins", &*library)];
    for (option, value) in own.into_iter().chain(options.iter().copied()) {
        let set = draft.set(option, &[value.to_owned()]);
        set.map_err(|error| error.to_string())?;
    }
    let mut job = draft
        .check()
        .map_err(|errors| errors.first().map_or(String::new(), ToString::to_string))?;
    job.table = data(is_of_levels, of);
    job.resources = Resources::cpu(threads);
    job.pass.time_limit = Some(grace());
    let report = run::run(&job).map_err(|error| Refused {
        is_told: is_reason_of_plugin(&error),
        reason: error_chain(&error),
    })?;
    let mut outcome = report.outcome;
    drop(outcome.remove_circumstances());
    let json = serde_json::to_value(&outcome).map_err(|error| error.to_string())?;
    match json["termination"] == "time-limit" {
        true => Err(format!("it did not end within {} s", grace().as_secs_f64()).into()),
        false => Ok(json["selected"].clone()),
    }
}
