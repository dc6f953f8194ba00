//! Where GPUs take an anchor from that the host names: their own memory, that of a peer, or the
//! host's.

use passel_kernels::counting::AnchorSums;

use super::{anchors::AnchorSource, counter::CudaCounter};
use crate::device::{
    DeviceError,
    counting::{Categorical, ConditioningVariable, RemoteColumn},
};

impl CudaCounter<'_> {
    /// Counts against an anchor that the host names, the column of this position if it is one
    /// alone: read where it lies, on a GPU or on its peers, else brought from the host.
    pub(super) fn count(
        &mut self,
        column: Option<u32>,
        variable: &ConditioningVariable,
    ) -> Result<(), DeviceError> {
        let wide = |levels| {
            let mut shards = self.shards.iter();
            shards.any(|shard| shard.needs_wide_codes(levels, false))
        };
        let on_gpu = column.filter(|&column| {
            let (own, (at, place)) = (self.column(column), self.homes[column as usize]);
            own.excluded_code().is_none()
                && !wide(own.levels)
                && self.shards[at].packs.has(place as usize)
        });
        if let (Some(column), Some(pick)) = (on_gpu, self.ahead.last_pick(column)) {
            let (home, place) = self.homes[column as usize];
            let anchor = AnchorSums {
                w: pick.x,
                wy: pick.xy,
                levels: self.column(column).levels as u32,
                place,
            };
            let codes = self.peer_columns.get(home);
            let codes = codes.map(|places| places[place as usize]);
            if codes.is_some() || self.shards.len() == 1 {
                return self.sweep_each(|at| match codes {
                    Some(codes) if at != home => AnchorSource::Peer(anchor, codes),
                    _ => AnchorSource::Place(anchor),
                });
            }
        }
        if let Some(RemoteColumn { column, statistics }) = &variable.remote
            && !wide(column.levels)
        {
            let n = self.evaluator.logs().full_term();
            let anchor = AnchorSums {
                w: statistics.log_sum,
                wy: statistics.mutual_information + statistics.log_sum + self.response_sum - n,
                levels: column.levels as u32,
                place: 0,
            };
            let codes = &column.codes;
            return self.sweep_each(|_| AnchorSource::Remote(anchor, codes));
        }
        let (codes, log_sum) = variable.codes_and_log_sum(self.evaluator.logs());
        let anchor = self.anchor_sums(codes, log_sum);
        self.sweep_each(|_| AnchorSource::Codes(anchor, codes))
    }

    /// An anchor of the host's, for which Σ c·L(c) over its levels is `w`.
    pub(super) fn anchor_sums(&self, codes: &Categorical, w: i64) -> AnchorSums {
        // Where it misses values sums are of the rows that are left, which GPUs find.
        let by_class = self.evaluator.needs_xwy && !codes.missing;
        AnchorSums {
            w,
            wy: match by_class {
                true => codes.joint(&self.response).log_sum(self.evaluator.logs()),
                false => 0,
            },
            levels: codes.levels as u32,
            place: 0,
        }
    }
}
