//! Every option of a job, once. The command line, its help, the keys of a job file and
//! docs/options.md are all made from these tables.

mod data;
mod machine;
mod search;

use std::sync::LazyLock;

use super::{Job, OptionSpec, RunSettings};
use crate::plugin::MethodKind;
pub(super) use search::FALSE_PICKS;

/// The options of `passel select`, in the order in which they are listed.
pub static OPTIONS: LazyLock<Vec<OptionSpec>> = LazyLock::new(|| {
    let model = data::data()
        .chain(data::model())
        .chain(data::terms())
        .chain(search::methods());
    let search = model.chain(search::search());
    search
        .chain(machine::machine())
        .chain(machine::reports())
        .collect()
});

/// The options that only `passel pairs` has, besides some of `passel select`.
pub static PAIRS: LazyLock<Vec<OptionSpec>> = LazyLock::new(|| search::pairs().collect());

/// The options that only `passel stability` has, besides all of `passel select`.
pub static STABILITY: LazyLock<Vec<OptionSpec>> = LazyLock::new(|| search::resampling().collect());

/// The options that only `passel validate` has, besides all of `passel select`.
pub static VALIDATION: LazyLock<Vec<OptionSpec>> = LazyLock::new(|| search::validation().collect());

/// The options of `passel run`, which are also the keys of the table `[run]`.
pub static RUN: LazyLock<Vec<OptionSpec<RunSettings>>> = LazyLock::new(|| machine::run().collect());

/// The options of `passel select` that `passel pairs` has too.
pub(super) const SHARED_WITH_PAIRS: &[&str] = &[
    "response",
    "factor",
    "date",
    "drop",
    "na",
    "phenotype",
    "keep-people",
    "remove",
    "extract",
    "exclude",
    "chromosome",
    "range",
    "maf",
    "max-missing",
    "encode",
    "scratch",
    "separator",
    "decimal",
    "encoding",
    "no-header",
    "missing",
    "binning",
    "bin-response",
    "top",
    "threshold",
    "time-limit",
    "plugins",
    "threads",
    "device",
    "memory-limit",
    "timeout",
    "format",
    "output",
    "overwrite",
    "timings",
    "checkpoint",
    "progress",
];

/// The option of `passel select` with this name.
pub fn option(name: &str) -> Option<&'static OptionSpec> {
    OPTIONS.iter().find(|option| option.name == name)
}

/// The first of some values, and the others.
fn first_and_others<T>(all: Vec<T>, none: T) -> (T, Vec<T>) {
    let mut all = all.into_iter();
    (all.next().unwrap_or(none), all.collect())
}

/// Methods that use the same options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodClass {
    /// The search by criterion.
    Pass,
    /// Selectors by a score.
    Score,
    /// Procedures of plugins that rank variables.
    Ranking,
    /// Procedures of plugins that choose the model of a regression.
    Regression,
}

impl MethodClass {
    /// The class of a job's method.
    pub fn of_job(job: &Job) -> Self {
        match job.selector.as_ref().map(|selector| &selector.value) {
            None => Self::Pass,
            Some(MethodKind::Score(_)) => Self::Score,
            Some(MethodKind::Ranking(_)) => Self::Ranking,
            Some(MethodKind::Regression(_)) => Self::Regression,
        }
    }

    /// Whether methods of this class rank variables, and make no model.
    pub(in crate::job) fn ranks(self) -> bool {
        matches!(self, Self::Score | Self::Ranking)
    }

    /// Returns true if methods of this class use the option.
    pub fn uses(self, name: &str) -> bool {
        let is_one_of = |names: &[&str]| names.contains(&name);
        let heading = option(name).map(|option| option.heading);
        let of_selectors = is_one_of(&[
            "top",
            "threshold",
            "stop",
            "correction",
            "binning",
            "bin-response",
        ]);
        let of_search = heading == Some("Search") || is_one_of(&["trace", "checkpoint"]);
        // How models are searched and judged.
        let of_models = of_search
            || matches!(heading, Some("Model" | "Terms"))
            || is_one_of(&[
                "responses",
                "weights",
                "offset",
                "covariates",
                "level",
                "intervals",
                "adjust",
                "infer",
                "precision",
                "over",
            ]);
        let of_procedures = is_one_of(&["seed", "time-limit"]);
        match self {
            Self::Pass => !of_selectors,
            Self::Score => name == "time-limit" || !of_models,
            Self::Ranking => {
                // Procedures count on the CPU, and end by themselves.
                let of_scores = is_one_of(&["threshold", "stop", "correction", "memory-limit"]);
                of_procedures || !of_scores && !of_models
            }
            Self::Regression => of_procedures || !of_search && !of_selectors && name != "responses",
        }
    }

    /// What an option that some methods do not use is for.
    pub(super) fn users(name: &str) -> &'static str {
        let used_by = |class: Self| class.uses(name);
        match (used_by(Self::Pass), used_by(Self::Regression)) {
            // The search by criterion always uses both.
            _ if ["seed", "checkpoint"].contains(&name) => {
                "it is for the method pass, and for selectors with stop = permutation"
            }
            (true, true) if used_by(Self::Score) => {
                "it is for regressions, and for selectors by a score"
            }
            (true, true) => "it is for regressions: by the method pass, or by a plugin",
            (true, false) => "it is for the method pass",
            (false, _) if !used_by(Self::Ranking) => "it is for selectors by a score",
            (false, _) => "it is for selectors that rank: name one with method",
        }
    }
}
