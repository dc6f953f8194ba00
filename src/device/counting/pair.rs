//! A pair of columns, and a column's best partner.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::evaluator::ScoreEvaluator;

/// Two columns, a < b, with their score and synergy.
///
/// *Units:* those of [`ScoreEvaluator`] after one step in fixed point, nats where `S` is a float.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pair<S = i128> {
    pub(crate) score: S,
    /// I((a,b);y) − I(a;y) − I(b;y).
    pub(crate) synergy: S,
    pub(crate) a: u32,
    pub(crate) b: u32,
}

/// The column that another one scores best with; units as of [`Pair`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Partner<S = i128> {
    pub(crate) score: S,
    pub(crate) synergy: S,
    pub(crate) column: u32,
}

impl Pair {
    /// Best first; of equal scores the lowest columns.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let scores = other.score.cmp(&self.score);
        scores.then((self.a, self.b).cmp(&(other.a, other.b)))
    }

    /// This pair with its numbers as floats.
    pub(super) fn to_nats(self, score: &ScoreEvaluator, synergy: &ScoreEvaluator) -> Pair<f64> {
        Pair {
            score: score.score_nats(self.score, 1),
            synergy: synergy.score_nats(self.synergy, 1),
            a: self.a,
            b: self.b,
        }
    }
}

impl Partner {
    /// This partner with its numbers as floats.
    pub(super) fn to_nats(self, score: &ScoreEvaluator, synergy: &ScoreEvaluator) -> Partner<f64> {
        Partner {
            score: score.score_nats(self.score, 1),
            synergy: synergy.score_nats(self.synergy, 1),
            column: self.column,
        }
    }
}
