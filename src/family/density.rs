//! The density, or the probability, of an observation.

use std::f64::consts::PI;

use statrs::function::gamma::ln_gamma;

use super::Distribution;

/// Shapes from here on have lnΓ by its series.
const LARGE_SHAPE: f64 = 1e4;

/// What a distribution has beside its mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scatter {
    /// The dispersion φ; NaN where it is not known. Families without one do not look at it.
    pub(crate) dispersion: f64,
    /// The shape θ of the negative binomial family; NaN of others.
    pub(crate) theta: f64,
}

impl Distribution {
    /// −ln of the density of a response of a weight, or of its probability. A dispersion is one of weight 1: where an
    /// observation weighs w it is φ/w. Of a plugin's family with a dispersion it is the saddlepoint approximation, which is
    /// exact for normal and inverse Gaussian responses.
    ///
    /// *Source:* B. Jørgensen, *The Theory of Dispersion Models* (1997), section 3.5.
    pub(crate) fn minus_log_density(self, y: f64, mean: f64, weight: f64, by: Scatter) -> f64 {
        let half = self.deviance(y, mean, by.theta) / 2.0;
        let dispersion = by.dispersion / weight;
        match self {
            Self::Gaussian => half / dispersion + 0.5 * (2.0 * PI * dispersion).ln(),
            Self::Gamma => {
                let shape = dispersion.recip();
                // ν − ν ln ν + lnΓ(ν) by Stirling's series where its terms are large.
                let rest = match shape > LARGE_SHAPE {
                    true => 0.5 * (2.0 * PI * dispersion).ln() + dispersion / 12.0,
                    false => shape - shape * shape.ln() + ln_gamma(shape),
                };
                half * shape + y.ln() + rest
            }
            Self::Plugin(own) if own.has_dispersion => {
                half / dispersion + 0.5 * (2.0 * PI * dispersion).ln() - own.saturated(y)
            }
            Self::Plugin(own) => half - own.saturated(y),
            _ => half + self.saturated(y, 1.0, by.theta) / 2.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(own: f64, expected: f64) {
        assert!((own - expected).abs() < 1e-10, "{own}, by R {expected}");
    }

    /// Against `-dnorm(…, log = TRUE)` and its kin, in R 4.2.2.
    #[test]
    fn densities_are_those_of_r() {
        let by = |dispersion, theta| Scatter { dispersion, theta };
        let own = |family: Distribution, y, mean, weight, by| {
            family.minus_log_density(y, mean, weight, by)
        };
        let none = f64::NAN;
        let normal = own(Distribution::Gaussian, 1.3, 0.4, 1.7, by(2.5, none));
        near(normal, 1.3871697736106652);
        let gamma = |y, mean, weight, dispersion| {
            own(Distribution::Gamma, y, mean, weight, by(dispersion, none))
        };
        near(gamma(2.2, 3.1, 1.5, 0.4), 1.266021678330248);
        near(gamma(0.03, 0.5, 1.0, 0.8), -0.2919957769345116);
        near(gamma(1002.0, 1000.0, 1.0, 5e-6), 2.125123374139859);
        let poisson = own(Distribution::Poisson, 4.0, 2.7, 1.0, by(none, none));
        near(poisson, 1.9050467383068117);
        let counts = own(Distribution::NegativeBinomial, 5.0, 2.2, 1.0, by(none, 1.4));
        near(counts, 2.9684005205565374);
    }

    /// The series of large shapes goes on where the function ends.
    #[test]
    fn a_narrow_gamma_density_is_near_a_normal_one() {
        for shape in [0.999 * LARGE_SHAPE, 1.001 * LARGE_SHAPE, 1e9] {
            let by = Scatter {
                dispersion: 1.0 / shape,
                theta: f64::NAN,
            };
            let gamma = Distribution::Gamma.minus_log_density(3.0, 3.0, 1.0, by);
            // At its mean: ln of its mode's height by Stirling's formula.
            let expected = 3_f64.ln() + 0.5 * (2.0 * PI / shape).ln() + 1.0 / (12.0 * shape);
            assert!((gamma - expected).abs() < 1e-9, "{gamma} {expected}");
        }
    }
}
