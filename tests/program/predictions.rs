//! `passel predict`: what a report says of its own data and of others, and what it says of data that do not fit it.

use std::{collections::HashMap, fs, process::Command};

use serde_json::Value;

use crate::{
    many_responses,
    support::{Folder, Ran, ran},
};

/// Rows of `cars.csv`.
const ROWS: usize = 48;

/// The columns of a row of `cars.csv`: a price and what it is made of, with some noise.
fn car(row: usize) -> (f64, f64, f64, &'static str, f64) {
    let (weight, power) = (
        900.0 + (row * 37 % 41) as f64 * 25.0,
        60.0 + (row * 29 % 53) as f64 * 2.5,
    );
    let kind = ["estate", "saloon", "sports car"][row * row % 7 % 3];
    let noise = (row * 17 % 23) as f64 / 23.0 - 0.5;
    let of_kind = match kind {
        "sports car" => 4.0 + power / 50.0,
        "saloon" => 1.5,
        _ => 0.0,
    };
    let price = 2.0 + weight / 400.0 + power * power / 4000.0 + of_kind + noise;
    (price, weight, power, kind, 1.0 + (row % 3) as f64)
}

fn cars(folder: &Folder) {
    let mut text = String::from("price,weight,power,kind,w,sales,sold\n");
    for row in 0..ROWS {
        let (price, weight, power, kind, w) = car(row);
        let sales = (price + (row * 13 % 7) as f64 / 2.0) as usize;
        let sold = usize::from(price + (row * 31 % 19) as f64 / 2.0 > 12.0);
        text += &format!("{price},{weight},{power},{kind},{w},{sales},{sold}\n");
    }
    folder.write("cars.csv", &text);
}

#[track_caller]
fn succeeds(ran: Ran) -> Ran {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran
}

/// Selects from a file into `report.json`, and returns the report.
#[track_caller]
fn select(folder: &Folder, data: &str, options: &[&str]) -> Value {
    let mut arguments = vec![
        "select",
        data,
        "--format",
        "json",
        "--output",
        "report.json",
    ];
    arguments.extend(options);
    succeeds(folder.run(&arguments));
    serde_json::from_str(&folder.read("report.json")).unwrap()
}

/// What `report.json` predicts of a file, as JSON.
#[track_caller]
fn predict(folder: &Folder, data: &str, options: &[&str]) -> Value {
    let mut arguments = vec!["predict", "report.json", data, "--format", "json"];
    arguments.extend(options);
    let ran = succeeds(folder.run(&arguments));
    serde_json::from_str(&ran.stdout).unwrap()
}

fn numbers(json: &Value) -> Vec<f64> {
    let all = json.as_array().unwrap_or_else(|| panic!("{json}")).iter();
    all.map(|own| own.as_f64().unwrap_or(f64::NAN)).collect()
}

fn fit(json: &Value) -> Vec<f64> {
    numbers(&json["predictions"][0]["fit"])
}

#[track_caller]
fn refused(ran: Ran, parts: &[&str]) {
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    for part in parts {
        assert!(ran.stderr.contains(part), "{part} in {}", ran.stderr);
    }
    assert!(ran.stdout.is_empty());
}

/// The fitted values that a report's coefficients say of columns of numbers, by row.
fn by_coefficients(report: &Value, columns: &HashMap<String, Vec<f64>>) -> Vec<f64> {
    let intercept = report["intercept"]["coefficient"].as_f64().unwrap();
    let mut sums = vec![intercept; columns.values().next().unwrap().len()];
    let selected = report["selected"].as_array().unwrap();
    assert!(!selected.is_empty());
    for own in selected {
        let b = own["coefficient"].as_f64().unwrap();
        let values = &columns[own["name"].as_str().unwrap()];
        sums.iter_mut()
            .zip(values)
            .for_each(|(sum, x)| *sum += b * x);
    }
    sums
}

#[test]
fn fitted_values_come_back_from_every_format() {
    let folder = Folder::new();
    let (n, p) = (40, 5);
    let value = |row: usize, j: usize| match j {
        0 => (row * 7 % 11) as f64 + 3.0 * (row * 37 % 41) as f64,
        j => (row * (11 * j + 15) % 41) as f64,
    };
    let line = |row: usize, mark: &str| {
        let all = (0..=p).map(|j| value(row, j).to_string());
        all.collect::<Vec<_>>().join(mark)
    };
    let names = |mark: &str| {
        let x = (0..p).map(|j| format!("x{j}"));
        std::iter::once("y".to_owned())
            .chain(x)
            .collect::<Vec<_>>()
            .join(mark)
    };
    let table = |mark: &str| {
        let rows = (0..n).map(|row| line(row, mark) + "\n");
        names(mark) + "\n" + &rows.collect::<String>()
    };
    folder.write("d.csv", &table(","));
    folder.write("d.tsv", &table("\t"));
    folder.write("d.txt", &table(" "));
    folder.write("d.semicolons.csv", &table(";"));
    let rows = (0..n).map(|row| line(row, "\t") + "\n").collect::<String>();
    folder.write(
        "d.dat",
        &format!("d\n{n} {p}\n*\t{}\n{rows}", vec!["0"; p].join("\t")),
    );
    let attributes = names(",")
        .split(',')
        .map(|name| format!("@attribute {name} numeric\n"))
        .collect::<String>();
    let rows = (0..n).map(|row| line(row, ",") + "\n").collect::<String>();
    folder.write("d.arff", &format!("@relation d\n{attributes}@data\n{rows}"));
    let sparse = (0..n).map(|row| {
        let entries = (1..=p).map(|j| format!(" {j}:{}", value(row, j)));
        format!("{}{}\n", value(row, 0), entries.collect::<String>())
    });
    folder.write("d.libsvm", &sparse.collect::<String>());
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({n}, {p}), }}");
    let header = format!("{header:<117}\n");
    let array = |header: &str, values: Vec<f64>| {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        values.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        bytes
    };
    let x = (0..n).flat_map(|row| (1..=p).map(move |j| value(row, j)));
    fs::write(folder.path("d.npy"), array(&header, x.collect())).unwrap();
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({n},), }}");
    let header = format!("{header:<117}\n");
    let y = (0..n).map(|row| value(row, 0));
    fs::write(folder.path("y.npy"), array(&header, y.collect())).unwrap();
    let mut zip = Command::new("gzip");
    zip.args(["-k", "d.csv"]).current_dir(folder.path("."));
    assert!(zip.status().unwrap().success());

    let mut first: Option<Vec<f64>> = None;
    for file in [
        "d.csv",
        "d.csv.gz",
        "d.tsv",
        "d.txt",
        "d.semicolons.csv",
        "d.dat",
        "d.arff",
        "d.libsvm",
        "d.npy",
    ] {
        let response = match file {
            "d.npy" => vec!["--response", "y.npy"],
            "d.dat" | "d.libsvm" => vec![],
            _ => vec!["--response", "y"],
        };
        let report = select(&folder, file, &response);
        // Formats call the variables x0, x1, … or by their numbers; their order is one.
        let column = |own: &Value| {
            let (name, index) = (
                own["name"].as_str().unwrap(),
                own["index"].as_u64().unwrap(),
            );
            let values = (0..n).map(|row| value(row, index as usize + 1)).collect();
            (name.to_owned(), values)
        };
        let columns = report["selected"]
            .as_array()
            .unwrap()
            .iter()
            .map(column)
            .collect();
        let expected = by_coefficients(&report, &columns);
        let own = fit(&predict(&folder, file, &[]));
        assert_eq!(own.len(), n, "{file}");
        for (own, expected) in own.iter().zip(&expected) {
            assert!(
                (own - expected).abs() < 1e-9 * expected.abs(),
                "{file}: {own} {expected}"
            );
        }
        let first = first.get_or_insert_with(|| own.clone());
        assert!(
            own.iter().zip(&*first).all(|(a, b)| (a - b).abs() < 1e-9),
            "{file}"
        );
    }
}

#[test]
fn residuals_of_predictions_are_those_of_the_fit_for_every_kind_of_term() {
    let folder = Folder::new();
    cars(&folder);
    for options in [
        &["--response", "price", "--drop", "sales,sold,w"][..],
        &[
            "--response",
            "price",
            "--drop",
            "sales,sold,w",
            "--split",
            "--reference",
            "kind=saloon",
        ],
        &[
            "--response",
            "price",
            "--drop",
            "sales,sold,w",
            "--no-intercept",
        ],
        &[
            "--response",
            "price",
            "--drop",
            "sales,sold,w",
            "--degree",
            "3",
            "--interactions",
            "2",
        ],
        &["--formula", "price ~ weight * kind + I(power^2)"],
        &[
            "--formula",
            "price ~ weight * kind + power:kind",
            "--hierarchy",
            "none",
        ],
        &[
            "--formula",
            "price ~ poly(power, 3) + ns(weight, df = 4) + C(kind, contr.sum)",
        ],
        &[
            "--formula",
            "price ~ bs(power, knots = c(80, 150)) + scale(weight) + ordered(w)",
        ],
        &["--formula", "price ~ cut(power, 4) + factor(w) + kind - 1"],
        &[
            "--formula",
            "price ~ log(power) + I(weight > 1400) + offset(weight / 400)",
        ],
        &["--formula", "price ~ power * kind", "--offset", "w"],
        &[
            "--formula",
            "price ~ power * kind",
            "--contrasts",
            "kind=helmert",
        ],
    ] {
        let report = select(&folder, "cars.csv", &[options, &["--overwrite"]].concat());
        let own = fit(&predict(&folder, "cars.csv", &[]));
        let square = |(row, own): (usize, &f64)| (car(row).0 - own).powi(2);
        let rss: f64 = own.iter().enumerate().map(square).sum();
        let expected = report["rss"].as_f64().unwrap();
        assert!(
            (rss - expected).abs() < 1e-9 * expected,
            "{options:?}: {rss} {expected}"
        );
        assert!(report["k"].as_u64().unwrap() > 0, "{options:?}");
    }
    // The deviances of counts and of events.
    let counts = [
        "--response",
        "sales",
        "--family",
        "poisson",
        "--drop",
        "price,sold,w",
        "--overwrite",
    ];
    let report = select(&folder, "cars.csv", &counts);
    let own = fit(&predict(&folder, "cars.csv", &[]));
    let link = fit(&predict(&folder, "cars.csv", &["--scale", "link"]));
    assert!(
        own.iter()
            .zip(&link)
            .all(|(mean, eta)| (mean / eta.exp() - 1.0).abs() < 1e-12)
    );
    let deviance = own.iter().enumerate().map(|(row, mean)| {
        let y = (car(row).0 + (row * 13 % 7) as f64 / 2.0).trunc();
        let log = if y > 0.0 { y * (y / mean).ln() } else { 0.0 };
        2.0 * (log - (y - mean))
    });
    let (deviance, expected) = (
        deviance.sum::<f64>(),
        report["family"]["deviance"].as_f64().unwrap(),
    );
    assert!(
        (deviance - expected).abs() < 1e-9 * expected,
        "{deviance} {expected}"
    );
}

#[test]
fn rows_that_miss_a_value_have_no_prediction_and_are_told() {
    let folder = Folder::new();
    cars(&folder);
    select(
        &folder,
        "cars.csv",
        &["--response", "price", "--drop", "sales,sold,w"],
    );
    folder.write(
        "new.csv",
        "kind,id,power,weight\nsaloon,1,100,1200\nsaloon,2,NA,1200\n,3,90,1300\nestate,4,110,1250\n",
    );
    let told = predict(&folder, "new.csv", &["--interval", "both"]);
    let own = fit(&told);
    assert!(own[0].is_finite() && own[1].is_nan() && own[2].is_nan() && own[3].is_finite());
    let warning = told["warnings"][0].as_str().unwrap();
    assert_eq!(
        warning,
        "2 rows have no prediction, as they miss a value that the model needs: the first is row 2, in column power"
    );
    let [low, high, less, more] = ["lower", "upper", "observation_lower", "observation_upper"]
        .map(|name| numbers(&told["predictions"][0][name]));
    for row in [0, 3] {
        assert!(
            less[row] < low[row]
                && low[row] < own[row]
                && own[row] < high[row]
                && high[row] < more[row]
        );
    }
    let ran = succeeds(folder.run(&["predict", "report.json", "new.csv", "--interval", "mean"]));
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[0], "predicted_row,fit,std_error,lower,upper");
    assert_eq!((lines.len(), lines[2]), (5, "2,,,,"));
    assert!(
        lines[1].starts_with(&format!("1,{:?},", own[0])),
        "{}",
        lines[1]
    );
    assert!(
        ran.stderr.starts_with("warning: 2 rows have no prediction"),
        "{}",
        ran.stderr
    );
    // No row has all.
    folder.write("none.csv", "kind,power,weight\nsaloon,,1200\n");
    assert!(fit(&predict(&folder, "none.csv", &[]))[0].is_nan());
    // Standard input.
    let mut shell = folder.shell(
        "cat new.csv | sed s/NA/-999/ > m.csv; \"$passel\" predict report.json - --na -999 < m.csv",
    );
    shell.env("LC_ALL", "C");
    let piped = succeeds(ran_of(shell));
    assert_eq!(piped.stdout.lines().nth(2), Some("2,"));
}

fn ran_of(command: Command) -> Ran {
    ran(command)
}

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
        ran.stderr.contains("the first is row 2, in column kind"),
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
    for (options, parts) in [
        (
            &["--interval", "wide"][..],
            &["interval = wide must be none, mean, observation or both"][..],
        ),
        (
            &["--times", "soon"],
            &["times = soon must be numbers separated by commas"],
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
                    (own - older).abs() < 1e-8 * own.abs(),
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

#[test]
fn every_response_and_criterion_has_its_columns() {
    let folder = many_responses::folder();
    let options = [
        "--response",
        "y0,y1",
        "--drop",
        "y2,k",
        "--criterion",
        "aic,bic",
        "--missing",
        "drop-rows",
    ];
    let report = select(&folder, "data.csv", &options);
    let ran = succeeds(folder.run(&["predict", "report.json", "data.csv"]));
    let header = ran.stdout.lines().next().unwrap();
    assert_eq!(
        header,
        "predicted_row,y0:aic:fit,y0:bic:fit,y1:aic:fit,y1:bic:fit"
    );
    assert_eq!(ran.stdout.lines().count(), 61);
    // Each is that of its own report.
    let one = &report["responses"][1]["by_other_criteria"][0];
    assert_eq!(
        (one["response"].as_str(), one["criterion"]["name"].as_str()),
        (Some("y1"), Some("bic"))
    );
    let whole = predict(&folder, "data.csv", &[]);
    folder.write("report.json", &one.to_string());
    assert_eq!(
        fit(&predict(&folder, "data.csv", &[])),
        numbers(&whole["predictions"][3]["fit"])
    );
}

#[test]
fn results_of_runs_predict() {
    let folder = Folder::new();
    cars(&folder);
    folder.write(
        "jobs.toml",
        "[[job]]\nid = \"one\"\ndata = \"cars.csv\"\nresponse = \"price\"\ndrop = [\"sales\", \"sold\", \"w\"]\n",
    );
    succeeds(folder.run(&["run", "jobs.toml"]));
    select(
        &folder,
        "cars.csv",
        &["--response", "price", "--drop", "sales,sold,w"],
    );
    let own = succeeds(folder.run(&["predict", "report.json", "cars.csv"]));
    let of_run = succeeds(folder.run(&["predict", "jobs-results/results/one.json", "cars.csv"]));
    assert_eq!(of_run.stdout, own.stdout);
}

#[test]
fn averages_are_those_of_the_models_by_their_weights() {
    let folder = Folder::new();
    let report = select(
        &folder,
        "data.csv",
        &["--response", "y", "--criterion", "aic"],
    );
    let told = predict(&folder, "data.csv", &["--average", "--interval", "mean"]);
    let met = report["model"]["met"].as_array().unwrap();
    let models = report["models"].as_array().unwrap();
    assert_eq!(met.len(), models.len());
    assert!(met.len() > 3);
    // By the fits of each model alone.
    let text = folder.read("data.csv");
    let mut sums = vec![0.0; 60];
    let mut squares = vec![(0.0, 0.0); 60];
    let total: f64 = models
        .iter()
        .map(|own| own["weight"].as_f64().unwrap())
        .sum();
    for own in models {
        let variables = own["variables"].as_array().unwrap();
        let names: Vec<&str> = variables.iter().map(|own| own.as_str().unwrap()).collect();
        let keep = ["y"].iter().chain(&names).copied().collect::<Vec<_>>();
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header = lines.next().unwrap();
        let places: Vec<usize> = keep
            .iter()
            .map(|name| header.iter().position(|own| own == name).unwrap())
            .collect();
        let rows = lines.map(|line| {
            places
                .iter()
                .map(|at| line[*at])
                .collect::<Vec<_>>()
                .join(",")
        });
        let part = keep.join(",") + "\n" + &rows.collect::<Vec<_>>().join("\n") + "\n";
        folder.write("part.csv", &part);
        if names.is_empty() {
            continue;
        }
        select(
            &folder,
            "part.csv",
            &["--response", "y", "--keep", &names.join(","), "--overwrite"],
        );
        let alone = predict(&folder, "part.csv", &["--interval", "mean"]);
        let weight = own["weight"].as_f64().unwrap() / total;
        let errors = numbers(&alone["predictions"][0]["std_error"]);
        for (row, (own, error)) in fit(&alone).iter().zip(errors).enumerate() {
            sums[row] += weight * own;
            squares[row].0 += weight * (error * error + own * own);
        }
    }
    let errors = numbers(&told["predictions"][0]["std_error"]);
    for (row, own) in fit(&told).iter().enumerate() {
        assert!((own - sums[row]).abs() < 1e-9, "{row}: {own} {}", sums[row]);
        let expected = (squares[row].0 - sums[row] * sums[row]).sqrt();
        assert!(
            (errors[row] - expected).abs() < 1e-7,
            "{row}: {} {expected}",
            errors[row]
        );
    }
}

#[test]
fn genotypes_are_read_by_name_and_exchanged_alleles_are_turned_round() {
    let folder = Folder::new();
    let simulate = [
        "simulate",
        "genotypes",
        "--n",
        "200",
        "--p",
        "300",
        "--r",
        "4",
        "--missing",
        "0.02",
        "--heritability",
        "0.7",
    ];
    succeeds(folder.run(&[&simulate[..], &["--output", "c.bed"]].concat()));
    let report = select(&folder, "c.bed", &["--criterion", "bic"]);
    let own = predict(&folder, "c.bed", &["--interval", "mean"]);
    assert!(
        own["warnings"][0]
            .as_str()
            .unwrap()
            .contains("missing value"),
        "{own}"
    );
    let fitted = fit(&own);
    // Missing genotypes are the mean: the residuals are those of the fit.
    let fam = folder.read("c.fam");
    let trait_of = |line: &str| {
        line.split_whitespace()
            .last()
            .unwrap()
            .parse::<f64>()
            .unwrap()
    };
    let rss: f64 = fam
        .lines()
        .zip(&fitted)
        .map(|(line, own)| (trait_of(line) - own).powi(2))
        .sum();
    let expected = report["rss"].as_f64().unwrap();
    assert!((rss - expected).abs() < 1e-9 * expected, "{rss} {expected}");
    assert_eq!(own["labels"].as_array().map(Vec::len), Some(200));
    // The same genotypes, as copies of the other allele.
    let bim = folder.read("c.bim");
    let exchanged = bim.lines().map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        [&fields[..4], &[fields[5], fields[4]]].concat().join("\t") + "\n"
    });
    folder.write("e.bim", &exchanged.collect::<String>());
    let mut bed = fs::read(folder.path("c.bed")).unwrap();
    for byte in &mut bed[3..] {
        // 00 and 11 are the copies, 01 is missing.
        let turned = (0..4).map(|at| match *byte >> (2 * at) & 3 {
            code @ (0 | 3) => (3 - code) << (2 * at),
            code => code << (2 * at),
        });
        *byte = turned.fold(0, |all, code| all | code);
    }
    fs::write(folder.path("e.bed"), bed).unwrap();
    fs::copy(folder.path("c.fam"), folder.path("e.fam")).unwrap();
    let again = fit(&predict(&folder, "e.bed", &[]));
    assert!(
        fitted
            .iter()
            .zip(&again)
            .all(|(a, b)| (a - b).abs() < 1e-12 * a.abs())
    );
    folder.write("e.bim", &bim.replace("\tA\tG\n", "\tA\tC\n"));
    refused(
        folder.run(&["predict", "report.json", "e.bed"]),
        &[
            "has the alleles A and C, of which A is counted",
            "on the other strand",
        ],
    );
    // A variant that is not there.
    let chosen = report["selected"][0]["name"].as_str().unwrap();
    folder.write("e.bim", &bim.replace(&format!("\t{chosen}\t"), "\tother\t"));
    refused(
        folder.run(&["predict", "report.json", "e.bed"]),
        &["the model needs the column", chosen],
    );
}

#[test]
fn survival_curves_begin_at_one_and_fall() {
    let folder = Folder::new();
    let mut text = String::from("time,event,x,z,site\n");
    for row in 0..80 {
        let x = (row * 37 % 41) as f64 / 10.0;
        let time = 1.0 + (row * 29 % 53) as f64 * (-x / 2.0).exp();
        let site = ["north", "south"][row % 2];
        text += &format!(
            "{time},{},{x},{},{site}\n",
            usize::from(row % 4 > 0),
            row * 11 % 17
        );
    }
    folder.write("t.csv", &text);
    select(
        &folder,
        "t.csv",
        &[
            "--family", "cox", "--time", "time", "--event", "event", "--strata", "site", "--keep",
            "x",
        ],
    );
    folder.write(
        "new.csv",
        "x,z,site\n1,2,north\n3,2,south\n2,2,\n1,2,west\n",
    );
    let new = ["predict", "report.json", "new.csv", "--times", "0,3,10"];
    refused(
        folder.run(&new),
        &["column `site` has in row 4 the level `west`"],
    );
    let told = predict(
        &folder,
        "new.csv",
        &[
            "--times",
            "0,3,10,1e6",
            "--unknown-levels",
            "missing",
            "--interval",
            "mean",
        ],
    );
    let own = &told["predictions"][0];
    let curve = ["0", "3", "10"].map(|time| numbers(&own[format!("survival[{time}]")]));
    for row in [0, 1] {
        assert_eq!(curve[0][row], 1.0);
        assert!(curve[1][row] < 1.0 && curve[2][row] < curve[1][row] && curve[2][row] > 0.0);
        assert!(own["survival[1000000]"][row].is_null());
    }
    assert!(curve[1][2].is_nan() && curve[1][3].is_nan());
    let warnings = told["warnings"].to_string();
    assert!(
        warnings.contains("beyond the last one of the fit")
            && warnings.contains("2 rows have no prediction"),
        "{warnings}"
    );
    // Without times no stratum is needed.
    folder.write("new.csv", "x,z\n1,2\n3,2\n");
    let own = fit(&predict(&folder, "new.csv", &[]));
    assert!(own[1] > own[0]);
}
