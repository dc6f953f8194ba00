//! Coefficients, standard errors, t and p-values on the original scale.

use std::iter::zip;

use super::{Estimate, SelectedVariable, goodness::residual_freedom, shares::shares};
use crate::{
    design::{Design, Variable},
    family::{FamilyFit, FitStatus, Likelihood, Link, two_sided, two_sided_normal},
    least_squares::{ENDLESS, Fit},
    sandwich::Sandwich,
    vector::packed_columns,
};

/// The share of its standard error below which an estimate is 0 but for rounding.
const ROUNDING: f64 = 1e-12;

/// An estimate, exactly 0 where it is that but for rounding.
pub(super) fn without_rounding(estimate: f64, error: Option<f64>) -> f64 {
    match error {
        Some(error) if estimate.abs() < ROUNDING * error => 0.0,
        _ => estimate,
    }
}

/// Estimates the intercept and the coefficients of a fit. Intervals are left to
/// [`Selection::set_level`](super::Selection::set_level). Without a `sandwich` standard errors are those of the model; where
/// there should be one and is none, there are no standard errors.
///
/// σ² = RSS / (n − k − 1) (n − k without an intercept), Var(β̂ᵢ) = σ²·((XᵀX)⁻¹)ᵢᵢ, and the
/// intercept's variance is σ²·(1/n + x̄ᵀ(XᵀX)⁻¹x̄), all from the fit's own factor. With weights,
/// whose mean is one, sums and means are weighted and Σ w is n.
///
/// *Shapes:* k variables, in the order of the fit's support.
///
/// *Units:* the original scale; the fit itself is of columns and a response of unit norm.
///
/// *Source:* G. Seber and A. Lee, *Linear Regression Analysis* (2nd ed., 2003), sections 3.2 and
/// 3.10.
pub(crate) fn estimates(
    design: &Design,
    fit: &Fit,
    exact: bool,
    sandwich: Option<&Result<Sandwich, &'static str>>,
) -> (Option<Estimate>, Vec<SelectedVariable>) {
    let robust = Robust {
        sandwich,
        means: chosen(design, fit).map(|own| own.mean).collect(),
    };
    if let (Some(likelihood), Some(own)) = (design.likelihood(), fit.family()) {
        return of_likelihood(design, (fit, exact), (likelihood, own), &robust);
    }
    let response = design.response();
    let left = residual_freedom(design, fit);
    let freedom = robust.freedom(left) as f64;
    // One standard error at unit scale; none where nothing is left to estimate
    // it from.
    let sigma = (left > 0 && !exact).then(|| (fit.rss() / left as f64).sqrt());
    // t has no scale: taken at unit scale it stays finite for any unit of y
    // and x.
    let estimate = |at: Option<usize>, b: f64, per_sigma: f64, scale: f64| {
        let error = robust.error(at, scale, || sigma.map(|sigma| sigma * per_sigma));
        let b = without_rounding(b, error);
        let t = error.map(|error| b / error);
        Estimate {
            coefficient: b * scale,
            std_error: error.map(|error| error * scale),
            t,
            p_value: t.map(|t| two_sided(t, freedom)),
            ..Estimate::default()
        }
    };
    // Of terms of several variables the terms have them.
    let has_terms = design.columns().terms().is_some();
    let shares = (!exact && !has_terms)
        .then(|| shares(design, fit))
        .flatten();
    let selected: Vec<SelectedVariable> = zip(fit.support(), fit.coefficients())
        .zip(fit.inverse_gram_diagonal())
        .enumerate()
        .map(|(at, ((&j, b), diagonal))| {
            let norm = design.variables()[j as usize].norm;
            SelectedVariable {
                estimate: estimate(Some(at), *b, diagonal.sqrt(), response.norm / norm),
                // Of centred columns of unit norm the diagonal is the factor itself.
                vif: design.intercept().then_some(diagonal),
                r_squared_share: shares.as_ref().and_then(|all| all.get(at).copied()),
                ..named(design, j)
            }
        })
        .collect();
    let intercept = design.intercept().then(|| {
        // The means of the unit-norm columns, in units of their norms.
        let means: Vec<f64> = chosen(design, fit).map(|own| own.mean / own.norm).collect();
        let explained = zip(&means, fit.coefficients()).map(|(mean, b)| mean * b);
        estimate(
            None,
            response.mean / response.norm - explained.sum::<f64>(),
            (1.0 / design.n() as f64 + fit.inverse_gram_form(&means)).sqrt(),
            response.norm,
        )
    });
    (intercept, selected)
}

/// The variables of a fit.
fn chosen<'a>(design: &'a Design, fit: &'a Fit) -> impl Iterator<Item = &'a Variable> {
    let support = fit.support().iter();
    support.map(|j| &design.variables()[*j as usize])
}

/// The standard errors of a sandwich, if there should be one.
struct Robust<'a> {
    sandwich: Option<&'a Result<Sandwich, &'static str>>,
    /// The means of the variables.
    means: Vec<f64>,
}

impl Robust<'_> {
    /// The standard error of the intercept or of the coefficient at a place, over `unit`; that of the model where there is no
    /// sandwich.
    fn error(
        &self,
        at: Option<usize>,
        unit: f64,
        of_model: impl FnOnce() -> Option<f64>,
    ) -> Option<f64> {
        let own = match self.sandwich {
            None => return of_model(),
            Some(own) => own.as_ref().ok()?,
        };
        let variance = match at {
            Some(at) => own.variance_of(at),
            // At the origin of the file's columns.
            None => {
                let origin: Vec<f64> = self.means.iter().map(|mean| -mean).collect();
                own.variance(&origin)
            }
        };
        let error = variance.sqrt() / unit;
        (error > 0.0 && error.is_finite()).then_some(error)
    }

    /// The degrees of freedom of Student's t.
    fn freedom(&self, left: usize) -> usize {
        let own = self.sandwich.and_then(|own| own.as_ref().ok());
        own.map_or(left, |own| own.freedom(left))
    }
}

/// A chosen variable without its estimate.
fn named(design: &Design, j: u32) -> SelectedVariable {
    let (x, variable) = (design.columns(), &design.variables()[j as usize]);
    let term = || design.term_name(x.term_of(j)).to_owned();
    SelectedVariable {
        name: variable.name.clone(),
        column: variable.column().to_owned(),
        term: x.terms().map(|_| term()),
        level: variable.level.as_deref().map(str::to_owned),
        class: variable.class.as_deref().map(str::to_owned),
        index: variable.index,
        ..SelectedVariable::default()
    }
}

/// The estimates of a model of maximum likelihood, with Wald's tests. A coefficient that has no end, and the intercept
/// beside such, has no standard error.
fn of_likelihood(
    design: &Design,
    (fit, exact): (&Fit, bool),
    (likelihood, own): (&Likelihood, &FamilyFit),
    robust: &Robust,
) -> (Option<Estimate>, Vec<SelectedVariable>) {
    let family = likelihood.response().family();
    let freedom = robust.freedom(likelihood.test_freedom(own)) as f64;
    let has_ratio = matches!(family.link(), Link::Logit | Link::Log);
    let estimate = |at: Option<usize>, coefficient: f64, error: Option<f64>, is_slope: bool| {
        let error = robust.error(at, 1.0, || error);
        let error = error.filter(|error| *error > 0.0 && error.is_finite() && !exact);
        let coefficient = without_rounding(coefficient, error);
        let score = error.map(|error| coefficient / error);
        let ratio = (has_ratio && is_slope).then(|| coefficient.exp());
        let estimate = Estimate {
            coefficient,
            std_error: error,
            ratio,
            ..Estimate::default()
        };
        match likelihood.has_t_tests() {
            true => Estimate {
                t: score,
                p_value: score.map(|t| two_sided(t, freedom)),
                ..estimate
            },
            false => Estimate {
                z: score,
                p_value: score.map(two_sided_normal),
                ..estimate
            },
        }
    };
    let errors = own.std_errors();
    let fixed = usize::from(own.intercept().is_some());
    let has_inflation = own.status() == FitStatus::Converged
        && !likelihood.response().is_joint()
        && own.rank() == fit.support().len() + fixed
        && fixed == 1;
    let selected = fit.support().iter().zip(own.coefficients()).enumerate();
    let selected = selected.map(|(at, (&j, b))| {
        let norm = design.variables()[j as usize].norm;
        let error = (!is_endless(own, at)).then(|| errors[fixed + at] / norm);
        SelectedVariable {
            estimate: estimate(Some(at), b / norm, error, true),
            vif: has_inflation.then(|| inflation(own, at, design.columns().column(j))),
            ..named(design, j)
        }
    });
    let intercept = own.intercept().map(|b| {
        // At the origin of the file's columns.
        let at: Vec<f64> = std::iter::once(1.0)
            .chain(chosen(design, fit).map(|own| -own.mean / own.norm))
            .collect();
        let shift = at[1..].iter().zip(own.coefficients()).map(|(x, b)| x * b);
        // Columns of unit norm have entries of about 1/√n.
        let least = ENDLESS / (design.n() as f64).sqrt();
        let has_end = own.moves(&at).is_none_or(|moved| moved.abs() <= least);
        let error = has_end.then(|| own.variance_of(&at).sqrt());
        estimate(None, b + shift.sum::<f64>(), error, false)
    });
    (intercept, selected.collect())
}

/// The variance inflation factor of a coefficient of a likelihood with an intercept: what its variance is over what it were if no other
/// column were in the model, at the same working weights.
fn inflation(fit: &FamilyFit, at: usize, column: &[f64]) -> f64 {
    let columns = packed_columns(fit.inverse());
    let entries = columns.filter_map(|own| own.get(at + 1));
    let variance: f64 = entries.map(|entry| entry * entry).sum();
    let (mut total, mut sum) = (0.0, 0.0);
    for (weight, x) in fit.weights().iter().zip(column) {
        total += weight;
        sum += weight * x;
    }
    let mean = sum / total;
    let rows = fit.weights().iter().zip(column);
    let about: f64 = rows.map(|(weight, x)| weight * (x - mean).powi(2)).sum();
    variance * about
}

/// Whether the likelihood rises without end along the coefficient at a position.
pub(super) fn is_endless(fit: &FamilyFit, at: usize) -> bool {
    fit.direction()
        .is_some_and(|direction| direction[at].abs() > ENDLESS)
}

#[cfg(test)]
mod tests {
    use super::without_rounding;

    #[test]
    fn an_estimate_that_is_rounding_alone_is_0() {
        assert_eq!(without_rounding(-3e-17, Some(0.2)), 0.0);
        assert_eq!(without_rounding(-3e-17, Some(2e-16)), -3e-17);
        assert_eq!(without_rounding(3e-17, None), 3e-17);
    }
}
