//! The exact gain of every column: the fall in RSS if it joined.
//!
//! (xᵢᵀr)² / (‖xᵢ‖² − ‖Qᵀxᵢ‖²), Q = X_A·T: one product with r and the k columns
//! of Q for each model, in f64.

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};

use super::{Anchor, Columns, window::Window};
use crate::vector::packed_columns;

/// Columns of X multiplied at a time, so that their products stay in the cache.
const BLOCK: usize = 512;

/// Gains whose ratio is closer to one than this count as equal.
const TIE: f64 = 1e-9;

/// Smallest unexplained share of ‖xᵢ‖² that a gain is divided by: below it the
/// share is mostly rounding.
const PIVOT: f64 = 1e-10;

/// The lowest column among those of the largest gain; none where none is left.
pub(crate) fn strongest(x: Columns, anchor: &Anchor) -> Option<u32> {
    let (n, k) = (x.n(), anchor.support.len());
    let mut anchors = anchor.residual.to_vec();
    for t in packed_columns(anchor.inverse) {
        let start = anchors.len();
        anchors.resize(start + n, 0.0);
        for (&a, &t) in anchor.support.iter().zip(t) {
            for (q, x) in anchors[start..].iter_mut().zip(x.column(a)) {
                *q += t * x;
            }
        }
    }
    let anchors = MatRef::from_column_major_slice(&anchors, n, k + 1);
    let mut window = Window::new(0.0, TIE);
    let mut out = vec![0.0; BLOCK * (k + 1)];
    for first in (0..x.p()).step_by(BLOCK) {
        let rows = BLOCK.min(x.p() - first);
        let columns = &x.values()[first * n..][..rows * n];
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
        let gains: Vec<f64> = (0..rows)
            .map(|row| {
                let explained: f64 = q.chunks(rows).map(|q| q[row] * q[row]).sum();
                let rest = 1.0 - explained;
                if rest > PIVOT {
                    e[row] * e[row] / rest
                } else {
                    -1.0
                }
            })
            .collect();
        let most = gains.iter().copied().fold(-1.0, f64::max);
        window.observe(first, most, &gains, anchor.support);
    }
    window.finish().into_iter().map(|(column, _)| column).min()
}
