//! Products of a shard's columns with a few others, a block of columns at a time.

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};
use rayon::prelude::*;

use crate::{
    design::Columns,
    device::{DeviceError, Shard},
    least_squares::FitView,
    vector::product,
};

/// Multiply-adds below which a sweep stays on one thread.
const PARALLEL_WORK: usize = 1 << 20;

/// Observations whose squares are made at a time.
const OBSERVATIONS: usize = 256;

/// What makes products of a shard's columns, for the CPU to look at.
pub(in crate::device) trait ProductSource {
    /// As [`visit_products`], by threads of the pool.
    ///
    /// *Shapes:* `factor` n × m, column-major.
    fn visit<A: Send>(
        &mut self,
        factor: &[f64],
        rows: usize,
        start: impl Fn() -> A + Sync,
        visit: impl Visit<A>,
    ) -> Result<Vec<A>, DeviceError>;

    /// Whether the next visit has, behind the products, the squares of its columns by the second derivatives of these models.
    fn give_squares(&mut self, _models: &[FitView]) -> Result<bool, DeviceError> {
        Ok(false)
    }
}

/// What looks at a block of products: it gets a state, the number of the block's first column and the products,
/// and returns whether to go on.
pub(in crate::device) trait Visit<A>:
    Fn(&mut A, usize, &mut [f64]) -> bool + Sync
{
}

impl<A, F: Fn(&mut A, usize, &mut [f64]) -> bool + Sync> Visit<A> for F {}

/// The CPU's own products.
pub(in crate::device) struct CpuProducts<'x> {
    pub(super) shard: Shard<'x>,
    pub(super) threads: usize,
}

impl ProductSource for CpuProducts<'_> {
    fn visit<A: Send>(
        &mut self,
        factor: &[f64],
        rows: usize,
        start: impl Fn() -> A + Sync,
        visit: impl Visit<A>,
    ) -> Result<Vec<A>, DeviceError> {
        let n = self.shard.x.n();
        let ranges = ranges(self.threads, factor.len() * self.shard.own.p());
        let factor = MatRef::from_column_major_slice(factor, n, factor.len() / n);
        Ok(visit_products(
            self.shard,
            factor,
            (rows, ranges),
            start,
            visit,
        ))
    }
}

/// The squares xᵀWx of some columns under several weights: `room` is scratch, `squares` gets `count` numbers for each.
///
/// *Shapes:* `weights` n × m, `squares` count × m, column-major.
pub(super) fn weighted_squares(
    x: Columns,
    (first, count): (usize, usize),
    weights: &[f64],
    room: &mut Vec<f64>,
    squares: &mut Vec<f64>,
) {
    let (n, m) = (x.n(), weights.len() / x.n());
    squares.clear();
    squares.resize(count * m, 0.0);
    let weights = MatRef::from_column_major_slice(weights, n, m);
    // Of a few observations at a time, so that the squares stay in the cache.
    let mut unpacked = Vec::new();
    let block = x.block(first..first + count, &mut unpacked);
    for start in (0..n).step_by(OBSERVATIONS) {
        let rows = OBSERVATIONS.min(n - start);
        room.clear();
        for column in block.chunks(n) {
            let values = &column[start..start + rows];
            room.extend(values.iter().map(|x| x * x));
        }
        matmul(
            MatMut::from_column_major_slice_mut(squares, count, m),
            Accum::Add,
            MatRef::from_column_major_slice(room, rows, count).transpose(),
            weights.get(start..start + rows, ..),
            1.0,
            Par::Seq,
        );
    }
}

/// The number of ranges of the columns for so many multiply-adds.
pub(super) fn ranges(threads: usize, work: usize) -> usize {
    match work > PARALLEL_WORK {
        true => threads,
        false => 1,
    }
}

/// Multiplies a shard's columns by `factor`, a block of at most `rows` columns at a time, in `ranges`
/// ranges that threads share. `visit` gets the range's state, the number of a block's first column
/// and its products, and returns whether to go on. Returns the states, in the order of the ranges. No
/// term is divided: of one with more columns a block has them all.
///
/// *Shapes:* `factor` n × m; the products of a block are rows × m, column-major.
pub(super) fn visit_products<A: Send>(
    shard: Shard,
    factor: MatRef<f64>,
    (rows, ranges): (usize, usize),
    start: impl Fn() -> A + Sync,
    visit: impl Visit<A>,
) -> Vec<A> {
    let (n, m) = factor.shape();
    let Shard { first, own, .. } = shard;
    let each = own.p().div_ceil(ranges).max(1);
    let rows = own.at_once(rows);
    let range = |at: usize| {
        let mut state = start();
        let (mut products, mut unpacked) = (vec![0.0; rows * m], Vec::new());
        let own_range = [at, at + 1].map(|at| shard.term_start((at * each).min(own.p())));
        for columns in shard.pieces(own_range[0]..own_range[1], rows) {
            let (from, rows) = (columns.start, columns.len());
            let columns = own.block(columns, &mut unpacked);
            products.resize(products.len().max(rows * m), 0.0);
            let products = &mut products[..rows * m];
            matmul(
                MatMut::from_column_major_slice_mut(products, rows, m),
                Accum::Replace,
                MatRef::from_column_major_slice(columns, n, rows).transpose(),
                factor,
                1.0,
                Par::Seq,
            );
            if !visit(&mut state, first + from, products) {
                break;
            }
        }
        state
    };
    if ranges > 1 {
        let ranges = own.p().div_ceil(each);
        (0..ranges).into_par_iter().map(range).collect()
    } else {
        vec![range(0)]
    }
}

/// The products of a shard's columns with one vector by dot products in a fixed order, padded with zeros to whole
/// tiles of so many columns.
pub(super) fn products_with(shard: Shard, y: &[f64], tile: usize, threads: usize) -> Vec<f64> {
    let own = shard.own;
    let mut products = vec![0.0; own.p().next_multiple_of(tile)];
    let of_tile = |(at, products): (usize, &mut [f64])| {
        for (product_with_y, column) in products.iter_mut().zip(at * tile..own.p()) {
            *product_with_y = product(&shard.own.column_once(column as u32), y);
        }
    };
    if threads > 1 {
        products.par_chunks_mut(tile).enumerate().for_each(of_tile);
    } else {
        products.chunks_mut(tile).enumerate().for_each(of_tile);
    }
    products
}
