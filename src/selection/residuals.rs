//! Residuals, leverages and normal quantiles of a fit, for its diagnostic plots.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::{design::Design, least_squares::Fit};

/// The largest number of observations kept.
const KEPT: usize = 1000;

/// How many of those kept have the largest residuals, as many the largest leverages, and as many the
/// largest Cook's distances.
const LARGEST: usize = 200;

/// The diagnostics of one observation.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservationResidual {
    /// The row of the table, counted from 1.
    pub row: usize,
    /// What the file calls the observation; none where it has no names of observations.
    pub label: Option<String>,
    /// y, on the response's scale.
    pub observed: f64,
    /// ŷ, on the response's scale.
    pub fitted: f64,
    /// y − ŷ on the response's scale, times the root of the observation's weight.
    pub residual: f64,
    /// Leverage h = ∂ŷ/∂y, in 0 … 1.
    pub leverage: f64,
    /// The residual over its standard error σ̂·√(1 − h); none where h is 1.
    pub standardised: Option<f64>,
    /// Cook's distance t²h / ((1 − h)·q), with t the standardised residual and q the number of
    /// coefficients: how far all fitted values move where the observation is left out. None where h
    /// is 1.
    pub cooks_distance: Option<f64>,
    /// The standard normal quantile at the rank of the standardised residual among all n; 0 where
    /// there is none.
    pub quantile: f64,
}

/// The diagnostics of a fit's observations: of all of them, or of 1,000 with the largest residuals,
/// leverages and Cook's distances, and others evenly by rank.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Residuals {
    /// Diagnostics of the observations kept, in the file's order.
    pub observed: Vec<ObservationResidual>,
    /// Observations of the fit.
    pub n: usize,
    /// Whether the observations have weights.
    pub weighted: bool,
}

impl ObservationResidual {
    /// The label of the observation, or else its row.
    pub(crate) fn name(&self) -> String {
        self.label.clone().unwrap_or_else(|| self.row.to_string())
    }
}

/// 1 − leverage from which on an observation is fitted whatever its response is, as in R's `lm`.
pub(super) const LEAST_FREE: f64 = 1e-10;

/// The leverage of observation i: xᵢᵀ(XᵀX)⁻¹xᵢ plus the intercept's share wᵢ/n. `values` is room for xᵢ.
pub(super) fn leverage(design: &Design, fit: &Fit, i: usize, values: &mut Vec<f64>) -> f64 {
    values.clear();
    let columns = fit.support().iter();
    values.extend(columns.map(|j| design.columns().column(*j)[i]));
    let weight = design.weight_values().get(i).copied().unwrap_or(1.0);
    let fixed = f64::from(u8::from(design.intercept()));
    fit.inverse_gram_form(values) + fixed * weight / design.n() as f64
}

impl Residuals {
    /// Diagnoses a fit; none without degrees of freedom, or where the fit is exact.
    ///
    /// *Shapes:* n observations of the design, k variables in the fit.
    ///
    /// *Source:* D. Belsley, E. Kuh and R. Welsch, *Regression Diagnostics* (1980), chapter 2;
    /// R. Cook, Detection of influential observation in linear regression (1977); plotting
    /// positions of R's `ppoints`.
    pub fn of(design: &Design, fit: &Fit, exact: bool) -> Option<Self> {
        if design.likelihood().is_some() {
            return None;
        }
        let n = design.n();
        let fixed = usize::from(design.intercept());
        let freedom = n.checked_sub(fit.support().len() + fixed)?;
        if freedom == 0 || exact {
            return None;
        }
        let sigma = (fit.rss() / freedom as f64).sqrt();
        let response = design.response();
        let weights = design.weight_values();
        let coefficients = (fit.support().len() + fixed).max(1) as f64;
        let mut own = Vec::new();
        let mut all: Vec<ObservationResidual> = Vec::with_capacity(n);
        for (i, (&r, &y)) in fit.residual().iter().zip(design.y()).enumerate() {
            let weight = weights.get(i).copied().unwrap_or(1.0);
            let leverage = leverage(design, fit, i, &mut own);
            let free = 1.0 - leverage;
            let standardised = (free > LEAST_FREE).then(|| r / (sigma * free.sqrt()));
            let original = |value: f64| response.mean + value * response.norm / weight.sqrt();
            all.push(ObservationResidual {
                row: design.row(i) + 1,
                label: design.labels().get(i).cloned(),
                observed: original(y),
                fitted: original(y - r),
                residual: r * response.norm,
                leverage,
                standardised,
                cooks_distance: standardised.map(|t| t * t * leverage / (free * coefficients)),
                quantile: 0.0,
            });
        }
        let mut order: Vec<usize> = (0..n).filter(|&i| all[i].standardised.is_some()).collect();
        let value = |all: &[ObservationResidual], i: usize| all[i].standardised.unwrap_or_default();
        order.sort_by(|&a, &b| value(&all, a).total_cmp(&value(&all, b)));
        let ranked = order.len() as f64;
        // Plotting positions as R's ppoints has them.
        let shift = if order.len() <= 10 { 0.375 } else { 0.5 };
        for (rank, &i) in order.iter().enumerate() {
            let share = (rank as f64 + 1.0 - shift) / (ranked + 1.0 - 2.0 * shift);
            all[i].quantile = Normal::standard().inverse_cdf(share);
        }
        let observed = match n > KEPT {
            false => all,
            true => thinned(all, &order),
        };
        Some(Self {
            observed,
            n,
            weighted: design.weights().is_some(),
        })
    }
}

/// Keeps the largest residuals of either sign, the largest leverages and Cook's distances, and
/// others evenly by rank.
fn thinned(all: Vec<ObservationResidual>, order: &[usize]) -> Vec<ObservationResidual> {
    let mut kept = vec![false; all.len()];
    let ends = LARGEST / 2;
    let (first, last) = (order.iter().take(ends), order.iter().rev().take(ends));
    first.chain(last).for_each(|&i| kept[i] = true);
    let distance = |own: &ObservationResidual| own.cooks_distance.unwrap_or_default();
    for size in [|own: &ObservationResidual| own.leverage, distance] {
        let mut far: Vec<usize> = (0..all.len()).collect();
        far.sort_by(|&a, &b| size(&all[b]).total_cmp(&size(&all[a])));
        far.iter().take(LARGEST).for_each(|&i| kept[i] = true);
    }
    let others = KEPT - 3 * LARGEST;
    for part in 0..others {
        if let Some(&i) = order.get(part * order.len() / others) {
            kept[i] = true;
        }
    }
    let kept = all.into_iter().zip(kept);
    kept.filter_map(|(observation, keep)| keep.then_some(observation))
        .collect()
}
