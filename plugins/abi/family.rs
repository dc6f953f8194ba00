//! Families: distributions of a response that models of maximum likelihood are of.

use core::ffi::{c_char, c_void};

use crate::passel_method;

/// A distribution of the response y about its mean μ, and the link g: g(μ) = η is the linear
/// predictor. The engine fits, searches, tests and reports as for its own families. `values` are
/// those of the parameters. Functions are called from any thread, from several at once; arrays have
/// `count` numbers, one an observation, overlap nothing, and are the engine's until the call returns.
/// A number that does not exist, such as the deviance of a mean that none has, is NaN: a fit then
/// turns back. What contradicts itself is refused, at load and with the responses of the data.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_family {
    pub size: usize,
    /// Its name is none of --family's own.
    pub method: passel_method,
    /// Which responses it takes, for messages: "whole numbers from 0 on".
    pub responses: *const c_char,
    /// The link's name: one of the engine's, "identity", "logit", "probit", "cloglog", "log" or
    /// "inverse", and `mean` and `predictor` are null; or another, and both are given.
    pub link: *const c_char,
    /// 1 where the variance is φV(μ), φ estimated by Pearson's χ² over its degrees of freedom; 0
    /// where it is V(μ).
    pub dispersion: usize,
    /// 1 where y may be a response, else 0.
    pub is_response: Option<
        unsafe extern "C" fn(family: *const passel_family, values: *const f64, y: f64) -> i32,
    >,
    /// g⁻¹(η), and its derivative: nowhere 0, and of one sign.
    pub mean: Option<
        unsafe extern "C" fn(
            family: *const passel_family,
            values: *const f64,
            count: usize,
            predictors: *const f64,
            means: *mut f64,
            slopes: *mut f64,
        ),
    >,
    /// g(μ).
    pub predictor: Option<
        unsafe extern "C" fn(family: *const passel_family, values: *const f64, mean: f64) -> f64,
    >,
    /// V(μ) > 0.
    pub variance: Option<
        unsafe extern "C" fn(
            family: *const passel_family,
            values: *const f64,
            count: usize,
            means: *const f64,
            variances: *mut f64,
        ),
    >,
    /// 2(ℓ(y; y) − ℓ(y; μ)) ≥ 0 at φ = 1, whose derivative by μ is −2(y − μ)/V(μ).
    pub deviance: Option<
        unsafe extern "C" fn(
            family: *const passel_family,
            values: *const f64,
            count: usize,
            responses: *const f64,
            means: *const f64,
            deviances: *mut f64,
        ),
    >,
    /// ℓ(y; y), with all constants; where φ is estimated without −½ ln 2πφ: −½ ln V(y) is the
    /// saddlepoint approximation. Null for 0.
    pub saturated: Option<
        unsafe extern "C" fn(
            family: *const passel_family,
            values: *const f64,
            count: usize,
            responses: *const f64,
            log_likelihoods: *mut f64,
        ),
    >,
    /// The means that a fit begins at; null for the responses themselves.
    pub start: Option<
        unsafe extern "C" fn(
            family: *const passel_family,
            values: *const f64,
            count: usize,
            responses: *const f64,
            means: *mut f64,
        ),
    >,
    pub data: *const c_void,
    /// The same in CUDA C, to 10⁻⁹, by which GPUs fit; or null, and the CPU fits: a text with `__device__
    /// double passel_variance(const double *values, double mean)`, `__device__ double
    /// passel_deviance(const double *values, double y, double mean)` and, of a link of its own, `__device__
    /// void passel_mean(const double *values, double predictor, double *mean, double *slope)`. As that of a function.
    pub cuda: *const c_char,
}
