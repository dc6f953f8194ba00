//! The program under `mpirun`, on 1 to 4 ranks of this machine: the same answers as one process,
//! and what happens where a rank fails, is killed, or is at other work.
//!
//! Needs OpenMPI's `mpirun` on the path.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod faults;
mod jobs;

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use passel::{
    job,
    run::{self, RunContext},
};
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_passel-mpi");

/// No command takes a fraction of it: ranks that wait for one another for ever must not hold up the
/// others.
const LONGEST: Duration = Duration::from_secs(600);

struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// `mpirun` of so many ranks of this shell command, `"$passel"` being the program.
fn started(folder: &Path, ranks: usize, script: &str) -> Child {
    let mut mpirun = Command::new("timeout");
    mpirun
        // Where nobody reads what it writes, mpirun does not end on being asked to.
        .args(["--kill-after", "10"])
        .args([&LONGEST.as_secs().to_string(), "mpirun"])
        .args(["--oversubscribe", "-n", &ranks.to_string()])
        .args(["sh", "-c", script])
        .current_dir(folder)
        .env("passel", PROGRAM)
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    mpirun.spawn().expect("mpirun is on the path")
}

fn ended(child: Child) -> Ran {
    let output = child.wait_with_output().unwrap();
    let code = output.status.code();
    // The exit code of `timeout`.
    assert_ne!(code, Some(124), "the ranks did not end");
    Ran {
        code,
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn ran(folder: &Path, ranks: usize, script: &str) -> Ran {
    ended(started(folder, ranks, script))
}

/// The data that ship with passel.
fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/data");
    path.join(name).to_string_lossy().into_owned()
}

/// A report without times and devices.
fn plain(report: &[u8]) -> Value {
    let mut told: Value = serde_json::from_slice(report).unwrap();
    let members = told.as_object_mut().unwrap();
    for name in ["elapsed_seconds", "devices", "screen", "together"] {
        members.remove(name);
    }
    told
}

/// What the library reports of a command, without ranks.
fn alone(arguments: &[&str]) -> Value {
    let all = ["passel"].iter().chain(arguments);
    let all = all.chain(&["--format", "json"]);
    let matches = job::arguments::command().get_matches_from(all);
    let (name, own) = matches.subcommand().unwrap();
    let command = job::task::Command::named(name).unwrap();
    let task = job::arguments::task(command, own).unwrap();
    let report = run::run_task(&task, &RunContext::default());
    plain(&report.unwrap().render().unwrap())
}

fn same(arguments: &[&str], ranks: impl IntoIterator<Item = usize>) {
    let whole = alone(arguments);
    for ranks in ranks {
        let command = format!("exec \"$passel\" {} --format json", arguments.join(" "));
        let ran = ran(Path::new("."), ranks, &command);
        assert_eq!(ran.code, Some(0), "{command}: {}", ran.stderr);
        assert_eq!(
            plain(ran.stdout.as_bytes()),
            whole,
            "{ranks} ranks: {command}"
        );
        let told: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(told["together"]["ranks"], ranks);
    }
}

#[test]
fn searches_are_those_of_one_process() {
    let data = example("diabetes_quadratic.csv.gz");
    let select = ["select", &*data, "--response", "y"];
    for over in ["columns", "sweeps", "particles"] {
        same(&[&select[..], &["--over", over]].concat(), 1..=4);
    }
}

#[test]
fn selectors_are_those_of_one_process() {
    let data = example("breast_cancer.csv.gz");
    for method in ["mrmr", "jmi", "cmim"] {
        same(
            &["select", &data, "--response", "class", "--method", method],
            1..=4,
        );
    }
}

#[test]
fn pairs_are_those_of_one_process() {
    let data = example("breast_cancer.csv.gz");
    same(
        &["pairs", &data, "--response", "class", "--partners"],
        1..=4,
    );
}

#[test]
fn some_ranks_have_no_columns() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("few.csv");
    let row = |t: usize| format!("{},{},{}\n", t % 7 + 2 * (t % 3), t % 7, t % 3);
    let rows: String = (0..40).map(row).collect();
    fs::write(&data, format!("y,a,b\n{rows}")).unwrap();
    let data = data.to_str().unwrap();
    same(&["select", data, "--response", "y"], [3, 4]);
    same(
        &[
            "select",
            data,
            "--response",
            "y",
            "--method",
            "mrmr",
            "--top",
            "2",
        ],
        [3, 4],
    );
    same(&["pairs", data, "--response", "y"], [3, 4]);
}

#[test]
fn methods_that_see_all_columns_are_for_one_rank() {
    let data = example("breast_cancer.csv.gz");
    let whole = alone(&[
        "select",
        &data,
        "--response",
        "class",
        "--method",
        "relieff",
    ]);
    let script =
        format!("exec \"$passel\" select {data} --response class --method relieff --format json");
    let ran = ran(Path::new("."), 3, &script);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(plain(ran.stdout.as_bytes()), whole);
}

#[test]
fn help_and_mistakes_are_printed_once() {
    let here = Path::new(".");
    let help = ran(here, 3, "exec \"$passel\" --help");
    assert_eq!(help.code, Some(0));
    assert_eq!(help.stdout.matches("passel on many machines").count(), 1);
    for (arguments, told) in [
        (
            "select nothing.csv --response y",
            "error: nothing.csv: no such file",
        ),
        (
            "select x.csv --iterations many",
            "iterations = many must be",
        ),
        ("simulate hung", "simulate"),
        ("run nothing.toml", "nothing.toml"),
    ] {
        let ran = ran(here, 3, &format!("exec \"$passel\" {arguments}"));
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert_eq!(ran.stderr.matches("error:").count(), 1, "{}", ran.stderr);
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
    }
}

/// A folder with `data.csv`, and another in it, `other`, where a rank may go.
fn two_folders() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("other")).unwrap();
    fs::copy(example("diabetes.csv"), folder.path().join("data.csv")).unwrap();
    folder
}
