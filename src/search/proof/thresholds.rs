//! The largest RSS of each size with which a model is as good as the best one known: a bound on RSS is
//! compared with these, so that no bound needs the criterion, and any criterion will do.

use std::sync::atomic::AtomicBool;

use super::super::problem::{Objective, Size, tolerance};

/// Values of RSS at which a criterion is tried.
const TRIED: i32 = 24;

/// Halvings of ln RSS until a threshold is known beyond what bounds can tell.
const HALVINGS: usize = 50;

/// The least RSS, y at unit norm, of which a criterion is asked.
const LEAST: f64 = 1e-34;

/// Thresholds on RSS by size, the response at unit norm.
#[derive(Debug, Clone)]
pub(super) struct Thresholds {
    /// By size; −∞ where no RSS would do, and beyond the largest size allowed.
    by_size: Vec<f64>,
    /// The RSS that one more variable must save, near the best model's size.
    pub(super) price: f64,
}

impl Thresholds {
    /// Thresholds of models with up to `largest` columns, against φ of a model of `size` columns.
    ///
    /// A model is at its threshold where its φ equals that of the best up to the tolerance with which
    /// φ is compared. `rounding` is added: what the arithmetic of bounds may lack.
    pub(super) fn new(
        objective: &Objective,
        (best, size): (f64, usize),
        largest: usize,
        rounding: f64,
    ) -> Self {
        let undefined = AtomicBool::new(false);
        let objective = objective.noting(&undefined);
        let highest = best + tolerance(best);
        let threshold = |size: usize| largest_rss(&objective, size.into(), highest, rounding);
        let by_size: Vec<f64> = (0..=largest).map(threshold).collect();
        let near = size.min(largest.saturating_sub(1));
        let price = match by_size[near..] {
            [own, next, ..] if own > next && next > 0.0 => own - next,
            // Any price makes a valid bound.
            _ => by_size.iter().copied().fold(1e-12, f64::max) / 100.0,
        };
        Self { by_size, price }
    }

    /// The threshold of a size.
    pub(super) fn at(&self, size: usize) -> f64 {
        self.by_size.get(size).copied().unwrap_or(f64::NEG_INFINITY)
    }
}

/// The largest RSS with which φ of a model of this size is not above the highest, and what rounding may take
/// from it; −∞ where no RSS would do.
pub(super) fn largest_rss(objective: &Objective, size: Size, highest: f64, rounding: f64) -> f64 {
    let is_good = |rss: f64| objective.floored(size, rss) <= highest;
    if !is_good(LEAST) {
        return f64::NEG_INFINITY;
    }
    let (mut good, mut bad) = (LEAST.ln(), 0.0);
    if is_good(1.0) {
        good = bad;
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (good + bad);
        match is_good(middle.exp()) {
            true => good = middle,
            false => bad = middle,
        }
    }
    bad.exp() + rounding
}

/// Whether φ never falls while RSS rises, at any of these sizes: else no bound on RSS bounds φ.
pub(super) fn rises_with_rss(
    objective: &Objective,
    sizes: std::ops::RangeInclusive<usize>,
) -> bool {
    let undefined = AtomicBool::new(false);
    let objective = objective.noting(&undefined);
    sizes
        .into_iter()
        .all(|size| rises_at(&objective, size.into()))
}

/// Whether φ never falls while RSS rises, at a size.
pub(super) fn rises_at(objective: &Objective, size: Size) -> bool {
    let values = (0..=TRIED)
        .rev()
        .map(|power| objective.at(size, (-f64::from(power)).exp()));
    values.is_sorted_by(|a, b| *b >= *a - tolerance(*a))
}
