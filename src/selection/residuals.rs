//! Residuals, leverages and normal quantiles of a fit, for its diagnostic plots.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::{
    design::Design,
    family::{FamilyFit, Likelihood},
    least_squares::Fit,
    random::Stream,
};

/// The largest number of observations kept.
const KEPT: usize = 1000;

/// How many of those kept have the largest residuals, as many the largest leverages, and as many the
/// largest Cook's distances.
const LARGEST: usize = 200;

/// The random stream of quantile residuals: no particle, resample (from 2⁶¹) or permutation has it.
const STREAM: u64 = 1 << 60;

/// The diagnostics of one observation.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservationResidual {
    /// The row of the table, counted from 1.
    pub row: usize,
    /// What the file calls the observation; none where it has no names of observations.
    pub label: Option<String>,
    /// y, on the response's scale; the share of events of the binomial family.
    pub observed: f64,
    /// ŷ, on the response's scale.
    pub fitted: f64,
    /// The linear predictor, offsets included; ŷ of least squares.
    pub predictor: f64,
    /// y − ŷ on the response's scale, times the root of the observation's weight; of a likelihood the deviance residual
    /// ([`FamilyFit::deviance_residual`]).
    pub residual: f64,
    /// Leverage h = ∂ŷ/∂y, in 0 … 1.
    pub leverage: f64,
    /// The residual over its standard error σ̂·√(1 − h), σ̂² being the dispersion of a likelihood; none where h is 1.
    pub standardised: Option<f64>,
    /// Cook's distance t²h / ((1 − h)·q), with t the standardised residual (Pearson's of a likelihood, as R has it) and q
    /// the number of coefficients: how far all fitted values move where the observation is left out. None where h is 1.
    pub cooks_distance: Option<f64>,
    /// The randomised quantile residual of a likelihood ([`FamilyFit::quantile_residual`]), standard normal where the model
    /// is right; none of least squares.
    pub quantile_residual: Option<f64>,
    /// The standard normal quantile at the rank of the quantile residual among all n, or of the standardised residual of
    /// least squares; 0 where there is none.
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

    /// The residual that would be normal, if there is one.
    pub(crate) fn ranked(&self) -> Option<f64> {
        self.quantile_residual.or(self.standardised)
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
    /// Diagnoses a fit; none without degrees of freedom, or where the fit is exact. The seed is that of the run: it draws
    /// where quantile residuals lie within the jumps of their distributions.
    ///
    /// *Shapes:* n observations of the design, k variables in the fit.
    ///
    /// *Source:* D. Belsley, E. Kuh and R. Welsch, *Regression Diagnostics* (1980), chapter 2;
    /// R. Cook, Detection of influential observation in linear regression (1977); plotting
    /// positions of R's `ppoints`. Of likelihoods P. McCullagh and J. Nelder, *Generalized Linear Models* (1989), chapter 12.
    pub fn of(design: &Design, fit: &Fit, exact: bool, seed: u64) -> Option<Self> {
        // Those of survival times and of levels are of other kinds.
        let is_joint = design
            .likelihood()
            .is_some_and(|own| own.response().is_joint());
        if exact || is_joint {
            return None;
        }
        let mut all = match (design.likelihood(), fit.family()) {
            (Some(likelihood), Some(own)) => of_likelihood(design, fit, (likelihood, own), seed)?,
            _ => of_least_squares(design, fit)?,
        };
        let n = all.len();
        let mut order: Vec<usize> = (0..n).filter(|&i| all[i].ranked().is_some()).collect();
        let value = |all: &[ObservationResidual], i: usize| all[i].ranked().unwrap_or_default();
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

/// The diagnostics of all observations of a fit by least squares; none without degrees of freedom.
fn of_least_squares(design: &Design, fit: &Fit) -> Option<Vec<ObservationResidual>> {
    let n = design.n();
    let fixed = usize::from(design.intercept());
    let freedom = n.checked_sub(fit.support().len() + fixed)?;
    if freedom == 0 {
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
        let fitted = original(y - r);
        all.push(ObservationResidual {
            row: design.row(i) + 1,
            label: design.labels().get(i).cloned(),
            observed: original(y),
            fitted,
            predictor: fitted,
            residual: r * response.norm,
            leverage,
            standardised,
            cooks_distance: standardised.map(|t| t * t * leverage / (free * coefficients)),
            quantile_residual: None,
            quantile: 0.0,
        });
    }
    Some(all)
}

/// The diagnostics of all observations of a fit by maximum likelihood; none without degrees of freedom.
fn of_likelihood(
    design: &Design,
    fit: &Fit,
    (likelihood, own): (&Likelihood, &FamilyFit),
    seed: u64,
) -> Option<Vec<ObservationResidual>> {
    let response = likelihood.response();
    if likelihood.residual_freedom(own) == 0 {
        return None;
    }
    let columns: Vec<&[f64]> = fit
        .support()
        .iter()
        .map(|j| design.columns().column(*j))
        .collect();
    let deviation = own.dispersion().sqrt();
    let coefficients = own.rank().max(1) as f64;
    let mut stream = Stream::new(seed, STREAM);
    let mut values = Vec::new();
    let of_row = |i: usize| {
        values.clear();
        values.extend(own.intercept().map(|_| 1.0));
        values.extend(columns.iter().map(|column| column[i]));
        let leverage = own.leverage(i, &values).min(1.0);
        let free = 1.0 - leverage;
        let has_error = free > LEAST_FREE;
        let residual = own.deviance_residual(response, i);
        let pearson = own.pearson_residual(response, i) / deviation;
        // The middle of one of 2⁵³ equal parts of (0, 1).
        let share = ((stream.next_word() >> 11) as f64 + 0.5) * (0.5 * f64::EPSILON);
        ObservationResidual {
            row: design.row(i) + 1,
            label: design.labels().get(i).cloned(),
            observed: response.y()[i],
            fitted: own.means()[i],
            predictor: own.predictors()[i],
            residual,
            leverage,
            standardised: has_error.then(|| residual / (deviation * free.sqrt())),
            cooks_distance: has_error.then(|| (pearson / free).powi(2) * leverage / coefficients),
            quantile_residual: Some(own.quantile_residual(response, i, share))
                .filter(|residual| residual.is_finite()),
            quantile: 0.0,
        }
    };
    Some((0..design.n()).map(of_row).collect())
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
