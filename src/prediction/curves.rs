//! Survival curves of models of survival times.

use serde::{Deserialize, Serialize};

use super::{Equation, on_one_line, rows_on_lines};
use crate::{design::Design, family::FamilyFit, least_squares::Fit};

/// Numbers of all curves of a model up to which they have standard errors: more make a report of megabytes.
const MOST_NUMBERS: usize = 1 << 17;

/// The cumulative hazard of a stratum, where all variables are at their centers and the offset is 0, after each time of
/// events; with Λ, v and a there the survival of an observation is exp(−e^η·Λ), and the standard error of its logarithm
/// e^η·√(v + uᵀVu), u = (x − center)·Λ − a.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HazardCurve {
    /// The stratum; none where there is one alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stratum: Option<String>,
    /// The last time of all: nothing is known of later ones.
    pub last: f64,
    /// The times of events, ascending.
    #[serde(serialize_with = "on_one_line")]
    pub times: Vec<f64>,
    /// Λ, by time.
    #[serde(serialize_with = "on_one_line")]
    pub hazard: Vec<f64>,
    /// v, by time; empty where there are no standard errors.
    #[serde(serialize_with = "on_one_line")]
    pub variance: Vec<f64>,
    /// a, a list by variable for each time; empty likewise.
    #[serde(serialize_with = "rows_on_lines")]
    pub means: Vec<Vec<f64>>,
}

impl HazardCurve {
    /// The curves of a fit; none of another response. Those that are averaged have no standard errors.
    pub(super) fn all(
        design: &Design,
        fit: &Fit,
        family: &FamilyFit,
        has_errors: bool,
    ) -> Vec<Self> {
        let likelihood = design.likelihood();
        let Some(response) = likelihood.and_then(|own| own.response().survival()) else {
            return Vec::new();
        };
        let chosen = fit.support().iter().map(|j| design.columns().column(*j));
        let chosen: Vec<&[f64]> = chosen.collect();
        let steps = response.curve_steps(&chosen, family.predictors());
        let has_errors = has_errors && steps.len() * (chosen.len() + 1) <= MOST_NUMBERS;
        let norms = fit
            .support()
            .iter()
            .map(|j| design.variables()[*j as usize].norm);
        let norms: Vec<f64> = norms.collect();
        let levels = design.strata_levels();
        let curves = response.last_times().enumerate().map(|(stratum, last)| {
            let mut own = Self {
                stratum: levels.get(stratum).cloned(),
                last,
                ..Self::default()
            };
            let (mut hazard, mut variance) = (0.0, 0.0);
            let mut means = vec![0.0; norms.len()];
            for step in steps.iter().filter(|step| step.stratum == stratum) {
                hazard += step.hazard;
                variance += step.variance;
                let all = means.iter_mut().zip(&step.means).zip(&norms);
                all.for_each(|((sum, own), norm)| *sum += own * norm);
                own.times.push(step.time);
                own.hazard.push(hazard);
                if has_errors {
                    own.variance.push(variance);
                    own.means.push(means.clone());
                }
            }
            own
        });
        curves.collect()
    }

    /// The survival at a time of an observation of linear predictor η at x − center, and the standard error of its logarithm;
    /// NaN beyond the last time.
    pub(super) fn survival(
        &self,
        equation: &Equation,
        (eta, x): (f64, &[f64]),
        time: f64,
    ) -> (f64, f64) {
        if eta.is_nan() || time > self.last {
            return (f64::NAN, f64::NAN);
        }
        let Some(at) = self
            .times
            .partition_point(|own| *own <= time)
            .checked_sub(1)
        else {
            return (1.0, 0.0);
        };
        let (hazard, ratio) = (self.hazard[at], eta.exp());
        let error = match (self.variance.get(at), self.means.get(at)) {
            (Some(variance), Some(means)) if equation.omitted.is_none() => {
                let u = x.iter().zip(means).map(|(x, own)| x * hazard - own);
                let u: Vec<f64> = u.collect();
                ratio * (variance + equation.variance(&u)).sqrt()
            }
            _ => f64::NAN,
        };
        ((-ratio * hazard).exp(), error)
    }

    /// Whether its parts are of one length, as in a model that was read.
    pub(super) fn is_whole(&self, variables: usize) -> bool {
        let count = self.times.len();
        let has = |length: usize| length == 0 || length == count;
        self.hazard.len() == count
            && has(self.variance.len())
            && has(self.means.len())
            && self.means.iter().all(|row| row.len() == variables)
    }
}
