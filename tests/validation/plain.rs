//! Selectors that rank, judged by a plain model of what they chose: held against a script that ranks, fits and predicts fold by
//! fold, and against the nearest rows by their definition.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{Data, counts, json, numbers, others_than, support::Folder, validate, value};

const ROWS: usize = 72;

/// A validation of a ranking.
struct Judged {
    folder: Folder,
    data: Data,
    rank: Vec<String>,
    report: Value,
}

fn judged(response: &str, then: &str, more: &[&str]) -> Judged {
    let folder = Folder::new();
    let data = Data::of(ROWS, 5);
    data.write_all(&folder);
    let rank = ["--response", response, "--method", "jmi", "--top", "3"];
    let rank = [&rank[..], &["--binning", "equal-frequency:3"], more].concat();
    let judge = ["--then", then, "--scheme", "folds:k=4"];
    let report = validate(&folder, &[&rank[..], &judge].concat());
    let rank = rank.into_iter().map(str::to_owned).collect();
    Judged {
        folder,
        data,
        rank,
        report,
    }
}

impl Judged {
    /// The text of a row, counted from 1, in a column.
    fn cell(&self, names: &[&str], name: &str, row: usize) -> &str {
        let at = names.iter().position(|own| *own == name).unwrap();
        self.data.lines[row - 1].split(',').nth(at).unwrap()
    }

    /// The training rows and the others of each split, with the places of the latter among those judged.
    fn splits(&self) -> Vec<(Vec<usize>, Vec<usize>, Vec<usize>)> {
        let held_out = &self.report["held_out"];
        let (rows, splits) = (counts(&held_out["row"]), counts(&held_out["split"]));
        assert_eq!(rows.iter().collect::<BTreeSet<_>>().len(), ROWS);
        let of = |split: usize| {
            let places = (0..ROWS).filter(|at| splits[*at] == split);
            let places: Vec<usize> = places.collect();
            let test: Vec<usize> = places.iter().map(|at| rows[*at]).collect();
            let train = (1..=ROWS).filter(|row| !test.contains(row)).collect();
            (train, test, places)
        };
        (1..=4).map(of).collect()
    }

    /// What the selector chooses from some rows, which are written to `train.csv`.
    fn ranked(&self, train: &[usize]) -> Vec<String> {
        self.data
            .write(&self.folder, "train.csv", train.iter().copied());
        let rank: Vec<&str> = self.rank.iter().map(String::as_str).collect();
        let select = ["select", "train.csv", "--format", "json"];
        let ranking = json(&self.folder.run(&[&select[..], &rank].concat()));
        let chosen = ranking["selected"].as_array().unwrap().iter();
        let chosen = chosen.map(|own| own["name"].as_str().unwrap().to_owned());
        chosen.collect()
    }

    /// Every prediction is that of the model of what was chosen from the training rows.
    #[track_caller]
    fn is_the_script(&self, model: &[&str]) {
        let held_out = &self.report["held_out"];
        let all = self.data.header.split(',');
        let all: Vec<&str> = all.collect();
        for (train, test, places) in self.splits() {
            let chosen = self.ranked(&train);
            assert_eq!(chosen.len(), 3);
            let response = &self.rank[1];
            let used = |name: &&&str| **name == response || chosen.iter().any(|own| own == **name);
            let others: Vec<&str> = all.iter().filter(|name| !used(name)).copied().collect();
            let (keep, others) = (chosen.join(","), others.join(","));
            let fit = [
                "select",
                "train.csv",
                "--format",
                "json",
                "--output",
                "m.json",
            ];
            let terms = ["--response", response, "--keep", &keep, "--drop", &others];
            let ran = self.folder.run(&[&fit[..], &terms, model].concat());
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            self.data
                .write(&self.folder, "test.csv", test.iter().copied());
            let predict = ["predict", "m.json", "test.csv", "--format", "json"];
            let predicted = json(&self.folder.run(&predict));
            let own = &predicted["predictions"][0];
            let expected: Vec<f64> = match held_out["levels"].as_array() {
                None => numbers(&own["fit"]),
                Some(levels) => {
                    let observed = numbers(&held_out["observed"]);
                    let of = |(place, at): (usize, &usize)| {
                        let level = levels[observed[*at] as usize - 1].as_str().unwrap();
                        numbers(&own[format!("p[{level}]")])[place]
                    };
                    places.iter().enumerate().map(of).collect()
                }
            };
            let field = ["predicted", "probability"][usize::from(!held_out["levels"].is_null())];
            let said = numbers(&held_out[field][0]);
            for (at, expected) in places.iter().zip(expected) {
                let off = (said[*at] - expected).abs();
                assert!(off < 1e-9, "{at}: {} and {expected}", said[*at]);
            }
        }
    }
}

#[test]
fn by_least_squares() {
    let others = others_than(&["y"]);
    let own = judged(
        "y",
        "ols",
        &["--bin-response", "equal-width:3", "--drop", &others],
    );
    own.is_the_script(&[]);
    let report = &own.report;
    assert_eq!(report["then"]["name"], "ols");
    assert_eq!(report["method"]["name"], "jmi");
    assert_eq!(report["models"][0]["criterion"]["name"], "ols");
    // Of no variable, one, two and three; the last is the model's own.
    let sizes: Vec<f64> = report["by_size"]
        .as_array()
        .unwrap()
        .iter()
        .map(|own| own["value"].as_f64().unwrap())
        .collect();
    assert_eq!(sizes.len(), 4);
    assert_eq!(sizes[3], value(&report["models"][0]["errors"], "rmse"));
    assert_eq!(sizes[0], value(&report["null"], "rmse"));
    assert!(sizes[3] < 0.7 * sizes[0], "{sizes:?}");
}

#[test]
fn by_logistic_regression_of_two_levels_and_of_three() {
    let of_two = judged("b", "logistic", &["--drop", &others_than(&["b"])]);
    of_two.is_the_script(&["--family", "binomial"]);
    assert!(value(&of_two.report["models"][0]["errors"], "auc") > 0.7);
    let of_three = judged("kind", "logistic", &["--drop", &others_than(&["kind"])]);
    of_three.is_the_script(&["--family", "multinomial"]);
}

/// The rows nearest to each held-out row by the definition: of a factor the dummies of all levels count.
fn nearest(own: &Judged, k: usize, mut compare: impl FnMut(usize, usize, &[usize])) {
    let names: Vec<&str> = own.data.header.split(',').collect();
    let cell = |name: &str, row: usize| own.cell(&names, name, row);
    let encoded = |name: &str, row: usize| -> Vec<f64> {
        match name {
            "g" => ["u", "v", "w"]
                .map(|level| f64::from(u8::from(cell("g", row) == level)))
                .to_vec(),
            name => vec![cell(name, row).parse().unwrap()],
        }
    };
    for (train, test, places) in own.splits() {
        let chosen = own.ranked(&train);
        let of = |row: usize| -> Vec<f64> {
            chosen.iter().flat_map(|name| encoded(name, row)).collect()
        };
        let x: Vec<Vec<f64>> = train.iter().map(|row| of(*row)).collect();
        let norms: Vec<f64> = (0..x[0].len())
            .map(|j| {
                let mean = x.iter().map(|row| row[j]).sum::<f64>() / x.len() as f64;
                let square: f64 = x.iter().map(|row| (row[j] - mean).powi(2)).sum();
                square.sqrt()
            })
            .collect();
        for (row, place) in test.into_iter().zip(places) {
            let here = of(row);
            let distance = |there: &Vec<f64>| -> f64 {
                let parts = here.iter().zip(there).zip(&norms);
                parts.map(|((a, b), norm)| ((a - b) / norm).powi(2)).sum()
            };
            let mut near: Vec<(f64, usize)> =
                x.iter().map(distance).zip(train.iter().copied()).collect();
            near.sort_by(|a, b| a.0.total_cmp(&b.0));
            let near: Vec<usize> = near[..k].iter().map(|own| own.1).collect();
            compare(row, place, &near);
        }
    }
}

#[test]
fn by_the_nearest_rows() {
    let others = others_than(&["y"]);
    let binned = ["--bin-response", "equal-width:3", "--drop", &others];
    let own = judged("y", "knn:k=4", &binned);
    let then = &own.report["then"];
    assert_eq!((&then["name"], &then["k"]), (&"knn".into(), &4.into()));
    let said = numbers(&own.report["held_out"]["predicted"][0]);
    let names: Vec<&str> = own.data.header.split(',').collect();
    let y = |row: usize| -> f64 { own.cell(&names, "y", row).parse().unwrap() };
    nearest(&own, 4, |row, place, near| {
        let mean = near.iter().map(|row| y(*row)).sum::<f64>() / 4.0;
        assert!((said[place] - mean).abs() < 1e-9, "row {row}");
    });
}

#[test]
fn by_the_nearest_rows_of_levels_and_factors() {
    let own = judged("kind", "knn", &["--drop", &others_than(&["kind"])]);
    let probability = numbers(&own.report["held_out"]["probability"][0]);
    let names: Vec<&str> = own.data.header.split(',').collect();
    let kind = |row: usize| own.cell(&names, "kind", row);
    nearest(&own, 5, |row, place, near| {
        let alike = near.iter().filter(|other| kind(**other) == kind(row));
        let share = alike.count() as f64 / 5.0;
        assert!((probability[place] - share).abs() < 1e-9, "row {row}");
    });
    let page = own.folder.run(&[
        "validate",
        "d.csv",
        "--response",
        "kind",
        "--method",
        "jmi",
        "--top",
        "2",
        "--then",
        "knn:k=3",
        "--binning",
        "equal-frequency:3",
        "--threads",
        "2",
        "--drop",
        &others_than(&["kind"]),
    ]);
    assert!(
        page.stdout.contains("then                 knn:k=3"),
        "{}",
        page.stdout
    );
}
