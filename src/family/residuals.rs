//! Residuals of a fit: by the deviance, by Pearson, and by quantiles.

use super::{Distribution, FamilyFit, FamilyResponse, tails::Tails};
use crate::vector::packed_columns;

impl FamilyFit {
    /// The deviance residual of observation i: the root of what it adds to the deviance, with the sign of y − μ, as R's
    /// `residuals` has it.
    pub fn deviance_residual(&self, response: &FamilyResponse, i: usize) -> f64 {
        let (y, mean) = (response.y[i], self.means()[i]);
        let distribution = response.family().distribution();
        let own = response.weights[i] * distribution.deviance(y, mean, self.shape());
        own.max(0.0).sqrt().copysign(y - mean)
    }

    /// Pearson's residual of observation i: (y − μ)·√(w/V(μ)), V being the variance at dispersion 1.
    pub fn pearson_residual(&self, response: &FamilyResponse, i: usize) -> f64 {
        let (y, mean) = (response.y[i], self.means()[i]);
        let distribution = response.family().distribution();
        let variance = distribution.variance(mean, self.shape());
        (y - mean) * (response.weights[i] / variance).sqrt()
    }

    /// The quantile residual of observation i: the normal quantile of P(Y ≤ y) under the fit. Of a distribution with jumps
    /// it is that of a probability between P(Y < y) and P(Y ≤ y), `share` of the way: where the model is right and shares
    /// are uniform on (0, 1), quantile residuals are standard normal. Probabilities below the least number that f64 has
    /// count as that, which is 37.5 deviations out.
    ///
    /// The distribution is that of one observation: weights of counts and events say how often it was seen and change
    /// nothing, those of the gamma family divide the dispersion.
    ///
    /// *Source:* P. K. Dunn, G. K. Smyth, Randomized quantile residuals, Journal of Computational and Graphical Statistics
    /// 5, 1996.
    pub fn quantile_residual(&self, response: &FamilyResponse, i: usize, share: f64) -> f64 {
        let (y, mean) = (response.y[i], self.means()[i]);
        let tails = |count: f64| match response.family().distribution() {
            Distribution::Poisson => Tails::poisson(count, mean),
            Distribution::NegativeBinomial => Tails::negative_binomial(count, mean, self.shape()),
            _ => Tails::binomial(count, response.trials[i], mean),
        };
        match response.family().distribution() {
            Distribution::Gaussian => (y - mean) * (response.weights[i] / self.dispersion()).sqrt(),
            // Its probabilities are not known: to the second order of small deviations this is normal, too.
            Distribution::Plugin(_) => {
                self.deviance_residual(response, i) / self.dispersion().sqrt()
            }
            Distribution::Gamma => {
                let shape = response.weights[i] / self.dispersion();
                let own = Tails::gamma(shape, shape * y / mean);
                own.quantile_between(own, share)
            }
            distribution => {
                let count = match distribution {
                    // Of the share of events.
                    Distribution::Binomial => (response.trials[i] * y).round(),
                    _ => y,
                };
                tails(count - 1.0).quantile_between(tails(count), share)
            }
        }
    }

    /// The leverage of observation i, the diagonal of the hat matrix at convergence: wᵢvᵀ(XᵀWX)⁻¹v of its values v, the
    /// intercept first, if there is one.
    pub fn leverage(&self, i: usize, v: &[f64]) -> f64 {
        let columns = packed_columns(self.inverse());
        let products = columns.map(|t| t.iter().zip(v).map(|(t, v)| t * v).sum::<f64>());
        let form: f64 = products.map(|product| product * product).sum();
        self.weights()[i] * form
    }

    /// θ of the negative binomial family.
    fn shape(&self) -> f64 {
        self.theta().unwrap_or(f64::INFINITY)
    }
}
