//! Declared terms of a score that is a float, on the CPU: each column's margin sums, and the terms of
//! them.

use rayon::prelude::*;

use super::{wide::WideVariable, with_scratch};
use crate::device::{
    DeviceError,
    counting::{
        Categorical, ConditioningVariable, LocalColumns, ScoreEvaluator, TableScorer, TableValue,
    },
};

/// A shard of the columns on the CPU.
pub(crate) struct CpuTermScorer<'a> {
    own: LocalColumns<'a>,
    evaluator: &'a ScoreEvaluator,
}

impl<'a> CpuTermScorer<'a> {
    pub(crate) fn new(own: LocalColumns<'a>, evaluator: &'a ScoreEvaluator) -> Self {
        Self { own, evaluator }
    }
}

impl CpuTermScorer<'_> {
    /// Writes the terms of every column's table with this anchor, one after another of each column.
    pub(crate) fn write(&self, anchor: &Categorical, response: &Categorical, values: &mut [f64]) {
        let wanted = vec![true; self.own.columns.len()];
        self.write_wanted((anchor, 1), response, &wanted, values);
    }

    fn write_wanted(
        &self,
        (anchor, step): (&Categorical, usize),
        response: &Categorical,
        wanted: &[bool],
        values: &mut [f64],
    ) {
        let variable = WideVariable::new(anchor, response);
        let (evaluator, logs) = (self.evaluator, self.evaluator.logs());
        let columns = self.own.columns.par_iter().zip(wanted);
        let places = columns.zip(values.par_chunks_mut(evaluator.values_per_table()));
        let wanted = places.filter(|((_, wanted), _)| **wanted);
        wanted.for_each(|((column, _), out)| {
            let sums = with_scratch(|own| variable.sums(column, response, &mut own.wide, logs));
            evaluator.measure(&sums, step, out);
        });
    }
}

impl TableScorer for CpuTermScorer<'_> {
    fn names(&self) -> Vec<String> {
        vec!["cpu".to_owned()]
    }

    fn values(
        &mut self,
        (conditioning, step): (&ConditioningVariable, usize),
        response: &Categorical,
        wanted: &[bool],
    ) -> Result<Vec<TableValue>, DeviceError> {
        let mut values = vec![0.0; self.evaluator.values_per_table() * wanted.len()];
        self.write_wanted((conditioning.codes(), step), response, wanted, &mut values);
        Ok(values.into_iter().map(|value| Ok(Some(value))).collect())
    }
}
