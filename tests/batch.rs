//! `passel run`: what is done, what is not done again, and that nothing is lost.

#![allow(clippy::unwrap_used)]

#[path = "support/program.rs"]
mod support;

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use support::{Folder, ran, told};

/// Twelve jobs that take a blink each.
const GRID: &str = r#"
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

/// Every file of the results but times and the lock, with what it holds.
fn results(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let named = files.map(|it| (it.file_name().unwrap().to_str().unwrap().to_owned(), it));
    let kept = named.filter(|it| ![".lock", "times.csv"].contains(&&*it.0));
    kept.map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Starts the program, which tells nobody anything.
fn start(folder: &Folder, arguments: &[&str]) -> Child {
    let mut command = folder.passel(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits until this is so, a minute at most.
fn until(what: impl Fn() -> bool) {
    let started = Instant::now();
    while !what() {
        assert!(started.elapsed() < Duration::from_secs(60), "it never came");
        thread::sleep(Duration::from_millis(5));
    }
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
    assert_eq!(names.len(), 14, "{names:?}");
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
    let head = "job,status,command,data,method,criterion,seed,iterations,particles,top,n,p,k,";
    assert!(jobs.starts_with(head), "{jobs}");
    let variables = folder.read("jobs-results/results.csv");
    let of_one = variables
        .lines()
        .filter(|it| it.contains("seed=7") && it.contains("ebic-"));
    let k = alone["selected"].as_array().unwrap().len();
    assert_eq!(of_one.count(), k);
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
fn what_is_out_of_date_is_told_and_done_again() {
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
        ran.stderr.matches("is of no job of jobs.toml").count(),
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
    // A file beside it, and a result that is damaged.
    let out = changed.replace("name = \"grid\"", "name = \"grid\"\noutput = \"{id}.txt\"");
    folder.write("jobs.toml", &out);
    assert_eq!(folder.run(&["run", "jobs.toml"]).code, Some(0));
    fs::remove_file(folder.path("grid,criterion=ebic,seed=3.txt")).unwrap();
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
    assert!(folder.path("grid,criterion=ebic,seed=3.txt").exists());
}

#[test]
fn some_jobs_alone_and_none_at_all() {
    let folder = Folder::new();
    folder.write("jobs.toml", GRID);
    let checked = folder.run(&["run", "jobs.toml", "--check"]);
    assert_eq!(checked.stdout, "jobs.toml: no mistake, 12 jobs\n");
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
    assert_eq!(results(&folder.path("here")).len(), 4);
    let lines = folder.run(&["run", "jobs.toml", "--progress", "json", "--jobs", "2"]);
    let events: Vec<Value> = lines.stderr.lines().map(json).collect();
    assert_eq!(events.len(), 12);
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
    assert_eq!(names, ["data.json", "jobs.csv", "last.json", "results.csv"]);
    assert!(
        folder
            .read("jobs-results/jobs.csv")
            .contains("\nbad,failed,")
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

/// A search that nobody waits for, beside a small one.
const LONG: &str = r#"
[run]
jobs = 1

[defaults]
response = "y"

[[job]]
data = "data.csv"
iterations = 5

[[job]]
name = "long"
data = "data.csv"
iterations = 1000000000

[[job]]
name = "last"
data = "data.csv"
iterations = 6
"#;

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_what_is_done_and_a_second_process_is_refused() {
    let folder = Folder::new();
    folder.write("jobs.toml", LONG);
    let first = start(&folder, &["run", "jobs.toml"]);
    until(|| folder.path("jobs-results/data.json").exists());
    let second = folder.run(&["run", "jobs.toml"]);
    assert_eq!((second.code, second.stdout.as_str()), (Some(2), ""));
    assert!(
        second
            .stderr
            .contains("another passel runs jobs into jobs-results"),
        "{}",
        second.stderr
    );
    let kill = format!("kill -TERM {}", first.id());
    assert_eq!(ran(folder.shell(&kill)).code, Some(0));
    let ended = told(first.wait_with_output().unwrap());
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(
        ended
            .stdout
            .starts_with("1 of 3 jobs done, 2 left for the next run\n"),
        "{}",
        ended.stdout
    );
    let limited = folder.run(&["run", "jobs.toml", "--time-limit", "300ms"]);
    assert_eq!(limited.code, Some(130), "{}", limited.stderr);
    folder.write("jobs.toml", &LONG.replace("1000000000", "7"));
    let ran = folder.run(&["run", "jobs.toml"]);
    assert!(
        ran.stdout
            .starts_with("3 of 3 jobs done, 1 of them before\n"),
        "{}",
        ran.stdout
    );
}

#[cfg(unix)]
#[test]
fn a_file_that_vanishes_fails_its_job_alone() {
    let folder = Folder::new();
    folder.write("gone.csv", &folder.read("data.csv"));
    let gone = "\n[[job]]\ndata = \"gone.csv\"\n";
    let file = LONG.replace(
        "iterations = 1000000000",
        "iterations = 1000000000\ntime-limit = 1",
    );
    folder.write("jobs.toml", &(file + gone));
    let child = start(&folder, &["run", "jobs.toml"]);
    until(|| folder.path("jobs-results/data.json").exists());
    fs::remove_file(folder.path("gone.csv")).unwrap();
    let ended = told(child.wait_with_output().unwrap());
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("error: gone: gone.csv: no such file"),
        "{}",
        ended.stderr
    );
    assert!(
        ended.stdout.starts_with("3 of 4 jobs done, 1 failed\n"),
        "{}",
        ended.stdout
    );
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_what_is_done() {
    let folder = Folder::new();
    folder.write("jobs.toml", GRID);
    let one = folder.run(&["run", "jobs.toml", "--only", "criterion=ebic,seed=3"]);
    assert_eq!(one.code, Some(0), "{}", one.stderr);
    let before = folder.read("jobs-results/grid,criterion=ebic,seed=3.json");
    // No file may be larger than 512 bytes.
    let full = "trap '' XFSZ; ulimit -f 1; \"$passel\" run jobs.toml";
    let ran = ran(folder.shell(full));
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let told = "error: grid,criterion=ebic,seed=4: writing jobs-results/grid,criterion=ebic,seed=4.json failed";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    assert_eq!(
        folder.read("jobs-results/grid,criterion=ebic,seed=3.json"),
        before
    );
    let names: Vec<String> = results(&folder.path("jobs-results")).into_keys().collect();
    assert!(!names.iter().any(|it| it.contains("seed=4")), "{names:?}");
    let ran = folder.run(&["run", "jobs.toml"]);
    assert!(
        ran.stdout
            .starts_with("12 of 12 jobs done, 1 of them before\n"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_folder_that_cannot_be_had_is_told_before_any_work() {
    let folder = Folder::new();
    folder.write("jobs.toml", GRID);
    folder.write("taken", "");
    let ran = folder.run(&["run", "jobs.toml", "--output", "taken"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(
        ran.stderr
            .starts_with("error: cannot write to the folder taken: "),
        "{}",
        ran.stderr
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let closed = folder.path("closed");
        fs::create_dir(&closed).unwrap();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
        // Some users may write anywhere.
        if fs::write(closed.join("x"), "").is_err() {
            let ran = folder.run(&["run", "jobs.toml", "--output", "closed"]);
            assert_eq!(ran.code, Some(2));
            assert!(
                ran.stderr.contains("cannot write to the folder closed"),
                "{}",
                ran.stderr
            );
        }
    }
}

/// Two hundred jobs on data that ship.
fn two_hundred(folder: &Folder) {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/diabetes.csv");
    let file = format!(
        r#"
[defaults]
response = "y"
particles = 8
iterations = 30

[[job]]
name = "grid"
data = {data:?}
criterion = ["bic", "ebic", "hdbic", "hqc"]
seed = {{ from = 1, count = 40 }}

[[job]]
name = "ranked"
data = {data:?}
method = ["jmi", "mrmr", "cmim", "disr"]
binning = ["equal-width:5", "equal-frequency:4"]
bin-response = "equal-frequency:3"
top = {{ from = 1, count = 5 }}
"#
    );
    folder.write("jobs.toml", &file);
}

#[cfg(unix)]
#[test]
fn two_hundred_jobs_killed_twenty_times_end_as_those_that_were_not() {
    let (whole, killed) = (Folder::new(), Folder::new());
    for folder in [&whole, &killed] {
        two_hundred(folder);
    }
    let started = Instant::now();
    let ran = whole.run(&["run", "jobs.toml", "--threads", "1"]);
    assert!(
        ran.stdout.starts_with("200 of 200 jobs done\n"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    let each = started.elapsed() / 20;
    let mut moment = 12345_u64;
    for _ in 0..20 {
        moment = moment
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let mut child = start(&killed, &["run", "jobs.toml", "--progress", "none"]);
        thread::sleep(each.mul_f64((moment >> 40) as f64 / f64::from(1 << 24)));
        // On Unix that is SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let ran = killed.run(&["run", "jobs.toml", "--threads", "2"]);
    assert!(
        ran.stdout.starts_with("200 of 200 jobs done"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    let [whole_results, killed_results] =
        [&whole, &killed].map(|it| results(&it.path("jobs-results")));
    assert_eq!(whole_results.len(), 202);
    for (name, bytes) in &whole_results {
        assert!(killed_results.get(name) == Some(bytes), "{name} differs");
    }
    assert_eq!(killed_results.len(), 202);
    // What had a result was not done again: times are told once a result.
    let times = killed.read("jobs-results/times.csv");
    let mut jobs: Vec<&str> = times
        .lines()
        .skip(1)
        .filter_map(|it| it.split('"').nth(1))
        .collect();
    let all = jobs.len();
    jobs.sort_unstable();
    jobs.dedup();
    assert_eq!(all, jobs.len(), "done twice");
}
