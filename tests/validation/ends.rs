//! Validations that a limit of time or a request ends: what is complete is reported.

use crate::{
    json,
    support::{Folder, finish, send, start, wait_for_line_that},
};

/// Splits that take far longer than any limit here.
const LONG: &[&str] = &[
    "validate",
    "long.csv",
    "--response",
    "y",
    "--scheme",
    "folds:k=10,repeats=1000",
    "--format",
    "json",
];

fn long(folder: &Folder) {
    let mut draw = crate::noise(3);
    let names: Vec<String> = (0..150).map(|j| format!("x{j}")).collect();
    let mut text = format!("y,{}\n", names.join(","));
    for _ in 0..120 {
        let x: Vec<f64> = (0..150).map(|_| draw()).collect();
        let y = x[3] + x[8] - x[20] + 0.5 * draw();
        let x: Vec<String> = x.iter().map(f64::to_string).collect();
        text += &format!("{y},{}\n", x.join(","));
    }
    folder.write("long.csv", &text);
}

#[test]
fn a_time_limit_leaves_what_is_complete() {
    let folder = Folder::new();
    long(&folder);
    let report = json(&folder.run(&[LONG, &["--time-limit", "3s"]].concat()));
    assert_eq!(report["termination"], "time-limit");
    let done = report["done"].as_u64().unwrap();
    assert!(done > 0 && done < 10_000);
    assert_eq!(report["wanted"], 10_000);
    assert_eq!(report["splits"].as_array().unwrap().len() as u64, done);
    assert!(report["models"][0]["errors"][0]["value"].as_f64().unwrap() > 0.0);
    let ran = folder.run(&[LONG, &["--time-limit", "1ms"]].concat());
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr
            .contains("before the first split was complete: raise --time-limit"),
        "{}",
        ran.stderr
    );
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_what_is_complete() {
    let folder = Folder::new();
    long(&folder);
    let mut child = start(folder.passel(&[LONG, &["--progress", "json"]].concat()));
    let is_second = |line: &str| line.contains("\"done\":2") || line.contains("\"done\":3");
    wait_for_line_that(&mut child, |line| is_second(line) || line.contains("split"));
    std::thread::sleep(std::time::Duration::from_secs(2));
    send(&child, "INT");
    let ran = finish(child);
    assert_eq!(ran.code, Some(130), "{}", ran.stderr);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["termination"], "interrupted");
    assert!(report["done"].as_u64().unwrap() > 0);
}
