//! X in single precision, tile by tile, for screens.
//!
//! A screen only has to tell the strongest candidates from the rest, so it reads half the bytes and
//! multiplies at twice the rate of f64. [`SinglePrecision::error`] bounds its error, and candidates
//! within the bound are decided in f64 (see [`super::tie_window`]).

use std::borrow::Cow;

use pulp::Simd;
use rayon::prelude::*;

use super::tie_window::TILE;
use crate::{design::Columns, memory::zeros, vector::vectorised};

/// Observations per partial sum: sums of sums keep rounding errors from growing with n, and a
/// tile's rows stay in the cache for all factors.
const DEPTH: usize = 256;

/// Number of vectors whose products with a tile are kept in registers at once.
const GROUP: usize = 6;

/// Columns that are copied together: the f32 values of one cache line.
const LANES: usize = 16;

/// Unit roundoff of f32.
const ROUNDOFF: f64 = f32::EPSILON as f64 / 2.0;

/// X as f32: TILE columns of row 0, of row 1, …, then the next TILE columns, the last tile padded
/// with zeros.
#[derive(Debug)]
pub(crate) struct SinglePrecision {
    values: Vec<f32>,
    n: usize,
}

impl SinglePrecision {
    /// A copy of X, made by `threads` threads: of the columns of a term of several, orthonormal ones of the
    /// same span. The first column of `own` is the number `first` of X.
    pub(crate) fn new(x: Columns, (first, own): (usize, Columns), threads: usize) -> Self {
        let n = x.n();
        let column = |at: usize| x.orthonormal_column((first + at) as u32);
        // Without room the process ends, as for every small vector: it was counted before.
        let size = own.p().div_ceil(TILE) * TILE * n;
        let mut values = zeros(size).unwrap_or_else(|| vec![0.0; size]);
        let copy = |(tile, values): (usize, &mut [f32])| {
            let first = tile * TILE;
            let width = TILE.min(own.p() - first);
            // A few columns at a time, row by row: each cache line is written as a whole, and each
            // column is read sequentially.
            for start in (0..width).step_by(LANES) {
                let lanes = start..width.min(start + LANES);
                let columns: Vec<Cow<[f64]>> =
                    lanes.clone().map(|lane| column(first + lane)).collect();
                for (row, values) in values.chunks_mut(TILE).enumerate() {
                    for (value, column) in values[lanes.clone()].iter_mut().zip(&columns) {
                        *value = column[row] as f32;
                    }
                }
            }
        };
        let tiles = n * TILE;
        if threads > 1 {
            values.par_chunks_mut(tiles).enumerate().for_each(copy);
        } else {
            values.chunks_mut(tiles).enumerate().for_each(copy);
        }
        Self { values, n }
    }

    /// Error bound of a product of two unit columns: both are rounded (2u), each term is multiplied
    /// (u), each partial sum takes DEPTH additions, and the partial sums are added.
    pub(crate) fn error(&self) -> f64 {
        let additions = self.n.min(DEPTH) + self.n.div_ceil(DEPTH);
        (additions + 3) as f64 * ROUNDOFF
    }

    /// Products of a tile's columns with m vectors; they have the same bits on any number of
    /// threads.
    ///
    /// *Shapes:* `factors` n × m and `out` TILE × m, column-major.
    pub(crate) fn products(&self, tile: usize, factors: &[f32], out: &mut [f32]) {
        let tile = &self.values[tile * self.n * TILE..][..self.n * TILE];
        tile_products(tile.as_chunks().0, factors, out.as_chunks_mut().0);
    }
}

vectorised! {
    /// The products of a tile of n rows with vectors of n entries each.
    fn tile_products<'a>(
        tile: &'a [[f32; TILE]], factors: &'a [f32], out: &'a mut [[f32; TILE]],
    ) -> () = tile_products_body;
}

#[inline(always)]
fn tile_products_body<S: Simd>(
    simd: S,
    tile: &[[f32; TILE]],
    factors: &[f32],
    out: &mut [[f32; TILE]],
) {
    let n = tile.len();
    out.fill([0.0; TILE]);
    for (start, rows) in (0..).step_by(DEPTH).zip(tile.chunks(DEPTH)) {
        for (factors, out) in factors.chunks(GROUP * n).zip(out.chunks_mut(GROUP)) {
            // A last, smaller group repeats its first vector and drops the surplus products, so
            // that one loop serves all.
            let factors: [&[f32]; GROUP] = std::array::from_fn(|l| {
                let l = if l < out.len() { l } else { 0 };
                &factors[l * n + start..][..rows.len()]
            });
            // Older CPUs have half as many registers, for half as many sums.
            if S::REGISTER_COUNT >= 32 {
                add_products::<S, 4>(simd, rows, factors, out);
            } else {
                add_products::<S, 2>(simd, rows, factors, out);
            }
        }
    }
}

/// out[l] += Σ over rows of factors[l][row] · rows[row], for V vectors of columns at a time.
#[inline(always)]
fn add_products<S: Simd, const V: usize>(
    simd: S,
    rows: &[[f32; TILE]],
    factors: [&[f32]; GROUP],
    out: &mut [[f32; TILE]],
) {
    for at in 0..TILE / (V * S::F32_LANES) {
        let mut sums = [[simd.splat_f32s(0.0); V]; GROUP];
        let [a0, a1, a2, a3, a4, a5] = factors;
        let factors = a0
            .iter()
            .zip(a1)
            .zip(a2.iter().zip(a3))
            .zip(a4.iter().zip(a5));
        for (row, (((a0, a1), (a2, a3)), (a4, a5))) in rows.iter().zip(factors) {
            let x = vectors::<S, V>(row, at);
            for (sums, a) in sums.iter_mut().zip([a0, a1, a2, a3, a4, a5]) {
                let a = simd.splat_f32s(*a);
                for v in 0..V {
                    sums[v] = simd.mul_add_e_f32s(a, x[v], sums[v]);
                }
            }
        }
        for (sums, out) in sums.iter().zip(&mut *out) {
            let (out, _) = S::as_mut_simd_f32s(out);
            for (out, sum) in out[at * V..][..V].iter_mut().zip(sums) {
                *out = simd.add_f32s(*out, *sum);
            }
        }
    }
}

/// The `at`-th group of V vectors of a tile's row.
#[inline(always)]
pub(crate) fn vectors<S: Simd, const V: usize>(row: &[f32; TILE], at: usize) -> [S::f32s; V] {
    let (row, _) = S::as_simd_f32s(row);
    std::array::from_fn(|v| row[at * V + v])
}
