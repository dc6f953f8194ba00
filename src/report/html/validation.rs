//! The page of a validation: the errors, by size too, and what was predicted of rows held out.

use super::{
    Fact,
    draw::{Mark, Points, Scale, plane},
    first_of,
    page::{Body, DOT, Figure, LINE, ROWS},
    regression::settings,
    shares::shares,
    sizes,
};
use crate::{
    report::{
        goodness::facts_of_family,
        numbers::{listed, when},
        sizes::Sizes,
        table::{Table, count, exact},
        validation::{answer, beside, chosen_sizes, errors, judged_by, splits, terms},
    },
    selection::{HeldOut, StopReason, ValidationReport},
};

/// Terms of a plot with names.
const NAMED: usize = 30;

/// Points of a plot at most.
const POINTS: usize = 2000;

/// Groups of a calibration.
const GROUPS: usize = 10;

/// The result in a sentence, and the facts of the job.
pub(super) fn summary(report: &ValidationReport) -> (String, Vec<Fact>) {
    let lead = format!(
        "{}. Each split selects anew, so that the error is that of the whole procedure.",
        answer(report)
    );
    let mut facts = vec![("response", report.response.clone())];
    facts.extend(report.formula.clone().map(|formula| ("formula", formula)));
    facts.extend(facts_of_family(report.family.as_ref()));
    facts.extend(report.weights.clone().map(|weights| ("weights", weights)));
    facts.extend([
        ("observations", report.n.to_string()),
        ("candidates", report.p.to_string()),
        ("method", report.method.spec_of_plugin()),
    ]);
    facts.extend(beside(report).map(|others| ("beside", others)));
    let kept = &report.kept;
    facts.extend((!kept.is_empty()).then(|| ("always kept", kept.join(", "))));
    let criteria = report.models.iter().map(|own| own.criterion.spec(&[]));
    facts.push((judged_by(report), listed(criteria)));
    facts.push(("scheme", report.scheme.spec(&[])));
    facts.extend(report.by.clone().map(|by| ("by", by)));
    let (judged, n) = (report.judged, report.n);
    facts.push((
        "judged",
        format!("{judged} of {n} observations, {}", splits(report)),
    ));
    facts.push(("models", chosen_sizes(report)));
    let cut_short = match report.run.termination {
        StopReason::Interrupted => Some("interrupted"),
        StopReason::TimeLimit => Some("time limit"),
        _ => None,
    };
    facts.extend(cut_short.map(|cause| {
        let (done, wanted) = (report.done, report.wanted);
        ("ended", format!("{cause} after {done} of {wanted}"))
    }));
    facts.push(("seed", report.seed.to_string()));
    (lead, facts)
}

pub(super) fn sections(body: &mut Body, report: &ValidationReport) {
    body.section("Held-out error");
    let table = errors(report);
    let caption = match report.scheme.name.as_str() {
        "bootstrap" => "By .632+; ± is the standard error, by the jackknife over rows.",
        "holdout" | "marked" => "± is the standard error, by the jackknife over rows.",
        _ => "± is the standard error, by the jackknife over folds.",
    };
    let count = table.rows.len();
    body.table("Errors", caption, &table, count);
    if !report.others.is_empty() {
        let first = report.name_among_all(report);
        body.text(&format!("The rest of the page is of {first}."));
    }
    let caption = "Of the best models of each size that the searches of the splits met.";
    sizes::errors(body, &Sizes::of(report), caption);
    let family = report.family.as_ref().map(|family| &*family.name);
    if let Some(held_out) = &report.held_out {
        match family {
            None => observed_and_predicted(body, held_out),
            Some("binomial") => {
                roc(body, held_out);
                calibration(body, held_out);
            }
            Some(_) => {}
        }
    }
    body.section("What was chosen");
    chosen(body, report);
    let table = terms(report);
    let all = table.rows.len();
    let rows = Table {
        rows: table.rows.into_iter().take(ROWS).collect(),
        columns: table.columns,
    };
    body.table(
        "Terms chosen at least once",
        "The share of the splits.",
        &rows,
        all,
    );
    settings(body, &report.method);
}

/// Every so many rows, that all may be drawn.
fn thinned(rows: usize) -> impl Iterator<Item = usize> {
    (0..rows).step_by(rows.div_ceil(POINTS).max(1))
}

fn observed_and_predicted(body: &mut Body, held_out: &HeldOut) {
    let Some(predicted) = held_out.predicted.first().filter(|own| own.len() > 1) else {
        return;
    };
    let rows = thinned(predicted.len());
    let points: Points = rows
        .map(|at| (predicted[at], held_out.observed[at]))
        .collect();
    let numbers = || points.iter().flat_map(|point| [point.0, point.1]);
    let least = numbers().fold(f64::INFINITY, f64::min);
    let most = numbers().fold(f64::NEG_INFINITY, f64::max);
    let drawn = points.len();
    let marks = vec![
        Mark::line(vec![(least, least), (most, most)], "var(--axis)", 1.2),
        Mark::dots(points.clone(), "var(--a)", 2.5),
    ];
    body.figure(Figure {
        title: "Observed against predicted".to_owned(),
        alt: format!("{drawn} held-out responses against their predictions"),
        caption: format!(
            "Rows that were held out, by models that did not see them; on the line they are as predicted.{}",
            first_of(drawn, predicted.len(), " are drawn, evenly spread")
        ),
        legend: vec![("var(--a)", DOT, "a row held out".to_owned())],
        svg: plane(marks, ("predicted", Scale::Points), ("observed", Scale::Points)),
        data: Table::of(thinned(predicted.len()))
            .column("row", |at| count(held_out.row[*at]))
            .column("predicted", |at| exact(predicted[*at]))
            .column("observed", |at| exact(held_out.observed[*at]))
            .data(drawn),
        ..Figure::default()
    });
}

/// Probability, share of events and weight of the held-out rows, by falling probability.
fn by_probability(held_out: &HeldOut) -> Vec<[f64; 3]> {
    let predicted = held_out.predicted.first().map_or(&[][..], |own| own);
    let rows = predicted.iter().zip(&held_out.observed).enumerate();
    let weight = |at: usize| held_out.weight.get(at).copied().unwrap_or(1.0);
    let mut rows: Vec<[f64; 3]> = rows
        .map(|(at, (p, share))| [*p, *share, weight(at)])
        .collect();
    rows.sort_by(|a, b| b[0].total_cmp(&a[0]));
    rows
}

/// How events and others are told, by the predictions of all splits together.
fn roc(body: &mut Body, held_out: &HeldOut) {
    let rows = by_probability(held_out);
    let sum = |of: &dyn Fn(&[f64; 3]) -> f64| rows.iter().map(of).sum::<f64>();
    let (events, others) = (
        sum(&|own| own[1] * own[2]),
        sum(&|own| (1.0 - own[1]) * own[2]),
    );
    if events == 0.0 || others == 0.0 {
        return;
    }
    let (mut called, mut wrong) = (0.0, 0.0);
    let mut points: Points = vec![(0.0, 0.0)];
    for equal in rows.chunk_by(|a, b| a[0] == b[0]) {
        called += equal.iter().map(|own| own[1] * own[2]).sum::<f64>();
        wrong += equal.iter().map(|own| (1.0 - own[1]) * own[2]).sum::<f64>();
        points.push((wrong / others, called / events));
    }
    let all = points.len();
    let drawn: Points = thinned(all)
        .map(|at| points[at])
        .chain(points.last().copied())
        .collect();
    let marks = vec![
        Mark::line(vec![(0.0, 0.0), (1.0, 1.0)], "var(--axis)", 1.2),
        Mark::line(drawn.clone(), "var(--a)", 2.0),
    ];
    let unit = Scale::Between(0.0, 1.0);
    body.figure(Figure {
        title: "Receiver operating characteristic".to_owned(),
        alt: "The share of events called so against that of others, over all thresholds".to_owned(),
        caption: "Of the held-out predictions of all splits together.".to_owned(),
        legend: vec![("var(--a)", LINE, "held out".to_owned())],
        svg: plane(marks, ("1 − specificity", unit), ("sensitivity", unit)),
        data: Table::of(&drawn)
            .column("false_positives", |own| exact(own.0))
            .column("sensitivity", |own| exact(own.1))
            .data(drawn.len()),
        ..Figure::default()
    });
}

/// How often events are, where they were predicted to be so frequent.
fn calibration(body: &mut Body, held_out: &HeldOut) {
    let mut rows = by_probability(held_out);
    rows.reverse();
    if rows.len() < 2 * GROUPS {
        return;
    }
    let groups = (0..GROUPS).map(|group| {
        let ends = [group, group + 1].map(|at| at * rows.len() / GROUPS);
        let own = &rows[ends[0]..ends[1]];
        let total: f64 = own.iter().map(|own| own[2]).sum();
        let mean = |at: usize| own.iter().map(|own| own[at] * own[2]).sum::<f64>() / total;
        (mean(0), mean(1))
    });
    let points: Points = groups.collect();
    let unit = Scale::Between(0.0, 1.0);
    let marks = vec![
        Mark::line(vec![(0.0, 0.0), (1.0, 1.0)], "var(--axis)", 1.2),
        Mark::line(points.clone(), "var(--a)", 1.2),
        Mark::dots(points.clone(), "var(--a)", 4.0),
    ];
    body.figure(Figure {
        title: "Calibration".to_owned(),
        alt: "The share of events against their predicted probability, in ten groups".to_owned(),
        caption: "Held-out rows in ten groups of equal size by their predicted probability: on the line events are as \
                  frequent as predicted."
            .to_owned(),
        legend: vec![("var(--a)", DOT, "a tenth of the rows".to_owned())],
        svg: plane(marks, ("predicted", unit), ("observed", unit)),
        data: Table::of(&points)
            .column("predicted", |own| exact(own.0))
            .column("observed", |own| exact(own.1))
            .data(points.len()),
        ..Figure::default()
    });
}

fn chosen(body: &mut Body, report: &ValidationReport) {
    let Some(model) = report.models.first() else {
        return;
    };
    let rows = model.variables.iter().take(NAMED);
    let rows: Vec<_> = rows
        .map(|own| (&*own.name, own.share, own.share > 0.5))
        .collect();
    let by = format!(" by {}", model.criterion.spec(&[]));
    let figure = Figure {
        title: "How often each was chosen".to_owned(),
        alt: "Bars of the shares of splits that chose a term".to_owned(),
        caption: format!(
            "The share of splits in whose models each term is{}; selected stands for more than half.{}",
            when(report.models.len() > 1, &by),
            first_of(rows.len(), model.variables.len(), "")
        ),
        ..Figure::default()
    };
    shares(body, figure, &rows, ("share", "share"), None);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_thinned_evenly() {
        assert_eq!(thinned(3).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(thinned(4001).count(), 1334);
        assert_eq!(thinned(0).count(), 0);
    }
}
