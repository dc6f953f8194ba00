//! Products of a GPU's columns that come to the host, whose threads look at them.

use rayon::prelude::*;

use super::{
    super::{
        DeviceError,
        cpu::{ProductSource, Visit},
    },
    Cuda,
    products::MatrixProduct,
};

/// Bytes of products that come to the host at a time.
const TO_HOST: usize = 32 << 20;

/// Products of a GPU, which come to the host.
pub(super) struct GpuProducts<'a, 'x> {
    pub(super) cuda: &'a mut Cuda<'x>,
    /// The part of the GPU's columns that is swept.
    pub(super) part: (usize, usize),
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
}

impl ProductSource for GpuProducts<'_, '_> {
    fn visit<A: Send>(
        &mut self,
        factor: &[f64],
        rows: usize,
        start: impl Fn() -> A + Sync,
        visit: impl Visit<A>,
    ) -> Result<Vec<A>, DeviceError> {
        const DURING: &str = "sweeping for terms";
        let Cuda {
            gpu,
            columns,
            scratch,
            shard,
            terms,
            y,
            ..
        } = &mut *self.cuda;
        let width = factor.len() / y.len();
        let batch = scratch.batch.room(gpu, factor.len(), DURING)?;
        gpu.upload(factor, batch)?;
        let widest = terms.as_ref().map_or(1, |laid| laid.widest());
        let most = columns.count().min(TO_HOST / (8 * width).max(1));
        let (e, most) = scratch.e.products(gpu, (most, widest), width, DURING)?;
        let threads = rayon::current_num_threads();
        let mut states = Vec::new();
        columns.sweep(gpu, self.part, most, |block| {
            if (self.stop)() {
                return Ok(());
            }
            let own = (block.address, block.count);
            gpu.product(MatrixProduct::of_columns(own, (batch, width), y.len(), e))?;
            let told = scratch.products.room(gpu, block.count * width)?;
            gpu.download(e, told)?;
            gpu.wait(DURING)?;
            let told = &*told;
            let first = block.first as usize - shard.first;
            let pieces: Vec<_> = shard.pieces(first..first + block.count, rows).collect();
            let each = pieces.len().div_ceil(threads);
            let range = |pieces: &[std::ops::Range<usize>]| {
                let (mut state, mut own) = (start(), Vec::new());
                for piece in pieces {
                    let within = piece.start - first..piece.end - first;
                    own.clear();
                    let columns = told.chunks(block.count);
                    columns.for_each(|column| own.extend_from_slice(&column[within.clone()]));
                    if !visit(&mut state, shard.first + piece.start, &mut own) {
                        break;
                    }
                }
                state
            };
            states.par_extend(pieces.par_chunks(each.max(1)).map(range));
            Ok(())
        })?;
        Ok(states)
    }
}
