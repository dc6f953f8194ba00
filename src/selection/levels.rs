//! What a report says of a response of levels.

use serde::{Deserialize, Serialize};

use super::{Estimate, estimates::without_rounding, number_or_nan};
use crate::{
    design::Design,
    family::{Curvature, FitStatus, Likelihood},
    least_squares::Fit,
    sandwich::Sandwich,
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

/// A constant of the model in place of an intercept.
///
/// Of ordered levels it is a threshold between two, named `lower|higher`: the probability of at most the lower one is
/// 1 / (1 + exp(xᵀβ − threshold)). Of levels without order it is the intercept of one of them, by whose linear predictor it
/// is exp(intercept + xᵀβ) times as probable as the baseline.
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
        let levels = design.response_levels().iter();
        let totals = likelihood.response().level_totals();
        let count = |(level, count): (&String, &f64)| Self {
            level: level.clone(),
            count: *count,
        };
        levels.zip(totals).map(count).collect()
    }
}

impl ModelConstant {
    /// Those of a fit; none of another response.
    ///
    /// The constants that maximise the likelihood move with β̂: their variance is what they have where β̂ is given, and
    /// that of their moves. Columns of the design are centred: at the origin of the file's the linear predictor lacks the
    /// sum of their means times β̂, which thresholds have above it and intercepts in it.
    ///
    /// With a `sandwich` it is theirs by it, and there is none where there should be one.
    pub(crate) fn all(
        design: &Design,
        fit: &Fit,
        sandwich: Option<&Result<Sandwich, &'static str>>,
    ) -> Vec<Self> {
        let Some(own) = fit.family() else {
            return Vec::new();
        };
        let Some(curvature) = own.curvature() else {
            return Vec::new();
        };
        let levels = design.response_levels();
        let is_ordered = matches!(**curvature, Curvature::Ordinal(_));
        let variables = fit.support().iter();
        let variables = variables.map(|j| &design.variables()[*j as usize]);
        let means: Vec<f64> = variables.clone().map(|own| own.mean / own.norm).collect();
        let norms: Vec<f64> = variables.map(|own| own.norm).collect();
        // By how much the constant moves with each coefficient at the origin.
        let origin = |at: usize| {
            let of = |(j, mean): (&u32, &f64)| match is_ordered {
                true => *mean,
                false if *j as usize % design.blocks() == at => -mean,
                false => 0.0,
            };
            fit.support()
                .iter()
                .zip(&means)
                .map(of)
                .collect::<Vec<f64>>()
        };
        let columns = fit.support().iter().map(|j| design.columns().column(*j));
        let moves: Vec<Vec<f64>> = columns.map(|own| curvature.constant_moves(own)).collect();
        let variances = curvature.constant_covariances();
        let variances = variances.iter().enumerate().map(|(at, row)| row[at]);
        let has_errors = own.status() == FitStatus::Converged;
        let names = levels.windows(2).map(|pair| match is_ordered {
            true => format!("{}|{}", pair[0], pair[1]),
            false => format!("(intercept) [{}]", pair[1]),
        });
        let all = names.zip(curvature.constants()).zip(variances);
        all.enumerate()
            .map(|(at, ((name, constant), variance))| {
                let origin = origin(at);
                let shift: f64 = origin
                    .iter()
                    .zip(own.coefficients())
                    .map(|(m, b)| m * b)
                    .sum();
                let along: Vec<f64> = origin
                    .iter()
                    .zip(&moves)
                    .map(|(m, own)| m + own[at])
                    .collect();
                let error = match sandwich {
                    None => (variance + own.variance_of(&along)).sqrt(),
                    Some(Ok(sandwich)) => {
                        let shifts = origin.iter().zip(&norms).map(|(m, norm)| m * norm);
                        sandwich.variance_of_constant(at, shifts).sqrt()
                    }
                    Some(Err(_)) => f64::NAN,
                };
                let error = Some(error).filter(|error| has_errors && error.is_finite());
                let coefficient = without_rounding(constant + shift, error);
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
