//! Rows that a model predicts nothing of, or beyond what it was fitted to, and files that it predicts by.

use std::{fs, io::Write, process::Stdio};

use serde_json::Value;

use crate::{
    predictions::{cars, fit, numbers, predict, refused, select, succeeds},
    support::Folder,
};

#[track_caller]
fn warns(predicted: &Value, parts: &[&str]) {
    let all = predicted["warnings"].to_string();
    for part in parts {
        assert!(all.contains(part), "{part} in {all}");
    }
}

#[test]
fn rows_of_which_a_formula_makes_nothing_have_no_prediction() {
    let folder = Folder::new();
    cars(&folder);
    let formula = "price ~ log(power) + cut(weight, c(0, 1200, 2000))";
    let keep = "log(power),cut(weight, c(0, 1200, 2000))";
    let keep = format!("\"{}\"", keep.replace("),cut", ")\",\"cut"));
    select(
        &folder,
        "cars.csv",
        &["--formula", formula, "--keep", &keep],
    );
    let rows = [
        "100,1000", "-1,1000", "100,3000", "90,1500", "0,1000", ",1000", "80,-5",
    ];
    let text = |rows: &[&str]| format!("power,weight\n{}\n", rows.join("\n"));
    folder.write("new.csv", &text(&rows));
    folder.write("good.csv", &text(&[rows[0], rows[3]]));
    let (own, good) = (
        predict(&folder, "new.csv", &[]),
        fit(&predict(&folder, "good.csv", &[])),
    );
    let all = fit(&own);
    assert_eq!([all[0], all[3]], [good[0], good[1]]);
    assert!(
        [1, 2, 4, 5, 6].iter().all(|row: &usize| all[*row].is_nan()),
        "{all:?}"
    );
    warns(
        &own,
        &[
            "row 6 has no prediction, as it misses a value that the model needs, in column power",
            "4 rows have no prediction, as the model's formula makes no number of their values: the first is row 2, where `log(power)` is NaN",
        ],
    );
    folder.write("bad.csv", &text(&["90,1500", "-3,1000"]));
    warns(
        &predict(&folder, "bad.csv", &[]),
        &[
            "row 2 has no prediction, as the model's formula makes no number of its values: `log(power)` is NaN",
        ],
    );
    // Where no row is left there is nothing but warnings.
    folder.write("none.csv", &text(&["-1,1000", "100,9000"]));
    let none = predict(&folder, "none.csv", &[]);
    assert!(fit(&none).iter().all(|own| own.is_nan()));
    warns(&none, &["2 rows have no prediction"]);
}

#[test]
fn rows_beyond_the_fit_are_counted_where_a_curve_goes_on() {
    let folder = Folder::new();
    cars(&folder);
    folder.write(
        "new.csv",
        "power,weight\n100,1000\n10,1000\n500,1000\n100,9000\n",
    );
    for (term, is_told) in [
        ("poly(power, 2)", true),
        ("ns(power, df = 3)", true),
        ("power", false),
    ] {
        let formula = format!("price ~ {term} + weight");
        let keep = format!("\"{term}\"");
        select(
            &folder,
            "cars.csv",
            &["--formula", &formula, "--keep", &keep, "--overwrite"],
        );
        let own = predict(&folder, "new.csv", &[]);
        let told = own["warnings"].to_string();
        let words = "2 rows lie beyond the values of the fit in power (60 to 190)";
        assert_eq!(told.contains(words), is_told, "{term}: {told}");
    }
}

#[test]
fn weights_say_which_rows_have_intervals_of_observations() {
    let folder = Folder::new();
    cars(&folder);
    let options = [
        "--response",
        "price",
        "--weights",
        "w",
        "--drop",
        "sales,sold,kind",
    ];
    select(&folder, "cars.csv", &options);
    folder.write(
        "new.csv",
        "power,weight,w\n100,1000,1\n100,1000,0\n100,1000,\n",
    );
    let both = ["--interval", "both"];
    let own = predict(&folder, "new.csv", &both);
    warns(
        &own,
        &[
            "2 rows have no interval of a new observation, as the weight in column w is 0 or missing: the first is row 2",
        ],
    );
    let lower = numbers(&own["predictions"][0]["observation_lower"]);
    assert!(!lower[0].is_nan() && lower[1].is_nan() && lower[2].is_nan());
    folder.write("new.csv", "power,weight,w\n100,1000,1\n100,1000,-2\n");
    let ran = folder.run(&["predict", "report.json", "new.csv", "--interval", "both"]);
    refused(ran, &["column `w` holds the weight -2 in row 2"]);
    predict(&folder, "new.csv", &["--interval", "mean"]);
}

#[test]
fn text_in_a_column_of_numbers_gets_advice_that_predict_can_follow() {
    let folder = Folder::new();
    cars(&folder);
    select(
        &folder,
        "cars.csv",
        &["--response", "price", "--drop", "sales,sold,kind,w"],
    );
    for text in [
        "power,weight\n100,1000\nmany,1000\n",
        "power,weight\n\"1,234.5\",1000\n",
    ] {
        folder.write("new.csv", text);
        let ran = folder.run(&["predict", "report.json", "new.csv"]);
        assert!(!ran.stderr.contains("--factor"), "{}", ran.stderr);
        refused(
            ran,
            &[
                "power",
                if text.contains("many") {
                    "mend the value, or say with --na 'many'"
                } else {
                    "separators"
                },
            ],
        );
    }
}

#[test]
fn a_warning_says_which_criterion_it_is_of() {
    let folder = Folder::new();
    cars(&folder);
    let options = [
        "--response",
        "price",
        "--drop",
        "sales,sold,kind,w",
        "--criterion",
        "aic,ebic:gamma=1",
    ];
    select(&folder, "cars.csv", &options);
    folder.write("new.csv", "power,weight\n100,1000\n,1000\n");
    let own = predict(&folder, "new.csv", &[]);
    // Both models say it.
    let all = own["warnings"].as_array().unwrap();
    assert_eq!(all.len(), 1, "{all:?}");
    assert!(
        all[0]
            .as_str()
            .unwrap()
            .starts_with("price: row 2 has no prediction")
    );
}

#[test]
fn a_result_of_a_run_is_taken_as_it_was_written_alone() {
    let folder = Folder::new();
    cars(&folder);
    folder.write("new.csv", "power,weight\n100,1000\n");
    folder.write("jobs.toml", "[[job]]\ndata = \"cars.csv\"\nresponse = \"price\"\ndrop = [\"sales\", \"sold\", \"kind\", \"w\"]\n");
    let ran = folder.run(&["run", "jobs.toml", "--output", "results"]);
    assert!(ran.code == Some(0), "{}", ran.stderr);
    let files = fs::read_dir(folder.path("results")).unwrap();
    let names = files.map(|file| file.unwrap().path());
    let result = names.filter(|path| path.extension().is_some_and(|own| own == "json"));
    let result = result
        .filter(|path| fs::read_to_string(path).unwrap().contains("\"sha256\""))
        .find(|path| fs::read_to_string(path).unwrap().contains("\"result\""));
    let result = result.unwrap();
    let name = result.to_str().unwrap();
    let ran = succeeds(folder.run(&["predict", name, "new.csv"]));
    let text = fs::read_to_string(&result).unwrap();
    // A report from standard input, of a run as well.
    let mut command = folder.passel(&["predict", "-", "new.csv"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let by_input = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(by_input.stdout).unwrap(), ran.stdout);
    let changed = text.replacen("0.95", "0.94", 1);
    assert_ne!(changed, text);
    fs::write(&result, changed).unwrap();
    refused(
        folder.run(&["predict", name, "new.csv"]),
        &["damaged, or changed since a run wrote it"],
    );
    refused(
        folder.run(&["predict", "-", "-"]),
        &["report and data are both standard input"],
    );
}

#[test]
fn dates_of_columns_that_nothing_uses_are_not_told() {
    let folder = Folder::new();
    let rows = (0..30).map(|row| {
        let (x, day) = (row * 7 % 11, 1 + row % 28);
        format!("{}.5,{x},2024-01-{day:02}\n", 3 * x + row % 2)
    });
    folder.write("d.csv", &format!("y,x,day\n{}", rows.collect::<String>()));
    let told = |options: &[&str]| {
        let ran = succeeds(folder.run(&[&["select", "d.csv"], options].concat()));
        (ran.stdout + &ran.stderr).contains("holds dates")
    };
    assert!(told(&["--response", "y"]));
    assert!(!told(&["--response", "y", "--drop", "day"]));
    assert!(!told(&["--formula", "y ~ x"]));
}
