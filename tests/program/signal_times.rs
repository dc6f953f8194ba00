//! How long a command takes from the first signal to its end, in every phase of its work, for
//! docs/jobs.md. It takes minutes, and figures are those of an optimised program:
//! `cargo test --release --test program signal_times -- --ignored --nocapture`.

use std::{
    fs::File,
    io::{BufWriter, Write},
    thread::sleep,
    time::{Duration, Instant},
};

use crate::support::{Folder, finish, send, start, wait_for_line_that};

/// The next bits of a generator, as a share of 65,536.
fn next(state: &mut u64) -> f64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1);
    (*state >> 48) as f64 / 65_536.0
}

/// A sum of uniform variables, with mean 0 and variance 1.
fn near_normal(state: &mut u64) -> f64 {
    (0..12).map(|_| next(state)).sum::<f64>() - 6.0
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
            write!(file, ",{:.3}", next(&mut state)).unwrap();
        }
        writeln!(file).unwrap();
    }
    file.flush().unwrap();
    let gzip = folder.shell("gzip -1 < large.csv > large.csv.gz").status();
    assert!(gzip.unwrap().success());
}

/// A response of which a share of the variables explains a little each, which makes long polishes and proofs.
fn write_weak(folder: &Folder, name: &str, (rows, columns, active): (usize, usize, usize)) {
    let mut file = BufWriter::new(File::create(folder.path(name)).unwrap());
    let names: Vec<String> = (0..columns).map(|column| format!(",x{column}")).collect();
    writeln!(file, "y{}", names.concat()).unwrap();
    let mut state = 3_u64;
    for _ in 0..rows {
        let values: Vec<f64> = (0..=columns).map(|_| near_normal(&mut state)).collect();
        let y = 0.25 * values[..active].iter().sum::<f64>() + values[columns];
        write!(file, "{y:.4}").unwrap();
        for value in &values[..columns] {
            write!(file, ",{value:.3}").unwrap();
        }
        writeln!(file).unwrap();
    }
    file.flush().unwrap();
}

/// Columns of two ones each, whose means and norms are all alike.
fn write_ones(folder: &Folder, name: &str, columns: usize) {
    let mut rows = vec![Vec::new(); 1000];
    let mut state = 7_u64;
    for column in 1..=columns {
        for half in 0..2 {
            rows[500 * half + (500.0 * next(&mut state)) as usize].push(column);
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

const PREPARING: &str = "\"stage\":\"reading and preparing the data\"";
const WORKING: &str = "\"stage\":\"at work\"";
const ITERATION: &str = "\"wave\":null,\"proof\":null";

/// A phase, the command, and the lines of progress that tell that it is in the phase: their mark, and how many.
const PHASES: &[(&str, &str, &str, usize)] = &[
    (
        "reading, text",
        "select large.csv --response y",
        PREPARING,
        2,
    ),
    (
        "reading, gzip",
        "select large.csv.gz --response y",
        PREPARING,
        2,
    ),
    (
        "design, duplicates (200,000)",
        "select ones.libsvm --no-polish",
        PREPARING,
        4,
    ),
    (
        "binning, mdlp",
        "select large.csv --response y --method mim --binning mdlp --bin-response equal-width:5",
        PREPARING,
        20,
    ),
    (
        "iterations",
        "select large.csv --response y --iterations 1000000000",
        ITERATION,
        2,
    ),
    (
        "iterations of seconds",
        "select large.csv --response y --particles 20000 --iterations 1000 --no-polish",
        ITERATION,
        1,
    ),
    (
        "several criteria",
        "select large.csv --response y --criterion aic,bic,ebic --iterations 1000000000",
        ITERATION,
        2,
    ),
    (
        "polish",
        "select polish.csv --response y --criterion aic --iterations 1",
        "\"wave\":3,",
        1,
    ),
    (
        "proof",
        "select proof.csv --response y --criterion aic --iterations 1 --prove",
        "\"nodes\":",
        3,
    ),
    (
        "jmi",
        "select large.csv --response y --method jmi --bin-response equal-width:5 --top 5000",
        "\"variable\":",
        2,
    ),
    (
        "permutations",
        "select large.csv --response y --method mim --bin-response equal-width:5 --stop \
         permutation:n=1000000",
        "\"permutation\":",
        2,
    ),
    (
        "relieff",
        "select large.csv --response y --method relieff",
        WORKING,
        10,
    ),
    (
        "pairs",
        "pairs large.csv --response y --bin-response equal-width:5",
        "\"column\":",
        2,
    ),
    (
        "stability",
        "stability large.csv --response y --iterations 5",
        WORKING,
        5,
    ),
    (
        "simulate",
        "simulate ing-lai --output made.csv --n 2000 --p 20000",
        "",
        0,
    ),
];

#[test]
#[ignore = "a measurement: large files, and minutes"]
fn signal_times() {
    let folder = Folder::new();
    write_tables(&folder, 2_000, 20_000);
    write_ones(&folder, "ones.libsvm", 200_000);
    write_weak(&folder, "polish.csv", (1_000, 5_000, 150));
    write_weak(&folder, "proof.csv", (150, 100, 60));
    println!("| phase | seconds to the end |\n| --- | ---: |");
    for (phase, command, mark, lines) in PHASES {
        let mut command = folder.passel(&command.split(' ').collect::<Vec<_>>());
        if *lines > 0 {
            command.args(["--progress", "json"]);
        }
        let mut child = start(command);
        for _ in 0..*lines {
            wait_for_line_that(&mut child, |line| line.contains(mark));
        }
        if *lines == 0 {
            // A simulation tells nothing meanwhile.
            sleep(Duration::from_millis(500));
        }
        let asked = Instant::now();
        send(&child, "INT");
        let code = child.wait().unwrap().code();
        let seconds = asked.elapsed().as_secs_f64();
        assert_eq!(code, Some(130), "{phase}: {}", finish(child).stderr);
        println!("| {phase} | {seconds:.2} |");
    }
}
