//! What the operator of a long run is told: what each job took, which failed, and how the run stands.

use std::{collections::HashMap, fs, path::Path};

use crate::support::{Folder, finish, ran, start, wait_until};

/// The rows of `times.csv`, each by the names of its columns. No cell of these tests holds a comma.
fn times(folder: &Folder) -> Vec<HashMap<String, String>> {
    let text = folder.read("jobs-results/times.csv");
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let cells = line
            .split(',')
            .map(|cell| cell.trim_matches('"').to_owned());
        let names = head.iter().map(|name| (*name).to_owned());
        names.zip(cells).collect()
    };
    lines.map(row).collect()
}

const TWO_OF_THREE_FAIL: &str = r#"
[defaults]
response = "y"
particles = 4
iterations = 10

[[job]]
data = "bad.csv"

[[job]]
data = "data.csv"

[[job]]
name = "other"
data = "bad.csv"
"#;

/// A folder with this job file in it, and data of which two jobs make nothing.
fn two_of_three_fail() -> Folder {
    let folder = Folder::new();
    folder.write("bad.csv", "y,a\n1,2\n3,oops\n4,5\n2,2\n");
    folder.write("jobs.toml", TWO_OF_THREE_FAIL);
    folder
}

#[test]
fn each_job_that_ends_leaves_a_line_with_what_it_took() {
    let folder = two_of_three_fail();
    assert_eq!(folder.run(&["run", "jobs.toml"]).code, Some(1));
    let mut rows = times(&folder);
    rows.sort_by_key(|row| row["job"].clone());
    let column = |name: &str| rows.iter().map(|row| &*row[name]).collect::<Vec<_>>();
    assert_eq!(column("job"), ["bad", "data", "other"]);
    assert_eq!(column("outcome"), ["failed", "done", "failed"]);
    assert!(rows[0]["error"].starts_with("bad.csv: line 3"), "{rows:?}");
    assert_eq!(rows[1]["error"], "");
    for row in &rows {
        assert!(row["ended"].starts_with("20") && row["ended"].ends_with('Z'));
        assert_eq!(row["ended"].len(), "2026-11-23T16:33:04Z".len());
        if cfg!(target_os = "linux") {
            assert!(row["cpu"].parse::<f64>().unwrap() > 0.0, "{row:?}");
            assert!(row["memory"].parse::<u64>().unwrap() > 1 << 20, "{row:?}");
            assert!(!row["host"].is_empty());
        }
    }
}

#[test]
fn failures_are_remembered_until_the_job_is_done() {
    let folder = two_of_three_fail();
    folder.run(&["run", "jobs.toml"]);
    // Whatever becomes of the tables.
    fs::remove_file(folder.path("jobs-results/jobs.csv")).unwrap();
    let listed = folder.run(&["run", "jobs.toml", "--list"]).stdout;
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[0].starts_with("failed"), "{listed}");
    assert!(lines[0].contains("bad  (bad.csv: line 3"), "{listed}");
    assert!(lines[1].starts_with("done"), "{listed}");
    // A run of another job keeps what is known of them.
    folder.run(&["run", "jobs.toml", "--only", "data"]);
    let jobs = folder.read("jobs-results/jobs.csv");
    assert_eq!(jobs.matches(",failed,").count(), 2, "{jobs}");
    // By default they are done again, after all others.
    folder.write("jobs.toml", &TWO_OF_THREE_FAIL.replace("= 10", "= 11"));
    let again = folder.run(&["run", "jobs.toml", "--jobs", "1"]);
    let note = "note: 2 jobs failed before and are tried again, last: bad; other";
    assert!(again.stderr.contains(note), "{}", again.stderr);
    let ended: Vec<String> = times(&folder)
        .iter()
        .map(|row| row["job"].clone())
        .collect();
    assert_eq!(ended[3..], ["data", "bad", "other"]);
    folder.write("bad.csv", &folder.read("data.csv"));
    assert_eq!(folder.run(&["run", "jobs.toml"]).code, Some(0));
    let listed = folder.run(&["run", "jobs.toml", "--list"]).stdout;
    assert!(listed.ends_with("3 jobs, 0 to do\n"), "{listed}");
    assert!(!listed.contains("failed"), "{listed}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_with_a_lower_priority_says_so_to_the_system() {
    let folder = Folder::new();
    let job = "[[job]]\ndata = \"data.csv\"\nresponse = \"y\"\noutput = \"pipe\"\n";
    folder.write("jobs.toml", &format!("[run]\nnice = 3\n{job}"));
    assert_eq!(ran(folder.shell("mkfifo pipe")).code, Some(0));
    // The job waits until somebody reads its output.
    let mut child = start(folder.passel(&["run", "jobs.toml"]));
    // The 19th field; the second, in parentheses, may hold anything.
    let niceness = |stat: &Path| {
        let stat = fs::read_to_string(stat).ok()?;
        let (_, rest) = stat.rsplit_once(") ")?;
        rest.split(' ').nth(16)?.parse::<i32>().ok()
    };
    let own = niceness(Path::new("/proc/self/stat")).unwrap();
    let of_child = format!("/proc/{}/stat", child.id());
    let is_nice = || niceness(Path::new(&of_child)) >= Some(19.min(own + 3));
    assert!(wait_until(&mut child, is_nice));
    assert_eq!(ran(folder.shell("cat pipe")).code, Some(0));
    assert_eq!(finish(child).code, Some(0));
}
