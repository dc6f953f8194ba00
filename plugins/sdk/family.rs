//! Families of responses, and the contract's tables of them.

// The contract is pointers.
#![allow(unsafe_code)]

use std::{
    ffi::c_void,
    ptr,
    slice::{from_raw_parts, from_raw_parts_mut},
};

use passel_abi::passel_family;

use crate::{
    Parameter,
    entry::{forever, method, text, warn},
    function::listed,
    panics::catch,
};

/// A distribution of the response y about its mean μ, with a link: models of it are fitted by maximum likelihood.
/// `--family NAME:PARAMETER=NUMBER` asks for it. A number that does not exist is NaN; a panic makes it NaN, too. All functions
/// take one value a parameter first, each inside its range, and are called from any thread.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// The name it is asked for by, as a selector's; none of `--family`'s own.
    pub name: &'static str,
    /// What it is called in full.
    pub title: &'static str,
    /// The variance, on one line.
    pub formula: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Which responses it takes, for messages: `whole numbers from 0 on`.
    pub responses: &'static str,
    /// How the mean depends on the linear predictor.
    pub link: FamilyLink,
    /// Whether the variance is φV(μ), φ estimated by Pearson's χ² over its degrees of freedom, or V(μ).
    pub dispersion: bool,
    /// Whether y may be a response.
    pub is_response: fn(&[f64], f64) -> bool,
    /// V(μ) > 0.
    pub variance: fn(&[f64], f64) -> f64,
    /// 2(ℓ(y; y) − ℓ(y; μ)) ≥ 0 of y and μ at φ = 1, whose derivative by μ is −2(y − μ)/V(μ).
    pub deviance: fn(&[f64], f64, f64) -> f64,
    /// ℓ(y; y), with all constants; where φ is estimated without −½ ln 2πφ: −½ ln V(y) is the saddlepoint approximation.
    pub saturated: fn(&[f64], f64) -> f64,
    /// The mean that a fit begins at, of y.
    pub start: fn(&[f64], f64) -> f64,
    /// The same in CUDA C, by which GPUs fit: a text with `__device__ double passel_variance(const double *values, double
    /// mean)`, `__device__ double passel_deviance(const double *values, double y, double mean)` and, of a link of its own,
    /// `__device__ void passel_mean(const double *values, double predictor, double *mean, double *slope)`. Without one the CPU
    /// fits.
    pub cuda: Option<&'static str>,
}

/// How the mean μ depends on the linear predictor η.
#[derive(Debug, Clone, Copy)]
pub enum FamilyLink {
    /// The engine's: `identity`, `logit`, `probit`, `cloglog`, `log` or `inverse`.
    Named(&'static str),
    /// Another.
    Own {
        /// Its name in reports.
        name: &'static str,
        /// η of μ.
        predictor: fn(&[f64], f64) -> f64,
        /// μ of η, and dμ/dη: nowhere 0, and of one sign.
        mean: fn(&[f64], f64) -> (f64, f64),
    },
}

pub(crate) fn family(family: &'static Family) -> *const passel_family {
    let (link, is_own) = match family.link {
        FamilyLink::Named(name) => (name, false),
        FamilyLink::Own { name, .. } => (name, true),
    };
    forever(passel_family {
        size: size_of::<passel_family>(),
        method: method(
            [family.name, family.title, family.formula, family.source],
            family.parameters,
        ),
        responses: text(family.responses),
        link: text(link),
        dispersion: usize::from(family.dispersion),
        is_response: Some(is_response),
        mean: is_own.then_some(mean as unsafe extern "C" fn(_, _, _, _, _, _)),
        predictor: is_own.then_some(predictor as unsafe extern "C" fn(_, _, _) -> _),
        variance: Some(variance),
        deviance: Some(deviance),
        saturated: Some(saturated),
        start: Some(start),
        data: ptr::from_ref(family).cast::<c_void>(),
        cuda: family.cuda.map_or(ptr::null(), text),
    })
}

/// What a family made above is of, with the values of its parameters.
///
/// # Safety
/// The first arguments of a function of a family made above.
unsafe fn own<'a>(there: *const passel_family, values: *const f64) -> (&'a Family, &'a [f64]) {
    // SAFETY: the caller's; its data is what it was made of, and the engine gives one value a parameter.
    unsafe {
        let family = &*(*there).data.cast::<Family>();
        (family, listed(values, family.parameters.len()))
    }
}

/// The value of a function; NaN where it panics.
fn number(family: &Family, value: impl FnOnce() -> f64) -> f64 {
    catch(value).unwrap_or_else(|panic| {
        warn(&format!("family {}: {panic}", family.name));
        f64::NAN
    })
}

/// Fills a slice of the engine's by a function of the number of the observation.
///
/// # Safety
/// `to` has room for `count` numbers.
unsafe fn fill(family: &Family, count: usize, to: *mut f64, value: impl Fn(usize) -> f64) {
    // SAFETY: the caller's.
    let to = unsafe { from_raw_parts_mut(to, count) };
    for (at, to) in to.iter_mut().enumerate() {
        *to = number(family, || value(at));
    }
}

unsafe extern "C" fn is_response(there: *const passel_family, values: *const f64, y: f64) -> i32 {
    // SAFETY: as the contract has it, here and below.
    let (family, values) = unsafe { own(there, values) };
    let is_response = catch(|| (family.is_response)(values, y));
    i32::from(is_response.unwrap_or_else(|panic| {
        warn(&format!("family {}: {panic}", family.name));
        false
    }))
}

unsafe extern "C" fn predictor(there: *const passel_family, values: *const f64, mean: f64) -> f64 {
    // SAFETY: as above.
    let (family, values) = unsafe { own(there, values) };
    match family.link {
        FamilyLink::Own { predictor, .. } => number(family, || predictor(values, mean)),
        FamilyLink::Named(_) => f64::NAN,
    }
}

unsafe extern "C" fn mean(
    there: *const passel_family,
    values: *const f64,
    count: usize,
    predictors: *const f64,
    means: *mut f64,
    slopes: *mut f64,
) {
    // SAFETY: as above.
    let (family, values) = unsafe { own(there, values) };
    let FamilyLink::Own { mean, .. } = family.link else {
        return;
    };
    // SAFETY: `count` numbers each, which overlap nothing.
    let (predictors, means, slopes) = unsafe {
        (
            from_raw_parts(predictors, count),
            from_raw_parts_mut(means, count),
            from_raw_parts_mut(slopes, count),
        )
    };
    for (eta, (to, slope)) in predictors.iter().zip(means.iter_mut().zip(slopes)) {
        *to = number(family, || {
            let (mean, own) = mean(values, *eta);
            *slope = own;
            mean
        });
    }
}

unsafe extern "C" fn variance(
    there: *const passel_family,
    values: *const f64,
    count: usize,
    means: *const f64,
    variances: *mut f64,
) {
    // SAFETY: as above.
    unsafe {
        let (family, values) = own(there, values);
        let means = from_raw_parts(means, count);
        fill(family, count, variances, |at| {
            (family.variance)(values, means[at])
        });
    }
}

unsafe extern "C" fn deviance(
    there: *const passel_family,
    values: *const f64,
    count: usize,
    responses: *const f64,
    means: *const f64,
    deviances: *mut f64,
) {
    // SAFETY: as above.
    unsafe {
        let (family, values) = own(there, values);
        let (y, means) = (
            from_raw_parts(responses, count),
            from_raw_parts(means, count),
        );
        fill(family, count, deviances, |at| {
            (family.deviance)(values, y[at], means[at])
        });
    }
}

unsafe extern "C" fn saturated(
    there: *const passel_family,
    values: *const f64,
    count: usize,
    responses: *const f64,
    log_likelihoods: *mut f64,
) {
    // SAFETY: as above.
    unsafe {
        let (family, values) = own(there, values);
        let y = from_raw_parts(responses, count);
        fill(family, count, log_likelihoods, |at| {
            (family.saturated)(values, y[at])
        });
    }
}

unsafe extern "C" fn start(
    there: *const passel_family,
    values: *const f64,
    count: usize,
    responses: *const f64,
    means: *mut f64,
) {
    // SAFETY: as above.
    unsafe {
        let (family, values) = own(there, values);
        let y = from_raw_parts(responses, count);
        fill(family, count, means, |at| (family.start)(values, y[at]));
    }
}
