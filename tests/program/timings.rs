//! Where the time of a job went.

use std::time::Instant;

use crate::{cli::select, support::Folder};

#[test]
fn timings_add_up_to_the_wall_clock() {
    let folder = Folder::new();
    let began = Instant::now();
    let ran = folder.run(&select(&[
        "--timings",
        "--particles",
        "2000",
        "--iterations",
        "200",
    ]));
    let wall = began.elapsed().as_secs_f64();
    assert_eq!(ran.code, Some(0));
    let lines = ran.stderr.lines().map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [part, seconds, "s"] = words[..] else {
            panic!("{line}");
        };
        (part, seconds.parse().unwrap())
    });
    let lines: Vec<(&str, f64)> = lines.collect();
    let names: Vec<&str> = lines.iter().map(|(part, _)| *part).collect();
    assert_eq!(
        names,
        [
            "start", "read", "devices", "search", "report", "output", "total"
        ]
    );
    let (total, parts) = lines.split_last().unwrap();
    let sum: f64 = parts.iter().map(|(_, seconds)| seconds).sum();
    assert!((sum - total.1).abs() < 0.01, "{}", ran.stderr);
    // The rest is the start of a process and its end.
    assert!(
        total.1 <= wall && wall - total.1 < 0.2 + 0.1 * wall,
        "{wall}: {}",
        ran.stderr
    );
}
