//! What a model predicts for each level of a factor.

use serde::{Deserialize, Serialize};

use super::{goodness::residual_freedom, number_or_nan};
use crate::{
    design::Design,
    family::{FamilyFit, Likelihood, Link},
    least_squares::{ENDLESS, Fit},
    sandwich::Sandwich,
};

/// The mean response that a model predicts if every observation had a level of a factor, all else being as it
/// is in the data. Where the link is not the identity it is the response at the mean linear predictor, the offset's mean in
/// it, as R's emmeans of the type `response` has it, and not the mean of the responses.
///
/// Standard error and interval are absent where those of coefficients are, and take the model as given
/// beforehand. The interval is Wald's of the linear predictor, turned back by the link; the standard error is by the delta
/// method.
///
/// *Units:* the response's; of binomial responses a probability.
///
/// *Source:* S. Searle, F. Speed and G. Milliken, Population marginal means in the linear model, The American
/// Statistician 34, 1980; weighted by the observations.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MarginalMean {
    /// The column of the factor.
    pub factor: String,
    /// Its level.
    pub level: String,
    /// The mean; NaN, in JSON null, where the level occurs with others only as in no observation, or where a separation
    /// leaves its linear predictor no end, so that the model says nothing of it.
    #[serde(deserialize_with = "number_or_nan")]
    pub mean: f64,
    /// Its standard error.
    pub std_error: Option<f64>,
    /// Lower end of the confidence interval at the selection's level.
    pub lower: Option<f64>,
    /// Upper end of the confidence interval; ∞, in JSON null, where the link has no mean at that end.
    pub upper: Option<f64>,
    /// The mean linear predictor, of a model of maximum likelihood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predictor: Option<f64>,
    /// Its standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predictor_std_error: Option<f64>,
}

impl MarginalMean {
    /// Sets the ends of the interval, so many standard errors from the mean on the scale of the link.
    pub(super) fn set_interval(&mut self, q: Option<f64>, link: Option<Link>) {
        let end = |of: Option<f64>, error: Option<f64>, sign: f64| {
            let half = error.zip(q).map(|(error, q)| error * q);
            half.zip(of).map(|(half, of)| of + sign * half)
        };
        [self.lower, self.upper] = match link {
            None => [-1.0, 1.0].map(|sign| end(Some(self.mean), self.std_error, sign)),
            Some(link) => {
                // The inverse falls as the linear predictor rises.
                let signs = match link {
                    Link::Inverse => [1.0, -1.0],
                    _ => [-1.0, 1.0],
                };
                signs.map(|sign| {
                    let end = end(self.predictor, self.predictor_std_error, sign);
                    end.map(|eta| match link {
                        Link::Inverse if eta <= 0.0 => f64::INFINITY,
                        link => link.mean(eta).0,
                    })
                })
            }
        };
    }
}

/// The marginal means of all factors on which a fit depends. Intervals are left to
/// [`Selection::set_level`](super::Selection::set_level). Standard errors are those of coefficients: by a `sandwich`, or none
/// where there should be one.
pub(crate) fn marginal_means(
    design: &Design,
    fit: &Fit,
    exact: bool,
    sandwich: Option<&Result<Sandwich, &'static str>>,
) -> Vec<MarginalMean> {
    // Of levels there is no mean.
    let likelihood = design.likelihood().map(Likelihood::response);
    if likelihood.is_some_and(|own| own.family().has_levels()) {
        return Vec::new();
    }
    let levels = design.means_by_level(fit.support()).into_iter();
    let of_level = levels.map(|own| {
        let unknown = MarginalMean {
            factor: own.factor,
            level: own.level,
            mean: f64::NAN,
            ..MarginalMean::default()
        };
        if own.means.is_empty() {
            return unknown;
        }
        let columns = fit.support().iter().zip(&own.means);
        // Beside the point of means, which the intercept is of.
        let point: Vec<f64> = columns
            .map(|(column, mean)| {
                let variable = &design.variables()[*column as usize];
                (mean - variable.mean) / variable.norm
            })
            .collect();
        // On the scale of the data.
        let shifts = fit.support().iter().zip(&point);
        let shifts = shifts.map(|(j, shift)| shift * design.variables()[*j as usize].norm);
        let shifts: Vec<f64> = shifts.collect();
        let error = |of_model: Option<f64>| match sandwich {
            None => of_model.filter(|_| !exact),
            Some(own) => own.as_ref().ok().map(|own| own.variance(&shifts).sqrt()),
        };
        match (design.likelihood(), fit.family()) {
            (Some(likelihood), Some(own)) => of_likelihood(likelihood, own, &point, error, unknown),
            _ => of_least_squares(design, fit, &point, error, unknown),
        }
    });
    of_level.collect()
}

fn of_least_squares(
    design: &Design,
    fit: &Fit,
    point: &[f64],
    error: impl Fn(Option<f64>) -> Option<f64>,
    unknown: MarginalMean,
) -> MarginalMean {
    let response = design.response();
    let freedom = residual_freedom(design, fit);
    let sigma = (freedom > 0).then(|| (fit.rss() / freedom as f64).sqrt());
    let shift = point.iter().zip(fit.coefficients()).map(|(d, b)| d * b);
    let at_means = match design.intercept() {
        true => 1.0 / design.n() as f64,
        false => 0.0,
    };
    let variance = at_means + fit.inverse_gram_form(point);
    MarginalMean {
        mean: response.mean + response.norm * shift.sum::<f64>(),
        std_error: error(sigma.map(|sigma| response.norm * sigma * variance.sqrt())),
        ..unknown
    }
}

fn of_likelihood(
    likelihood: &Likelihood,
    own: &FamilyFit,
    point: &[f64],
    error: impl Fn(Option<f64>) -> Option<f64>,
    unknown: MarginalMean,
) -> MarginalMean {
    let response = likelihood.response();
    let intercept = own.intercept().map(|_| 1.0).into_iter();
    let at: Vec<f64> = intercept.chain(point.iter().copied()).collect();
    // Columns of unit norm have entries of about 1/√n.
    let least = ENDLESS / (response.n() as f64).sqrt();
    if own.moves(&at).is_some_and(|moved| moved.abs() > least) {
        return unknown;
    }
    let shift = point.iter().zip(own.coefficients()).map(|(d, b)| d * b);
    let fixed = response.mean(response.offset()) + own.intercept().unwrap_or_default();
    let predictor = fixed + shift.sum::<f64>();
    let (mean, slope) = response.family().link().mean(predictor);
    let error = error(Some(own.variance_of(&at).sqrt()));
    let error = error.filter(|error| error.is_finite() && *error > 0.0);
    MarginalMean {
        mean,
        std_error: error.map(|error| error * slope.abs()),
        predictor: Some(predictor),
        predictor_std_error: error,
        ..unknown
    }
}
