//! What a report says of a model of survival times.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Label, family::chi_squared_tail, number_or_nan};
use crate::{
    design::Design,
    family::{FamilyFit, Likelihood, SurvivalResponse},
};

/// A model of survival times, in the numbers of R's `summary` of a `coxph`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SurvivalSummary {
    /// How many observations ended by an event: the n of the criterion.
    pub events: usize,
    /// The column that says so.
    pub event: String,
    /// The column of entry times, if observations enter late.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// The column of strata, if there is one, and how many there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strata: Option<String>,
    /// How many strata there are.
    pub strata_count: usize,
    /// Their levels, in the order of their numbers; none of one stratum.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strata_levels: Vec<String>,
    /// How events at equal times share their risk set: `efron` or `breslow`.
    pub ties: Label,
    /// The log-likelihood of the model without variables.
    #[serde(deserialize_with = "number_or_nan")]
    pub null_log_likelihood: f64,
    /// The test of all variables together by the likelihood ratio; none of a model without.
    pub likelihood_ratio: Option<LikelihoodRatio>,
    /// Harrell's C: of the pairs of observations of which one had its event while the other was still at risk, the share in
    /// which it had the higher hazard; equal ones count half. None where there is no pair.
    ///
    /// *Source:* F. E. Harrell, K. L. Lee, D. B. Mark, Multivariable prognostic models, Statistics in Medicine 15, 1996.
    pub concordance: Option<f64>,
    /// The cumulative baseline hazard after each time of events, of an observation whose variables are at their means, without
    /// offset.
    pub baseline: Vec<BaselineStep>,
}

/// The baseline hazard after a time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BaselineStep {
    /// The number of the stratum, from 1 on.
    pub stratum: usize,
    /// The time.
    #[serde(deserialize_with = "number_or_nan")]
    pub time: f64,
    /// How many were at risk, and how many of them had an event.
    pub at_risk: usize,
    /// The events at this time.
    pub events: usize,
    /// The hazard up to this time; the probability to have had no event until then is exp of its negative.
    #[serde(deserialize_with = "number_or_nan")]
    pub cumulative_hazard: f64,
}

/// A test by the likelihood ratio.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LikelihoodRatio {
    /// Twice the rise in the log-likelihood.
    #[serde(deserialize_with = "number_or_nan")]
    pub chi_squared: f64,
    /// Degrees of freedom.
    pub df: usize,
    /// P(χ² ≥ this).
    #[serde(deserialize_with = "number_or_nan")]
    pub p_value: f64,
}

impl SurvivalSummary {
    /// Describes a fit on a design; none of another response.
    pub(super) fn of(design: &Design, likelihood: &Likelihood, fit: &FamilyFit) -> Option<Self> {
        let response = likelihood.response().survival()?;
        let columns = design.survival_columns();
        let null = likelihood.empty().minus_two_log_likelihood();
        let (chi_squared, df) = (null - fit.minus_two_log_likelihood(), fit.rank());
        let names = |at: usize| columns[at].clone();
        Some(Self {
            events: response.events(),
            event: names(0).unwrap_or_default(),
            entry: names(1),
            strata: names(2),
            strata_count: response.strata().len(),
            strata_levels: design.strata_levels().to_vec(),
            ties: response.ties().name().into(),
            null_log_likelihood: -null / 2.0,
            likelihood_ratio: (df > 0).then(|| LikelihoodRatio {
                chi_squared,
                df,
                p_value: chi_squared_tail(chi_squared, df as f64),
            }),
            concordance: response.concordance(fit.predictors()),
            baseline: baseline(response, fit),
        })
    }
}

fn baseline(response: &Arc<SurvivalResponse>, fit: &FamilyFit) -> Vec<BaselineStep> {
    let all = response.hazards(fit.predictors());
    let mut steps = Vec::with_capacity(all.len());
    for stratum in all.chunk_by(|a, b| a.stratum == b.stratum) {
        let mut sum = 0.0;
        // Times fall within a stratum: the first is last.
        steps.extend(stratum.iter().rev().map(|step| {
            sum += step.hazard;
            BaselineStep {
                stratum: step.stratum,
                time: step.time,
                at_risk: step.at_risk,
                events: step.events,
                cumulative_hazard: sum,
            }
        }));
    }
    steps
}
