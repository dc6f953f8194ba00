//! Tests of what least squares assume, collinear columns, and observations that decide alone.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

use super::{
    family::chi_squared_tail,
    goodness::{f_tail, residual_freedom},
    influence::{Influence, InfluentialObservation, influential},
    number_or_nan,
    residuals::leverage,
};
use crate::{
    design::Design,
    family::{FamilyFit, FitStatus, Likelihood},
    least_squares::Fit,
    vector::{add_scaled, packed_columns, product},
};

/// Observations × coefficients² beyond which nothing is tested: that would take longer than a search.
const MOST_WORK: usize = 1 << 28;

/// The part of a power of the fitted values that the variables leave, below which they explain it.
const LEAST_PART: f64 = 1e-7;

/// What speaks against the assumptions of a model; of generalized linear models the condition number and influence alone. All p-values take the model as given beforehand; a model
/// that was chosen for its fit looks a little better than it is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Diagnostics {
    /// The largest over the smallest singular value of the columns at unit length, the intercept's among them and none
    /// centred, of a likelihood each row times the root of its working weight: from about 30 on some coefficients have few digits or large standard errors.
    ///
    /// *Source:* D. Belsley, E. Kuh, R. Welsch, *Regression Diagnostics* (1980), chapter 3.
    pub condition_number: Option<f64>,
    /// The test that the variance of the errors does not depend on the variables, with weights that it is theirs over the weight and
    /// depends on nothing else; none without an intercept.
    ///
    /// *Source:* T. Breusch, A. Pagan, Econometrica 47, 1979, in the form that does not need normal errors: R. Koenker, A note on
    /// studentizing a test for heteroscedasticity, Journal of Econometrics 17, 1981.
    pub breusch_pagan: Option<ChiSquaredTest>,
    /// The test that squares and cubes of the fitted values explain nothing more; none with weights.
    ///
    /// *Source:* J. Ramsey, Tests for specification errors in classical linear least-squares regression analysis, Journal of the
    /// Royal Statistical Society B 31, 1969.
    pub reset: Option<FTest>,
    /// The test that errors which follow one another in the file are not correlated; none with weights. It says something
    /// where rows are in the order of time.
    ///
    /// *Source:* J. Durbin, G. Watson, Testing for serial correlation in least squares regression, Biometrika 37, 1950; 38,
    /// 1951.
    pub durbin_watson: Option<DurbinWatson>,
    /// The ten observations with the largest Cook's distances, of those that decide alone: without one all coefficients together
    /// move to the edge of their confidence region of level 50 % or beyond.
    ///
    /// *Source:* R. Cook, S. Weisberg, *Residuals and Influence in Regression* (1982), section 3.5.
    pub influential: Vec<InfluentialObservation>,
    /// How many such observations there are.
    pub influential_count: usize,
}

/// A test by χ².
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChiSquaredTest {
    /// χ².
    #[serde(deserialize_with = "number_or_nan")]
    pub chi_squared: f64,
    /// Its degrees of freedom.
    pub df: usize,
    /// P(χ² ≥ this).
    #[serde(deserialize_with = "number_or_nan")]
    pub p_value: f64,
}

/// A test by F.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FTest {
    /// F.
    #[serde(deserialize_with = "number_or_nan")]
    pub f: f64,
    /// Its degrees of freedom.
    pub df: usize,
    /// The residual degrees of freedom.
    pub df_residual: usize,
    /// P(F ≥ this).
    #[serde(deserialize_with = "number_or_nan")]
    pub p_value: f64,
}

/// Durbin and Watson's statistic.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DurbinWatson {
    /// Σ (eᵢ − eᵢ₋₁)² / Σ eᵢ²: about 2 without correlation, towards 0 where it is positive.
    #[serde(deserialize_with = "number_or_nan")]
    pub statistic: f64,
    /// P(D ≤ this), against positive correlation, by the normal distribution of the statistic's mean and variance.
    #[serde(deserialize_with = "number_or_nan")]
    pub p_value: f64,
}

impl Diagnostics {
    /// Diagnoses a fit; none of survival times and levels, an `exact` or separated fit, one by Firth's penalty, without variables or
    /// degrees of freedom, or of so many observations and variables that it would take long.
    ///
    /// *Shapes:* n observations of the design, k variables in the fit.
    pub(crate) fn of(design: &Design, fit: &Fit, exact: bool) -> Option<Self> {
        let (n, k) = (design.n(), fit.support().len());
        let left = residual_freedom(design, fit);
        let work = n.saturating_mul((k + 1).pow(2));
        if exact || k == 0 || left == 0 || work > MOST_WORK {
            return None;
        }
        let x = design.columns();
        let columns: Vec<&[f64]> = fit.support().iter().map(|j| x.column(*j)).collect();
        if let (Some(likelihood), Some(own)) = (design.likelihood(), fit.family()) {
            return Self::of_likelihood((design, likelihood), (fit, own), &columns);
        }
        let sigma = (fit.rss() / left as f64).sqrt();
        let mut values = Vec::new();
        let (influential, influential_count) = influential(design, (n - left, left), |i| {
            let residual = fit.residual()[i] / sigma;
            Influence {
                leverage: leverage(design, fit, i, &mut values),
                residual,
                pearson: residual,
            }
        });
        let is_weighted = design.weights().is_some();
        let own = Basis {
            design,
            fit,
            columns: &columns,
        };
        Some(Self {
            condition_number: condition_number(design, fit),
            breusch_pagan: design.intercept().then(|| own.breusch_pagan()).flatten(),
            reset: (!is_weighted).then(|| own.reset(left)).flatten(),
            durbin_watson: (!is_weighted).then(|| own.durbin_watson(left)).flatten(),
            influential,
            influential_count,
        })
    }

    /// Of a model whose likelihood is a product over observations: the columns under its working weights, and influence as R's
    /// `cooks.distance`, `hatvalues` and `rstandard` of a `glm` have it.
    ///
    /// *Source:* D. Pregibon, Logistic regression diagnostics, Annals of Statistics 9, 1981.
    fn of_likelihood(
        (design, likelihood): (&Design, &Likelihood),
        (fit, own): (&Fit, &FamilyFit),
        columns: &[&[f64]],
    ) -> Option<Self> {
        let response = likelihood.response();
        let left = likelihood.residual_freedom(own);
        let has_all = own.rank() == columns.len() + usize::from(own.intercept().is_some());
        let is_fitted = own.status() == FitStatus::Converged && has_all && !design.firth();
        if response.is_joint() || !is_fitted || left == 0 {
            return None;
        }
        let deviation = own.dispersion().sqrt();
        let mut values = Vec::new();
        let (influential, influential_count) = influential(design, (own.rank(), left), |i| {
            values.clear();
            values.extend(own.intercept().map(|_| 1.0));
            values.extend(columns.iter().map(|column| column[i]));
            Influence {
                leverage: own.leverage(i, &values).min(1.0),
                residual: own.deviance_residual(response, i) / deviation,
                pearson: own.pearson_residual(response, i) / deviation,
            }
        });
        Some(Self {
            condition_number: condition_number(design, fit),
            influential,
            influential_count,
            ..Self::default()
        })
    }
}

/// The variables of a fit.
struct Basis<'a> {
    design: &'a Design,
    fit: &'a Fit,
    columns: &'a [&'a [f64]],
}

impl Basis<'_> {
    /// What the intercept and the variables leave of a column.
    fn rest(&self, mut values: Vec<f64>) -> Vec<f64> {
        // Twice, so that of what is nearly explained digits are left.
        for _ in 0..2 {
            if self.design.intercept() {
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                values.iter_mut().for_each(|value| *value -= mean);
            }
            let products: Vec<f64> = self.columns.iter().map(|x| product(x, &values)).collect();
            for (at, column) in self.columns.iter().enumerate() {
                let coefficient = self.inverse_product(&products, at);
                add_scaled(&mut values, -coefficient, column);
            }
        }
        values
    }

    /// The same where the columns, and that of the intercept, are without the roots of the weights.
    fn rest_without_weights(&self, mut values: Vec<f64>) -> Vec<f64> {
        let n = values.len() as f64;
        let mut basis = vec![vec![n.sqrt().recip(); values.len()]];
        let take_off = |basis: &[Vec<f64>], values: &mut [f64]| {
            for other in basis.iter().chain(basis) {
                let share = product(values, other);
                add_scaled(values, -share, other);
            }
        };
        for j in self.fit.support() {
            let mut own = self.design.original_values(*j);
            let size = product(&own, &own).sqrt();
            own.iter_mut().for_each(|value| *value /= size);
            take_off(&basis, &mut own);
            let norm = product(&own, &own).sqrt();
            own.iter_mut().for_each(|value| *value /= norm);
            basis.push(own);
        }
        take_off(&basis, &mut values);
        values
    }

    /// Row `at` of (XᵀX)⁻¹v.
    fn inverse_product(&self, v: &[f64], at: usize) -> f64 {
        let columns = packed_columns(self.fit.inverse()).skip(at);
        columns.map(|t| t[at] * product(t, &v[..t.len()])).sum()
    }

    fn breusch_pagan(&self) -> Option<ChiSquaredTest> {
        let n = self.design.n() as f64;
        let squares: Vec<f64> = self.fit.residual().iter().map(|e| e * e).collect();
        let mean = squares.iter().sum::<f64>() / n;
        let total: f64 = squares.iter().map(|square| (square - mean).powi(2)).sum();
        // Residuals are √w·e, of one variance if the weights are right; the variables are as they are.
        let rest = match self.design.weights() {
            None => self.rest(squares),
            Some(_) => self.rest_without_weights(squares),
        };
        let explained = 1.0 - product(&rest, &rest) / total;
        let (chi_squared, df) = (n * explained.max(0.0), self.columns.len());
        (total > 0.0 && chi_squared.is_finite()).then(|| ChiSquaredTest {
            chi_squared,
            df,
            p_value: chi_squared_tail(chi_squared, df as f64),
        })
    }

    fn reset(&self, left: usize) -> Option<FTest> {
        let residual = self.fit.residual();
        let fitted = self.design.y().iter().zip(residual).map(|(y, e)| y - e);
        let fitted: Vec<f64> = fitted.collect();
        let mut explained = 0.0;
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for power in [2, 3] {
            let values: Vec<f64> = fitted.iter().map(|own| own.powi(power)).collect();
            let size = product(&values, &values).sqrt();
            let mut rest = self.rest(values);
            for other in &basis {
                let share = product(&rest, other);
                add_scaled(&mut rest, -share, other);
            }
            let norm = product(&rest, &rest).sqrt();
            if norm > LEAST_PART * size {
                rest.iter_mut().for_each(|value| *value /= norm);
                explained += product(&rest, residual).powi(2);
                basis.push(rest);
            }
        }
        let (df, df_residual) = (basis.len(), left.checked_sub(basis.len())?);
        let rest = self.fit.rss() - explained;
        let f = explained / df as f64 / (rest / df_residual as f64);
        (df > 0 && df_residual > 0 && rest > 0.0).then(|| FTest {
            f,
            df,
            df_residual,
            p_value: f_tail(f, df as f64, df_residual as f64),
        })
    }

    /// The statistic, and its moments where errors are normal and independent.
    fn durbin_watson(&self, left: usize) -> Option<DurbinWatson> {
        let residual = self.fit.residual();
        let steps = residual.windows(2).map(|pair| (pair[1] - pair[0]).powi(2));
        let statistic = steps.sum::<f64>() / self.fit.rss();
        let n = residual.len() as f64;
        // The matrix A of eᵀAe = Σ (eᵢ − eᵢ₋₁)², times each column; times a constant one it is 0.
        let images: Vec<Vec<f64>> = self.columns.iter().map(|x| differences(x)).collect();
        let (mut of_one, mut of_two, k) = (0.0, 0.0, self.columns.len());
        // XᵀAX(XᵀX)⁻¹, row by row.
        let mut turned = vec![0.0; k * k];
        for a in 0..k {
            let own: Vec<f64> = self
                .columns
                .iter()
                .map(|x| product(x, &images[a]))
                .collect();
            let squares: Vec<f64> = images
                .iter()
                .map(|other| product(other, &images[a]))
                .collect();
            for b in 0..k {
                turned[a * k + b] = self.inverse_product(&own, b);
            }
            of_one += turned[a * k + a];
            of_two += self.inverse_product(&squares, a);
        }
        let of_square: f64 = (0..k * k)
            .map(|at| turned[at] * turned[at % k * k + at / k])
            .sum();
        let (first, free) = (2.0 * (n - 1.0) - of_one, left as f64);
        let second = 2.0 * (3.0 * n - 4.0) - 2.0 * of_two + of_square;
        let mean = first / free;
        let variance = 2.0 / (free * (free + 2.0)) * (second - first * mean);
        (variance > 0.0 && statistic.is_finite()).then(|| DurbinWatson {
            statistic,
            p_value: Normal::standard().cdf((statistic - mean) / variance.sqrt()),
        })
    }
}

/// The second differences 2xᵢ − xᵢ₋₁ − xᵢ₊₁, at the ends the first.
fn differences(x: &[f64]) -> Vec<f64> {
    let mut own = vec![0.0; x.len()];
    for (at, pair) in x.windows(2).enumerate() {
        own[at] += pair[0] - pair[1];
        own[at + 1] += pair[1] - pair[0];
    }
    own
}

/// The condition number of the columns at unit length, from the factor of those of the design: R with XᵀX = RᵀR; of a
/// likelihood with XᵀWX, W being its working weights.
fn condition_number(design: &Design, fit: &Fit) -> Option<f64> {
    let fixed = usize::from(design.intercept());
    let size = fit.support().len() + fixed;
    // Of least squares columns are centred, so that the intercept stands by itself.
    let (inverse, before) = match fit.family() {
        Some(own) => (own.inverse(), 0),
        None => (fit.inverse(), fixed),
    };
    let mut factor = DMatrix::<f64>::identity(size, size);
    for (b, column) in packed_columns(inverse).enumerate() {
        let mut own = factor.column_mut(before + b);
        own.as_mut_slice()[before..][..column.len()].copy_from_slice(column);
    }
    if before == 1 {
        factor[(0, 0)] = (design.n() as f64).sqrt().recip();
    }
    let mut r = factor.solve_upper_triangular(&DMatrix::identity(size, size))?;
    if fixed == 1 {
        let constant = r.column(0).into_owned();
        // In units of each column's norm about its mean.
        for (at, j) in fit.support().iter().enumerate() {
            let variable = &design.variables()[*j as usize];
            let mean = variable.mean / variable.norm;
            r.column_mut(at + 1).axpy(mean, &constant, 1.0);
        }
    }
    for mut column in r.column_iter_mut() {
        let norm = column.norm();
        column /= norm;
    }
    let values = r.singular_values();
    let number = values.max() / values.min();
    number.is_finite().then_some(number)
}
