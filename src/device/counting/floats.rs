//! Scores that are not sums of declared terms alone: functions of whole tables, terms that are
//! multiplied or compared, and what a function finishes. They are floats, accumulated in the order of
//! the steps, and of declared terms each begins as an exact integer: so they too have the same bits on
//! every device.

use super::{
    evaluator::{ScoreEvaluator, counted},
    margins::MarginSums,
};
use crate::score::{Combine, Gather, Gathered, Measure, TERMS, Totals};

impl ScoreEvaluator {
    /// The values that one table gives: one of a function, one of each declared term.
    pub(crate) fn values_per_table(&self) -> usize {
        self.score.terms().len().max(1)
    }

    /// The values that a candidate gathers.
    pub(super) fn gathers(&self) -> usize {
        match self.score.combine {
            Combine::Apart => self.values_per_table(),
            _ => 1,
        }
    }

    /// Writes what is measured of a table in a step: relevance, then 0, in step 0; else each term.
    ///
    /// *Units:* nats; a ratio has none.
    pub(crate) fn measure(&self, sums: &MarginSums, step: usize, out: &mut [f64]) {
        out.fill(0.0);
        if let Measure::Declared { relevance, .. } = &self.score.measure
            && step == 0
        {
            out[0] = self.quantity_nats(self.quantity(relevance, sums));
            return;
        }
        for (out, term) in out.iter_mut().zip(self.score.terms()) {
            let value = counted(term.part, self.quantity(&term.quantity, sums));
            *out = term.weight * self.quantity_nats(value);
        }
    }

    /// Gathers the values of one table; `gathered` are those of the steps before, if there are any.
    pub(super) fn gather_values(&self, gathered: &mut [f64], values: &[f64], first: bool) {
        let combined = match self.score.combine {
            Combine::Apart => None,
            Combine::Sum => Some(values.iter().sum()),
            Combine::Product => Some(values.iter().product()),
            Combine::Least => values.iter().copied().reduce(f64::min),
            Combine::Largest => values.iter().copied().reduce(f64::max),
        };
        let values = combined.as_ref().map_or(values, std::slice::from_ref);
        for (gathered, &value) in gathered.iter_mut().zip(values) {
            *gathered = match self.score.gather {
                _ if first => value,
                Gather::Sum | Gather::Mean => *gathered + value,
                Gather::Minimum => gathered.min(value),
                Gather::Maximum => gathered.max(value),
                Gather::Product => *gathered * value,
                Gather::Last => value,
            };
        }
    }

    /// What a candidate's steps gathered, of means the means; 0 before the first.
    pub(super) fn gathered_values(&self, gathered: &[f64], steps: usize) -> [f64; TERMS] {
        let mut values = [0.0; TERMS];
        if steps > 0 {
            let factor = self.factor(steps) as f64;
            for (value, gathered) in values.iter_mut().zip(gathered) {
                *value = gathered / factor;
            }
        }
        values
    }

    /// A candidate's score after this many steps.
    pub(super) fn float_score(
        &self,
        relevance: f64,
        gathered: &[f64],
        steps: usize,
        chosen: &Totals,
    ) -> f64 {
        let values = self.gathered_values(gathered, steps);
        if let Some(finish) = &self.score.finish {
            return finish.0.score(&Gathered {
                relevance,
                steps,
                values: &values[..gathered.len()],
                chosen,
            });
        }
        if steps == 0 {
            return relevance;
        }
        let joined = self.joined(relevance, values[0], |a, b| a + b);
        joined.unwrap_or(f64::NEG_INFINITY)
    }
}
