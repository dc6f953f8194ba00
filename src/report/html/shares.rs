//! The figure of shares by name, of which some were selected: inclusion weights, frequencies.

use super::{
    draw::bars,
    page::{Body, DASHED, DOT, Figure},
};
use crate::report::{
    numbers::listed,
    table::{Table, exact, text},
};

/// Names in the text that stands for the figure.
const NAMED: usize = 6;

/// Adds bars of shares of one to a page; no rows make none. Rows are name, share, and whether it was
/// selected, the largest first; `labels` what the shares are called in the plot and in the data;
/// from a cut-off on variables are selected, where there is one.
pub(super) fn shares(
    body: &mut Body,
    figure: Figure,
    rows: &[(&str, f64, bool)],
    labels: (&str, &str),
    cutoff: Option<f64>,
) {
    if rows.is_empty() {
        return;
    }
    let first = rows.iter().take(NAMED);
    let first = listed(first.map(|row| format!("{} {:.2}", row.0, row.1)));
    let color = |selected| if selected { "var(--a)" } else { "var(--e)" };
    let drawn = rows.iter().map(|row| (row.0, row.1, color(row.2)));
    let drawn: Vec<_> = drawn.collect();
    let mut legend = vec![
        ("var(--a)", DOT, "selected".to_owned()),
        ("var(--e)", DOT, "not selected".to_owned()),
    ];
    let rule = cutoff.map(|cutoff| (cutoff, "var(--b)"));
    legend.extend(rule.map(|rule| (rule.1, DASHED, "cut-off".to_owned())));
    body.figure(Figure {
        alt: format!("{}: {first}", figure.alt),
        legend,
        svg: bars(&drawn, labels.0, rule),
        data: Table::of(rows)
            .column("variable", |row| text(row.0))
            .column(labels.1, |row| exact(row.1))
            .column("selected", |row| text(row.2.to_string()))
            .data(rows.len()),
        ..figure
    });
}
