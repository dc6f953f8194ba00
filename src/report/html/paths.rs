//! Stability paths: how frequencies move with a setting.

use std::collections::BTreeMap;

use super::{
    draw::{Axis, Mark, plane},
    gathered::{JobsPage, Row},
    page::{Data, Figure, Key, Page, Shape, raw},
};
use crate::report::text::significant;

/// Variables with a colour in a path, those drawn, and figures of paths.
const COLORS: [&str; 6] = [
    "var(--a)", "var(--c)", "var(--d)", "var(--e)", "var(--f)", "var(--g)",
];
const FOLLOWED: usize = 40;

/// Options whose numbers are names.
const NAMES: [&str; 6] = ["response", "keep", "drop", "factor", "weights", "plugins"];
const PATHS: usize = 6;

/// A text that ends in a number: what stands before it, and the number.
fn setting(text: &str) -> Option<(&str, f64)> {
    let end = text.rfind(['=', ':']).map_or(0, |it| it + 1);
    let value: f64 = text[end..].parse().ok()?;
    value.is_finite().then_some((&text[..end], value))
}

/// A value of the setting, and its job.
type Step<'a> = (f64, &'a Row);

/// How often variables were chosen, by a setting that jobs of stability selection differ in.
pub(super) fn paths(page: &mut Page, jobs: &JobsPage) {
    let stable: Vec<&Row> = jobs
        .rows
        .iter()
        .filter(|it| !it.frequencies.is_empty())
        .collect();
    let mut drawn = 0;
    let names = |at: &usize| !NAMES.contains(&jobs.options[*at].as_str());
    for at in jobs.differing(false).into_iter().filter(names) {
        // Jobs that differ in this alone are a path.
        let mut together: BTreeMap<(Vec<&str>, &str), Vec<Step>> = BTreeMap::new();
        for row in &stable {
            let Some((stem, value)) = setting(&row.job.options[at]) else {
                continue;
            };
            let others = row.job.options.iter().enumerate().filter(|it| it.0 != at);
            let mut others: Vec<&str> = others.map(|it| it.1.as_str()).collect();
            others.push(&row.job.data);
            together
                .entry((others, stem))
                .or_default()
                .push((value, row));
        }
        for ((others, stem), mut steps) in together {
            steps.sort_by(|a, b| a.0.total_cmp(&b.0));
            steps.dedup_by(|a, b| a.0 == b.0);
            if steps.len() < 2 {
                continue;
            }
            if drawn == 0 {
                page.section("Stability paths");
            }
            drawn += 1;
            if drawn > PATHS {
                page.text("More paths are in the results of the jobs.");
                return;
            }
            let data = others.last().copied().unwrap_or_default();
            let label = match stem {
                "" => jobs.options[at].clone(),
                stem => format!("{} {stem}", jobs.options[at])
                    .trim_end_matches(['=', ':'])
                    .to_owned(),
            };
            path(page, jobs, &steps, &label, data);
        }
    }
}

fn path(page: &mut Page, jobs: &JobsPage, steps: &[Step], label: &str, data: &str) {
    let mut most: BTreeMap<u32, f64> = BTreeMap::new();
    for (name, frequency) in steps.iter().flat_map(|it| &it.1.frequencies) {
        let most = most.entry(*name).or_default();
        *most = most.max(*frequency);
    }
    let mut order: Vec<(u32, f64)> = most.into_iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    let all = order.len();
    order.truncate(FOLLOWED);
    let frequency = |row: &Row, name: u32| {
        let own = row.frequencies.iter().find(|it| it.0 == name);
        // It was never chosen there.
        own.map_or(0.0, |it| it.1)
    };
    let mut marks = Vec::new();
    let mut legend = Vec::new();
    let mut rows = Vec::new();
    for (at, (number, _)) in order.iter().enumerate().rev() {
        let points: Vec<(f64, f64)> = steps
            .iter()
            .map(|(value, row)| (*value, frequency(row, *number)))
            .collect();
        let name = jobs.names.name(*number);
        let own = points
            .iter()
            .map(|it| vec![name.to_owned(), raw(it.0), raw(it.1)]);
        rows.extend(own.collect::<Vec<_>>().into_iter().rev());
        match COLORS.get(at) {
            Some(color) => {
                legend.push(Key::new(color, Shape::Line, name));
                marks.push(Mark::line(points, color, 2.0));
            }
            None => marks.push(Mark::line(points, "var(--thin)", 1.0)),
        }
    }
    legend.reverse();
    rows.reverse();
    let bound = steps.iter().filter_map(|it| Some((it.0, it.1.cutoff?)));
    let bound: Vec<(f64, f64)> = bound.collect();
    rows.extend(
        bound
            .iter()
            .map(|it| vec!["cut-off".to_owned(), raw(it.0), raw(it.1)]),
    );
    if !bound.is_empty() {
        legend.push(Key::new("var(--b)", Shape::Dashed, "cut-off of the bound"));
        // Where there is none between two, the line is not drawn on.
        let steps = steps.iter().map(|it| Some((it.0, it.1.cutoff?)));
        let steps: Vec<Option<(f64, f64)>> = steps.collect();
        marks.extend(steps.split(Option::is_none).map(|part| Mark::Line {
            points: part.iter().flatten().copied().collect(),
            color: "var(--b)",
            width: 2.5,
            dashed: true,
            step: false,
        }));
        marks.push(Mark::dots(bound, "var(--b)", 3.0));
    }
    let (from, to) = (steps[0].0, steps[steps.len() - 1].0);
    let first = order.first().map_or("", |it| jobs.names.name(it.0));
    page.figure(&Figure {
        title: format!("Frequencies by {label}"),
        alt: format!(
            "Stability paths of {} variables of {data} by {label} from {} to {}, the most frequent {first}",
            order.len(),
            significant(from, 4),
            significant(to, 4)
        ),
        caption: format!(
            "{data}: the share of resamples that chose each variable, and from where on the bound \
             takes it.{}{}",
            match order.len() > COLORS.len() {
                true => " The others are grey.",
                false => "",
            },
            match all > order.len() {
                true => format!(" The {} most frequent of {all}.", order.len()),
                false => String::new(),
            }
        ),
        legend,
        svg: plane(marks, Axis::of(label), Axis::of("frequency").between(0.0, 1.04)),
        data: Data::of(&["variable", "setting", "frequency"], rows.into_iter()),
        heat: false,
    });
}

#[cfg(test)]
mod tests {
    use super::setting;

    #[test]
    fn a_setting_ends_in_a_number() {
        for (text, told) in [
            ("ebic:gamma=0.5", Some(("ebic:gamma=", 0.5))),
            ("10", Some(("", 10.0))),
            ("1e-3", Some(("", 1e-3))),
            ("ebic", None),
            ("", None),
            ("relieff", None),
            ("x17", None),
            ("top:3", Some(("top:", 3.0))),
        ] {
            assert_eq!(setting(text), told, "{text}");
        }
    }
}
