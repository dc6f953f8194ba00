//! The sweep of terms of several columns, or of terms that need others, screened from Gram columns in single
//! precision.
//!
//! The columns in f32 are orthonormal within terms, so that a term's score is the norm of its entries of E.

use std::ops::Range;

use rayon::prelude::*;

use super::{
    gram_tile::{Model, products_of_tile},
    single_precision::SinglePrecision,
    strongest::{Stop, Sweep, ranges},
    term_products,
    tie_window::{TILE, TieWindow},
};
use crate::{
    design::Terms,
    device::{Shard, TermChange, gain::MAX_SCREEN_ERROR},
    least_squares::FitView,
    vector::product,
};

impl Sweep<'_> {
    /// For each model and each width the terms of the shard, outside the model, with the largest ‖X_tᵀr‖ up
    /// to rounding, columns orthonormal within terms.
    pub(super) fn strongest_terms(
        &mut self,
        terms: &Terms,
        anchors: &[FitView],
        stop: Stop,
    ) -> Vec<Vec<TermChange>> {
        let (screened, missing, others) = self.plan(anchors);
        let models = |chosen: &[usize]| chosen.iter().map(|&at| anchors[at]).collect::<Vec<_>>();
        let chosen = models(&screened);
        let append = |_: Range<usize>,
                      gram: &[f32],
                      xty: &[f32; TILE],
                      models: &[Model],
                      tiles: &mut Vec<[f32; TILE]>| {
            products_of_tile(gram, xty, models, tiles);
        };
        let parts = self.by_gram((&chosen, &missing), stop, Vec::new, append);
        let (shard, threads) = self.shard();
        let mut found = vec![Vec::new(); anchors.len()];
        let mut screen = |parts: &Tiles, chosen: &[usize], error: &dyn Fn(&FitView) -> f64| {
            for (model, at) in chosen.iter().enumerate() {
                // Of each range the tiles one after another, in each the models.
                let tiles = parts
                    .iter()
                    .flat_map(|part| part.chunks_exact(chosen.len()));
                let e: Vec<f32> = tiles.flat_map(|tile| tile[model]).collect();
                // Where the sweep was cut short, nobody looks at what it found.
                if e.len() >= shard.own.p() {
                    let anchor = &anchors[*at];
                    found[*at] = near(shard, terms, anchor, error(anchor), &e);
                }
            }
        };
        screen(&parts, &screened, &|anchor| self.screen_error(anchor));
        let residuals = models(&others);
        let root = (shard.x.n() as f64).sqrt();
        match self.resident() {
            // The error of a product of unit columns, beside the noise ‖r‖/√n.
            Some(resident) if resident.error() * root <= MAX_SCREEN_ERROR => {
                let parts = by_residual(resident, &residuals, shard.own.p(), threads, stop);
                let norm = |anchor: &FitView| product(anchor.residual, anchor.residual).sqrt();
                screen(&parts, &others, &|anchor| resident.error() * norm(anchor));
            }
            _ => {
                let exact = term_products::strongest((shard, terms), &residuals, threads, stop);
                for (at, near) in others.into_iter().zip(exact) {
                    found[at] = near;
                }
            }
        }
        found
    }
}

/// The entries of E of each range of the columns: tile after tile, in each those of all models.
type Tiles = Vec<Vec<[f32; TILE]>>;

/// E = XᵀR in single precision.
fn by_residual(
    resident: &SinglePrecision,
    anchors: &[FitView],
    p: usize,
    threads: usize,
    stop: Stop,
) -> Tiles {
    if anchors.is_empty() {
        return Vec::new();
    }
    let residuals = anchors.iter().flat_map(|anchor| anchor.residual);
    let residuals: Vec<f32> = residuals.map(|r| *r as f32).collect();
    let tiles = p.div_ceil(TILE);
    let ranges = ranges(threads, tiles, residuals.len() * p);
    let each = tiles.div_ceil(ranges);
    let range = |at: usize| {
        let own = at * each..tiles.min((at + 1) * each);
        let mut found = vec![[0.0; TILE]; own.len() * anchors.len()];
        for (tile, out) in own.zip(found.chunks_mut(anchors.len())) {
            if stop() {
                break;
            }
            resident.products(tile, &residuals, out.as_flattened_mut());
        }
        found
    };
    match ranges {
        1 => vec![range(0)],
        _ => (0..tiles.div_ceil(each))
            .into_par_iter()
            .map(range)
            .collect(),
    }
}

/// The terms that the products of a shard's columns, each off by no more than the error, cannot tell from
/// the strongest of their width.
fn near(shard: Shard, terms: &Terms, anchor: &FitView, error: f64, e: &[f32]) -> Vec<TermChange> {
    let residual = anchor.residual;
    let tie = term_products::tie(shard.x.n(), terms, residual);
    let mut windows: Vec<(usize, TieWindow)> = Vec::new();
    let end = (shard.first + shard.own.p()) as u32;
    let mut first = shard.first as u32;
    while first < end {
        let term = terms.of(first);
        let Range { start, end } = terms.columns(term);
        first = end;
        let own = &e[start as usize - shard.first..end as usize - shard.first];
        let score = norm(own);
        let at = windows.iter().position(|(width, _)| *width == own.len());
        let at = at.unwrap_or_else(|| {
            let off = 2.0 * (error * (own.len() as f64).sqrt() + tie);
            windows.push((own.len(), TieWindow::new(off)));
            windows.len() - 1
        });
        let window = &mut windows[at].1;
        if window.may_take(score)
            && !anchor.terms.contains(&term)
            && terms.admits(term, anchor.terms, None)
        {
            window.offer_near(term, score);
        }
    }
    term_products::scored(shard.x, terms, residual, windows)
}

fn norm(e: &[f32]) -> f64 {
    let squares = e.iter().map(|e| f64::from(*e) * f64::from(*e));
    squares.sum::<f64>().sqrt()
}
