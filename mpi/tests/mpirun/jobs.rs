//! The jobs of a file.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use passel::{Interrupt, job};
use serde_json::Value;

use super::{ran, two_folders};

/// The results in a folder, without what tells who made them.
/// Results name their data as they were given: to the library by whole paths, to the program by names.
fn results(folder: &Path) -> BTreeMap<PathBuf, Value> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            let mut stored: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            let data = stored["result"]["data"].as_str().unwrap();
            let name = Path::new(data).file_name().unwrap().to_str().unwrap();
            stored["result"]["data"] = name.into();
            all.insert(path.file_name().unwrap().into(), stored);
        }
    }
    all
}

const JOBS: &str = r#"
[defaults]
response = "y"

[[job]]
data = "data.csv"
criterion = ["ebic", "hdbic"]
seed = { from = 1, count = 2 }

[[job]]
data = "data.csv"
method = "jmi"
bin-response = "equal-width:4"
top = 3

[[job]]
data = "data.csv"
command = "pairs"
bin-response = "equal-width:4"

[[job]]
data = "data.csv"
command = "pairs"
bin-response = "equal-width:4"
top = 5

[[job]]
data = "data.csv"
command = "stability"
resamples = 10

[[job]]
data = "data.csv"
name = "wrong"
response = "nobody"
"#;

#[test]
fn jobs_are_done_once_by_any_number_of_ranks() {
    let folder = two_folders();
    let here = folder.path();
    fs::write(here.join("jobs.toml"), JOBS).unwrap();
    let file = job::file::read(&here.join("jobs.toml")).unwrap();
    let all = passel::batch::matching_jobs(&file, None).unwrap();
    let summary = passel::batch::run(&file, &all, &Interrupt::default(), None).unwrap();
    assert_eq!((summary.done.len(), summary.failed.len()), (8, 1));
    let whole = results(&here.join("jobs-results"));
    assert_eq!(whole.len(), 8);
    let tables = ["jobs.csv", "results.csv", "pairs.csv"];
    // The library was told whole paths.
    let read = |folder: &str, name: &str| {
        let text = fs::read_to_string(here.join(folder).join(name)).unwrap();
        text.replace(&format!("{}/", here.display()), "")
    };
    for (how, ranks) in [("apart", 3), ("together", 1), ("together", 2), ("auto", 3)] {
        let to = format!("{how}-{ranks}");
        let command = format!("exec \"$passel\" run jobs.toml --ranks {how} --output {to}");
        let first = ran(here, ranks, &command);
        assert_eq!(first.code, Some(1), "{}", first.stderr);
        assert!(
            first.stdout.contains("8 of 9 jobs done, 1 failed"),
            "{}",
            first.stdout
        );
        assert!(first.stderr.contains("nobody"), "{}", first.stderr);
        assert_eq!(results(&here.join(&to)), whole, "{to}");
        for name in tables {
            assert_eq!(read(&to, name), read("jobs-results", name), "{to}, {name}");
        }
        let again = ran(here, ranks, &command);
        assert!(
            again.stdout.contains("8 of them before"),
            "{}",
            again.stdout
        );
    }
}

/// Three jobs, the second of which waits until its report is read, for its pipe is full.
const WAITING: &str = r#"
[run]
jobs = 1
output = "two"

[defaults]
response = "y"
iterations = 5

[[job]]
name = "first"
data = "data.csv"

[[job]]
name = "waits"
data = "data.csv"
output = "pipe"
criterion = "aic,bic"

[[job]]
name = "last"
data = "data.csv"
"#;

/// A run of the jobs: by the library in this process, or by two ranks.
fn run(here: &Path, is_ranks: bool) -> Result<String, String> {
    if is_ranks {
        let ran = ran(here, 2, "exec \"$passel\" run jobs.toml");
        return match ran.code {
            Some(0) => Ok(ran.stdout),
            Some(2) => Err(ran.stderr),
            code => panic!("{code:?}: {}{}", ran.stdout, ran.stderr),
        };
    }
    let file = job::file::read(&here.join("jobs.toml")).unwrap();
    let all = passel::batch::matching_jobs(&file, None).unwrap();
    let summary = passel::batch::run(&file, &all, &Interrupt::default(), None);
    let summary = summary.map_err(|error| error.to_string())?;
    assert_eq!(summary.failed.len(), 0, "{:?}", summary.failed);
    Ok(summary.to_text(here))
}

/// Both ends of a named pipe that takes no more. Neither its reads nor its writes wait.
fn full_pipe(path: &Path) -> File {
    /// `O_NONBLOCK` of Linux.
    const NONBLOCK: i32 = 0o4000;
    let mut open = OpenOptions::new();
    open.read(true).write(true).custom_flags(NONBLOCK);
    let mut pipe = open.open(path).unwrap();
    loop {
        match pipe.write(&[b' '; 4096]) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return pipe,
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn a_run_that_is_refused_touches_nothing_of_the_one_at_work() {
    for (first, second) in [(false, true), (true, false), (true, true)] {
        let folder = two_folders();
        let here = folder.path();
        fs::write(here.join("jobs.toml"), WAITING).unwrap();
        let made = Command::new("mkfifo").arg(here.join("pipe")).status();
        assert!(made.unwrap().success());
        let mut pipe = full_pipe(&here.join("pipe"));
        let names = || -> Vec<PathBuf> {
            let entries = fs::read_dir(here.join("two")).into_iter().flatten();
            let paths = entries.map(|entry| entry.unwrap().path());
            // How the run stands is written anew every now and then.
            let is_result = |path: &PathBuf| !path.to_string_lossy().contains(".status");
            let mut names: Vec<_> = paths.filter(is_result).collect();
            names.sort();
            names
        };
        thread::scope(|scope| {
            let at_work = scope.spawn(|| run(here, first));
            // Rank 1 has the second job where each rank has its own; rank 0 then does the others.
            let done = match first {
                true => ["first.json", "last.json"].as_slice(),
                false => &["first.json"],
            };
            while !done.iter().all(|name| here.join("two").join(name).exists()) {
                assert!(!at_work.is_finished(), "the first run has ended");
                thread::sleep(Duration::from_millis(5));
            }
            let before = names();
            assert!(before.contains(&here.join("two/.work")));
            let refused = run(here, second).unwrap_err();
            let told = "another passel runs jobs into";
            assert_eq!(refused.matches(told).count(), 1, "{refused}");
            assert_eq!(names(), before);
            while !at_work.is_finished() {
                match pipe.read(&mut [0; 4096]) {
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        thread::sleep(Duration::from_millis(5));
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            let text = at_work.join().unwrap().unwrap();
            assert!(text.starts_with("3 of 3 jobs done\n"), "{text}");
        });
        assert!(!here.join("two/.work").exists());
    }
}
