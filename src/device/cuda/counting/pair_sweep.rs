//! All pairs on GPUs where products of bits suit no column: every column is an anchor once.

use super::{counter::CudaCounter, deferred::LazyOptions};
use crate::{
    binning::BinnedColumn,
    device::{
        DeviceError,
        counting::{
            Categorical, ConditioningVariable, Counter, Pair, PairCounter, PairSearch,
            ScoreEvaluator, TopPairs,
        },
    },
};

/// A counter that sweeps every column once, against all that come after it.
pub(crate) struct CudaPairSweep<'a> {
    counter: CudaCounter<'a>,
    response: Categorical,
    evaluator: &'a ScoreEvaluator,
}

impl<'a> CudaPairSweep<'a> {
    /// All columns on the GPUs of `on`, each of which takes at most so many bytes for them.
    ///
    /// # Errors
    /// A GPU that cannot be used, or has too little memory.
    pub(crate) fn new(
        columns: &'a [BinnedColumn],
        response: &Categorical,
        evaluator: &'a ScoreEvaluator,
        on: (&[usize], Option<u64>),
    ) -> Result<Self, DeviceError> {
        Ok(Self {
            counter: CudaCounter::new(
                columns.into(),
                response,
                evaluator,
                on,
                LazyOptions::default(),
            )?,
            response: response.clone(),
            evaluator,
        })
    }
}

impl PairCounter for CudaPairSweep<'_> {
    fn names(&self) -> Vec<String> {
        self.counter.names()
    }

    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError> {
        self.counter.relevance()
    }

    fn pairs(&mut self, mut search: PairSearch) -> Result<TopPairs, DeviceError> {
        let mut matrix = search.matrix.take();
        let (block, mut pairs) = (search.block, search.wanted.clone());
        let p = block.columns.len();
        self.counter.readmit_all()?;
        // What is never the second of a pair need not be counted.
        (0..block.second_start()).for_each(|a| self.counter.exclude(a as u32));
        for a in 0..block.first_end() {
            if (search.stop)() {
                break;
            }
            self.counter.reset();
            let step = ConditioningVariable::of_column(a as u32, block.columns, self.evaluator);
            self.counter.sweep(&step)?;
            let scores = self.counter.gathered()?;
            if let Some(matrix) = &mut matrix {
                let row = matrix[a * p..][..p]
                    .iter_mut()
                    .zip(&scores)
                    .skip(a.max(block.second_start()));
                row.for_each(|(to, &score)| *to = self.evaluator.score_nats(score, 1));
            }
            let w = a as u32;
            for (b, &score) in (0..).zip(&scores).skip((a + 1).max(block.second_start())) {
                if pairs.wants(score, w, b) {
                    pairs.push(Pair {
                        score,
                        synergy: 0,
                        a: w,
                        b,
                    });
                }
            }
            // It is no second column of the pairs to come.
            self.counter.exclude(w);
            (search.progress)();
        }
        Ok(pairs.with_synergy(|pair| search.synergy_of(pair, &self.response)))
    }
}
