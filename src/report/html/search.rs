//! The course of a search: its curves, and the models it met.

use std::collections::BTreeMap;

use super::{
    draw::{Mark, Points, Scale, Shape, plane},
    finite,
    page::{Body, DASHED, DOT, Figure, LINE, ROWS},
};
use crate::{
    presentation::Curves,
    report::{
        models::{NAMED, difference},
        numbers::{significant, when},
        table::{Cell, Table, count, exact, number, text},
    },
    selection::{Selection, VisitedModel},
};

/// Of visited models those of a share above this are left out of the frame.
const SHARE: f64 = 0.95;

/// Curves, sizes, and the best models met.
pub(super) fn sections(body: &mut Body, report: &Selection, curves: Option<&Curves>) {
    body.section("The search");
    let criterion = &report.criterion.name;
    match curves {
        Some(curves) if curves.is_empty() => body.text(
            "The search went on from a checkpoint within the polish: its steps are not known.",
        ),
        Some(curves) if curves.best().is_empty() => {
            body.text("No model met has a criterion that is a number: there is no curve to draw.");
        }
        Some(curves) => body.figure(curve_plot(curves, criterion)),
        None => {}
    }
    visited(body, report, curves);
    models(body, &report.models);
}

/// The criterion of every particle by iteration, the best in bold.
fn curve_plot(curves: &Curves, criterion: &str) -> Figure {
    let lines = curves.lines();
    let best = curves.best();
    let (top, cut) = frame(lines.iter().flat_map(|line| &line.1).map(|point| point.1));
    let count = lines.len();
    // Many lines of some strength would be one surface.
    let (color, width) = match count > 64 {
        true => ("var(--faint)", 0.7),
        false => ("var(--thin)", 1.0),
    };
    let alone = lines.iter().all(|line| line.1.len() < 2);
    let below = |points: &[(f64, f64)]| points.iter().map(|(x, y)| (*x, y.min(top))).collect();
    let line = |(_, points): &(usize, Points)| match alone {
        true => Mark::dots(below(points), color, 2.5),
        false => Mark::line(below(points), color, width),
    };
    let mut marks: Vec<Mark> = lines.iter().map(line).collect();
    marks.push(Mark {
        stepped: true,
        ..Mark::line(below(&best), "var(--b)", 3.0)
    });
    let mut legend = vec![
        ("var(--b)", LINE, "best so far".to_owned()),
        ("var(--axis)", LINE, "a particle".to_owned()),
    ];
    if let Some(end) = curves.polished_from() {
        marks.push(Mark::rule(Shape::Upright(end as f64), "var(--c)"));
        legend.push(("var(--c)", DASHED, "the polish begins".to_owned()));
    }
    let course = best.first().zip(best.last()).map(|(first, last)| {
        let (from, to) = (significant(first.1, 6), significant(last.1, 6));
        match from == to {
            true => format!(": the best is {to} from the start"),
            false => format!(": the best falls from {from} to {to}"),
        }
    });
    let course = course.unwrap_or_default();
    Figure {
        title: "Criterion by iteration".to_owned(),
        alt: format!("Lines of the {criterion} of {count} particles by iteration{course}"),
        caption: format!(
            "Every particle's model, and the best so far.{}{}",
            when(cut, " Steps far above the rest are drawn at the frame."),
            curves.thinned()
        ),
        legend,
        svg: plane(
            marks,
            ("iteration", Scale::Counts),
            (&format!("{criterion} (smaller is better)"), Scale::Points),
        ),
        data: curve_data(&lines, &best),
        ..Figure::default()
    }
}

/// A row an iteration: the criterion of every particle, and the lowest so far.
fn curve_data(lines: &[(usize, Points)], best: &[(f64, f64)]) -> String {
    let mut iterations: BTreeMap<u64, Vec<Option<f64>>> = BTreeMap::new();
    let none = || vec![None; lines.len()];
    for (at, (_, line)) in lines.iter().enumerate() {
        for (iteration, value) in line {
            iterations.entry(*iteration as u64).or_insert_with(none)[at] = Some(*value);
        }
    }
    for (iteration, _) in best {
        iterations.entry(*iteration as u64).or_insert_with(none);
    }
    let mut table = Table::of(&iterations).column("iteration", |row| Cell::Count(*row.0));
    for (at, (particle, _)) in lines.iter().enumerate() {
        table = table.column(format!("particle_{particle}"), move |row| {
            text(row.1[at].map_or_else(String::new, |value| significant(value, 8)))
        });
    }
    let table = table.column("best", |row| {
        let mut before = best.iter().rev();
        exact(before.find(|own| own.0 as u64 <= *row.0).map(|own| own.1))
    });
    table.data(iterations.len())
}

/// Up to where numbers are drawn, and whether any is above: a few starts far off would press the
/// rest into a line.
fn frame(numbers: impl Iterator<Item = f64>) -> (f64, bool) {
    let mut all: Vec<f64> = numbers.collect();
    all.sort_by(f64::total_cmp);
    let (Some(&least), Some(&most)) = (all.first(), all.last()) else {
        return (f64::INFINITY, false);
    };
    let share = all[((all.len() - 1) as f64 * SHARE) as usize];
    let top = share + 0.3 * (share - least);
    match most > top && top > least {
        true => (top, true),
        false => (f64::INFINITY, false),
    }
}

/// Models met, size against criterion, with the best of each size.
fn visited(body: &mut Body, report: &Selection, curves: Option<&Curves>) {
    let criterion = &report.criterion.name;
    let point = |model: &VisitedModel| {
        let size = model.variables.len() as f64;
        finite(model.criterion).map(|value| (size, value))
    };
    let front: Points = report.front.iter().filter_map(point).collect();
    let Some(chosen) = report.models.first().and_then(point) else {
        return;
    };
    if front.is_empty() {
        return;
    }
    let met: Vec<(usize, f64)> = curves.into_iter().flat_map(Curves::models).collect();
    let of_front = front.iter().map(|own| own.1);
    let values = met.iter().map(|own| own.1).chain(of_front.clone());
    let (top, cut) = frame(values.clone());
    let least = of_front.fold(chosen.1, f64::min);
    let most = values.filter(|value| *value <= top).fold(least, f64::max);
    // Those that would cover one another are drawn once.
    let line =
        |value: f64| ((value - least) / (most - least).max(f64::MIN_POSITIVE) * 250.0) as u64;
    let mut shown: BTreeMap<(usize, u64), f64> = BTreeMap::new();
    for (size, value) in met.iter().filter(|own| own.1 <= top) {
        let lowest = shown.entry((*size, line(*value))).or_insert(*value);
        *lowest = lowest.min(*value);
    }
    let dots = shown.iter().map(|(key, value)| (key.0 as f64, *value));
    let dots: Points = dots.collect();
    let within: Points = front.iter().copied().filter(|own| own.1 <= top).collect();
    let models: Points = report.models.iter().filter_map(point).collect();
    let kinds = [
        ("best of its size", &front),
        ("one of the ten best", &models),
        ("met", &dots),
    ];
    let data = kinds.iter();
    let data = data.flat_map(|(kind, points)| points.iter().map(move |own| (*kind, *own)));
    let data = Table::of(data)
        .column("model", |row| text(row.0))
        .column("size", |row| exact(row.1.0))
        .column("criterion", |row| text(significant(row.1.1, 8)));
    let data = data.data(data.rows.len());
    let mut marks = Vec::new();
    let mut legend = Vec::new();
    if !dots.is_empty() {
        marks.push(Mark::dots(dots, "var(--thin)", 2.0));
        legend.push(("var(--axis)", DOT, "met by a particle".to_owned()));
    }
    marks.push(Mark::line(within.clone(), "var(--a)", 2.0));
    marks.push(Mark::dots(within, "var(--a)", 3.0));
    marks.push(Mark::dots(vec![chosen], "var(--b)", 5.5));
    legend.push(("var(--a)", LINE, "best of its size".to_owned()));
    legend.push(("var(--b)", DOT, "chosen".to_owned()));
    body.figure(Figure {
        title: "Size and criterion".to_owned(),
        alt: format!(
            "Models met: size against {criterion}. The chosen one has {} variable{} and {}",
            chosen.0,
            when(chosen.0 != 1.0, "s"),
            significant(chosen.1, 7)
        ),
        caption: format!(
            "How the criterion weighs size against fit: steep on the left, a variable is missing; on \
             the right, each more costs its penalty.{}{}",
            when(cut, " Models far above the rest are left out."),
            curves.map(Curves::thinned).unwrap_or_default()
        ),
        legend,
        svg: plane(
            marks,
            ("variables", Scale::Counts),
            (&format!("{criterion} (smaller is better)"), Scale::Points),
        ),
        data,
        ..Figure::default()
    });
}

fn models(body: &mut Body, models: &[VisitedModel]) {
    let Some(best) = models.first() else {
        return;
    };
    let difference =
        |model: &VisitedModel, most| difference(&model.variables, &best.variables, most);
    let table = Table::of(models)
        .column("Δ", |model| number(model.delta, 4))
        .column("weight", |model| number(model.weight, 3))
        .column("k", |model| count(model.variables.len()))
        .column("criterion", |model| number(model.criterion, 8))
        .column("beside the selection", move |model| {
            Cell::Short(difference(model, usize::MAX), difference(model, NAMED))
        });
    body.table(
        "The best models met",
        "Weight: exp(−Δ/2), over the sum of it for all models remembered.",
        &table,
        models.len().min(ROWS),
    );
}
