//! From margin sums to scores, in integers throughout: the same bits everywhere. (Coded scores
//! are floats, gathered in the order of the steps.)

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::{Categorical, LogTable, from_ordered, to_ordered};
use crate::{
    binning::BinnedColumn,
    score::{Combination, Gather, Join, Measure, Part, Quantity, Score, Term},
};

/// Fraction bits of a term's weight.
const WEIGHT_BITS: u32 = 32;

/// The score of a candidate that is not to be chosen.
pub(crate) const EXCLUDED_SCORE: i128 = i128::MIN;

/// Σ c·L(c) over the margins of one table of (x, w, y).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct MarginSums {
    /// Observations in the table.
    pub(crate) observations: u32,
    pub(crate) n: i64,
    pub(crate) x: i64,
    pub(crate) w: i64,
    pub(crate) y: i64,
    pub(crate) xw: i64,
    pub(crate) xy: i64,
    pub(crate) wy: i64,
    pub(crate) xwy: i64,
}

impl MarginSums {
    fn combined(&self, by: &Combination) -> i64 {
        let sums = [
            self.n, self.x, self.w, self.y, self.xw, self.xy, self.wy, self.xwy,
        ];
        let parts = by.integers().into_iter().zip(sums);
        parts.map(|(by, sum)| i64::from(by) * sum).sum()
    }
}

/// A combination where only the sums of one candidate are still open.
#[derive(Debug, Clone, Copy)]
struct PartialCombination {
    fixed: i64,
    by: [i64; 4],
}

impl PartialCombination {
    fn of(combination: &Combination, fixed: &MarginSums) -> Self {
        let Combination { x, xy, xw, xwy, .. } = *combination;
        Self {
            fixed: fixed.combined(combination),
            by: [x, xy, xw, xwy].map(i64::from),
        }
    }

    #[inline(always)]
    fn value(&self, sums: [i64; 4]) -> i64 {
        let parts = self.by.iter().zip(sums).map(|(by, sum)| by * sum);
        self.fixed + parts.sum::<i64>()
    }
}

impl Part {
    #[inline(always)]
    fn of(self, value: i64) -> i64 {
        match self {
            Self::Whole => value,
            Self::BelowZero => value.min(0),
        }
    }
}

/// The terms of a score against one anchor.
#[derive(Debug)]
pub(crate) struct Terms(Vec<(i64, Part, PartialCombination, Option<PartialCombination>)>);

/// How margin sums become the score of a step, and these a candidate's score.
///
/// Values of one table are in nats times n times 2^bits; gathered ones and scores have
/// [`WEIGHT_BITS`] more and, for a mean, the number of steps as a factor. Scores of a coded
/// measure are floats as [`to_ordered`] integers, their relevance too.
#[derive(Debug)]
pub(crate) struct ScoreEvaluator {
    score: Score,
    weights: Vec<i64>,
    n: usize,
    bits: u32,
    needs_xwy: bool,
    /// Of a coded score.
    tolerance: f64,
}

impl ScoreEvaluator {
    pub(crate) fn new(score: Score, logs: &LogTable, n: usize) -> Self {
        let fixed = |weight: f64| (weight * f64::from(WEIGHT_BITS).exp2()).round() as i64;
        let used = |by: fn(&Combination) -> i32| {
            let quantities = score.terms().iter().map(|it| it.quantity);
            let mut combinations =
                quantities.flat_map(|it| [it.over, it.under.unwrap_or_default()]);
            combinations.any(|it| by(&it) != 0)
        };
        Self {
            weights: score.terms().iter().map(|it| fixed(it.weight)).collect(),
            n,
            bits: logs.bits(),
            needs_xwy: used(|it| it.xwy) || used(|it| it.wy),
            tolerance: score.function().map_or(0.0, |it| it.0.tolerance()),
            score,
        }
    }

    /// With classes, whatever the terms: another evaluator asks for them.
    pub(crate) fn counting_classes(mut self) -> Self {
        self.needs_xwy = true;
        self
    }

    pub(crate) fn score(&self) -> &Score {
        &self.score
    }

    /// A column as this score's anchor or response: a function sees its codes as they are.
    pub(crate) fn categorical(&self, column: &BinnedColumn) -> Categorical {
        match self.score.function() {
            Some(_) => Categorical::verbatim(column),
            None => Categorical::compact(column),
        }
    }

    /// The weights of the terms, with [`WEIGHT_BITS`] fraction bits.
    pub(crate) fn weights(&self) -> &[i64] {
        &self.weights
    }

    /// What a ratio of 1 is.
    pub(crate) fn ratio_unit(&self) -> i64 {
        (self.n as i64) << self.bits
    }

    /// Whether any term has a sum over anchor and class.
    pub(crate) fn needs_xwy(&self) -> bool {
        self.needs_xwy
    }

    /// Whether what is gathered can only fall, so that it bounds what it will be.
    pub(crate) fn is_nonincreasing(&self) -> bool {
        self.score.gather == Gather::Minimum
    }

    /// Whether a step that is gathered once more behind a pick that is none, as one that walks ahead
    /// does, may let candidates be chosen again: of others then all are taken, or it changes nothing.
    pub(crate) fn may_readmit_excluded(&self) -> bool {
        let adds = matches!(self.score.gather, Gather::Sum | Gather::Mean);
        adds && self.score.join == Join::Guarded
    }

    /// Whether that holds from relevance on, the score before the first anchor.
    pub(crate) fn is_bounded_by_relevance(&self) -> bool {
        matches!(self.score.join, Join::Least | Join::Guarded)
    }

    /// A quantity of a table.
    pub(crate) fn quantity(&self, quantity: &Quantity, sums: &MarginSums) -> i64 {
        let over = sums.combined(&quantity.over);
        match &quantity.under {
            None => over,
            Some(under) => self.ratio(over, sums.combined(under)),
        }
    }

    /// To the nearest; of exact integers, so equal ratios are equal.
    fn ratio(&self, over: i64, under: i64) -> i64 {
        if under == 0 {
            return 0;
        }
        let unit = i128::from(self.ratio_unit());
        let sign = i128::from(under.signum());
        let (over, under) = (sign * i128::from(over), sign * i128::from(under));
        let ratio = (2 * over * unit + under).div_euclid(2 * under);
        ratio.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    }

    /// Relevance of a candidate, of sums of x and y alone.
    pub(crate) fn relevance(&self, sums: &MarginSums, logs: &LogTable) -> i64 {
        match &self.score.measure {
            Measure::Declared { relevance, .. } => self.quantity_of_all(relevance, sums, logs),
            Measure::Function(_) => 0,
        }
    }

    /// Before the first step.
    pub(crate) fn initial(&self) -> i128 {
        match self.score.gather {
            Gather::Minimum => i128::MAX,
            Gather::Sum | Gather::Mean | Gather::Last => 0,
        }
    }

    /// The terms against an anchor, whose own sums are these.
    pub(crate) fn terms(&self, fixed: &MarginSums) -> Terms {
        let terms = self.score.terms().iter().zip(&self.weights);
        let open = |(term, &weight): (&Term, _)| {
            let Quantity { over, under } = &term.quantity;
            let under = under.as_ref().map(|it| PartialCombination::of(it, fixed));
            (
                weight,
                term.part,
                PartialCombination::of(over, fixed),
                under,
            )
        };
        Terms(terms.map(open).collect())
    }

    /// Adds a step to what is gathered: a candidate's sums over x, (x, y), (x, w), (x, w, y).
    #[inline(always)]
    pub(crate) fn gather(&self, gathered: i128, terms: &Terms, sums: [i64; 4]) -> i128 {
        let mut step = 0;
        for (weight, part, over, under) in &terms.0 {
            let over = over.value(sums);
            let value = match under {
                None => over,
                Some(under) => self.ratio(over, under.value(sums)),
            };
            step += i128::from(*weight) * i128::from(part.of(value));
        }
        self.joined(gathered, step)
    }

    /// The same from all sums of a table of some observations, where none was known before.
    pub(crate) fn gather_table(&self, gathered: i128, table: &MarginSums, logs: &LogTable) -> i128 {
        let terms = self.score.terms().iter().zip(&self.weights);
        let value = |(term, weight): (&Term, &i64)| {
            let value = self.quantity_of_all(&term.quantity, table, logs);
            i128::from(*weight) * i128::from(term.part.of(value))
        };
        self.joined(gathered, terms.map(value).sum())
    }

    /// A quantity of a table of some observations, as if it were of all.
    fn quantity_of_all(&self, quantity: &Quantity, sums: &MarginSums, logs: &LogTable) -> i64 {
        let value = self.quantity(quantity, sums);
        match quantity.under {
            None => logs.scale_to_all(value, sums.observations),
            Some(_) => value,
        }
    }

    #[inline(always)]
    fn joined(&self, gathered: i128, step: i128) -> i128 {
        match self.score.gather {
            // Only weights of a million over a thousand steps come near the end.
            Gather::Sum | Gather::Mean => gathered.saturating_add(step),
            Gather::Minimum => gathered.min(step),
            Gather::Last => step,
        }
    }

    /// A candidate's score after so many steps.
    #[inline(always)]
    pub(crate) fn candidate_score(&self, relevance: i64, gathered: i128, steps: usize) -> i128 {
        let relevance = (i128::from(relevance) * i128::from(self.factor(steps))) << WEIGHT_BITS;
        if steps == 0 {
            return relevance;
        }
        match self.score.join {
            Join::Added => relevance.saturating_add(gathered),
            Join::Alone => gathered,
            Join::Least => relevance.min(gathered),
            Join::Guarded if gathered < 0 => EXCLUDED_SCORE,
            Join::Guarded => relevance,
        }
    }

    /// What scores after so many steps are multiplied by.
    fn factor(&self, steps: usize) -> i64 {
        match self.score.gather {
            Gather::Mean => steps.max(1) as i64,
            _ => 1,
        }
    }

    /// Adds a step to what a coded score has gathered, if it is not the first.
    pub(crate) fn gather_coded(&self, gathered: Option<f64>, step: f64) -> f64 {
        let Some(gathered) = gathered else {
            return step;
        };
        match self.score.gather {
            Gather::Sum | Gather::Mean => gathered + step,
            Gather::Minimum => gathered.min(step),
            Gather::Last => step,
        }
    }

    /// A candidate's coded score after so many steps.
    pub(crate) fn coded_candidate_score(
        &self,
        relevance: f64,
        gathered: Option<f64>,
        steps: usize,
    ) -> f64 {
        let Some(gathered) = gathered else {
            return relevance;
        };
        let gathered = gathered / self.factor(steps) as f64;
        match self.score.join {
            Join::Added => relevance + gathered,
            Join::Alone => gathered,
            Join::Least => relevance.min(gathered),
            Join::Guarded if gathered < 0.0 => f64::NEG_INFINITY,
            Join::Guarded => relevance,
        }
    }

    /// The least score that is as good as this one, which is the best.
    pub(crate) fn tie_threshold(&self, best: i128) -> i128 {
        let score = from_ordered(best as i64);
        match self.score.function().is_some() && score.is_finite() {
            true => i128::from(to_ordered(score - self.tolerance * score.abs())),
            false => best,
        }
    }

    /// A score in nats (a ratio's own unit, a coded score's).
    pub(crate) fn score_nats(&self, score: i128, steps: usize) -> f64 {
        if self.score.function().is_some() {
            return from_ordered(score as i64);
        }
        score as f64
            / self.factor(steps) as f64
            / self.n as f64
            / f64::from(self.bits + WEIGHT_BITS).exp2()
    }

    /// Relevance in nats, or in a coded score's own unit.
    pub(crate) fn relevance_nats(&self, relevance: i64) -> f64 {
        match self.score.function() {
            Some(_) => from_ordered(relevance),
            None => self.quantity_nats(relevance),
        }
    }

    /// A score not above those of so many nats after one step, and near them; without any, one
    /// not above any that may be chosen.
    pub(crate) fn score_threshold(&self, nats: Option<f64>) -> i128 {
        if self.score.function().is_some() {
            let never = to_ordered(f64::NEG_INFINITY);
            return i128::from(nats.map_or(never, to_ordered).max(never + 1));
        }
        let Some(nats) = nats else {
            return i128::MIN;
        };
        let unit = self.n as f64 * f64::from(self.bits + WEIGHT_BITS).exp2();
        let score = (nats * unit) as i128;
        // A float has fewer digits than a score.
        score.saturating_sub((score.unsigned_abs() >> 50) as i128 + 1)
    }

    /// A quantity of one table in nats.
    pub(crate) fn quantity_nats(&self, value: i64) -> f64 {
        value as f64 / self.n as f64 / f64::from(self.bits).exp2()
    }
}

/// A candidate and its score; of equal scores the lowest column is the larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct ScoredColumn {
    pub(crate) score: i128,
    pub(crate) column: Reverse<u32>,
    pub(crate) relevance: i64,
}
