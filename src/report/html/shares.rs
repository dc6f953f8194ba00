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

/// Bars of shares of one.
pub(super) struct Shares<'a> {
    pub(super) title: &'a str,
    pub(super) alt: &'a str,
    pub(super) caption: String,
    /// Name, share, and whether it was selected; the largest first.
    pub(super) rows: &'a [(&'a str, f64, bool)],
    /// What the shares are called in the plot and in the data.
    pub(super) labels: (&'a str, &'a str),
    /// The share from which on variables are selected, where there is one.
    pub(super) cutoff: Option<f64>,
}

impl Shares<'_> {
    /// Adds the figure to a page; no rows make none.
    pub(super) fn draw(self, body: &mut Body) {
        let rows = self.rows;
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
        let rule = self.cutoff.map(|cutoff| (cutoff, "var(--b)"));
        legend.extend(rule.map(|rule| (rule.1, DASHED, "cut-off".to_owned())));
        body.figure(Figure {
            title: self.title.to_owned(),
            alt: format!("{}: {first}", self.alt),
            caption: self.caption,
            legend,
            svg: bars(&drawn, self.labels.0, rule.as_slice()),
            data: Table::of(rows)
                .column("variable", |row| text(row.0))
                .column(self.labels.1, |row| exact(row.1))
                .column("selected", |row| text(row.2.to_string()))
                .data(rows.len()),
            ..Figure::default()
        });
    }
}
