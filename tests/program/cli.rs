//! The program by its command line: what it prints, what it writes, how it ends.

use std::fs;

use crate::support::{Folder, finish, ran, send, start, wait_for_line};
use serde_json::Value;

const SELECT: [&str; 4] = ["select", "data.csv", "--response", "y"];

pub(crate) fn select<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SELECT[..], more].concat()
}

#[test]
fn json_holds_the_selection_of_the_true_variable() {
    let folder = Folder::new();
    let ran = folder.run(&select(&[
        "--format",
        "json",
        "--particles",
        "8",
        "--seed",
        "7",
    ]));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["response"], "y");
    assert_eq!(json["n"], 60);
    assert_eq!(json["p"], 4);
    assert_eq!(json["k"], 1);
    assert_eq!(json["seed"], 7);
    assert_eq!(json["method"]["name"], "pass");
    assert_eq!(json["method"]["particles"], 8);
    assert_eq!(json["criterion"]["name"], "ebic-monotone");
    assert_eq!(json["criterion"]["gamma"], 1.0);
    assert_eq!(json["selected"][0]["name"], "a");
    assert_eq!(json["selected"][0]["index"], 0);
    let slope = json["selected"][0]["coefficient"].as_f64().unwrap();
    assert!((slope - 3.0).abs() < 0.1, "{slope}");
    assert_eq!(json["termination"], "iterations");
    let elapsed = &json["elapsed_seconds"];
    let parts = ["start", "read", "devices", "search", "report"];
    let parts = parts.map(|part| elapsed[part].as_f64().unwrap());
    let total = elapsed["total"].as_f64().unwrap();
    let sum: f64 = parts.iter().sum();
    assert!(parts.iter().all(|part| *part >= 0.0), "{elapsed}");
    assert!((total - sum).abs() < 1e-3, "{elapsed}");
}

#[test]
fn text_and_csv_hold_the_same_selection() {
    let folder = Folder::new();
    let text = folder.run(&SELECT);
    assert_eq!(text.code, Some(0));
    for line in ["data                 data.csv", "variables k          1"] {
        assert!(
            text.stdout.lines().any(|own| own == line),
            "{}",
            text.stdout
        );
    }
    assert!(text.stdout.contains("\n(intercept) "));
    let csv = folder.run(&select(&["--format", "csv"]));
    let rows: Vec<&str> = csv.stdout.lines().collect();
    assert_eq!(
        rows[0],
        "name,index,coefficient,std_error,t,p_value,lower,upper"
    );
    assert!(rows[1].starts_with("(intercept),,"), "{}", rows[1]);
    assert!(rows[2].starts_with("a,0,"), "{}", rows[2]);
    assert_eq!(rows.len(), 3);
}

#[test]
fn threads_do_not_show_in_the_result() {
    let folder = Folder::new();
    let result = |threads| {
        let ran = folder.run(&select(&["--format", "json", "--threads", threads]));
        let mut json: Value = serde_json::from_str(&ran.stdout).unwrap();
        json["elapsed_seconds"] = Value::Null;
        json.to_string()
    };
    assert_eq!(result("1"), result("2"));
}

#[test]
fn output_and_trace_are_written_and_nothing_is_printed() {
    let folder = Folder::new();
    let (particles, iterations) = (3, 5);
    let ran = folder.run(&select(&[
        "--particles",
        "3",
        "--iterations",
        "5",
        "--no-polish",
        "--format",
        "json",
        "--output",
        "o.json",
        "--trace",
        "t.csv",
    ]));
    assert_eq!(
        (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
        (Some(0), "", "")
    );
    assert_eq!(folder.names(), ["data.csv", "o.json", "t.csv"]);
    let json: Value = serde_json::from_str(&folder.read("o.json")).unwrap();
    let trace = folder.read("t.csv");
    let rows: Vec<Vec<&str>> = trace.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!(
        rows[0].join(","),
        "iteration,particle,move,variable,size,criterion,best"
    );
    assert_eq!(rows.len(), 1 + particles * iterations);
    assert_eq!(rows[1][..3], ["1", "0", "start"]);
    let lowest = rows[1..].iter().map(|row| row[5].parse::<f64>().unwrap());
    let best: f64 = rows[15][6].parse().unwrap();
    // The best is not replaced by a model that is lower by rounding alone.
    let lowest = lowest.fold(f64::INFINITY, f64::min);
    assert!((lowest - best).abs() <= 1e-11 * best.abs());
    assert!((json["criterion"]["value"].as_f64().unwrap() - best).abs() < 1e-9 * best.abs());
}

#[test]
fn wrong_arguments_exit_with_2_and_are_all_reported() {
    let folder = Folder::new();
    let ran = folder.run(&select(&[
        "--particles",
        "0",
        "--criterion",
        "ebci",
        "--output",
        "o",
    ]));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert_eq!(
        ran.stderr,
        "error: particles = 0 must be 1 … 65536\n\
         error: criterion = ebci: there is no criterion `ebci`; did you mean `ebic`?\n"
    );
    assert_eq!(folder.names(), ["data.csv"]);
    let unknown = folder.run(&select(&["--particels", "3"]));
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown.stderr.contains("'--particles'"),
        "{}",
        unknown.stderr
    );
    let negative = folder.run(&select(&["--seed", "-1"]));
    assert_eq!(negative.code, Some(2));
    assert_eq!(
        negative.stderr,
        "error: seed = -1 must be 0 … 18446744073709551615\n"
    );
}

#[test]
fn wrong_data_ends_with_2_and_writes_nothing() {
    let folder = Folder::new();
    let ran = folder.run(&[
        "select",
        "none.csv",
        "--response",
        "y",
        "--output",
        "o",
        "--trace",
        "t",
    ]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("none.csv"), "{}", ran.stderr);
    assert_eq!(folder.names(), ["data.csv"]);
    let ran = folder.run(&["select", "data.csv", "--response", "z"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains('z'), "{}", ran.stderr);
}

#[test]
fn a_place_that_takes_no_file_is_refused_before_the_work() {
    let folder = Folder::new();
    for option in ["--output", "--trace"] {
        // So long a search would never end: the refusal must come first.
        let ran = folder.run(&select(&["--iterations", "1000000000", option, "no/o"]));
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
        assert_eq!(
            ran.stderr,
            "error: cannot write no/o: there is no folder no; make it first\n"
        );
        let ran = folder.run(&select(&["--iterations", "1000000000", option, "."]));
        assert_eq!(
            ran.stderr,
            "error: cannot write .: it is a folder; name a file in it\n"
        );
    }
    assert_eq!(folder.names(), ["data.csv"]);
}

#[test]
fn help_and_version_go_to_standard_output() {
    let folder = Folder::new();
    let version = folder.run(&["--version"]);
    let expected = concat!("passel ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!((version.code, version.stdout.as_str()), (Some(0), expected));
    let help = folder.run(&["select", "--help"]);
    assert_eq!(help.code, Some(0));
    for part in [
        "Data:",
        "Model:",
        "Search:",
        "Output:",
        "--time-limit <TIME>",
        "Example:",
        "range: 1 … 65536",
    ] {
        assert!(help.stdout.contains(part), "{part}: {}", help.stdout);
    }
    let nothing = folder.run(&[]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (Some(2), ""));
}

#[test]
fn progress_goes_to_standard_error_in_the_form_asked_for() {
    let folder = Folder::new();
    let run = |form| {
        folder
            .run(&select(&["--iterations", "9", "--progress", form]))
            .stderr
    };
    assert_eq!(run("none"), "");
    assert_eq!(run("auto"), "", "no bar outside a terminal");
    assert!(run("plain").contains("polish, wave "), "{}", run("plain"));
    let last: Value = serde_json::from_str(run("json").lines().last().unwrap()).unwrap();
    assert!(last["wave"].as_u64().unwrap() > 0);
    // Waves are no iterations, so that no iteration is beyond the last.
    assert_eq!((&last["iteration"], &last["of"]), (&9.into(), &9.into()));
    assert!(last["time"].as_str().unwrap().ends_with('Z'));
    let swarm = ["--iterations", "9", "--no-polish", "--progress", "plain"];
    let told = folder.run(&select(&swarm)).stderr;
    assert!(told.contains("iteration 9 of 9: best "), "{told}");
    assert_eq!(last["size"], 1);
    assert!(last["best"].is_f64() && last["elapsed_seconds"].is_f64());
}

#[cfg(unix)]
#[test]
fn a_disk_that_fills_leaves_the_old_file() {
    let folder = Folder::new();
    for (option, name) in [("--output", "o"), ("--trace", "t")] {
        let old = match name {
            "o" => "old\npassel 0.1.0\n",
            _ => "iteration,particle,move,variable,size,criterion,best\n",
        };
        folder.write(name, old);
        let script = format!(
            "trap '' XFSZ; ulimit -f 0; exec \"$passel\" select data.csv --response y {option} {name} | cat"
        );
        // The pipe keeps the report itself off the full disk.
        let ran = ran(folder.shell(&format!("{{ {script}; }}; true")));
        let told = format!("writing {name} failed: ");
        assert!(ran.stderr.contains(&told), "{}", ran.stderr);
        assert_eq!(folder.read(name), old);
        fs::remove_file(folder.path(name)).unwrap();
        assert_eq!(folder.names(), ["data.csv"]);
    }
}

#[cfg(unix)]
#[test]
fn a_disk_that_fills_ends_with_1() {
    let folder = Folder::new();
    for option in ["--output", "--trace"] {
        let script = "trap '' XFSZ; ulimit -f 0; exec \"$passel\" select data.csv --response y ";
        let ran = ran(folder.shell(&format!("{script} {option} x")));
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        // A selection without its trace is still a selection.
        assert_eq!(
            ran.stdout.contains("variables k          1"),
            option == "--trace"
        );
        assert_eq!(folder.names(), ["data.csv"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_ends_with_1() {
    let folder = Folder::new();
    for command in ["select data.csv --response y", "criteria", "--help"] {
        let ran = ran(folder.shell(&format!("exec \"$passel\" {command} > /dev/full")));
        assert_eq!(ran.code, Some(1), "{command}");
        assert!(
            ran.stderr
                .starts_with("error: writing to standard output failed: "),
            "{}",
            ran.stderr
        );
    }
}

#[cfg(unix)]
#[test]
fn a_reader_who_leaves_is_no_failure() {
    let folder = Folder::new();
    // The pipe's reader is gone before the program starts.
    let script = "{ sleep 0.2; \"$passel\" criteria; echo \"ended with $?\" >&2; } | true";
    let ran = ran(folder.shell(script));
    assert_eq!(ran.stderr, "ended with 0\n");
}

/// Starts a search that would not end, and sends INT once it is under way.
#[cfg(unix)]
fn interrupted(folder: &Folder, more: &[&str]) -> crate::support::Ran {
    let endless = [
        "--iterations",
        "1000000000",
        "--progress",
        "json",
        "--format",
        "json",
    ];
    let arguments = [&SELECT[..], &endless, more].concat();
    let mut child = start(folder.passel(&arguments));
    // The first progress line shows that the search is under way.
    wait_for_line(&mut child);
    send(&child, "INT");
    finish(child)
}

#[cfg(unix)]
#[test]
fn an_interrupt_gives_the_best_so_far_and_130() {
    let folder = Folder::new();
    let ran = interrupted(&folder, &[]);
    assert_eq!(ran.code, Some(130), "{}", ran.stderr);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["termination"], "interrupted");
    assert_eq!(json["selected"][0]["name"], "a");
    assert!(
        ran.stderr
            .ends_with("interrupted: this is the best so far\n"),
        "{}",
        ran.stderr
    );
}

#[cfg(unix)]
#[test]
fn an_interrupt_still_writes_output_and_trace() {
    let folder = Folder::new();
    let ran = interrupted(
        &folder,
        &["--particles", "1", "--output", "o.json", "--trace", "t.csv"],
    );
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(130), ""),
        "{}",
        ran.stderr
    );
    let json: Value = serde_json::from_str(&folder.read("o.json")).unwrap();
    let done = json["iterations"].as_u64().unwrap();
    assert_eq!(folder.read("t.csv").lines().count() as u64, done + 1);
    assert_eq!(folder.names(), ["data.csv", "o.json", "t.csv"]);
}

#[test]
fn a_proof_shows_how_far_it_got() {
    let folder = Folder::new();
    let columns: Vec<String> = (0..20).map(|j| format!("x{j}")).collect();
    let value = |i: u64, j: u64| ((i + 3) * (j + 7) * (i + j + 11) % 997) as f64;
    let row = |i: u64| {
        let x: Vec<f64> = (0..20).map(|j| value(i, j)).collect();
        let y = x[2] - x[9] + value(i, 40);
        let all = std::iter::once(y).chain(x);
        let all: Vec<String> = all.map(|value| value.to_string()).collect();
        all.join(",") + "\n"
    };
    let rows: String = (0..60).map(row).collect();
    folder.write("data.csv", &format!("y,{}\n{rows}", columns.join(",")));
    let shown = |how| {
        let ran = folder.run(&select(&["--prove", "--progress", how]));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran.stderr.lines().last().unwrap().to_owned()
    };
    let last: serde_json::Value = serde_json::from_str(&shown("json")).unwrap();
    let proof = &last["proof"];
    assert!(proof["nodes"].as_u64() > Some(0), "{last}");
    assert_eq!(proof["open"], 0);
    for done in ["undecided", "gap"] {
        assert_eq!(proof[done], 0.0, "{last}");
    }
    assert_eq!(proof["bound"], last["best"]);
    let last = shown("plain");
    assert!(last.contains("Z proof, "), "{last}");
    assert!(
        last.contains(" nodes, 0 branches open with 0.000% of all models: best "),
        "{last}"
    );
}
