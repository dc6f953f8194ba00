//! Which models of a sweep are screened from Gram columns, and which are multiplied.

use super::{Screen, SinglePrecision, Sweep};
use crate::{device::gain::MAX_SCREEN_ERROR, least_squares::FitView, vector::product};

/// Cost of one Gram term (TILE rows of one cached column, scaled and added) relative to one
/// observation of an f64 product (TILE columns), as measured; see docs/performance.md.
const TERM_COST: f64 = 2.0;

/// How many new Gram columns are worth one product: they are cheaper, and will be used again.
const REUSE: usize = 4;

/// The same where terms have several columns, which enter together but are not used again more often.
const REUSE_OF_TERMS: usize = 1;

/// The same where they are made of integers.
const REUSE_OF_INTEGERS: usize = 64;

impl Sweep<'_> {
    /// The models to screen from Gram columns, the Gram columns that are missing for that, and the
    /// models left to products in f64.
    pub(in super::super) fn plan(
        &mut self,
        anchors: &[FitView],
    ) -> (Vec<usize>, Vec<u32>, Vec<usize>) {
        let n = self.shard.x.n() as f64;
        // What scores are combinations of no Gram column tells.
        let screen = self.screen.as_mut();
        let screen = screen.filter(|_| self.shard.x.likelihood().is_none());
        let Some(Screen { resident, gram, .. }) = screen else {
            return (Vec::new(), Vec::new(), (0..anchors.len()).collect());
        };
        gram.begin_sweep();
        let (mut cached, mut partly, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for (at, anchor) in anchors.iter().enumerate() {
            let noise = (product(anchor.residual, anchor.residual) / n).sqrt();
            if anchor.support.len() as f64 * TERM_COST > n
                || screen_error(resident.as_ref(), anchor) > MAX_SCREEN_ERROR * noise
            {
                others.push(at);
                continue;
            }
            // Every column is touched, so that none in use is evicted below.
            let present = anchor.support.iter().filter(|v| gram.touch(**v));
            if present.count() == anchor.support.len() {
                cached.push(at);
            } else {
                partly.push(at);
            }
        }
        let mut missing: Vec<u32> = Vec::new();
        let mut room = gram.free_slots();
        let before = cached.len();
        for at in partly {
            let new: Vec<u32> = anchors[at]
                .support
                .iter()
                .copied()
                .filter(|v| gram.slot(*v).is_none() && !missing.contains(v))
                .collect();
            if new.len() <= room {
                room -= new.len();
                missing.extend(new);
                cached.push(at);
            } else {
                others.push(at);
            }
        }
        let reuse = match self.shard.x.terms() {
            Some(_) => REUSE_OF_TERMS,
            None if resident.is_none() => REUSE_OF_INTEGERS,
            None => REUSE,
        };
        if missing.len() > reuse * (cached.len() - before) {
            others.extend(cached.drain(before..));
            missing.clear();
        }
        (cached, missing, others)
    }
}

/// Error bound of E from Gram columns: each term brings |β̂| times the error of a product, and one
/// addition in f32.
pub(super) fn screen_error(resident: Option<&SinglePrecision>, anchor: &FitView) -> f64 {
    let all: f64 = anchor.coefficients.iter().map(|b| b.abs()).sum();
    let additions = (anchor.support.len() + 2) as f64 * f64::from(f32::EPSILON);
    // Integers are rounded once.
    let of_product = resident.map_or(f64::from(f32::EPSILON), SinglePrecision::error);
    (of_product + additions) * (1.0 + all)
}
