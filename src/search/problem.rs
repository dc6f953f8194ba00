//! The problem that a search solves, the same for every particle and island, and its objective φ:
//! the criterion as a function of a fit.

use std::sync::atomic::{AtomicBool, Ordering};

use passel_criteria::{Criterion, Model};

use super::settings::Pass;
use crate::{
    design::{Columns, Design},
    least_squares::Fit,
};

#[derive(Clone, Copy)]
pub(crate) struct SearchProblem<'a> {
    pub(crate) objective: Objective<'a>,
    pub(crate) x: Columns<'a>,
    /// The response, centred and of unit norm.
    pub(crate) y: &'a [f64],
    /// Columns that every model holds, ascending.
    pub(crate) keep: &'a [u32],
    pub(crate) kept: &'a Fit,
    /// Columns of the largest model, the kept ones included.
    pub(crate) max_size: usize,
    pub(crate) pass: &'a Pass,
}

impl<'a> SearchProblem<'a> {
    pub(super) fn new(
        objective: Objective<'a>,
        pass: &'a Pass,
        (max_size, kept): &'a (usize, Fit),
    ) -> Self {
        let design = objective.design;
        Self {
            objective,
            x: design.columns(),
            y: design.y(),
            keep: design.keep(),
            kept,
            max_size: *max_size,
            pass,
        }
    }
}

/// The objective φ that a search minimises: a criterion for the models of one design.
#[derive(Clone, Copy)]
pub(crate) struct Objective<'a> {
    pub(crate) design: &'a Design,
    pub(crate) criterion: &'a dyn Criterion,
    /// Set once the criterion is NaN for some model.
    pub(crate) undefined: &'a AtomicBool,
}

impl<'a> Objective<'a> {
    pub(crate) fn new(
        design: &'a Design,
        criterion: &'a dyn Criterion,
        undefined: &'a AtomicBool,
    ) -> Self {
        Self {
            design,
            criterion,
            undefined,
        }
    }

    /// φ of a fit. RSS is floored at n·eps²·TSS, below which it is rounding alone.
    pub(crate) fn of_fit(&self, fit: &Fit) -> f64 {
        self.floored(fit.support().len(), fit.rss())
    }

    /// φ of a model of k columns with this RSS (response of unit norm), floored as in
    /// [`Self::of_fit`].
    pub(super) fn floored(&self, k: usize, rss: f64) -> f64 {
        let floor = self.design.n() as f64 * f64::EPSILON * f64::EPSILON;
        self.at(k, rss.max(floor))
    }

    /// φ of a model of k columns with this RSS, the response at unit norm. +∞ where the
    /// criterion is NaN.
    pub(super) fn at(&self, k: usize, rss: f64) -> f64 {
        let model = Model {
            n: self.design.n(),
            // As the criterion counts candidates: before prescreening.
            p: self.design.p_total().unwrap_or(self.design.p()),
            k,
            rss: rss * self.design.tss(),
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

    pub(crate) fn undefined_note(&self) -> Option<String> {
        let text = "the criterion was not a number for some models: they never win";
        let undefined = self.undefined.load(Ordering::Relaxed);
        undefined.then(|| text.to_owned())
    }
}

/// Whether φ is higher after than before by more than the rounding of two equal models.
pub(super) fn rises(before: f64, after: f64) -> bool {
    after > before + 1e-11 * (1.0 + before.abs())
}
