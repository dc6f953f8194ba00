//! Every option of a job, once. The command line, its help, the keys of a job file and
//! docs/options.md are all made from these tables.

mod batch;
mod data;
mod machine;
mod output;
mod search;
mod selectors;
mod stability;

use super::{Job, OptionSpec, PairsDraft, StabilityDraft};
use crate::plugin::MethodKind;
pub use batch::RUN;
use data::DATA_AND_MODEL;
use machine::RESOURCES;
use output::REPORTING;
use search::SEARCHING;
pub(super) use selectors::SHARED_WITH_PAIRS;
use selectors::{PAIRING, SELECTORS};
use stability::RESAMPLING;

/// The option of `passel select` with this name.
pub fn option(name: &str) -> Option<&'static OptionSpec> {
    OPTIONS.iter().find(|option| option.name == name)
}

const COUNT: usize =
    DATA_AND_MODEL.len() + SELECTORS.len() + SEARCHING.len() + RESOURCES.len() + REPORTING.len();

/// The options of `passel select`, in the order in which they are listed.
pub const OPTIONS: &[OptionSpec] =
    &joined([DATA_AND_MODEL, SELECTORS, SEARCHING, RESOURCES, REPORTING]);

/// The options that only `passel pairs` has, besides some of `passel select`.
pub const PAIRS: &[OptionSpec<PairsDraft>] = PAIRING;

/// The options that only `passel stability` has, besides all of `passel select`.
pub const STABILITY: &[OptionSpec<StabilityDraft>] = RESAMPLING;

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

    /// Returns true if methods of this class use the option.
    pub fn uses(self, name: &str) -> bool {
        let of_selectors = ["top", "threshold", "stop", "binning", "bin-response"].contains(&name);
        let has_heading =
            |heading: &str| option(name).is_some_and(|option| option.heading == heading);
        // How models are searched and judged.
        let of_models = [
            "weights",
            "level",
            "trace",
            "checkpoint",
            "precision",
            "over",
        ]
        .contains(&name)
            || has_heading("Model")
            || has_heading("Search");
        let of_procedures = ["seed", "time-limit"].contains(&name);
        match self {
            Self::Pass => !of_selectors,
            Self::Score => !of_models,
            Self::Ranking => {
                // Procedures count on the CPU, and end by themselves.
                let of_scores = ["threshold", "stop", "memory-limit"].contains(&name);
                of_procedures || !of_scores && !of_models
            }
            Self::Regression => {
                let of_search = has_heading("Search") || ["trace", "checkpoint"].contains(&name);
                of_procedures || !of_search && !of_selectors
            }
        }
    }
}

/// Concatenates the tables.
const fn joined(parts: [&[OptionSpec]; 5]) -> [OptionSpec; COUNT] {
    let mut all = [DATA_AND_MODEL[0]; COUNT];
    let (mut part, mut at) = (0, 0);
    while part < parts.len() {
        let mut option = 0;
        while option < parts[part].len() {
            all[at] = parts[part][option];
            (at, option) = (at + 1, option + 1);
        }
        part += 1;
    }
    all
}
