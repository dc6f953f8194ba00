//! The result of a job, whichever method made it.

use super::{PairsReport, Ranking, Selection, StabilityReport, StopReason, Termination};

/// The result of one job: one of four kinds of report.
#[derive(Debug)]
pub enum Outcome {
    /// A regression model, by PaSS or by a procedure of a plugin.
    Selection(Box<Selection>),
    /// Variables in the order of choice, by a selector of a plugin.
    Ranking(Box<Ranking>),
    /// Single variables and pairs with their scores.
    Pairs(Box<PairsReport>),
    /// How often variables were chosen from resamples.
    Stability(Box<StabilityReport>),
}

impl Outcome {
    /// Whether an interrupt cut the job short, so that this is the best until then.
    pub fn interrupted(&self) -> bool {
        match self {
            Self::Selection(selection) => selection.termination == Termination::Interrupted,
            Self::Ranking(ranking) => ranking.termination == StopReason::Interrupted,
            Self::Pairs(pairs) => pairs.termination == StopReason::Interrupted,
            Self::Stability(stability) => stability.termination == StopReason::Interrupted,
        }
    }

    /// The regression model, if the job chose one.
    pub fn selection(self) -> Option<Selection> {
        match self {
            Self::Selection(selection) => Some(*selection),
            Self::Ranking(_) | Self::Pairs(_) | Self::Stability(_) => None,
        }
    }
}
