//! What a report says of a model of survival times.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Label, family::chi_squared_tail, number_or_nan};
use crate::{
    design::Design,
    family::{EventMoments, FamilyFit, FitStatus, Likelihood, SurvivalResponse},
    least_squares::Fit,
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
    /// Whether the coefficient of each term changes with time, and of all together; none of a model without variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proportional_hazards: Option<ProportionalHazards>,
    /// Harrell's C: of the pairs of observations of which one had its event while the other was still at risk, the share in
    /// which it had the higher hazard; equal ones count half. None where there is no pair.
    ///
    /// *Source:* F. E. Harrell, K. L. Lee, D. B. Mark, Multivariable prognostic models, Statistics in Medicine 15, 1996.
    pub concordance: Option<f64>,
    /// The cumulative baseline hazard after each time of events, of an observation whose variables are at their means, without
    /// offset.
    pub baseline: Vec<BaselineStep>,
}

/// The tests that hazards are proportional: that coefficients do not change as 1 less the estimate of Kaplan and Meier does,
/// by the score, as R's `cox.zph`. Small p-values speak against it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ProportionalHazards {
    /// Of each term.
    pub terms: Vec<HazardTest>,
    /// Of all terms together.
    pub all: HazardTest,
}

/// A test that hazards are proportional.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HazardTest {
    /// The term; empty of all.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// χ²; none where events say nothing of it.
    pub chi_squared: Option<f64>,
    /// Degrees of freedom.
    pub df: usize,
    /// P(χ² ≥ this).
    pub p_value: Option<f64>,
}

impl ProportionalHazards {
    /// The tests of a fit.
    fn of(design: &Design, fit: &Fit, moments: &EventMoments) -> Self {
        let x = design.columns();
        let term_of = |j: &u32| x.term_of(*j);
        let test = |name: String, places: &[usize]| {
            let found = moments.test(places);
            let (chi_squared, df) = found.unzip();
            let p_value = found.map(|(chi_squared, df)| chi_squared_tail(chi_squared, df as f64));
            HazardTest {
                name,
                chi_squared,
                df: df.unwrap_or_default(),
                p_value,
            }
        };
        let places: Vec<usize> = (0..fit.support().len()).collect();
        let of_term = |term: &u32| {
            let own = places.iter().copied();
            let own = own.filter(|at| term_of(&fit.support()[*at]) == *term);
            let own: Vec<usize> = own.collect();
            test(design.term_name(*term).to_owned(), &own)
        };
        Self {
            terms: fit.terms().iter().map(of_term).collect(),
            all: test(String::new(), &places),
        }
    }
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
    pub(super) fn of(
        design: &Design,
        likelihood: &Likelihood,
        (whole, fit): (&Fit, &FamilyFit),
    ) -> Option<Self> {
        let response = likelihood.response().survival()?;
        let columns = design.survival_columns();
        let null = likelihood.empty().minus_two_log_likelihood();
        let (chi_squared, df) = (null - fit.minus_two_log_likelihood(), fit.rank());
        let names = |at: usize| columns[at].clone();
        let chosen = whole.support().iter().map(|j| design.columns().column(*j));
        let chosen: Vec<&[f64]> = chosen.collect();
        let moments = response.moments(&chosen, fit.predictors());
        let moments = moments.filter(|_| fit.status() == FitStatus::Converged && df > 0);
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
            proportional_hazards: moments.map(|own| ProportionalHazards::of(design, whole, &own)),
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
