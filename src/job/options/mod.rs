//! Every option of a job, once: the command line, its help, the keys of a job
//! file and docs/options.md are all made from [`OPTIONS`].

mod batch;
mod data;
mod machine;
mod output;
mod search;
mod selectors;
mod stability;

use super::{OptionSpec, PairsDraft, StabilityDraft};
use crate::plugin::MethodKind;
pub use batch::RUN;
use data::DATA_AND_MODEL;
use machine::RESOURCES;
use output::REPORTING;
use search::SEARCHING;
pub(super) use selectors::SHARED;
use selectors::{PAIRING, SELECTORS};
use stability::RESAMPLING;

/// The option of that name.
pub fn option(name: &str) -> Option<&'static OptionSpec> {
    OPTIONS.iter().find(|option| option.name == name)
}

const COUNT: usize =
    DATA_AND_MODEL.len() + SELECTORS.len() + SEARCHING.len() + RESOURCES.len() + REPORTING.len();

/// The options of `passel select` and of a job, in the order they are listed.
pub const OPTIONS: &[OptionSpec] =
    &joined([DATA_AND_MODEL, SELECTORS, SEARCHING, RESOURCES, REPORTING]);

/// The options that only `passel pairs` has.
pub const PAIRS: &[OptionSpec<PairsDraft>] = PAIRING;

/// The options that only `passel stability` has, beside all of `passel select`.
pub const STABILITY: &[OptionSpec<StabilityDraft>] = RESAMPLING;

/// Those that `passel pairs` shares with `passel select`.
pub fn pairs_shared_options() -> impl Iterator<Item = &'static OptionSpec> {
    OPTIONS.iter().filter(|it| SHARED.contains(&it.name))
}

/// What chooses, as far as options go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The search by criterion.
    Pass,
    /// A selector of a plugin by a score.
    Scores,
    /// One that ranks by itself.
    Ranks,
    /// One that chooses the model of a regression by itself.
    Regresses,
}

impl Kind {
    pub fn of(chooser: &MethodKind) -> Self {
        match chooser {
            MethodKind::Score(_) => Self::Scores,
            MethodKind::Ranking(_) => Self::Ranks,
            MethodKind::Regression(_) => Self::Regresses,
        }
    }

    /// Whether the option means anything to it.
    pub fn uses(self, name: &str) -> bool {
        match self {
            Self::Pass => !is_of_selectors(name),
            Self::Scores => !is_of_pass(name),
            Self::Ranks => {
                // They count on the CPU alone.
                let of_scores = ["threshold", "stop", "memory-limit"].contains(&name);
                ["seed", "time-limit"].contains(&name) || !of_scores && !is_of_pass(name)
            }
            Self::Regresses => {
                let own = ["seed", "time-limit"].contains(&name) || !is_of(name, "Search");
                own && !["trace", "checkpoint"].contains(&name) && !is_of_selectors(name)
            }
        }
    }
}

fn is_of(name: &str, heading: &str) -> bool {
    OPTIONS
        .iter()
        .any(|it| it.name == name && it.heading == heading)
}

/// Options that mean nothing to a selector of a plugin by a score: how models are searched and
/// judged.
pub fn is_of_pass(name: &str) -> bool {
    let others = [
        "weights",
        "level",
        "trace",
        "checkpoint",
        "precision",
        "over",
    ];
    others.contains(&name) || is_of(name, "Model") || is_of(name, "Search")
}

/// Options that mean nothing to the search by criterion.
pub fn is_of_selectors(name: &str) -> bool {
    ["top", "threshold", "stop", "binning", "bin-response"].contains(&name)
}

/// The options of each part, one after another.
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
