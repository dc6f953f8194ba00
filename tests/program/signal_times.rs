//! How long a command takes from the first signal to its end, in every phase of its work: the table in
//! docs/jobs.md. It takes a quarter of an hour, and figures are those of an optimised program:
//! `cargo test --release --test program signal_times -- --ignored --nocapture`.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    process::Child,
    time::Instant,
};

use crate::support::{Folder, finish, send, start, wait_until};

/// Processor time of a process so far. *Units:* hundredths of a second.
fn cpu_time(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    let behind_name = status.rsplit(')').next().unwrap_or_default();
    let times = behind_name.split_whitespace().skip(11).take(2);
    times.filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}

/// A table of noise, and the same one compressed.
fn write_tables(folder: &Folder, rows: usize, columns: usize) {
    let mut file = BufWriter::new(File::create(folder.path("large.csv")).unwrap());
    let names: Vec<String> = (0..columns).map(|column| format!(",x{column}")).collect();
    writeln!(file, "y{}", names.concat()).unwrap();
    let mut state = 1_u64;
    for row in 0..rows {
        write!(file, "{}", row * row % 101).unwrap();
        for _ in 0..columns {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            write!(file, ",{}", (state >> 48) as f64 / 1000.0).unwrap();
        }
        writeln!(file).unwrap();
    }
    file.flush().unwrap();
    let gzip = folder.shell("gzip -1 < large.csv > large.csv.gz").status();
    assert!(gzip.unwrap().success());
}

/// Columns of two ones each, whose means and norms are all alike.
fn write_ones(folder: &Folder, name: &str, columns: usize) {
    let mut rows = vec![Vec::new(); 1000];
    let mut state = 7_u64;
    for column in 1..=columns {
        for half in 0..2 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            rows[500 * half + (state >> 40) as usize % 500].push(column);
        }
    }
    let mut file = BufWriter::new(File::create(folder.path(name)).unwrap());
    for (row, columns) in rows.iter().enumerate() {
        write!(file, "{}", row * row % 101).unwrap();
        for column in columns {
            write!(file, " {column}:1").unwrap();
        }
        writeln!(file).unwrap();
    }
    file.flush().unwrap();
}

/// A phase, the command, and the processor time after which it is in the phase.
const PHASES: &[(&str, &str, u64)] = &[
    ("reading, text", "select large.csv --response y", 40),
    ("reading, gzip", "select large.csv.gz --response y", 80),
    (
        "design, duplicates (200,000)",
        "select ones.libsvm --no-polish",
        60,
    ),
    (
        "first iterations",
        "select large.csv --response y --iterations 1000000000",
        500,
    ),
    (
        "iterations of seconds",
        "select large.csv --response y --particles 20000 --iterations 1000 --no-polish",
        900,
    ),
    (
        "several criteria",
        "select large.csv --response y --criterion aic,bic,ebic --iterations 1000000000",
        500,
    ),
    (
        "polish, proof",
        "select data.csv --response y --iterations 2 --prove",
        5,
    ),
    (
        "jmi",
        "select large.csv --response y --method jmi --bin-response equal-width:5",
        400,
    ),
    (
        "permutations",
        "select large.csv --response y --method mim --bin-response equal-width:5 --stop \
         permutation:n=1000000",
        600,
    ),
    (
        "relieff",
        "select large.csv --response y --method relieff",
        600,
    ),
    (
        "pairs",
        "pairs large.csv --response y --bin-response equal-width:5",
        600,
    ),
    (
        "stability",
        "stability large.csv --response y --iterations 5",
        600,
    ),
    (
        "simulate",
        "simulate ing-lai --output made.csv --n 2000 --p 20000",
        60,
    ),
];

#[test]
#[ignore = "a measurement: large files, and minutes"]
fn signal_times() {
    let folder = Folder::new();
    write_tables(&folder, 2_000, 20_000);
    write_ones(&folder, "ones.libsvm", 200_000);
    println!("| phase | seconds to the end | exit code |\n| --- | ---: | ---: |");
    for (phase, command, hundredths) in PHASES {
        let mut child = start(folder.passel(&command.split(' ').collect::<Vec<_>>()));
        let id = child.id();
        let reached = |child: &Child| child.id() == id && cpu_time(child) >= *hundredths;
        // What ends before is told by its exit code.
        let started = Instant::now();
        loop {
            if reached(&child) || child.try_wait().unwrap().is_some() {
                break;
            }
            assert!(started.elapsed().as_secs() < 900, "{phase} was not reached");
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        let asked = Instant::now();
        if child.try_wait().unwrap().is_none() {
            send(&child, "INT");
        }
        wait_until(&mut child, || false);
        let seconds = asked.elapsed().as_secs_f64();
        let code = finish(child).code;
        println!("| {phase} | {seconds:.2} | {code:?} |");
    }
}
