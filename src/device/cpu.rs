//! Sweeps on the CPU.
//!
//! E = XᵀR is found in two ways, whichever is less work: from cached Gram
//! columns in single precision, which only screens, or by faer's product in
//! f64. The arg max is fused behind either, so that E is never stored.

use std::ops::Range;

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::{
    Anchor, Columns, Gain, exact,
    gram::Gram,
    resident::{Resident, vectors},
    window::{TILE, Window},
};
use crate::vector::{dot, product, vectorised};

/// What one Gram term (TILE rows of one cached column, scaled and added) costs
/// beside one observation of an f64 product (TILE columns): measured, see
/// docs/performance.md.
const TERM_COST: f64 = 2.0;

/// How many products one cached Gram column is worth: it is cheaper, and it
/// will be used again.
const REUSE: usize = 4;

/// A screen is worth its while up to a rounding error of this share of the
/// noise in E, ‖r‖/√n: beyond, too many candidates are left to f64.
const CLEAR: f64 = 0.25;

/// Memory for Gram columns: this share of X, or [`GRAM_FLOOR`] if that is more.
const GRAM_SHARE: f64 = 0.25;
const GRAM_FLOOR: usize = 32 << 20;

/// Columns of X multiplied at a time in f64, so that E stays in the cache.
const BLOCK: usize = 8 * TILE;

/// The CPU as the device that sweeps.
#[derive(Debug)]
pub struct Cpu<'x> {
    x: Columns<'x>,
    resident: Resident,
    /// Xᵀy, padded to whole tiles.
    xty: Vec<f32>,
    gram: Gram,
    threads: usize,
}

impl<'x> Cpu<'x> {
    /// Lays `x` (unit columns) out for sweeps of models of `y` (unit norm).
    /// With more than one thread it must be made and used inside a rayon pool
    /// of as many.
    pub fn new(x: Columns<'x>, y: &[f64], threads: usize) -> Self {
        let p = x.p();
        let mut xty = vec![0.0; p.div_ceil(TILE) * TILE];
        correlations(x, y, &mut xty);
        let bytes = ((x.values().len() * 8) as f64 * GRAM_SHARE) as usize;
        let column = 4 * xty.len();
        Self {
            x,
            resident: Resident::new(x, threads),
            xty,
            gram: Gram::new(p, bytes.max(GRAM_FLOOR) / column),
            threads,
        }
    }

    /// Of each anchor, the strongest column outside its support; none where no
    /// column is left. Ties go to the lowest column.
    pub fn strongest(&mut self, anchors: &[Anchor], gain: Gain) -> Vec<Option<u32>> {
        if gain == Gain::Exact {
            let strongest = |anchor| exact::strongest(self.x, anchor);
            return if self.threads > 1 {
                anchors.par_iter().map(strongest).collect()
            } else {
                anchors.iter().map(strongest).collect()
            };
        }
        self.gram.begin();
        let (cached, others) = self.plan(anchors);
        let mut result = vec![None; anchors.len()];
        for (models, screened) in [(cached, true), (others, false)] {
            let windows = self.sweep(anchors, &models, screened);
            let decide = |(&at, window): (&usize, Window)| self.decide(&anchors[at], window);
            let decided: Vec<Option<u32>> = if self.threads > 1 {
                models.par_iter().zip(windows).map(decide).collect()
            } else {
                models.iter().zip(windows).map(decide).collect()
            };
            for (at, strongest) in models.into_iter().zip(decided) {
                result[at] = strongest;
            }
        }
        result
    }

    /// Which models to screen from cached Gram columns, computing those that
    /// are missing; the others are left to products in f64.
    fn plan(&mut self, anchors: &[Anchor]) -> (Vec<usize>, Vec<usize>) {
        let n = self.x.n() as f64;
        let (mut cached, mut partly, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for (at, anchor) in anchors.iter().enumerate() {
            let noise = (product(anchor.residual, anchor.residual) / n).sqrt();
            if anchor.support.len() as f64 * TERM_COST > n
                || self.screen_error(anchor) > CLEAR * noise
            {
                others.push(at);
            } else if anchor.support.iter().fold(true, |all, &v| self.gram.touch(v) && all) {
                cached.push(at);
            } else {
                partly.push(at);
            }
        }
        let mut missing: Vec<u32> = Vec::new();
        let mut room = self.gram.room();
        let before = cached.len();
        for at in partly {
            let new: Vec<u32> = anchors[at]
                .support
                .iter()
                .copied()
                .filter(|v| self.gram.slot(*v).is_none() && !missing.contains(v))
                .collect();
            if new.len() <= room {
                room -= new.len();
                missing.extend(new);
                cached.push(at);
            } else {
                others.push(at);
            }
        }
        if missing.len() > REUSE * (cached.len() - before) {
            others.extend(cached.drain(before..));
        } else {
            self.gram
                .fill(self.x, &self.resident, &missing, self.threads);
        }
        (cached, others)
    }

    /// By how much E from Gram columns may be off: each term brings |β̂| times
    /// the error of a product, and one addition in f32.
    fn screen_error(&self, anchor: &Anchor) -> f64 {
        let all: f64 = anchor.coefficients.iter().map(|b| b.abs()).sum();
        let additions = (anchor.support.len() + 2) as f64 * f64::from(f32::EPSILON);
        (self.resident.error() + additions) * (1.0 + all)
    }

    /// Sweeps every column for some models, in as many ranges as threads.
    fn sweep(&self, anchors: &[Anchor], models: &[usize], screened: bool) -> Vec<Window> {
        if models.is_empty() {
            return Vec::new();
        }
        let models: Vec<Model> = models
            .iter()
            .map(|&at| Model::new(anchors[at], &self.gram))
            .collect();
        // Two scores may be off by the error each.
        let windows: Vec<Window> = models
            .iter()
            .map(|model| {
                let error = if screened {
                    self.screen_error(&model.anchor)
                } else {
                    rounding(self.x.n())
                };
                Window::new(2.0 * error, 0.0)
            })
            .collect();
        let range = |tiles: Range<usize>, windows: Vec<Window>| {
            if screened {
                self.screen(&models, tiles, windows)
            } else {
                self.multiply(&models, tiles, windows)
            }
        };
        let tiles = self.xty.len() / TILE;
        let ranges = self.threads.min(tiles);
        if ranges < 2 {
            return range(0..tiles, windows);
        }
        (0..ranges)
            .into_par_iter()
            .map(|i| {
                let tiles = tiles * i / ranges..tiles * (i + 1) / ranges;
                range(tiles, windows.clone())
            })
            .reduce_with(|mut windows, others| {
                for (window, other) in windows.iter_mut().zip(others) {
                    window.merge(other);
                }
                windows
            })
            .unwrap_or_default()
    }

    /// |E| = |Xᵀy − G_A·β̂| in f32, tile by tile.
    fn screen(
        &self,
        models: &[Model],
        tiles: Range<usize>,
        mut windows: Vec<Window>,
    ) -> Vec<Window> {
        for tile in tiles {
            let first = tile * TILE;
            pulp::Arch::new().dispatch(Screen {
                first,
                width: TILE.min(self.x.p() - first),
                gram: self.gram.tile(tile),
                xty: tile_of(&self.xty, tile),
                models,
                windows: &mut windows,
            });
        }
        windows
    }

    /// |E| = |XᵀR| in f64, block by block.
    fn multiply(
        &self,
        models: &[Model],
        tiles: Range<usize>,
        mut windows: Vec<Window>,
    ) -> Vec<Window> {
        let (n, m) = (self.x.n(), models.len());
        let residuals: Vec<f64> = models
            .iter()
            .flat_map(|m| m.anchor.residual)
            .copied()
            .collect();
        let residuals = MatRef::from_column_major_slice(&residuals, n, m);
        let mut e = vec![0.0; BLOCK * m];
        let end = (tiles.end * TILE).min(self.x.p());
        for first in (tiles.start * TILE..end).step_by(BLOCK) {
            let rows = BLOCK.min(end - first);
            let columns = &self.x.values()[first * n..][..rows * n];
            let e = &mut e[..rows * m];
            matmul(
                MatMut::from_column_major_slice_mut(e, rows, m),
                Accum::Replace,
                MatRef::from_column_major_slice(columns, n, rows).transpose(),
                residuals,
                1.0,
                Par::Seq,
            );
            for (e, (model, window)) in e.chunks_mut(rows).zip(models.iter().zip(&mut windows)) {
                let mut most = 0.0;
                for e in &mut *e {
                    *e = e.abs();
                    most = if *e > most { *e } else { most };
                }
                window.observe(first, most, e, model.anchor.support);
            }
        }
        windows
    }

    /// The lowest column among those equal to the strongest, near ones scored
    /// again in f64 and a fixed order.
    fn decide(&self, anchor: &Anchor, window: Window) -> Option<u32> {
        let near = window.finish();
        if let [(column, _)] = near[..] {
            return Some(column);
        }
        let mut exact = Window::new(2.0 * rounding(self.x.n()), 0.0);
        for (column, _) in near {
            let score = product(self.x.column(column), anchor.residual).abs();
            exact.observe(column as usize, score, &[score], &[]);
        }
        exact.finish().into_iter().map(|(column, _)| column).min()
    }
}

/// Error bound of one f64 product of unit vectors of n entries.
fn rounding(n: usize) -> f64 {
    n as f64 * f64::EPSILON
}

vectorised! {
    /// Xᵀy.
    fn correlations<'a>(x: Columns<'a>, y: &'a [f64], xty: &'a mut [f32]) -> () =
        correlations_body;
}

#[inline(always)]
fn correlations_body<S: Simd>(simd: S, x: Columns, y: &[f64], xty: &mut [f32]) {
    for (j, c) in (0..x.p() as u32).zip(xty) {
        *c = dot(simd, x.column(j), y) as f32;
    }
}

/// One model of a sweep.
struct Model<'a> {
    anchor: Anchor<'a>,
    /// (slot of the Gram column, β̂); complete for screened models only.
    terms: Vec<(u32, f32)>,
}

impl<'a> Model<'a> {
    fn new(anchor: Anchor<'a>, gram: &Gram) -> Self {
        let terms = std::iter::zip(anchor.support, anchor.coefficients)
            .filter_map(|(&v, &b)| Some((gram.slot(v)?, b as f32)))
            .collect();
        Self { anchor, terms }
    }
}

/// One tile of [`Cpu::screen`]: the columns from `first`, every model.
struct Screen<'a> {
    first: usize,
    width: usize,
    gram: &'a [f32],
    xty: &'a [f32; TILE],
    models: &'a [Model<'a>],
    windows: &'a mut [Window],
}

impl WithSimd for Screen<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for (model, window) in self.models.iter().zip(self.windows) {
            let mut scores = [0.0; TILE];
            let mut most = simd.splat_f32s(0.0);
            // Four vectors at a time stay in registers.
            for at in 0..TILE / (4 * S::F32_LANES) {
                let mut e = vectors::<S, 4>(self.xty, at);
                for &(slot, b) in &model.terms {
                    let g = vectors::<S, 4>(tile_of(self.gram, slot as usize), at);
                    let b = simd.splat_f32s(-b);
                    for v in 0..4 {
                        e[v] = simd.mul_add_e_f32s(b, g[v], e[v]);
                    }
                }
                let (scores, _) = S::as_mut_simd_f32s(&mut scores);
                for v in 0..4 {
                    e[v] = simd.abs_f32s(e[v]);
                    most = simd.max_f32s(most, e[v]);
                    scores[at * 4 + v] = e[v];
                }
            }
            // Columns past the last are zeros, so they never are the largest.
            let most = simd.reduce_max_f32s(most);
            let scores = &scores[..self.width];
            window.observe(self.first, most, scores, model.anchor.support);
        }
    }
}

/// Tile `at` of tiles laid end to end.
#[inline(always)]
fn tile_of(values: &[f32], at: usize) -> &[f32; TILE] {
    &values.as_chunks::<TILE>().0[at]
}
