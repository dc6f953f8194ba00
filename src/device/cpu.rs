//! Sweeps on the CPU.
//!
//! E = XᵀR is found in two ways, whichever is less work: from cached Gram
//! columns in single precision, which only screens, or by faer's product in
//! f64. The arg max is fused behind either, so that E is never stored.

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::{
    Anchor, Columns, Gain, exact,
    gram::Gram,
    neighbours::{self, Neighbours},
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

/// Multiply-adds below which a sweep stays on one thread.
const PARALLEL_WORK: usize = 1 << 20;

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
        let tile = |(tile, xty): (usize, &mut [f32])| correlations(x, y, tile * TILE, xty);
        if threads > 1 {
            xty.par_chunks_mut(TILE).enumerate().for_each(tile);
        } else {
            xty.chunks_mut(TILE).enumerate().for_each(tile);
        }
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
        let (screened, missing, others) = self.plan(anchors);
        let models = |chosen: &[usize]| chosen.iter().map(|&at| anchors[at]).collect::<Vec<_>>();
        let windows = self.screen(&models(&screened), &missing);
        let mut result = vec![None; anchors.len()];
        let windows = windows.into_iter().chain(self.multiply(&models(&others)));
        for (at, window) in screened.into_iter().chain(others).zip(windows) {
            result[at] = self.decide(&anchors[at], window);
        }
        result
    }

    /// The models one step away from each anchor: see [`neighbours`].
    pub fn neighbours(
        &self,
        anchors: &[Anchor],
        keep: &[u32],
        count: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Vec<Neighbours> {
        neighbours::neighbours(self.x, anchors, keep, count, self.threads, stop)
    }

    /// Which models to screen from Gram columns, which of those are missing,
    /// and which models are left to products in f64.
    fn plan(&mut self, anchors: &[Anchor]) -> (Vec<usize>, Vec<u32>, Vec<usize>) {
        let n = self.x.n() as f64;
        let (mut cached, mut partly, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for (at, anchor) in anchors.iter().enumerate() {
            let noise = (product(anchor.residual, anchor.residual) / n).sqrt();
            if anchor.support.len() as f64 * TERM_COST > n
                || self.screen_error(anchor) > CLEAR * noise
            {
                others.push(at);
                continue;
            }
            // Every column is touched, held or not, so none is evicted below.
            let held = anchor.support.iter().filter(|v| self.gram.touch(**v));
            if held.count() == anchor.support.len() {
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
            missing.clear();
        }
        (cached, missing, others)
    }

    /// By how much E from Gram columns may be off: each term brings |β̂| times
    /// the error of a product, and one addition in f32.
    fn screen_error(&self, anchor: &Anchor) -> f64 {
        let all: f64 = anchor.coefficients.iter().map(|b| b.abs()).sum();
        let additions = (anchor.support.len() + 2) as f64 * f64::from(f32::EPSILON);
        (self.resident.error() + additions) * (1.0 + all)
    }

    /// |E| = |Xᵀy − G_A·β̂| in f32, tile by tile, the missing Gram columns of
    /// each tile first.
    fn screen(&mut self, anchors: &[Anchor], missing: &[u32]) -> Vec<Window> {
        if anchors.is_empty() {
            return Vec::new();
        }
        let slots = self.gram.assign(missing);
        let columns: Vec<f32> = missing
            .iter()
            .flat_map(|&v| self.x.column(v))
            .map(|v| *v as f32)
            .collect();
        let models: Vec<Model> = anchors
            .iter()
            .map(|&anchor| Model::new(anchor, &self.gram))
            .collect();
        // Two scores may be off by the error each.
        let windows: Vec<Window> = anchors
            .iter()
            .map(|anchor| Window::new(2.0 * self.screen_error(anchor)))
            .collect();
        let terms: usize = models.iter().map(|model| model.terms.len()).sum();
        let (p, tiles) = (self.x.p(), self.xty.len() / TILE);
        let ranges = self.ranges(columns.len() * p + terms * p);
        let each = tiles.div_ceil(ranges);
        let (resident, xty) = (&self.resident, &self.xty);
        let (values, stride) = self.gram.tiles_mut();
        let range = |(at, values): (usize, &mut [f32])| {
            let mut windows = windows.clone();
            let mut new = vec![0.0; slots.len() * TILE];
            for (tile, gram) in (at * each..).zip(values.chunks_mut(stride)) {
                resident.products(tile, &columns, &mut new);
                for (&slot, new) in slots.iter().zip(new.chunks(TILE)) {
                    gram[slot as usize * TILE..][..TILE].copy_from_slice(new);
                }
                let first = tile * TILE;
                pulp::Arch::new().dispatch(Screen {
                    first,
                    width: TILE.min(p - first),
                    gram,
                    xty: tile_of(xty, tile),
                    models: &models,
                    windows: &mut windows,
                });
            }
            windows
        };
        if ranges > 1 {
            let parts = values.par_chunks_mut(each * stride).enumerate();
            parts.map(range).reduce_with(merge).unwrap_or_default()
        } else {
            range((0, values))
        }
    }

    /// |E| = |XᵀR| in f64, block by block.
    fn multiply(&self, anchors: &[Anchor]) -> Vec<Window> {
        if anchors.is_empty() {
            return Vec::new();
        }
        let (n, p, m) = (self.x.n(), self.x.p(), anchors.len());
        let residuals: Vec<f64> = anchors
            .iter()
            .flat_map(|anchor| anchor.residual)
            .copied()
            .collect();
        let residuals = MatRef::from_column_major_slice(&residuals, n, m);
        // Twice the window of `decide`, for what differs by that much there may
        // differ by as much again here.
        let windows: Vec<Window> = anchors
            .iter()
            .map(|anchor| Window::new(2.0 * tie(anchor)))
            .collect();
        let ranges = self.ranges(n * p * m);
        let each = p.div_ceil(ranges);
        let range = |(at, columns): (usize, &[f64])| {
            let mut windows = windows.clone();
            let mut e = vec![0.0; BLOCK * m];
            for (first, columns) in (at * each..).step_by(BLOCK).zip(columns.chunks(BLOCK * n)) {
                let rows = columns.len() / n;
                let e = &mut e[..rows * m];
                matmul(
                    MatMut::from_column_major_slice_mut(e, rows, m),
                    Accum::Replace,
                    MatRef::from_column_major_slice(columns, n, rows).transpose(),
                    residuals,
                    1.0,
                    Par::Seq,
                );
                for (e, (anchor, window)) in
                    e.chunks_mut(rows).zip(anchors.iter().zip(&mut windows))
                {
                    let mut most = 0.0;
                    for e in &mut *e {
                        *e = e.abs();
                        most = if *e > most { *e } else { most };
                    }
                    window.observe(first, most, e, anchor.support);
                }
            }
            windows
        };
        if ranges > 1 {
            let parts = self.x.values().par_chunks(each * n).enumerate();
            parts.map(range).reduce_with(merge).unwrap_or_default()
        } else {
            range((0, self.x.values()))
        }
    }

    /// Into how many ranges of columns so many multiply-adds are split: one for
    /// each thread, or one where handing them out would cost more.
    fn ranges(&self, work: usize) -> usize {
        if self.threads > 1 && work > PARALLEL_WORK {
            self.threads.min(self.xty.len() / TILE)
        } else {
            1
        }
    }

    /// The lowest column among those equal to the strongest, near ones scored
    /// again in f64 and a fixed order.
    fn decide(&self, anchor: &Anchor, window: Window) -> Option<u32> {
        let near = window.finish();
        if let [(column, _)] = near[..] {
            return Some(column);
        }
        let mut exact = Window::new(tie(anchor));
        for (column, _) in near {
            let score = product(self.x.column(column), anchor.residual).abs();
            exact.observe(column as usize, score, &[score], &[]);
        }
        exact.finish().into_iter().map(|(column, _)| column).min()
    }
}

/// Scores of one anchor that differ by no more may be equal: twice the error
/// bound n·eps·‖x‖‖r‖ of a dot product.
pub(crate) fn tie(anchor: &Anchor) -> f64 {
    let norm = product(anchor.residual, anchor.residual).sqrt();
    2.0 * anchor.residual.len() as f64 * f64::EPSILON * norm
}

vectorised! {
    /// Xᵀy for the columns from `first`; past the last it stays as it was.
    fn correlations<'a>(x: Columns<'a>, y: &'a [f64], first: usize, xty: &'a mut [f32]) -> () =
        correlations_body;
}

#[inline(always)]
fn correlations_body<S: Simd>(simd: S, x: Columns, y: &[f64], first: usize, xty: &mut [f32]) {
    for (j, c) in (first as u32..x.p() as u32).zip(xty) {
        *c = dot(simd, x.column(j), y) as f32;
    }
}

/// One model of a sweep.
struct Model<'a> {
    anchor: Anchor<'a>,
    /// (slot of the Gram column, β̂).
    terms: Vec<(u32, f32)>,
}

impl<'a> Model<'a> {
    fn new(anchor: Anchor<'a>, gram: &Gram) -> Self {
        let terms = std::iter::zip(anchor.support, anchor.coefficients)
            .map(|(&v, &b)| (gram.slot_of(v), b as f32))
            .collect();
        Self { anchor, terms }
    }
}

/// Joins what two ranges of columns left of each model.
fn merge(mut windows: Vec<Window>, others: Vec<Window>) -> Vec<Window> {
    for (window, other) in windows.iter_mut().zip(others) {
        window.merge(other);
    }
    windows
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
