//! How well the fitted probabilities of a binomial response tell events from others, and agree with their shares.

use super::{
    draw::{Mark, Scale, extent, plane},
    page::{Body, DASHED, DOT, Figure, LINE},
};
use crate::{
    report::{
        numbers::{p_value, percent, significant},
        table::{Table, exact},
    },
    selection::{FamilySummary, Selection},
};

/// The receiver operating characteristic and the calibration; nothing of other responses.
pub(super) fn sections(body: &mut Body, report: &Selection) {
    let Some(family) = &report.family else {
        return;
    };
    let has_curve = family
        .discrimination
        .as_ref()
        .is_some_and(|own| own.roc.len() > 1);
    if !has_curve && family.calibration.len() < 2 {
        return;
    }
    body.section("Events by their fitted probabilities");
    body.text(
        "Both are of the data that the model was chosen and fitted on, so they flatter it: new data will be told less \
         well.",
    );
    if has_curve {
        characteristic(body, family);
    }
    if family.calibration.len() > 1 {
        calibration(body, family, report.level);
    }
}

fn characteristic(body: &mut Body, family: &FamilySummary) {
    let Some(own) = &family.discrimination else {
        return;
    };
    let points = own.roc.iter();
    let points = points.map(|point| (point.false_positives(), point.sensitivity));
    let chance = Mark {
        dashed: true,
        ..Mark::line(vec![(0.0, 0.0), (1.0, 1.0)], "var(--axis)", 1.5)
    };
    let area = significant(own.auc, 4);
    body.figure(Figure {
        title: "ROC curve".to_owned(),
        alt: format!("Receiver operating characteristic with the area {area}"),
        caption: format!(
            "What share of events and of others has at least some fitted probability, whatever that is. The area below, \
             AUC, is {area}: the probability that an event has a higher fitted probability than another."
        ),
        legend: vec![
            ("var(--a)", LINE, "model".to_owned()),
            ("var(--axis)", DASHED, "chance".to_owned()),
        ],
        svg: plane(
            vec![chance, Mark::line(points.collect(), "var(--a)", 2.0)],
            ("1 − specificity", Scale::Between(0.0, 1.0)),
            ("sensitivity", Scale::Between(0.0, 1.0)),
        ),
        data: Table::of(&own.roc)
            .column("threshold", |point| exact(point.threshold))
            .column("sensitivity", |point| exact(point.sensitivity))
            .column("specificity", |point| exact(point.specificity))
            .data(own.roc.len()),
        ..Figure::default()
    });
}

fn calibration(body: &mut Body, family: &FamilySummary, level: f64) {
    let groups = &family.calibration;
    let numbers = groups.iter().flat_map(|own| {
        let ends = own.lower.into_iter().chain(own.upper);
        ends.chain([own.fitted, own.observed])
    });
    let (from, to) = extent(numbers.filter(|number| number.is_finite()));
    let mut marks = vec![Mark::line(vec![(from, from), (to, to)], "var(--b)", 1.5)];
    let intervals = groups
        .iter()
        .filter_map(|own| Some((own.fitted, own.lower?, own.upper?)));
    marks.extend(
        intervals
            .map(|(at, lower, upper)| Mark::line(vec![(at, lower), (at, upper)], "var(--a)", 1.5)),
    );
    let has_intervals = marks.len() > 1;
    let points = groups.iter().map(|own| (own.fitted, own.observed));
    marks.push(Mark::dots(points.collect(), "var(--a)", 3.5));
    let observed = match has_intervals {
        true => format!(
            "share of events, with its {} interval",
            percent(100.0 * level)
        ),
        false => "share of events".to_owned(),
    };
    let test = family.hosmer_lemeshow.as_ref().map(|test| {
        format!(
            " Hosmer and Lemeshow's χ² is {} on {} df, p {}.",
            significant(test.chi_squared, 4),
            test.df,
            p_value(test.p_value)
        )
    });
    body.figure(Figure {
        title: "Calibration".to_owned(),
        alt: format!(
            "Observed shares of events against mean fitted probabilities of {} groups",
            groups.len()
        ),
        caption: format!(
            "Groups of about equal size by fitted probability: on the line where as many events happen as the model \
             says. Intervals are Wilson's.{}",
            test.unwrap_or_default()
        ),
        legend: vec![
            ("var(--a)", DOT, observed),
            ("var(--b)", LINE, "observed = fitted".to_owned()),
        ],
        svg: plane(
            marks,
            ("mean fitted probability", Scale::Points),
            ("share of events", Scale::Points),
        ),
        data: Table::of(groups)
            .column("trials", |own| exact(own.trials))
            .column("fitted", |own| exact(own.fitted))
            .column("observed", |own| exact(own.observed))
            .column("lower", |own| exact(own.lower))
            .column("upper", |own| exact(own.upper))
            .data(groups.len()),
        ..Figure::default()
    });
}
