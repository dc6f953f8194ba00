//! Inference on the choice of variables, on the page of a regression.

use super::{
    draw::forest,
    page::{Body, Figure},
};
use crate::{
    report::{
        inference::{about, listed, table},
        numbers::percent,
        table::{Table, exact, text},
    },
    selection::Selection,
};

/// Variables of which intervals are drawn, those of the model beside those that account for its choice.
const DRAWN: usize = 12;

/// A row of the plot: what it is, the estimate and the ends.
type Row = (String, f64, f64, f64);

pub(super) fn section(body: &mut Body, report: &Selection) {
    let Some(inference) = &report.inference else {
        return;
    };
    body.section("The choice included");
    let variables = listed(inference);
    let rows = table(inference, variables);
    let count = rows.rows.len();
    body.table(
        "Variables by chance of choice",
        &about(inference),
        &rows,
        count,
    );
    body.text(&inference.promise);
    let mut rows: Vec<Row> = Vec::new();
    for own in inference
        .variables
        .iter()
        .filter(|own| own.selected)
        .take(DRAWN)
    {
        let mut selected = report.selected.iter();
        let naive = selected.find(|one| one.name == own.name);
        let Some((naive, middle)) = naive.zip(own.coefficient) else {
            continue;
        };
        let estimate = &naive.estimate;
        if let Some((lower, upper)) = estimate.lower.zip(estimate.upper) {
            rows.push((
                format!("{} as selected", own.name),
                estimate.coefficient,
                lower,
                upper,
            ));
        }
        // Where resamples are not corrected, their percentiles are what there is.
        let ends = match own.uncorrected {
            Some(_) => [own.percentile_lower, own.percentile_upper],
            None => [own.lower, own.upper],
        };
        let infinite = [(ends[0], f64::NEG_INFINITY), (ends[1], f64::INFINITY)];
        let [lower, upper] = infinite.map(|(end, without)| end.unwrap_or(without));
        rows.push((
            format!("{} by {}", own.name, inference.method),
            middle,
            lower,
            upper,
        ));
    }
    if rows.is_empty() {
        return;
    }
    let drawn: Vec<(&str, f64, f64, f64)> = rows
        .iter()
        .map(|row| (&*row.0, row.1, row.2, row.3))
        .collect();
    let level = percent(100.0 * inference.level);
    body.figure(Figure {
        title: "Intervals that ignore the choice, and that do not".to_owned(),
        alt: format!("Forest plot of {} intervals", drawn.len()),
        caption: format!(
            "Of each variable of the model its {level} interval as if the model had been given, then the one that accounts for the choice; an \
             interval that has no end is drawn as far as the others are."
        ),
        svg: forest(&drawn, "coefficient", None),
        data: Table::of(&drawn)
            .column("variable", |row| text(row.0))
            .column("estimate", |row| exact(row.1))
            .column("lower", |row| exact(row.2.is_finite().then_some(row.2)))
            .column("upper", |row| exact(row.3.is_finite().then_some(row.3)))
            .data(drawn.len()),
        ..Figure::default()
    });
}
