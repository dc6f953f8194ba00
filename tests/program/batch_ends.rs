//! A run that is ended in any way has lost what was in flight, and no more.

use std::{fs, path::Path};

use crate::{
    batch::{GRID, results},
    support::{Folder, finish, kill, ran, send, start, wait_until},
};

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
    let mut first = start(folder.passel(&["run", "jobs.toml"]));
    let result = folder.path("jobs-results/data.json");
    assert!(wait_until(&mut first, || result.exists()));
    let second = folder.run(&["run", "jobs.toml"]);
    assert_eq!((second.code, second.stdout.as_str()), (Some(2), ""));
    assert!(
        second
            .stderr
            .contains("another passel runs jobs into jobs-results"),
        "{}",
        second.stderr
    );
    send(&first, "TERM");
    let ended = finish(first);
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
    // The second job waits until somebody reads its output.
    let file = LONG.replace(
        "iterations = 1000000000",
        "iterations = 7\noutput = \"pipe\"",
    );
    folder.write("jobs.toml", &(file + "\n[[job]]\ndata = \"gone.csv\"\n"));
    assert_eq!(ran(folder.shell("mkfifo pipe")).code, Some(0));
    let mut child = start(folder.passel(&["run", "jobs.toml"]));
    let first = folder.path("jobs-results/data.json");
    assert!(wait_until(&mut child, || first.exists()));
    fs::remove_file(folder.path("gone.csv")).unwrap();
    assert_eq!(ran(folder.shell("cat pipe")).code, Some(0));
    let ended = finish(child);
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
    assert!(
        !names.iter().any(|name| name.contains("seed=4")),
        "{names:?}"
    );
    let ran = folder.run(&["run", "jobs.toml"]);
    assert!(
        ran.stdout
            .starts_with("12 of 12 jobs done, 1 of them before\n"),
        "{}",
        ran.stdout
    );
}

#[test]
fn an_unwritable_folder_of_results_is_reported_before_any_work() {
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
    let ran = whole.run(&["run", "jobs.toml", "--threads", "1"]);
    assert!(
        ran.stdout.starts_with("200 of 200 jobs done\n"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    let done = || match fs::read_dir(killed.path("jobs-results")) {
        Ok(files) => files.count(),
        Err(_) => 0,
    };
    for _ in 0..20 {
        let before = done();
        let mut child = start(killed.passel(&["run", "jobs.toml", "--progress", "none"]));
        wait_until(&mut child, || done() > before + 3);
        kill(child);
    }
    let ran = killed.run(&["run", "jobs.toml", "--threads", "2"]);
    assert!(
        ran.stdout.starts_with("200 of 200 jobs done"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    let [whole_results, killed_results] =
        [&whole, &killed].map(|folder| results(&folder.path("jobs-results")));
    assert_eq!(whole_results.len(), 209);
    for (name, bytes) in &whole_results {
        assert!(killed_results.get(name) == Some(bytes), "{name} differs");
    }
    assert_eq!(killed_results.len(), 209);
    // What had a result was not done again: times are told once a result.
    let times = killed.read("jobs-results/times.csv");
    let mut jobs: Vec<&str> = times
        .lines()
        .skip(1)
        .filter_map(|line| line.split('"').nth(1))
        .collect();
    let all = jobs.len();
    jobs.sort_unstable();
    jobs.dedup();
    assert_eq!(all, jobs.len(), "done twice");
}

/// Writes a job of ever more iterations to two folders, until `stop` has cut the work of the second
/// short; then the results of both are the same.
fn ends_as_one_that_was_not_stopped(job: &str, stop: impl Fn(&Folder) -> bool) {
    for doubling in 0..16 {
        let [whole, stopped] = [Folder::new(), Folder::new()];
        let iterations = 250 << doubling;
        for folder in [&whole, &stopped] {
            folder.write(
                "jobs.toml",
                &format!("[[job]]\n{job}iterations = {iterations}\n"),
            );
        }
        if !stop(&stopped) {
            continue;
        }
        for folder in [&whole, &stopped] {
            let ran = folder.run(&["run", "jobs.toml"]);
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            assert!(!folder.path("jobs-results/.work").exists());
        }
        let [expected, found] =
            [&whole, &stopped].map(|folder| results(&folder.path("jobs-results")));
        assert!(expected == found);
        return;
    }
    panic!("no job was long enough to be stopped");
}

/// The files of what searches can go on from.
fn states(folder: &Folder) -> Vec<std::path::PathBuf> {
    let files = fs::read_dir(folder.path("jobs-results/.work"));
    let files = files.into_iter().flatten().flatten();
    let files = files.map(|file| file.path());
    files
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect()
}

#[cfg(unix)]
#[test]
fn a_search_that_was_killed_goes_on() {
    let job = "data = \"data.csv\"\nresponse = \"y\"\nparticles = 8\n";
    ends_as_one_that_was_not_stopped(job, |folder| {
        let read = || states(folder).pop().and_then(|path| fs::read(path).ok());
        for damaged in [false, false, true] {
            let before = read();
            let mut child = start(folder.passel(&["run", "jobs.toml"]));
            let is_kept = wait_until(&mut child, || read().is_some_and(|now| Some(now) != before));
            kill(child);
            if !is_kept || folder.path("jobs-results/data.json").exists() {
                return false;
            }
            if damaged {
                fs::write(&states(folder)[0], "of another program").unwrap();
            }
        }
        true
    });
}

/// Runs a job under limits that grow until one lets some of its parts be done, and then more of them twice; false where one lets
/// all, for the work was short. `count` says how many parts the text of a state has.
fn is_cut_by_limits(folder: &Folder, count: impl Fn(&str) -> usize) -> bool {
    let (mut limit, mut done, mut cut) = (50, 0, 0);
    while cut < 3 {
        let limit_text = format!("{limit}ms");
        let limited = [
            "run",
            "jobs.toml",
            "--threads",
            "1",
            "--time-limit",
            &limit_text,
        ];
        let ran = folder.run(&limited);
        if ran.code == Some(0) {
            return false;
        }
        assert_eq!(ran.code, Some(130), "{}", ran.stderr);
        let state = states(folder).pop();
        let state = state.map(|path| fs::read_to_string(path).unwrap());
        let now = state.map_or(0, |text| count(&text));
        assert!(now >= done, "what was done is kept");
        cut += usize::from(now > done);
        (limit, done) = (limit * 3 / 2, now);
    }
    true
}

#[cfg(unix)]
#[test]
fn resamples_that_are_done_are_not_done_again() {
    let job = "command = \"stability\"\ndata = \"data.csv\"\nresponse = \"y\"\nresamples = 20\n";
    ends_as_one_that_was_not_stopped(job, |folder| {
        is_cut_by_limits(folder, |text| text.matches("],").count())
    });
}

const VALIDATION: &str = "command = \"validate\"\ndata = \"data.csv\"\nresponse = \"y\"\ncriterion = \"aic,bic\"\n\
     method = \"pass,jmi\"\ntop = 3\nthen = \"ols\"\nscheme = \"folds:k=5,repeats=3\"\n";

#[cfg(unix)]
#[test]
fn splits_that_are_done_are_not_done_again() {
    ends_as_one_that_was_not_stopped(VALIDATION, |folder| {
        is_cut_by_limits(folder, |text| text.lines().count().saturating_sub(1))
    });
}

/// What was kept of a split stands for it; a line that was cut short, as by a kill, does not.
#[cfg(unix)]
#[test]
fn lines_of_splits_are_taken_as_they_are() {
    for doubling in 0..16 {
        let folder = Folder::new();
        let iterations = 250 << doubling;
        let job = format!("[[job]]\n{VALIDATION}iterations = {iterations}\n");
        folder.write("jobs.toml", &job);
        if !is_cut_by_limits(&folder, |text| text.lines().count().saturating_sub(1)) {
            continue;
        }
        let state = states(&folder).pop().unwrap();
        let text = fs::read_to_string(&state).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let last = lines.pop().unwrap();
        let noted = lines[1].replace("\"notes\":[", "\"notes\":[\"it was kept\",");
        lines[1] = noted.replace(",]", "]");
        lines.push(last[..last.len() / 2].to_owned());
        fs::write(&state, lines.join("\n")).unwrap();
        let ran = folder.run(&["run", "jobs.toml"]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let report: serde_json::Value =
            serde_json::from_str(&folder.read("jobs-results/data.json")).unwrap();
        let warnings = &report["result"]["warnings"];
        assert_eq!(warnings[0], "in one split: it was kept");
        assert_eq!(report["result"]["done"], 15);
        return;
    }
    panic!("no validation was long enough to be stopped");
}
