//! The functions of a plugin's family, as a GPU computes them.
//!
//! ```text
//! out = μ(ηᵢ), dμ/dη(ηᵢ), V(μ(ηᵢ)), d(yᵢ; μ(ηᵢ))     i = 0 … count − 1
//! ```
//!
//! *Shapes*: `values` a number for each parameter of the family; `predictors` η and `responses` y, `count` numbers each;
//! `out` 4·count, one kind behind another.
//!
//! *Launch*: `family_values`, any one-dimensional grid and block (a thread an observation); no dynamic shared memory.
//!
//! *Exactness*: that of the functions.

use crate::{Kernel, newton};

/// With counts of variance μ + μ²/θ for a family, and the logarithm for its link: what a plugin's is compiled with.
pub const KERNEL: Kernel = Kernel::new(
    "family_values",
    concat!(
        source!("family_counts.cuh"),
        "#define MEAN log_mean\n",
        source!("family.cuh", "family_values.cu")
    ),
    &["family_values"],
);

/// The kernel with a plugin's family in CUDA C: its name, its link where that is one of passel's own, and its text. Messages of
/// the compiler name the lines of the text.
///
/// ```
/// let text = passel_kernels::family_values::with("nb2", Some("log"), "__device__ double passel_variance() {}");
/// assert!(text.starts_with("#line 1 \"nb2.cu\"\n__device__"));
/// assert!(text.contains("\n#define MEAN log_mean\n"));
/// ```
pub fn with(name: &str, link: Option<&str>, twin: &str) -> String {
    head(name, link, twin) + source!("family_values.cu")
}

/// What precedes the functions of a kernel that calls those of a family.
pub(crate) fn head(name: &str, link: Option<&str>, twin: &str) -> String {
    let mean = link.map_or("passel_mean".to_owned(), |link| format!("{link}_mean"));
    let text = source!("family.cuh");
    format!("#line 1 \"{name}.cu\"\n{twin}\n#define MEAN {mean}\n{text}")
}

/// What the kernel gives, on the CPU: of a family with these moments (mean, slope and variance at a linear predictor) and this
/// deviance of a response at a mean.
///
/// ```
/// let square = passel_kernels::newton::Moments { mean: 3.0, slope: 1.0, variance: 2.0 };
/// let all = passel_kernels::family_values::reference(&[0.5], &[5.0], |_| square, |y, mean| (y - mean).powi(2));
/// assert_eq!(all, [3.0, 1.0, 2.0, 4.0]);
/// ```
pub fn reference(
    predictors: &[f64],
    responses: &[f64],
    moments: impl Fn(f64) -> newton::Moments,
    deviance: impl Fn(f64, f64) -> f64,
) -> Vec<f64> {
    let all: Vec<newton::Moments> = predictors.iter().map(|eta| moments(*eta)).collect();
    let deviances = all.iter().zip(responses);
    let deviances: Vec<f64> = deviances.map(|(own, y)| deviance(*y, own.mean)).collect();
    let of = |part: fn(&newton::Moments) -> f64| all.iter().map(part);
    of(|own| own.mean)
        .chain(of(|own| own.slope))
        .chain(of(|own| own.variance))
        .chain(deviances)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_of_its_own_is_the_texts() {
        assert!(with("own", None, "").contains("\n#define MEAN passel_mean\n"));
        for link in ["identity", "logit", "probit", "cloglog", "log", "inverse"] {
            let function = format!("void {link}_mean(const double*, double eta");
            assert!(with("own", Some(link), "").contains(&function), "{link}");
        }
    }

    #[test]
    fn a_mean_has_its_own_deviance() {
        let at = |eta: f64| newton::Moments::of_counts(2.0, eta);
        let deviance = |y: f64, mean: f64| newton::deviance_of_counts(2.0, y, mean);
        let all = reference(&[0.0, 3f64.ln()], &[1.0, 3.0], at, deviance);
        // μ + μ²/2 of 1 and 3; a response that is its mean has no deviance.
        for (own, expected) in all.iter().zip([1.0, 3.0, 1.0, 3.0, 1.5, 7.5, 0.0, 0.0]) {
            assert!((own - expected).abs() < 1e-14, "{all:?}");
        }
    }
}
