//! What a model predicts for each level of a factor.

use serde::{Deserialize, Serialize};

use super::{goodness::residual_freedom, number_or_nan};
use crate::{design::Design, least_squares::Fit};

/// The mean response that a model predicts if every observation had a level of a factor, all else being as it
/// is in the data.
///
/// Standard error and interval are absent where those of coefficients are, and take the model as given
/// beforehand.
///
/// *Units:* the response's.
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
    /// The mean; NaN, in JSON null, where the level occurs with others only as in no observation, so that the model
    /// says nothing of it.
    #[serde(deserialize_with = "number_or_nan")]
    pub mean: f64,
    /// Its standard error.
    pub std_error: Option<f64>,
    /// Lower end of its confidence interval at the selection's level.
    pub lower: Option<f64>,
    /// Upper end of the confidence interval.
    pub upper: Option<f64>,
}

/// The marginal means of all factors on which a fit depends. Intervals are left to
/// [`Selection::set_level`](super::Selection::set_level).
pub(crate) fn marginal_means(design: &Design, fit: &Fit, exact: bool) -> Vec<MarginalMean> {
    if design.likelihood().is_some() {
        // Means of a response are no sums of those of columns where the link is not the identity.
        return Vec::new();
    }
    let response = design.response();
    let intercept = design.intercept();
    let freedom = residual_freedom(design, fit);
    let sigma = (freedom > 0 && !exact).then(|| (fit.rss() / freedom as f64).sqrt());
    let levels = design.means_by_level(fit.support()).into_iter();
    let of_level = levels.map(|own| {
        if own.means.is_empty() {
            return MarginalMean {
                factor: own.factor,
                level: own.level,
                mean: f64::NAN,
                ..MarginalMean::default()
            };
        }
        let columns = fit.support().iter().zip(&own.means);
        // Beside the point of means, which the intercept is of.
        let point: Vec<f64> = columns
            .map(|(column, mean)| {
                let variable = &design.variables()[*column as usize];
                (mean - variable.mean) / variable.norm
            })
            .collect();
        let shift: f64 = point
            .iter()
            .zip(fit.coefficients())
            .map(|(d, b)| d * b)
            .sum();
        let at_means = if intercept {
            1.0 / design.n() as f64
        } else {
            0.0
        };
        let variance = at_means + fit.inverse_gram_form(&point);
        MarginalMean {
            factor: own.factor,
            level: own.level,
            mean: response.mean + response.norm * shift,
            std_error: sigma.map(|sigma| response.norm * sigma * variance.sqrt()),
            ..MarginalMean::default()
        }
    });
    of_level.collect()
}
