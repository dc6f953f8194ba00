//! The exact gain of every column: the fall in RSS if it joined.
//!
//! It is (xᵢᵀr)² / (‖xᵢ‖² − ‖Qᵀxᵢ‖²) with Q = X_A·T. One product with r and the k columns of Q
//! screens; where the denominator is mostly rounding, or candidates are close, each is projected by
//! itself.

use faer::MatRef;

use super::{products::visit_products, tie_window::TieWindow};
use crate::{
    device::{
        Candidate, Shard,
        gain::{RELATIVE_TIE, exact_gain, push_orthonormal, tie_width},
    },
    least_squares::{FitView, PIVOT_TOLERANCE},
    vector::product,
};

/// Columns of X multiplied at a time, so that their products stay in the cache.
const BLOCK: usize = 512;

/// Gains from this share of the largest on are reported, because those of other shards may decide:
/// twice the tie width.
const NEAR: f64 = 1.0 - 2.0 * RELATIVE_TIE;

/// The columns of a shard outside the support whose gain is the largest up to rounding. When `stop`
/// returns true, the remaining columns are skipped.
pub(crate) fn strongest(
    shard: Shard,
    anchor: &FitView,
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<Candidate> {
    if stop() {
        return Vec::new();
    }
    let (x, n, k) = (shard.x, shard.x.n(), anchor.support.len());
    let mut basis = Vec::with_capacity(n * (k + 1));
    push_orthonormal(x, anchor, &mut basis);
    let width = basis.len() / n;
    let basis = MatRef::from_column_major_slice(&basis, n, width);
    // k squares, each off by twice the error of a product; the factor 16 covers the error of T
    // itself.
    let error = 16.0 * ((k + 1) * n) as f64 * f64::EPSILON;
    let off = tie_width(n, product(anchor.residual, anchor.residual).sqrt());
    let visit = |window: &mut TieWindow, first, products: &mut [f64]| {
        let rows = products.len() / width;
        let (e, q) = products.split_at(rows);
        let squares = anchor.weighted.map(|own| {
            let mut unpacked = Vec::new();
            let columns = x.block(first..first + rows, &mut unpacked).chunks(n);
            own.squares(&Vec::from_iter(columns))
        });
        for row in 0..rows {
            let column = (first + row) as u32;
            if anchor.support.contains(&column) {
                continue;
            }
            let explained: f64 = q.chunks(rows).map(|q| q[row] * q[row]).sum();
            let square = squares.as_ref().map_or(1.0, |own| own[row]);
            let rest = square - explained;
            let e = e[row].abs();
            let least = (e - off).max(0.0).powi(2) / (rest + error);
            let most = (e + off).powi(2) / (rest - error).max(PIVOT_TOLERANCE.powi(2));
            window.offer(column, most, least * NEAR);
        }
        !stop()
    };
    let start = || TieWindow::new(0.0);
    let near = visit_products(shard, basis, (BLOCK, 1), start, visit);
    let near = near.into_iter().flat_map(TieWindow::finish);
    let candidates = near.map(|(column, _)| Candidate {
        column,
        score: exact_gain(x, anchor, column),
    });
    candidates
        .filter(|candidate| candidate.score > 0.0)
        .collect()
}
