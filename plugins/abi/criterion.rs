//! Criteria, and what they are told of a model.

use core::ffi::{c_char, c_void};

use crate::passel_method;

/// A model as a criterion is told of it, lent until the call returns.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_model {
    pub size: usize,
    /// Observations; of survival times the events.
    pub n: usize,
    /// Variables p that may be chosen or not; before a screening, where there was one.
    pub candidates: usize,
    /// Those chosen, k ≤ p. A variable may be a term of several columns, such as a factor.
    pub chosen: usize,
    /// Coefficients of variables that every model holds, m; neither p nor k counts these.
    pub kept: usize,
    /// All coefficients but intercepts: kept and those of the chosen variables, k of them unless
    /// terms have several.
    pub parameters: usize,
    /// 1 for a model with an intercept, else 0.
    pub intercept: usize,
    /// Residual sum of squares of a linear regression, > 0; NaN of other families.
    pub rss: f64,
    /// n·ln(rss/n) of a linear regression; of other families −2ℓ, with all constants, ℓ the
    /// largest log-likelihood, over `dispersion`.
    pub misfit: f64,
    /// The family as --family names it: "gaussian" of a linear regression, "binomial", …
    pub family: *const c_char,
    /// Estimates beside parameters and intercept: 1 for an error variance, a dispersion, a shape; 0
    /// of binomial and Poisson responses and survival times; the thresholds of ordered levels, the
    /// intercepts of levels without order.
    pub scatter: usize,
    /// The dispersion of a quasi-likelihood (--dispersion); else 1.
    pub dispersion: f64,
}

/// What models are compared by; smaller is better.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_criterion {
    pub size: usize,
    pub method: passel_method,
    /// The value of a model; +∞ where there is none, or NaN, with a warning. It does not fall when
    /// rss or misfit rises. Called by many threads, a million times a second; at load with n =
    /// 100, candidates = 20, chosen = 0 … 3 and rss = 50 and 100, and where `likelihoods` is 1
    /// also with misfit = 50 and 100 of "binomial": NaN, or a value that falls, refuses it.
    pub value: Option<
        unsafe extern "C" fn(
            criterion: *const passel_criterion,
            values: *const f64,
            model: *const passel_model,
        ) -> f64,
    >,
    pub data: *const c_void,
    /// 1 where it is defined for models of maximum likelihood, too: for every family. 0 for
    /// linear regressions alone: with another family it is refused before data are read.
    pub likelihoods: usize,
}
