//! All pairs on GPUs where products of bits suit no column: every column is an anchor once.

use super::counter::CudaCounter;
use crate::device::{
    DeviceError,
    counting::{ConditioningVariable, Counter, PairCounter, PairSearch, TopPairs},
};

impl PairCounter for CudaCounter<'_> {
    fn names(&self) -> Vec<String> {
        let shards = self.shards.iter();
        shards.map(|shard| shard.gpu.name.clone()).collect()
    }

    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError> {
        self.by_column(|shard| &shard.score.relevance)
    }

    fn pairs(&mut self, mut search: PairSearch) -> Result<TopPairs, DeviceError> {
        let mut matrix = search.matrix.take();
        let (block, mut pairs) = (search.block, search.wanted.clone());
        let p = block.columns.len();
        self.readmit_all()?;
        // What is never the second of a pair need not be counted.
        (0..block.second_start()).for_each(|a| self.exclude(a as u32));
        for a in 0..block.first_end() {
            if (search.stop)() {
                break;
            }
            self.reset();
            let step = ConditioningVariable::of_column(a as u32, block.columns, self.evaluator);
            self.sweep(&step)?;
            let scores = self.by_column(|shard| &shard.score.gathered)?;
            if let Some(matrix) = &mut matrix {
                let row = matrix[a * p..][..p].iter_mut().zip(&scores);
                let row = row.skip(a.max(block.second_start()));
                row.for_each(|(to, &score)| *to = self.evaluator.score_nats(score, 1));
            }
            let w = a as u32;
            for (b, &score) in (0..).zip(&scores).skip((a + 1).max(block.second_start())) {
                pairs.offer(score, w, b, || 0);
            }
            // It is no second column of the pairs to come.
            self.exclude(w);
            (search.progress)(1);
        }
        Ok(pairs.with_synergy(|pair| search.synergy_of(pair, &self.response)))
    }
}
