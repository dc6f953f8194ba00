//! The fit that a report's estimates are of, and their intervals.

use std::borrow::Cow;

use rayon::prelude::*;

use super::result::SearchResult;
use crate::{
    design::Design,
    least_squares::Fit,
    selection::{Intervals, Profiles, Selection},
    threads,
};

impl SearchResult {
    /// The fit whose coefficients a report has: that of the best model, by which models are compared, or where the design says so
    /// that of the same variables by Firth's penalty.
    pub fn estimated_fit(&self, design: &Design) -> Cow<'_, Fit> {
        match design.firth() {
            true => Cow::Owned(self.fit.by_firth(design.columns())),
            false => Cow::Borrowed(&self.fit),
        }
    }

    /// Sets the level of the intervals of its report, and what those of coefficients are by. Profiles take about a dozen fits
    /// for each coefficient, on so many threads.
    pub fn set_intervals(
        &self,
        selection: &mut Selection,
        design: &Design,
        intervals: Intervals,
        level: f64,
        threads: usize,
    ) {
        if intervals == Intervals::Wald || !(level > 0.0 && level < 1.0) {
            return selection.set_level(level);
        }
        let fit = self.estimated_fit(design);
        let profiles = Profiles::of(design, &fit, self.exact, level);
        let ends = profiles.map(|own| match threads::pool(threads) {
            Ok(pool) => pool.install(|| {
                let all = (0..own.count()).into_par_iter();
                all.map(|at| own.ends(at)).collect()
            }),
            Err(_) => (0..own.count()).map(|at| own.ends(at)).collect(),
        });
        selection.set_profiles(level, ends.unwrap_or_default());
    }
}
