//! Where GPUs take the next anchor from: it lies there or on another GPU, or the host has it.

use passel_kernels::counting::AnchorSums;

use super::{CudaCounter, shard::AnchorSource};
use crate::device::{
    DeviceError,
    counting::{Categorical, ConditioningVariable, RemoteColumn},
};

impl CudaCounter<'_> {
    /// Counts against what the host names: one of these columns, if it is one alone.
    pub(super) fn count(
        &mut self,
        column: Option<u32>,
        step: &ConditioningVariable,
    ) -> Result<(), DeviceError> {
        let wide = |levels| self.shards.iter().any(|it| it.is_wide(levels, false));
        let known = column.filter(|it| {
            let (home, levels) = (self.home(*it), self.columns[*it as usize].levels);
            let shard = &self.shards[home];
            !self.misses(*it)
                && !wide(levels)
                && shard.packs.has(self.places[*it as usize] as usize)
        });
        if let (Some(column), Some(pick)) = (known, self.last_pick(column)) {
            let (home, place) = (self.home(column), pick.place as usize);
            let anchor = AnchorSums {
                w: pick.x,
                wy: pick.xy,
                levels: self.columns[column as usize].levels as u32,
                place: pick.place,
            };
            let lying = self.lying.get(home).and_then(|it| it.get(place).copied());
            if let (1, _) | (_, Some(_)) = (self.shards.len(), lying) {
                return self.each(|at, shard| {
                    let source = match lying {
                        Some(lying) if at != home => AnchorSource::Peer(anchor, lying),
                        _ => AnchorSource::Place(anchor),
                    };
                    shard.step(source, false, 0)
                });
            }
        }
        if let Some(RemoteColumn {
            column,
            statistics: facts,
        }) = &step.remote
            && !wide(column.levels)
        {
            let anchor = AnchorSums {
                w: facts.log_sum,
                wy: facts.mutual_information + facts.log_sum + self.response_sum
                    - self.logs.full_term(),
                levels: column.levels as u32,
                place: 0,
            };
            return self
                .each(|_, shard| shard.step(AnchorSource::Guest(anchor, &column.codes), false, 0));
        }
        let (anchor, w) = step.codes_and_log_sum(self.logs);
        let told = self.told(anchor, w);
        self.each(|_, shard| shard.step(AnchorSource::Codes(told, anchor), false, 0))
    }

    /// An anchor of the host's, whose own sum is this.
    pub(super) fn told(&self, anchor: &Categorical, w: i64) -> AnchorSums {
        // Of what misses values sums are of the rows that are left.
        let by_class = self.evaluator.needs_xwy() && !anchor.missing;
        AnchorSums {
            w,
            wy: match by_class {
                true => anchor.joint(&self.response).log_sum(self.logs),
                false => 0,
            },
            levels: anchor.levels as u32,
            place: 0,
        }
    }
}
