//! The sweep |XᵀR| of residuals that are no combinations of columns, as the scores of a likelihood are: X in single
//! precision screens where there is a copy, else a product in f64.

use rayon::prelude::*;

use super::{
    strongest::{Stop, Sweep, merge, ranges},
    tie_window::{TILE, TieWindow},
};
use crate::{device::gain::MAX_SCREEN_ERROR, least_squares::FitView, vector::product};

/// Multiply-adds of a thread between two looks at the interrupt.
const LOOK_WORK: usize = 1 << 26;

impl Sweep<'_> {
    /// For each residual the columns outside the support whose |xᵀr| may be the largest.
    pub(super) fn direct(&self, anchors: &[FitView], stop: Stop) -> Vec<TieWindow> {
        let n = self.shard().0.own.n();
        let Some(resident) = self
            .resident()
            .filter(|own| own.error() * (n as f64).sqrt() <= MAX_SCREEN_ERROR)
        else {
            return self.multiply(anchors, stop);
        };
        let (shard, threads) = self.shard();
        let (own, m) = (shard.own, anchors.len());
        // Each at unit norm, so that none leaves the range of f32.
        let norms: Vec<f64> = anchors
            .iter()
            .map(|anchor| product(anchor.residual, anchor.residual).sqrt())
            .collect();
        let unit = anchors.iter().zip(&norms).flat_map(|(anchor, norm)| {
            let scale = if *norm > 0.0 { 1.0 / norm } else { 0.0 };
            anchor.residual.iter().map(move |r| (r * scale) as f32)
        });
        let factors: Vec<f32> = unit.collect();
        let tiles = own.p().div_ceil(TILE);
        let ranges = ranges(threads, tiles, n * own.p() * m);
        let each = tiles.div_ceil(ranges).max(1);
        let look_every = (LOOK_WORK / (n * m * TILE).max(1)).max(1);
        let range = |at: usize| {
            // Each of two scores may be off by the error.
            let mut windows = vec![TieWindow::new(2.0 * resident.error()); m];
            let mut products = vec![0.0; m * TILE];
            for tile in at * each..tiles.min((at + 1) * each) {
                if tile % look_every == 0 && stop() {
                    break;
                }
                resident.products(tile, &factors, &mut products);
                let first = tile * TILE;
                let width = TILE.min(own.p() - first);
                let models = products.chunks_mut(TILE).zip(anchors).zip(&mut windows);
                for ((scores, anchor), window) in models {
                    let scores = &mut scores[..width];
                    let mut most = 0.0;
                    for score in &mut *scores {
                        *score = score.abs();
                        most = if *score > most { *score } else { most };
                    }
                    window.observe(shard.first + first, most, scores, anchor.support);
                }
            }
            windows
        };
        let found: Vec<Vec<TieWindow>> = match ranges > 1 {
            true => (0..ranges).into_par_iter().map(range).collect(),
            false => vec![range(0)],
        };
        found.into_iter().reduce(merge).unwrap_or_default()
    }
}
