//! A family that is none of passel's own, as a plugin brings one: counts of variance μ + μ²/2.

use passel::{
    criteria::Origin,
    family::{Distribution, FamilyDefinition, FamilyFunctions, Link, PluginFamily},
};

const THETA: f64 = 2.0;

#[derive(Debug)]
struct Counts;

fn y_ln_ratio(y: f64, mean: f64) -> f64 {
    if y > 0.0 { y * (y / mean).ln() } else { 0.0 }
}

impl FamilyFunctions for Counts {
    fn is_response(&self, y: f64) -> bool {
        y >= 0.0 && y.fract() == 0.0
    }

    fn start(&self, responses: &[f64], means: &mut [f64]) {
        let rows = means.iter_mut().zip(responses);
        rows.for_each(|(mean, y)| *mean = y + 0.1);
    }

    fn predictor(&self, mean: f64) -> f64 {
        mean.ln()
    }

    fn means(&self, predictors: &[f64], means: &mut [f64], slopes: &mut [f64]) {
        for (eta, (mean, slope)) in predictors.iter().zip(means.iter_mut().zip(slopes)) {
            (*mean, *slope) = (eta.exp(), eta.exp());
        }
    }

    fn variances(&self, means: &[f64], variances: &mut [f64]) {
        let rows = variances.iter_mut().zip(means);
        rows.for_each(|(variance, mean)| *variance = mean + mean * mean / THETA);
    }

    fn deviances(&self, responses: &[f64], means: &[f64], deviances: &mut [f64]) {
        for (own, (y, mean)) in deviances.iter_mut().zip(responses.iter().zip(means)) {
            let ratio = ((y - mean) / (mean + THETA)).ln_1p();
            *own = 2.0 * (y_ln_ratio(*y, *mean) - (y + THETA) * ratio);
        }
    }

    /// Up to a constant.
    fn saturated(&self, _: &[f64], log_likelihoods: &mut [f64]) {
        log_likelihoods.fill(0.0);
    }
}

/// Its functions in CUDA C.
const CUDA: &str = "
__device__ double passel_variance(const double *values, double mean)
{
    return mean + mean * mean / values[0];
}
__device__ double passel_deviance(const double *values, double y, double mean)
{
    const double theta = values[0], ratio = log1p((y - mean) / (mean + theta));
    return 2.0 * ((y > 0.0 ? y * log(y / mean) : 0.0) - (y + theta) * ratio);
}
";

/// Its own link in CUDA C.
const CUDA_LINK: &str = "
__device__ void passel_mean(const double *, double predictor, double *mean, double *slope)
{
    *mean = *slope = exp(predictor);
}
";

/// The family, with the engine's link or the same as one of its own; GPUs fit it or not.
pub fn counts(link: Result<Link, String>, has_twin: bool) -> Distribution {
    let cuda = match &link {
        Ok(_) => CUDA.to_owned(),
        Err(_) => CUDA.to_owned() + CUDA_LINK,
    };
    Distribution::Plugin(PluginFamily::new(FamilyDefinition {
        name: c"own-counts".to_owned(),
        parameters: vec![("theta".to_owned(), THETA)],
        shown: vec![("theta".to_owned(), THETA.into())],
        origin: Origin {
            plugin: "tests".to_owned(),
            version: "1".to_owned(),
            sha256: None,
        },
        responses: "whole numbers from 0 on".to_owned(),
        link,
        has_dispersion: false,
        functions: Box::new(Counts),
        cuda: has_twin.then_some(cuda),
    }))
}
