//! What models of parts of the rows estimate, by the names of terms or variables.

use std::collections::BTreeMap;

use super::{
    RunError,
    inferred::Estimated,
    pass::Model,
    prepared::{Held, Prepared},
};
use crate::{
    design::Design,
    inference::SplitEstimate,
    job::Job,
    sandwich::Sandwich,
    search::{fit_kept, is_exact},
    selection::{SelectedTerm, SelectedVariable, estimates, selected_terms, test_freedom},
    table::Table,
};

/// The coefficients of a model by the names of their variables, with the level of the response where it has several.
pub(super) fn coefficients(found: &Model) -> Vec<(String, f64)> {
    let fit = found.found.estimated_fit(&found.design);
    let (_, selected) = estimates(&found.design, &fit, found.found.exact, None);
    selected
        .iter()
        .map(|own| (label(own), own.estimate.coefficient))
        .collect()
}

fn label(own: &SelectedVariable) -> String {
    match &own.class {
        Some(class) => format!("{} ({class})", own.name),
        None => own.name.clone(),
    }
}

/// The estimates of the model of the kept terms of a job, by term.
pub(super) fn estimated(
    job: &Job,
    table: Held<Table>,
) -> Result<BTreeMap<String, Estimated>, RunError> {
    let held = Design::of(job, table, None)?;
    let design = &held.data;
    let (_, fit) = fit_kept(design, &job.pass).map_err(RunError::from)?;
    let exact = is_exact(design.columns().n(), &fit);
    let fit = match design.firth() {
        true => fit.by_firth(design.columns()),
        false => fit,
    };
    let sandwich = Sandwich::of(design, &fit, exact);
    let (_, selected) = estimates(design, &fit, exact, sandwich.as_ref());
    let terms = selected_terms(design, &fit, exact, sandwich.as_ref());
    let freedom = test_freedom(design, &fit, sandwich.as_ref());
    let of_variable = |own: &SelectedVariable| Estimated {
        p_value: own.estimate.p_value,
        estimate: own.estimate.std_error.map(|std_error| SplitEstimate {
            coefficient: own.estimate.coefficient,
            std_error,
            freedom: own.estimate.z.is_none().then_some(freedom as f64),
        }),
    };
    if terms.is_empty() {
        let all = selected.iter().map(|own| (label(own), of_variable(own)));
        return Ok(all.collect());
    }
    let of_term = |own: &SelectedTerm| {
        let mut members = selected
            .iter()
            .filter(|one| one.term.as_deref() == Some(&*own.name));
        let one = match (members.next(), members.next()) {
            (Some(one), None) => of_variable(one).estimate,
            _ => None,
        };
        let estimated = Estimated {
            p_value: own.p_value,
            estimate: one,
        };
        (own.name.clone(), estimated)
    };
    Ok(terms.iter().map(of_term).collect())
}
