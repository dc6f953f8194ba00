//! Plots of a model of survival times.

use super::{
    draw::{Mark, Points, Scale, Shape, plane},
    page::{Body, Figure, Key, LINE},
};
use crate::{
    report::{
        numbers::{p_value, significant},
        table::{Table, exact, text},
    },
    selection::{CoefficientOverTime, HazardTest, RiskGroup, Selection, SurvivalPlots},
};

const COLORS: [&str; 3] = ["var(--a)", "var(--axis)", "var(--b)"];

/// Fewest events through which a smooth line is drawn.
const SMOOTHED: usize = 20;

/// The survival of groups, its double logarithm, and coefficients over time.
pub(super) fn plots(body: &mut Body, own: &SurvivalPlots, report: &Selection) {
    let time = &*report.response;
    let curves = |group: &RiskGroup| -> Points {
        let steps = group.steps.iter().map(|step| (step[0], step[1]));
        let from = group.steps.first().map_or(0.0, |first| first[0].min(0.0));
        std::iter::once((from, 1.0)).chain(steps).collect()
    };
    groups(
        body,
        own,
        &curves,
        (
            "Survival of risk groups",
            "Probability to have had no event, by time, of groups by hazard",
        ),
        "Estimates of Kaplan and Meier, of the observations that the model was fitted to, by thirds of their linear predictor. \
         The further apart, the better the model tells who has the event early; new data will be told less well.",
        (
            (time, Scale::Points),
            ("no event until then", Scale::Between(0.0, 1.0)),
        ),
    );
    if own.groups.len() > 1 {
        let logarithms = |group: &RiskGroup| -> Points {
            let inner = group.steps.iter();
            let inner = inner.filter(|step| step[0] > 0.0 && step[1] > 0.0 && step[1] < 1.0);
            inner
                .map(|step| (step[0].ln(), (-step[1].ln()).ln()))
                .collect()
        };
        groups(
            body,
            own,
            &logarithms,
            (
                "Log–log survival",
                "Double logarithms of survival against the logarithm of time, of groups by hazard",
            ),
            "ln(−ln S) against ln t. Where hazards are proportional the curves are the same, one above the other; curves that \
             cross or close in speak against it.",
            (
                (&format!("ln {time}"), Scale::Points),
                ("ln(−ln S)", Scale::Points),
            ),
        );
    }
    let tests = report.family.as_ref().and_then(|own| own.survival.as_ref());
    let tests = tests.and_then(|own| own.proportional_hazards.as_ref());
    for coefficient in &own.coefficients {
        let term = report.term_of(&coefficient.name);
        let mut all = tests.iter().flat_map(|own| &own.terms);
        let test = all.find(|own| own.name == term || own.name == coefficient.name);
        over_time(body, coefficient, test, time);
    }
}

/// Lines of groups.
fn groups(
    body: &mut Body,
    own: &SurvivalPlots,
    points: &dyn Fn(&RiskGroup) -> Points,
    (title, alt): (&str, &str),
    caption: &str,
    ((x, across), (y, up)): ((&str, Scale), (&str, Scale)),
) {
    let colored = || own.groups.iter().zip(COLORS.iter().cycle());
    let marks = colored().map(|(group, color)| Mark {
        stepped: true,
        ..Mark::line(points(group), color, 1.8)
    });
    let legend = colored()
        .map(|(group, color)| -> Key { (color, LINE, format!("{} ({})", group.name, group.n)) });
    let rows: Vec<(&str, (f64, f64))> = own
        .groups
        .iter()
        .flat_map(|group| points(group).into_iter().map(|point| (group.name, point)))
        .collect();
    if rows.is_empty() {
        return;
    }
    body.figure(Figure {
        title: title.to_owned(),
        alt: alt.to_owned(),
        caption: caption.to_owned(),
        legend: legend.collect(),
        data: Table::of(&rows)
            .column("group", |row| text(row.0))
            .column("x", |row| exact(row.1.0))
            .column("y", |row| exact(row.1.1))
            .data(rows.len()),
        svg: plane(marks.collect(), (x, across), (y, up)),
        ..Figure::default()
    });
}

/// What events say of a coefficient over time.
fn over_time(body: &mut Body, own: &CoefficientOverTime, test: Option<&HazardTest>, time: &str) {
    let points: Points = own
        .events
        .iter()
        .map(|event| (event[0], event[1]))
        .collect();
    let is_spread = points.iter().any(|point| point.0 != points[0].0);
    let smooth = (points.len() >= SMOOTHED && is_spread).then_some("var(--b)");
    let told = test.and_then(|test| {
        let (chi_squared, p) = (test.chi_squared?, p_value(test.p_value?));
        let chi_squared = significant(chi_squared, 4);
        Some(format!(
            " Test that it does not change: χ² {chi_squared} on {} df, p {p}.",
            test.df
        ))
    });
    let mut legend: Vec<Key> = vec![("var(--axis)", LINE, "estimate".to_owned())];
    legend.extend(smooth.map(|color| (color, LINE, "smoothed (loess)".to_owned())));
    body.figure(Figure {
        title: format!("{} over time", own.name),
        alt: format!("Scaled Schoenfeld residuals of {} by time", own.name),
        caption: format!(
            "The coefficient plus the scaled Schoenfeld residual of each event: level about the estimate where the hazard is \
             proportional.{}",
            told.unwrap_or_default()
        ),
        legend,
        data: Table::of(&points)
            .column("time", |point| exact(point.0))
            .column("coefficient", |point| exact(point.1))
            .data(points.len()),
        svg: plane(
            vec![
                Mark::rule(Shape::Across(own.estimate), "var(--axis)"),
                Mark {
                    smooth,
                    ..Mark::dots(points.clone(), "var(--a)", 2.5)
                },
            ],
            (time, Scale::Points),
            (&format!("coefficient of {}", own.name), Scale::Points),
        ),
        ..Figure::default()
    });
}
