//! `passel simulate` as a user meets it, and `passel select` on what it wrote.

use std::{collections::HashSet, fs};

use serde_json::Value;

use crate::support::{Folder, HANDLES_INT, ran};

/// Small settings of every model.
const SMALL: [&[&str]; 5] = [
    &["ing-lai", "--n", "60", "--p", "90", "--r", "4"],
    &["chen-chen", "--n", "80", "--p", "20", "--r", "9"],
    &["hung", "--n", "70", "--snps", "22"],
    &["ar1", "--n", "90", "--p", "60", "--r", "6", "--snr", "none"],
    &["genotypes", "--n", "90", "--p", "60", "--r", "3"],
];
const ENDINGS: [&str; 6] = ["csv", "tsv", "dat", "csv.gz", "tsv.gz", "dat.gz"];

fn simulate(folder: &Folder, model: &[&str], more: &[&str]) {
    let ran = folder.run(&[&["simulate"], model, more].concat());
    let told = (ran.code, ran.stdout.as_str(), ran.stderr.as_str());
    assert_eq!(told, (Some(0), "", ""));
}

fn select(folder: &Folder, file: &str) -> Value {
    let response = ["--response", "y", "--format", "json", "--particles", "32"];
    let ran = folder.run(&[&["select", file][..], &response].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let mut json: Value = serde_json::from_str(&ran.stdout).unwrap();
    json["elapsed_seconds"] = Value::Null;
    json
}

#[test]
fn a_seed_is_one_file_and_another_seed_another() {
    let folder = Folder::new();
    let bytes = |name: &str| fs::read(folder.path(name)).unwrap();
    for model in SMALL {
        for ending in ENDINGS {
            let [a, b, c] = ["a", "b", "c"].map(|name| format!("{name}.{ending}"));
            simulate(&folder, model, &["--output", &a]);
            simulate(&folder, model, &["--output", &b, "--seed", "1"]);
            simulate(&folder, model, &["--output", &c, "--seed", "2"]);
            assert_eq!(bytes(&a), bytes(&b), "{model:?} {ending}");
            assert_ne!(bytes(&a), bytes(&c), "{model:?} {ending}");
        }
    }
}

#[test]
fn the_first_line_is_the_command_that_makes_the_file() {
    let folder = Folder::new();
    for model in SMALL {
        for (name, again) in [("a.csv", "b.csv"), ("a.dat", "b.dat")] {
            simulate(&folder, model, &["--output", name, "--seed", "9"]);
            let text = folder.read(name);
            let first = text.lines().next().unwrap();
            let command = first.strip_prefix("# passel simulate ").unwrap();
            let command: Vec<&str> = command.split(' ').collect();
            simulate(&folder, &command, &["--output", again]);
            assert_eq!(folder.read(again), text);
        }
    }
    simulate(
        &folder,
        &["chen-chen", "--correlation", "independent", "--p", "9"],
        &["--output", "c.csv"],
    );
    assert!(folder.read("c.csv").starts_with(
        "# passel simulate chen-chen --n 200 --p 9 --r 8 --correlation independent --snr none \
         --seed 1\n# passel truth "
    ));
}

#[test]
fn a_selection_counts_the_truth_of_the_file() {
    let folder = Folder::new();
    for model in SMALL {
        simulate(&folder, model, &["--output", "t.csv"]);
        let json = select(&folder, "t.csv");
        let text = folder.read("t.csv");
        let line = text.lines().nth(1).unwrap();
        let truth = line.strip_prefix("# passel truth ").unwrap();
        let truth: HashSet<&str> = truth.split(',').collect();
        let chosen: Vec<&str> = json["selected"]
            .as_array()
            .unwrap()
            .iter()
            .map(|variable| variable["name"].as_str().unwrap())
            .collect();
        assert!(!chosen.is_empty(), "{model:?}");
        let found = chosen.iter().filter(|name| truth.contains(*name)).count();
        let rates = &json["truth"];
        assert_eq!(rates["variables"], truth.len(), "{model:?}");
        assert_eq!(rates["found"], found);
        assert_eq!(rates["psr"], found as f64 / truth.len() as f64);
        let false_ones = (chosen.len() - found) as f64;
        assert_eq!(rates["fdr"], false_ones / chosen.len() as f64);
        let report = folder.run(&["select", "t.csv", "--response", "y"]).stdout;
        let line = format!(" of {} true variables found: PSR ", truth.len());
        assert!(report.contains(&line), "{report}");
    }
}

#[test]
fn every_format_holds_the_same_data() {
    let folder = Folder::new();
    for model in SMALL {
        let of = |ending: &str| {
            let name = format!("t.{ending}");
            simulate(&folder, model, &["--output", &name]);
            select(&folder, &name)
        };
        let named = of("csv");
        for ending in &ENDINGS[1..] {
            let mut json = of(ending);
            json["data"] = named["data"].clone();
            if ending.starts_with("dat") {
                // There the variables have numbers alone.
                for list in ["models", "inclusion", "front", "warnings"] {
                    let items = |json: &Value| json[list].as_array().unwrap().len();
                    assert_eq!(items(&json), items(&named), "{list}");
                    json[list] = named[list].clone();
                }
                for list in ["selected", "set_aside"] {
                    let names = named[list].as_array().unwrap();
                    let items = json[list].as_array_mut().unwrap();
                    assert_eq!(names.len(), items.len());
                    for (named, item) in names.iter().zip(items) {
                        let index = &item["index"];
                        assert!(index.is_null() || item["name"] == format!("x{index}"));
                        item["name"] = named["name"].clone();
                        let members = item["credible_set"]["members"].as_array_mut();
                        for (at, member) in members.into_iter().flatten().enumerate() {
                            let of_named = &named["credible_set"]["members"][at]["name"];
                            member["name"] = of_named.clone();
                        }
                        if let Some(column) = named.get("column") {
                            item["column"] = column.clone();
                        }
                    }
                }
            }
            if ending.starts_with("dat") {
                json["covariance"]["names"] = named["covariance"]["names"].clone();
                json["truth"]["missed"] = named["truth"]["missed"].clone();
                for list in ["columns", "variables"] {
                    let names = named["model"][list].as_array().unwrap();
                    let items = json["model"][list].as_array_mut().unwrap();
                    assert_eq!(names.len(), items.len());
                    for (named, item) in names.iter().zip(items) {
                        item["name"] = named["name"].clone();
                    }
                }
            }
            assert_eq!(json, named, "{model:?} {ending}");
        }
    }
}

#[test]
fn what_cannot_be_made_is_told_and_leaves_nothing() {
    let folder = Folder::new();
    for (arguments, told) in [
        (
            &["hung", "--rho", "0.3", "--output", "t.csv"][..],
            "error: the model hung has no option rho: it has n, snps, snr, seed\n",
        ),
        (
            &[
                "chen-chen",
                "--correlation",
                "independent",
                "--rho",
                "-.1",
                "--output",
                "t.csv",
            ],
            "error: the model chen-chen with correlation independent has no option rho: \
             it has n, p, r, correlation, snr, seed\n",
        ),
        (
            &[
                "ar1",
                "--n",
                "2",
                "--snps",
                "3",
                "--correlation",
                "AR",
                "--output",
                "t.csv",
            ],
            "error: n = 2 must be 3 … 1000000000\n\
             error: the model ar1 has no option correlation: it has n, p, r, rho, snr, seed\n\
             error: the model ar1 has no option snps: it has n, p, r, rho, snr, seed\n",
        ),
        (
            &["chen-chen", "--correlation", "AR", "--output", "t.csv"],
            "error: correlation = AR must be independent, constant or ar; did you mean `ar`?\n",
        ),
        (
            &["ing-lai", "--p", "5", "--output", "t.csv"],
            "error: r = 10 must be 1 … p = 5 in the model ing-lai\n",
        ),
        (
            &["ar1", "--rho", "-1", "--output", "t.csv"],
            "error: rho = -1 must be above -1 and below 1; at least 0 for constant correlation and \
             for genotypes\n",
        ),
        (
            &[
                "ing-lai",
                "--n",
                "1000000000",
                "--p",
                "1000000000",
                "--output",
                "t.csv",
            ],
            "error: a table of 1000000000 × 1000000000 is more than fits into memory: \
             ask for a smaller one\n",
        ),
        (
            &["ar1", "--output", "t.npy"],
            "error: t.npy: the file's name tells its format and must end in .csv, .tsv or .dat, \
             each optionally followed by .gz; simulated genotypes also in .bed\n",
        ),
        (
            &["ar1", "--output", "no/t.csv"],
            "error: cannot write no/t.csv: there is no folder no; make it first\n",
        ),
        (
            &["ar1", "--output", ""],
            "error: output = \"\" must be .csv, .tsv or .dat, each with or without .gz; \
             of genotypes also .bed\n",
        ),
    ] {
        let ran = folder.run(&[&["simulate"], arguments].concat());
        let ended = (ran.code, ran.stdout.as_str(), ran.stderr.as_str());
        assert_eq!(ended, (Some(2), "", told));
        assert_eq!(folder.names(), ["data.csv"]);
    }
    for (arguments, told) in [
        (
            &["simulate", "ing-lay", "--output", "t.csv"][..],
            "'ing-lai'",
        ),
        (&["simulate", "ing-lai"], "--output <FILE>"),
    ] {
        let ran = folder.run(arguments);
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
    }
}

#[test]
fn the_help_has_the_models_and_their_defaults() {
    let folder = Folder::new();
    let help = folder.run(&["simulate", "--help"]).stdout;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "[possible values: ing-lai, chen-chen, hung, ar1, genotypes]",
        "[default: ing-lai 400, chen-chen 200, hung 200, ar1 500, genotypes 1000; range: 3",
        "[default: 1; range: 0",
        "ar1: strongly correlated",
    ] {
        assert!(help.contains(part), "{part}: {help}");
    }
}

/// What passel takes for simulated data, which it may replace.
const OLD: &str = "# passel simulate before\n";

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_the_old_file_and_130() {
    let folder = Folder::new();
    folder.write("t.csv.gz", OLD);
    // Twenty million numbers are compressed long after the signal is handled.
    let script = "\"$passel\" simulate ing-lai --n 2000 --p 10000 --output t.csv.gz & id=$!; \
                  handles_int $id; kill -INT $id; wait $id";
    let ran = ran(folder.shell(&format!("{HANDLES_INT}{script}")));
    assert_eq!(ran.code, Some(130), "{}", ran.stderr);
    // On a busy machine the signal may come before the first number.
    let told = [
        "error: interrupted: nothing was found or written\n",
        "interrupted: no work had begun\n",
    ];
    assert!(told.contains(&&*ran.stderr), "{}", ran.stderr);
    assert_eq!(folder.read("t.csv.gz"), OLD);
    assert_eq!(folder.names(), ["data.csv", "t.csv.gz"]);
}

#[cfg(unix)]
#[test]
fn a_disk_that_fills_leaves_the_old_file_and_1() {
    let folder = Folder::new();
    folder.write("t.csv", OLD);
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$passel\" simulate hung --output t.csv";
    let ran = ran(folder.shell(script));
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(
        ran.stderr.starts_with("error: writing t.csv failed: "),
        "{}",
        ran.stderr
    );
    assert_eq!(folder.read("t.csv"), OLD);
    assert_eq!(folder.names(), ["data.csv", "t.csv"]);
}
