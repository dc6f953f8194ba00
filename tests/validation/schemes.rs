//! How rows are split.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{Data, counts, near, numbers, others_than, support::Folder, validate, value};

/// The report of a scheme, and of each split its rows.
fn splits(scheme: &[&str], rows: usize) -> (Value, BTreeMap<usize, Vec<usize>>) {
    let folder = Folder::new();
    Data::of(rows, 13).write_all(&folder);
    let by_id = scheme.contains(&"id");
    let used: &[&str] = if by_id { &["y", "id"] } else { &["y"] };
    let others = others_than(used);
    let options = ["--response", "y", "--criterion", "bic", "--drop", &others];
    let report = validate(&folder, &[&options[..], scheme].concat());
    let held_out = &report["held_out"];
    let mut all: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let rows = counts(&held_out["row"]);
    for (row, split) in rows.into_iter().zip(counts(&held_out["split"])) {
        all.entry(split).or_default().push(row);
    }
    (report, all)
}

#[test]
fn each_repeat_of_folds_judges_every_row_once() {
    let (report, splits) = splits(&["--scheme", "folds:k=4,repeats=3"], 50);
    assert_eq!((report["wanted"].as_u64(), splits.len()), (Some(12), 12));
    let mut orders = BTreeSet::new();
    for repeat in 0..3 {
        let own: Vec<&Vec<usize>> = (1..=4).map(|fold| &splits[&(4 * repeat + fold)]).collect();
        assert!(own.iter().all(|rows| [12, 13].contains(&rows.len())));
        let rows: BTreeSet<usize> = own.iter().flat_map(|rows| rows.iter().copied()).collect();
        assert_eq!(rows, (1..=50).collect());
        orders.insert(own[0].clone());
    }
    assert_eq!(orders.len(), 3, "each repeat is another");
    let of_split = &report["splits"][5];
    assert_eq!(
        (of_split["repeat"].as_u64(), of_split["fold"].as_u64()),
        (Some(2), Some(2))
    );
    let (train, judged) = (
        of_split["train"].as_u64().unwrap(),
        of_split["judged"].as_u64().unwrap(),
    );
    assert_eq!(train + judged, 50);
}

#[test]
fn one_left_out_has_the_errors_of_all_leverages() {
    // With no candidate chosen the error of a row left out is that of the mean of the others.
    let (report, splits) = splits(&["--scheme", "leave-one-out", "--max-size", "1"], 40);
    assert_eq!(splits.len(), 40);
    assert!(splits.values().all(|rows| rows.len() == 1));
    let (observed, null) = (
        numbers(&report["held_out"]["observed"]),
        numbers(&report["held_out"]["null"]),
    );
    let mean = observed.iter().sum::<f64>() / 40.0;
    for (y, null) in observed.iter().zip(null) {
        near(y - null, (y - mean) * 40.0 / 39.0, "residual");
    }
}

#[test]
fn groups_stay_together() {
    for scheme in [
        "folds:k=4",
        "leave-one-out",
        "holdout:share=0.3",
        "bootstrap:resamples=20",
    ] {
        let (report, splits) = splits(&["--scheme", scheme, "--by", "id"], 60);
        for rows in splits.values() {
            let own: BTreeSet<usize> = rows.iter().copied().collect();
            // Three rows behind one another have one id.
            assert!(own.iter().all(|row| {
                let first = (row - 1) / 3 * 3 + 1;
                (first..first + 3).all(|other| own.contains(&other))
            }));
        }
        if scheme == "leave-one-out" {
            assert_eq!(splits.len(), 20);
        }
        assert_eq!(report["p"], 11, "{scheme}: the groups are no candidate");
    }
}

#[test]
fn blocks_are_judged_by_the_past() {
    let (report, splits) = splits(&["--scheme", "time:blocks=4"], 50);
    let mut until = 10;
    for (split, rows) in &splits {
        assert_eq!(*rows, (until + 1..=until + 10).collect::<Vec<_>>());
        assert_eq!(report["splits"][split - 1]["train"], until);
        until += 10;
    }
    assert_eq!((until, report["judged"].as_u64()), (50, Some(40)));
}

#[test]
fn times_order_the_rows_and_equal_ones_stay_together() {
    let folder = Folder::new();
    let data = Data::of(48, 4);
    // Rows in reverse, in pairs.
    let time = |row: usize| (48 - row) / 2;
    let mut text = format!("when,{}\n", data.header);
    for row in 1..=48 {
        text += &format!("{},{}\n", time(row), data.lines[row - 1]);
    }
    folder.write("d.csv", &text);
    let others = others_than(&["y"]);
    let options = [
        "--response",
        "y",
        "--drop",
        &others,
        "--scheme",
        "time:blocks=3",
        "--by",
        "when",
    ];
    let report = validate(&folder, &options);
    let held_out = &report["held_out"];
    let rows = counts(&held_out["row"])
        .into_iter()
        .zip(counts(&held_out["split"]));
    let mut ends: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for (row, split) in rows {
        let own = ends.entry(split).or_insert((usize::MAX, 0));
        *own = (own.0.min(time(row)), own.1.max(time(row)));
    }
    let ends: Vec<(usize, usize)> = ends.into_values().collect();
    assert_eq!(ends.len(), 3);
    assert!(
        ends.windows(2).all(|pair| pair[0].1 < pair[1].0),
        "{ends:?}"
    );
    assert_eq!(report["p"], 11);
}

#[test]
fn marked_rows_are_held_out() {
    let folder = Folder::new();
    let data = Data::of(45, 4);
    let mut text = format!("late,{}\n", data.header);
    for row in 1..=45 {
        text += &format!(
            "{},{}\n",
            usize::from(row % 4 == 0) * 7,
            data.lines[row - 1]
        );
    }
    folder.write("d.csv", &text);
    let others = others_than(&["y"]);
    let options = [
        "--response",
        "y",
        "--drop",
        &others,
        "--scheme",
        "marked",
        "--by",
        "late",
    ];
    let report = validate(&folder, &options);
    let rows = counts(&report["held_out"]["row"]);
    assert_eq!(
        rows,
        (1..=45).filter(|row| row % 4 == 0).collect::<Vec<_>>()
    );
    assert!(
        report["models"][0]["errors"][0]["std_error"]
            .as_f64()
            .unwrap()
            > 0.0
    );
}

#[test]
fn a_bootstrap_weighs_what_is_apparent_and_what_is_out_of_the_bag() {
    let (report, splits) = splits(&["--scheme", "bootstrap:resamples=40"], 50);
    assert_eq!((report["wanted"].as_u64(), splits.len()), (Some(41), 40));
    let errors = &report["models"][0]["errors"];
    let rmse = errors
        .as_array()
        .unwrap()
        .iter()
        .find(|own| own["name"] == "rmse")
        .unwrap();
    let of = |name: &str| rmse[name].as_f64().unwrap();
    // Out of the bag each row counts once, however often it was left.
    let held_out = &report["held_out"];
    let (rows, y, predicted) = (
        counts(&held_out["row"]),
        numbers(&held_out["observed"]),
        numbers(&held_out["predicted"][0]),
    );
    let mut by_row: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (row, (y, predicted)) in rows.iter().zip(y.iter().zip(&predicted)) {
        let own = by_row.entry(*row).or_default();
        *own = (own.0 + (y - predicted).powi(2), own.1 + 1.0);
    }
    let out = by_row.values().map(|own| own.0 / own.1).sum::<f64>() / by_row.len() as f64;
    near(of("out_of_bag"), out.sqrt(), "out of the bag");
    let apparent = of("apparent").powi(2);
    near(
        of("point_632"),
        (0.368 * apparent + 0.632 * out).sqrt(),
        ".632",
    );
    // The estimator .632+ is between .632 and what is out of the bag.
    assert!(of("value") >= of("point_632") && of("value") <= of("out_of_bag"));
    assert!(value(errors, "rmse") < value(&report["null"], "rmse"));
    assert_eq!(report["splits"][0]["fold"], 0);
    assert_eq!(report["splits"][0]["train"], 50);
}

#[test]
fn the_number_of_threads_does_not_show() {
    let folder = Folder::new();
    Data::of(60, 2).write_all(&folder);
    let others = others_than(&["b"]);
    let run = |threads: &str| {
        let options = [
            "--response",
            "b",
            "--family",
            "binomial",
            "--drop",
            &others,
            "--scheme",
            "folds:k=5,repeats=2",
            "--threads",
            threads,
        ];
        let mut report = validate(&folder, &options);
        report["elapsed_seconds"] = Value::Null;
        report
    };
    let one = run("1");
    assert_eq!(run("2"), one);
    assert_eq!(run("5"), one);
}
