//! What the report of a regression warns of: variables that are no measurement, coefficients that rest on
//! one observation, rows that were left out.

use serde_json::Value;

use crate::support::Folder;

/// The warnings of a selection from `d.csv` with the response y, in JSON and, one a line, in text.
fn warnings(folder: &Folder, more: &[&str]) -> Vec<String> {
    let own = ["select", "d.csv", "--response", "y"];
    let run = |format: &str| {
        let ran = folder.run(&[&own, more, &["--format", format]].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran.stdout
    };
    let json: Value = serde_json::from_str(&run("json")).unwrap();
    let warnings = json["warnings"].as_array().unwrap().iter();
    let warnings: Vec<String> = warnings
        .map(|own| own.as_str().unwrap().to_owned())
        .collect();
    let text = run("text");
    for warning in &warnings {
        assert!(text.contains(&format!("warning: {warning}")), "{text}");
    }
    warnings
}

/// A column that is no row number and has many values.
fn mixed(row: usize) -> f64 {
    (row * 37 % 101) as f64 / 10.0
}

fn folder(header: &str, rows: usize, of: impl Fn(usize) -> String) -> Folder {
    let folder = Folder::new();
    let rows: String = (0..rows).map(|row| of(row) + "\n").collect();
    folder.write("d.csv", &format!("{header}\n{rows}"));
    folder
}

#[test]
fn row_numbers_and_the_index_of_a_pandas_table_are_warned_of() {
    let data = folder("y,id,x,Unnamed: 0", 40, |row| {
        let (y, x) = (mixed(row) + row as f64, mixed(row + 7));
        format!("{y},{},{x},{}", row + 1, 2 * row)
    });
    let told = warnings(&data, &[]);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("id is the row number"), "{told:?}");
    assert!(told[0].contains("--drop id"), "{told:?}");
    assert!(told[1].starts_with("Unnamed: 0 is by its name"), "{told:?}");
    assert!(told[1].contains("--drop 'Unnamed: 0'"), "{told:?}");
    // Whoever keeps it knows it, and whoever drops it has heeded.
    let drop = ["--keep", "id", "--drop", "Unnamed: 0"];
    assert_eq!(warnings(&data, &drop), [""; 0]);
}

#[test]
fn a_variable_of_one_observation_is_warned_of_with_its_row() {
    let data = folder("name,y,kind,x", 30, |row| {
        let kind = ["a", "b"][row % 2];
        let (kind, y) = if row == 11 {
            ("rare", 90.0)
        } else {
            (kind, mixed(row))
        };
        format!("car {row},{y},{kind},{}", mixed(row + 5))
    });
    let drop = ["--drop", "name"];
    let told = warnings(&data, &drop);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("kind=rare (row 12):"), "{told:?}");
    assert!(told[0].contains("leverage 1"), "{told:?}");
    // Weights take nothing away.
    assert_eq!(
        warnings(&data, &["--drop", "name", "--weights", "x"]).len(),
        1
    );
    // The file's name for the row stands beside it.
    let labelled = std::fs::read_to_string(data.path("d.csv")).unwrap();
    data.write("d.csv", labelled.strip_prefix("name").unwrap());
    let told = warnings(&data, &[]);
    assert!(told[1].contains("kind=rare (row 12, car 11):"), "{told:?}");
    // Of two observations it is a group.
    data.write("d.csv", &labelled.replace("car 12,4,a", "car 12,89,rare"));
    assert_eq!(warnings(&data, &drop), [""; 0]);
}

#[test]
fn whole_numbers_of_few_values_may_be_codes() {
    let data = folder("y,race,dose,snp,step,x", 60, |row| {
        let (race, dose, snp) = (1 + row % 3, row / 3 % 5, row / 15 % 3);
        let (step, x) = (row % 4, mixed(row));
        let y = 3.0 * race as f64
            + 2.0 * (dose + snp) as f64
            + step as f64
            + (row * 53 % 89) as f64 / 99.0;
        format!("{y},{race},{dose},{snp},{}.5,{x}", step)
    });
    let told = warnings(&data, &["--keep", "race,dose,snp,step"]);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].starts_with("race, dose hold few whole numbers")
            && told[0].contains("--factor race,dose"),
        "{told:?}"
    );
    assert_eq!(warnings(&data, &["--factor", "race,dose"]), [""; 0]);
}

#[test]
fn rows_that_were_dropped_are_told_by_the_columns_that_miss_values() {
    let data = folder("y,a,b,c,d,e", 50, |row| {
        let cell = |every: usize| match row % every {
            3 => "NA".to_owned(),
            _ => mixed(row * every).to_string(),
        };
        let cells = [9, 5, 40, 30].map(cell).join(",");
        format!("{},{cells},{}", mixed(row), mixed(row + 3))
    });
    let expected = "14 of 50 rows were dropped for missing values: b misses 10, a 6, c 2, … 1 more";
    let own = ["--missing", "drop-rows"];
    assert_eq!(warnings(&data, &own)[0], expected);
    let mim = warnings(&data, &[&own[..], &["--method", "mim"]].concat());
    assert_eq!(mim[0], expected);
}

#[test]
fn several_codes_that_count_as_censored_are_told_with_their_rows() {
    let data = folder("y,e,x", 60, |row| {
        format!("{},{},{}", 1.0 + mixed(row), row % 3, mixed(row + 7))
    });
    let own = ["--family", "cox", "--event", "e", "--success", "2"];
    let told = warnings(&data, &own);
    let expected =
        "beside the event 2 e has 0 in 20 rows, 1 in 20 rows, which all count as censored";
    assert!(told[0].starts_with(expected), "{told:?}");
    let words = std::fs::read_to_string(data.path("d.csv")).unwrap();
    let words = words.replace(",0,", ",alive,").replace(",1,", ",left,");
    data.write("d.csv", &words.replace(",2,", ",died,"));
    let told = warnings(&data, &[&own[..5], &["died"]].concat());
    assert!(
        told[0].contains("alive in 20 rows, left in 20 rows"),
        "{told:?}"
    );
    // One other code is that of the censored.
    data.write("d.csv", &words.replace(",2,", ",left,"));
    assert_eq!(warnings(&data, &[&own[..5], &["left"]].concat()), [""; 0]);
}

#[test]
fn a_kept_variable_may_explain_nothing() {
    let folder = Folder::new();
    // x0 and y are uncorrelated but for rounding: R² is 0, and F must not be below it.
    for rows in ["1,2,0\n2,1,1\n3,3,0\n", "1,2,0.1\n2,1,0.7\n3,3,0.1\n"] {
        folder.write("tiny.csv", &format!("x0,x1,y\n{rows}"));
        let ran = folder.run(&[
            "select",
            "tiny.csv",
            "--response",
            "y",
            "--keep",
            "x0",
            "--format",
            "json",
        ]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
}
