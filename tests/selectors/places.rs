//! Every method wherever it may count: but for the names of devices and the seconds, reports
//! are the same.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::OnceLock,
    thread,
};

use serde_json::Value;

use super::{
    problems::{Random, golden},
    program::{csv, made, run},
    reference::NONE,
    support::{Folder, Ran},
};

/// Sets, the golden ones where they are there, each with its response.
fn sets(folder: &Folder) -> Vec<(PathBuf, &'static str)> {
    let mut sets = Vec::new();
    for (name, (n, p, levels, classes)) in [
        ("few.csv", (60, 12, 3, 2)),
        ("many.csv", (500, 30, 30, 7)),
        ("missing.csv", (200, 18, 6, 3)),
    ] {
        let mut random = Random::new(n as u64);
        let mut set = made(&mut random, n, p, levels, classes);
        // Ties go to the lowest column.
        set.columns[p - 1] = set.columns[0].clone();
        if name == "missing.csv" {
            for (j, column) in set.columns.iter_mut().enumerate().step_by(3) {
                column
                    .iter_mut()
                    .step_by(4 + j)
                    .for_each(|code| *code = NONE);
            }
        }
        folder.write(name, &csv(&set, 0));
        sets.push((folder.path(name), "y"));
    }
    let shipped = [
        "../../examples/data/breast_cancer.csv.gz",
        "simulated.csv.gz",
    ];
    sets.extend(shipped.map(|file| (golden(file), "class")));
    sets
}

/// Selectors that ship with the program.
pub fn methods() -> Vec<String> {
    let ran = run(&["methods", "--format", "json"]);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    let all = json["methods"].as_array().unwrap().iter();
    let theirs = all.filter(|method| !method["plugin"].is_null());
    let names = theirs.map(|method| method["name"].as_str().unwrap().to_owned());
    names.collect()
}

/// Whether GPUs can be used; said on standard error where they cannot.
pub fn cuda_is_there() -> bool {
    static THERE: OnceLock<bool> = OnceLock::new();
    *THERE.get_or_init(|| {
        let folder = Folder::new();
        let set = made(&mut Random::new(1), 40, 5, 3, 2);
        folder.write("set.csv", &csv(&set, 0));
        let data = folder.path("set.csv");
        let at = ["--response", "y", "--method", "mim", "--device", "cuda"];
        let ran = run(&[&["select", data.to_str().unwrap()][..], &at].concat());
        if ran.code == Some(0) {
            return true;
        }
        let required = std::env::var_os("PASSEL_REQUIRE_CUDA").is_some();
        assert!(!required, "CUDA is required: {}", ran.stderr);
        // Whatever is missing, the way without is told.
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
        eprintln!("skipped: {}", ran.stderr);
        false
    })
}

/// A report without what may differ.
fn told(ran: &Ran) -> Value {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let mut json: Value = serde_json::from_str(&ran.stdout).unwrap();
    let report = json.as_object_mut().unwrap();
    for differs in ["devices", "elapsed_seconds"] {
        assert!(report.remove(differs).is_some());
    }
    // Which device a permutation test ran on is a warning where GPUs were asked for.
    let warnings = report["warnings"].as_array_mut().unwrap();
    warnings.retain(|warning| !warning.as_str().unwrap().contains("it ran on the CPU"));
    json
}

/// Runs every method in every way on every set here and there, as many methods at a time as there are cores.
fn places_do_not_show(places: &[&[&str]]) {
    let folder = Folder::new();
    let mut compared = 0;
    let methods = methods();
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    for (data, response) in sets(&folder) {
        let set = (data.as_path(), response);
        for group in methods.chunks(cores) {
            compared += thread::scope(|scope| {
                let runs = group
                    .iter()
                    .map(|method| scope.spawn(|| by_method(set, method, places)));
                let runs: Vec<_> = runs.collect();
                runs.into_iter()
                    .map(|run| run.join().unwrap())
                    .sum::<usize>()
            });
        }
    }
    // Three sets at least, by more than ten methods.
    assert!(compared > 60, "{compared}");
}

/// How many reports of one method were compared.
fn by_method((data, response): (&Path, &str), method: &str, places: &[&[&str]]) -> usize {
    let missing = data.ends_with("missing.csv");
    let always = [
        "select",
        data.to_str().unwrap(),
        "--method",
        method,
        "--response",
        response,
        "--binning",
        "levels",
        "--format",
        "json",
    ];
    let pairwise: &[&str] = if missing {
        &["--missing", "pairwise"]
    } else {
        &[]
    };
    let ways: [&[&str]; 5] = [
        &["--top", "8"],
        &["--threshold", "0.02", "--top", "10"],
        &["--top", "2", "--stop", "permutation:n=39,alpha=0.5"],
        &["--top", "2", "--stop", "permutation:raw,n=39,alpha=0.5"],
        &["--top", "5", "--missing", "level"],
    ];
    let mut compared = 0;
    for (at, way) in ways.into_iter().enumerate() {
        // Where nothing is missing the last is the first.
        let way = match at {
            4 if !missing => continue,
            4 => way.to_vec(),
            _ => [way, pairwise].concat(),
        };
        let cpu = run(&[&always[..], &["--device", "cpu", "--threads", "1"], &way].concat());
        // Not every method has every way, nor a place for what is missing.
        if cpu.code != Some(0) {
            continue;
        }
        let expected = told(&cpu);
        for place in places {
            // It has no way on GPUs.
            let relief = method.starts_with("relief") && place[1] != "cpu";
            let ran = run(&[&always[..], place, &way].concat());
            if relief {
                assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
                continue;
            }
            compared += 1;
            let what = format!("{} by {method} on {place:?}: {way:?}", data.display());
            assert_eq!(told(&ran), expected, "{what}");
        }
    }
    compared
}

/// Scores all pairs of every set in every way here and there.
fn pairs_are_the_same(places: &[&[&str]]) {
    let folder = Folder::new();
    let mut compared = 0;
    for (data, response) in sets(&folder) {
        let missing = data.ends_with("missing.csv");
        for score in ["mi3", "synergy"] {
            let always = ["pairs", data.to_str().unwrap(), "--score", score];
            let always = [&always[..], &["--response", response, "--format", "json"]].concat();
            let ways: [&[&str]; 5] = [
                &["--top", "8"],
                &["--threshold", "0.01"],
                &["--binning", "levels", "--top", "30", "--threshold", "0.02"],
                &["--missing", "level", "--top", "8"],
                &["--missing", "pairwise", "--top", "8"],
            ];
            for way in if missing { &ways[3..] } else { &ways[..3] } {
                let at = |place: &[&str]| run(&[&always[..], place, way].concat());
                let expected = told(&at(&["--device", "cpu", "--threads", "1"]));
                for place in places {
                    compared += 1;
                    let what = format!("{} by {score} on {place:?}: {way:?}", data.display());
                    assert_eq!(told(&at(place)), expected, "{what}");
                }
            }
        }
    }
    assert!(compared >= 16, "{compared}");
}

#[test]
fn cpu_pairs_are_the_same() {
    pairs_are_the_same(&[
        &["--device", "cpu", "--threads", "3"],
        &["--device", "cpu", "--memory-limit", "2MB"],
    ]);
}

#[test]
fn cuda_pairs_are_the_same() {
    if cuda_is_there() {
        pairs_are_the_same(&[
            &["--device", "cuda"],
            &["--device", "cuda:0", "--memory-limit", "100kB"],
        ]);
    }
}

#[test]
fn cpu_every_method_chooses_the_same() {
    places_do_not_show(&[&["--device", "cpu", "--threads", "3"]]);
}

#[test]
fn cuda_every_method_chooses_the_same() {
    if cuda_is_there() {
        places_do_not_show(&[
            &["--device", "cuda"],
            &["--device", "cuda:0", "--memory-limit", "100kB"],
        ]);
    }
}
