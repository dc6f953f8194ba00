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
    let (freedom, rss) = (selection.goodness.df_residual, selection.rss);
    Table::of(selection.terms.iter().map(Some).chain([None]))
        .column("term", |row| {
            text_cell(row.map_or("(residuals)", |own| &own.name))
        })
        .column("df", move |row| count(row.map_or(freedom, |own| own.df)))
        .column("sum of squares", move |row| {
            number(row.map_or(rss, |own| own.sum_of_squares), 6)
        })
        .column("F", |row| row.map_or(text_cell(""), |own| number(own.f, 4)))
        .column("p", |row| {
            row.map_or(text_cell(""), |own| probability(own.p_value))
        })
}

/// What the sums of squares are.
pub(super) fn about_tests(selection: &Selection) -> String {
    let stands = selection.terms.iter().any(|own| !own.without.is_empty());
    let weights = when(selection.weights.is_some(), " Weights have mean one here.");
    let about = match stands {
        true => {
            "Sum of squares: by how much the residual one rises without the term; a term that others stand on is \
             tested without these (type II)."
        }
        false => "Sum of squares: by how much the residual one rises without the term.",
    };
    format!("{about}{weights}")
}
