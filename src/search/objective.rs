//! The objective φ: the criterion as a function of a fit.

use std::sync::atomic::{AtomicBool, Ordering};

use passel_criteria::{Criterion, Model};

use crate::{design::Design, least_squares::Fit};

/// The objective φ that a search minimises: a criterion for the models of one design.
#[derive(Clone, Copy)]
pub(crate) struct Objective<'a> {
    /// The criterion.
    pub(crate) criterion: &'a dyn Criterion,
    /// Observations.
    pub(crate) n: usize,
    /// The number of candidates as the criterion counts them: before prescreening, where there
    /// was one.
    pub(crate) p: usize,
    /// Total sum of squares on the response's scale; fits have it at one.
    pub(crate) tss: f64,
    /// Set once the criterion is NaN for some model.
    pub(crate) undefined: &'a AtomicBool,
}

impl<'a> Objective<'a> {
    /// The objective of a design's models.
    pub(crate) fn of(
        criterion: &'a dyn Criterion,
        design: &Design,
        undefined: &'a AtomicBool,
    ) -> Self {
        Self {
            undefined,
            criterion,
            n: design.n(),
            p: design.p_total().unwrap_or(design.p()),
            tss: design.tss(),
        }
    }

    /// φ of a fit. RSS is floored at n·eps²·TSS, below which it is rounding alone.
    pub(crate) fn of_fit(&self, fit: &Fit) -> f64 {
        self.floored(fit.support().len(), fit.rss())
    }

    /// φ of a model of k columns with this RSS (response of unit norm), floored as in
    /// [`Self::of_fit`].
    pub(crate) fn floored(&self, k: usize, rss: f64) -> f64 {
        let floor = self.n as f64 * f64::EPSILON * f64::EPSILON;
        self.at(k, rss.max(floor))
    }

    /// φ of a model of k columns with this RSS, the response at unit norm. +∞ where the
    /// criterion is NaN.
    pub(crate) fn at(&self, k: usize, rss: f64) -> f64 {
        let model = Model {
            n: self.n,
            p: self.p,
            k,
            rss: rss * self.tss,
        };
        let value = self.criterion.value(&model);
        // −∞ would swallow every difference.
        if value.is_nan() {
            self.undefined.store(true, Ordering::Relaxed);
            f64::INFINITY
        } else {
            value.max(f64::MIN)
        }
    }
}

/// The note for the report where the criterion was NaN for some model.
pub(crate) fn undefined_note(undefined: &AtomicBool) -> Option<String> {
    let text = "the criterion was not a number for some models: they never win";
    undefined.load(Ordering::Relaxed).then(|| text.to_owned())
}

/// Whether φ is higher after than before by more than the rounding of two equal models.
pub(crate) fn rises(before: f64, after: f64) -> bool {
    after > before + 1e-11 * (1.0 + before.abs())
}
