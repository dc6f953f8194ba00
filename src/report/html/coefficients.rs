//! The coefficients of a model on its page: their table, the means they make, a forest of them.

use std::collections::BTreeMap;

use super::{
    PageExtras,
    draw::forest,
    finite,
    page::{Body, Figure},
};
use crate::{
    report::{
        numbers::{listed, percent, significant, when},
        regression::{coefficients, inclusion as inclusion_weight},
        table::{Cell, Style, Table, exact, number, text},
    },
    selection::Selection,
};

/// Rows of a plot with names.
pub(super) const NAMED: usize = 20;

pub(super) fn is_kept(report: &Selection, name: &str) -> bool {
    report.kept.iter().any(|kept| kept == name)
}

pub(super) fn coefficient_table(
    body: &mut Body,
    report: &Selection,
    extras: &PageExtras,
    title: &str,
) {
    let chosen = report.selected.iter().map(|variable| &*variable.name);
    let deviations: BTreeMap<&str, f64> = chosen.zip(extras.deviations.iter().copied()).collect();
    let scaled = !report.selected.is_empty() && extras.deviations.len() == report.selected.len();
    let inflation = report.selected.iter().map(|own| (&*own.name, own.vif));
    let inflation: BTreeMap<&str, Option<f64>> = inflation.collect();
    // Of one variable there is nothing to inflate.
    let inflated = report.selected.len() > 1 && inflation.values().any(Option::is_some);
    let shares = report
        .selected
        .iter()
        .map(|own| (&*own.name, own.r_squared_share));
    let shares: BTreeMap<&str, Option<f64>> = shares.collect();
    let shared = report.selected.len() > 1 && shares.values().any(Option::is_some);
    let table = coefficients(report)
        .column_if(scaled, "per deviation", move |(name, index, estimate)| {
            let deviation = index.and(deviations.get(name));
            number(deviation.map(|own| estimate.coefficient * own), 4)
        })
        .column_if(inflated, "VIF", move |row| {
            number(row.1.and(inflation.get(row.0)).copied().flatten(), 3)
        })
        .column_if(shared, "share of R²", move |row| {
            number(row.1.and(shares.get(row.0)).copied().flatten(), 3)
        })
        .column("inclusion", |row| {
            match is_kept(report, report.term_of(row.0)) {
                true => Cell::Number(None, Style::Word("kept")),
                false => number(inclusion_weight(report, row), 3),
            }
        });
    let unit = when(
        scaled,
        "; per deviation: of one standard deviation of the variable",
    );
    let vif = when(
        inflated,
        "; VIF: by how much the other variables inflate the variance of the coefficient",
    );
    let share = when(
        shared,
        "; share of R²: by how much the variable raises it as it enters, on average over all orders",
    );
    let caption = format!("Coefficients on the file's own scale{unit}{vif}{share}.");
    body.table(title, &caption, &table, table.rows.len());
    super::variants::variants(body, report);
}

pub(super) fn marginal_means(body: &mut Body, report: &Selection) {
    if report.marginal_means.is_empty() {
        return;
    }
    let tail = 50.0 * (1.0 - report.level);
    let table = Table::of(&report.marginal_means)
        .column("factor", |own| text(&*own.factor))
        .column("level", |own| text(&*own.level))
        .column("mean", |own| number(finite(own.mean), 6))
        .column("std. error", |own| number(own.std_error, 4))
        .column(percent(tail), |own| number(own.lower, 6))
        .column(percent(100.0 - tail), |own| number(own.upper, 6));
    let by_link =
        "; at the mean linear predictor, from which the link turns mean and interval back";
    let caption = format!(
        "The mean response that the model predicts if every observation had the level, all else being \
         as it is in the data{}.",
        when(report.family.is_some(), by_link)
    );
    body.table("Marginal means", &caption, &table, table.rows.len());
}

pub(super) fn coefficient_plot(body: &mut Body, report: &Selection, extras: &PageExtras) {
    let selected = &report.selected;
    let scaled = extras.deviations.len() == selected.len();
    let mut rows: Vec<(&str, f64, f64, f64)> = Vec::new();
    let mut bare = true;
    for (at, variable) in selected.iter().enumerate() {
        let unit = if scaled { extras.deviations[at] } else { 1.0 };
        let estimate = &variable.estimate;
        if let Some(own) = finite(estimate.coefficient) {
            // An exact fit has none.
            let ends = estimate.lower.zip(estimate.upper);
            bare &= ends.is_none();
            let (lower, upper) = ends.unwrap_or((own, own));
            rows.push((&variable.name, own * unit, lower * unit, upper * unit));
        }
    }
    if rows.is_empty() {
        return;
    }
    rows.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let all = rows.len();
    rows.truncate(NAMED);
    let is_endless = rows.iter().any(|row| (row.3 - row.2).is_infinite());
    let label = match scaled {
        true => format!("{} per standard deviation", report.response),
        false => "coefficient".to_owned(),
    };
    let first = rows.iter().take(5).map(|(name, own, lower, upper)| {
        let has_ends = upper > lower;
        let [own, lower, upper] = [own, lower, upper].map(|value| significant(*value, 3));
        let ends = format!(" ({lower} to {upper})");
        format!("{name} {own}{}", when(has_ends, &ends))
    });
    let first = listed(first);
    let level = format!("with {} intervals", percent(100.0 * report.level));
    let intervals = match bare {
        true => "without intervals: there are no degrees of freedom, or the fit is exact",
        false => &level,
    };
    body.figure(Figure {
        title: "Coefficients".to_owned(),
        alt: format!("Forest plot of {all} coefficients; the largest: {first}"),
        caption: format!(
            "Estimates {intervals}, the largest first{}{}{}.",
            when(
                is_endless,
                "; an interval that has no end is drawn as far as the others are"
            ),
            when(scaled, ", each of one standard deviation of its variable"),
            when(all > rows.len(), &format!("; {} of {all}", rows.len()))
        ),
        svg: forest(&rows, &label, None),
        data: Table::of(&rows)
            .column("variable", |row| text(row.0))
            .column("estimate", |row| exact(row.1))
            .column("lower", |row| exact((row.3 > row.2).then_some(row.2)))
            .column("upper", |row| exact((row.3 > row.2).then_some(row.3)))
            .data(NAMED),
        ..Figure::default()
    });
}
