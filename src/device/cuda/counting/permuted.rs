//! Permutations of the response and of what was swept: a batch of walks over the same columns,
//! swept together.

use passel_kernels::{
    counting::AnchorSums,
    score::{NONE, Pick},
};

use super::{
    super::{
        super::{
            DeviceError,
            counting::{Categorical, ScoredColumn},
        },
        gpu::arguments,
        memory::Buffer,
    },
    CudaCounter, candidate,
    layout::VECTOR,
    packs::put,
    rows::sort_rows,
    score::{Phase, ScoreState},
    shard::{AnchorSource, Shard},
    sweep::AnchorBuffers,
};

const DURING: &str = "permuting";

/// What permutations of a GPU go by.
struct PermutationBatch<'b> {
    orders: &'b [Vec<u32>],
    orders_on_gpu: Buffer<u32>,
    joint: Buffer<u8>,
    order: Option<Buffer<u64>>,
    /// Levels of every row, permuted: the anchor's and the response's.
    w: Option<Buffer<u32>>,
    y: Option<Buffer<u32>>,
}

impl CudaCounter<'_> {
    /// The best candidate after each permutation.
    pub(super) fn permutations(
        &mut self,
        orders: &[Vec<u32>],
        swept: &[&Categorical],
    ) -> Result<Vec<Option<ScoredColumn>>, DeviceError> {
        let told: Vec<(AnchorSums, &Categorical)> = swept
            .iter()
            .map(|it| (self.told(it, it.log_sum(self.logs)), *it))
            .collect();
        let first = self.first;
        let mut best: Vec<Option<ScoredColumn>> = vec![None; orders.len()];
        for shard in &mut self.shards {
            let mut each = shard.permutations_at_once()?;
            let mut done = 0;
            while done < orders.len() {
                let some = &orders[done..orders.len().min(done + each)];
                let picks = match shard.permuted(some, &self.response, &told) {
                    // Tables of a batch may take more than its walks do.
                    Err(DeviceError::OutOfMemory { .. }) if each > 1 => {
                        each /= 2;
                        continue;
                    }
                    picks => picks?,
                };
                let best = &mut best[done..][..some.len()];
                done += some.len();
                for (best, pick) in best.iter_mut().zip(picks) {
                    let found = (pick.number != NONE).then(|| candidate(&pick, first));
                    *best = (*best).max(found);
                }
            }
        }
        Ok(best)
    }
}

impl Shard {
    /// How many walks a quarter of what is free has room for.
    fn permutations_at_once(&self) -> Result<usize, DeviceError> {
        let misses = self.packs.misses.is_some();
        // Of a row its order, joint code, sorted place, levels and class, and bits.
        let each = ScoreState::bytes(self.packs.count(), misses) + (4 + 2 + 8 + 8 + 2) * self.n;
        let free = usize::try_from(self.gpu.free()? / 4).unwrap_or(usize::MAX);
        Ok((free / each).clamp(1, 1 << 10))
    }

    /// The best of each permutation of the response and of what was swept.
    fn permuted(
        &mut self,
        orders: &[Vec<u32>],
        response: &Categorical,
        swept: &[(AnchorSums, &Categorical)],
    ) -> Result<Vec<Pick>, DeviceError> {
        let gpu = &self.gpu;
        let (n, count) = (self.n, orders.len());
        let filled = n.next_multiple_of(VECTOR);
        let all: Vec<u32> = orders.concat();
        let order = self.order.as_ref();
        let misses = swept.iter().any(|it| it.1.missing);
        let levels = swept.iter().map(|it| it.1.levels).max().unwrap_or(1);
        let wide = self.is_wide(levels, misses) || self.is_wide_for(1, self.y_levels, false);
        let y = wide.then(|| put(gpu, &permuted(&response.codes, orders)));
        let batch = PermutationBatch {
            orders,
            orders_on_gpu: put(gpu, &all)?,
            joint: gpu.buffer(2 * filled * count, DURING)?,
            order: order.map(|_| gpu.buffer(n * count, DURING)).transpose()?,
            w: wide.then(|| gpu.buffer(n * count, DURING)).transpose()?,
            y: y.transpose()?,
        };
        let walk = ScoreState::new(gpu, &self.packs, count, false)?;
        let nothing = Categorical::constant(n);
        let laid = self.lay(AnchorSource::Nothing, self.y_levels)?;
        let laid = self.permute(&batch, laid, (self.nothing, &nothing), &walk)?;
        self.swept(laid, walk.out(self.excluded.address()))?;
        walk.score(&self.means(), Phase::Begin, false, (0, Some(0)))?;
        for (step, &(told, anchor)) in (0..).zip(swept) {
            let laid = self.lay(AnchorSource::Codes(told, anchor), self.classes)?;
            let misses = laid.misses;
            let laid = self.permute(&batch, laid, (told, anchor), &walk)?;
            self.swept(laid, walk.out(self.excluded.address()))?;
            let before = Phase::Gather { misses };
            walk.score(&self.means(), before, false, (0, Some(step)))?;
        }
        self.gpu.wait(DURING)?;
        Ok(walk.picks.get()[..count].to_vec())
    }

    /// An anchor that was laid out, in every order.
    fn permute(
        &self,
        batch: &PermutationBatch,
        laid: AnchorBuffers,
        (told, anchor): (AnchorSums, &Categorical),
        walk: &ScoreState,
    ) -> Result<AnchorBuffers, DeviceError> {
        let (gpu, has_w) = (&self.gpu, laid.w != 0);
        let count = batch.orders.len();
        gpu.upload(&vec![told; count], walk.anchors.address())?;
        let stride = self.n.next_multiple_of(VECTOR) * laid.bits as usize / 8;
        let own = (laid.joint, batch.orders_on_gpu.address(), self.n as i64);
        let (from, orders, rows) = own;
        let (to, each) = (batch.joint.address(), stride as i64);
        gpu.zero(to, batch.joint.len())?;
        let blocks = (self.n.div_ceil(512) as u32).clamp(1, gpu.processors);
        let grid = (blocks, count as u32, 1);
        let given = arguments![from, orders, rows, to, each];
        let permute = laid.sized("permute_8", "permute_16");
        gpu.launch(
            &passel_kernels::joint_codes::KERNEL,
            permute,
            grid,
            512,
            0,
            given,
        )?;
        let laid = AnchorBuffers {
            batch: count,
            anchors: walk.anchors.address(),
            joint: to,
            joint_stride: stride,
            order: batch.order.as_ref().map_or(0, Buffer::address),
            w: batch.w.as_ref().map_or(0, Buffer::address),
            y: batch.y.as_ref().map_or(0, Buffer::address),
            w_stride: self.n,
            y_stride: self.n,
            ..laid
        };
        if laid.order != 0 {
            sort_rows(gpu, self.n, &laid, laid.order)?;
        }
        if let (Some(w), true) = (&batch.w, has_w) {
            gpu.upload(&permuted(&anchor.codes, batch.orders), w.address())?;
        }
        Ok(laid)
    }
}

/// Codes in every order, one behind another.
fn permuted(codes: &[u32], orders: &[Vec<u32>]) -> Vec<u32> {
    let all = orders.iter().flatten();
    all.map(|&row| codes[row as usize]).collect()
}
