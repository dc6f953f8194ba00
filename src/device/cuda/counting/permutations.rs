//! Permutations of the response and of what was swept: a batch of score states over the same
//! columns, swept together.

use passel_kernels::{counting::AnchorSums, joint_codes::KERNEL, score::Pick};

use super::{
    super::{gpu::arguments, memory::Buffer},
    anchors::AnchorSource,
    form::VECTOR,
    kernel_choice::needs_wide_codes,
    packs::put,
    rows::sort_rows,
    score::{Phase, ScoreState, Slot, better},
    shard::Shard,
    sweep_buffers::AnchorBuffers,
};
use crate::device::{DeviceError, counting::Categorical};

const DURING: &str = "permuting";

/// Threads of a block of `permute`.
const THREADS: u32 = 512;

/// Most permutations at a time.
const MOST: usize = 1 << 10;

/// The best candidate of all GPUs after each permutation of the response and of the anchors swept;
/// none where all are excluded.
pub(super) fn best(
    shards: &mut [Shard],
    orders: &[Vec<u32>],
    response: &Categorical,
    swept: &[(AnchorSums, &Categorical)],
) -> Result<Vec<Option<Pick>>, DeviceError> {
    let mut best: Vec<Option<Pick>> = vec![None; orders.len()];
    for shard in shards {
        let mut each = permutations_at_once(shard)?;
        let mut done = 0;
        while done < orders.len() {
            let some = &orders[done..orders.len().min(done + each)];
            let picks = match best_of_batch(shard, some, response, swept) {
                // Tables of a batch may take more than its score states do.
                Err(DeviceError::OutOfMemory { .. }) if each > 1 => {
                    each /= 2;
                    continue;
                }
                picks => picks?,
            };
            let best = &mut best[done..][..some.len()];
            done += some.len();
            for (best, pick) in best.iter_mut().zip(picks) {
                *best = better(*best, pick);
            }
        }
    }
    Ok(best)
}

/// How many permutations a quarter of what is free has room for.
fn permutations_at_once(shard: &Shard) -> Result<usize, DeviceError> {
    let misses = shard.packs.misses.is_some();
    // Of a row its order, joint code, sorted place, levels and class, and bits.
    let rows = (4 + 2 + 8 + 8 + 2) * shard.packs.layout.n;
    let each = ScoreState::bytes(shard.packs.count(), misses) + rows;
    let free = usize::try_from(shard.gpu.free()? / 4).unwrap_or(usize::MAX);
    Ok((free / each).clamp(1, MOST))
}

/// The best candidate of a GPU after each permutation.
fn best_of_batch(
    shard: &mut Shard,
    orders: &[Vec<u32>],
    response: &Categorical,
    swept: &[(AnchorSums, &Categorical)],
) -> Result<Vec<Pick>, DeviceError> {
    let (gpu, packs) = (&shard.gpu, &shard.packs);
    let (n, count, y_levels) = (shard.packs.layout.n, orders.len(), shard.anchors.y_levels);
    let misses = swept.iter().any(|(_, codes)| codes.missing);
    let levels = swept.iter().map(|(_, codes)| codes.levels).max();
    let wide = shard.needs_wide_codes(levels.unwrap_or(1), misses)
        || needs_wide_codes(gpu, packs, (1, y_levels), false);
    let order = shard.anchors.order.as_ref();
    let y = wide.then(|| put(gpu, &permuted(&response.codes, orders)));
    let batch = PermutationBatch {
        orders,
        orders_on_gpu: put(gpu, &orders.concat())?,
        joint: gpu.buffer(2 * n.next_multiple_of(VECTOR) * count, DURING)?,
        order: order.map(|_| gpu.buffer(n * count, DURING)).transpose()?,
        w: wide.then(|| gpu.buffer(n * count, DURING)).transpose()?,
        y: y.transpose()?,
        score: shard.score.batch(gpu, count)?,
    };
    let constant = (shard.anchors.constant, &Categorical::constant(n));
    let buffers = shard.lay_out(AnchorSource::Constant, y_levels, None)?;
    batch.sweep(shard, buffers, constant, Phase::Begin, 0)?;
    for (step, &(sums, codes)) in (0..).zip(swept) {
        let source = AnchorSource::Codes(sums, codes);
        let buffers = shard.lay_out(source, shard.anchors.classes, None)?;
        let phase = Phase::Gather {
            misses: buffers.misses,
        };
        batch.sweep(shard, buffers, (sums, codes), phase, step)?;
    }
    shard.gpu.wait(DURING)?;
    Ok(batch.score.picks.get()[..count].to_vec())
}

/// A batch of permutations on a GPU.
struct PermutationBatch<'b> {
    orders: &'b [Vec<u32>],
    orders_on_gpu: Buffer<u32>,
    joint: Buffer<u8>,
    order: Option<Buffer<u64>>,
    /// The anchor's levels and the response's, of every row, in every order.
    w: Option<Buffer<u32>>,
    y: Option<Buffer<u32>>,
    score: ScoreState,
}

impl PermutationBatch<'_> {
    /// Sweeps an anchor that was laid out, in every order, and scores what was counted.
    fn sweep(
        &self,
        shard: &mut Shard,
        buffers: AnchorBuffers,
        (sums, codes): (AnchorSums, &Categorical),
        phase: Phase,
        step: u32,
    ) -> Result<(), DeviceError> {
        let (gpu, n, count) = (&shard.gpu, shard.packs.layout.n, self.orders.len());
        gpu.upload(&vec![sums; count], self.score.anchors.address())?;
        let stride = n.next_multiple_of(VECTOR) * buffers.bits as usize / 8;
        let (from, orders, rows) = (buffers.joint, self.orders_on_gpu.address(), n as i64);
        let (to, each) = (self.joint.address(), stride as i64);
        gpu.zero(to, self.joint.len())?;
        let blocks = (n.div_ceil(THREADS as usize) as u32).clamp(1, gpu.processors);
        let grid = (blocks, count as u32, 1);
        let function = buffers.sized("permute_8", "permute_16");
        let args = arguments![from, orders, rows, to, each];
        gpu.launch(&KERNEL, function, grid, THREADS, 0, args)?;
        let address = |buffer: &Option<Buffer<u32>>| buffer.as_ref().map_or(0, Buffer::address);
        let all = AnchorBuffers {
            batch: count,
            anchors: self.score.anchors.address(),
            joint: to,
            joint_stride: stride,
            order: self.order.as_ref().map_or(0, Buffer::address),
            w: address(&self.w),
            y: address(&self.y),
            w_stride: n,
            y_stride: n,
            ..buffers
        };
        sort_rows(gpu, n, &all)?;
        if let (Some(w), 1..) = (&self.w, buffers.w) {
            gpu.upload(&permuted(&codes.codes, self.orders), w.address())?;
        }
        shard.sweep(all, self.score.output())?;
        self.score
            .launch(&shard.gpu, phase, Slot::FIRST, Some(step))
    }
}

/// Codes in every order, one after another.
fn permuted(codes: &[u32], orders: &[Vec<u32>]) -> Vec<u32> {
    let all = orders.iter().flatten();
    all.map(|&row| codes[row as usize]).collect()
}
