//! How well a model fits, in a few words: for texts and pages.

use super::{
    numbers::{p_value, significant},
    table::number,
};
use crate::selection::{FStatistic, Selection};

/// What R² is called: without an intercept sums of squares are about zero.
pub(super) fn r_squared_name(selection: &Selection) -> &'static str {
    match selection.intercept {
        Some(_) => "R²",
        None => "R² about zero",
    }
}

/// The residual standard error and its degrees of freedom.
pub(super) fn residual_error(selection: &Selection) -> String {
    let goodness = &selection.goodness;
    let (error, free) = (number(goodness.sigma, 6).shown(), goodness.df_residual);
    format!("{error} with {free} degrees of freedom")
}

/// The F-test of all variables, where there is one.
pub(super) fn f_test(selection: &Selection) -> Option<String> {
    let test = selection.goodness.f_statistic.as_ref()?;
    let (value, p) = (significant(test.value, 4), p_value(test.p_value));
    let FStatistic {
        df, df_residual, ..
    } = test;
    Some(format!("{value} on {df} and {df_residual} df, p {p}"))
}

/// The log-likelihood with the number of parameters, by which others' AIC and BIC are made of it.
pub(super) fn log_likelihood(selection: &Selection) -> Option<String> {
    let value = significant(selection.goodness.log_likelihood?, 8);
    let parameters = selection.selected.len() + usize::from(selection.intercept.is_some()) + 1;
    Some(format!(
        "{value} with {parameters} parameters, σ among them"
    ))
}
