//! What is wrong, and what is told.

use super::*;

#[track_caller]
fn assert_told(result: Result<impl Sized, BinningError>, parts: &[&str]) {
    let told = result.err().unwrap().to_string();
    for part in parts {
        assert!(told.contains(part), "{told:?} does not tell {part:?}");
    }
}

#[test]
fn texts_that_are_no_rules() {
    for rule in [
        "auto",
        "levels",
        "equal-width:2",
        "equal-frequency:65536",
        "mdlp",
        "edges:a:b",
    ] {
        assert_eq!(rule.parse::<Binning>().unwrap().to_string(), rule);
    }
    for wrong in [
        "",
        "Levels",
        "levels:3",
        "equal-width",
        "equal-width:",
        "equal-width:1",
        "equal-width:65537",
        "equal-width:+3",
        "equal-width:2.5",
        "edges",
        "edges:",
        "mdlp:3",
        "mdl",
    ] {
        let parts = ["equal-frequency:BINS (2 … 65536)", wrong];
        assert_told(wrong.parse::<Binning>(), &parts);
    }
    assert_told(
        "equal-wdth:3".parse::<Binning>(),
        &["did you mean `equal-width`?"],
    );
    assert_told("mdpl".parse::<Binning>(), &["did you mean `mdlp`?"]);
}

#[test]
fn a_response_by_its_own_levels() {
    let options = BinningOptions {
        bin_response: &Binning::Mdlp,
        ..BinningOptions::default()
    };
    let found = bin(table(2, [numbers([1.0, 2.0])]), &options);
    let parts = ["--bin-response mdlp", "--bin-response equal-frequency:5"];
    assert_told(found, &parts);
}

#[test]
fn names_that_are_no_columns() {
    let names = |response, drop: &[&str]| {
        let drop: Vec<String> = drop.iter().map(|name| (*name).to_owned()).collect();
        let options = BinningOptions {
            response,
            drop: &drop,
            ..BinningOptions::default()
        };
        let mut t = table(2, [numbers([1.0, 2.0])]);
        t.columns[1].name = "height".to_owned();
        t.response = None;
        bin(t, &options)
    };
    assert!(names(Some("y"), &[]).is_ok());
    assert_told(names(None, &[]), &["t", "--response", "y, height"]);
    let parts = ["--response names `hieght`", "did you mean `height`?"];
    assert_told(names(Some("hieght"), &[]), &parts);
    assert_told(
        names(Some("y"), &["hight"]),
        &["--drop names `hight`", "`height`?"],
    );
    assert_told(names(Some("y"), &["y"]), &["`y` is the response", "--drop"]);
    assert_told(
        names(Some("y"), &["height"]),
        &["t has no variable to choose from"],
    );
}

#[test]
fn missing_values_that_are_refused() {
    let t = table(2, [numbers([1.0, NAN])]);
    assert_told(
        binned(t, "auto", Missing::Refuse),
        &["`x0` 1 (first in row 2)"],
    );
}

#[test]
fn too_many_levels() {
    let n = 65_537;
    let all = || numbers((0..n).map(f64::from));
    let t = table(n as usize, [all()]);
    let parts = [
        "t: column `x0` has 65537 levels",
        "--binning equal-width:10",
    ];
    assert_told(binned(t, "levels", Missing::Refuse), &parts);
    let mut t = table(n as usize, [numbers(vec![0.0; 65_537])]);
    t.columns[0].values = all();
    let options = BinningOptions {
        bin_response: &Binning::Levels,
        ..BinningOptions::default()
    };
    assert_told(
        bin(t, &options),
        &["`y` has 65537 levels", "--bin-response equal-width:10"],
    );
    let names: Vec<String> = (0..n).map(|i| format!("{i:05}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let codes: Vec<u32> = (0..n as u32).collect();
    let t = table(n as usize, [texts(&names, &codes)]);
    let parts = ["`x0` has 65537 levels", "--drop x0"];
    assert_told(binned(t, "equal-width:10", Missing::Refuse), &parts);
    // With missing values one level fewer is left to the others.
    let mut values: Vec<f64> = (0..n - 1).map(f64::from).collect();
    values.push(NAN);
    let t = table(n as usize, [numbers(values)]);
    assert_told(
        binned(t, "levels", Missing::Level),
        &["`x0` has 65537 levels"],
    );
}
