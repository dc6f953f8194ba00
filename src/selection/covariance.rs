//! The covariance matrix of the estimated coefficients.

use serde::{Deserialize, Serialize, Serializer, ser::Error};
use serde_json::value::to_raw_value;

use super::Label;
use crate::{
    design::Design,
    family::{FamilyFit, FitStatus},
    least_squares::Fit,
    prediction::MOST_COVARIANCES,
    sandwich::Sandwich,
    vector::packed_columns,
};

/// The estimated covariance matrix of the coefficients, on the original scale: R's `vcov`.
///
/// The standard error of a prediction at x, with a leading 1 for the intercept, is √(xᵀVx), and
/// √(σ̂² + xᵀVx) for a new observation of weight 1.
///
/// *Units:* those of the two coefficients, multiplied.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Covariance {
    /// What rows and columns are of: `(intercept)` where there is one, then the chosen variables.
    pub names: Vec<String>,
    /// σ̂²(XᵀWX)⁻¹, row by row, X with a column of ones where there is an intercept.
    #[serde(serialize_with = "a_row_a_line")]
    pub matrix: Vec<Vec<f64>>,
    /// Why there is no matrix, where there is none.
    pub omitted: Option<Label>,
}

impl Covariance {
    /// Estimates the matrix of a fit on a design; of an `exact` one the residuals are rounding.
    ///
    /// *Shapes:* k variables, in the order of the fit's support, and the intercept before them.
    ///
    /// *Source:* G. Seber and A. Lee, *Linear Regression Analysis* (2nd ed., 2003), section 3.3.
    pub(crate) fn of(
        design: &Design,
        fit: &Fit,
        exact: bool,
        sandwich: Option<&Result<Sandwich, &'static str>>,
    ) -> Self {
        let omitted = |reason: &'static str| Self {
            omitted: Some(reason.into()),
            ..Self::default()
        };
        match sandwich {
            Some(Ok(own)) => return Self::of_sandwich(design, fit, own),
            Some(Err(reason)) => return omitted(reason),
            None => {}
        }
        if let Some(own) = fit.family() {
            return Self::of_likelihood(design, fit, own);
        }
        let k = fit.support().len();
        let fixed = usize::from(design.intercept());
        let Some(free) = design.n().checked_sub(k + fixed).filter(|free| *free > 0) else {
            return omitted("no degrees of freedom are left");
        };
        match k + fixed {
            _ if exact => return omitted("the fit is exact"),
            0 => return omitted("the model has no coefficients"),
            1..=MOST_COVARIANCES => {}
            _ => return omitted("the model has more than 100 coefficients"),
        }
        let sigma = (fit.rss() / free as f64).sqrt() * design.response().norm;
        let chosen = fit.support().iter();
        let chosen: Vec<_> = chosen.map(|&j| &design.variables()[j as usize]).collect();
        let inverse = fit.inverse_gram();
        let entry = |a: usize, b: usize| {
            (sigma / chosen[a].norm) * inverse[a * k + b] * (sigma / chosen[b].norm)
        };
        let mut matrix = Vec::with_capacity(k + fixed);
        let with_intercept = |a: usize| -> f64 {
            let means = chosen.iter().enumerate();
            means.map(|(b, own)| -own.mean * entry(a, b)).sum()
        };
        if design.intercept() {
            let means: Vec<f64> = chosen.iter().map(|own| own.mean / own.norm).collect();
            let variance = 1.0 / design.n() as f64 + fit.inverse_gram_form(&means);
            let mut row = vec![sigma * sigma * variance];
            row.extend((0..k).map(with_intercept));
            matrix.push(row);
        }
        matrix.extend((0..k).map(|a| {
            let first = design.intercept().then(|| with_intercept(a));
            first
                .into_iter()
                .chain((0..k).map(|b| entry(a, b)))
                .collect()
        }));
        if matrix
            .iter()
            .flatten()
            .any(|value: &f64| !value.is_finite())
        {
            return omitted("its numbers are beyond the range of f64");
        }
        let intercept = design.intercept().then(|| "(intercept)".to_owned());
        let names = chosen.iter().map(|variable| variable.name.clone());
        Self {
            names: intercept.into_iter().chain(names).collect(),
            matrix,
            omitted: None,
        }
    }
}

impl Covariance {
    /// That of a sandwich estimate.
    fn of_sandwich(design: &Design, fit: &Fit, own: &Sandwich) -> Self {
        let chosen = fit.support().iter();
        let chosen: Vec<_> = chosen.map(|&j| &design.variables()[j as usize]).collect();
        let fixed = usize::from(design.intercept());
        let omitted = match chosen.len() + fixed {
            0 => Some("the model has no coefficients"),
            1..=MOST_COVARIANCES => None,
            _ => Some("the model has more than 100 coefficients"),
        };
        if let Some(reason) = omitted {
            return Self {
                omitted: Some(reason.into()),
                ..Self::default()
            };
        }
        let origin: Vec<f64> = chosen.iter().map(|variable| -variable.mean).collect();
        let names = chosen.iter().map(|variable| variable.name.clone());
        let intercept = design.intercept().then(|| "(intercept)".to_owned());
        Self {
            names: intercept.into_iter().chain(names).collect(),
            matrix: own.intercept_and_coefficients(&origin),
            omitted: None,
        }
    }

    /// That of a maximum likelihood fit, by the expected information.
    fn of_likelihood(design: &Design, fit: &Fit, own: &FamilyFit) -> Self {
        let omitted = |reason: &'static str| Self {
            omitted: Some(reason.into()),
            ..Self::default()
        };
        let fixed = usize::from(own.intercept().is_some());
        let size = fit.support().len() + fixed;
        match size {
            _ if own.status() == FitStatus::Separated => {
                return omitted("some coefficients have no end");
            }
            0 => return omitted("the model has no coefficients"),
            1..=MOST_COVARIANCES => {}
            _ => return omitted("the model has more than 100 coefficients"),
        }
        let chosen = fit.support().iter();
        let chosen: Vec<_> = chosen.map(|&j| &design.variables()[j as usize]).collect();
        // Row by row what makes coefficients of the file's columns of those of the design's.
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(size);
        if fixed == 1 {
            let shifts = chosen.iter().map(|own| -own.mean / own.norm);
            rows.push(std::iter::once(1.0).chain(shifts).collect());
        }
        for (at, variable) in chosen.iter().enumerate() {
            let mut row = vec![0.0; size];
            row[fixed + at] = 1.0 / variable.norm;
            rows.push(row);
        }
        // Tᵀ of each row: covariances are products of these.
        let turned: Vec<Vec<f64>> = rows
            .iter()
            .map(|row| {
                let columns = packed_columns(own.inverse());
                let product = |t: &[f64]| t.iter().zip(row).map(|(t, x)| t * x).sum();
                columns.map(product).collect()
            })
            .collect();
        let entry = |a: &Vec<f64>, b: &Vec<f64>| {
            own.dispersion() * a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>()
        };
        let matrix = turned
            .iter()
            .map(|a| turned.iter().map(|b| entry(a, b)).collect())
            .collect();
        let intercept = (fixed == 1).then(|| "(intercept)".to_owned());
        let names = chosen.iter().map(|variable| variable.name.clone());
        Self {
            names: intercept.into_iter().chain(names).collect(),
            matrix,
            omitted: None,
        }
    }
}

/// What the covariances of coefficients rest on in the place of the variances of the model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RobustCovariance {
    /// The estimator: `hc0`, `hc1`, `hc2` or `hc3`.
    pub estimator: Label,
    /// The column of clusters, of which observations may depend on one another; none where all are independent.
    pub cluster: Option<String>,
    /// How many clusters there are.
    pub clusters: Option<usize>,
    /// Why there are no covariances, and no standard errors, where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<Label>,
}

impl RobustCovariance {
    /// Describes the estimate on a design.
    pub(crate) fn of(design: &Design, sandwich: &Result<Sandwich, &'static str>) -> Self {
        let clusters = design.clusters();
        let estimator = match sandwich {
            Ok(own) => own.estimator,
            Err(_) => design.covariance(),
        };
        Self {
            estimator: estimator.name().into(),
            cluster: clusters.map(|own| own.name.clone()),
            clusters: clusters.map(|own| own.count),
            omitted: sandwich.as_ref().err().map(|reason| (*reason).into()),
        }
    }
}

/// Writes each row on a line of its own, where the rest is indented number by number.
fn a_row_a_line<S: Serializer>(rows: &[Vec<f64>], serializer: S) -> Result<S::Ok, S::Error> {
    let rows = rows.iter().map(to_raw_value).collect::<Result<Vec<_>, _>>();
    serializer.collect_seq(rows.map_err(S::Error::custom)?)
}
