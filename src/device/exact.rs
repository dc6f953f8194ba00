//! The exact gain of every column: the fall in RSS if it joined.
//!
//! (xᵢᵀr)² / (‖xᵢ‖² − ‖Qᵀxᵢ‖²), Q = X_A·T. One product with r and the k columns
//! of Q screens; where the difference below the line is mostly rounding, or
//! candidates are close, each is projected by itself.

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};

use super::{Anchor, Columns, PIVOT_TOLERANCE, cpu::tie};
use crate::vector::{packed_columns, product};

/// Columns of X multiplied at a time, so that their products stay in the cache.
const BLOCK: usize = 512;

/// Gains whose ratio is closer to one than this count as equal.
const TIE: f64 = 1e-9;

/// The lowest column among those of the largest gain; none where none is left.
pub(crate) fn strongest(x: Columns, anchor: &Anchor) -> Option<u32> {
    let mut largest = 0.0;
    let mut near: Vec<(u32, f64)> = Vec::new();
    screen(x, anchor, |column, least, most| {
        largest = if least > largest { least } else { largest };
        if most >= largest {
            near.push((column, most));
        }
    });
    // In ascending order, so that of equal gains the lowest column stays.
    let mut best: Option<(u32, f64)> = None;
    for (column, _) in near.into_iter().filter(|(_, most)| *most >= largest) {
        let gain = gain(x, anchor, column);
        if gain > 0.0 && best.is_none_or(|(_, most)| gain > most * (1.0 + TIE)) {
            best = Some((column, gain));
        }
    }
    best.map(|(column, _)| column)
}

/// Tells each column outside the support with bounds on its gain.
fn screen(x: Columns, anchor: &Anchor, mut tell: impl FnMut(u32, f64, f64)) {
    let (n, k) = (x.n(), anchor.support.len());
    let mut anchors = Vec::with_capacity(n * (k + 1));
    orthonormal(x, anchor, &mut anchors);
    let anchors = MatRef::from_column_major_slice(&anchors, n, k + 1);
    // k squares, each off by twice the error of a product; T itself is a little
    // off, which the margin covers.
    let error = 16.0 * ((k + 1) * n) as f64 * f64::EPSILON;
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
        for row in 0..rows {
            let column = (first + row) as u32;
            if anchor.support.contains(&column) {
                continue;
            }
            let explained: f64 = q.chunks(rows).map(|q| q[row] * q[row]).sum();
            let rest = 1.0 - explained;
            let (e, off) = (e[row].abs(), tie(anchor));
            let least = (e - off).max(0.0).powi(2) / (rest + error);
            let most = (e + off).powi(2) / (rest - error).max(PIVOT_TOLERANCE.powi(2));
            tell(column, least, most);
        }
    }
}

/// r and the k columns of Q, appended.
pub(crate) fn orthonormal(x: Columns, anchor: &Anchor, batch: &mut Vec<f64>) {
    batch.extend_from_slice(anchor.residual);
    for t in packed_columns(anchor.inverse) {
        let start = batch.len();
        batch.resize(start + x.n(), 0.0);
        for (&a, &t) in anchor.support.iter().zip(t) {
            for (q, x) in batch[start..].iter_mut().zip(x.column(a)) {
                *q += t * x;
            }
        }
    }
}

/// One column's gain; 0 for a collinear one.
fn gain(x: Columns, anchor: &Anchor, column: u32) -> f64 {
    let Projected { e, s, .. } = projected(x, anchor, column);
    if s < PIVOT_TOLERANCE * PIVOT_TOLERANCE {
        return 0.0;
    }
    e * e / s
}

/// What a model leaves of a column, with all its digits.
pub(crate) struct Projected {
    /// Its product with the residual.
    pub(crate) e: f64,
    /// Its square.
    pub(crate) s: f64,
    /// The coefficients of the part that was taken off.
    pub(crate) u: Vec<f64>,
}

/// Projects a column twice: the second time removes what rounding left.
pub(crate) fn projected(x: Columns, anchor: &Anchor, column: u32) -> Projected {
    let k = anchor.support.len();
    let mut rest = x.column(column).to_vec();
    let mut u = vec![0.0; k];
    for _ in 0..2 {
        let g: Vec<f64> = anchor
            .support
            .iter()
            .map(|&a| product(x.column(a), &rest))
            .collect();
        let mut pass = vec![0.0; k];
        for t in packed_columns(anchor.inverse) {
            let q = product(t, &g[..t.len()]);
            for (pass, t) in pass.iter_mut().zip(t) {
                *pass += q * t;
            }
        }
        for (&a, &pass) in anchor.support.iter().zip(&pass) {
            for (rest, x) in rest.iter_mut().zip(x.column(a)) {
                *rest -= pass * x;
            }
        }
        for (u, pass) in u.iter_mut().zip(pass) {
            *u += pass;
        }
    }
    Projected {
        e: product(&rest, anchor.residual),
        s: product(&rest, &rest),
        u,
    }
}
