//! Links: how the mean of a response depends on the linear predictor.

use std::{f64::consts::PI, fmt};

use libm::erfc;
use statrs::function::erf::erfc_inv;

use super::PluginFamily;

/// A link g: the linear predictor is η = g(μ).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// η = μ.
    Identity,
    /// η = ln(μ / (1 − μ)).
    Logit,
    /// η = Φ⁻¹(μ), the normal quantile.
    Probit,
    /// η = ln(−ln(1 − μ)), the complementary log-log link.
    Cloglog,
    /// η = ln μ.
    Log,
    /// η = 1/μ.
    Inverse,
    /// That of a family of a plugin.
    Plugin(PluginFamily),
}

/// Probabilities are kept this far from 0 and 1.
const LEAST: f64 = f64::EPSILON;

impl Link {
    /// All of passel's own links.
    pub(crate) const ALL: [Self; 6] = [
        Self::Identity,
        Self::Logit,
        Self::Probit,
        Self::Cloglog,
        Self::Log,
        Self::Inverse,
    ];

    /// Its name, as options have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Logit => "logit",
            Self::Probit => "probit",
            Self::Cloglog => "cloglog",
            Self::Log => "log",
            Self::Inverse => "inverse",
            Self::Plugin(own) => own.link_name(),
        }
    }

    /// The link of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|link| link.name() == name)
    }

    /// η of a mean.
    pub(super) fn predictor(self, mean: f64) -> f64 {
        match self {
            Self::Identity => mean,
            Self::Logit => (mean / (1.0 - mean)).ln(),
            Self::Probit => -std::f64::consts::SQRT_2 * erfc_inv(2.0 * mean),
            Self::Cloglog => (-(-mean).ln_1p()).ln(),
            Self::Log => mean.ln(),
            Self::Inverse => 1.0 / mean,
            Self::Plugin(own) => own.own_predictor(mean),
        }
    }

    /// The mean at η, and its derivative there.
    pub(crate) fn mean(self, predictor: f64) -> (f64, f64) {
        let eta = predictor;
        match self {
            Self::Identity => (eta, 1.0),
            Self::Logit => {
                let e = (-eta.abs()).exp();
                let small = e / (1.0 + e);
                let mean = if eta < 0.0 { small } else { 1.0 / (1.0 + e) };
                (inside(mean), (e / (1.0 + e).powi(2)).max(LEAST))
            }
            Self::Probit => {
                let mean = erfc(-eta / std::f64::consts::SQRT_2) / 2.0;
                let density = (-eta * eta / 2.0).exp() / (2.0 * PI).sqrt();
                (inside(mean), density.max(LEAST))
            }
            Self::Cloglog => {
                let e = eta.min(700.0).exp();
                (inside(-(-e).exp_m1()), (e * (-e).exp()).max(LEAST))
            }
            Self::Log => {
                let mean = eta.exp().max(f64::MIN_POSITIVE);
                (mean, mean)
            }
            Self::Inverse => (1.0 / eta, -1.0 / (eta * eta)),
            Self::Plugin(own) => own.mean(eta),
        }
    }
}

/// P(|Z| ≥ |z|) of a normal deviate.
pub(crate) fn two_sided_normal(z: f64) -> f64 {
    erfc(z.abs() / std::f64::consts::SQRT_2)
}

fn inside(mean: f64) -> f64 {
    mean.clamp(LEAST, 1.0 - LEAST)
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_predictors_are_inverse_and_slopes_are_theirs() {
        for link in Link::ALL {
            let means = match link {
                Link::Logit | Link::Probit | Link::Cloglog => [0.01, 0.3, 0.5, 0.8, 0.995],
                _ => [0.01, 0.4, 1.0, 3.0, 200.0],
            };
            for mean in means {
                let eta = link.predictor(mean);
                let (back, slope) = link.mean(eta);
                // The inverse of erfc has fewer digits; it makes first guesses alone.
                let tolerance = if link == Link::Probit { 1e-9 } else { 1e-12 };
                assert!(
                    (back / mean - 1.0).abs() < tolerance,
                    "{link} {mean} {back}"
                );
                let h = 1e-6 * eta.abs().max(0.1);
                let near = (link.mean(eta + h).0 - link.mean(eta - h).0) / (2.0 * h);
                assert!((slope / near - 1.0).abs() < 1e-6, "{link} {mean}");
            }
            assert_eq!(Link::named(link.name()), Some(link));
        }
        // Φ(1.96) and Φ(−2.5), to 16 digits.
        for (eta, mean) in [
            (1.96, 0.975_002_104_851_779_5),
            (-2.5, 0.006_209_665_325_776_139),
        ] {
            assert!(
                (Link::Probit.mean(eta).0 / mean - 1.0).abs() < 1e-13,
                "{eta}"
            );
        }
        for eta in [-800.0, 800.0] {
            for link in [Link::Logit, Link::Probit, Link::Cloglog] {
                let (mean, slope) = link.mean(eta);
                assert!(mean > 0.0 && mean < 1.0 && slope > 0.0, "{link} {eta}");
            }
        }
    }
}
