//! Terms of several columns in reports: what the model loses without each.

use super::{
    numbers::when,
    table::{Table, count, number, probability, text as text_cell},
};
use crate::selection::{SelectedTerm, Selection};

/// What the names and coefficients of dummies say.
pub(super) fn of_dummies(selection: &Selection) -> &'static str {
    match selection.terms.is_empty() {
        true => {
            "A name column=level is a dummy: 1 where the column has that level, else 0. Its coefficient is against \
             all levels whose dummies are not in the model or, where all are, the level's own."
        }
        false => {
            "A name column=level is a dummy: 1 where the column has that level, else 0. Its coefficient is the \
             difference from the reference level or, where there is none, the level's own."
        }
    }
}

/// The table of terms, where variables are not terms.
pub(super) fn text(selection: &Selection) -> String {
    if selection.terms.is_empty() {
        return String::new();
    }
    let table = tests_of_terms(selection).aligned(&[0]);
    format!(
        "{table}\n{}\n\n",
        about_tests(selection).replace("; a term", ";\na term")
    )
}

/// What the model loses without each term, and the residuals, which are the row without one.
pub(super) fn tests_of_terms(selection: &Selection) -> Table<'_, Option<&SelectedTerm>> {
    let freedom = selection.goodness.df_residual;
    let family = selection.family.as_ref();
    let left = family.map_or(selection.rss, |own| own.deviance);
    let has_shares = selection
        .terms
        .iter()
        .any(|own| own.r_squared_share.is_some());
    let (of_rise, of_test) = match family {
        None => ("sum of squares", "F"),
        Some(own) if own.has_normal_tests() => ("deviance", "χ²"),
        Some(_) => ("deviance", "F"),
    };
    Table::of(selection.terms.iter().map(Some).chain([None]))
        .column("term", |row| {
            text_cell(row.map_or("(residuals)", |own| &own.name))
        })
        .column("df", move |row| count(row.map_or(freedom, |own| own.df)))
        .column(of_rise, move |row| {
            let rise = |own: &SelectedTerm| own.deviance.unwrap_or(own.sum_of_squares);
            number(row.map_or(left, rise), 6)
        })
        .column(of_test, |row| {
            row.map_or(text_cell(""), |own| number(own.f.or(own.chi_squared), 4))
        })
        .column("p", |row| {
            row.map_or(text_cell(""), |own| probability(own.p_value))
        })
        .column_if(selection.adjusted.is_some(), "p adj.", |row| {
            row.map_or(text_cell(""), |own| probability(own.p_adjusted))
        })
        .column_if(has_shares, "share of R²", |row| {
            row.map_or(text_cell(""), |own| number(own.r_squared_share, 3))
        })
}

/// What the sums of squares are.
pub(super) fn about_tests(selection: &Selection) -> String {
    let stands = selection.terms.iter().any(|own| !own.without.is_empty());
    let is_scaled = selection.weights.is_some() && selection.family.is_none();
    let weights = when(is_scaled, " Weights have mean one here.");
    let about = match stands {
        _ if selection.family.is_some() => match stands {
            true => {
                "Deviance: by how much it rises without the term (likelihood ratio); a term that others stand on is tested \
                 without these (type II)."
            }
            false => "Deviance: by how much it rises without the term (likelihood ratio).",
        },
        true => {
            "Sum of squares: by how much the residual one rises without the term; a term that others stand on is \
             tested without these (type II)."
        }
        false => "Sum of squares: by how much the residual one rises without the term.",
    };
    let robust = " The tests are Wald's, by robust covariances.";
    format!(
        "{about}{weights}{}",
        when(selection.robust.is_some(), robust)
    )
}
