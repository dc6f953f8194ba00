//! Stability paths: selection frequencies along a setting.

use std::collections::BTreeMap;

use super::{
    draw::{Mark, Points, Scale, plane},
    gathered::{JobsPage, Row},
    page::{Body, DASHED, Figure, Key, LINE},
};
use crate::report::{
    numbers::{significant, when},
    table::{Table, exact, text},
};

/// Colours of the most frequent variables of a path; the others are grey.
const COLORS: [&str; 6] = [
    "var(--a)", "var(--c)", "var(--d)", "var(--e)", "var(--f)", "var(--g)",
];

const FOLLOWED: usize = 40;

/// Options whose numbers are names.
const NAMES: [&str; 6] = ["response", "keep", "drop", "factor", "weights", "plugins"];

const PATHS: usize = 6;

/// Splits a text that ends in a number: what stands before the number, and the number.
fn setting(text: &str) -> Option<(&str, f64)> {
    let end = text.rfind(['=', ':']).map_or(0, |at| at + 1);
    let value: f64 = text[end..].parse().ok()?;
    value.is_finite().then_some((&text[..end], value))
}

/// A value of the setting, and its job.
type Step<'a> = (f64, &'a Row);

/// Draws how often variables were chosen, by a setting in which jobs of stability selection differ.
pub(super) fn paths(body: &mut Body, jobs: &JobsPage) {
    let stable = || jobs.rows.iter().filter(|row| !row.frequencies.is_empty());
    let mut drawn = 0;
    let is_setting = |at: &usize| !NAMES.contains(&jobs.options[*at].as_str());
    for at in jobs.differing(false).into_iter().filter(is_setting) {
        // Jobs that differ in this alone are a path.
        let mut lines: BTreeMap<(Vec<&str>, &str), Vec<Step>> = BTreeMap::new();
        for row in stable() {
            let Some((stem, value)) = setting(&row.job.options[at]) else {
                continue;
            };
            let others = row.job.options.iter().enumerate();
            let others = others.filter(|(other, _)| *other != at);
            let mut others: Vec<&str> = others.map(|(_, value)| value.as_str()).collect();
            others.push(&row.job.data);
            lines.entry((others, stem)).or_default().push((value, row));
        }
        for ((others, stem), mut steps) in lines {
            steps.sort_by(|a, b| a.0.total_cmp(&b.0));
            steps.dedup_by(|a, b| a.0 == b.0);
            if steps.len() < 2 {
                continue;
            }
            if drawn == 0 {
                body.section("Stability paths");
            }
            drawn += 1;
            if drawn > PATHS {
                body.text("More paths are in the results of the jobs.");
                return;
            }
            let data = others.last().copied().unwrap_or_default();
            let label = format!("{} {stem}", jobs.options[at]);
            let label = label.trim_end_matches([' ', '=', ':']);
            path(body, jobs, &steps, label, data);
        }
    }
}

fn path(body: &mut Body, jobs: &JobsPage, steps: &[Step], label: &str, data: &str) {
    let mut highest: BTreeMap<u32, f64> = BTreeMap::new();
    for (name, frequency) in steps.iter().flat_map(|step| &step.1.frequencies) {
        let highest = highest.entry(*name).or_default();
        *highest = highest.max(*frequency);
    }
    let mut order: Vec<(u32, f64)> = highest.into_iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    let all = order.len();
    order.truncate(FOLLOWED);
    let frequency = |row: &Row, name: u32| {
        let own = row.frequencies.iter().find(|own| own.0 == name);
        // A variable without one was never chosen there.
        own.map_or(0.0, |own| own.1)
    };
    let lines = order.iter().map(|(name, _)| {
        let points = steps
            .iter()
            .map(|(value, row)| (*value, frequency(row, *name)));
        (jobs.names.name(*name), points.collect())
    });
    let lines: Vec<(&str, Points)> = lines.collect();
    let drawn = lines.iter().enumerate().rev();
    let drawn = drawn.map(|(at, line)| match COLORS.get(at) {
        Some(color) => Mark::line(line.1.clone(), color, 2.0),
        None => Mark::line(line.1.clone(), "var(--thin)", 1.0),
    });
    let mut marks: Vec<Mark> = drawn.collect();
    let named = lines.iter().zip(COLORS);
    let named = named.map(|(line, color)| (color, LINE, line.0.to_owned()));
    let mut legend: Vec<Key> = named.collect();
    let cutoffs = steps.iter().map(|step| Some((step.0, step.1.cutoff?)));
    let cutoffs: Vec<_> = cutoffs.collect();
    let bound: Points = cutoffs.iter().flatten().copied().collect();
    if !bound.is_empty() {
        legend.push(("var(--b)", DASHED, "cut-off of the bound".to_owned()));
        // Between settings one of which has none, the line is not drawn.
        marks.extend(cutoffs.split(Option::is_none).map(|part| {
            let points = part.iter().flatten().copied().collect();
            Mark {
                dashed: true,
                ..Mark::line(points, "var(--b)", 2.5)
            }
        }));
        marks.push(Mark::dots(bound.clone(), "var(--b)", 3.0));
    }
    let bound = ("cut-off", bound);
    let rows = lines.iter().chain([&bound]);
    let rows = rows.flat_map(|(name, points)| points.iter().map(move |point| (*name, *point)));
    let rows: Vec<(&str, (f64, f64))> = rows.collect();
    let (from, to) = (steps[0].0, steps[steps.len() - 1].0);
    body.figure(Figure {
        title: format!("Frequencies by {label}"),
        alt: format!(
            "Stability paths of {} variables of {data} by {label} from {} to {}, the most frequent {}",
            order.len(),
            significant(from, 4),
            significant(to, 4),
            lines.first().map_or("", |line| line.0)
        ),
        caption: format!(
            "{data}: the share of resamples that chose each variable, and from where on the bound \
             takes it.{}{}",
            when(order.len() > COLORS.len(), " The others are grey."),
            when(all > order.len(), &format!(" The {} most frequent of {all}.", order.len()))
        ),
        legend,
        svg: plane(marks, (label, Scale::Points), ("frequency", Scale::Between(0.0, 1.04))),
        data: Table::of(&rows)
            .column("variable", |row| text(row.0))
            .column("setting", |row| exact(row.1.0))
            .column("frequency", |row| exact(row.1.1))
            .data(rows.len()),
        ..Figure::default()
    });
}

#[cfg(test)]
mod tests {
    use super::setting;

    #[test]
    fn a_setting_ends_in_a_number() {
        for (text, split) in [
            ("ebic:gamma=0.5", Some(("ebic:gamma=", 0.5))),
            ("10", Some(("", 10.0))),
            ("1e-3", Some(("", 1e-3))),
            ("ebic", None),
            ("", None),
            ("relieff", None),
            ("x17", None),
            ("top:3", Some(("top:", 3.0))),
        ] {
            assert_eq!(setting(text), split, "{text}");
        }
    }
}
