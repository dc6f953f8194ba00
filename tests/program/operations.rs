//! What the operator of a long run is told: what each job took, which failed, and how the run stands.

use std::{collections::HashMap, fs, path::Path};

use serde_json::Value;

use crate::support::{Folder, finish, kill, ran, send, start, wait_for_line_that, wait_until};

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
            assert!(row["memory"].parse::<u64>().unwrap() > 1 << 10, "{row:?}");
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

/// A job that is done at once, one that fails, and a search that nobody waits for.
const LONG: &str = r#"
[run]
jobs = 1

[defaults]
response = "y"
particles = 4

[[job]]
data = "data.csv"
iterations = 5

[[job]]
name = "wrong"
response = "nobody"
data = "data.csv"

[[job]]
name = "long"
data = "data.csv"
iterations = 1000000000

[[job]]
name = "last"
data = "data.csv"
iterations = 6
"#;

fn status(folder: &Folder) -> Value {
    let ran = folder.run(&["status", "jobs-results", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    serde_json::from_str(&ran.stdout).unwrap()
}

fn numbers<const N: usize>(status: &Value, names: [&str; N]) -> [u64; N] {
    names.map(|name| status[name].as_u64().unwrap())
}

#[cfg(unix)]
#[test]
fn anybody_may_ask_how_a_run_stands_while_it_runs_and_after_any_end() {
    let folder = Folder::new();
    folder.write("jobs.toml", LONG);
    let none = folder.run(&["status", "jobs-results"]);
    assert_eq!(none.code, Some(2));
    assert!(
        none.stderr.contains("jobs-results is no folder"),
        "{}",
        none.stderr
    );
    let mut child = start(folder.passel(&["run", "jobs.toml"]));
    let file = folder.path("jobs-results/.status");
    let is_long = |value: &Value| value["running"][0]["job"] == "long";
    let runs_long = || {
        let text = fs::read(&file).unwrap_or_default();
        let status: Option<Value> = serde_json::from_slice(&text).ok();
        status.is_some_and(|status| is_long(&status) && !status["running"][0]["stage"].is_null())
    };
    assert!(wait_until(&mut child, runs_long));
    let live = status(&folder);
    assert_eq!(live["state"], "running", "{live}");
    assert_eq!(live["pid"], child.id());
    let counts = ["jobs", "done", "failed", "to_do"];
    assert_eq!(numbers(&live, counts), [4, 1, 1, 1], "{live}");
    assert!(is_long(&live), "{live}");
    assert_eq!(live["running"][0]["stage"]["what"], "iteration", "{live}");
    assert_eq!(live["failures"][0]["job"], "wrong", "{live}");
    let error = live["failures"][0]["error"].as_str().unwrap();
    assert!(error.contains("nobody"), "{live}");
    assert!(live["left_seconds"].is_f64(), "{live}");
    // The job file stands for its folder; a question disturbs nobody.
    let text = folder.run(&["status", "jobs.toml"]).stdout;
    assert!(text.starts_with("running since 20"), "{text}");
    assert!(text.contains("1 of 4 jobs done, 1 failed, about"), "{text}");
    assert!(text.contains("\nrunning:\n  long ("), "{text}");
    assert!(text.contains("\nfailed:\n  wrong: "), "{text}");
    kill(child);
    let lost = status(&folder);
    assert_eq!(
        (&lost["state"], &lost["ended"]),
        (&"lost".into(), &Value::Null)
    );
    assert!(is_long(&lost) && lost["left_seconds"].is_null(), "{lost}");
    let text = folder.run(&["status", "jobs-results"]).stdout;
    assert!(text.starts_with("lost: process "), "{text}");
    assert!(
        text.contains("\nbegun and not finished:\n  long ("),
        "{text}"
    );
    // The job that was under way comes last, behind the one that failed before and does so again.
    let mut child = start(folder.passel(&["run", "jobs.toml"]));
    let own = format!("\"pid\": {},", child.id());
    assert!(wait_until(&mut child, || {
        let text = fs::read_to_string(&file).unwrap_or_default();
        text.contains(&own) && runs_long()
    }));
    send(&child, "TERM");
    assert_eq!(finish(child).code, Some(130));
    let ended = status(&folder);
    assert_eq!(
        (&ended["state"], &ended["exit_code"]),
        (&"ended".into(), &130.into())
    );
    assert_eq!(numbers(&ended, counts), [4, 2, 1, 1], "{ended}");
    assert_eq!(ended["failures"][0]["before"], false, "{ended}");
    assert_eq!(ended["running"], Value::Array(Vec::new()), "{ended}");
    // Whatever the runs were, nothing of theirs stays but one file.
    let names = fs::read_dir(folder.path("jobs-results")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let own: Vec<String> = names.filter(|name| name.starts_with(".status")).collect();
    assert_eq!(own, [".status"]);
}

#[cfg(unix)]
#[test]
fn off_a_terminal_a_run_says_what_starts_and_that_it_goes_on() {
    let folder = Folder::new();
    folder.write("jobs.toml", LONG);
    let run = ["run", "jobs.toml", "--heartbeat", "50ms", "--progress"];
    let mut child = start(folder.passel(&[&run[..], &["json"]].concat()));
    wait_for_line_that(&mut child, |line| {
        let event: Value = serde_json::from_str(line).unwrap();
        assert!(event["time"].as_str().unwrap().ends_with('Z'), "{event}");
        event["status"] == "running" && event["running"][0]["job"] == "long"
    });
    send(&child, "TERM");
    let ended = finish(child);
    assert!(
        ended.stderr.contains("\"status\":\"interrupted\""),
        "{}",
        ended.stderr
    );
    let mut child = start(folder.passel(&[&run[..], &["plain"]].concat()));
    wait_for_line_that(&mut child, |line| line.ends_with("Z long: started"));
    wait_for_line_that(&mut child, |line| {
        line.contains("1 of 4 jobs done") && line.contains("; running: long (")
    });
    send(&child, "TERM");
    assert_eq!(finish(child).code, Some(130));
}

#[test]
fn a_run_gives_up_after_so_many_failures_and_failed_jobs_alone_can_be_tried_again() {
    let folder = two_of_three_fail();
    let limited = ["run", "jobs.toml", "--jobs", "1", "--max-failures", "1"];
    let ran = folder.run(&limited);
    let told = "0 of 3 jobs done, 1 failed, 2 left for the next run\n";
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stdout.starts_with(told), "{}", ran.stdout);
    let note = "note: 1 failed, so no further job is started";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    // What failed comes last, so that it stops nothing again that may succeed.
    let ran = folder.run(&limited);
    assert!(ran.stdout.starts_with(told), "{}", ran.stdout);
    let ran = folder.run(&limited);
    let told = "1 of 3 jobs done, 1 failed, 1 left for the next run\n";
    assert!(ran.stdout.starts_with(told), "{}", ran.stdout);
    let ended = times(&folder);
    let ended: Vec<&str> = ended.iter().map(|row| &*row["job"]).collect();
    assert_eq!(ended, ["bad", "other", "data", "bad"]);
    let again = ["run", "jobs.toml", "--retry-failed"];
    let ran = folder.run(&[&again[..], &["--only", "bad"]].concat());
    assert!(
        ran.stdout.starts_with("0 of 1 jobs done, 1 failed\n"),
        "{}",
        ran.stdout
    );
    folder.write("bad.csv", &folder.read("data.csv"));
    folder.write("jobs.toml", &TWO_OF_THREE_FAIL.replace("= 10", "= 12"));
    let ran = folder.run(&again);
    assert!(
        ran.stdout.starts_with("2 of 2 jobs done\n"),
        "{}",
        ran.stdout
    );
    let ran = folder.run(&again);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.starts_with("nothing to do"), "{}", ran.stdout);
}

#[cfg(unix)]
#[test]
fn a_command_at_the_end_is_told_how_the_run_ended() {
    let folder = two_of_three_fail();
    let command = "env | grep ^PASSEL_ | sort > told; echo heard; exit 3";
    let ran = folder.run(&["run", "jobs.toml", "--on-end", command]);
    assert_eq!(ran.code, Some(1), "its failure is none of the run");
    assert!(!ran.stdout.contains("heard") && ran.stderr.contains("heard\n"));
    let warning = "warning: the command of --on-end failed: exit status: 3";
    assert!(ran.stderr.contains(warning), "{}", ran.stderr);
    let told = folder.read("told");
    for variable in [
        "PASSEL_DONE=1\n",
        "PASSEL_FAILED=2\n",
        "PASSEL_LEFT=0\n",
        "PASSEL_EXIT_CODE=1\n",
        "PASSEL_FILE=jobs.toml\n",
        "PASSEL_FOLDER=jobs-results\n",
    ] {
        assert!(told.contains(variable), "{variable} in {told}");
    }
    // Also of a run that could not begin; not of a look.
    folder.write(
        "jobs.toml",
        "[run]\non-end = \"touch stolen\"\n[[job]]\ndata = \"data.csv\"\n",
    );
    fs::remove_file(folder.path("told")).unwrap();
    folder.run(&["run", "jobs.toml", "--check", "--on-end", command]);
    assert!(!folder.path("told").exists());
    let ran = folder.run(&["run", "jobs.toml", "--on-end", command]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("[run] has no `on-end`"),
        "{}",
        ran.stderr
    );
    assert!(folder.read("told").contains("PASSEL_EXIT_CODE=2\n"));
    assert!(
        !folder.path("stolen").exists(),
        "no job file runs a command"
    );
}
