//! The equation of one model: coefficients, and what standard errors are made of.

use serde::{Deserialize, Serialize};

use super::{HazardCurve, on_one_line, rows_on_lines};
use crate::{
    design::Design,
    family::{FamilyFit, FitStatus},
    least_squares::Fit,
    sandwich::Sandwich,
    vector::packed_columns,
};

/// Coefficients up to which their covariances are kept: more make a report of megabytes.
pub(crate) const MOST_COVARIANCES: usize = 100;

/// The linear predictor of a model: constant + Σ β·(x − center) + offset.
///
/// The standard error at x is √(vᵀVv), v = (1, x − center), without the 1 where there is no constant.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Equation {
    /// The weight of the model among those met; none of the selected one alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// The linear predictor where all variables are at their centers; none of a model without an intercept, and of responses
    /// that have something in its place.
    pub constant: Option<f64>,
    /// Of a response of levels the thresholds between them, or the intercept of each level but the baseline, at the centers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constants: Vec<f64>,
    /// The places of its variables among those of the model.
    pub variables: Vec<usize>,
    /// β, by variable.
    #[serde(serialize_with = "on_one_line")]
    pub coefficients: Vec<f64>,
    /// V, the covariances of the constant, if there is one, and of the coefficients: the lower triangle, row by row.
    #[serde(serialize_with = "rows_on_lines")]
    pub covariance: Vec<Vec<f64>>,
    /// Why there is no V, where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<String>,
    /// σ² of an observation of weight 1, of least squares; the dispersion of a family. None where nothing is left to estimate
    /// it from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dispersion: Option<f64>,
    /// The shape θ of the negative binomial family.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theta: Option<f64>,
    /// The degrees of freedom of Student's t in intervals; none where these are normal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub df: Option<usize>,
    /// Of survival times the hazard of each stratum.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hazards: Vec<HazardCurve>,
}

impl Equation {
    /// The equation of a fit, whose residuals are rounding where it is `exact`, with its robust covariances; `place` says
    /// where a variable of the design stands in the model.
    pub(super) fn of(
        design: &Design,
        fit: &Fit,
        exact: bool,
        sandwich: Option<&Result<Sandwich, &'static str>>,
        place: impl Fn(&u32) -> usize,
    ) -> Self {
        let mut own = match fit.family() {
            Some(family) => Self::of_likelihood(design, fit, family, exact),
            None => Self::of_least_squares(design, fit, exact),
        };
        own.variables = fit.support().iter().map(place).collect();
        if own.omitted.is_none()
            && let Some(sandwich) = sandwich
        {
            match sandwich {
                Ok(sandwich) => {
                    own.df = own.df.map(|left| sandwich.freedom(left));
                    own.covariance = sandwich.lower();
                }
                Err(reason) => own.omit(reason),
            }
        }
        let is_finite = |row: &Vec<f64>| row.iter().all(|value| value.is_finite());
        if !own.covariance.iter().all(is_finite) {
            own.omit("its numbers are beyond the range of f64");
        }
        own
    }

    fn omit(&mut self, reason: &str) {
        self.covariance.clear();
        self.omitted = Some(reason.to_owned());
    }

    fn of_least_squares(design: &Design, fit: &Fit, exact: bool) -> Self {
        let (response, k) = (design.response(), fit.support().len());
        let norms = norms(design, fit);
        let coefficients = fit.coefficients().iter().zip(&norms);
        let fixed = usize::from(design.intercept());
        let free = design.n().checked_sub(k + fixed).filter(|free| *free > 0);
        let square = free.map(|free| fit.rss() / free as f64 * response.norm * response.norm);
        let square = square.filter(|_| !exact);
        let mut own = Self {
            constant: design.intercept().then_some(response.mean),
            coefficients: coefficients
                .map(|(b, norm)| b * response.norm / norm)
                .collect(),
            // Of weights as the file has them.
            dispersion: square.map(|square| square * design.mean_weight()),
            df: free,
            ..Self::default()
        };
        let Some(square) = square else {
            own.omit(match free {
                None => "no degrees of freedom are left",
                Some(_) => "the fit is exact",
            });
            return own;
        };
        if k + fixed > MOST_COVARIANCES {
            own.omit("the model has more than 100 coefficients");
            return own;
        }
        let inverse = fit.inverse_gram();
        if fixed == 1 {
            own.covariance.push(vec![square / design.n() as f64]);
        }
        own.covariance.extend((0..k).map(|a| {
            let entry = |b: usize| square * (inverse[a * k + b] / norms[a] / norms[b]);
            let before = std::iter::repeat_n(0.0, fixed);
            before.chain((0..=a).map(entry)).collect()
        }));
        own
    }

    fn of_likelihood(design: &Design, fit: &Fit, family: &FamilyFit, exact: bool) -> Self {
        let norms = norms(design, fit);
        let coefficients = family.coefficients().iter().zip(&norms);
        let fixed = usize::from(family.intercept().is_some());
        let constants = family.curvature().map(|own| own.constants().to_vec());
        let likelihood = design.likelihood().filter(|own| own.has_t_tests());
        let dispersion = Some(family.dispersion()).filter(|own| own.is_finite());
        let mut own = Self {
            constant: family.intercept(),
            constants: constants.unwrap_or_default(),
            coefficients: coefficients.map(|(b, norm)| b / norm).collect(),
            dispersion,
            theta: family.theta(),
            df: likelihood.map(|own| own.test_freedom(family)),
            ..Self::default()
        };
        let size = norms.len() + fixed;
        let reason = match family.status() {
            _ if !own.constants.is_empty() => {
                Some("probabilities of levels have no standard errors")
            }
            FitStatus::Separated => Some("some coefficients have no end"),
            _ if exact => Some("the fit is exact"),
            _ if dispersion.is_none() => Some("no degrees of freedom are left"),
            _ if size > MOST_COVARIANCES => Some("the model has more than 100 coefficients"),
            _ => None,
        };
        if let Some(reason) = reason {
            own.omit(reason);
            return own;
        }
        let scale = |at: usize| match at.checked_sub(fixed) {
            None => 1.0,
            Some(at) => 1.0 / norms[at],
        };
        let mut lower: Vec<Vec<f64>> = (0..size).map(|row| vec![0.0; row + 1]).collect();
        for t in packed_columns(family.inverse()) {
            for (a, x) in t.iter().enumerate() {
                for (entry, z) in lower[a].iter_mut().zip(t) {
                    *entry += x * z;
                }
            }
        }
        for (a, row) in lower.iter_mut().enumerate() {
            for (b, entry) in row.iter_mut().enumerate() {
                *entry *= family.dispersion() * scale(a) * scale(b);
            }
        }
        own.covariance = lower;
        own
    }

    /// The variance of the linear predictor at x − center, by variable.
    pub(super) fn variance(&self, x: &[f64]) -> f64 {
        let fixed = self.constant.map(|_| 1.0).into_iter();
        let v: Vec<f64> = fixed.chain(x.iter().copied()).collect();
        let rows = self.covariance.iter().enumerate().map(|(a, row)| {
            let (own, before) = row
                .split_last()
                .map_or((0.0, &[][..]), |(own, before)| (*own, before));
            let beside: f64 = before.iter().zip(&v).map(|(entry, x)| entry * x).sum();
            v[a] * (2.0 * beside + own * v[a])
        });
        rows.sum::<f64>().max(0.0)
    }
}

fn norms(design: &Design, fit: &Fit) -> Vec<f64> {
    let support = fit.support().iter();
    support
        .map(|j| design.variables()[*j as usize].norm)
        .collect()
}
