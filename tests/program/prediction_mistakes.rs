//! What `passel predict` says of data that do not fit a model, of reports that have none, and of what a model cannot say.

use std::fs;

use serde_json::Value;

use crate::{
    predictions::{ROWS, cars, fit, numbers, predict, refused, select, succeeds},
    support::Folder,
};

#[test]
fn levels_that_the_fit_did_not_have_are_told_or_lack_a_prediction() {
    let folder = Folder::new();
    cars(&folder);
    let run = |options: &[&str]| {
        let mut arguments = vec!["predict", "report.json", "new.csv"];
        arguments.extend(options);
        folder.run(&arguments)
    };
    folder.write(
        "new.csv",
        "kind,power,weight,w\nsaloon,100,1200,1\nlorry,100,1200,5\n",
    );
    select(
        &folder,
        "cars.csv",
        &["--response", "price", "--drop", "sales,sold,w"],
    );
    refused(
        run(&[]),
        &[
            "new.csv: column `kind` has in row 2 the level `lorry`",
            "(levels: estate, saloon, sports car)",
            "--unknown-levels missing",
        ],
    );
    let ran = succeeds(run(&["--unknown-levels", "missing"]));
    assert!(ran.stdout.ends_with("\n2,\n"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains(
            "row 2 has no prediction, as it has a level that no observation of the fit had: `lorry` in column kind"
        ),
        "{}",
        ran.stderr
    );
    // Levels that a formula makes of numbers.
    let formula = [
        "--formula",
        "price ~ power + factor(w)",
        "--keep",
        "factor(w)",
        "--overwrite",
    ];
    select(&folder, "cars.csv", &formula);
    refused(run(&[]), &["new.csv", "the level `5` of `w` in row 2"]);
    let ran = succeeds(run(&["--unknown-levels", "missing"]));
    assert!(ran.stdout.ends_with("\n2,\n"), "{}", ran.stdout);
}

#[test]
fn columns_that_do_not_fit_the_model_are_told() {
    let folder = Folder::new();
    cars(&folder);
    select(
        &folder,
        "cars.csv",
        &["--response", "price", "--drop", "sales,sold,w"],
    );
    let run = |text: &str| {
        folder.write("new.csv", text);
        folder.run(&["predict", "report.json", "new.csv"])
    };
    refused(
        run("kind,Power,weight\nsaloon,100,1200\n"),
        &[
            "error: new.csv: the model needs the column `power`, which is not there; did you mean `Power`?",
        ],
    );
    refused(
        run("kind,power,weight\nsaloon,strong,1200\n"),
        &[
            "column `power` was numbers where the model was fitted, and is text here: `strong` in row 1; name words that mean a missing value with --na",
        ],
    );
    refused(
        run("kind,power,weight\nsaloon,2024-01-31,1200\n"),
        &["--date reads dates as numbers"],
    );
    // Tonnes.
    let ran = run(
        "kind,power,weight\nsaloon,100,1.2\nestate,90,1.3\nestate,80,1\nsaloon,70,.9\nsaloon,75,1.1\n",
    );
    assert_eq!(ran.code, Some(0));
    assert!(
        ran.stderr.contains(
            "warning: column weight has values from 0.9 to 1.3 here, and had from 900 to 1900"
        ),
        "{}",
        ran.stderr
    );
    // A level that looks like a number is one all the same.
    let ran = run("power,kind,weight\n100,7,1200\n");
    refused(ran, &["the level `7`"]);
    folder.write("empty.csv", "kind,power,weight\n");
    refused(
        folder.run(&["predict", "report.json", "empty.csv"]),
        &["empty.csv", "no observations"],
    );
}

#[test]
fn what_a_model_has_none_of_is_told() {
    let folder = Folder::new();
    cars(&folder);
    let run = |options: &[&str]| {
        let mut arguments = vec!["predict", "report.json", "cars.csv"];
        arguments.extend(options);
        folder.run(&arguments)
    };
    select(
        &folder,
        "cars.csv",
        &[
            "--response",
            "sold",
            "--family",
            "binomial",
            "--drop",
            "price,sales,w",
        ],
    );
    refused(
        run(&["--interval", "both"]),
        &["a new observation of the family binomial has no interval"],
    );
    refused(
        run(&["--times", "1,2"]),
        &["a model of the family binomial has no survival curves"],
    );
    let own = fit(&predict(&folder, "cars.csv", &["--interval", "mean"]));
    assert!(own.iter().all(|p| *p > 0.0 && *p < 1.0));
    select(
        &folder,
        "cars.csv",
        &[
            "--response",
            "kind",
            "--family",
            "multinomial",
            "--drop",
            "price,sales,sold",
            "--keep",
            "power",
            "--overwrite",
        ],
    );
    refused(
        run(&["--interval", "mean"]),
        &["probabilities of levels have no standard errors"],
    );
    let told = predict(&folder, "cars.csv", &[]);
    let own = &told["predictions"][0];
    let levels =
        ["estate", "saloon", "sports car"].map(|level| numbers(&own[format!("p[{level}]")]));
    for row in 0..ROWS {
        let sum: f64 = levels.iter().map(|own| own[row]).sum();
        assert!((sum - 1.0).abs() < 1e-12);
        let best = (0..3)
            .max_by(|a, b| levels[*a][row].total_cmp(&levels[*b][row]))
            .unwrap();
        assert_eq!(own["level"][row], ["estate", "saloon", "sports car"][best]);
    }
    let link = predict(&folder, "cars.csv", &["--scale", "link"]);
    let link = &link["predictions"][0];
    for name in ["p[saloon]", "level"] {
        assert_eq!(link[name], own[name]);
    }
    for (row, eta) in numbers(&link["predictor[saloon]"]).iter().enumerate() {
        let ratio = (levels[1][row] / levels[0][row]).ln();
        assert!(
            (eta - ratio).abs() < 1e-9 * ratio.abs().max(1.0),
            "{eta} {ratio}"
        );
    }
    assert!(link["predictor[estate]"].is_null());
    for (options, parts) in [
        (
            &["--interval", "wide"][..],
            &["interval = wide must be none, mean, observation or both"][..],
        ),
        (
            &["--times", "soon"],
            &["times = soon must be numbers separated by commas, 0 or more and each once"],
        ),
        (
            &["--times", "3,3"],
            &["times = 3,3 must be numbers separated by commas, 0 or more and each once"],
        ),
        (
            &["--times=-1"],
            &["times = -1 must be numbers separated by commas, 0 or more"],
        ),
        (&["--level", "95"], &["level = 95"]),
        (&["--format", "parquet"], &["format = parquet needs output"]),
        (
            &["--output", "cars.csv", "--overwrite"],
            &["output names a file that is read"],
        ),
    ] {
        refused(run(options), parts);
    }
}

#[test]
fn files_that_are_no_reports_are_told() {
    let folder = Folder::new();
    cars(&folder);
    let report = select(
        &folder,
        "cars.csv",
        &["--response", "price", "--drop", "sales,sold,w"],
    );
    let run = |report: &str| folder.run(&["predict", report, "cars.csv"]);
    refused(run("absent.json"), &["absent.json: cannot be read"]);
    refused(run("cars.csv"), &["cars.csv: no report as JSON"]);
    folder.write("other.json", "{\"a\": 1}");
    refused(
        run("other.json"),
        &["other.json: no report of passel: it has no field `passel`"],
    );
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut changed = report.clone();
        change(&mut changed["model"]);
        folder.write("changed.json", &changed.to_string());
        run("changed.json")
    };
    refused(
        changed(&|model| model["version"] = 2.into()),
        &["its model has version 2, and this program reads versions up to 1"],
    );
    refused(
        changed(&|model| model["equation"]["coefficients"] = Value::Array(Vec::new())),
        &["the model is damaged"],
    );
    refused(
        changed(&|model| model["variables"][0]["column"] = 99.into()),
        &["the model is damaged"],
    );
    refused(
        changed(&|model| model["equation"]["variables"][0] = 99.into()),
        &["the model is damaged"],
    );
    refused(
        changed(&|model| model["equation"]["covariance"][1] = Value::Array(Vec::new())),
        &["the model is damaged"],
    );
    folder.write("ranking.json", "{\"passel\": \"0.1.0\", \"selected\": []}");
    refused(run("ranking.json"), &["ranking.json: no regression model"]);
    // Files of others stay, and own ones are replaced.
    folder.write("mine.csv", "a,b\n1,2\n");
    let into = |file: &str, format: &str| {
        folder.run(&[
            "predict",
            "report.json",
            "cars.csv",
            "--output",
            file,
            "--format",
            format,
        ])
    };
    refused(
        into("mine.csv", "csv"),
        &["not a file of predictions that passel wrote"],
    );
    for format in ["csv", "json", "text"] {
        for _ in 0..2 {
            succeeds(into(&format!("own.{format}"), format));
        }
    }
    assert!(folder.read("own.text").contains("predicted_row"));
    refused(
        into("report.json", "json"),
        &["output names a file that is read"],
    );
}

#[test]
fn reports_without_a_model_predict_where_their_estimates_do() {
    let folder = Folder::new();
    cars(&folder);
    for options in [
        &[
            "--response",
            "price",
            "--drop",
            "sales,sold",
            "--weights",
            "w",
        ][..],
        &[
            "--response",
            "price",
            "--drop",
            "sales,sold,w",
            "--no-intercept",
        ],
        &[
            "--response",
            "sales",
            "--drop",
            "price,sold",
            "--family",
            "poisson",
            "--offset",
            "w",
        ],
        &[
            "--response",
            "sales",
            "--drop",
            "price,sold,w",
            "--family",
            "negative-binomial",
        ],
    ] {
        let mut report = select(&folder, "cars.csv", &[options, &["--overwrite"]].concat());
        let kinds = ["--interval", "both", "--level", "0.8"];
        let own = predict(&folder, "cars.csv", &kinds);
        assert!(!report["model"].is_null());
        report.as_object_mut().unwrap().remove("model");
        folder.write("report.json", &report.to_string());
        let older = predict(&folder, "cars.csv", &kinds);
        for column in [
            "fit",
            "std_error",
            "lower",
            "upper",
            "observation_lower",
            "observation_upper",
        ] {
            let [own, older] = [&own, &older].map(|told| numbers(&told["predictions"][0][column]));
            for (own, older) in own.iter().zip(&older) {
                assert!(
                    (own - older).abs() <= 1e-8 * own.abs(),
                    "{options:?} {column}: {own} {older}"
                );
            }
        }
        let _ = fs::remove_file(folder.path("report.json"));
    }
    let mut report = select(&folder, "cars.csv", &["--formula", "price ~ log(power)"]);
    report.as_object_mut().unwrap().remove("model");
    folder.write("report.json", &report.to_string());
    refused(
        folder.run(&["predict", "report.json", "cars.csv"]),
        &["the report of price", "has a formula: select it again"],
    );
}
