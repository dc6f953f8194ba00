//! `passel run`: what is done, and what is not done again; `batch_ends.rs` that nothing is lost.

use std::{collections::BTreeMap, fs, path::Path};

use crate::support::Folder;
use serde_json::Value;

/// Twelve jobs that take a blink each.
pub const GRID: &str = r#"
[defaults]
response = "y"
particles = 4
iterations = 10

[[job]]
name = "grid"
data = "data.csv"
criterion = ["ebic", "ebic:gamma=0.5"]
seed = { from = 3, count = 5 }

[[job]]
name = "pairs"
command = "pairs"
data = ["data.csv"]
top = [2, 3]
"#;

/// Every file of the results but times, the lock and how the run stood, with what it holds.
pub fn results(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let named = files.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), path));
    let kept = named.filter(|file| ![".lock", ".status", ".work", "times.csv"].contains(&&*file.0));
    kept.map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_grid_is_done_once_and_each_result_is_that_of_its_command() {
    let folder = Folder::new();
    folder.write("jobs.toml", GRID);
    let first = folder.run(&["run", "jobs.toml"]);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    assert!(
        first.stdout.starts_with("12 of 12 jobs done\n"),
        "{}",
        first.stdout
    );
    assert!(first.stderr.contains("12 of 12: "), "{}", first.stderr);
    let done = results(&folder.path("jobs-results"));
    let names: Vec<&str> = done.keys().map(String::as_str).collect();
    assert_eq!(names.len(), 21, "{names:?}");
    assert!(
        names.contains(&"grid,criterion=ebic-gamma=0.5,seed=7.json"),
        "{names:?}"
    );
    assert!(names.contains(&"pairs,data,top=3.json"), "{names:?}");
    // The report is the command's own, without its times.
    let mut alone = json(
        &folder
            .run(&[
                "select",
                "data.csv",
                "--response",
                "y",
                "--particles",
                "4",
                "--iterations",
                "10",
                "--criterion",
                "ebic:gamma=0.5",
                "--seed",
                "7",
                "--format",
                "json",
            ])
            .stdout,
    );
    alone
        .as_object_mut()
        .unwrap()
        .shift_remove("elapsed_seconds")
        .unwrap();
    let stored = folder.read("jobs-results/grid,criterion=ebic-gamma=0.5,seed=7.json");
    assert_eq!(json(&stored)["result"], alone);
    let manifest = &json(&stored)["manifest"];
    assert_eq!(
        (&manifest["seed"], &manifest["command"]),
        (&7.into(), &"select".into())
    );
    assert_eq!(
        manifest["options"]["criterion"],
        serde_json::json!(["ebic:gamma=0.5"])
    );
    assert_eq!(manifest["inputs"][0]["sha256"].as_str().unwrap().len(), 64);
    assert!(folder.read("jobs-results/times.csv").lines().count() == 13);
    // A row a job, and a row a variable.
    let jobs = folder.read("jobs-results/jobs.csv");
    assert_eq!(jobs.lines().count(), 13);
    let head = "job,command,data,method,criterion,seed,iterations,particles,top,status,n,p,k,";
    assert!(jobs.starts_with(head), "{jobs}");
    let variables = folder.read("jobs-results/results.csv");
    let of_one = variables
        .lines()
        .filter(|line| line.contains("seed=7") && line.contains("ebic-"));
    let k = alone["selected"].as_array().unwrap().len();
    assert_eq!(of_one.count(), k);
    // A row a pair; columns that would be called the same are not.
    let pairs = folder.read("jobs-results/pairs.csv");
    assert_eq!(pairs.lines().count(), 1 + 2 + 3);
    assert!(
        pairs
            .lines()
            .nth(1)
            .unwrap()
            .starts_with("\"pairs,data,top=2\",pairs,data.csv,")
    );
    // Again: nothing is done, and nothing is written anew but the tables.
    let again = folder.run(&["run", "jobs.toml", "--threads", "1"]);
    assert!(
        again
            .stdout
            .starts_with("12 of 12 jobs done, 12 of them before\n"),
        "{}",
        again.stdout
    );
    assert_eq!(results(&folder.path("jobs-results")), done);
    assert_eq!(folder.read("jobs-results/times.csv").lines().count(), 13);
}

#[test]
fn a_result_out_of_date_is_reported_and_made_again() {
    let folder = Folder::new();
    folder.write("jobs.toml", GRID);
    assert_eq!(
        folder.run(&["run", "jobs.toml", "--progress", "none"]).code,
        Some(0)
    );
    let before = results(&folder.path("jobs-results"));
    // An option: of the selections alone, and not one that changes nothing.
    let changed = GRID.replace("iterations = 10", "iterations = 11\nthreads = 1");
    folder.write("jobs.toml", &changed.replace("count = 5", "count = 4"));
    let ran = folder.run(&["run", "jobs.toml", "--list"]);
    assert_eq!(
        ran.stdout.matches("(iterations: 10 → 11)").count(),
        8,
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.ends_with("10 jobs, 8 to do\n"), "{}", ran.stdout);
    assert_eq!(
        results(&folder.path("jobs-results")),
        before,
        "a list changes nothing"
    );
    let ran = folder.run(&["run", "jobs.toml"]);
    assert!(
        ran.stdout
            .starts_with("10 of 10 jobs done, 2 of them before\n"),
        "{}",
        ran.stdout
    );
    let told = "note: grid,criterion=ebic,seed=3: out of date (iterations: 10 → 11)";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    // Those that are of no job any more stay, and are told.
    assert_eq!(
        ran.stderr.matches("belongs to no job of jobs.toml").count(),
        2,
        "{}",
        ran.stderr
    );
    assert!(
        folder
            .path("jobs-results/grid,criterion=ebic,seed=7.json")
            .exists()
    );
    // The data.
    folder.write("data.csv", &(folder.read("data.csv") + "1,2,3,4,5\n"));
    let ran = folder.run(&["run", "jobs.toml"]);
    assert!(
        ran.stderr.contains("out of date (data.csv has changed)"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stdout.starts_with("10 of 10 jobs done\n"),
        "{}",
        ran.stdout
    );
    // What was not done again is no row of what is asked for now.
    let other = changed.replace("iterations = 11", "iterations = 12");
    folder.write("jobs.toml", &other);
    let ran = folder.run(&["run", "jobs.toml", "--only", "seed=3"]);
    assert!(
        ran.stdout.starts_with("2 of 2 jobs done\n"),
        "{}",
        ran.stdout
    );
    let jobs = folder.read("jobs-results/jobs.csv");
    let count = |status: &str| jobs.matches(&format!(",{status},")).count();
    assert_eq!(
        [count("done"), count("stale"), count("missing")],
        [4, 8, 0],
        "{jobs}"
    );
    let variables = folder.read("jobs-results/results.csv");
    assert!(!variables.contains("seed=4"), "{variables}");
    folder.write("jobs.toml", &changed);
    // A file beside it that has changed, and a result that is damaged.
    let out = changed.replace(
        "name = \"grid\"",
        "name = \"grid\"\nformat = \"csv\"\noutput = \"{id}.txt\"",
    );
    folder.write("jobs.toml", &out);
    assert_eq!(folder.run(&["run", "jobs.toml"]).code, Some(0));
    let beside = folder.read("grid,criterion=ebic,seed=3.txt");
    // Changed, but not another's.
    let edited = beside.replace('1', "2");
    folder.write("grid,criterion=ebic,seed=3.txt", &edited);
    folder.write(
        "jobs-results/grid,criterion=ebic,seed=4.json",
        "{\"manifest\": ",
    );
    let ran = folder.run(&["run", "jobs.toml"]);
    assert!(
        ran.stdout
            .starts_with("12 of 12 jobs done, 10 of them before\n"),
        "{}",
        ran.stdout
    );
    assert_eq!(folder.read("grid,criterion=ebic,seed=3.txt"), beside);
}

#[test]
fn some_jobs_alone_and_none_at_all() {
    let folder = Folder::new();
    folder.write("jobs.toml", GRID);
    let checked = folder.run(&["run", "jobs.toml", "--check"]);
    assert_eq!(checked.stdout, "jobs.toml: no mistakes, 12 jobs\n");
    let listed = folder.run(&["run", "jobs.toml", "--list", "--only", "*seed=[34]"]);
    assert_eq!(
        listed.stdout.matches("missing").count(),
        4,
        "{}",
        listed.stdout
    );
    let none = folder.run(&["run", "jobs.toml", "--only", "seed=99"]);
    assert_eq!(none.code, Some(2));
    assert!(
        none.stderr.contains("--only seed=99 matches no job"),
        "{}",
        none.stderr
    );
    let wrong = folder.run(&["run", "jobs.toml", "--only", "a***"]);
    assert_eq!(wrong.code, Some(2));
    assert_eq!(folder.names(), ["data.csv", "jobs.toml"]);
    let ran = folder.run(&["run", "jobs.toml", "--only", "pairs", "--output", "here"]);
    assert!(
        ran.stdout.starts_with("2 of 2 jobs done\n"),
        "{}",
        ran.stdout
    );
    assert_eq!(results(&folder.path("here")).len(), 11);
    let lines = folder.run(&["run", "jobs.toml", "--progress", "json", "--jobs", "2"]);
    let events: Vec<Value> = lines.stderr.lines().map(json).collect();
    let (started, events): (Vec<_>, Vec<_>) = events
        .into_iter()
        .partition(|event| event["status"] == "started");
    assert_eq!((started.len(), events.len()), (12, 12));
    let members = ["time", "job", "host", "pid", "threads", "elapsed_seconds"];
    assert!(members.iter().all(|name| !started[0][name].is_null()));
    assert_eq!(
        (&events[11]["done"], &events[11]["of"]),
        (&12.into(), &12.into())
    );
    assert_eq!(events[0]["status"], "done");
}

#[test]
fn one_failing_job_of_three_does_not_stop_the_others() {
    let folder = Folder::new();
    folder.write("bad.csv", "y,a\n1,2\n3,oops,5\n");
    folder.write(
        "jobs.toml",
        r#"
[defaults]
response = "y"

[[job]]
data = "data.csv"

[[job]]
data = "bad.csv"

[[job]]
name = "last"
data = "data.csv"
seed = 2
"#,
    );
    let ran = folder.run(&["run", "jobs.toml"]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.contains("error: bad: bad.csv: line 3"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stdout.starts_with("2 of 3 jobs done, 1 failed\n"),
        "{}",
        ran.stdout
    );
    let names: Vec<String> = results(&folder.path("jobs-results")).into_keys().collect();
    assert_eq!(
        names,
        [
            "data.json",
            "errors.csv",
            "errors.parquet",
            "jobs.csv",
            "jobs.parquet",
            "last.json",
            "pairs.csv",
            "pairs.parquet",
            "report.html",
            "results.csv",
            "results.parquet"
        ]
    );
    assert!(
        folder
            .read("jobs-results/jobs.csv")
            .contains("\nbad,select,bad.csv,pass,ebic-monotone:gamma=1,1,failed,")
    );
    // Mended, it alone is done.
    folder.write("bad.csv", &folder.read("data.csv"));
    let ran = folder.run(&["run", "jobs.toml"]);
    assert!(
        ran.stdout
            .starts_with("3 of 3 jobs done, 2 of them before\n"),
        "{}",
        ran.stdout
    );
}

#[test]
fn options_that_the_method_ignores_make_no_result_stale() {
    let folder = Folder::new();
    let file = "[defaults]\nresponse = \"y\"\ntop = 2\niterations = 5\n\
                [[job]]\ndata = \"data.csv\"\noutput = \"{id}.txt\"\n\
                [[job]]\ndata = \"data.csv\"\nmethod = \"mim\"\noutput = \"{id}.txt\"\n";
    folder.write("jobs.toml", file);
    assert_eq!(folder.run(&["run", "jobs.toml"]).code, Some(0));
    assert!(folder.path("data.txt").exists() && folder.path("data-2.txt").exists());
    folder.write("jobs.toml", &file.replace("top = 2", "top = 3"));
    let ran = folder.run(&["run", "jobs.toml", "--list"]);
    assert!(
        ran.stdout.contains("data-2  (top: 2 → 3)"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.ends_with("2 jobs, 1 to do\n"), "{}", ran.stdout);
    // The selector's library is among what was read.
    let stored = json(&folder.read("jobs-results/data-2.json"));
    let library = stored["manifest"]["inputs"][1]["path"].as_str().unwrap();
    assert!(library.contains("passel_information"), "{library}");
    // All rules of binning are there, whatever the form of the report beside it.
    assert_eq!(
        stored["result"]["binning"]["columns"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
}

#[test]
fn results_are_no_data_and_no_place_for_other_files() {
    let folder = Folder::new();
    let file = "[[job]]\ndata = \"**/*.csv\"\nresponse = \"y\"\niterations = 5\n";
    folder.write("jobs.toml", file);
    for _ in 0..2 {
        let ran = folder.run(&["run", "jobs.toml"]);
        assert!(ran.stdout.starts_with("1 of 1 jobs done"), "{}", ran.stdout);
    }
    folder.write(
        "jobs.toml",
        &(file.to_owned() + "output = \"jobs-results/o\"\n"),
    );
    let ran = folder.run(&["run", "jobs.toml"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("is in the folder of results"),
        "{}",
        ran.stderr
    );
}
