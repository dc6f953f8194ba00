//! What a reader should know of a regression model's variables before trusting their coefficients.

use super::{
    estimates::is_endless,
    residuals::{LEAST_FREE, leverage},
};
use crate::{
    design::Design,
    family::{Distribution, FitStatus},
    least_squares::Fit,
    nearest::{as_option, list},
};

/// A residual below this share of the largest may be rounding alone, as that of leverage 1 is.
const ROUNDING: f64 = 1e-9;

/// Observations whose leverage is computed: of leverage 1 there are at most as many as coefficients,
/// but others may have no residual by chance.
const MOST_LOOKED_AT: usize = 1000;

/// Distinct whole numbers that may be codes of groups: fewer are two groups either way, more are
/// rarely codes.
const CODES: std::ops::RangeInclusive<usize> = 3..=6;

/// Fewest observations for each distinct number of a column that may hold codes: of fewer the repeats
/// are chance.
const EACH: usize = 5;

/// The warnings of a fitted model: coefficients that rest on one observation, and whole numbers that may
/// be codes of groups.
pub(crate) fn cautions(design: &Design, fit: &Fit, exact: bool) -> Vec<String> {
    let mut warnings = Vec::new();
    let full = fit.support().len() + usize::from(design.intercept()) >= design.n();
    if !exact && !full && design.likelihood().is_none() {
        warnings.extend(lone_observations(design, fit));
    }
    warnings.extend(codes(design, fit));
    warnings.extend(few_clusters(design, fit));
    warnings
}

/// Clusters below which errors and tests by them tend to promise too much: A. C. Cameron, D. L. Miller, A practitioner's guide
/// to cluster-robust inference, Journal of Human Resources 50 (2015), section VI, name 20 to 50.
const CLUSTERS: usize = 40;

fn few_clusters(design: &Design, fit: &Fit) -> Option<String> {
    // Of one there are no errors at all.
    let own = design
        .clusters()
        .filter(|own| (2..CLUSTERS).contains(&own.count))?;
    let (count, name) = (own.count, &own.name);
    Some(match count <= fit.support().len() {
        true => format!(
            "there are no more clusters of `{name}` ({count}) than coefficients: the whole model has no test, and standard errors \
             tend to be far too small; choose a smaller model, or a column of more clusters"
        ),
        false => format!(
            "standard errors rest on {count} clusters of `{name}`: with fewer than about {CLUSTERS} they tend to be too small, so \
             that p-values near a limit say little; a column of more clusters is safer"
        ),
    })
}

/// Pearson's χ² over its degrees of freedom from which on a response scatters more than its family.
const OVER: f64 = 1.5;

/// A deviance that is rounding alone beside that of any model which leaves something open.
const LEAST_DEVIANCE: f64 = 1e-6;

/// The warnings of a model of maximum likelihood, whose estimates may be others: a separation, a fit that did not converge,
/// more scatter than the family has.
pub(crate) fn likelihood_cautions(design: &Design, fit: &Fit, estimated: &Fit) -> Vec<String> {
    let (Some(likelihood), Some(own), Some(estimated)) =
        (design.likelihood(), fit.family(), estimated.family())
    else {
        return Vec::new();
    };
    let mut warnings = Vec::new();
    let name = |at: usize| &*design.variables()[fit.support()[at] as usize].name;
    if likelihood.response().survival().is_some() && own.rank() < fit.support().len() {
        let pivots = own.has_pivots();
        let without = (0..fit.support().len()).filter(|at| !pivots[*at]);
        let without: Vec<&str> = without.map(name).collect();
        warnings.push(format!(
            "{} says nothing beside the others: among those at risk together it does not vary, or others explain it there; \
             its coefficient is 0, though the criterion counts it",
            list(without.iter().copied())
        ));
    }
    match own.status() {
        FitStatus::Converged => {}
        FitStatus::NotConverged => warnings.push(
            "the fit of the model did not converge: its estimates are not those of the largest likelihood"
                .to_owned(),
        ),
        FitStatus::Separated => {
            let endless = (0..fit.support().len()).filter(|at| is_endless(own, *at));
            let direction = own.direction().unwrap_or_default();
            let endless: Vec<String> = endless
                .map(|at| match direction[at] > 0.0 {
                    true => format!("{} (+)", name(at)),
                    false => format!("{} (−)", name(at)),
                })
                .collect();
            let endless = list(endless.iter().map(String::as_str));
            let is_finite = design.firth();
            let has_firth = likelihood.response().family().check_firth().is_ok();
            let errors = if is_finite { "" } else { " or a standard error" };
            let mend = match has_firth {
                _ if is_finite => "; the estimates shown are finite by Firth's penalty",
                true => "; --firth makes finite estimates",
                false => "",
            };
            let separated = match endless.is_empty() {
                _ if likelihood.constants() > 0 && own.deviance() <= LEAST_DEVIANCE => format!(
                    "complete separation: together the variables tell all levels apart, so that the likelihood has no \
                     largest value; its supremum, by which models are compared, is 1, and no coefficient has an end or \
                     a standard error ({endless})"
                ),
                _ if own.deviance() == 0.0 => format!(
                    "complete separation: together the variables tell every event from all others, so that the likelihood \
                     has no largest value; its supremum, by which models are compared, is 1, and no coefficient has an end\
                     {errors} ({endless})"
                ),
                true => "the likelihood has no largest value: the intercept has no end".to_owned(),
                false => format!(
                    "separation: in some observations the response follows from the variables, so that the likelihood \
                     rises without end along the coefficients of {endless}{}, while the deviance and the criterion are \
                     right",
                    match is_finite {
                        true => "",
                        false => "; these are as far as the fit went and have no standard errors",
                    }
                ),
            };
            warnings.push(separated + mend);
        }
    }
    if design.firth() && estimated.status() != FitStatus::Converged {
        warnings.push(
            "the fit by Firth's penalty did not converge: the estimates are not those of its largest value"
                .to_owned(),
        );
    }
    let response = likelihood.response();
    if own
        .theta()
        .is_some_and(|theta| theta >= 0.999 * response.theta_limit())
    {
        warnings.push(
            "the counts scatter no more than Poisson's: θ has no largest value, and --family poisson has one \
             parameter less"
                .to_owned(),
        );
    }
    let distribution = response.family().distribution();
    let has_trials = design.trials().is_some();
    let counts = distribution == Distribution::Poisson || has_trials;
    let free = likelihood.residual_freedom(own) as f64;
    let ratio = estimated.pearson() / free;
    // By chance it is above 1 + 3·√(2/df) once in a thousand times.
    let is_quasi = response.quasi_dispersion().is_some();
    if counts && !is_quasi && free > 0.0 && ratio > OVER && ratio > 1.0 + 3.0 * (2.0 / free).sqrt()
    {
        let mend = match has_trials {
            true => "events of one observation may depend on each other: --dispersion estimate",
            false => {
                "--dispersion estimate, or --family negative-binomial, which has a variance of its own"
            }
        };
        warnings.push(format!(
            "over-dispersion: Pearson's χ² is {ratio:.2} of its degrees of freedom, so that standard errors are about \
             {:.1} times too small and the criterion takes up too much; {mend}",
            ratio.sqrt()
        ));
    }
    warnings
}

/// The values of a column on the file's scale, up to rounding.
fn values(design: &Design, j: u32) -> impl Iterator<Item = f64> {
    let (variable, weights) = (&design.variables()[j as usize], design.weight_values());
    let column = design.own_rows(j).iter().enumerate();
    column.map(move |(i, x)| {
        let root = weights.get(i).map_or(1.0, |weight| weight.sqrt());
        variable.mean + x * variable.norm / root
    })
}

/// The warnings of observations of leverage 1, which the model fits whatever their response is.
fn lone_observations(design: &Design, fit: &Fit) -> Vec<String> {
    let (mut sole, mut others) = (Vec::new(), Vec::new());
    for i in of_leverage_one(design, fit) {
        let row = design.row(i) + 1;
        let place = match design.labels().get(i) {
            Some(label) => format!("row {row}, {label}"),
            None => format!("row {row}"),
        };
        let mut support = fit.support().iter();
        match support.find(|j| is_apart(design, **j, i)) {
            Some(j) => {
                let name = &design.variables()[*j as usize].name;
                sole.push(format!("{name} ({place})"));
            }
            None => others.push(place),
        }
    }
    let listed = |all: &[String]| list(all.iter().map(String::as_str));
    let mut warnings = Vec::new();
    if !sole.is_empty() {
        warnings.push(format!(
            "one observation alone has its value, and decides the coefficient, of {}: the model fits it \
             whatever its response is (leverage 1); join rare levels, or leave the variable out",
            listed(&sole)
        ));
    }
    if !others.is_empty() {
        warnings.push(format!(
            "the model fits these observations whatever their response is (leverage 1), so that \
             coefficients rest on each alone: {}",
            listed(&others)
        ));
    }
    warnings
}

/// The observations of leverage 1, ascending.
fn of_leverage_one(design: &Design, fit: &Fit) -> Vec<usize> {
    let residual = fit.residual();
    let largest = residual.iter().fold(0.0, |most, r| r.abs().max(most));
    // Leverage 1 leaves no residual: the others need no more work than this.
    let fitted = (0..residual.len()).filter(|i| residual[*i].abs() <= ROUNDING * largest);
    let mut values = Vec::new();
    let is_one = |i: &usize| 1.0 - leverage(design, fit, *i, &mut values) <= LEAST_FREE;
    fitted.take(MOST_LOOKED_AT).filter(is_one).collect()
}

/// Whether a column has one value in observation i and another one in all others.
fn is_apart(design: &Design, j: u32, i: usize) -> bool {
    let own = values(design, j).nth(i).unwrap_or_default();
    let mut others = values(design, j).enumerate().filter(|(at, _)| *at != i);
    let Some((_, first)) = others.next() else {
        return false;
    };
    let least = 1e-6 * (own - first).abs();
    least > 0.0 && others.all(|(_, value)| (value - first).abs() <= least)
}

/// The warning of chosen columns of few whole numbers, which may be codes of groups.
fn codes(design: &Design, fit: &Fit) -> Option<String> {
    let is_code =
        |j: &&u32| design.variables()[**j as usize].level.is_none() && are_codes(design, **j);
    let chosen = fit.support().iter().filter(is_code);
    let mut names: Vec<&str> = chosen
        .map(|j| design.variables()[*j as usize].column())
        .collect();
    names.dedup();
    let (hold, enter) = match &names[..] {
        [] => return None,
        [_] => ("holds", "enters"),
        _ => ("hold", "enter"),
    };
    let options: Vec<String> = names
        .iter()
        .map(|name| as_option(name).to_string())
        .collect();
    Some(format!(
        "{} {hold} few whole numbers and {enter} as a slope: if they are codes of groups, --factor {} \
         makes dummies of them",
        list(names.iter().copied()),
        options.join(",")
    ))
}

/// Whether a column holds three to six whole numbers, none below 0: contrasts have such. 0, 1 and 2
/// are copies of an allele.
fn are_codes(design: &Design, j: u32) -> bool {
    let mut distinct: Vec<f64> = Vec::new();
    for value in values(design, j) {
        let whole = value.round();
        if whole < 0.0 || (value - whole).abs() > 1e-6 {
            return false;
        }
        if !distinct.contains(&whole) {
            distinct.push(whole);
            if distinct.len() > *CODES.end() {
                return false;
            }
        }
    }
    let are_copies = distinct.iter().all(|value| *value <= 2.0);
    CODES.contains(&distinct.len()) && !are_copies && distinct.len() * EACH <= design.n()
}
