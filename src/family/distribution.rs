//! Distributions of a response about its mean.

use std::{f64::consts::PI, ffi::CStr, fmt};

use statrs::function::gamma::ln_gamma;

use super::{FamilyError, Link, PluginFamily};

/// The distribution of a response about its mean μ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distribution {
    /// Normal, of one variance.
    Gaussian,
    /// The share of events among a number of trials.
    Binomial,
    /// A count of variance μ.
    Poisson,
    /// A count of variance μ + μ²/θ.
    NegativeBinomial,
    /// A positive number of variance φμ².
    Gamma,
    /// Survival times, by Cox's partial likelihood: events about the hazard that each observation has met.
    Cox,
    /// Ordered levels, by the model of proportional odds.
    Ordinal,
    /// Levels without order, by the multinomial logit model.
    Multinomial,
    /// That of a plugin.
    Plugin(PluginFamily),
}

/// Counts below this have lnΓ(θ + y) − lnΓ(θ) as a sum.
const SUMMED: f64 = 4096.0;

/// Shapes from here on have lnΓ by its series.
const LARGE_SHAPE: f64 = 1e4;

/// x·ln(x/y), 0 where x is 0.
fn x_ln_ratio(x: f64, y: f64) -> f64 {
    if x > 0.0 { x * (x / y).ln() } else { 0.0 }
}

impl Distribution {
    /// All of passel's own distributions.
    pub(crate) const ALL: [Self; 8] = [
        Self::Gaussian,
        Self::Binomial,
        Self::Poisson,
        Self::NegativeBinomial,
        Self::Gamma,
        Self::Cox,
        Self::Ordinal,
        Self::Multinomial,
    ];

    /// Its name, as options have it.
    pub fn name(self) -> &'static str {
        self.c_name().to_str().unwrap_or_default()
    }

    /// How it is asked for: its name, of a plugin's with the plugin and all parameters.
    pub fn spec(self) -> String {
        match self {
            Self::Plugin(own) => own.spec(),
            own => own.name().to_owned(),
        }
    }

    /// Its name, as plugins are told of it.
    pub(super) fn c_name(self) -> &'static CStr {
        match self {
            Self::Gaussian => c"gaussian",
            Self::Binomial => c"binomial",
            Self::Poisson => c"poisson",
            Self::NegativeBinomial => c"negative-binomial",
            Self::Gamma => c"gamma",
            Self::Cox => c"cox",
            Self::Ordinal => c"ordinal",
            Self::Multinomial => c"multinomial",
            Self::Plugin(own) => own.c_name(),
        }
    }

    /// Passel's own distribution of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.name() == name)
    }

    /// The links that it may have, the default first.
    pub fn links(self) -> &'static [Link] {
        match self {
            Self::Gaussian => &[Link::Identity],
            Self::Binomial => &[Link::Logit, Link::Probit, Link::Cloglog],
            Self::Poisson | Self::NegativeBinomial | Self::Cox => &[Link::Log],
            Self::Gamma => &[Link::Log, Link::Inverse],
            Self::Ordinal | Self::Multinomial => &[Link::Logit],
            Self::Plugin(own) => own.links(),
        }
    }

    /// What responses it takes, in words.
    pub(super) fn takes(self) -> &'static str {
        match self {
            Self::Gaussian => "numbers",
            Self::Binomial => {
                "0 and 1 (of two other values --success says which is the event), or events of --trials"
            }
            Self::Poisson | Self::NegativeBinomial => "whole numbers from 0 on",
            Self::Gamma => "numbers above 0",
            Self::Cox => "times, with an event or none at each",
            Self::Ordinal => "ordered levels: numbers, or texts whose order --levels says",
            Self::Multinomial => "levels: texts or numbers",
            Self::Plugin(own) => own.takes(),
        }
    }

    pub(super) fn is_response(self, y: f64) -> bool {
        match self {
            Self::Gaussian => y.is_finite(),
            Self::Binomial
            | Self::Poisson
            | Self::NegativeBinomial
            | Self::Ordinal
            | Self::Multinomial => y.is_finite() && y >= 0.0 && y.fract() == 0.0,
            Self::Gamma => y.is_finite() && y > 0.0,
            Self::Cox => matches!(y, 0.0 | 1.0),
            Self::Plugin(own) => y.is_finite() && own.functions.is_response(y),
        }
    }

    pub(super) fn is_mean(self, mean: f64) -> bool {
        match self {
            Self::Gaussian | Self::Plugin(_) => mean.is_finite(),
            Self::Binomial => mean > 0.0 && mean < 1.0,
            Self::Poisson | Self::NegativeBinomial | Self::Gamma => mean > 0.0 && mean.is_finite(),
            Self::Cox => mean >= 0.0 && mean.is_finite(),
            Self::Ordinal | Self::Multinomial => (0.0..=1.0).contains(&mean),
        }
    }

    /// The variance at a mean, over the dispersion; `theta` is that of the negative binomial.
    pub(super) fn variance(self, mean: f64, theta: f64) -> f64 {
        match self {
            Self::Gaussian | Self::Ordinal | Self::Multinomial => 1.0,
            Self::Binomial => mean * (1.0 - mean),
            Self::Poisson | Self::Cox => mean,
            Self::NegativeBinomial => mean + mean * mean / theta,
            Self::Gamma => mean * mean,
            Self::Plugin(own) => own.variance(mean),
        }
    }

    /// A first guess of a mean.
    pub(super) fn first_mean(self, y: f64, trials: f64) -> f64 {
        match self {
            Self::Gaussian | Self::Gamma | Self::Cox | Self::Ordinal | Self::Multinomial => y,
            Self::Binomial => (trials * y + 0.5) / (trials + 1.0),
            Self::Poisson => y + 0.1,
            Self::NegativeBinomial => y + if y == 0.0 { 1.0 / 6.0 } else { 0.0 },
            Self::Plugin(own) => own.first_mean(y),
        }
    }

    /// The deviance of one observation of weight 1.
    pub(crate) fn deviance(self, y: f64, mean: f64, theta: f64) -> f64 {
        2.0 * match self {
            Self::Gaussian => (y - mean).powi(2) / 2.0,
            Self::Plugin(own) => own.deviance(y, mean) / 2.0,
            // The mean is the probability of the level that was seen, or of one that was seen or not.
            Self::Ordinal => -mean.ln(),
            Self::Multinomial => x_ln_ratio(y, mean),
            Self::Binomial => x_ln_ratio(y, mean) + x_ln_ratio(1.0 - y, 1.0 - mean),
            Self::Poisson | Self::Cox => x_ln_ratio(y, mean) - (y - mean),
            Self::NegativeBinomial => {
                x_ln_ratio(y, mean) - (y + theta) * ((y - mean) / (mean + theta)).ln_1p()
            }
            Self::Gamma => {
                let share = (y - mean) / mean;
                match share.abs() < 1e-4 {
                    // Its series, where differences of near numbers are rounding.
                    true => share * share * (0.5 - share / 3.0 + share * share / 4.0),
                    false => share - share.ln_1p(),
                }
            }
        }
    }

    /// −2ℓ of one observation of weight 1 whose mean is the response itself, which its deviance is above; `trials` is the
    /// number of trials of the share y. None where the likelihood has a dispersion, which is estimated.
    pub(crate) fn saturated(self, y: f64, trials: f64, theta: f64) -> f64 {
        let choose = |n: f64, k: f64| ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0);
        -2.0 * match self {
            Self::Gaussian
            | Self::Gamma
            | Self::Cox
            | Self::Ordinal
            | Self::Multinomial
            // Those are a sum that the response has.
            | Self::Plugin(_) => 0.0,
            Self::Binomial => {
                let k = (trials * y).round();
                let ways = if trials > 1.0 { choose(trials, k) } else { 0.0 };
                ways + trials * (x_ln_ratio(y, 1.0) + x_ln_ratio(1.0 - y, 1.0))
            }
            Self::Poisson => x_ln_ratio(y, 1.0) - y - ln_gamma(y + 1.0),
            Self::NegativeBinomial => {
                // Differences of large logarithms lose digits.
                let rise = match y < SUMMED {
                    true => (0..y as u32).map(|k| (theta + f64::from(k)).ln()).sum(),
                    false => ln_gamma(theta + y) - ln_gamma(theta),
                };
                rise - ln_gamma(y + 1.0) - theta * (y / theta).ln_1p() + x_ln_ratio(y, 1.0)
                    - y * (theta + y).ln()
            }
        }
    }

    /// −2ℓ of a family with a dispersion, which is the deviance over the sum of weights: as R's `logLik`. `logs` is the
    /// weighted sum of ln y, of a plugin's family −2 times that of its constants.
    pub(super) fn profiled(self, deviance: f64, total: f64, logs: f64) -> f64 {
        let dispersion = (deviance / total).max(f64::MIN_POSITIVE);
        match self {
            Self::Gamma => {
                let shape = 1.0 / dispersion;
                // Σ w (ln μ + y/μ) = D/2 + Σ w (1 + ln y); the rest by Stirling's series where its terms are large.
                let rest = match shape > LARGE_SHAPE {
                    true => 0.5 * (2.0 * PI * dispersion).ln() + dispersion / 12.0,
                    false => shape + shape * dispersion.ln() + ln_gamma(shape),
                };
                2.0 * (logs + total * (0.5 + rest))
            }
            Self::Plugin(_) => logs + total * ((2.0 * PI * dispersion).ln() + 1.0),
            _ => total * ((2.0 * PI * dispersion).ln() + 1.0),
        }
    }

    /// The plugin's family that it is.
    pub(crate) fn plugin(self) -> Option<PluginFamily> {
        match self {
            Self::Plugin(own) => Some(own),
            _ => None,
        }
    }

    /// Whether its responses are levels.
    pub(crate) fn has_levels(self) -> bool {
        matches!(self, Self::Ordinal | Self::Multinomial)
    }

    /// Whether its likelihood has a dispersion that is estimated.
    pub(super) fn has_dispersion(self) -> bool {
        match self {
            Self::Plugin(own) => own.has_dispersion,
            own => matches!(own, Self::Gaussian | Self::Gamma),
        }
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A distribution with a link: the normal one with the identity, unless another is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    distribution: Distribution,
    link: Link,
}

impl Default for Family {
    fn default() -> Self {
        Self::NORMAL
    }
}

impl Family {
    /// The normal distribution with the identity, of which maximum likelihood is least squares.
    pub const NORMAL: Self = Self {
        distribution: Distribution::Gaussian,
        link: Link::Identity,
    };

    /// Cox's regression of survival times.
    pub const COX: Self = Self {
        distribution: Distribution::Cox,
        link: Link::Log,
    };

    /// The model of proportional odds.
    pub const ORDINAL: Self = Self {
        distribution: Distribution::Ordinal,
        link: Link::Logit,
    };

    /// The multinomial logit model.
    pub const MULTINOMIAL: Self = Self {
        distribution: Distribution::Multinomial,
        link: Link::Logit,
    };

    /// A distribution with a link, its first one where none is given.
    ///
    /// # Errors
    /// A link that the distribution cannot have.
    pub fn new(distribution: Distribution, link: Option<Link>) -> Result<Self, FamilyError> {
        let links = distribution.links();
        let link = link.unwrap_or(links[0]);
        match links.contains(&link) {
            true => Ok(Self { distribution, link }),
            false => Err(FamilyError::Link { distribution, link }),
        }
    }

    /// The distribution.
    pub fn distribution(self) -> Distribution {
        self.distribution
    }

    /// The link.
    pub fn link(self) -> Link {
        self.link
    }

    /// The derivative of μ′/V with respect to the linear predictor η, V the variance at the mean μ, and μ′ = dμ/dη: 0
    /// where the link is the canonical one.
    pub(super) fn curvature(self, eta: f64, mean: f64, slope: f64, theta: f64) -> f64 {
        let share = slope / self.distribution.variance(mean, theta);
        match (self.distribution, self.link) {
            (_, Link::Probit) => -share * (eta + share * (1.0 - 2.0 * mean)),
            (_, Link::Cloglog) => share * (1.0 - slope / mean),
            (Distribution::NegativeBinomial, Link::Log) => -share * share * mean / theta,
            (Distribution::Gamma, Link::Log) => -1.0 / mean,
            _ => 0.0,
        }
    }

    /// Whether it is that of logistic or Poisson regression.
    pub(super) fn is_logistic_or_poisson(self) -> bool {
        matches!(
            (self.distribution, self.link),
            (Distribution::Binomial, Link::Logit) | (Distribution::Poisson, Link::Log)
        )
    }

    /// Whether its responses are levels.
    pub(crate) fn has_levels(self) -> bool {
        self.distribution.has_levels()
    }

    /// Checks that there are estimates by Firth's penalty.
    ///
    /// # Errors
    /// It is not the family of logistic or Poisson regression, whose penalty is Jeffreys' prior.
    pub(crate) fn check_firth(self) -> Result<(), FamilyError> {
        match self.is_logistic_or_poisson() {
            true => Ok(()),
            false => Err(FamilyError::Firth {
                distribution: self.distribution,
                link: self.link,
            }),
        }
    }

    /// The error of a model that no mean is a start of.
    pub(super) fn no_start(self) -> FamilyError {
        FamilyError::NoStart {
            distribution: self.distribution,
            link: self.link,
        }
    }

    /// Whether the linear predictor is the natural parameter, up to its sign, so that observed and expected second derivatives
    /// of the log-likelihood are the same.
    pub fn is_canonical(self) -> bool {
        matches!(
            (self.distribution, self.link),
            (Distribution::Gaussian, Link::Identity)
                | (Distribution::Binomial, Link::Logit)
                | (Distribution::Poisson, Link::Log)
                | (Distribution::Gamma, Link::Inverse)
        )
    }
}
