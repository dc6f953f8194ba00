//! From margin sums to scores.
//!
//! Scores that are sums of declared terms are integers throughout, so they have the same bits on
//! every device. The others are floats (`floats.rs`).

use std::sync::Arc;

use super::{
    LogTable,
    categorical::Categorical,
    margins::MarginSums,
    ordered::{from_ordered, to_ordered},
};
use crate::{
    binning::BinnedColumn,
    score::{Combination, Correction, Gather, Join, Measure, Part, Quantity, Score, Term},
};

/// Fraction bits of a term's weight.
const WEIGHT_BITS: u32 = 32;

/// Fixed-point score of a candidate that must not be chosen.
pub(crate) const EXCLUDED_SCORE: i128 = i128::MIN;

/// A combination of margin sums, of which those that do not depend on the candidate are added up.
#[derive(Debug, Clone, Copy)]
struct PartialCombination {
    fixed: i64,
    /// Factors of the candidate's sums over x, (x, y), (x, w), (x, w, y).
    factors: [i64; 4],
}

impl PartialCombination {
    fn new(combination: &Combination, fixed: &MarginSums) -> Self {
        let Combination { x, xy, xw, xwy, .. } = *combination;
        Self {
            fixed: fixed.combined(combination),
            factors: [x, xy, xw, xwy].map(i64::from),
        }
    }

    #[inline(always)]
    fn value(&self, sums: [i64; 4]) -> i64 {
        let parts = self.factors.iter().zip(sums);
        let parts = parts.map(|(factor, sum)| factor * sum);
        self.fixed + parts.sum::<i64>()
    }
}

/// The part of a term's value that counts.
#[inline(always)]
pub(super) fn counted(part: Part, value: i64) -> i64 {
    match part {
        Part::Whole => value,
        Part::BelowZero => value.min(0),
    }
}

/// The terms of a score given one conditioning variable: weight, part, numerator, denominator.
#[derive(Debug)]
pub(crate) struct Terms(Vec<(i64, Part, PartialCombination, Option<PartialCombination>)>);

/// Within which floats that are equal but for rounding tie, where neither a function nor a finish says.
const ROUNDING: f64 = 1e-12;

/// The relative tolerance of a score: of what has the last word on it.
fn tolerance(score: &Score) -> f64 {
    match (&score.finish, score.function()) {
        (Some(finish), _) => finish.0.tolerance(),
        (None, Some(function)) => function.0.tolerance(),
        (None, None) if score.is_exact() => 0.0,
        (None, None) => ROUNDING,
    }
}

/// Evaluates a [`Score`]: margin sums become the value of a step, steps accumulate, and relevance
/// joins them to a candidate's score.
///
/// *Units:* quantities of one table are nats × n × 2^bits, `bits` being those of its
/// [`LogTable`]; accumulated steps and scores have [`WEIGHT_BITS`] more fraction bits and, where
/// steps are averaged, their number as a factor. Scores that are not exact are floats as
/// [`to_ordered`] integers, and so is their relevance.
#[derive(Debug)]
pub(crate) struct ScoreEvaluator {
    pub(super) score: Score,
    logs: Arc<LogTable>,
    /// The logarithms without a correction.
    plain_logs: Arc<LogTable>,
    /// The weights of the terms, with [`WEIGHT_BITS`] fraction bits.
    pub(crate) weights: Vec<i64>,
    n: usize,
    /// Whether tables are counted by class.
    pub(crate) needs_xwy: bool,
    /// Whether scores are integers; else floats.
    pub(super) exact: bool,
    /// Relative tolerance within which scores that are floats count as equal.
    tolerance: f64,
}

impl ScoreEvaluator {
    pub(crate) fn new(score: Score, n: usize) -> Self {
        let [evaluator] = Self::of_same_tables([score], n);
        evaluator
    }

    /// An evaluator for each of these scores, all of the same tables of n observations, which are
    /// counted by class if any of the scores needs it.
    pub(crate) fn of_same_tables<const K: usize>(scores: [Score; K], n: usize) -> [Self; K] {
        let reach = scores.iter().map(Score::reach).max().unwrap_or(0);
        let plain_logs = Arc::new(LogTable::new(n, reach));
        let mut corrections = scores.iter().map(|score| score.correction);
        let logs = match corrections.any(|correction| correction == Correction::MillerMadow) {
            true => Arc::new(LogTable::corrected(n, reach)),
            false => Arc::clone(&plain_logs),
        };
        let terms = scores.iter().flat_map(Score::terms);
        let mut sums = terms.flat_map(|term| term.quantity.combinations());
        let needs_xwy = sums.any(|sums| sums.xwy != 0 || sums.wy != 0);
        let fixed = |term: &Term| (term.weight * f64::from(WEIGHT_BITS).exp2()).round() as i64;
        scores.map(|score| Self {
            logs: Arc::clone(&logs),
            plain_logs: Arc::clone(&plain_logs),
            weights: score.terms().iter().map(fixed).collect(),
            n,
            needs_xwy,
            exact: score.is_exact(),
            tolerance: tolerance(&score),
            score,
        })
    }

    /// c·L(c) of the counts of its tables, with the score's correction.
    pub(crate) fn logs(&self) -> &LogTable {
        &self.logs
    }

    /// c·L(c) without a correction, for tests that are of the counts themselves.
    pub(crate) fn plain_logs(&self) -> &LogTable {
        &self.plain_logs
    }

    pub(crate) fn score(&self) -> &Score {
        &self.score
    }

    /// A column as conditioning variable or response of this score. Functions of tables see its
    /// codes unchanged.
    pub(crate) fn categorical(&self, column: &BinnedColumn) -> Categorical {
        match self.score.function() {
            Some(_) => Categorical::verbatim(column),
            None => Categorical::compact(column),
        }
    }

    /// A ratio of 1 in fixed point.
    pub(crate) fn ratio_unit(&self) -> i64 {
        (self.n as i64) << self.logs.bits()
    }

    /// Whether accumulated steps can only fall: then the score so far bounds the final one.
    pub(crate) fn is_nonincreasing(&self) -> bool {
        self.exact && self.score.gather == Gather::Minimum
    }

    /// Whether one more step could make a candidate that [`EXCLUDED_SCORE`] rules out eligible
    /// again, so that sweeps of such scores must not be launched before the last pick is known.
    pub(crate) fn may_readmit_excluded(&self) -> bool {
        let adds = matches!(self.score.gather, Gather::Sum | Gather::Mean);
        adds && self.score.join == Join::Guarded
    }

    /// Whether relevance, the score before the first step, is a bound too.
    pub(crate) fn is_bounded_by_relevance(&self) -> bool {
        matches!(self.score.join, Join::Least | Join::Guarded)
    }

    /// A quantity of a table, scaled to all n where the table lacks observations.
    pub(super) fn quantity(&self, quantity: &Quantity, sums: &MarginSums) -> i64 {
        let over = sums.combined(&quantity.over);
        match &quantity.under {
            None => self.logs.scale_to_all(over, sums.observations),
            Some(under) => self.ratio(over, sums.combined(under)),
        }
    }

    /// The ratio rounded to nearest; of exact integers, so equal ratios have equal bits.
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

    /// Relevance of a candidate, from its margin sums over x and y.
    pub(crate) fn relevance(&self, sums: &MarginSums) -> i64 {
        match &self.score.measure {
            Measure::Declared { relevance, .. } => self.quantity(relevance, sums),
            Measure::Function(_) => 0,
        }
    }

    /// The accumulated value before the first step.
    pub(crate) fn initial(&self) -> i128 {
        match self.score.gather {
            Gather::Minimum => i128::MAX,
            Gather::Maximum => i128::MIN,
            Gather::Product => 1,
            Gather::Sum | Gather::Mean | Gather::Last => 0,
        }
    }

    /// The terms given a conditioning variable, from the sums that no candidate changes.
    pub(crate) fn terms(&self, fixed: &MarginSums) -> Terms {
        let terms = self.score.terms().iter().zip(&self.weights);
        let partial = |combination: &Combination| PartialCombination::new(combination, fixed);
        let open = |(term, &weight): (&Term, _)| {
            let Quantity { over, under } = &term.quantity;
            (
                weight,
                term.part,
                partial(over),
                under.as_ref().map(partial),
            )
        };
        Terms(terms.map(open).collect())
    }

    /// Accumulates one step, from a candidate's sums over x, (x, y), (x, w), (x, w, y).
    #[inline(always)]
    pub(crate) fn gather(&self, gathered: i128, terms: &Terms, sums: [i64; 4]) -> i128 {
        let mut step = 0;
        for (weight, part, over, under) in &terms.0 {
            let over = over.value(sums);
            let value = match under {
                None => over,
                Some(under) => self.ratio(over, under.value(sums)),
            };
            step += i128::from(*weight) * i128::from(counted(*part, value));
        }
        self.accumulate(gathered, step)
    }

    /// Accumulates one step, from all margin sums of a table that may lack observations.
    pub(crate) fn gather_table(&self, gathered: i128, table: &MarginSums) -> i128 {
        let terms = self.score.terms().iter().zip(&self.weights);
        let value = |(term, weight): (&Term, &i64)| {
            let value = self.quantity(&term.quantity, table);
            i128::from(*weight) * i128::from(counted(term.part, value))
        };
        self.accumulate(gathered, terms.map(value).sum())
    }

    /// A step accumulated on those before.
    #[inline(always)]
    fn accumulate(&self, gathered: i128, step: i128) -> i128 {
        match self.score.gather {
            // Only weights of a million over a thousand steps come near the end.
            Gather::Sum | Gather::Mean => gathered.saturating_add(step),
            Gather::Minimum => gathered.min(step),
            Gather::Last => step,
            Gather::Maximum => gathered.max(step),
            Gather::Product => gathered.saturating_mul(step),
        }
    }

    /// Relevance joined with what the steps gathered; none for a candidate that must not be chosen.
    #[inline(always)]
    pub(super) fn joined<T: PartialOrd + Default>(
        &self,
        relevance: T,
        gathered: T,
        add: fn(T, T) -> T,
    ) -> Option<T> {
        match self.score.join {
            Join::Added => Some(add(relevance, gathered)),
            Join::Alone => Some(gathered),
            Join::Least if gathered < relevance => Some(gathered),
            Join::Guarded if gathered < T::default() => None,
            Join::Least | Join::Guarded => Some(relevance),
        }
    }

    /// A candidate's fixed-point score after this many steps.
    #[inline(always)]
    pub(crate) fn candidate_score(&self, relevance: i64, gathered: i128, steps: usize) -> i128 {
        let relevance = (i128::from(relevance) * i128::from(self.factor(steps))) << WEIGHT_BITS;
        if steps == 0 {
            return relevance;
        }
        let joined = self.joined(relevance, gathered, i128::saturating_add);
        joined.unwrap_or(EXCLUDED_SCORE)
    }

    /// The factor that scores after this many steps carry: their number, for a mean.
    pub(super) fn factor(&self, steps: usize) -> i64 {
        match self.score.gather {
            Gather::Mean => steps.max(1) as i64,
            _ => 1,
        }
    }

    /// The least score that ties with the best one.
    pub(crate) fn tie_threshold(&self, best: i128) -> i128 {
        let score = from_ordered(best as i64);
        match !self.exact && score.is_finite() {
            true => i128::from(to_ordered(score - self.tolerance * score.abs())),
            false => best,
        }
    }

    /// A score as a float: in nats, or in the unit of a ratio or a function.
    pub(crate) fn score_nats(&self, score: i128, steps: usize) -> f64 {
        if !self.exact {
            return from_ordered(score as i64);
        }
        score as f64
            / self.factor(steps) as f64
            / self.n as f64
            / f64::from(self.logs.bits() + WEIGHT_BITS).exp2()
    }

    /// Relevance as a float, in the unit of [`ScoreEvaluator::score_nats`].
    pub(crate) fn relevance_nats(&self, relevance: i64) -> f64 {
        match self.exact {
            false => from_ordered(relevance),
            true => self.quantity_nats(relevance),
        }
    }

    /// A fixed-point score just below every one of at least `nats` after one step; without
    /// `nats`, below every candidate that may be chosen.
    pub(crate) fn score_threshold(&self, nats: Option<f64>) -> i128 {
        if !self.exact {
            let never = to_ordered(f64::NEG_INFINITY);
            return i128::from(nats.map_or(never, to_ordered).max(never + 1));
        }
        let Some(nats) = nats else {
            return i128::MIN;
        };
        let unit = self.n as f64 * f64::from(self.logs.bits() + WEIGHT_BITS).exp2();
        let score = (nats * unit) as i128;
        // A float has fewer digits than a score.
        score.saturating_sub((score.unsigned_abs() >> 50) as i128 + 1)
    }

    /// A quantity of one table as a float, in nats.
    pub(crate) fn quantity_nats(&self, value: i64) -> f64 {
        value as f64 / self.n as f64 / f64::from(self.logs.bits()).exp2()
    }
}
