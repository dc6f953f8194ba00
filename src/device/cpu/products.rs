//! Products of a shard's columns with a few others, a block of columns at a time.

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};
use rayon::prelude::*;

use crate::device::Shard;

/// Multiplies a shard's columns by `factor`, a block of at most `rows` columns at a time, in `ranges`
/// ranges that threads share. `visit` gets the range's state, the number of a block's first column
/// and its products, and returns whether to go on. Returns the states, in the order of the ranges.
///
/// *Shapes:* `factor` n × m; the products of a block are rows × m, column-major.
pub(super) fn visit_products<A: Send>(
    Shard { first, own, .. }: Shard,
    factor: MatRef<f64>,
    (rows, ranges): (usize, usize),
    start: impl Fn() -> A + Sync,
    visit: impl Fn(&mut A, usize, &mut [f64]) -> bool + Sync,
) -> Vec<A> {
    let (n, m) = factor.shape();
    let each = own.p().div_ceil(ranges).max(1);
    let range = |(at, columns): (usize, &[f64])| {
        let mut state = start();
        let mut products = vec![0.0; rows * m];
        let firsts = (first + at * each..).step_by(rows);
        for (first, columns) in firsts.zip(columns.chunks(rows * n)) {
            let rows = columns.len() / n;
            let products = &mut products[..rows * m];
            matmul(
                MatMut::from_column_major_slice_mut(products, rows, m),
                Accum::Replace,
                MatRef::from_column_major_slice(columns, n, rows).transpose(),
                factor,
                1.0,
                Par::Seq,
            );
            if !visit(&mut state, first, products) {
                break;
            }
        }
        state
    };
    if ranges > 1 {
        let columns = own.values().par_chunks(each * n).enumerate();
        columns.map(range).collect()
    } else {
        vec![range((0, own.values()))]
    }
}
