//! A run that is ended in any way has lost what was in flight, and no more.

use std::{
    fs,
    path::Path,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{
    GRID, results,
    support::{Folder, ran, told},
};

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
    assert_eq!(whole_results.len(), 204);
    for (name, bytes) in &whole_results {
        assert!(killed_results.get(name) == Some(bytes), "{name} differs");
    }
    assert_eq!(killed_results.len(), 204);
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

#[cfg(unix)]
#[test]
fn a_search_that_was_killed_goes_on() {
    let [whole, killed] = [Folder::new(), Folder::new()];
    for folder in [&whole, &killed] {
        folder.write(
            "jobs.toml",
            "[[job]]\ndata = \"data.csv\"\nresponse = \"y\"\niterations = 200000\nparticles = 8\n",
        );
    }
    let ran = whole.run(&["run", "jobs.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let work = killed.path("jobs-results/.work");
    let state = || {
        let files = fs::read_dir(&work).into_iter().flatten();
        let mut files = files.map(|it| it.unwrap().path());
        files.find(|it| it.extension().is_some_and(|it| it == "json"))
    };
    for damaged in [false, true] {
        let mut child = start(&killed, &["run", "jobs.toml"]);
        until(|| state().is_some());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(
            !killed.path("jobs-results/data.json").exists(),
            "too quick a search"
        );
        if damaged {
            fs::write(state().unwrap(), "of another program").unwrap();
        }
    }
    let ran = killed.run(&["run", "jobs.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let [expected, found] = [&whole, &killed].map(|it| results(&it.path("jobs-results")));
    assert!(expected == found);
    assert!(!work.exists());
}

#[cfg(unix)]
#[test]
fn resamples_that_are_done_are_not_done_again() {
    let folder = Folder::new();
    let file = "[[job]]\ncommand = \"stability\"\ndata = \"data.csv\"\nresponse = \"y\"\n\
                iterations = 2000\nresamples = 60\n";
    folder.write("jobs.toml", file);
    let whole = folder.run(&["run", "jobs.toml", "--output", "whole"]);
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    let limited = [
        "run",
        "jobs.toml",
        "--time-limit",
        "300ms",
        "--threads",
        "1",
    ];
    let (mut cut, mut done) = (0, 0);
    loop {
        let ran = folder.run(&limited);
        if ran.code == Some(0) {
            break;
        }
        assert_eq!(ran.code, Some(130), "{}", ran.stderr);
        let kept = fs::read_dir(folder.path("jobs-results/.work"))
            .unwrap()
            .next();
        let state = kept.map(|it| fs::read_to_string(it.unwrap().path()).unwrap());
        let now = state.map_or(0, |it| it.matches("],").count());
        assert!(now >= done, "what was done is kept");
        (cut, done) = (cut + 1, now);
        assert!(cut < 200, "it never ends");
    }
    assert!(cut > 0, "too quick a job");
    let [expected, found] = ["whole", "jobs-results"].map(|it| results(&folder.path(it)));
    assert!(expected == found);
}
