//! Jobs side by side: what methods find of the truth, and how far they agree.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    draw::forest,
    gathered::{FDR, JobsPage, K, PSR, Row},
    maps::heat,
    page::{Cell, Data, Figure, Page, Table, raw},
};
use crate::selection::student_t_quantile;

/// Settings side by side in a figure.
const COMPARED: usize = 24;

/// Jobs of one setting: whatever differs but data and seed, as `method=jmi top=10`.
pub(super) struct Group<'a> {
    label: String,
    values: Vec<&'a str>,
    rows: Vec<&'a Row>,
}

impl<'a> Group<'a> {
    /// Its data sets.
    fn sets(&self) -> BTreeSet<&'a str> {
        self.rows.iter().map(|it| &*it.job.data).collect()
    }
}

/// Of jobs that are done and choose.
pub(super) fn groups(jobs: &JobsPage) -> Vec<Group<'_>> {
    let options = jobs.differing(false);
    let mut groups: Vec<Group> = Vec::new();
    let mut places: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    // All pairs choose nothing.
    let choosing = |it: &&Row| it.job.status == "done" && it.numbers[K].is_some();
    for row in jobs.rows.iter().filter(choosing) {
        let values: Vec<&str> = options
            .iter()
            .map(|at| row.job.options[*at].as_str())
            .collect();
        let place = *places.entry(values.clone()).or_insert_with(|| {
            groups.push(Group {
                label: String::new(),
                values,
                rows: Vec::new(),
            });
            groups.len() - 1
        });
        groups[place].rows.push(row);
    }
    // The first options that tell them apart are enough.
    let label = |group: &Group, places: &[usize]| {
        let told = places
            .iter()
            .map(|place| (options[*place], group.values[*place]));
        let told = told.filter(|it| !it.1.is_empty());
        let told = told.map(|(at, value)| match jobs.options[at].as_str() {
            "command" | "method" | "criterion" | "binning" => value.to_owned(),
            name => format!("{name}={value}"),
        });
        match told.collect::<Vec<_>>().join(" ") {
            label if label.is_empty() => "without".to_owned(),
            label => label,
        }
    };
    let mut telling = Vec::new();
    let mut labels = vec!["all".to_owned(); groups.len()];
    for place in 0..options.len() {
        let more: Vec<usize> = telling.iter().copied().chain([place]).collect();
        let told: Vec<String> = groups.iter().map(|it| label(it, &more)).collect();
        let distinct = |all: &[String]| all.iter().collect::<BTreeSet<_>>().len();
        if distinct(&told) > distinct(&labels) {
            (telling, labels) = (more, told);
        }
    }
    groups
        .iter_mut()
        .zip(labels)
        .for_each(|(it, label)| it.label = label);
    groups
}

/// A mean over data sets, in each of which seeds were averaged first: they are no sample of
/// anything but the search.
struct Mean {
    mean: f64,
    /// Its standard error, where there are two data sets.
    error: Option<f64>,
    /// Half of its 95 % interval, by Student's t.
    half: Option<f64>,
}

/// Of what is known.
fn mean(rows: &[&Row], at: usize) -> Option<Mean> {
    let mut sets: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for row in rows {
        if let Some(value) = row.numbers[at] {
            sets.entry(&row.job.data).or_default().push(value);
        }
    }
    let average = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let values: Vec<f64> = sets.values().map(|it| average(it)).collect();
    let n = values.len() as f64;
    if values.is_empty() {
        return None;
    }
    let mean = average(&values);
    let squares: f64 = values.iter().map(|it| (it - mean).powi(2)).sum();
    let error = (n > 1.0).then(|| (squares / (n - 1.0) / n).sqrt());
    let half = error.map(|it| it * student_t_quantile(0.95, n - 1.0));
    Some(Mean { mean, error, half })
}

/// Settings side by side, over data and seeds.
pub(super) fn comparison(page: &mut Page, groups: &[Group]) {
    let done: usize = groups.iter().map(|it| it.rows.len()).sum();
    if done < 2 {
        return;
    }
    let with_truth = groups.iter().any(|it| mean(&it.rows, PSR).is_some());
    page.section("Comparison");
    page.text("Means over data sets; in each of them seeds are averaged first.");
    let sets: Vec<BTreeSet<&str>> = groups.iter().map(Group::sets).collect();
    if sets.windows(2).any(|it| it[0] != it[1]) {
        page.text(
            "Not all settings were run on the same data: their means do not compare as they are.",
        );
    }
    if with_truth {
        for (at, title, caption) in [
            (
                PSR,
                "Positive selection rate",
                "The share of the true variables that was found: 1 is best.",
            ),
            (
                FDR,
                "False discovery rate",
                "The share of the chosen variables that is not true, 0 where none was chosen: 0 is best.",
            ),
        ] {
            rates(page, groups, at, title, caption);
        }
    }
    let mut names = ["setting", "data sets", "jobs", "mean k"]
        .map(str::to_owned)
        .to_vec();
    if with_truth {
        names.extend(["PSR", "s.e. of PSR", "FDR", "s.e. of FDR"].map(str::to_owned));
    }
    let rows = groups.iter().zip(&sets).map(|(it, sets)| {
        let mut row = vec![Cell::text(&it.label), Cell::count(sets.len())];
        row.push(Cell::count(it.rows.len()));
        row.push(Cell::number(mean(&it.rows, K).map(|it| it.mean), 4));
        for at in [PSR, FDR].into_iter().filter(|_| with_truth) {
            let rate = mean(&it.rows, at);
            row.push(Cell::number(rate.as_ref().map(|it| it.mean), 4));
            row.push(Cell::number(rate.and_then(|it| it.error), 2));
        }
        row
    });
    page.table(&Table {
        title: "Settings compared",
        caption: "s.e.: over data sets, where there are two.",
        names,
        rows: rows.collect(),
        of: groups.len(),
    });
}

fn rates(page: &mut Page, groups: &[Group], at: usize, title: &str, caption: &str) {
    let rows = groups.iter().filter_map(|it| {
        let Mean { mean, half, .. } = mean(&it.rows, at)?;
        let half = half.unwrap_or(0.0);
        let ends = [mean - half, mean + half].map(|it| it.clamp(0.0, 1.0));
        Some((it.label.as_str(), mean, ends[0], ends[1]))
    });
    let rows: Vec<(&str, f64, f64, f64)> = rows.take(COMPARED).collect();
    let told: Vec<String> = rows
        .iter()
        .take(6)
        .map(|it| format!("{} {:.3}", it.0, it.1))
        .collect();
    let data = rows.iter().map(|it| {
        let numbers = [it.1, it.2, it.3].map(raw);
        [it.0.to_owned()].into_iter().chain(numbers).collect()
    });
    page.figure(&Figure {
        title: title.to_owned(),
        alt: format!("{title} by setting: {}", told.join(", ")),
        caption: format!(
            "{caption} With 95 % intervals over data sets, where there are two.{}",
            match groups.len() > rows.len() {
                true => format!(" The first {} of {} settings.", rows.len(), groups.len()),
                false => String::new(),
            }
        ),
        legend: Vec::new(),
        svg: forest(&rows, title, Some((0.0, 1.0))),
        data: Data::of(&["setting", "mean", "lower", "upper"], data),
        heat: false,
    });
}

/// |A∩B| / |A∪B| of what settings chose from the same data with the same seed.
pub(super) fn agreement(page: &mut Page, jobs: &JobsPage, mut groups: Vec<Group>) {
    groups.retain(|it| it.rows.iter().any(|row| row.chosen.is_some()));
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
        let both = chosen[a]
            .iter()
            .filter_map(|(problem, own)| Some((own, chosen[b].get(problem)?)));
        let shares = both.map(|(own, other)| {
            let joined = own.union(other).count();
            match joined {
                0 => 1.0,
                _ => own.intersection(other).count() as f64 / joined as f64,
            }
        });
        let shares: Vec<f64> = shares.collect();
        // Without a problem in common nothing is known.
        shares.iter().sum::<f64>() / shares.len() as f64
    };
    let cells: Vec<Vec<f64>> = (0..groups.len())
        .map(|a| (0..groups.len()).map(|b| share(a, b)).collect())
        .collect();
    let names: Vec<String> = groups.iter().map(|it| it.label.clone()).collect();
    let unknown = cells.iter().flatten().any(|it| !it.is_finite());
    let data = (0..names.len()).flat_map(|a| (0..names.len()).map(move |b| (a, b)));
    let data = data.map(|(a, b)| {
        let share = cells[a][b];
        let share = if share.is_finite() {
            raw(share)
        } else {
            String::new()
        };
        vec![names[a].clone(), names[b].clone(), share]
    });
    let data = Data::of(&["setting", "other", "agreement"], data);
    let apart = (0..names.len())
        .flat_map(|a| (0..a).map(move |b| (a, b)))
        .filter(|it| cells[it.0][it.1].is_finite())
        .min_by(|x, y| cells[x.0][x.1].total_cmp(&cells[y.0][y.1]));
    let apart = apart.map_or_else(String::new, |(a, b)| {
        format!(
            ": {} and {} agree least, {:.2}",
            names[b], names[a], cells[a][b]
        )
    });
    page.section("Agreement");
    page.figure(&Figure {
        title: "Agreement between settings".to_owned(),
        alt: format!("Heat map of the agreement of {} settings{apart}", names.len()),
        caption: format!(
            "Of what two settings chose from the same data with the same seed, the share that both chose: \
             |A∩B| / |A∪B|, the mean over data and seeds; 1 where both chose nothing. The dummies of a \
             factor are one variable.{}{}",
            match unknown {
                true => " An empty cell: no data in common.",
                false => "",
            },
            match all > names.len() {
                true => format!(" The first {} of {all}.", names.len()),
                false => String::new(),
            }
        ),
        legend: Vec::new(),
        svg: heat(&names, &cells, !unknown && names.len() <= 5, Some((0.0, 1.0))),
        data,
        heat: true,
    });
}
