//! The sweep E = XᵀR on the CPU.
//!
//! There are two ways, of which the cheaper is taken: from cached Gram columns in single precision,
//! which only screens, or by faer's product in f64. The arg max is fused into either, so that E is
//! never stored.

mod plan;

use std::{
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};

use faer::MatRef;
use plan::screen_error;
use rayon::prelude::*;

use super::{
    gram_cache::GramCache,
    gram_tile::{Model, screen_tile, tile_of},
    integer_products::Factors,
    products::{products_with, visit_products},
    single_precision::SinglePrecision,
    terms::orthonormalise,
    tie_window::{TILE, TieWindow},
};
use crate::{
    device::{Candidate, Shard, gain::tie_width},
    least_squares::FitView,
    memory::{MemoryBudget, MemoryCharge},
    vector::product,
};

/// Memory for Gram columns: this share of X, or [`GRAM_FLOOR`] bytes if that is more.
const GRAM_SHARE: f64 = 0.25;
const GRAM_FLOOR: usize = 32 << 20;

/// Columns of X multiplied at a time in f64, so that E stays in the cache.
const BLOCK: usize = 8 * TILE;

/// Multiply-adds of a thread between two looks at the interrupt: so many, or those of one tile.
const LOOK_WORK: usize = 1 << 26;

/// Multiply-adds below which a sweep stays on one thread.
const PARALLEL_WORK: usize = 1 << 20;

/// Bytes of the copies that a CPU makes of n × p columns where it has room.
pub(crate) fn bytes_of_copies(n: u64, p: u64) -> u64 {
    let column = 4 * p.next_multiple_of(TILE as u64);
    let x = n.saturating_mul(p).saturating_mul(8);
    let share = (x as f64 * GRAM_SHARE) as u64;
    let gram = share.max(GRAM_FLOOR as u64).min(column.saturating_mul(p));
    column.saturating_mul(n).saturating_add(gram)
}

/// The same of genotypes at two bits.
pub(crate) fn bytes_of_integers(n: u64, p: u64) -> u64 {
    let share = (n.saturating_mul(p) as f64 / 4.0 * GRAM_SHARE) as u64;
    let column = 4 * p.next_multiple_of(TILE as u64);
    share.max(GRAM_FLOOR as u64).min(column.saturating_mul(p))
}

/// A shard of the columns, prepared for sweeps.
pub(super) struct Sweep<'x> {
    shard: Shard<'x>,
    /// None if a memory limit leaves no room: then every sweep is a product in f64.
    screen: Option<Screen>,
    threads: usize,
    /// Held for the screen.
    _charge: Option<MemoryCharge>,
}

/// The data of a screen in single precision.
struct Screen {
    /// X; none where Gram columns are made of integers.
    resident: Option<SinglePrecision>,
    /// Xᵀy, padded to whole tiles.
    xty: Vec<f32>,
    gram: GramCache,
}

impl<'x> Sweep<'x> {
    /// Prepares a shard for sweeps of models of `y`, with copies of at most `limit` bytes.
    pub(super) fn new(
        shard: Shard<'x>,
        y: &[f64],
        threads: usize,
        (limit, memory): (Option<u64>, &MemoryBudget),
    ) -> Self {
        let own = shard.own;
        let padded = own.p().div_ceil(TILE) * TILE;
        let column = 4 * padded;
        let is_unpacked = own.is_unpacked();
        let values = (own.p() * own.n()) as f64;
        let (resident, share) = match is_unpacked {
            true => (column * own.n(), (8.0 * values * GRAM_SHARE) as usize),
            false => (0, (values / 4.0 * GRAM_SHARE) as usize),
        };
        let limit = limit.map_or(usize::MAX, |bytes| {
            usize::try_from(bytes).unwrap_or(usize::MAX)
        });
        let has_likelihood = shard.x.likelihood().is_some();
        // Of a likelihood no Gram columns are used, and of terms products in f64.
        let gram = match has_likelihood {
            true => column.min(limit.saturating_sub(resident)),
            false => share.max(GRAM_FLOOR).min(limit.saturating_sub(resident)),
        };
        // A screen needs a column of its own and room for at least one Gram column.
        let has_terms = shard.x.terms().is_some();
        let is_possible = match is_unpacked {
            true => !(has_likelihood && has_terms),
            false => own.has_integers() && !has_likelihood && !has_terms,
        };
        let room = column > 0 && gram >= column && is_possible;
        let bytes = (resident + gram.min(column.saturating_mul(shard.x.p()))) as u64;
        // What the memory does not reach for is no error: f64 needs no copies.
        let held = room.then(|| memory.take(bytes, "copies in f32").ok());
        let held = held.flatten();
        let screening = || Screen {
            resident: is_unpacked
                .then(|| SinglePrecision::new(shard.x, (shard.first, own), threads)),
            xty: response_products(shard, y, threads),
            gram: GramCache::new(shard.x.p(), own.p(), gram / column),
        };
        Self {
            shard,
            screen: held.is_some().then(screening),
            threads,
            _charge: held,
        }
    }

    /// See [`Device::set_response`](crate::device::Device::set_response). Gram columns do not depend on it.
    pub(super) fn set_response(&mut self, y: &[f64]) {
        if let Some(screen) = &mut self.screen {
            screen.xty = response_products(self.shard, y, self.threads);
        }
    }

    /// The arithmetic that screens: `f32` or `f64`.
    pub(super) fn screen(&self) -> &'static str {
        match self.screen {
            Some(_) => "f32",
            None => "f64",
        }
    }

    /// For each fit, the columns outside its support whose |xᵀr| is the largest up to rounding,
    /// each with its score by one dot product in a fixed order. When `stop` returns true, the remaining
    /// columns are skipped.
    pub(super) fn strongest(&mut self, anchors: &[FitView], stop: Stop) -> Vec<Vec<Candidate>> {
        let mut result = vec![Vec::new(); anchors.len()];
        let mut left: Vec<usize> = (0..anchors.len()).collect();
        // Where Gram columns are that cheap, models for which there is no room have their turn when others had theirs.
        loop {
            let models: Vec<FitView> = left.iter().map(|at| anchors[*at]).collect();
            let (found, others) = self.strongest_at_once(&models, stop);
            for (place, own) in found {
                result[left[place]] = own;
            }
            if others.is_empty() {
                return result;
            }
            left = others.iter().map(|place| left[*place]).collect();
        }
    }

    /// The candidates of some models by their places, and the places of those that are left for later.
    fn strongest_at_once(
        &mut self,
        anchors: &[FitView],
        stop: Stop,
    ) -> (Vec<(usize, Vec<Candidate>)>, Vec<usize>) {
        let (screened, missing, others) = self.plan(anchors);
        let (others, later) = match self.shard.own.is_unpacked() || screened.is_empty() {
            true => (others, Vec::new()),
            false => (Vec::new(), others),
        };
        let models = |chosen: &[usize]| chosen.iter().map(|&at| anchors[at]).collect::<Vec<_>>();
        let chosen = models(&screened);
        // Each of two scores may be off by the error.
        let error = |anchor: &FitView| 2.0 * self.screen_error(anchor);
        let windows: Vec<TieWindow> = chosen.iter().map(error).map(TieWindow::new).collect();
        let start = || windows.clone();
        let screen = |columns: Range<usize>,
                      gram: &[f32],
                      xty: &[f32; TILE],
                      models: &[Model],
                      windows: &mut Vec<TieWindow>| {
            screen_tile(columns, gram, xty, models, windows);
        };
        let parts = self.by_gram((&chosen, &missing), stop, start, screen);
        let windows = parts.into_iter().reduce(merge).unwrap_or_default();
        let others_windows = match self.shard.x.likelihood() {
            Some(_) if !others.is_empty() => self.direct(&models(&others), stop),
            _ => self.multiply(&models(&others), stop),
        };
        let windows = windows.into_iter().chain(others_windows);
        let found = screened.into_iter().chain(others).zip(windows);
        let found = found.map(|(at, window)| {
            let score =
                |column| product(&self.shard.x.column_once(column), anchors[at].residual).abs();
            let near = window.finish().into_iter().map(|(column, _)| Candidate {
                column,
                score: score(column),
            });
            (at, near.collect())
        });
        (found.collect(), later)
    }

    /// Error bound of E from Gram columns; none without a screen.
    pub(super) fn screen_error(&self, anchor: &FitView) -> f64 {
        let screen = self.screen.as_ref();
        screen.map_or(0.0, |screen| screen_error(screen.resident.as_ref(), anchor))
    }

    /// The columns in single precision; none without a screen.
    pub(super) fn resident(&self) -> Option<&SinglePrecision> {
        self.screen.as_ref()?.resident.as_ref()
    }

    /// The shard that is swept, and by how many threads.
    pub(super) fn shard(&self) -> (Shard<'x>, usize) {
        (self.shard, self.threads)
    }

    /// Screens with E = Xᵀy − G_A·β̂ in f32, tile by tile, after computing each tile's missing Gram
    /// columns: `screen` gets the state of a range of the tiles, a tile's columns, Gram columns and Xᵀy, and the
    /// models. Returns the states, in the order of the ranges.
    pub(super) fn by_gram<A: Send>(
        &mut self,
        (anchors, missing): (&[FitView], &[u32]),
        stop: Stop,
        start: impl Fn() -> A + Sync,
        screen: impl Fn(Range<usize>, &[f32], &[f32; TILE], &[Model], &mut A) + Sync,
    ) -> Vec<A> {
        let Some(Screen {
            resident,
            xty,
            gram,
        }) = self.screen.as_mut().filter(|_| !anchors.is_empty())
        else {
            return Vec::new();
        };
        let Shard { x, first, own } = self.shard;
        let resident = resident.as_ref();
        let slots = gram.assign(missing);
        let columns = missing.iter().filter(|_| resident.is_some());
        let columns = columns.flat_map(|&v| x.column(v)).map(|v| *v as f32);
        let columns: Vec<f32> = columns.collect();
        let factors = match resident {
            Some(_) => Factors::new(x, []),
            None => Factors::new(x, missing.iter().copied()),
        };
        let models = anchors.iter().map(|anchor| {
            let terms = std::iter::zip(anchor.support, anchor.coefficients);
            let terms = terms.map(|(&v, &b)| (gram.slot_of(v), b as f32));
            (anchor.support, terms.collect())
        });
        let models: Vec<Model> = models.collect();
        let terms: usize = models.iter().map(|(_, terms)| terms.len()).sum();
        let (p, tiles) = (own.p(), xty.len() / TILE);
        let work = missing.len() * x.n() + terms;
        let ranges = ranges(self.threads, tiles, work * p);
        let each = tiles.div_ceil(ranges);
        let look_every = (LOOK_WORK / (work * TILE).max(1)).max(1);
        let is_cut = AtomicBool::new(false);
        let (values, stride) = gram.tiles_mut();
        let range = |(at, values): (usize, &mut [f32])| {
            let mut state = start();
            let mut new = vec![0.0; slots.len() * TILE];
            let (mut exact, mut room) = (Vec::new(), Vec::new());
            for (tile, gram) in (at * each..).zip(values.chunks_mut(stride)) {
                if tile % look_every == 0 && stop() {
                    is_cut.store(true, Ordering::Relaxed);
                    break;
                }
                let own_columns = tile * TILE..p.min((tile + 1) * TILE);
                match resident {
                    Some(resident) => resident.products(tile, &columns, &mut new),
                    None => {
                        let rows = own_columns.len();
                        exact.resize(slots.len() * rows, 0.0);
                        new.fill(0.0);
                        factors.products(own, own_columns.clone(), &mut room, &mut exact);
                        for (new, exact) in new.chunks_mut(TILE).zip(exact.chunks(rows)) {
                            for (new, exact) in new.iter_mut().zip(exact) {
                                *new = *exact as f32;
                            }
                        }
                    }
                }
                for (&slot, new) in slots.iter().zip(new.chunks(TILE)) {
                    gram[slot as usize * TILE..][..TILE].copy_from_slice(new);
                }
                let columns = first + own_columns.start..first + own_columns.end;
                screen(columns, gram, tile_of(xty, tile), &models, &mut state);
            }
            state
        };
        let found = if ranges > 1 {
            let parts = values.par_chunks_mut(each * stride).enumerate();
            parts.map(range).collect()
        } else {
            vec![range((0, values))]
        };
        if is_cut.into_inner() {
            // The new columns lack values.
            gram.clear();
        }
        found
    }

    /// Screens with |E| = |XᵀR| in f64, block by block.
    pub(super) fn multiply(&self, anchors: &[FitView], stop: Stop) -> Vec<TieWindow> {
        if anchors.is_empty() {
            return Vec::new();
        }
        let own = self.shard.own;
        let (n, p, m) = (own.n(), own.p(), anchors.len());
        let residuals: Vec<f64> = anchors
            .iter()
            .flat_map(|anchor| anchor.residual)
            .copied()
            .collect();
        let residuals = MatRef::from_column_major_slice(&residuals, n, m);
        // Twice the tie width of the decision, since these products are off by as much again.
        let windows: Vec<TieWindow> = anchors
            .iter()
            .map(|anchor| {
                TieWindow::new(2.0 * tie_width(n, product(anchor.residual, anchor.residual).sqrt()))
            })
            .collect();
        let visit = |windows: &mut Vec<TieWindow>, first: usize, e: &mut [f64]| {
            let models = anchors.iter().zip(windows);
            for (e, (anchor, window)) in e.chunks_mut(e.len() / m).zip(models) {
                let mut most = 0.0;
                for e in &mut *e {
                    *e = e.abs();
                    most = if *e > most { *e } else { most };
                }
                window.observe(first, most, e, anchor.support);
            }
            !stop()
        };
        let ranges = ranges(self.threads, p.div_ceil(TILE), n * p * m);
        let start = || windows.clone();
        let tiles = LOOK_WORK / (n * m * TILE).max(1);
        let block = BLOCK.min(tiles.max(1) * TILE);
        let found = visit_products(self.shard, residuals, (block, ranges), start, visit);
        found.into_iter().reduce(merge).unwrap_or_default()
    }
}

/// Xᵀy of a shard, of orthonormal columns where terms have several.
fn response_products(shard: Shard, y: &[f64], threads: usize) -> Vec<f32> {
    let mut xty = products_with(shard, y, TILE, threads);
    if let Some(terms) = shard.x.terms() {
        orthonormalise(terms, shard.first, shard.own.p(), &mut xty[..shard.own.p()]);
    }
    xty.into_iter().map(|xty| xty as f32).collect()
}

/// Number of ranges that `tiles` tiles are split into: one per thread, or a single one if the
/// multiply-adds (`work`) cost less than handing them out.
pub(super) fn ranges(threads: usize, tiles: usize, work: usize) -> usize {
    if threads > 1 && work > PARALLEL_WORK {
        threads.min(tiles)
    } else {
        1
    }
}

/// Whether a sweep is to end before its work is done.
pub(super) type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// Merges the windows of two ranges of columns, model by model.
pub(super) fn merge(mut windows: Vec<TieWindow>, others: Vec<TieWindow>) -> Vec<TieWindow> {
    for (window, other) in windows.iter_mut().zip(others) {
        window.merge(other);
    }
    windows
}
