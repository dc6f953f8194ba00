//! What a report says of a response of ordered levels.

use serde::{Deserialize, Serialize};

use super::{Estimate, number_or_nan};
use crate::{
    design::Design,
    family::{Curvature, FitStatus, Likelihood},
    least_squares::Fit,
};

/// A level of the response.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LevelCount {
    /// The level.
    pub level: String,
    /// The observations that have it, as the weights count them.
    #[serde(deserialize_with = "number_or_nan")]
    pub count: f64,
}

/// A constant of the model in place of an intercept: of ordered levels a threshold between two, named `lower|higher`. The
/// probability of at most the lower one is 1 / (1 + exp(xᵀβ − threshold)).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelConstant {
    /// Its name.
    pub name: String,
    /// Its estimate, at the origin of the file's columns; without a test, as nothing says that it is 0.
    #[serde(flatten)]
    pub estimate: Estimate,
}

impl LevelCount {
    /// All levels of a response of levels, in their order.
    pub(super) fn all(design: &Design, likelihood: &Likelihood) -> Vec<Self> {
        let response = likelihood.response();
        let mut all: Vec<Self> = design
            .response_levels()
            .iter()
            .map(|level| Self {
                level: level.clone(),
                count: 0.0,
            })
            .collect();
        for (level, weight) in response.y().iter().zip(response.weights()) {
            if let Some(own) = all.get_mut(*level as usize) {
                own.count += weight;
            }
        }
        all
    }
}

impl ModelConstant {
    /// The thresholds of a fit; none of another response.
    ///
    /// The thresholds that maximise the likelihood move with β̂: their variance is what they have where β̂ is given, and
    /// that of their moves. Columns of the design are centred: at the origin of the file's the linear predictor lacks the
    /// sum of their means times β̂.
    pub(crate) fn all(design: &Design, fit: &Fit) -> Vec<Self> {
        let Some(own) = fit.family() else {
            return Vec::new();
        };
        let Some(Curvature::Ordinal(curvature)) = own.curvature().map(|own| &**own) else {
            return Vec::new();
        };
        let variables = fit.support().iter();
        let variables = variables.map(|j| &design.variables()[*j as usize]);
        let means: Vec<f64> = variables.map(|own| own.mean / own.norm).collect();
        let shift: f64 = means.iter().zip(own.coefficients()).map(|(m, b)| m * b).sum();
        let columns = fit.support().iter().map(|j| design.columns().column(*j));
        let moves: Vec<Vec<f64>> = columns.map(|own| curvature.threshold_moves(own)).collect();
        let variances = curvature.threshold_variances();
        let has_errors = own.status() == FitStatus::Converged;
        let names = design.response_levels().windows(2);
        let names = names.map(|pair| format!("{}|{}", pair[0], pair[1]));
        let thresholds = names.zip(curvature.thresholds()).zip(variances);
        let all = thresholds.enumerate();
        all.map(|(at, ((name, threshold), variance))| {
            let along: Vec<f64> = means.iter().zip(&moves).map(|(m, own)| m + own[at]).collect();
            let error = (variance + own.variance_of(&along)).sqrt();
            let error = Some(error).filter(|error| has_errors && error.is_finite());
            let coefficient = threshold + shift;
            let estimate = Estimate {
                coefficient,
                std_error: error,
                ..Estimate::default()
            };
            Self { name, estimate }
        })
        .collect()
    }
}
