//! The problem that a search solves, the same for every particle and island, and its objective φ:
//! the criterion as a function of a fit.

use std::sync::atomic::{AtomicBool, Ordering};

use passel_criteria::{Criterion, Model};
use serde_json::Value;

use super::{
    error::SearchError,
    settings::{Pass, SettingsError},
};
use crate::{
    design::{Columns, Design},
    family::Likelihood,
    least_squares::Fit,
};

#[derive(Clone, Copy)]
pub(crate) struct SearchProblem<'a> {
    pub(crate) objective: Objective<'a>,
    pub(crate) x: Columns<'a>,
    /// The response, centred and of unit norm.
    pub(crate) y: &'a [f64],
    /// Terms that every model holds, ascending.
    pub(crate) keep: &'a [u32],
    pub(crate) kept: &'a Fit,
    /// Columns of the largest model, the kept ones included.
    pub(crate) max_size: usize,
    pub(crate) pass: &'a Pass,
    /// Models visited before the first iteration.
    pub(super) starts: &'a [Vec<u32>],
    /// Which part of a formula is searched; none for a whole one.
    pub(super) part: Option<&'a Value>,
}

/// Where a search begins: models, and the part of a formula that it is of.
#[derive(Debug, Default)]
pub(super) struct Start {
    /// Terms, ascending.
    pub(super) models: Vec<Vec<u32>>,
    pub(super) part: Option<Value>,
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
            starts: &[],
            part: None,
        }
    }

    /// φ of a fit; ∞ of a model larger than the largest.
    pub(super) fn value_of(&self, fit: &Fit) -> f64 {
        match fit.support().len() <= self.max_size {
            true => self.objective.of_fit(fit),
            false => f64::INFINITY,
        }
    }

    /// Whether a model of these terms is no larger than the largest, though none of its columns explained another.
    pub(super) fn has_room(&self, terms: &[u32]) -> bool {
        self.x.width_of(terms) <= self.max_size
    }

    pub(super) fn with_start(self, start: &'a Start) -> Self {
        Self {
            starts: &start.models,
            part: start.part.as_ref(),
            ..self
        }
    }
}

/// The size of a model: where each column is a term, one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) terms: usize,
    /// Its columns.
    pub(crate) parameters: usize,
}

impl Size {
    pub(crate) fn of(fit: &Fit) -> Self {
        Self {
            terms: fit.terms().len(),
            parameters: fit.support().len(),
        }
    }
}

impl From<usize> for Size {
    /// Of so many terms of one column.
    fn from(size: usize) -> Self {
        Self {
            terms: size,
            parameters: size,
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
    /// Of the kept terms.
    kept: Size,
    /// Of the model of all columns, on the response's scale; NaN unless the criterion needs it.
    error_variance: f64,
}

impl<'a> Objective<'a> {
    pub(crate) fn new(
        design: &'a Design,
        criterion: &'a dyn Criterion,
        undefined: &'a AtomicBool,
    ) -> Result<Self, SearchError> {
        if let Some(likelihood) = design
            .likelihood()
            .filter(|_| criterion.needs_least_squares())
        {
            return Err(SettingsError(format!(
                "criterion {} is of least squares, and the family is {}: use aic, bic, ebic or ebic-monotone",
                criterion.name(),
                likelihood.response().family().distribution()
            ))
            .into());
        }
        Ok(Self {
            design,
            criterion,
            undefined,
            kept: kept_size(design),
            error_variance: match criterion.needs_error_variance() {
                true => error_variance(design, criterion.name())?,
                false => f64::NAN,
            },
        })
    }

    /// This φ, which notes elsewhere that it was undefined: for values of RSS that no model has, say.
    pub(super) fn noting<'b>(&self, undefined: &'b AtomicBool) -> Objective<'b>
    where
        'a: 'b,
    {
        Objective { undefined, ..*self }
    }

    /// φ of a fit. RSS is floored at n·eps²·TSS, below which it is rounding alone.
    pub(crate) fn of_fit(&self, fit: &Fit) -> f64 {
        self.floored(Size::of(fit), fit.rss())
    }

    /// φ of a model of this size and RSS (response of unit norm), floored as in [`Self::of_fit`].
    pub(super) fn floored(&self, size: impl Into<Size>, rss: f64) -> f64 {
        let floor = self.design.n() as f64 * f64::EPSILON * f64::EPSILON;
        self.at(size, rss.max(floor))
    }

    /// φ of a model of this size and RSS, the response at unit norm, or its loss. +∞ where the criterion is NaN.
    pub(super) fn at(&self, size: impl Into<Size>, rss: f64) -> f64 {
        let value = self.criterion.value(&self.model(size.into(), rss));
        // −∞ would swallow every difference.
        if value.is_nan() {
            self.undefined.store(true, Ordering::Relaxed);
            f64::INFINITY
        } else {
            value.max(f64::MIN)
        }
    }

    /// What the criterion is told of a model of this size, the kept terms included, with this RSS.
    fn model(&self, size: Size, rss: f64) -> Model {
        let (design, kept) = (self.design, self.kept);
        let all = design.candidate_terms();
        let (rss, minus_two_log_likelihood) = match design.likelihood() {
            None => (rss * design.tss(), None),
            Some(likelihood) => {
                let (n, own) = (design.n() as f64, likelihood.minus_two_log_likelihood(rss));
                (n * (own / n).clamp(-700.0, 700.0).exp(), Some(own))
            }
        };
        let likelihood = design.likelihood();
        Model {
            n: likelihood.map_or(design.n(), Likelihood::criterion_n),
            // As a criterion counts candidates: before prescreening, and without those that are given.
            candidates: design.p_total().unwrap_or(all) - kept.terms,
            // A tableau may lack kept columns.
            chosen: size.terms.saturating_sub(kept.terms),
            chosen_parameters: size.parameters.saturating_sub(kept.parameters),
            kept: kept.parameters,
            has_intercept: likelihood.map_or(design.intercept(), Likelihood::has_intercept),
            rss,
            minus_two_log_likelihood,
            family: likelihood.map_or(c"gaussian", Likelihood::family_name),
            dispersion: likelihood.map_or(1.0, Likelihood::quasi_dispersion),
            scatter: design.likelihood().map_or(1, Likelihood::scatter),
            error_variance: self.error_variance,
        }
    }

    /// What the criterion charges the last variable chosen of a fit.
    pub(super) fn last_charge(&self, fit: &Fit) -> f64 {
        let model = self.model(Size::of(fit), fit.rss());
        self.criterion.last_charge(&model)
    }

    pub(crate) fn undefined_note(&self) -> Option<String> {
        let text = "the criterion was not a number for some models: they never win";
        let undefined = self.undefined.load(Ordering::Relaxed);
        undefined.then(|| text.to_owned())
    }
}

fn kept_size(design: &Design) -> Size {
    // Which columns enter is known without a likelihood.
    let x = design.columns().with_likelihood(None);
    if x.terms().is_none() {
        return design.keep().len().into();
    }
    let mut fit = Fit::empty(design.y());
    for &term in design.keep() {
        // Where those before explain it, the search is refused.
        let _ = fit.add(x, term);
    }
    Size::of(&fit)
}

/// The residual mean square of the model of all columns that are not collinear, on the response's
/// scale.
fn error_variance(design: &Design, criterion: &str) -> Result<f64, SearchError> {
    let x = design.columns();
    let mut fit = Fit::empty(design.y());
    let fixed = usize::from(design.intercept());
    for term in 0..x.term_count() as u32 {
        if fit.support().len() + fixed >= design.n() {
            break;
        }
        // A collinear term changes nothing.
        let _ = fit.add(x, term);
    }
    let freedom = design.n().saturating_sub(fit.support().len() + fixed);
    if freedom == 0 || is_exact(design.n(), &fit) {
        let (n, p) = (design.n(), design.p());
        return Err(SettingsError(format!(
            "criterion {criterion} takes the error variance from the model of all {p} variables, which fits \
             {n} observations exactly: use aicc or bic, or leave variables out with --drop"
        ))
        .into());
    }
    Ok(fit.rss() * design.tss() / freedom as f64)
}

/// The relative scatter of a response of a dispersion that is estimated below which it is rounding.
const EXACT_SPREAD: f64 = 1e-13;

/// Whether RSS is rounding alone: each residual is a rounded sum of y and terms of size |β̂|.
pub(crate) fn is_exact(n: usize, fit: &Fit) -> bool {
    if let Some(own) = fit.family() {
        // Of a dispersion that is rounding; others have none.
        return own.dispersion() != 1.0 && (own.pearson() / n as f64).sqrt() < EXACT_SPREAD;
    }
    let terms: f64 = fit.coefficients().iter().map(|b| b.abs()).sum();
    fit.rss() <= n as f64 * (f64::EPSILON * (1.0 + terms)).powi(2)
}

/// Whether φ is higher after than before by more than the rounding of two equal models.
pub(super) fn rises(before: f64, after: f64) -> bool {
    after > before + tolerance(before)
}

/// What the values of φ of two equal models may differ by.
pub(super) fn tolerance(value: f64) -> f64 {
    1e-11 * (1.0 + value.abs())
}
