//! Jobs side by side: what methods find of the truth, and how far they agree.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    draw::{forest, heat},
    gathered::{FDR, Jobs, K, PSR, Row},
    page::{Cell, Data, Figure, Page, Table, raw},
};

/// Settings side by side in a figure.
const COMPARED: usize = 24;

/// Jobs of one setting: whatever differs but data and seed, as `method=jmi top=10`.
struct Group<'a> {
    label: String,
    values: Vec<&'a str>,
    rows: Vec<&'a Row>,
}

fn groups(jobs: &Jobs) -> (Vec<usize>, Vec<Group<'_>>) {
    let options = jobs.differing(false);
    let mut groups: Vec<Group> = Vec::new();
    let mut places: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    for row in jobs.rows.iter().filter(|it| it.job.status == "done") {
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
        let told =
            told.filter(|it| !it.1.is_empty())
                .map(|(at, value)| match value.parse::<f64>() {
                    Ok(_) => format!("{}={value}", jobs.options[at]),
                    Err(_) => value.to_owned(),
                });
        told.collect::<Vec<_>>().join(" ")
    };
    let mut telling = Vec::new();
    let mut labels = vec![String::new(); groups.len()];
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
    (options, groups)
}

/// Mean and its standard error, of what is known.
fn mean(rows: &[&Row], at: usize) -> Option<(f64, f64)> {
    let values: Vec<f64> = rows.iter().filter_map(|it| it.numbers[at]).collect();
    let n = values.len() as f64;
    if values.is_empty() {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|it| (it - mean).powi(2)).sum();
    let error = if n > 1.0 {
        (squares / (n - 1.0) / n).sqrt()
    } else {
        0.0
    };
    Some((mean, error))
}

/// Settings side by side, over data and seeds.
pub(super) fn comparison(page: &mut Page, jobs: &Jobs) {
    let (options, groups) = groups(jobs);
    let done: usize = groups.iter().map(|it| it.rows.len()).sum();
    if done < 2 {
        return;
    }
    let with_truth = groups.iter().any(|it| mean(&it.rows, PSR).is_some());
    page.section("Comparison");
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
                "The share of the chosen variables that is not true: 0 is best.",
            ),
        ] {
            rates(page, &groups, at, title, caption);
        }
    }
    let mut names = ["setting", "jobs", "mean k"].map(str::to_owned).to_vec();
    if with_truth {
        names.extend(["PSR", "± s.e.", "FDR", "± s.e."].map(str::to_owned));
    }
    names.extend(options.iter().map(|at| jobs.options[*at].clone()));
    let rows = groups.iter().map(|it| {
        let mut row = vec![Cell::text(&it.label), Cell::count(it.rows.len())];
        row.push(Cell::number(mean(&it.rows, K).map(|it| it.0), 4));
        for at in [PSR, FDR].into_iter().filter(|_| with_truth) {
            let rate = mean(&it.rows, at);
            row.push(Cell::number(rate.map(|it| it.0), 4));
            row.push(Cell::number(rate.map(|it| it.1), 2));
        }
        row.extend(it.values.iter().map(|value| Cell::text(*value)));
        row
    });
    page.table(&Table {
        title: "Settings compared",
        caption: "Means over data and seeds.",
        names,
        rows: rows.collect(),
        of: groups.len(),
    });
}

fn rates(page: &mut Page, groups: &[Group], at: usize, title: &str, caption: &str) {
    let rows = groups.iter().filter_map(|it| {
        let (mean, error) = mean(&it.rows, at)?;
        let label = if it.label.is_empty() {
            "all jobs"
        } else {
            &it.label
        };
        let ends = [mean - 1.96 * error, mean + 1.96 * error].map(|it| it.clamp(0.0, 1.0));
        Some((label, mean, ends[0], ends[1]))
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
            "{caption} Means over data and seeds, with 1.96 standard errors.{}",
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
pub(super) fn agreement(page: &mut Page, jobs: &Jobs) {
    let (_, mut groups) = groups(jobs);
    groups.retain(|it| it.rows.iter().any(|row| row.chosen.is_some()));
    let all = groups.len();
    groups.truncate(COMPARED);
    if groups.len() < 2 {
        return;
    }
    let seed = jobs.options.iter().position(|it| it == "seed");
    let by_problem = |group: &Group| -> BTreeMap<(String, String), BTreeSet<u32>> {
        let problem = |row: &&Row| {
            let seed = seed.map_or_else(String::new, |at| row.job.options[at].clone());
            Some(((row.job.data.clone(), seed), row.chosen.clone()?))
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
             |A∩B| / |A∪B|, the mean over data and seeds.{}",
            match all > names.len() {
                true => format!(" The first {} of {all}.", names.len()),
                false => String::new(),
            }
        ),
        legend: Vec::new(),
        svg: heat(&names, &cells, names.len() <= 9),
        data,
        heat: true,
    });
}
