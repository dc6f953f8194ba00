//! Sweeps on the CPU: faer's product, or cached Gram columns where they are
//! less work, with the arg max fused behind either, so that E is never stored.

use std::ops::Range;

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::{
    Anchor, Columns, Gain,
    gram::Gram,
    product::products,
    window::{TILE, Window},
};
use crate::vector::{dot, packed_columns, product, vectorised};

/// What one Gram term (TILE rows of one cached column, scaled and added) costs
/// beside one observation of a product (TILE columns): measured, see
/// docs/performance.md.
const TERM_COST: f64 = 4.0;

/// How many products one cached Gram column is worth: it will be used again.
const REUSE: usize = 2;

/// Memory for Gram columns: this share of X, or [`GRAM_FLOOR`] if that is more.
const GRAM_SHARE: f64 = 0.5;
const GRAM_FLOOR: usize = 64 << 20;

/// Columns of X times anchors computed by one product, to stay in the cache.
const BLOCK: usize = 8 * TILE;

/// The CPU as the device that sweeps.
#[derive(Debug)]
pub struct Cpu<'x> {
    x: Columns<'x>,
    /// Xᵀy, padded to whole tiles.
    xty: Vec<f64>,
    gram: Gram,
    threads: usize,
}

impl<'x> Cpu<'x> {
    /// Prepares sweeps of `x` (unit columns) for models of `y` (unit norm) with
    /// at most `max_size` variables. With more than one thread it must be used
    /// inside a rayon pool of as many.
    pub fn new(x: Columns<'x>, y: &[f64], max_size: usize, threads: usize) -> Self {
        let p = x.p();
        let mut xty = vec![0.0; p.div_ceil(TILE) * TILE];
        correlations(x, y, &mut xty);
        let bytes = ((x.values().len() * 8) as f64 * GRAM_SHARE) as usize;
        let capacity = bytes.max(GRAM_FLOOR) / (p * 8).max(1);
        Self {
            x,
            xty,
            gram: Gram::new(p, capacity.max(max_size)),
            threads,
        }
    }

    /// Of each anchor, the strongest column outside its support; none where no
    /// column is left. Ties go to the lowest column.
    pub fn strongest(&mut self, anchors: &[Anchor], gain: Gain) -> Vec<Option<u32>> {
        let mut result = vec![None; anchors.len()];
        let mut rest: Vec<usize> = (0..anchors.len()).collect();
        let mut together = rest.len();
        while !rest.is_empty() {
            self.gram.begin();
            let later = rest.split_off(together.min(rest.len()));
            let (cached, mut others) = self.plan(anchors, &rest, gain);
            let windows = self.sweep(anchors, &cached, |models, tiles| {
                self.sweep_gram(models, tiles, gain)
            });
            for (&at, window) in cached.iter().zip(windows) {
                result[at] = self.decide(&anchors[at], window, gain);
            }
            match gain {
                Gain::Correlation => {
                    let windows = self.sweep(anchors, &others, |models, tiles| {
                        self.sweep_product(models, tiles)
                    });
                    for (&at, window) in others.iter().zip(windows) {
                        result[at] = self.decide(&anchors[at], window, gain);
                    }
                    rest.clear();
                }
                // The exact gain needs every Gram column of a model: what had
                // no room waits for the next round, alone if none had.
                Gain::Exact => {
                    together = if cached.is_empty() { 1 } else { anchors.len() };
                    others.extend(later);
                    rest = others;
                }
            }
        }
        result
    }

    /// Which models to sweep from cached Gram columns, computing those that
    /// are missing; the others are left to products.
    fn plan(
        &mut self,
        anchors: &[Anchor],
        models: &[usize],
        gain: Gain,
    ) -> (Vec<usize>, Vec<usize>) {
        let n = self.x.n() as f64;
        let (mut cached, mut partly, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for &at in models {
            let support = anchors[at].support;
            if gain == Gain::Correlation && support.len() as f64 * TERM_COST > n {
                others.push(at);
            } else if support.iter().fold(true, |all, &v| self.gram.touch(v) && all) {
                cached.push(at);
            } else {
                partly.push(at);
            }
        }
        let mut missing: Vec<u32> = Vec::new();
        let mut room = self.gram.room();
        let before = cached.len();
        for &at in &partly {
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
        if gain == Gain::Correlation && missing.len() > REUSE * (cached.len() - before) {
            others.extend(cached.drain(before..));
        } else {
            self.gram.fill(self.x, &missing, self.threads);
        }
        (cached, others)
    }

    /// Sweeps every column for some models, in as many ranges as threads.
    fn sweep(
        &self,
        anchors: &[Anchor],
        models: &[usize],
        range: impl Fn(&[Model], Range<usize>) -> Vec<Window> + Sync,
    ) -> Vec<Window> {
        if models.is_empty() {
            return Vec::new();
        }
        let n = self.x.n() as f64;
        let models: Vec<Model> = models
            .iter()
            .map(|&at| Model::new(anchors[at], &self.gram, n))
            .collect();
        let tiles = self.xty.len() / TILE;
        let ranges = self.threads.min(tiles).max(1);
        let bounds = |i: usize| tiles * i / ranges..tiles * (i + 1) / ranges;
        let mut parts: Vec<Vec<Window>> = if ranges > 1 {
            (0..ranges)
                .into_par_iter()
                .map(|i| range(&models, bounds(i)))
                .collect()
        } else {
            vec![range(&models, 0..tiles)]
        };
        let mut windows = parts.swap_remove(0);
        for part in parts {
            for (window, other) in windows.iter_mut().zip(part) {
                window.merge(other);
            }
        }
        windows
    }

    /// E = Xᵀy − G_A·β̂, or the exact gain from it, tile by tile.
    fn sweep_gram(
        &self,
        models: &[Model],
        tiles: Range<usize>,
        gain: Gain,
    ) -> Vec<Window> {
        let mut windows: Vec<Window> = models.iter().map(|m| m.window(gain)).collect();
        for tile in tiles {
            let first = tile * TILE;
            pulp::Arch::new().dispatch(SweepTile {
                first,
                width: TILE.min(self.x.p() - first),
                gram: self.gram.tile(tile),
                xty: tile_of(&self.xty, tile),
                gain,
                models,
                windows: &mut windows,
            });
        }
        windows
    }

    /// |E| = |XᵀR|, block by block.
    fn sweep_product(&self, models: &[Model], tiles: Range<usize>) -> Vec<Window> {
        let (p, m) = (self.x.p(), models.len());
        let mut windows: Vec<Window> = models
            .iter()
            .map(|m| m.window(Gain::Correlation))
            .collect();
        let residuals: Vec<f64> = models
            .iter()
            .flat_map(|m| m.anchor.residual)
            .copied()
            .collect();
        let mut e = vec![0.0; BLOCK * m];
        let end = (tiles.end * TILE).min(p);
        for first in (tiles.start * TILE..end).step_by(BLOCK) {
            let rows = BLOCK.min(end - first);
            let e = &mut e[..rows * m];
            products(self.x, first, &residuals, e);
            pulp::Arch::new().dispatch(ObserveBlock {
                first,
                rows,
                e,
                models,
                windows: &mut windows,
            });
        }
        windows
    }

    /// The lowest column among those equal to the strongest, near ties scored
    /// again in the fixed order.
    fn decide(&self, anchor: &Anchor, window: Window, gain: Gain) -> Option<u32> {
        let mut near = window.finish();
        if near.len() > 1 && gain == Gain::Correlation {
            let error = rounding(self.x.n() as f64);
            let mut exact = Window::new(error, 0.0);
            near.sort_unstable_by_key(|(column, _)| *column);
            for (column, _) in near {
                let score = product(self.x.column(column), anchor.residual).abs();
                exact.observe(column as usize, score, &[score], &[]);
            }
            near = exact.finish();
        }
        near.into_iter().map(|(column, _)| column).min()
    }
}

/// One model of a sweep.
struct Model<'a> {
    anchor: Anchor<'a>,
    /// (slot of the Gram column, β̂); complete for cached models only.
    terms: Vec<(u32, f64)>,
    n: f64,
}

impl<'a> Model<'a> {
    fn new(anchor: Anchor<'a>, gram: &Gram, n: f64) -> Self {
        let terms = std::iter::zip(anchor.support, anchor.coefficients)
            .filter_map(|(&v, &b)| Some((gram.slot(v)?, b)))
            .collect();
        Self { anchor, terms, n }
    }

    /// A window as wide as the scores' rounding error: of the Gram form each
    /// term brings its share, |β̂| times that of one product.
    fn window(&self, gain: Gain) -> Window {
        match gain {
            Gain::Correlation => {
                let b: f64 = self.anchor.coefficients.iter().map(|b| b.abs()).sum();
                Window::new(rounding(self.n) * (1.0 + b), 0.0)
            }
            Gain::Exact => Window::new(0.0, EXACT_TIE),
        }
    }
}

/// Error bound of one product of unit vectors of n entries, twice over.
fn rounding(n: f64) -> f64 {
    2.0 * n * f64::EPSILON
}

/// Exact gains whose ratio is closer to one than this count as equal.
const EXACT_TIE: f64 = 1e-9;

/// Smallest unexplained share of ‖xᵢ‖² that the exact gain divides by: below
/// it the share is mostly rounding.
const EXACT_PIVOT: f64 = 1e-10;

vectorised! {
    /// Xᵀy.
    fn correlations<'a>(x: Columns<'a>, y: &'a [f64], xty: &'a mut [f64]) -> () =
        correlations_body;
}

#[inline(always)]
fn correlations_body(x: Columns, y: &[f64], xty: &mut [f64]) {
    for (j, c) in (0..x.p() as u32).zip(xty) {
        *c = dot(x.column(j), y);
    }
}

/// One tile of [`Cpu::sweep_gram`]: the columns from `first`, every model.
struct SweepTile<'a> {
    first: usize,
    width: usize,
    gram: &'a [f64],
    xty: &'a [f64; TILE],
    gain: Gain,
    models: &'a [Model<'a>],
    windows: &'a mut [Window],
}

impl WithSimd for SweepTile<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for (model, window) in self.models.iter().zip(self.windows) {
            let mut scores = *self.xty;
            subtract(simd, &mut scores, self.gram, model.terms.iter().copied());
            if self.gain == Gain::Exact {
                exact_gain(simd, &mut scores, model, self.gram);
            }
            let most = make_positive(simd, &mut scores[..self.width], self.gain);
            window.observe(self.first, most, &scores[..self.width], model.anchor.support);
        }
    }
}

/// One block of [`Cpu::sweep_product`]: `rows` columns from `first`, every model.
struct ObserveBlock<'a> {
    first: usize,
    rows: usize,
    e: &'a mut [f64],
    models: &'a [Model<'a>],
    windows: &'a mut [Window],
}

impl WithSimd for ObserveBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let models = self.models.iter().zip(self.windows);
        for (e, (model, window)) in self.e.chunks_mut(self.rows).zip(models) {
            for (tile, scores) in e.chunks_mut(TILE).enumerate() {
                let most = make_positive(simd, scores, Gain::Correlation);
                let first = self.first + tile * TILE;
                window.observe(first, most, scores, model.anchor.support);
            }
        }
    }
}

/// out ← out − Σ c·(the Gram column in slot s), over terms (s, c), one tile.
#[inline(always)]
fn subtract<S: Simd>(
    simd: S,
    out: &mut [f64; TILE],
    gram: &[f64],
    terms: impl Iterator<Item = (u32, f64)> + Clone,
) {
    // Four vectors at a time stay in registers; TILE is a multiple of four
    // vectors of any width up to eight.
    let (vectors, _) = S::as_mut_simd_f64s(out);
    for (at, out) in vectors.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let mut sum = *out;
        for (slot, c) in terms.clone() {
            let (g, _) = S::as_simd_f64s(tile_of(gram, slot as usize));
            let g = &g.as_chunks::<4>().0[at];
            let c = simd.splat_f64s(c);
            for lane in 0..4 {
                sum[lane] = simd.sub_f64s(sum[lane], simd.mul_f64s(c, g[lane]));
            }
        }
        *out = sum;
    }
}

/// Takes absolute values (correlations only) and returns the largest.
#[inline(always)]
fn make_positive<S: Simd>(simd: S, scores: &mut [f64], gain: Gain) -> f64 {
    let (vectors, rest) = S::as_mut_simd_f64s(scores);
    let mut largest = simd.splat_f64s(-1.0);
    for v in vectors {
        if gain == Gain::Correlation {
            *v = simd.abs_f64s(*v);
        }
        largest = simd.max_f64s(largest, *v);
    }
    let mut most = simd.reduce_max_f64s(largest);
    for v in rest {
        if gain == Gain::Correlation {
            *v = v.abs();
        }
        most = most.max(*v);
    }
    most
}

/// Turns e = xᵢᵀr into the exact gain e² / (1 − ‖Qᵀxᵢ‖²), Q = X_A·T.
#[inline(always)]
fn exact_gain<S: Simd>(simd: S, e: &mut [f64; TILE], model: &Model, gram: &[f64]) {
    let mut rest = [1.0; TILE];
    for t in packed_columns(model.anchor.inverse) {
        let mut q = [0.0; TILE];
        let slots = model.terms.iter().map(|(slot, _)| *slot);
        subtract(simd, &mut q, gram, slots.zip(t.iter().copied()));
        for (rest, q) in rest.iter_mut().zip(&q) {
            *rest -= q * q;
        }
    }
    for (e, rest) in e.iter_mut().zip(&rest) {
        *e = if *rest > EXACT_PIVOT {
            *e * *e / rest
        } else {
            -1.0
        };
    }
}

/// Tile `at` of tiles laid end to end.
#[inline(always)]
fn tile_of(values: &[f64], at: usize) -> &[f64; TILE] {
    &values.as_chunks::<TILE>().0[at]
}
