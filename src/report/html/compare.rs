//! Jobs side by side: what methods find of the truth, and how far they agree.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    draw::forest,
    finite, first_of,
    gathered::{FDR, JobsPage, K, NUMBERS, PSR, Row},
    maps::heat,
    page::{Body, Figure},
};
use crate::{
    family::student_t_quantile,
    report::{
        numbers::{listed, when},
        table::{Table, count, exact, number, text},
    },
};

/// Settings side by side in a figure.
const COMPARED: usize = 24;

/// Jobs of one setting: whatever differs but data and seed, as `method=jmi top=10`.
#[derive(Default)]
pub(super) struct Group<'a> {
    label: String,
    values: Vec<&'a str>,
    rows: Vec<&'a Row>,
}

impl<'a> Group<'a> {
    fn data_sets(&self) -> BTreeSet<&'a str> {
        self.rows.iter().map(|row| &*row.job.data).collect()
    }
}

/// The settings of the jobs that are done and choose variables.
pub(super) fn groups(jobs: &JobsPage) -> Vec<Group<'_>> {
    let options = jobs.differing(false);
    let mut groups: Vec<Group> = Vec::new();
    let mut places: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    // All pairs choose nothing.
    let choosing = |row: &&Row| row.job.status == "done" && row.numbers[K].is_some();
    for row in jobs.rows.iter().filter(choosing) {
        let values = options.iter().map(|at| row.job.options[*at].as_str());
        let values: Vec<&str> = values.collect();
        let place = *places.entry(values.clone()).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Group {
                values,
                ..Group::default()
            });
        }
        groups[place].rows.push(row);
    }
    // The first options that tell them apart are enough.
    let label = |group: &Group, places: &[usize]| {
        let values = places.iter().map(|at| (options[*at], group.values[*at]));
        let values = values.filter(|(_, value)| !value.is_empty());
        let values = values.map(|(at, value)| match jobs.options[at].as_str() {
            "command" | "method" | "criterion" | "binning" => value.to_owned(),
            name => format!("{name}={value}"),
        });
        match values.collect::<Vec<_>>().join(" ") {
            label if label.is_empty() => "without".to_owned(),
            label => label,
        }
    };
    let mut telling = Vec::new();
    let mut labels = vec!["all".to_owned(); groups.len()];
    for place in 0..options.len() {
        let more: Vec<usize> = telling.iter().copied().chain([place]).collect();
        let longer: Vec<String> = groups.iter().map(|group| label(group, &more)).collect();
        let distinct = |all: &[String]| all.iter().collect::<BTreeSet<_>>().len();
        if distinct(&longer) > distinct(&labels) {
            (telling, labels) = (more, longer);
        }
    }
    for (group, label) in groups.iter_mut().zip(labels) {
        group.label = label;
    }
    groups
}

/// A mean over data sets, in each of which seeds were averaged first: they are no sample of
/// anything but the search.
struct Mean {
    mean: f64,
    /// The standard error, with at least two data sets.
    error: Option<f64>,
    /// Half of the 95 % interval, by Student's t.
    half: Option<f64>,
}

fn mean(rows: &[&Row], at: usize) -> Option<Mean> {
    let mut sets: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for row in rows {
        if let Some(value) = row.numbers[at] {
            sets.entry(&row.job.data).or_default().push(value);
        }
    }
    let average = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let values: Vec<f64> = sets.values().map(|set| average(set)).collect();
    let n = values.len() as f64;
    if values.is_empty() {
        return None;
    }
    let mean = average(&values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let error = (n > 1.0).then(|| (squares / (n - 1.0) / n).sqrt());
    let half = error.map(|error| error * student_t_quantile(0.95, n - 1.0));
    Some(Mean { mean, error, half })
}

/// Settings side by side, over data and seeds.
pub(super) fn comparison(body: &mut Body, groups: &[Group]) {
    let done: usize = groups.iter().map(|group| group.rows.len()).sum();
    if done < 2 {
        return;
    }
    let with_truth = groups.iter().any(|group| mean(&group.rows, PSR).is_some());
    body.section("Comparison");
    body.text("Means over data sets; in each of them seeds are averaged first.");
    let sets: Vec<BTreeSet<&str>> = groups.iter().map(Group::data_sets).collect();
    if sets.windows(2).any(|pair| pair[0] != pair[1]) {
        let why = "their means do not compare as they are";
        body.text(&format!(
            "Not all settings were run on the same data: {why}."
        ));
    }
    let of = |group: &Group, at| mean(&group.rows, at);
    let mut table = Table::of(groups)
        .column("setting", |own| text(&own.label))
        .column("data sets", |own| count(own.data_sets().len()))
        .column("jobs", |own| count(own.rows.len()))
        .column("mean k", |own| number(of(own, K).map(|k| k.mean), 4));
    if with_truth {
        let title = "Positive selection rate";
        let caption = "The share of the true variables that was found: 1 is best.";
        rates(body, groups, PSR, title, caption);
        let title = "False discovery rate";
        let caption = "The share of the chosen variables that is not true, 0 where none was chosen: 0 is best.";
        rates(body, groups, FDR, title, caption);
        for at in [PSR, FDR] {
            table = table
                .column(NUMBERS[at], move |own| {
                    number(of(own, at).map(|rate| rate.mean), 4)
                })
                .column(format!("s.e. of {}", NUMBERS[at]), move |own| {
                    number(of(own, at).and_then(|rate| rate.error), 2)
                });
        }
    }
    let caption = "s.e.: over data sets, where there are two.";
    body.table("Settings compared", caption, &table, groups.len());
}

fn rates(body: &mut Body, groups: &[Group], at: usize, title: &str, caption: &str) {
    let rows = groups.iter().filter_map(|group| {
        let Mean { mean, half, .. } = mean(&group.rows, at)?;
        let half = half.unwrap_or(0.0);
        let ends = [mean - half, mean + half].map(|end| end.clamp(0.0, 1.0));
        Some((group.label.as_str(), mean, ends[0], ends[1]))
    });
    let rows: Vec<(&str, f64, f64, f64)> = rows.take(COMPARED).collect();
    let first = rows.iter().take(6);
    let first = listed(first.map(|row| format!("{} {:.3}", row.0, row.1)));
    let how = "With 95 % intervals over data sets, where there are two.";
    let more = first_of(rows.len(), groups.len(), " settings");
    body.figure(Figure {
        title: title.to_owned(),
        alt: format!("{title} by setting: {first}"),
        caption: format!("{caption} {how}{more}"),
        svg: forest(&rows, title, Some((0.0, 1.0))),
        data: Table::of(&rows)
            .column("setting", |row| text(row.0))
            .column("mean", |row| exact(row.1))
            .column("lower", |row| exact(row.2))
            .column("upper", |row| exact(row.3))
            .data(COMPARED),
        ..Figure::default()
    });
}

/// |A∩B| / |A∪B|; 1 where both are empty.
fn overlap(a: &BTreeSet<u32>, b: &BTreeSet<u32>) -> f64 {
    match a.union(b).count() {
        0 => 1.0,
        joined => a.intersection(b).count() as f64 / joined as f64,
    }
}

/// The overlap of what settings chose from the same data with the same seed.
pub(super) fn agreement(body: &mut Body, jobs: &JobsPage, mut groups: Vec<Group>) {
    groups.retain(|group| group.rows.iter().any(|row| row.chosen.is_some()));
    let all = groups.len();
    groups.truncate(COMPARED);
    if groups.len() < 2 {
        return;
    }
    let seed = jobs.place("seed");
    // Dummies of one factor are one column; columns are counted without the weights, which not all
    // jobs may have.
    let by_column = jobs.place("weights").is_none();
    let by_problem = |group: &Group| -> BTreeMap<(String, String), BTreeSet<u32>> {
        let problem = |row: &&Row| {
            let seed = seed.map_or_else(String::new, |at| row.job.options[at].clone());
            let chosen = if by_column { &row.columns } else { &row.chosen };
            Some(((row.job.data.clone(), seed), chosen.clone()?))
        };
        group.rows.iter().filter_map(problem).collect()
    };
    let chosen: Vec<_> = groups.iter().map(by_problem).collect();
    let share = |a: usize, b: usize| -> f64 {
        let both = chosen[a].iter();
        let both = both.filter_map(|(problem, own)| Some((own, chosen[b].get(problem)?)));
        let shares: Vec<f64> = both.map(|(own, other)| overlap(own, other)).collect();
        // Without a problem in common nothing is known.
        shares.iter().sum::<f64>() / shares.len() as f64
    };
    let names: Vec<String> = groups.iter().map(|group| group.label.clone()).collect();
    let all_of = 0..names.len();
    let row = |a| all_of.clone().map(|b| share(a, b)).collect();
    let cells: Vec<Vec<f64>> = all_of.clone().map(row).collect();
    let unknown = cells.iter().flatten().any(|share| !share.is_finite());
    let rows = all_of.clone();
    let data = rows.flat_map(|a| all_of.clone().map(move |b| (a, b)));
    let apart = data.clone().filter(|(a, b)| b < a);
    let apart = apart.filter(|(a, b)| cells[*a][*b].is_finite());
    let apart = apart.min_by(|x, y| cells[x.0][x.1].total_cmp(&cells[y.0][y.1]));
    let apart = apart.map_or_else(String::new, |(a, b)| {
        let (first, second, share) = (&names[b], &names[a], cells[a][b]);
        format!(": {first} and {second} agree least, {share:.2}")
    });
    body.section("Agreement");
    body.figure(Figure {
        title: "Agreement between settings".to_owned(),
        alt: format!("Heat map of the agreement of {} settings{apart}", names.len()),
        caption: format!(
            "Of what two settings chose from the same data with the same seed, the share that both chose: \
             |A∩B| / |A∪B|, the mean over data and seeds; 1 where both chose nothing. The dummies of a \
             factor are one variable.{}{}",
            when(unknown, " An empty cell: no data in common."),
            first_of(names.len(), all, "")
        ),
        svg: heat(&names, &cells, !unknown && names.len() <= 5, Some((0.0, 1.0))),
        data: Table::of(data)
            .column("setting", |(a, _)| text(&names[*a]))
            .column("other", |(_, b)| text(&names[*b]))
            .column("agreement", |(a, b)| exact(finite(cells[*a][*b])))
            .data(COMPARED * COMPARED),
        heat: true,
        ..Figure::default()
    });
}
