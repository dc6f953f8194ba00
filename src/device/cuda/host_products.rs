//! Products of a GPU's columns that come to the host, whose threads look at them.

use rayon::prelude::*;

use super::{
    super::{
        DeviceError,
        cpu::{ProductSource, Visit},
    },
    Cuda,
    products::MatrixProduct,
    risk::RiskSquares,
    squares::Squares,
};
use crate::least_squares::FitView;

const DURING: &str = "sweeping for terms";

/// Bytes of products that come to the host at a time.
const TO_HOST: usize = 32 << 20;

/// Products of a GPU, which come to the host.
pub(super) struct GpuProducts<'a, 'x> {
    pub(super) cuda: &'a mut Cuda<'x>,
    /// The part of the GPU's columns that is swept.
    pub(super) part: (usize, usize),
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
    /// What comes behind the products of the next visit: squares by the weights of models, and what risk sets take off them.
    pub(super) squares: Option<(Vec<f64>, RiskSquares)>,
}

impl ProductSource for GpuProducts<'_, '_> {
    fn visit<A: Send>(
        &mut self,
        factor: &[f64],
        rows: usize,
        start: impl Fn() -> A + Sync,
        visit: impl Visit<A>,
    ) -> Result<Vec<A>, DeviceError> {
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
        let given = self.squares.take();
        let more = given.as_ref().map_or(0, |own| own.0.len() / y.len());
        let batch = scratch.batch.room(gpu, factor.len(), DURING)?;
        gpu.upload(factor, batch)?;
        let widest = terms.as_ref().map_or(1, |laid| laid.widest());
        let most = columns.count().min(TO_HOST / (8 * (width + more)).max(1));
        let (e, most) = scratch.e.products(gpu, (most, widest), width, DURING)?;
        let (squares, most) = match given {
            Some((weights, risk)) => {
                let (room, own) = (&mut scratch.squares, (&weights[..], y.len()));
                let (mut squares, most) = Squares::new(gpu, room, own, most, DURING)?;
                squares.risk = Some(risk);
                (Some(squares), most)
            }
            None => (None, most),
        };
        let threads = rayon::current_num_threads();
        let mut states = Vec::new();
        columns.sweep(gpu, self.part, most, |block| {
            if (self.stop)() {
                return Ok(());
            }
            let own = (block.address, block.count);
            gpu.product(MatrixProduct::of_columns(own, (batch, width), y.len(), e))?;
            let told = scratch.products.room(gpu, block.count * (width + more))?;
            let (of_factor, of_models) = told.split_at_mut(block.count * width);
            gpu.download(e, of_factor)?;
            if let Some(squares) = &squares {
                squares.fill(gpu, &block)?;
                gpu.download(squares.products, of_models)?;
            }
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

    fn give_squares(&mut self, models: &[FitView]) -> Result<bool, DeviceError> {
        let Cuda { gpu, risk, .. } = &mut *self.cuda;
        let weighted = models.iter().filter_map(|own| own.weighted);
        let weights: Vec<f64> = weighted.flat_map(|own| own.weights).copied().collect();
        self.squares = match risk {
            Some(risk) => risk.squares(gpu, models, DURING)?.map(|own| (weights, own)),
            None => None,
        };
        Ok(self.squares.is_some())
    }
}
