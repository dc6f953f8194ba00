//! Intervals of means and of new observations.

use super::{Equation, Model, PredictionOptions, Scale};
use crate::family::{Distribution, Link, normal_quantile, student_t_quantile};

/// The q with which an interval is q standard errors to either side; none for levels outside (0, 1).
pub(super) fn quantile(equation: &Equation, level: f64) -> Option<f64> {
    (level > 0.0 && level < 1.0).then(|| match equation.df {
        Some(df) => student_t_quantile(level, df as f64),
        None => normal_quantile(level),
    })
}

/// How linear predictors become what is asked for.
pub(super) struct OnScale {
    pub(super) link: Link,
    distribution: Option<Distribution>,
    scale: Scale,
}

impl OnScale {
    pub(super) fn of(model: &Model, options: &PredictionOptions) -> Self {
        let mut all = Distribution::ALL.into_iter();
        Self {
            link: Link::named(&model.link)
                .or(model.plugin_link)
                .unwrap_or(Link::Identity),
            distribution: all.find(|own| own.name() == model.family),
            scale: options.scale,
        }
    }

    /// What is asked for at a linear predictor, and its derivative.
    pub(super) fn fit(&self, eta: f64) -> (f64, f64) {
        match self.scale {
            _ if eta.is_nan() => (f64::NAN, f64::NAN),
            Scale::Link => (eta, 1.0),
            Scale::Response => self.link.mean(eta),
        }
    }

    /// The ends of an interval q standard errors to either side of a linear predictor, in rising order.
    pub(super) fn ends(&self, eta: f64, half: f64) -> [f64; 2] {
        let ends = [eta - half, eta + half];
        if self.scale == Scale::Link || ends.iter().any(|end| end.is_nan()) {
            return ends;
        }
        match self.link {
            // It falls as the linear predictor rises, and has no mean where that is not above 0.
            Link::Inverse if ends[0] <= 0.0 => [self.link.mean(ends[1]).0, f64::INFINITY],
            Link::Inverse => [1, 0].map(|at| self.link.mean(ends[at]).0),
            Link::Plugin(_) => {
                let mut ends = ends.map(|end| self.link.mean(end).0);
                ends.sort_by(f64::total_cmp);
                ends
            }
            link => ends.map(|end| link.mean(end).0),
        }
    }

    /// The variance of an observation of a weight about its mean, on the scale of the response; none where the family has no
    /// interval of one.
    pub(super) fn variance(&self, equation: &Equation, mean: f64, weight: f64) -> Option<f64> {
        let dispersion = equation.dispersion?;
        Some(match self.distribution? {
            Distribution::Gaussian => dispersion / weight,
            Distribution::Poisson => dispersion * mean / weight,
            Distribution::NegativeBinomial => {
                (mean + mean * mean / equation.theta.unwrap_or(f64::INFINITY)) / weight
            }
            Distribution::Gamma => dispersion * mean * mean / weight,
            _ => return None,
        })
    }

    /// Whether a new observation has an interval.
    pub(super) fn has_observations(&self) -> bool {
        matches!(
            self.distribution,
            Some(
                Distribution::Gaussian
                    | Distribution::Poisson
                    | Distribution::NegativeBinomial
                    | Distribution::Gamma
            )
        )
    }

    /// An interval of an observation, which is not below 0 of counts and of positive numbers.
    pub(super) fn observation(&self, fit: f64, half: f64) -> [f64; 2] {
        let ends = [fit - half, fit + half];
        match self.distribution {
            Some(Distribution::Gaussian) | None => ends,
            Some(_) => ends.map(|end| if end < 0.0 { 0.0 } else { end }),
        }
    }

    /// Brings the ends of an interval of averages into what means can be.
    pub(super) fn inside(&self, ends: [f64; 2]) -> [f64; 2] {
        if self.scale == Scale::Link {
            return ends;
        }
        let (least, most) = match self.link {
            Link::Identity | Link::Plugin(_) => return ends,
            Link::Log | Link::Inverse => (0.0, f64::INFINITY),
            Link::Logit | Link::Probit | Link::Cloglog => (0.0, 1.0),
        };
        ends.map(|end| {
            if end.is_nan() {
                end
            } else {
                end.clamp(least, most)
            }
        })
    }
}
