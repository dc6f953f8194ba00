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
        let variable = WideVariable::new(conditioning.codes(), response);
        let (evaluator, logs) = (self.evaluator, self.evaluator.logs());
        let width = evaluator.values_per_table();
        let mut values = vec![0.0; width * wanted.len()];
        let columns = self.own.columns.par_iter().zip(wanted);
        let places = columns.zip(values.par_chunks_mut(width));
        let wanted = places.filter(|((_, wanted), _)| **wanted);
        wanted.for_each(|((column, _), out)| {
            let sums = with_scratch(|own| variable.sums(column, response, &mut own.wide, logs));
            evaluator.measure(&sums, step, out);
        });
        Ok(values.into_iter().map(|value| Ok(Some(value))).collect())
    }
}
