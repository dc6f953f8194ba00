//! The exact gain of every column: the fall in RSS if it joined.
//!
//! (xᵢᵀr)² / (‖xᵢ‖² − ‖Qᵀxᵢ‖²), Q = X_A·T. One product with r and the k columns
//! of Q screens; where the difference below the line is mostly rounding, or
//! candidates are close, each is projected by itself.

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};

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

/// From this share of the largest gain on, other shards' may decide: twice what is equal.
const NEAR: f64 = 1.0 - 2.0 * RELATIVE_TIE;

/// The columns of a shard whose gain is the largest up to rounding; none where none
/// is left.
pub(crate) fn strongest(shard: Shard, anchor: &FitView) -> Vec<Candidate> {
    let mut largest = 0.0;
    let mut near: Vec<(u32, f64)> = Vec::new();
    screen(shard, anchor, |column, least, most| {
        largest = if least > largest { least } else { largest };
        if most >= largest * NEAR {
            near.push((column, most));
        }
    });
    near.retain(|(_, most)| *most >= largest * NEAR);
    near.into_iter()
        .map(|(column, _)| Candidate {
            column,
            score: exact_gain(shard.x, anchor, column),
        })
        .filter(|candidate| candidate.score > 0.0)
        .collect()
}

/// Tells each column outside the support with bounds on its gain.
fn screen(Shard { x, first, own }: Shard, anchor: &FitView, mut tell: impl FnMut(u32, f64, f64)) {
    let (n, k) = (x.n(), anchor.support.len());
    let mut anchors = Vec::with_capacity(n * (k + 1));
    push_orthonormal(x, anchor, &mut anchors);
    let anchors = MatRef::from_column_major_slice(&anchors, n, k + 1);
    // k squares, each off by twice the error of a product; T itself is a little
    // off, which the margin covers.
    let error = 16.0 * ((k + 1) * n) as f64 * f64::EPSILON;
    let off = tie_width(n, product(anchor.residual, anchor.residual).sqrt());
    let mut out = vec![0.0; BLOCK * (k + 1)];
    for at in (0..own.p()).step_by(BLOCK) {
        let rows = BLOCK.min(own.p() - at);
        let columns = &own.values()[at * n..][..rows * n];
        let out = &mut out[..rows * (k + 1)];
        matmul(
            MatMut::from_column_major_slice_mut(out, rows, k + 1),
            Accum::Replace,
            MatRef::from_column_major_slice(columns, n, rows).transpose(),
            anchors,
            1.0,
            Par::Seq,
        );
        let (e, q) = out.split_at(rows);
        for row in 0..rows {
            let column = (first + at + row) as u32;
            if anchor.support.contains(&column) {
                continue;
            }
            let explained: f64 = q.chunks(rows).map(|q| q[row] * q[row]).sum();
            let rest = 1.0 - explained;
            let e = e[row].abs();
            let least = (e - off).max(0.0).powi(2) / (rest + error);
            let most = (e + off).powi(2) / (rest - error).max(PIVOT_TOLERANCE.powi(2));
            tell(column, least, most);
        }
    }
}
