//! Scores of pairs.

use super::{Combination, Gather, Join, Measure, Quantity, Score, ScoreFunction};

/// A score of two variables and the response, over all pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PairScore {
    /// Of the table of both and the response: x and w stand for the two, either way round.
    Declared(Quantity),
    /// A function of that table: x is the column that comes first in the file, w the other.
    Function(ScoreFunction),
}

impl PairScore {
    /// What two tell beyond what each tells alone: I((x,w);y) − I(x;y) − I(w;y).
    pub(crate) const SYNERGY: Self = Self::Declared(Quantity::plain(Combination::of([
        -1, 1, 1, 1, -1, -1, -1, 1,
    ])));

    /// As the score of one step.
    pub(crate) fn score(&self) -> Score {
        Score {
            measure: match self {
                Self::Declared(quantity) => Measure::of_terms([quantity.weighing(1.0)]),
                Self::Function(coded) => Measure::Function(coded.clone()),
            },
            gather: Gather::Last,
            join: Join::Alone,
            ..Score::default()
        }
    }
}
