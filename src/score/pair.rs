//! Scores of pairs.

use super::{Combination, Gather, Join, Measure, Quantity, Score, ScoreFunction};

/// A score of two variables and the response, over all pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PairScore {
    /// A quantity of the table of both and the response, symmetric in x and w.
    Declared(Quantity),
    /// A function of that table; x is the column that comes first in the file.
    Function(ScoreFunction),
}

impl PairScore {
    /// Synergy: I((x,w);y) − I(x;y) − I(w;y).
    pub(crate) const SYNERGY: Self = Self::Declared(Quantity::plain(Combination::of([
        -1, 1, 1, 1, -1, -1, -1, 1,
    ])));

    /// The score of a selection's step that has this value.
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
