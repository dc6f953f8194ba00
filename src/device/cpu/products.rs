//! Products of a shard's columns with a few others, a block of columns at a time.

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};
use rayon::prelude::*;

use crate::device::Shard;

/// Multiplies a shard's columns by `factor`, a block of at most `rows` columns at a time, in `ranges`
/// ranges that threads share. `visit` gets the range's state, the number of a block's first column
/// and its products, and returns whether to go on. Returns the states, in the order of the ranges. No
/// term is divided: of one with more columns a block has them all.
///
/// *Shapes:* `factor` n × m; the products of a block are rows × m, column-major.
pub(super) fn visit_products<A: Send>(
    Shard { x, first, own }: Shard,
    factor: MatRef<f64>,
    (rows, ranges): (usize, usize),
    start: impl Fn() -> A + Sync,
    visit: impl Fn(&mut A, usize, &mut [f64]) -> bool + Sync,
) -> Vec<A> {
    let (n, m) = factor.shape();
    let (each, end) = (own.p().div_ceil(ranges).max(1), first + own.p());
    // The end of the term that a column is in the midst of, or the column.
    let boundary = |column: usize| match x.terms() {
        Some(terms) if column < end => {
            let columns = terms.columns(terms.of(column as u32));
            match columns.start as usize == column {
                true => column,
                false => columns.end as usize,
            }
        }
        _ => column.min(end),
    };
    let block_end = |from: usize| match x.terms() {
        Some(terms) if from + rows < end => {
            let columns = terms.columns(terms.of((from + rows) as u32));
            match columns.start as usize {
                start if start > from => start,
                _ => columns.end as usize,
            }
        }
        _ => (from + rows).min(end),
    };
    let range = |at: usize| {
        let mut state = start();
        let mut products = vec![0.0; rows * m];
        let mut from = boundary(first + at * each);
        let end = boundary(first + (at + 1) * each);
        while from < end {
            let to = block_end(from).min(end);
            let columns = &own.values()[(from - first) * n..(to - first) * n];
            let rows = to - from;
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
            if !visit(&mut state, from, products) {
                break;
            }
            from = to;
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
