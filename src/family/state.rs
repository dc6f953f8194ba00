//! What the likelihood of a response is at given linear predictors.

use super::{Distribution, FamilyResponse, PluginFamily, fast};

/// Linear predictors with what follows from them.
///
/// *Shapes:* n values each.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) predictors: Vec<f64>,
    pub(super) means: Vec<f64>,
    /// dμ/dη.
    slopes: Vec<f64>,
    /// Of a plugin's family, which has all at once; empty of others.
    variances: Vec<f64>,
    pub(super) deviance: f64,
}

impl State {
    /// The state of these linear predictors; none where a mean is none of the family.
    pub(super) fn of(response: &FamilyResponse, predictors: Vec<f64>, theta: f64) -> Option<Self> {
        let (link, distribution) = (response.family().link(), response.family().distribution());
        if response.family().is_logistic_or_poisson() {
            return Self::canonical(response, predictors);
        }
        if let Distribution::Plugin(own) = distribution {
            return Self::of_plugin(own, response, predictors);
        }
        let (mut means, mut slopes) = (
            Vec::with_capacity(predictors.len()),
            Vec::with_capacity(predictors.len()),
        );
        for eta in &predictors {
            let (mean, slope) = link.mean(*eta);
            means.push(mean);
            slopes.push(slope);
        }
        let deviance = response.deviance(&means, theta);
        let is_valid = deviance.is_finite() && means.iter().all(|mean| distribution.is_mean(*mean));
        is_valid.then_some(Self {
            predictors,
            means,
            slopes,
            variances: Vec::new(),
            deviance,
        })
    }

    /// The state of a plugin's family. Where a slope or a variance is none, nor is the state.
    fn of_plugin(
        own: PluginFamily,
        response: &FamilyResponse,
        predictors: Vec<f64>,
    ) -> Option<Self> {
        let [means, slopes, variances] = own.moments(&predictors);
        let is_slope = |slope: &f64| slope.is_finite() && *slope != 0.0;
        let is_variance = |variance: &f64| *variance > 0.0 && variance.is_finite();
        let is_valid = means.iter().all(|mean| mean.is_finite())
            && slopes.iter().all(is_slope)
            && variances.iter().all(is_variance);
        let deviance = is_valid.then(|| response.deviance(&means, f64::INFINITY));
        deviance.filter(|own| own.is_finite()).map(|deviance| Self {
            predictors,
            means,
            slopes,
            variances,
            deviance,
        })
    }

    /// The state of logistic or Poisson regression.
    fn canonical(response: &FamilyResponse, predictors: Vec<f64>) -> Option<Self> {
        let n = predictors.len();
        let (y, weights) = (&response.y, &response.weights);
        let mut means = vec![0.0; n];
        let (slopes, sum) = match response.family().distribution() {
            Distribution::Poisson => {
                let sum = fast::poisson(&predictors, y, weights, &mut means);
                (means.clone(), sum)
            }
            _ => {
                let mut slopes = vec![0.0; n];
                let sum = fast::logistic(&predictors, y, weights, &mut means, &mut slopes);
                (slopes, sum)
            }
        };
        let deviance = match response.is_summable {
            true => 2.0 * (sum + response.shift),
            // Of large counts the sums are far larger than their difference.
            false => response.deviance(&means, f64::INFINITY),
        };
        let is_valid = deviance.is_finite() && predictors.iter().all(|eta| eta.is_finite());
        is_valid.then_some(Self {
            predictors,
            means,
            slopes,
            variances: Vec::new(),
            // What is left of it may be rounding.
            deviance: deviance.max(0.0),
        })
    }

    /// The means that each observation suggests by itself, or else their mean.
    pub(super) fn first(response: &FamilyResponse, theta: f64) -> Option<Self> {
        let family = response.family();
        let rows = response.y.iter().zip(&response.trials);
        let means = rows.map(|(y, trials)| family.distribution().first_mean(*y, *trials));
        let means: Vec<f64> = means.collect();
        let own = means.iter().map(|mean| family.link().predictor(*mean));
        let state = Self::of(response, own.collect(), theta);
        state.or_else(|| {
            let mean = means.iter().sum::<f64>() / means.len() as f64;
            let predictors = vec![family.link().predictor(mean); means.len()];
            Self::of(response, predictors, theta)
        })
    }

    /// The derivative of ℓ with respect to each linear predictor, and its expected negative second derivative: the score
    /// and the weight of each observation, at dispersion 1.
    pub(super) fn scores(&self, response: &FamilyResponse, theta: f64) -> (Vec<f64>, Vec<f64>) {
        let distribution = response.family().distribution();
        if response.family().is_logistic_or_poisson() {
            let rows = response.y.iter().zip(&response.weights);
            let rows = rows.zip(self.means.iter().zip(&self.slopes));
            return rows
                .map(|((y, weight), (mean, slope))| (weight * (y - mean), weight * slope))
                .unzip();
        }
        let variance = |row: usize| match self.variances.get(row) {
            Some(own) => *own,
            None => distribution.variance(self.means[row], theta),
        };
        let of_row = |row: usize| {
            let (mean, slope) = (self.means[row], self.slopes[row]);
            let share = response.weights[row] * slope / variance(row);
            let (score, weight) = (share * (response.y[row] - mean), share * slope);
            // A mean at the end of its range says nothing more.
            match score.is_finite() && weight.is_finite() {
                true => (score, weight),
                false => (0.0, 0.0),
            }
        };
        (0..response.n()).map(of_row).unzip()
    }

    /// The negative second derivatives themselves, in place of those expected.
    pub(super) fn observe(&self, response: &FamilyResponse, theta: f64, weights: &mut [f64]) {
        let family = response.family();
        let of_plugin = match family.distribution() {
            Distribution::Plugin(own) => own.curvatures(&self.predictors),
            _ => Vec::new(),
        };
        for (row, own) in weights.iter_mut().enumerate() {
            let (eta, mean, slope) = (self.predictors[row], self.means[row], self.slopes[row]);
            let change = match of_plugin.get(row) {
                Some(change) => *change,
                None => family.curvature(eta, mean, slope, theta),
            };
            let observed = *own - response.weights[row] * (response.y[row] - mean) * change;
            if observed.is_finite() && observed > 0.0 {
                *own = observed;
            }
        }
    }

    /// Pearson's χ².
    pub(super) fn pearson(&self, response: &FamilyResponse, theta: f64) -> f64 {
        let distribution = response.family().distribution();
        let rows = response.y.iter().zip(&self.means).zip(&response.weights);
        if !self.variances.is_empty() {
            let rows = rows.zip(&self.variances);
            let squares = rows.map(|(((y, mean), weight), own)| weight * (y - mean).powi(2) / own);
            return squares.sum();
        }
        rows.map(|((y, mean), weight)| {
            weight * (y - mean).powi(2) / distribution.variance(*mean, theta)
        })
        .sum()
    }
}
