//! `passel predict`: what a report says of its own data and of others, and what it says of data that do not fit it.

use std::{collections::HashMap, fs, process::Command};

use serde_json::Value;

use crate::support::{self, Folder, Ran};

/// Rows of `cars.csv`.
pub(crate) const ROWS: usize = 48;

/// The columns of a row of `cars.csv`: a price and what it is made of, with some noise.
pub(crate) fn car(row: usize) -> (f64, f64, f64, &'static str, f64) {
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

pub(crate) fn cars(folder: &Folder) {
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
pub(crate) fn succeeds(ran: Ran) -> Ran {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran
}

/// Selects from a file into `report.json`, and returns the report.
#[track_caller]
pub(crate) fn select(folder: &Folder, data: &str, options: &[&str]) -> Value {
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
pub(crate) fn predict(folder: &Folder, data: &str, options: &[&str]) -> Value {
    let mut arguments = vec!["predict", "report.json", data, "--format", "json"];
    arguments.extend(options);
    let ran = succeeds(folder.run(&arguments));
    serde_json::from_str(&ran.stdout).unwrap()
}

pub(crate) fn numbers(json: &Value) -> Vec<f64> {
    let all = json.as_array().unwrap_or_else(|| panic!("{json}")).iter();
    all.map(|own| own.as_f64().unwrap_or(f64::NAN)).collect()
}

pub(crate) fn fit(json: &Value) -> Vec<f64> {
    numbers(&json["predictions"][0]["fit"])
}

#[track_caller]
pub(crate) fn refused(ran: Ran, parts: &[&str]) {
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
    let piped = succeeds(support::ran(shell));
    assert_eq!(piped.stdout.lines().nth(2), Some("2,"));
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
            && warnings.contains("row 3 has no prediction, as it misses")
            && warnings.contains("row 4 has no prediction, as it has a level"),
        "{warnings}"
    );
    // Without times no stratum is needed.
    folder.write("new.csv", "x,z\n1,2\n3,2\n");
    let own = fit(&predict(&folder, "new.csv", &[]));
    assert!(own[1] > own[0]);
}
