//! What a report says of a model's fit against R's `lm` (`tests/golden/lm.R`).

use passel::{
    Design, Pass,
    criteria::Aic,
    design::DesignOptions,
    least_squares::Fit,
    select,
    selection::{Residuals, Selection},
    table::{Table, Values},
};
use serde_json::Value;

/// The model of all variables, its design, and what R says of it.
fn models() -> Vec<(Selection, Design, Value)> {
    let golden: Vec<Value> = serde_json::from_str(include_str!("../golden/lm.json")).unwrap();
    golden.into_iter().map(whole).collect()
}

fn whole(golden: Value) -> (Selection, Design, Value) {
    let response = golden["response"].as_str().unwrap().to_owned();
    let names = golden["variables"].as_array().unwrap().iter();
    let names: Vec<String> = names
        .map(|name| name.as_str().unwrap().to_owned())
        .collect();
    let weights = golden["weights"].is_array();
    let own = [&response].into_iter().chain(&names);
    let mut columns: Vec<(&str, Values)> = own
        .map(|name| (&**name, Values::from(numbers(&golden["data"][name]))))
        .collect();
    if weights {
        columns.push(("own", Values::from(numbers(&golden["weights"]))));
    }
    let table = Table::from_columns(columns).unwrap();
    let options = DesignOptions {
        response: Some(&response),
        keep: &names,
        weights: weights.then_some("own"),
        intercept: golden["intercept"].as_bool().unwrap(),
        ..DesignOptions::default()
    };
    let design = Design::from_table(table, &options).unwrap();
    let pass = Pass {
        max_size: Some(names.len()),
        ..Pass::default()
    };
    let selection = select(&design, &Aic, &pass).unwrap();
    assert_eq!(selection.k, names.len());
    (selection, design, golden)
}

fn numbers(values: &Value) -> Vec<f64> {
    let values = values.as_array().unwrap().iter();
    values.map(|value| value.as_f64().unwrap()).collect()
}

/// R's fit is a QR decomposition in f64 too; these designs have condition numbers below 10³.
fn close(own: f64, told: &Value, what: &str) {
    let told = told.as_f64().unwrap();
    assert!(
        (own - told).abs() <= 1e-10 * told.abs(),
        "{what}: {own}, R {told}"
    );
}

#[test]
fn goodness_of_fit_is_that_of_summary_lm() {
    for (selection, _, golden) in models() {
        let own = &selection.goodness;
        for (value, member) in [
            (own.r_squared, "r_squared"),
            (own.adjusted_r_squared, "adjusted_r_squared"),
            (own.sigma, "sigma"),
            (own.log_likelihood, "log_likelihood"),
        ] {
            close(value.unwrap(), &golden[member], member);
        }
        assert_eq!(golden["df_residual"], own.df_residual);
        let f = own.f_statistic.as_ref().unwrap();
        let told = golden["f"].as_array().unwrap();
        close(f.value, &told[0], "f");
        assert_eq!((&told[1], &told[2]), (&f.df.into(), &f.df_residual.into()));
        close(f.p_value, &golden["f_p_value"], "p of f");
    }
}

#[test]
fn the_log_likelihood_leads_to_aic() {
    for (selection, _, golden) in models() {
        // R counts the coefficients and σ.
        let parameters = selection.covariance.names.len() + 1;
        let aic = -2.0 * selection.goodness.log_likelihood.unwrap() + 2.0 * parameters as f64;
        close(aic, &golden["aic"], "AIC");
    }
}

#[test]
fn covariance_and_variance_inflation_are_those_of_r() {
    for (selection, _, golden) in models() {
        let own = &selection.covariance;
        let intercept = selection.intercept.iter().map(|_| "(intercept)");
        let names = selection.selected.iter().map(|variable| &*variable.name);
        assert!(
            own.names
                .iter()
                .map(String::as_str)
                .eq(intercept.chain(names))
        );
        assert_eq!(own.omitted, None);
        let told = golden["covariance"].as_array().unwrap();
        assert_eq!(own.matrix.len(), told.len());
        for (row, told) in own.matrix.iter().zip(told) {
            for (value, told) in row.iter().zip(told.as_array().unwrap()) {
                close(*value, told, "covariance");
            }
        }
        // The diagonal is what the standard errors are made of.
        let estimates = selection.intercept.iter();
        let own_estimates = selection.selected.iter().map(|variable| &variable.estimate);
        for (at, estimate) in estimates.chain(own_estimates).enumerate() {
            let error = own.matrix[at][at].sqrt();
            assert!((error / estimate.std_error.unwrap() - 1.0).abs() < 1e-12);
        }
        for (at, variable) in selection.selected.iter().enumerate() {
            match golden["vif"].get(at) {
                Some(told) => close(variable.vif.unwrap(), told, "VIF"),
                None => assert_eq!(variable.vif, None),
            }
        }
    }
}

#[test]
fn leverages_and_cooks_distances_are_those_of_r() {
    for (_, design, golden) in models() {
        let all: Vec<u32> = (0..design.p() as u32).collect();
        let (fit, _) = Fit::of(design.columns(), design.y(), &all);
        let told = Residuals::of(&design, &fit, false, 1).unwrap();
        for (at, own) in told.observed.iter().enumerate() {
            close(own.leverage, &golden["leverage"][at], "leverage");
            close(
                own.cooks_distance.unwrap(),
                &golden["cooks_distance"][at],
                "Cook's distance",
            );
            let y = &golden["data"][&golden["response"].as_str().unwrap()][own.row - 1];
            close(own.observed, y, "y");
        }
        assert_eq!(
            golden["leverage"].as_array().unwrap().len(),
            told.observed.len()
        );
    }
}

#[test]
fn a_stored_report_reads_back_with_its_matrix_and_each_row_is_a_line() {
    let (mut selection, ..) = models().swap_remove(0);
    let text = serde_json::to_string_pretty(&selection).unwrap();
    let read: Selection = serde_json::from_str(&text).unwrap();
    assert_eq!(read, selection);
    let rows = text
        .lines()
        .filter(|line| line.trim_start().starts_with("[7") || line.contains("[-"));
    assert!(rows.count() >= 1, "{text}");
    // An older report has none of it.
    let mut stored = serde_json::to_value(&selection).unwrap();
    for member in ["covariance", "r_squared", "f_statistic", "data"] {
        stored.as_object_mut().unwrap().remove(member);
    }
    let read: Selection = serde_json::from_value(stored).unwrap();
    selection.covariance = Default::default();
    assert_eq!(read.covariance, selection.covariance);
    assert_eq!(read.goodness.r_squared, None);
}

#[test]
fn an_empty_model_explains_nothing_to_the_last_bit() {
    let (mut selection, design, _) = models().swap_remove(0);
    let empty = Fit::empty(design.y());
    let goodness = passel::selection::GoodnessOfFit::of(&design, &empty, false);
    assert_eq!(
        (goodness.r_squared, goodness.adjusted_r_squared),
        (Some(0.0), Some(0.0))
    );
    assert_eq!(
        (goodness.f_statistic, goodness.df_residual),
        (None, design.n() - 1)
    );
    // What is exact has no likelihood.
    selection.goodness = passel::selection::GoodnessOfFit::of(&design, &empty, true);
    assert_eq!(selection.goodness.log_likelihood, None);
}
