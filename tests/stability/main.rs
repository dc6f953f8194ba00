//! `passel stability` by its command line: what it finds, tells and refuses.

#![allow(clippy::unwrap_used)]

mod bounds;
mod frequencies;
mod resamples;
mod resampling;
#[path = "../support/program.rs"]
mod support;

use std::{collections::BTreeMap, process::Command};

use serde_json::Value;
use support::{Folder, Ran, finish, send, start, wait_for_line_that};

/// Noise in −0.5 … 0.5.
fn noise(mut state: u64) -> impl FnMut() -> f64 {
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1_u32 << 31) - 0.5
    }
}

/// Columns y, x0 … x29 with y = 2·x3 + 2·x7 + noise.
fn planted(rows: usize) -> String {
    let mut draw = noise(11);
    let names: Vec<String> = (0..30).map(|j| format!("x{j}")).collect();
    let mut text = format!("y,{}\n", names.join(","));
    for _ in 0..rows {
        let x: Vec<f64> = (0..30).map(|_| draw()).collect();
        let y = 2.0 * x[3] + 2.0 * x[7] + 0.5 * draw();
        let x: Vec<String> = x.iter().map(f64::to_string).collect();
        text += &format!("{y},{}\n", x.join(","));
    }
    text
}

fn stability<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["stability", "data.csv", "--response", "y"], more].concat()
}

fn json(folder: &Folder, more: &[&str]) -> Value {
    let ran = folder.run(&[&stability(more)[..], &["--format", "json"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

/// The names of a list of variables.
fn names(list: &Value) -> Vec<&str> {
    let list = list.as_array().unwrap().iter();
    list.map(|variable| variable["name"].as_str().unwrap())
        .collect()
}

/// How often each index was chosen.
fn counts(told: &Value) -> BTreeMap<u64, u64> {
    let all = told["variables"].as_array().unwrap().iter();
    all.map(|variable| {
        (
            variable["index"].as_u64().unwrap(),
            variable["count"].as_u64().unwrap(),
        )
    })
    .collect()
}

const JMI: [&str; 8] = [
    "--method",
    "jmi",
    "--top",
    "2",
    "--binning",
    "equal-frequency:3",
    "--bin-response",
    "equal-frequency:3",
];

#[test]
fn planted_variables_are_selected_and_noise_is_not() {
    let folder = Folder::new();
    folder.write("data.csv", &planted(120));
    let draws: [&[&str]; 3] = [
        &[],
        &["--resampling", "subsample"],
        &["--resampling", "bootstrap"],
    ];
    for (method, criterion) in [(&[][..], "ebic-monotone"), (&JMI, "")] {
        for draw in draws {
            let told = json(&folder, &[method, draw, &["--resamples", "30"]].concat());
            let mut selected = names(&told["selected"]);
            selected.sort_unstable();
            assert_eq!(selected, ["x3", "x7"], "{told}");
            let all = told["variables"].as_array().unwrap();
            let frequency = |variable: &Value| variable["frequency"].as_f64().unwrap();
            assert!(all[..2].iter().all(|variable| frequency(variable) >= 0.9));
            // Rows that come twice make noise look like more than it is.
            let most = if draw.contains(&"bootstrap") {
                0.75
            } else {
                0.3
            };
            assert!(
                all[2..].iter().all(|variable| frequency(variable) <= most),
                "{told}"
            );
            let made = told["resamples"].as_u64().unwrap();
            assert_eq!(made, if draw.is_empty() { 60 } else { 30 });
            let q = counts(&told).values().sum::<u64>() as f64 / made as f64;
            assert!((told["q"].as_f64().unwrap() - q).abs() < 1e-12);
            let rows = if draw.contains(&"bootstrap") { 120 } else { 60 };
            assert_eq!(
                (told["rows"].as_u64(), told["n"].as_u64()),
                (Some(rows), Some(120))
            );
            assert_eq!(
                (told["p"].as_u64(), told["k"].as_u64()),
                (Some(30), Some(2))
            );
            assert_eq!(told["criterion"]["name"].as_str().unwrap_or(""), criterion);
            let decides = told["bounds"].as_array().unwrap().last().unwrap();
            assert_eq!(decides["name"], told["decides"]);
            assert_eq!(decides["cutoff"], told["cutoff"]);
            // But for rounding: 2² / 30 / (2 · 17/30 − 1) is 1.
            assert!(decides["false_picks"].as_f64().unwrap() <= 1.0 + 1e-12);
            for variable in all {
                let both = variable["simultaneous"].as_f64();
                assert_eq!(both.is_some(), draw.is_empty());
                let held = both.is_none_or(|both| {
                    both <= frequency(variable) + 1e-12
                        && both >= 2.0 * frequency(variable) - 1.0 - 1e-12
                });
                assert!(held, "{variable}");
            }
        }
    }
}

#[test]
fn threads_do_not_show_and_seeds_do() {
    let folder = Folder::new();
    folder.write("data.csv", &planted(60));
    // A mild criterion takes up noise, by which resamples differ.
    for method in [&["--criterion", "aic"][..], &JMI] {
        let result = |threads, seed| {
            let more = ["--resamples", "6", "--threads", threads, "--seed", seed];
            let mut told = json(&folder, &[method, &more].concat());
            told["elapsed_seconds"] = Value::Null;
            told["seed"] = Value::Null;
            told.to_string()
        };
        let one = result("1", "5");
        assert_eq!(one, result("2", "5"));
        assert_eq!(one, result("5", "5"));
        assert_ne!(one, result("1", "6"));
    }
}

#[test]
fn text_and_csv_hold_the_same() {
    let folder = Folder::new();
    let told = json(&folder, &["--resamples", "5"]);
    let text = folder.run(&stability(&["--resamples", "5"]));
    assert_eq!((text.code, text.stderr.as_str()), (Some(0), ""));
    for line in [
        "data                 data.csv",
        "resamples            5 complementary pairs of 30 rows each, seed 1",
    ] {
        assert!(
            text.stdout.lines().any(|own| own == line),
            "{}",
            text.stdout
        );
    }
    assert!(
        text.stdout
            .contains("\na             1.000        1.000       yes\n"),
        "{}",
        text.stdout
    );
    let csv = folder.run(&stability(&[
        "--resamples",
        "5",
        "--format",
        "csv",
        "--output",
        "o.csv",
    ]));
    assert_eq!((csv.code, csv.stdout.as_str()), (Some(0), ""));
    let csv = folder.read("o.csv");
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows[0], "name,index,frequency,count,simultaneous,selected");
    assert_eq!(rows[1], "a,0,1.0,10,1.0,true");
    assert_eq!(rows.len() - 1, told["variables"].as_array().unwrap().len());
}

#[test]
fn a_cutoff_that_is_given_decides_and_bounds_are_told_there() {
    let folder = Folder::new();
    folder.write("data.csv", &planted(60));
    let told = json(&folder, &["--cutoff", "0.62", "--resamples", "10"]);
    // The least frequency there can be from there on.
    assert_eq!(told["cutoff"].as_f64(), Some(0.65));
    assert_eq!(
        (&told["decides"], &told["false_picks"]),
        (&"given".into(), &Value::Null)
    );
    let q = told["q"].as_f64().unwrap();
    let worst = told["bounds"][0]["false_picks"].as_f64().unwrap();
    assert!((worst - q * q / 30.0 / 0.3).abs() < 1e-9);
    let low = json(&folder, &["--cutoff", "0.05", "--resamples", "10"]);
    assert_eq!(low["bounds"][0]["false_picks"], Value::Null);
    assert_eq!(low["k"].as_u64().unwrap() as usize, counts(&low).len());
}

#[test]
fn where_no_cutoff_is_enough_nothing_is_selected_and_it_is_said() {
    let folder = Folder::new();
    let more = [
        "--false-picks",
        "0.0001",
        "--resamples",
        "5",
        "--criterion",
        "aic",
    ];
    let told = json(&folder, &more);
    assert_eq!(
        (&told["cutoff"], told["k"].as_u64()),
        (&Value::Null, Some(0))
    );
    let warning = told["warnings"][0].as_str().unwrap();
    assert!(
        warning.starts_with("no cut-off keeps the expected number of false picks at 0.0001 ("),
        "{warning}"
    );
}

#[test]
fn what_selections_have_to_say_is_told_once_with_how_often() {
    let folder = Folder::new();
    let more = ["--max-size", "1", "--criterion", "aic", "--resamples", "4"];
    folder.write("data.csv", &planted(60));
    let told = json(&folder, &more);
    assert_eq!(
        told["warnings"],
        serde_json::json!([
            "in 8 resamples: the model has as many variables as allowed: the criterion may be \
             too mild, or --max-size too small"
        ])
    );
}

#[test]
fn wrong_options_and_data_end_with_2_and_all_are_told() {
    let folder = Folder::new();
    let refused = |more: &[&str]| {
        let Ran {
            code,
            stdout,
            stderr,
        } = folder.run(&stability(more));
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{stderr}");
        stderr
    };
    assert_eq!(
        refused(&["--resamples", "1", "--cutoff", "2", "--trace", "t.csv"]),
        "error: resamples = 1 must be 2 … 100000\n\
         error: cutoff = 2 must be above 0, at most 1\n\
         error: trace applies to a single selection and has no effect on resamples: leave it out\n"
    );
    assert_eq!(
        refused(&["--fraction", "0.3", "--format", "parquet"]),
        "error: format = parquet is only for one selection by the method pass: use csv, json or html\n\
         error: fraction needs resampling = subsample: other resamples have a fixed size\n"
    );
    assert_eq!(
        refused(&["--resampling", "subsample", "--fraction", "0.01"]),
        "error: a resample of 0 of the 60 observations is too small, 3 are needed: take more \
         observations, or a larger --fraction\n"
    );
    // Of the file, not of a resample.
    assert!(refused(&["--drop", "zz"]).starts_with("error: --drop names `zz`"));
    folder.write("rare.csv", &{
        let row = |at: usize| format!("{},{},{}\n", u8::from(at == 5), at, at * at % 17);
        "y,a,b\n".to_owned() + &(0..20).map(row).collect::<String>()
    });
    let rare = folder.run(&["stability", "rare.csv", "--response", "y", "--threads", "2"]);
    // Of each pair one half has the one event, and the other nothing to explain.
    let told = "in 100 resamples: nothing was chosen: the response `y` is constant (0): there is nothing to explain";
    assert_eq!(rare.code, Some(0), "{}", rare.stderr);
    assert!(rare.stdout.contains(told), "{}", rare.stdout);
    assert_eq!(folder.names(), ["data.csv", "rare.csv"]);
}

#[test]
fn the_help_lists_the_options_of_both() {
    let folder = Folder::new();
    let help = folder.run(&["stability", "--help"]);
    assert_eq!(help.code, Some(0));
    for option in [
        "--resamples",
        "--false-picks",
        "--cutoff",
        "--method",
        "--criterion",
    ] {
        assert!(help.stdout.contains(option), "{option}");
    }
}

/// The program, interrupted once it has told of so many resamples done.
#[cfg(unix)]
fn interrupted(command: Command) -> Ran {
    let mut child = start(command);
    // With so many resamples done some pairs are whole, whatever the number of threads.
    wait_for_line_that(&mut child, |line| {
        let progress: Value = serde_json::from_str(line).unwrap();
        progress["resample"]
            .as_u64()
            .is_some_and(|done| done >= 100)
    });
    send(&child, "INT");
    finish(child)
}

#[cfg(unix)]
#[test]
fn an_interrupt_tells_of_the_whole_pairs_done_and_ends_with_130() {
    let folder = Folder::new();
    folder.write("data.csv", &planted(60));
    let more = [
        "--resamples",
        "100000",
        "--format",
        "json",
        "--progress",
        "json",
    ];
    for method in [&[][..], &JMI] {
        let ran = interrupted(folder.passel(&stability(&[method, &more].concat())));
        assert_eq!(ran.code, Some(130), "{}", ran.stderr);
        assert!(
            ran.stderr
                .ends_with("interrupted: this is the best so far\n")
        );

        let told: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(told["termination"], "interrupted");
        let (done, of) = (told["resamples"].as_u64().unwrap(), &told["wanted"]);
        assert!(done > 0 && done % 2 == 0 && done < of.as_u64().unwrap());
        assert!(names(&told["variables"]).contains(&"x3"));
    }
}
