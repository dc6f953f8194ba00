//! The verbs of counting, on GPUs.

use super::{CudaCounter, candidate, score::Phase};
use crate::device::{
    DeviceError,
    counting::{CandidateStatistics, Categorical, ConditioningVariable, Counter, ScoredColumn},
};

impl Counter for CudaCounter<'_> {
    fn names(&self) -> Vec<String> {
        let name = |it: &super::Shard| it.gpu.name.clone();
        self.shards.iter().map(name).collect()
    }

    fn sweep(&mut self, step: &ConditioningVariable) -> Result<(), DeviceError> {
        self.steps += 1;
        let column = step.column.and_then(|number| self.position(number));
        let last = self.last_pick(column);
        let own = column.filter(|it| !self.misses(*it));
        match (own.and(last), &step.remote) {
            (Some(pick), _) => self.sum_w += i128::from(pick.x),
            (None, Some(guest)) => self.sum_w += i128::from(guest.statistics.log_sum),
            (None, None) => self.plain = false,
        }
        if self.made_ahead && last.is_some() {
            // The GPU has swept it, or will.
            self.pending = self.picks.is_empty();
            return Ok(());
        }
        self.picks.clear();
        (self.made_ahead, self.scored) = (false, true);
        self.count(column, step)
    }

    fn hint_picks(&mut self, picks: usize) {
        self.expected = picks;
    }

    fn reset(&mut self) {
        (self.steps, self.sum_w, self.plain) = (0, 0, true);
        self.picks.clear();
        self.last = None;
        (self.made_ahead, self.pending, self.scored) = (false, false, true);
        for shard in &mut self.shards {
            let forgot = shard.score(Phase::Forget, false, 0);
            self.fault = self.fault.take().or(forgot.err());
        }
    }

    fn best(&mut self) -> Result<Option<ScoredColumn>, DeviceError> {
        if self.picks.is_empty() {
            // Behind the picks that came before it.
            if let Some(fault) = self.fault.take() {
                return Err(fault);
            }
            match self.alone && self.expected > 1 {
                true => self.walk(self.expected.min(self.ahead))?,
                false => self.find()?,
            }
        }
        Ok(self.picks.front().map(|pick| candidate(pick, self.first)))
    }

    fn statistics(&mut self, column: u32) -> Result<Option<CandidateStatistics>, DeviceError> {
        let Some(column) = self.position(column) else {
            return Ok(None);
        };
        let pick = self.picks.front().filter(|it| it.number == column);
        let Some(pick) = pick.filter(|_| !self.misses(column)) else {
            return Ok(None);
        };
        let n = self.logs.full_term();
        let (x, steps) = (i128::from(pick.x), self.steps as i128);
        let redundancy = pick.redundancy - steps * x - self.sum_w + steps * i128::from(n);
        let counted = self.shards[self.home(column)].occurring[pick.place as usize];
        Ok(Some(CandidateStatistics {
            redundancy: self.plain.then_some(redundancy),
            mutual_information: pick.xy - pick.x - self.response_sum + n,
            log_sum: pick.x,
            levels: match counted {
                0 => {
                    let own = &self.columns[column as usize];
                    own.codes.occurring(own.levels)
                }
                counted => counted as usize,
            },
        }))
    }

    fn exclude(&mut self, column: u32) {
        let Some(column) = self.position(column) else {
            return;
        };
        if let Some(pick) = self.picks.pop_front().filter(|it| it.number == column) {
            self.last = Some(pick);
            if self.made_ahead {
                return;
            }
        }
        self.picks.clear();
        (self.made_ahead, self.scored) = (false, false);
        let shard = &self.shards[self.home(column)];
        let excluded = shard.take(self.places[column as usize]);
        self.fault = self.fault.take().or(excluded.err());
    }

    fn best_permuted(
        &mut self,
        orders: &[Vec<u32>],
        swept: &[&Categorical],
    ) -> Option<Result<Vec<Option<ScoredColumn>>, DeviceError>> {
        Some(self.permutations(orders, swept))
    }

    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError> {
        let mut all = vec![0; self.columns.len()];
        for shard in &self.shards {
            let relevance = shard.walk.relevance(&shard.gpu)?;
            for (&number, relevance) in shard.packs.layout.numbers.iter().zip(relevance) {
                all[number as usize] = relevance;
            }
        }
        Ok(all)
    }
}
