//! The chosen terms, and what the model loses without each.

use serde::{Deserialize, Serialize};

use super::{
    family::chi_squared_tail,
    goodness::{f_tail, residual_freedom, test_freedom},
    number_or_nan,
    shares::shares,
};
use crate::{
    design::{Columns, Design},
    family::FitStatus,
    least_squares::Fit,
    sandwich::{Sandwich, original_coefficients},
};

/// A chosen term of several variables, or one that others stand on, and the test of leaving it out.
///
/// A term that others of the model stand on, as `a` and `b` are of `a:b`, is left out of the model without
/// those others (type II sums of squares), for what it explains beside them depends on how factors are
/// coded. The p-value takes the model as given beforehand; after selection it is optimistic.
///
/// *Source:* Ø. Langsrud, ANOVA for unbalanced data: use type II instead of type III sums of squares,
/// Statistics and Computing 13, 2003.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SelectedTerm {
    /// As R labels it in a formula; otherwise the name of its column.
    pub name: String,
    /// Its variables among the selected ones.
    pub variables: Vec<String>,
    /// Degrees of freedom: by how many coefficients the model has fewer without it.
    pub df: usize,
    /// The rise of the residual sum of squares without it, on the response's scale; null of a model of maximum likelihood.
    #[serde(deserialize_with = "number_or_nan")]
    pub sum_of_squares: f64,
    /// The rise of the deviance without it, of a model of maximum likelihood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deviance: Option<f64>,
    /// The likelihood ratio χ², of families without a dispersion; over a dispersion that was given. With robust covariances
    /// Wald's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chi_squared: Option<f64>,
    /// (sum of squares / df) over the residual mean square of the whole model; none without degrees of
    /// freedom or where the fit is exact. With robust covariances Wald's statistic over df.
    pub f: Option<f64>,
    /// P(F ≥ f), or that of χ².
    pub p_value: Option<f64>,
    /// The p-value adjusted for the number of terms, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_adjusted: Option<f64>,
    /// Its share of R², as that of a variable; none also where terms stand on others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r_squared_share: Option<f64>,
    /// The chosen terms that stand on it, without which it was tested.
    pub without: Vec<String>,
}

/// The terms of a fit in the order of the design; none where each term is one variable that stands by itself. With a
/// `sandwich` their tests are Wald's by it, and there are none where there should be one.
pub(crate) fn selected_terms(
    design: &Design,
    fit: &Fit,
    exact: bool,
    sandwich: Option<&Result<Sandwich, &'static str>>,
) -> Vec<SelectedTerm> {
    let x = design.columns();
    if x.terms().is_none() {
        return Vec::new();
    }
    let freedom = residual_freedom(design, fit);
    let likelihood = design.likelihood();
    let of_f = test_freedom(design, fit, sandwich);
    let robust = sandwich.map(|own| own.as_ref().ok());
    let coefficients = original_coefficients(design, fit);
    let shares = (!exact).then(|| shares(design, fit)).flatten();
    let residual =
        (freedom > 0 && !exact && likelihood.is_none()).then(|| fit.rss() / freedom as f64);
    let costs: Vec<(f64, usize)> = fit.term_drop_costs(x);
    let mut terms: Vec<(u32, SelectedTerm)> = Vec::with_capacity(costs.len());
    for (place, (&term, alone)) in fit.terms().iter().zip(costs).enumerate() {
        let above = descendants(x, term, fit.terms());
        let (rise, df) = match above.is_empty() && likelihood.is_none() {
            true => alone,
            false => rise_without(x, fit, term, &above),
        };
        let deviance = likelihood.map(|own| rise * own.loss_scale());
        // A dispersion that is estimated makes the ratio of deviances F's.
        let dispersion = fit.family().map(|own| own.dispersion());
        let scaled = deviance.zip(dispersion).filter(|_| df > 0);
        let scaled = scaled.map(|(rise, one)| rise / one);
        let has_f = likelihood.is_some_and(|own| own.has_t_tests());
        let chi_squared = scaled.filter(|_| !has_f);
        let f = residual
            .filter(|_| df > 0)
            .map(|one| rise / df as f64 / one)
            .or(scaled.filter(|_| has_f).map(|own| own / df as f64));
        let (f, chi_squared) = match robust {
            None => (f, chi_squared),
            Some(own) => {
                let value = own.and_then(|own| wald(x, fit, own, &coefficients, (term, &above)));
                let value = value.filter(|_| df > 0 && of_f > 0);
                match has_f || likelihood.is_none() {
                    true => (value.map(|value| value / df as f64), None),
                    false => (None, value),
                }
            }
        };
        let own = fit
            .support()
            .iter()
            .filter(|column| x.term_of(**column) == term);
        let mut own: Vec<u32> = own.copied().collect();
        own.sort_unstable();
        let variable = |column: &u32| design.variables()[*column as usize].name.clone();
        let test = SelectedTerm {
            name: design.term_name(term).to_owned(),
            variables: own.iter().map(variable).collect(),
            df,
            sum_of_squares: match likelihood {
                None => rise * design.tss(),
                Some(_) => f64::NAN,
            },
            deviance,
            chi_squared,
            f,
            p_value: f
                .map(|f| f_tail(f, df as f64, of_f as f64))
                .or(chi_squared.map(|x| chi_squared_tail(x, df as f64))),
            p_adjusted: None,
            r_squared_share: shares.as_ref().and_then(|all| all.get(place).copied()),
            without: above
                .iter()
                .map(|other| design.term_name(*other).to_owned())
                .collect(),
        };
        terms.push((term, test));
    }
    terms.sort_by_key(|(term, _)| *term);
    terms.into_iter().map(|(_, test)| test).collect()
}

/// Wald's statistic of a term beside those that do not stand on it: that of all coefficients which would be gone, less
/// that of the ones above it.
fn wald(
    x: Columns,
    fit: &Fit,
    sandwich: &Sandwich,
    coefficients: &[f64],
    (term, above): (u32, &[u32]),
) -> Option<f64> {
    let places = |is_in: &dyn Fn(u32) -> bool| -> Vec<usize> {
        let support = fit.support().iter().enumerate();
        let support = support.filter(|(_, column)| is_in(x.term_of(**column)));
        support.map(|(at, _)| at).collect()
    };
    let without = places(&|own| own == term || above.contains(&own));
    let higher = places(&|own| above.contains(&own));
    let all = sandwich.wald(coefficients, &without)?;
    let of_higher = match higher.is_empty() {
        true => 0.0,
        false => sandwich.wald(coefficients, &higher)?,
    };
    Some((all - of_higher).max(0.0))
}

/// The terms of a model that stand on one of its terms, ascending.
fn descendants(x: Columns, term: u32, model: &[u32]) -> Vec<u32> {
    let parents = |other: &u32| x.terms().map_or(&[][..], |terms| terms.parents(*other));
    let mut above: Vec<u32> = model.to_vec();
    above.retain(|other| parents(other).contains(&term));
    above.sort_unstable();
    above
}

/// The rise in RSS by dropping a term once those above it are gone, and by how many coefficients the model is then
/// smaller: of columns that the others explain under a family's working weights none.
fn rise_without(x: Columns, fit: &Fit, term: u32, above: &[u32]) -> (f64, usize) {
    let mut fit = fit.clone();
    let drop = |fit: &mut Fit, term: u32| {
        if let Some(position) = fit.terms().iter().position(|own| *own == term) {
            fit.drop(x, position);
        }
    };
    above.iter().for_each(|other| drop(&mut fit, *other));
    // Where a maximum has no end weights vanish, and ranks with them.
    let rank = |fit: &Fit| {
        let own = fit.family();
        own.filter(|own| own.status() == FitStatus::Converged)
            .map(|own| own.rank())
    };
    let (rss, size, before) = (fit.rss(), fit.support().len(), rank(&fit));
    drop(&mut fit, term);
    let df = match before.zip(rank(&fit)) {
        Some((with, without)) => with.saturating_sub(without),
        None => size.saturating_sub(fit.support().len()),
    };
    ((fit.rss() - rss).max(0.0), df)
}
