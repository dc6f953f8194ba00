//! A response of a family: its values, trials, weights and offsets.

use super::{
    Distribution, Family, FamilyError, JointResponse, PluginFamily,
    theta::{self, Counts},
};
use crate::vector::product;

/// The dispersion of a quasi-likelihood: how many times more a response scatters than its family.
///
/// *Source:* K. P. Burnham, D. R. Anderson, Model Selection and Multimodel Inference, 2002, section 2.5.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum QuasiDispersion {
    /// Pearson's χ² over its degrees of freedom in the model of all candidates, at least 1.
    Estimated,
    /// A number above 0.
    Given(f64),
}

/// Sums of half deviances have lost no digits up to so much for each observation.
const LARGE: f64 = 50.0;

/// A response of a family.
///
/// *Shapes:* n values each.
#[derive(Debug, Clone)]
pub struct FamilyResponse {
    pub(super) family: Family,
    /// Of the binomial family the shares of events.
    pub(super) y: Vec<f64>,
    /// Weights times trials.
    pub(super) weights: Vec<f64>,
    pub(super) trials: Vec<f64>,
    pub(super) offset: Vec<f64>,
    /// Whether the family is binomial and each observation has events alone, or none.
    pub(super) is_all_or_none: bool,
    /// What Σ w[b(η) − yη] of logistic or Poisson regression lacks of half a deviance, in b the cumulant function.
    pub(super) shift: f64,
    /// Whether these sums are not far larger than a deviance.
    pub(super) is_summable: bool,
    /// What rounding may change of a deviance.
    pub(super) rounding: f64,
    /// The sum of the weights.
    pub(super) total: f64,
    /// Of a likelihood of all observations together its data: of survival times who is at risk when, and `y` are the events;
    /// of ordered levels these, and `y` are their numbers.
    pub(super) joint: Option<JointResponse>,
    /// Of a plugin's family: −2ℓ of means that are the responses themselves.
    pub(super) constants: f64,
    /// Of the negative binomial family.
    pub(super) counts: Counts,
    /// Of a quasi-likelihood, and its degrees of freedom where it was estimated.
    pub(super) quasi: Option<(f64, Option<usize>)>,
}

impl FamilyResponse {
    /// The response with the quasi-likelihood of a dispersion: standard errors are those of the likelihood times its root,
    /// and a search compares −2ℓ over it. `freedom` are its degrees of freedom, if it was estimated.
    ///
    /// # Errors
    /// A family that has a dispersion, or a variance, of its own; a dispersion that is no number above 0.
    pub fn with_dispersion(self, value: f64, freedom: Option<usize>) -> Result<Self, FamilyError> {
        let distribution = self.family.distribution();
        if !(value > 0.0 && value.is_finite()) {
            return Err(FamilyError::DispersionValue { value });
        }
        match distribution {
            Distribution::Binomial | Distribution::Poisson => Ok(Self {
                quasi: Some((value, freedom)),
                ..self
            }),
            _ => Err(FamilyError::Dispersion { distribution }),
        }
    }

    /// The dispersion of a quasi-likelihood, and its degrees of freedom if it was estimated.
    pub fn quasi_dispersion(&self) -> Option<(f64, Option<usize>)> {
        self.quasi
    }

    /// A response: numbers as the distribution takes them. Of the binomial family they are events of so many `trials`,
    /// without these 0 or 1. `weights` multiply the terms of the log-likelihood; `offset` is added to the linear
    /// predictor. Each may be empty.
    ///
    /// # Errors
    /// The first value that the family cannot have, with its row; one level alone.
    pub fn new(
        family: Family,
        y: &[f64],
        trials: &[f64],
        weights: &[f64],
        offset: &[f64],
    ) -> Result<Self, FamilyError> {
        let (n, distribution) = (y.len(), family.distribution());
        let parts = [("trials", trials), ("weights", weights), ("offset", offset)];
        for (what, values) in parts {
            if !values.is_empty() && values.len() != n {
                let found = values.len();
                return Err(FamilyError::Length { what, found, n });
            }
            let least = if what == "offset" {
                f64::NEG_INFINITY
            } else {
                0.0
            };
            let wrong = |value: f64| match value {
                value if !value.is_finite() => Some("not finite"),
                value if value < least => Some("below 0"),
                value if what == "trials" && (value < 1.0 || value.fract() != 0.0) => {
                    Some("no number of trials")
                }
                _ => None,
            };
            for (row, value) in (1..).zip(values) {
                if let Some(wrong) = wrong(*value) {
                    let value = *value;
                    return Err(FamilyError::Number {
                        row,
                        what,
                        value,
                        wrong,
                    });
                }
            }
        }
        let of = |values: &[f64], row: usize, none: f64| values.get(row).copied().unwrap_or(none);
        let all_single = trials.is_empty();
        for (row, value) in y.iter().enumerate() {
            let trials = of(trials, row, 1.0);
            if !distribution.is_response(*value) {
                return Err(FamilyError::Value {
                    row: row + 1,
                    value: *value,
                    distribution,
                });
            }
            let is_single = distribution == Distribution::Binomial && all_single;
            if is_single && *value > 1.0 {
                return Err(FamilyError::Value {
                    row: row + 1,
                    value: *value,
                    distribution,
                });
            }
            if distribution == Distribution::Binomial && *value > trials {
                return Err(FamilyError::Trials {
                    row: row + 1,
                    events: *value,
                    trials,
                });
            }
        }
        let all: Vec<f64> = (0..n).map(|row| of(trials, row, 1.0)).collect();
        let shares = y.iter().zip(&all);
        let shares: Vec<f64> = match distribution {
            Distribution::Binomial => shares.map(|(y, trials)| y / trials).collect(),
            _ => y.to_vec(),
        };
        let counted: Vec<f64> = (0..n)
            .map(|row| {
                of(weights, row, 1.0)
                    * if distribution == Distribution::Binomial {
                        all[row]
                    } else {
                        1.0
                    }
            })
            .collect();
        let mut used = shares
            .iter()
            .zip(&counted)
            .filter(|(_, weight)| **weight > 0.0);
        if let Some((first, _)) = used.next()
            && used.all(|(y, _)| y == first)
            && match (distribution, *first) {
                _ if offset.is_empty() => true,
                (Distribution::Binomial, _) | (_, 0.0) => matches!(*first, 0.0 | 1.0),
                _ => false,
            }
        {
            return Err(FamilyError::OneLevel { value: *first });
        }
        let counts = match distribution {
            Distribution::NegativeBinomial => Counts::of(&shares, &counted),
            _ => Counts::default(),
        };
        let constants = match distribution {
            Distribution::Plugin(own) => constants_of_plugin(own, &shares, &counted)?,
            _ => 0.0,
        };
        let x_ln_x = |x: f64| if x > 0.0 { x * x.ln() } else { 0.0 };
        let shifts = shares.iter().zip(&counted).map(|(y, weight)| {
            weight
                * match distribution {
                    Distribution::Binomial => x_ln_x(*y) + x_ln_x(1.0 - y),
                    Distribution::Poisson => x_ln_x(*y) - y,
                    _ => 0.0,
                }
        });
        let shifts: Vec<f64> = shifts.collect();
        // Deviances are about as large as the number of observations.
        let size: f64 = shifts.iter().map(|shift| shift.abs()).sum();
        let rows = counted.iter().filter(|weight| **weight > 0.0).count();
        Ok(Self {
            family,
            shift: shifts.iter().sum(),
            is_summable: size <= LARGE * rows as f64,
            rounding: f64::EPSILON * size,
            total: counted.iter().sum(),
            is_all_or_none: distribution == Distribution::Binomial
                && shares.iter().all(|y| matches!(*y, 0.0 | 1.0)),
            joint: None,
            constants,
            counts,
            quasi: None,
            y: shares,
            weights: counted,
            trials: all,
            offset: (0..n).map(|row| of(offset, row, 0.0)).collect(),
        })
    }

    /// The family.
    pub fn family(&self) -> Family {
        self.family
    }

    /// The values; of the binomial family the shares of events.
    ///
    /// *Shapes:* n values.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// What is added to the linear predictors.
    ///
    /// *Shapes:* n values.
    pub fn offset(&self) -> &[f64] {
        &self.offset
    }

    /// The mean of some values, weighted by the observations, however many trials each has.
    ///
    /// *Shapes:* n values.
    pub(crate) fn mean(&self, values: &[f64]) -> f64 {
        let weights = self.weights.iter().zip(&self.trials);
        let weights: Vec<f64> = weights.map(|(weight, trials)| weight / trials).collect();
        product(values, &weights) / weights.iter().sum::<f64>()
    }

    /// What multiplies the terms of the log-likelihood: weights, times trials.
    ///
    /// *Shapes:* n values.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The number of trials of each observation, 1 where there are no trials.
    ///
    /// *Shapes:* n values.
    pub(crate) fn trials(&self) -> &[f64] {
        &self.trials
    }

    /// Observations.
    pub fn n(&self) -> usize {
        self.y.len()
    }

    /// The shape θ of the negative binomial family that is likeliest with these means, looked for from another one on.
    pub(super) fn theta(&self, means: &[f64], start: f64) -> f64 {
        let data = (&*self.y, means, &*self.weights);
        let own = theta::estimate(&self.counts, data, start);
        if own < 0.99 * self.counts.limit {
            return own;
        }
        // Where ℓ rises towards the limit there may be a higher peak before it.
        let value = |theta: f64| self.minus_two_log_likelihood(self.deviance(means, theta), theta);
        let others = (-4..=9).map(|logarithm| f64::from(logarithm).exp());
        let others = others.map(|theta| (value(theta), theta));
        match others.min_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((least, theta)) if least < value(own) - 1e-9 => {
                theta::estimate(&self.counts, data, theta)
            }
            _ => own,
        }
    }

    /// The largest shape of the negative binomial family that is told from none.
    pub(crate) fn theta_limit(&self) -> f64 {
        self.counts.limit
    }

    /// The sum of the deviances of all observations.
    pub(super) fn deviance(&self, means: &[f64], theta: f64) -> f64 {
        let distribution = self.family.distribution();
        if let Distribution::Plugin(own) = distribution {
            let mut deviances = vec![f64::NAN; means.len()];
            own.functions.deviances(&self.y, means, &mut deviances);
            let rows = deviances.iter().zip(&self.weights);
            let used = rows.filter(|(_, weight)| **weight > 0.0);
            let sum: f64 = used.map(|(deviance, weight)| weight * deviance).sum();
            return if sum < 0.0 { 0.0 } else { sum };
        }
        let rows = self.y.iter().zip(means).zip(&self.weights);
        let sum: f64 = rows
            .map(|((y, mean), weight)| match *weight > 0.0 {
                true => weight * distribution.deviance(*y, *mean, theta),
                false => 0.0,
            })
            .sum();
        // What is left of an exact fit may be rounding of either sign.
        if sum < 0.0 { 0.0 } else { sum }
    }

    /// −2ℓ of means of this deviance, with all constants.
    pub(super) fn minus_two_log_likelihood(&self, deviance: f64, theta: f64) -> f64 {
        let distribution = self.family.distribution();
        if distribution.has_dispersion() {
            let rows = self.y.iter().zip(&self.weights);
            let total = self.weights.iter().sum();
            let logs = match distribution {
                Distribution::Gamma => rows.map(|(y, weight)| weight * y.ln()).sum(),
                Distribution::Plugin(_) => self.constants,
                _ => 0.0,
            };
            return distribution.profiled(deviance, total, logs);
        }
        deviance + self.saturated(distribution, theta)
    }

    /// −2ℓ of means that are the responses themselves.
    fn saturated(&self, distribution: Distribution, theta: f64) -> f64 {
        if matches!(distribution, Distribution::Plugin(_)) {
            return self.constants;
        }
        let rows = self.y.iter().zip(&self.weights).zip(&self.trials);
        let constants = rows.map(|((y, weight), trials)| {
            let is_share = distribution == Distribution::Binomial;
            // The weight of an observation, its trials apart.
            let weight = if is_share { weight / trials } else { *weight };
            weight * distribution.saturated(*y, *trials, theta)
        });
        constants.sum()
    }

    /// What −2ℓ is never below, where the likelihood has no dispersion. A negative binomial count is a Poisson one of a
    /// mean drawn before, which no single mean makes less likely than itself.
    pub(super) fn least(&self) -> f64 {
        if let Some(joint) = &self.joint {
            return joint.least();
        }
        match self.family.distribution() {
            own if own.has_dispersion() => f64::NAN,
            Distribution::NegativeBinomial => self.saturated(Distribution::Poisson, f64::NAN),
            own => self.saturated(own, f64::NAN),
        }
    }
}

/// −2ℓ of a plugin's family where means are the responses themselves.
///
/// # Errors
/// Functions that contradict one another, or numbers that they have not.
fn constants_of_plugin(own: PluginFamily, y: &[f64], weights: &[f64]) -> Result<f64, FamilyError> {
    let wrong = |reason| FamilyError::Plugin {
        family: own,
        reason,
    };
    own.check(y).map_err(wrong)?;
    let mut all = vec![f64::NAN; y.len()];
    own.functions.saturated(y, &mut all);
    let rows = all.iter().zip(weights).filter(|(_, w)| **w > 0.0);
    let sum: f64 = rows.map(|(own, weight)| -2.0 * weight * own).sum();
    match sum.is_finite() {
        true => Ok(sum),
        false => Err(wrong(format!(
            "the log-likelihood of means that are the responses is {}",
            -0.5 * sum
        ))),
    }
}
