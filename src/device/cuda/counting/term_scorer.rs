//! Declared terms of a score that is a float, on GPUs: these count the margin sums of every column,
//! from which the host makes the terms.

use passel_kernels::counting::TableSums;

use super::{counter::CudaCounter, deferred::LazyOptions, packs::read};
use crate::device::{
    DeviceError,
    counting::{
        Categorical, ConditioningVariable, Counter, LocalColumns, MarginSums, PairCounter,
        ScoreEvaluator, TableScorer, TableValue,
    },
    cpu::CpuTermScorer,
};

const DURING: &str = "reading sums";

/// GPUs that share the columns.
pub(crate) struct CudaTermScorer<'a> {
    counter: CudaCounter<'a>,
    /// Where a GPU has no room for sums of tables that leave observations out.
    cpu: CpuTermScorer<'a>,
    evaluator: &'a ScoreEvaluator,
}

impl<'a> CudaTermScorer<'a> {
    /// The columns on the GPUs of these ordinals, laid out for this response; each takes so many bytes
    /// for them at most.
    pub(crate) fn new(
        columns: LocalColumns<'a>,
        response: &Categorical,
        evaluator: &'a ScoreEvaluator,
        (ordinals, limit): (&[usize], Option<u64>),
    ) -> Result<Self, DeviceError> {
        let on = (ordinals, limit);
        Ok(Self {
            counter: CudaCounter::new(columns, response, evaluator, on, LazyOptions::default())?,
            cpu: CpuTermScorer::new(columns, evaluator),
            evaluator,
        })
    }

    /// The margin sums of every column's table with the variable swept last, in the order of the
    /// columns; none where a GPU did not keep those of a table that leaves observations out.
    fn sums(
        &self,
        variable: &ConditioningVariable,
    ) -> Result<Option<Vec<MarginSums>>, DeviceError> {
        let counter = &self.counter;
        let logs = self.evaluator.logs();
        let (codes, w) = variable.codes_and_log_sum(logs);
        let anchor = counter.anchor_sums(codes, w);
        let n = logs.terms().len() - 1;
        let known = MarginSums {
            observations: n as u32,
            n: logs.full_term(),
            w,
            y: counter.response_sum,
            wy: anchor.wy,
            ..MarginSums::default()
        };
        let mut complete = true;
        let mut all = vec![known; counter.homes.len()];
        for shard in &counter.shards {
            let whole = shard.score.whole.as_ref();
            let whole = whole
                .map(|sums| read(&shard.gpu, sums, DURING))
                .transpose()?;
            let misses = shard.packs.misses.as_ref();
            let misses = misses.map(|misses| read(&shard.gpu, misses, DURING));
            let misses = misses.transpose()?;
            let [xy, xw, xwy] = shard.score.sums.each_ref();
            let [x, xy, xw, xwy] =
                [&shard.x, xy, xw, xwy].map(|sums| read(&shard.gpu, sums, DURING));
            let (x, xy, xw, xwy) = (x?, xy?, xw?, xwy?);
            for (place, &number) in shard.packs.layout.numbers.iter().enumerate() {
                let own = &mut all[number as usize];
                let lacks = misses.as_ref().is_some_and(|misses| misses[place] != 0);
                match (codes.missing || lacks, &whole) {
                    (false, _) => {
                        (own.x, own.xy, own.xw, own.xwy) =
                            (x[place], xy[place], xw[place], xwy[place]);
                    }
                    (true, Some(whole)) => *own = of_whole(&whole[place]),
                    (true, None) => complete = false,
                }
            }
        }
        Ok(complete.then_some(all))
    }
}

/// All sums of a table as a GPU made them.
fn of_whole(whole: &TableSums) -> MarginSums {
    let [n, x, w, y, xw, xy, wy, xwy] = whole.of;
    MarginSums {
        observations: whole.left as u32,
        n,
        x,
        w,
        y,
        xw,
        xy,
        wy,
        xwy,
    }
}

impl TableScorer for CudaTermScorer<'_> {
    fn names(&self) -> Vec<String> {
        self.counter.names()
    }

    fn values(
        &mut self,
        (variable, step): (&ConditioningVariable, usize),
        response: &Categorical,
        wanted: &[bool],
    ) -> Result<Vec<TableValue>, DeviceError> {
        let width = self.evaluator.values_per_table();
        let mut values = vec![0.0; width * wanted.len()];
        if step == 0 {
            let relevance = PairCounter::relevance(&mut self.counter)?;
            for (out, relevance) in values.chunks_mut(width).zip(relevance) {
                out[0] = self.evaluator.quantity_nats(relevance);
            }
        } else {
            self.counter.sweep(variable)?;
            let Some(sums) = self.sums(variable)? else {
                return self.cpu.values((variable, step), response, wanted);
            };
            for (out, sums) in values.chunks_mut(width).zip(&sums) {
                self.evaluator.measure(sums, step, out);
            }
        }
        Ok(values.into_iter().map(|value| Ok(Some(value))).collect())
    }
}
