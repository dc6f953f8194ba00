//! A validation is a script that selects by `passel select` from each file of training rows, and predicts the others by `passel
//! predict`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{Data, counts, json, numbers, others_than, support::Folder, validate};

/// Runs the script over the splits of a report, and compares every prediction of a criterion.
#[track_caller]
pub(crate) fn is_the_script(
    folder: &Folder,
    data: &Data,
    report: &Value,
    options: &[&str],
    scale: &str,
) {
    let held_out = &report["held_out"];
    let (rows, splits) = (counts(&held_out["row"]), counts(&held_out["split"]));
    let n = data.lines.len();
    let criteria = report["models"].as_array().unwrap().len();
    let levels: Vec<&str> = match held_out["levels"].as_array() {
        Some(levels) => levels.iter().map(|own| own.as_str().unwrap()).collect(),
        None => Vec::new(),
    };
    let observed = numbers(&held_out["observed"]);
    let last = *splits.iter().max().unwrap();
    let mut compared = 0;
    for split in 1..=last {
        let places: Vec<usize> = (0..rows.len()).filter(|at| splits[*at] == split).collect();
        let test: Vec<usize> = places.iter().map(|at| rows[*at]).collect();
        let out: BTreeSet<usize> = test.iter().copied().collect();
        // Blocks of time are judged by the rows before them.
        let end = match report["scheme"]["name"] == "time" {
            true => test[0] - 1,
            false => n,
        };
        let train = (1..=end).filter(|row| !out.contains(row));
        data.write(folder, "train.csv", train);
        data.write(folder, "test.csv", test.iter().copied());
        let select = [
            "select",
            "train.csv",
            "--format",
            "json",
            "--output",
            "report.json",
        ];
        let ran = folder.run(&[&select, options].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let predict = [
            "predict",
            "report.json",
            "test.csv",
            "--format",
            "json",
            "--scale",
            scale,
        ];
        let predicted = json(&folder.run(&predict));
        for criterion in 0..criteria {
            let own = &predicted["predictions"][criterion];
            let expected: Vec<f64> = match levels.is_empty() {
                true => numbers(&own["fit"]),
                false => {
                    let of = |(place, at): (usize, &usize)| {
                        let level = levels[observed[*at] as usize - 1];
                        numbers(&own[format!("p[{level}]")])[place]
                    };
                    places.iter().enumerate().map(of).collect()
                }
            };
            let field = if levels.is_empty() {
                "predicted"
            } else {
                "probability"
            };
            let all = numbers(&held_out[field][criterion]);
            for (at, expected) in places.iter().zip(expected) {
                let own = all[*at];
                assert!(
                    (own - expected).abs() <= 1e-12 * (1.0 + expected.abs()),
                    "{options:?}: row {} is {own}, by the script {expected}",
                    rows[*at]
                );
                compared += 1;
            }
        }
    }
    assert_eq!(compared, rows.len() * criteria);
}

/// Validates with options of `select` and a scheme, and compares with the script.
#[track_caller]
fn compare(used: &[&str], options: &[&str], scheme: &[&str], scale: &str) -> Value {
    let folder = Folder::new();
    let data = Data::of(72, 5);
    data.write_all(&folder);
    let others = others_than(used);
    let select = [options, &["--drop", &others, "--seed", "3"]].concat();
    let report = validate(&folder, &[&select[..], scheme].concat());
    is_the_script(&folder, &data, &report, &select, scale);
    report
}

const FIVE: &[&str] = &["--scheme", "folds:k=5"];

#[test]
fn of_least_squares() {
    let report = compare(
        &["y"],
        &["--response", "y", "--criterion", "bic,aic"],
        FIVE,
        "response",
    );
    assert_eq!(report["models"].as_array().unwrap().len(), 2);
    let rows = counts(&report["held_out"]["row"]);
    let distinct: BTreeSet<usize> = rows.iter().copied().collect();
    assert_eq!((rows.len(), distinct.len()), (72, 72));
}

#[test]
fn with_weights_an_offset_and_kept_variables() {
    let options = [
        "--response",
        "y",
        "--weights",
        "w",
        "--offset",
        "o",
        "--keep",
        "x2",
        "--criterion",
        "bic",
    ];
    compare(
        &["y", "w", "o"],
        &options,
        &["--scheme", "holdout:share=0.3,repeats=3"],
        "response",
    );
}

#[test]
fn of_splines_and_polynomials_that_are_learnt() {
    let formula = "~ ns(x1, 3) + poly(x4, 2) + scale(x2) + g + x5:x6";
    let options = [
        "--response",
        "y",
        "--formula",
        formula,
        "--criterion",
        "bic",
    ];
    compare(&["y"], &options, FIVE, "response");
}

#[test]
fn of_events() {
    let options = [
        "--response",
        "b",
        "--family",
        "binomial",
        "--criterion",
        "bic",
    ];
    compare(&["b"], &options, FIVE, "response");
}

#[test]
fn of_counts_and_positive_numbers() {
    for (response, family) in [("c", "poisson"), ("c", "negative-binomial"), ("t", "gamma")] {
        let options = [
            "--response",
            response,
            "--family",
            family,
            "--criterion",
            "bic",
        ];
        compare(
            &[response],
            &options,
            &["--scheme", "time:blocks=3"],
            "response",
        );
    }
}

#[test]
fn of_levels() {
    for (response, family) in [("grade", "ordinal"), ("kind", "multinomial")] {
        let options = [
            "--response",
            response,
            "--family",
            family,
            "--criterion",
            "bic",
        ];
        compare(&[response], &options, FIVE, "response");
    }
}

#[test]
fn of_survival_times() {
    let options = [
        "--response",
        "t",
        "--event",
        "event",
        "--family",
        "cox",
        "--criterion",
        "bic",
    ];
    compare(&["t", "event"], &options, FIVE, "link");
}

#[test]
fn by_the_method_of_a_plugin() {
    let options = ["--response", "y", "--method", "oga", "--criterion", "hdbic"];
    let folder = Folder::new();
    let data = Data::of(72, 5);
    data.write_all(&folder);
    let others = others_than(&["y"]);
    let listed = folder.run(&["methods"]);
    if !listed.stdout.contains("oga") {
        // An example plugin, which may not be built.
        return;
    }
    let select = [&options[..], &["--drop", &others, "--seed", "3"]].concat();
    let report = validate(&folder, &[&select[..], FIVE].concat());
    is_the_script(&folder, &data, &report, &select, "response");
}
