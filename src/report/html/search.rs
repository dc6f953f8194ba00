//! How a search went: its curves, and the models it met.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    Curves,
    draw::{Axis, Mark, Points, plane},
    page::{Cell, Data, Figure, Key, Page, Shape, Table, raw},
    told::{list, number, text, texts},
};
use crate::report::{
    models::{NAMED, difference},
    text::significant,
};

/// Of visited models those of a share above this are left out of the frame.
const SHARE: f64 = 0.95;

/// Curves, sizes, and the best models met.
pub(super) fn sections(page: &mut Page, told: &Value, curves: Option<&Curves>) {
    page.section("The search");
    let criterion = text(&told["criterion"], "name");
    match curves {
        Some(curves) if curves.is_empty() => page.text(
            "The search went on from a checkpoint within the polish: its steps are not known.",
        ),
        Some(curves) if curves.best().is_empty() => {
            page.text("No model met has a criterion that is a number: there is no curve to draw.");
        }
        Some(curves) => page.figure(&curve_plot(curves, criterion)),
        None => {}
    }
    visited(page, told, curves, criterion);
    models(page, told);
}

/// The criterion of every particle by iteration, the best in bold.
fn curve_plot(curves: &Curves, criterion: &str) -> Figure {
    let lines = curves.lines();
    let best = curves.best();
    let (top, above) = frame(lines.iter().flat_map(|it| &it.1).map(|it| it.1));
    let mut names = vec!["iteration".to_owned()];
    names.extend(lines.iter().map(|it| format!("particle_{}", it.0)));
    let mut by_iteration: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for (at, (_, line)) in lines.iter().enumerate() {
        for (iteration, value) in line {
            let row = by_iteration
                .entry(*iteration as u64)
                .or_insert_with(|| vec![String::new(); lines.len()]);
            row[at] = significant(*value, 8);
        }
    }
    names.push("best".to_owned());
    for (iteration, _) in &best {
        by_iteration
            .entry(*iteration as u64)
            .or_insert_with(|| vec![String::new(); lines.len()]);
    }
    let best_at = |iteration: u64| {
        let before = best.iter().rev().find(|it| it.0 as u64 <= iteration);
        before.map_or_else(String::new, |it| raw(it.1))
    };
    let rows = by_iteration.into_iter().map(|(iteration, row)| {
        let first = [iteration.to_string()].into_iter();
        first.chain(row).chain([best_at(iteration)]).collect()
    });
    let data = Data {
        names,
        rows: rows.collect(),
    };
    let count = lines.len();
    // Many lines of some strength would be one surface.
    let (color, width) = match count > 64 {
        true => ("var(--faint)", 0.7),
        false => ("var(--thin)", 1.0),
    };
    let alone = lines.iter().all(|it| it.1.len() < 2);
    let marks = lines.into_iter().map(|(_, points)| {
        let points = points.into_iter().map(|(x, y)| (x, y.min(top))).collect();
        match alone {
            true => Mark::dots(points, color, 2.5),
            false => Mark::line(points, color, width),
        }
    });
    let mut marks: Vec<Mark> = marks.collect();
    let (first, last) = (best.first().copied(), best.last().copied());
    marks.push(Mark::Line {
        points: best.iter().map(|it| (it.0, it.1.min(top))).collect(),
        color: "var(--b)",
        width: 3.0,
        dashed: false,
        step: true,
    });
    let mut legend = vec![
        Key::new("var(--b)", Shape::Line, "best so far"),
        Key::new("var(--axis)", Shape::Line, "a particle"),
    ];
    if let Some(end) = curves.polished_from() {
        marks.push(Mark::Upright(end as f64, "var(--c)"));
        legend.push(Key::new("var(--c)", Shape::Dashed, "the polish begins"));
    }
    let told = first.zip(last).map_or_else(String::new, |(first, last)| {
        let (from, to) = (significant(first.1, 6), significant(last.1, 6));
        match from == to {
            true => format!(": the best is {to} from the start"),
            false => format!(": the best falls from {from} to {to}"),
        }
    });
    Figure {
        title: "Criterion by iteration".to_owned(),
        alt: format!("Lines of the {criterion} of {count} particles by iteration{told}"),
        caption: format!(
            "Every particle's model, and the best so far.{}{}",
            match above {
                0 => "",
                _ => " Steps far above the rest are drawn at the frame.",
            },
            curves.thinned()
        ),
        legend,
        svg: plane(
            marks,
            Axis::counts("iteration"),
            Axis::of(&format!("{criterion} (smaller is better)")),
        ),
        data,
        heat: false,
    }
}

/// Up to where numbers are drawn, and how many are above: a few starts far off would press the
/// rest into a line.
fn frame(numbers: impl Iterator<Item = f64>) -> (f64, usize) {
    let mut all: Vec<f64> = numbers.collect();
    all.sort_by(f64::total_cmp);
    let (Some(&least), Some(&most)) = (all.first(), all.last()) else {
        return (f64::INFINITY, 0);
    };
    let share = all[((all.len() - 1) as f64 * SHARE) as usize];
    let top = share + 0.3 * (share - least);
    match most > top && top > least {
        true => (top, all.iter().filter(|it| **it > top).count()),
        false => (f64::INFINITY, 0),
    }
}

/// Models met, size against criterion, with the best of each size.
fn visited(page: &mut Page, told: &Value, curves: Option<&Curves>, criterion: &str) {
    let point = |it: &Value| {
        let value = number(it, "criterion")?;
        Some((list(it, "variables").len() as f64, value))
    };
    let front: Points = list(told, "front").iter().filter_map(point).collect();
    let Some(chosen) = list(told, "models").first().and_then(point) else {
        return;
    };
    let met: Vec<(usize, f64)> = curves.into_iter().flat_map(Curves::models).collect();
    let values = met.iter().map(|it| it.1);
    let (top, above) = frame(values.chain(front.iter().map(|it| it.1)));
    let least = front.iter().map(|it| it.1).fold(chosen.1, f64::min);
    let most = met.iter().map(|it| it.1).chain(front.iter().map(|it| it.1));
    let most = most.filter(|it| *it <= top).fold(least, f64::max);
    // Those that would cover one another are drawn once.
    let line =
        |value: f64| ((value - least) / (most - least).max(f64::MIN_POSITIVE) * 250.0) as u64;
    let mut shown: BTreeMap<(usize, u64), f64> = BTreeMap::new();
    for (size, value) in met.iter().filter(|it| it.1 <= top) {
        let lowest = shown.entry((*size, line(*value))).or_insert(*value);
        *lowest = lowest.min(*value);
    }
    let dots: Points = shown
        .iter()
        .map(|(it, value)| (it.0 as f64, *value))
        .collect();
    let within = |points: &[(f64, f64)]| -> Points {
        points.iter().copied().filter(|it| it.1 <= top).collect()
    };
    let models: Points = list(told, "models").iter().filter_map(point).collect();
    let rows = |kind: &str, points: &[(f64, f64)]| -> Vec<Vec<String>> {
        let row = |it: &(f64, f64)| vec![kind.to_owned(), raw(it.0), significant(it.1, 8)];
        points.iter().map(row).collect()
    };
    let mut data = rows("best of its size", &front);
    data.extend(rows("one of the ten best", &models));
    data.extend(rows("met", &dots));
    let mut marks = Vec::new();
    let mut legend = Vec::new();
    if !dots.is_empty() {
        marks.push(Mark::dots(dots, "var(--thin)", 2.0));
        legend.push(Key::new("var(--axis)", Shape::Dot, "met by a particle"));
    }
    marks.push(Mark::line(within(&front), "var(--a)", 2.0));
    marks.push(Mark::dots(within(&front), "var(--a)", 3.0));
    marks.push(Mark::dots(vec![chosen], "var(--b)", 5.5));
    legend.push(Key::new("var(--a)", Shape::Line, "best of its size"));
    legend.push(Key::new("var(--b)", Shape::Dot, "chosen"));
    page.figure(&Figure {
        title: "Size and criterion".to_owned(),
        alt: format!(
            "Models met: size against {criterion}. The chosen one has {} variables and {}",
            chosen.0,
            significant(chosen.1, 7)
        ),
        caption: format!(
            "How the criterion weighs size against fit: steep on the left, a variable is missing; on \
             the right, each more costs its penalty.{}{}",
            match above {
                0 => "",
                _ => " Models far above the rest are left out.",
            },
            curves.map(Curves::thinned).unwrap_or_default()
        ),
        legend,
        svg: plane(
            marks,
            Axis::counts("variables"),
            Axis::of(&format!("{criterion} (smaller is better)")),
        ),
        data: Data::of(&["model", "size", "criterion"], data.into_iter()),
        heat: false,
    });
}

fn models(page: &mut Page, told: &Value) {
    let all = list(told, "models");
    let Some(best) = all.first() else {
        return;
    };
    let best = texts(best, "variables");
    let rows = all.iter().map(|it| {
        let own = texts(it, "variables");
        vec![
            Cell::number(number(it, "delta"), 4),
            Cell::number(number(it, "weight"), 3),
            Cell::count(own.len()),
            Cell::number(number(it, "criterion"), 8),
            Cell::Short(
                difference(&own, &best, usize::MAX),
                difference(&own, &best, NAMED),
            ),
        ]
    });
    page.table(&Table {
        title: "The best models met",
        caption: "Weight: exp(−Δ/2), over the sum of it for all models remembered.",
        names: ["Δ", "weight", "k", "criterion", "beside the selection"]
            .map(str::to_owned)
            .to_vec(),
        rows: rows.collect(),
        of: all.len(),
    });
}
