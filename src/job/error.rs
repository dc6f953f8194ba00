//! What is wrong with an option, and how to mend it.

use std::path::PathBuf;

use passel_criteria::CriterionError;
use thiserror::Error;

use super::options::Kind;

use crate::{
    plugin::{MethodError, PluginError},
    selector::PERMUTATION_COUNTS,
};

/// An option, or two together, that cannot be taken.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum OptionError {
    /// No option has this name.
    #[error("there is no option `{option}`")]
    Unknown {
        /// The name given.
        option: String,
        /// The option it resembles.
        nearest: Option<&'static str>,
    },
    /// The value is of another kind, or outside the range.
    #[error("{option} = {value} must be {range}")]
    Range {
        /// The option.
        option: &'static str,
        /// What was given.
        value: String,
        /// What is allowed.
        range: &'static str,
    },
    /// One value was wanted and none or several were given.
    #[error("{option} takes one value, not {count}")]
    Several {
        /// The option.
        option: &'static str,
        /// How many were given.
        count: usize,
    },
    /// The value is none of the words allowed.
    #[error("{option} = {value} must be {range}")]
    Choice {
        /// The option.
        option: &'static str,
        /// What was given.
        value: String,
        /// The words allowed.
        range: &'static str,
        /// The word it resembles.
        nearest: Option<&'static str>,
    },
    /// Probabilities that are negative, or do not sum to one.
    #[error("{option} = {value} must be probabilities: none below 0, with sum 1 (it is {sum})")]
    Probabilities {
        /// The option.
        option: &'static str,
        /// What was given.
        value: String,
        /// Their sum.
        sum: f64,
    },
    /// A name in a list is empty, or its quotes do not close.
    #[error("{option} = {value} must be {range}: {reason}")]
    List {
        /// The option.
        option: &'static str,
        /// What was given.
        value: String,
        /// What is allowed.
        range: &'static str,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The criterion cannot be made.
    #[error("criterion = {value}: {error}")]
    Criterion {
        /// What was given.
        value: String,
        /// What the criteria said.
        error: CriterionError,
        /// The name or the parameter it resembles.
        nearest: Option<String>,
    },
    /// Two options name one file.
    #[error("{option} and {other} are the same file, {}", path.display())]
    SameFile {
        /// The option that would write.
        option: &'static str,
        /// The other.
        other: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// One column is asked to be two things.
    #[error("{option} and {other} both name {name}")]
    NameTwice {
        /// The one.
        option: &'static str,
        /// The other.
        other: &'static str,
        /// The column.
        name: String,
    },
    /// The model has no such option.
    #[error("the model {model} has no option {option}: it has {options}")]
    NotOfModel {
        /// What was given.
        option: &'static str,
        /// The model.
        model: String,
        /// The options it has.
        options: String,
    },
    /// The method has no use for the option.
    #[error("{option} has no effect with the method {method}")]
    NotOfMethod {
        /// What was given.
        option: &'static str,
        /// The method.
        method: String,
    },
    /// The option is of one selection, and many are made.
    #[error("{option} is of one selection: it has no effect on many")]
    OfOneSelection {
        /// What was given.
        option: &'static str,
    },
    /// The option does not go with another that was given, or left out.
    #[error("{option} {reason}")]
    Contradicts {
        /// What was given.
        option: &'static str,
        /// What it is of, and what to do.
        reason: &'static str,
    },
    /// There is no such method or pair score, or not with such parameters.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// The method may be of a plugin that is not there.
    #[error("{error}: {reason}; `passel plugins` says where they are looked for")]
    NoPlugin {
        /// What was asked for.
        error: Box<MethodError>,
        /// What of the plugins is amiss.
        reason: String,
    },
    /// A library that was named is no plugin.
    #[error(transparent)]
    Plugin(#[from] PluginError),
    /// A ranking has no form there.
    #[error("format = parquet is for the method pass: take csv, json or html")]
    ParquetOfPass,
    /// Parquet is left out of this program.
    #[error("format = parquet: this passel was built without it")]
    ParquetUnbuilt,
    /// A report that is no text has no file to go to.
    #[error("format = parquet is for a file: name it with output")]
    ParquetOutput,
    /// A trace is whole, a search with a checkpoint may run in parts.
    #[error(
        "checkpoint and trace exclude each other: a search that goes on has not kept the steps it took before; leave one of them out"
    )]
    TracedInParts,
    /// A level that no p-value can be as small as.
    #[error(
        "{option} = permutation: alpha = {alpha} is below 1/{}, the smallest p-value of {n} permutations", n + 1
    )]
    Unreachable {
        /// The option.
        option: &'static str,
        /// The level.
        alpha: f64,
        /// Permutations.
        n: usize,
    },
    /// Particles would start above the largest model.
    #[error("start-size = {start_size} is above max-size = {max_size}")]
    StartAboveMax {
        /// Variables a particle starts with.
        start_size: usize,
        /// The largest model.
        max_size: usize,
    },
}

impl OptionError {
    /// The option to look at first.
    pub fn option(&self) -> &str {
        match self {
            Self::Unknown { option, .. } => option,
            Self::Range { option, .. }
            | Self::Several { option, .. }
            | Self::Choice { option, .. }
            | Self::Probabilities { option, .. }
            | Self::List { option, .. }
            | Self::Unreachable { option, .. }
            | Self::SameFile { option, .. }
            | Self::NotOfModel { option, .. }
            | Self::OfOneSelection { option }
            | Self::Contradicts { option, .. }
            | Self::NameTwice { option, .. } => option,
            Self::Criterion { .. } => "criterion",
            Self::NotOfMethod { option, .. } => option,
            Self::Method(error) => error.option(),
            Self::NoPlugin { error, .. } => error.option(),
            Self::Plugin(_) => "plugins",
            Self::ParquetUnbuilt | Self::ParquetOutput | Self::ParquetOfPass => "format",
            Self::StartAboveMax { .. } => "start-size",
            Self::TracedInParts => "checkpoint",
        }
    }

    /// What would mend it, where that can be said.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Criterion {
                nearest: None,
                error: CriterionError::UnknownName { .. },
                ..
            } => Some("`passel criteria` lists them".to_owned()),
            Self::Method(error) => error
                .is_unknown()
                .then(|| "`passel methods` lists them".to_owned()),
            // Wherever it is out of place the method is a selector.
            Self::NotOfMethod { option: "seed", .. } => Some(
                "it is of the method pass, and of selectors with stop = permutation".to_owned(),
            ),
            Self::Unreachable { alpha, .. } => {
                let n = (1.0 / alpha).ceil() - 1.0;
                let most = *PERMUTATION_COUNTS.end();
                Some(match n <= most as f64 {
                    true => format!("take n={n} or more"),
                    false => format!("take n={most} and an alpha of 1e-6 or more"),
                })
            }
            Self::NotOfMethod { option, .. } => {
                let is_of = |kind: Kind| kind.uses(option);
                let told = match (is_of(Kind::Pass), is_of(Kind::Regresses)) {
                    (true, true) if is_of(Kind::Scores) => {
                        "it is of regressions, and of selectors by a score"
                    }
                    (true, true) => "it is of regressions: the method pass, or a plugin's",
                    (true, false) => "it is of the method pass",
                    (false, _) if !is_of(Kind::Ranks) => "it is of selectors by a score",
                    (false, _) => "it is of selectors that rank: name one with method",
                };
                Some(told.to_owned())
            }
            Self::ParquetUnbuilt => {
                Some("build it with `cargo install --path . --features parquet`".to_owned())
            }
            Self::Unknown { nearest, .. } | Self::Choice { nearest, .. } => {
                nearest.map(|nearest| format!("did you mean `{nearest}`?"))
            }
            Self::Criterion { nearest, .. } => {
                let nearest = nearest.as_ref();
                nearest.map(|nearest| format!("did you mean `{nearest}`?"))
            }
            _ => None,
        }
    }
}
