//! What is wrong with an option, and how to mend it.

use std::path::PathBuf;

use passel_criteria::CriterionError;
use thiserror::Error;

use super::options::MethodClass;
use crate::{
    plugin::{MethodError, PluginError},
    selector::PERMUTATION_COUNTS,
};

/// Why an option is refused, or a combination of options.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum OptionError {
    /// No option has this name.
    #[error("there is no option `{option}`")]
    Unknown {
        /// The name that was given.
        option: String,
        /// The option whose name is nearest, if one is near.
        nearest: Option<&'static str>,
    },
    /// The value is of the wrong kind, out of range, or none of the allowed words.
    #[error("{option} = {value} must be {range}")]
    Range {
        /// The option.
        option: &'static str,
        /// The value that was given.
        value: String,
        /// The values that are allowed.
        range: &'static str,
        /// The allowed word that is nearest, if one is near.
        nearest: Option<&'static str>,
    },
    /// The option takes one value, and none or several were given.
    #[error("{option} takes one value, not {count}")]
    Several {
        /// The option.
        option: &'static str,
        /// The number of values that were given.
        count: usize,
    },
    /// Probabilities are negative, or do not sum to one.
    #[error("{option} = {value} must be probabilities: none below 0, with sum 1 (it is {sum})")]
    Probabilities {
        /// The option.
        option: &'static str,
        /// The value that was given.
        value: String,
        /// Their sum.
        sum: f64,
    },
    /// A name in a list is empty, or its quotes do not close.
    #[error("{option} = {value} must be {range}: {reason}")]
    List {
        /// The option.
        option: &'static str,
        /// The value that was given.
        value: String,
        /// The values that are allowed.
        range: &'static str,
        /// What is wrong with the list.
        reason: &'static str,
    },
    /// The criterion does not exist, or not with these parameters.
    #[error("criterion = {value}: {error}")]
    Criterion {
        /// The value that was given.
        value: String,
        /// What is wrong with it.
        error: CriterionError,
        /// The name or parameter that is nearest, if one is near.
        nearest: Option<String>,
    },
    /// Two options name the same file.
    #[error("{option} and {other} are the same file, {}", path.display())]
    SameFile {
        /// The option that would write to it.
        option: &'static str,
        /// The other option, or what else the file is.
        other: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// Two options name the same column for different purposes.
    #[error("{option} and {other} both name {name}")]
    NameTwice {
        /// The first option.
        option: &'static str,
        /// The second option.
        other: &'static str,
        /// The column.
        name: String,
    },
    /// The model of a simulation has no such option.
    #[error("the model {model} has no option {option}: it has {options}")]
    NotOfModel {
        /// The value that was given.
        option: &'static str,
        /// The model.
        model: String,
        /// The options that it has.
        options: String,
    },
    /// The method does not use the option.
    #[error("{option} has no effect with the method {method}")]
    NotOfMethod {
        /// The value that was given.
        option: &'static str,
        /// The method.
        method: String,
    },
    /// The option contradicts another one, or the command.
    #[error("{option} {reason}")]
    Contradicts {
        /// The value that was given.
        option: &'static str,
        /// Why, and what to do about it.
        reason: &'static str,
    },
    /// The method or pair score does not exist, or not with these parameters.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// The method does not exist, but might come from a plugin that was refused or not found.
    #[error("{error}: {reason}; `passel plugins` lists the places that are searched")]
    NoPlugin {
        /// The method that was asked for.
        error: Box<MethodError>,
        /// What is wrong with the plugins.
        reason: String,
    },
    /// A library that was named is not a plugin.
    #[error(transparent)]
    Plugin(#[from] PluginError),
    /// Only selections by a criterion have a Parquet form.
    #[error("format = parquet is only for the method pass: use csv, json or html")]
    ParquetOfPass,
    /// The program was built without Parquet.
    #[error("format = parquet: this passel was built without Parquet")]
    ParquetUnbuilt,
    /// A Parquet report cannot go to standard output.
    #[error("format = parquet needs a file: name it with output")]
    ParquetOutput,
    /// A trace cannot cover the parts of a search that continues from a checkpoint.
    #[error(
        "checkpoint and trace exclude each other: a search that continues has not kept the steps before its checkpoint; leave one of them out"
    )]
    TraceOfParts,
    /// No p-value of so few permutations can be as small as the level.
    #[error(
        "{option} = permutation: alpha = {alpha} is below 1/{}, the smallest p-value of {n} permutations", n + 1
    )]
    Unreachable {
        /// The option.
        option: &'static str,
        /// The level.
        alpha: f64,
        /// The number of permutations.
        n: usize,
    },
    /// Particles would start with more variables than the largest model has.
    #[error("start-size = {start_size} is above max-size = {max_size}")]
    StartAboveMax {
        /// The number of variables that a particle starts with.
        start_size: usize,
        /// The size of the largest model.
        max_size: usize,
    },
}

impl OptionError {
    /// The option that the user should look at first.
    pub fn option(&self) -> &str {
        match self {
            Self::Unknown { option, .. } => option,
            Self::Range { option, .. }
            | Self::Several { option, .. }
            | Self::Probabilities { option, .. }
            | Self::List { option, .. }
            | Self::Unreachable { option, .. }
            | Self::SameFile { option, .. }
            | Self::NotOfModel { option, .. }
            | Self::Contradicts { option, .. }
            | Self::NameTwice { option, .. } => option,
            Self::Criterion { .. } => "criterion",
            Self::NotOfMethod { option, .. } => option,
            Self::Method(error) => error.option(),
            Self::NoPlugin { error, .. } => error.option(),
            Self::Plugin(_) => "plugins",
            Self::ParquetUnbuilt | Self::ParquetOutput | Self::ParquetOfPass => "format",
            Self::StartAboveMax { .. } => "start-size",
            Self::TraceOfParts => "checkpoint",
        }
    }

    /// What would mend the mistake, if that is known.
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
            // The search by criterion always uses the seed.
            Self::NotOfMethod { option: "seed", .. } => Some(
                "it is for the method pass, and for selectors with stop = permutation".to_owned(),
            ),
            Self::Unreachable { alpha, .. } => {
                let n = (1.0 / alpha).ceil() - 1.0;
                let most = *PERMUTATION_COUNTS.end();
                Some(match n <= most as f64 {
                    true => format!("use n={n} or more"),
                    false => format!("use n={most} and an alpha of 1e-6 or more"),
                })
            }
            Self::NotOfMethod { option, .. } => {
                let used_by = |class: MethodClass| class.uses(option);
                let classes = match (used_by(MethodClass::Pass), used_by(MethodClass::Regression)) {
                    (true, true) if used_by(MethodClass::Score) => {
                        "it is for regressions, and for selectors by a score"
                    }
                    (true, true) => "it is for regressions: by the method pass, or by a plugin",
                    (true, false) => "it is for the method pass",
                    (false, _) if !used_by(MethodClass::Ranking) => {
                        "it is for selectors by a score"
                    }
                    (false, _) => "it is for selectors that rank: name one with method",
                };
                Some(classes.to_owned())
            }
            Self::ParquetUnbuilt => {
                Some("build it with `cargo install --path . --features parquet`".to_owned())
            }
            Self::Unknown { nearest, .. } | Self::Range { nearest, .. } => {
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
