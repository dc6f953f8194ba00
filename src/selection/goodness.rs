//! How well a model fits: R², σ̂, the log-likelihood and the F-test, as R's `summary` of an `lm`
//! has them.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};
use statrs::function::beta::beta_reg;

use super::number_or_nan;
use crate::{
    design::Design,
    least_squares::Fit,
    sandwich::{Sandwich, original_coefficients},
};

/// How well a regression model fits, in the numbers of R's `summary(lm(…))` and `logLik`.
///
/// *Source:* G. Seber and A. Lee, *Linear Regression Analysis* (2nd ed., 2003), sections 4.3 and
/// 4.4.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GoodnessOfFit {
    /// R² = 1 − RSS / TSS, about zero without an intercept; 0 of a model without variables.
    pub r_squared: Option<f64>,
    /// R² of variances, each over its own degrees of freedom; none where no degree is left.
    pub adjusted_r_squared: Option<f64>,
    /// The residual standard error σ̂ = √(Σ w (y − ŷ)² / df), with weights w as the file has them;
    /// none where no degree of freedom is left.
    ///
    /// *Units:* the response's, times the root of the weights' unit.
    pub sigma: Option<f64>,
    /// Residual degrees of freedom: observations without the coefficients, the intercept among
    /// these.
    pub df_residual: usize,
    /// ½(Σ ln w − n·(ln 2π + 1 − ln n + ln Σ w (y − ŷ)²)), the largest log-likelihood of normal
    /// errors of variance σ²/w; it does not depend on the unit of the weights. None where the fit
    /// is exact. Of another family as R's `logLik` of a `glm`.
    pub log_likelihood: Option<f64>,
    /// The F-test of all variables together; none without variables, without degrees of freedom,
    /// or where the fit is exact. With robust covariances it is Wald's by them.
    pub f_statistic: Option<FStatistic>,
}

/// The F-test that all coefficients but the intercept are zero.
///
/// The p-value takes the model as given beforehand; after selection it is optimistic.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FStatistic {
    /// ((TSS − RSS) / k) / (RSS / df).
    #[serde(deserialize_with = "number_or_nan")]
    pub value: f64,
    /// Degrees of freedom of the numerator: the number of variables.
    pub df: usize,
    /// Degrees of freedom of the denominator.
    pub df_residual: usize,
    /// P(F ≥ value).
    #[serde(deserialize_with = "number_or_nan")]
    pub p_value: f64,
}

impl GoodnessOfFit {
    /// Describes a fit on a design; of an `exact` one the residuals are rounding.
    ///
    /// *Shapes:* n observations of the design, k variables in the fit.
    pub fn of(design: &Design, fit: &Fit, exact: bool) -> Self {
        if let (Some(likelihood), Some(own)) = (design.likelihood(), fit.family()) {
            return Self {
                df_residual: likelihood.residual_freedom(own),
                log_likelihood: Some(-own.minus_two_log_likelihood() / 2.0),
                ..Self::default()
            };
        }
        let (n, k) = (design.n(), fit.support().len());
        let fixed = usize::from(design.intercept());
        let df_residual = residual_freedom(design, fit);
        let free = (df_residual > 0).then_some(df_residual as f64);
        // The response has unit norm: RSS is a share of TSS. Rounding leaves the empty model's
        // beside 1.
        let rss = if k == 0 { 1.0 } else { fit.rss() };
        let r_squared = (1.0 - rss).max(0.0);
        let spread = (n - fixed) as f64;
        Self {
            r_squared: Some(r_squared),
            adjusted_r_squared: free.map(|free| 1.0 - rss * (spread / free)),
            sigma: free
                .map(|free| (rss * design.mean_weight() / free).sqrt() * design.response().norm),
            df_residual,
            log_likelihood: (!exact).then(|| log_likelihood(design, rss)),
            f_statistic: free.filter(|_| k > 0 && !exact).map(|free| {
                let explained = k as f64;
                let value = (1.0 - rss) / explained / (rss / free);
                FStatistic {
                    value,
                    df: k,
                    df_residual,
                    p_value: f_tail(value, explained, free),
                }
            }),
        }
    }
}

impl GoodnessOfFit {
    /// The same with Wald's test by a sandwich in the place of the F-test, and with none where there should be one.
    pub(crate) fn with_robust_test(
        mut self,
        design: &Design,
        fit: &Fit,
        sandwich: Option<&Result<Sandwich, &'static str>>,
    ) -> Self {
        let Some(sandwich) = sandwich else {
            return self;
        };
        self.f_statistic = self.f_statistic.and_then(|test| {
            let own = sandwich.as_ref().ok()?;
            let places: Vec<usize> = (0..test.df).collect();
            let value = own.wald(&original_coefficients(design, fit), &places)? / test.df as f64;
            let df_residual = own.freedom(test.df_residual);
            let p_value = f_tail(value, test.df as f64, df_residual as f64);
            Some(FStatistic {
                value,
                df_residual,
                p_value,
                ..test
            })
        });
        self
    }
}

/// Residual degrees of freedom: observations without the coefficients, the intercept among these.
pub(super) fn residual_freedom(design: &Design, fit: &Fit) -> usize {
    let coefficients = fit.support().len() + usize::from(design.intercept());
    design.n().saturating_sub(coefficients)
}

/// The degrees of freedom of t and F, by a sandwich where there is one.
pub(crate) fn test_freedom(
    design: &Design,
    fit: &Fit,
    sandwich: Option<&Result<Sandwich, &'static str>>,
) -> usize {
    let left = match (design.likelihood(), fit.family()) {
        (Some(likelihood), Some(own)) => likelihood.test_freedom(own),
        _ => residual_freedom(design, fit),
    };
    match sandwich {
        Some(Ok(own)) => own.freedom(left),
        _ => left,
    }
}

/// The log-likelihood at the estimates, from RSS as a share of TSS.
fn log_likelihood(design: &Design, rss: f64) -> f64 {
    let n = design.n() as f64;
    let logarithms: f64 = design
        .weight_values()
        .iter()
        .map(|weight| weight.ln())
        .sum();
    // By parts, for the square of the norm may leave f64's range.
    let rss = rss.ln() + 2.0 * design.response().norm.ln();
    0.5 * (logarithms - n * ((2.0 * PI).ln() + 1.0 - n.ln() + rss))
}

/// P(F ≥ f) with these degrees of freedom, which keeps its digits far out in the tail.
///
/// *Source:* M. Abramowitz and I. Stegun, *Handbook of Mathematical Functions* (1964), 26.6.2.
pub(super) fn f_tail(f: f64, df: f64, df_residual: f64) -> f64 {
    // Rounding may leave a little less than nothing explained.
    let f = f.max(0.0);
    beta_reg(
        df_residual / 2.0,
        df / 2.0,
        df_residual / (df_residual + df * f),
    )
}
