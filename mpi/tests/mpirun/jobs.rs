//! The jobs of a file.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
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
