//! E = Xᵀy − G_A·β̂ of one tile of the columns, from Gram columns in single precision, for every model of a
//! sweep.

use std::ops::Range;

use pulp::Simd;

use super::{
    single_precision::vectors,
    tie_window::{TILE, TieWindow},
};
use crate::vector::vectorised;

/// A model of a sweep: its support, and (slot of the Gram column, β̂) of each variable.
pub(super) type Model<'a> = (&'a [u32], Vec<(u32, f32)>);

vectorised! {
    /// The windows of every model, by one tile of these columns.
    pub(super) fn screen_tile<'a>(
        columns: Range<usize>, gram: &'a [f32], xty: &'a [f32; TILE], models: &'a [Model<'a>],
        windows: &'a mut [TieWindow],
    ) -> () = screen_tile_body;
}

#[inline(always)]
fn screen_tile_body<S: Simd>(
    simd: S,
    columns: Range<usize>,
    gram: &[f32],
    xty: &[f32; TILE],
    models: &[Model],
    windows: &mut [TieWindow],
) {
    for ((support, terms), window) in models.iter().zip(windows) {
        let mut scores = [0.0; TILE];
        let mut most = simd.splat_f32s(0.0);
        // Four vectors at a time stay in registers.
        for at in 0..TILE / (4 * S::F32_LANES) {
            let mut e = entries(simd, gram, xty, terms, at);
            let (scores, _) = S::as_mut_simd_f32s(&mut scores);
            for v in 0..4 {
                e[v] = simd.abs_f32s(e[v]);
                most = simd.max_f32s(most, e[v]);
                scores[at * 4 + v] = e[v];
            }
        }
        // Entries past the last column are zero, so never the largest.
        let most = simd.reduce_max_f32s(most);
        let scores = &scores[..columns.len()];
        window.observe(columns.start, most, scores, support);
    }
}

/// Four vectors of the entries of E of one tile for a model of these slots and β̂.
#[inline(always)]
fn entries<S: Simd>(
    simd: S,
    gram: &[f32],
    xty: &[f32; TILE],
    terms: &[(u32, f32)],
    at: usize,
) -> [S::f32s; 4] {
    let mut e = vectors::<S, 4>(xty, at);
    for &(slot, b) in terms {
        let g = vectors::<S, 4>(tile_of(gram, slot as usize), at);
        let b = simd.splat_f32s(-b);
        for v in 0..4 {
            e[v] = simd.mul_add_e_f32s(b, g[v], e[v]);
        }
    }
    e
}

/// The `at`-th of contiguous tiles.
#[inline(always)]
pub(super) fn tile_of(values: &[f32], at: usize) -> &[f32; TILE] {
    &values.as_chunks::<TILE>().0[at]
}

vectorised! {
    /// The entries of E of one tile for every model, appended.
    pub(super) fn products_of_tile<'a>(
        gram: &'a [f32], xty: &'a [f32; TILE], models: &'a [Model<'a>],
        products: &'a mut Vec<[f32; TILE]>,
    ) -> () = products_of_tile_body;
}

#[inline(always)]
fn products_of_tile_body<S: Simd>(
    simd: S,
    gram: &[f32],
    xty: &[f32; TILE],
    models: &[Model],
    products: &mut Vec<[f32; TILE]>,
) {
    for (_, terms) in models {
        let mut own = [0.0; TILE];
        // Four vectors at a time stay in registers.
        for at in 0..TILE / (4 * S::F32_LANES) {
            let e = entries(simd, gram, xty, terms, at);
            let (own, _) = S::as_mut_simd_f32s(&mut own);
            own[at * 4..][..4].copy_from_slice(&e);
        }
        products.push(own);
    }
}
