//! Families of plugins: their functions, and what is known of them.

use std::{
    ffi::{CStr, CString},
    fmt,
    ops::Deref,
    panic::RefUnwindSafe,
    ptr,
    sync::OnceLock,
};

use passel_criteria::Origin;
use serde_json::Value;

use super::Link;
use crate::spec::written;

/// The functions of a family. Slices of a call have one length, a number for each observation. A number that does not exist is
/// NaN.
pub trait FamilyFunctions: fmt::Debug + Send + Sync + RefUnwindSafe {
    /// Whether a number may be a response.
    fn is_response(&self, y: f64) -> bool;

    /// The means that a fit begins at.
    fn start(&self, responses: &[f64], means: &mut [f64]);

    /// Of a link of its own: η of a mean.
    fn predictor(&self, mean: f64) -> f64;

    /// Of a link of its own: the means at linear predictors, and their derivatives there.
    fn means(&self, predictors: &[f64], means: &mut [f64], slopes: &mut [f64]);

    /// The variances at means, over the dispersion.
    fn variances(&self, means: &[f64], variances: &mut [f64]);

    /// The deviance of each observation of weight 1.
    fn deviances(&self, responses: &[f64], means: &[f64], deviances: &mut [f64]);

    /// ℓ of each observation of weight 1 whose mean is the response itself; with a dispersion φ without −½ ln 2πφ.
    fn saturated(&self, responses: &[f64], log_likelihoods: &mut [f64]);
}

/// A family of a plugin, with a value for each of its parameters.
#[derive(Debug)]
pub struct FamilyDefinition {
    /// Its name.
    pub name: CString,
    /// The parameters with their values.
    pub parameters: Vec<(String, f64)>,
    /// The same as users write them: numbers, and the names of choices.
    pub shown: Vec<(String, Value)>,
    /// The plugin that brings it.
    pub origin: Origin,
    /// What responses it takes, in words.
    pub responses: String,
    /// One of passel's own links, or the name of its own.
    pub link: Result<Link, String>,
    /// Whether the variance is that of [`FamilyFunctions::variances`] times a dispersion, which is estimated.
    pub has_dispersion: bool,
    /// What it computes.
    pub functions: Box<dyn FamilyFunctions>,
    /// The same in CUDA C, if there is any: a text that defines `passel_variance`, `passel_deviance` and of a link of its own
    /// `passel_mean`, as the contract of plugins has it. GPUs fit by it.
    pub cuda: Option<String>,
}

/// A family of a plugin, which lives as long as the process, as plugins do.
#[derive(Clone, Copy)]
pub struct PluginFamily {
    own: &'static FamilyDefinition,
    links: &'static OnceLock<[Link; 1]>,
}

impl PartialEq for PluginFamily {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.own, other.own)
    }
}

impl Eq for PluginFamily {}

impl fmt::Debug for PluginFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spec())
    }
}

impl Deref for PluginFamily {
    type Target = FamilyDefinition;

    fn deref(&self) -> &FamilyDefinition {
        self.own
    }
}

/// The value of a function of slices at one number.
fn one(fill: impl FnOnce(&mut [f64])) -> f64 {
    let mut own = [f64::NAN];
    fill(&mut own);
    own[0]
}

/// Numbers between the least and the largest linear predictor at which a link is looked at.
const BETWEEN: usize = 32;

/// Derivatives and differences agree to this share.
const AGREEMENT: f64 = 1e-3;

/// Responses that a family is tried with.
const TRIED: usize = 64;

impl PluginFamily {
    /// A family, which is never freed.
    pub fn new(definition: FamilyDefinition) -> Self {
        Self {
            own: Box::leak(Box::new(definition)),
            links: Box::leak(Box::new(OnceLock::new())),
        }
    }

    /// Its links: the one that it has.
    pub(super) fn links(self) -> &'static [Link] {
        let own = || {
            self.own
                .link
                .as_ref()
                .map_or(Link::Plugin(self), |own| *own)
        };
        self.links.get_or_init(|| [own()])
    }

    /// Up to so many responses that it takes: whole numbers, shares and positive numbers.
    pub(crate) fn tried(self, count: usize) -> Vec<f64> {
        let any =
            (0..4 * count).map(|at| [at as f64 / 8.0, (at as f64 + 0.5) / (4 * count) as f64]);
        let responses = any.flatten().filter(|y| self.functions.is_response(*y));
        responses.take(count).collect()
    }

    pub(super) fn c_name(self) -> &'static CStr {
        &self.own.name
    }

    pub(super) fn takes(self) -> &'static str {
        &self.own.responses
    }

    /// The name of a link of its own.
    pub(super) fn link_name(self) -> &'static str {
        let name = self.own.link.as_ref().err();
        name.map_or("", String::as_str)
    }

    /// How it is asked for: `PLUGIN/NAME:PARAMETER=VALUE,…`.
    pub fn spec(self) -> String {
        let (plugin, name) = (&self.origin.plugin, self.name.to_string_lossy());
        let shown = self.shown.iter();
        written(
            &format!("{plugin}/{name}"),
            shown.map(|(name, value)| (name.as_str(), value)),
        )
    }

    /// η of a mean, by its link.
    pub(crate) fn predictor(self, mean: f64) -> f64 {
        self.links()[0].predictor(mean)
    }

    pub(super) fn first_mean(self, y: f64) -> f64 {
        one(|mean| self.functions.start(&[y], mean))
    }

    pub(super) fn own_predictor(self, mean: f64) -> f64 {
        self.functions.predictor(mean)
    }

    pub(super) fn mean(self, predictor: f64) -> (f64, f64) {
        let (mut mean, mut slope) = ([f64::NAN], [f64::NAN]);
        self.functions.means(&[predictor], &mut mean, &mut slope);
        (mean[0], slope[0])
    }

    pub(super) fn variance(self, mean: f64) -> f64 {
        one(|variance| self.functions.variances(&[mean], variance))
    }

    pub(super) fn deviance(self, y: f64, mean: f64) -> f64 {
        one(|deviance| self.functions.deviances(&[y], &[mean], deviance))
    }

    /// ℓ of a response whose mean is the response itself; with a dispersion φ without −½ ln 2πφ.
    pub(super) fn saturated(self, y: f64) -> f64 {
        one(|own| self.functions.saturated(&[y], own))
    }

    /// Means at linear predictors, their derivatives there, and the variances at them.
    pub(crate) fn moments(self, predictors: &[f64]) -> [Vec<f64>; 3] {
        let mut all = [0; 3].map(|_| vec![f64::NAN; predictors.len()]);
        let [means, slopes, variances] = &mut all;
        match self.links()[0] {
            Link::Plugin(_) => self.functions.means(predictors, means, slopes),
            link => {
                let rows = predictors.iter().zip(means.iter_mut().zip(slopes));
                rows.for_each(|(eta, (mean, slope))| (*mean, *slope) = link.mean(*eta));
            }
        }
        self.functions.variances(means, variances);
        all
    }

    /// The derivatives of μ′/V with respect to linear predictors, by differences.
    pub(super) fn curvatures(self, predictors: &[f64]) -> Vec<f64> {
        let widths = predictors.iter().map(|eta| 6e-6 * eta.abs().max(1.0));
        let widths: Vec<f64> = widths.collect();
        let shares = |sign: f64| -> Vec<f64> {
            let at = predictors.iter().zip(&widths);
            let at: Vec<f64> = at.map(|(eta, width)| eta + sign * width).collect();
            let [_, slopes, variances] = self.moments(&at);
            let shares = slopes.iter().zip(&variances);
            shares.map(|(slope, variance)| slope / variance).collect()
        };
        let (above, below) = (shares(1.0), shares(-1.0));
        let rows = above.iter().zip(&below).zip(&widths);
        rows.map(|((above, below), width)| (above - below) / (2.0 * width))
            .collect()
    }

    /// Checks that the functions do not contradict one another, with those of some numbers that may be responses.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn check(self, responses: &[f64]) -> Result<(), String> {
        let is_response = |y: &&f64| self.functions.is_response(**y);
        let step = responses.len().div_ceil(TRIED).max(1);
        let tried = responses.iter().filter(is_response).step_by(step);
        let link = self.links()[0];
        let mut slopes: Vec<(f64, f64)> = Vec::new();
        for &y in tried {
            let mean = self.first_mean(y);
            if !mean.is_finite() {
                return Err(format!("the first mean of the response {y} is {mean}"));
            }
            let eta = link.predictor(mean);
            let (back, slope) = link.mean(eta);
            if !eta.is_finite() {
                return Err(format!("the linear predictor of the mean {mean} is {eta}"));
            }
            let is_inverse = (back - mean).abs() <= 1e-6 * mean.abs().max(1e-3);
            if !is_inverse {
                return Err(format!(
                    "the mean {mean} has the linear predictor {eta}, and this has the mean {back}"
                ));
            }
            slopes.push((eta, slope));
            self.check_at(y, mean)?;
        }
        slopes.sort_by(|a, b| a.0.total_cmp(&b.0));
        if let (Some(&(low, _)), Some(&(high, _))) = (slopes.first(), slopes.last()) {
            let at = |share: usize| low + (high - low) * share as f64 / BETWEEN as f64;
            slopes.extend((0..=BETWEEN).map(at).map(|eta| (eta, link.mean(eta).1)));
        }
        let sign = slopes.first().map_or(1.0, |(_, slope)| slope.signum());
        for (eta, slope) in slopes {
            if !(slope * sign > 0.0 && slope.is_finite()) {
                return Err(format!(
                    "its link is not monotone: the derivative of the mean at the linear predictor {eta} is {slope}"
                ));
            }
            let width = 1e-5 * eta.abs().max(1.0);
            let near = (link.mean(eta + width).0 - link.mean(eta - width).0) / (2.0 * width);
            if near.is_finite() && (near / slope - 1.0).abs() > AGREEMENT {
                return Err(format!(
                    "the derivative of the mean at the linear predictor {eta} is {slope}, and by differences {near}"
                ));
            }
        }
        Ok(())
    }

    /// Checks variance and deviance of a response at a mean.
    fn check_at(self, y: f64, mean: f64) -> Result<(), String> {
        let variance = self.variance(mean);
        if !(variance > 0.0 && variance.is_finite()) {
            return Err(format!("the variance at the mean {mean} is {variance}"));
        }
        let deviance = self.deviance(y, mean);
        if !(deviance >= -1e-9 && deviance.is_finite()) {
            return Err(format!(
                "the deviance of the response {y} at the mean {mean} is {deviance}"
            ));
        }
        let saturated = self.saturated(y);
        if !saturated.is_finite() {
            return Err(format!(
                "the log-likelihood of the response {y} at the mean {y} is {saturated}"
            ));
        }
        // Away from y, where it is 0 and its rounding shows.
        let (width, away) = (
            1e-5 * mean.abs().max(1e-3),
            mean + 0.01 * mean.abs().max(1e-3),
        );
        let ends = [away + width, away - width].map(|mean| self.deviance(y, mean));
        let near = (ends[0] - ends[1]) / (2.0 * width);
        let expected = -2.0 * (y - away) / self.variance(away);
        let rounding = 1e-14 * (1.0 + ends[0].abs()) / width;
        if near.is_finite() && (near - expected).abs() > AGREEMENT * expected.abs() + rounding {
            return Err(format!(
                "the derivative of the deviance of the response {y} at the mean {away} is {near}, and −2(y − μ)/V(μ) is {expected}"
            ));
        }
        Ok(())
    }
}
