//! Whole selections on GPUs, of the shapes that the originals were measured on: some have 41 GB,
//! some 30 million columns, which are drawn on the host first.
//!
//! `cargo bench --bench sweeps -- [--only 1,4] [--runs 3] [--gpus N] [--small]`
//!
//! Each on one GPU; problems 1 and 6 on all there are too, at most N. `--small` takes a tenth of
//! the observations, or of the columns where there are few observations, and of the entries.
//!
//! `draw` is making the columns, `layout` everything until relevance is known, on the first run. A
//! search is the walk behind relevance: `top` picks and `top` − 1 sweeps. `GB` is what the columns'
//! codes take where nothing is filled up, which every sweep reads once at least, and `share` how
//! much of the time that takes at 4.46 TB/s a GPU, in per cent; `+GB` is what the sums and scores
//! of all candidates ask for besides. `T/s` are (candidate, observation) pairs a second, or
//! entries, in 10¹²; `goal` is what must be reached: the fastest original's seconds for all of it,
//! or what we had.

#![allow(clippy::unwrap_used)]

mod columns;

use std::{process::ExitCode, time::Instant};

use passel::{
    Interrupt,
    binning::BinnedColumns,
    device::{DeviceChoice, Resources, cuda::facts},
    score::{Combination, Gather, Join, Measure, Score},
    selection::RankedColumns,
    selector::{Stop, rank},
};

use columns::{Distribution, columns, size};

/// Bytes a second that a GPU reads.
const RATE: f64 = 4.46e12;

/// What sums and scores of a candidate take in a step: sums of (x, w) and (x, w, y) written and
/// read, those of x, of (x, y) and relevance read, two of 128 bits read and written, its number
/// and whether it is taken.
const CANDIDATE: f64 = 4.0 * 8.0 + 3.0 * 8.0 + 4.0 * 16.0 + 4.0 + 1.0;

/// A shape of data.
#[derive(Clone, Copy)]
struct Problem {
    /// Observations.
    n: usize,
    /// Columns.
    p: usize,
    /// Levels of the response.
    classes: usize,
    /// Levels of every column.
    levels: usize,
    distribution: Distribution,
}

impl Problem {
    fn draw(&self) -> BinnedColumns {
        let shape = (self.n, self.p);
        columns(shape, self.levels, self.classes, self.distribution)
    }
}

struct Case {
    number: usize,
    method: &'static str,
    problem: Problem,
    top: usize,
    /// Also on all GPUs.
    all: bool,
    goal: &'static str,
}

fn cases() -> Vec<Case> {
    let case = |number, method, (n, p), classes, levels, top, entries: Option<u64>, goal| Case {
        number,
        method,
        problem: Problem {
            n,
            p,
            classes,
            levels,
            distribution: entries.map_or(Distribution::Bell, Distribution::Zipf),
        },
        top,
        all: [1, 6].contains(&number),
        goal,
    };
    let text = Some(1_500_000);
    vec![
        case(
            1,
            "jmi",
            (20_242, 47_236),
            2,
            64,
            200,
            None,
            "CUDA-JMI 35.0 s",
        ),
        case(
            2,
            "jmi",
            (20_242, 47_236),
            2,
            64,
            200,
            text,
            "CUDA-JMI 35.0 s",
        ),
        case(
            3,
            "jmi",
            (531_131, 3072),
            10,
            64,
            200,
            None,
            "CUDA-JMI 278 s",
        ),
        case(4, "jmi", (97, 24_481), 2, 64, 200, None, "CUDA-JMI 0.17 s"),
        case(
            5,
            "mrmr",
            (3_200_000, 1000),
            2,
            31,
            100,
            None,
            "fast-mRMR 7.96 s",
        ),
        case(
            6,
            "mrmr",
            (65_003_913, 631),
            2,
            31,
            100,
            None,
            "fast-mRMR 2421 s",
        ),
        case(
            7,
            "mrmr",
            (16_087, 4_272_227),
            2,
            32,
            200,
            Some(94_000_000),
            "1.2 ms a sweep",
        ),
        case(
            8,
            "mrmr",
            (19_264_097, 29_890_095),
            2,
            2,
            100,
            Some(566_000_000),
            "fast-mRMR 2790 s",
        ),
        // Scores that only fall, of the first's columns.
        case(9, "cmim", (20_242, 47_236), 2, 64, 200, None, "less than 1"),
        case(
            10,
            "jmim",
            (20_242, 47_236),
            2,
            64,
            200,
            None,
            "less than 1",
        ),
        // Genotypes.
        case(
            11,
            "jmi",
            (100_000, 100_000),
            2,
            3,
            100,
            None,
            "reading: 1.1 ms",
        ),
    ]
}

fn score(method: &str) -> Score {
    let (over, weight, gather, join) = match method {
        "jmi" => (Combination::XW_Y, 1.0, Gather::Sum, Join::Alone),
        "cmim" => (Combination::X_Y_GIVEN_W, 1.0, Gather::Minimum, Join::Least),
        "jmim" => (Combination::XW_Y, 1.0, Gather::Minimum, Join::Alone),
        _ => (Combination::X_W, -1.0, Gather::Mean, Join::Added),
    };
    Score {
        measure: Measure::of_terms([over.weighing(weight)]),
        gather,
        join,
        ..Score::default()
    }
}

/// A tenth of it.
fn tenth(of: &Problem) -> Problem {
    let few = of.n < 10_000;
    let (is_sparse, distribution) = match of.distribution {
        Distribution::Zipf(entries) => (true, Distribution::Zipf(entries / 10)),
        dense => (false, dense),
    };
    Problem {
        n: if few { of.n } else { of.n / 10 },
        p: if few || is_sparse { of.p / 10 } else { of.p },
        distribution,
        ..*of
    }
}

/// So many selections of `top` columns on the GPUs of these ordinals.
fn select(
    columns: &BinnedColumns,
    score: &Score,
    ordinals: &[usize],
    (top, runs): (usize, usize),
) -> Result<Vec<RankedColumns>, String> {
    let resources = Resources {
        devices: DeviceChoice::Cuda(ordinals.to_vec()),
        ..Resources::default()
    };
    let stop = Stop {
        top: Some(top),
        ..Stop::default()
    };
    let one = |_| {
        let interrupt = Interrupt::default();
        let ranked = rank(
            columns,
            score,
            &stop,
            &resources,
            &interrupt,
            &mut |_, _| {},
        );
        let ranked = ranked.map_err(|error| error.to_string())?;
        match &ranked.fault {
            Some(fault) => Err(fault.to_string()),
            None => Ok(ranked),
        }
    };
    (0..runs).map(one).collect()
}

fn main() -> ExitCode {
    let (mut only, mut runs, mut most, mut small) = (Vec::new(), 3, usize::MAX, false);
    // cargo says --bench.
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    while let Some(word) = words.next() {
        let mut value = || words.next().unwrap();
        match &*word {
            "--only" => only = value().split(',').map(|n| n.parse().unwrap()).collect(),
            "--runs" => runs = value().parse::<usize>().unwrap().max(1),
            "--gpus" => most = value().parse().unwrap(),
            "--small" => small = true,
            _ => panic!("{word}: the head of benches/sweeps.rs has the options"),
        }
    }
    let cuda = facts::cuda();
    if let Some(obstacle) = cuda.obstacle {
        eprintln!("no GPU: {obstacle}");
        return ExitCode::SUCCESS;
    }
    let gpus = cuda.gpus.len().min(most).max(1);
    println!(
        "{:2} {:4} {:>24} {:>4} {:>4} {:>8} {:>8} {:>9} {:>9} {:>9} {:>8} {:>6} {:>6} {:>6} {:>6}  goal",
        "#",
        "",
        "n x p",
        "top",
        "GPUs",
        "draw",
        "layout",
        "search ms",
        "least",
        "most",
        "ms/sweep",
        "GB",
        "+GB",
        "share",
        "T/s",
    );
    let mut failed = false;
    for case in cases() {
        if !only.is_empty() && !only.contains(&case.number) {
            continue;
        }
        let problem = if small {
            tenth(&case.problem)
        } else {
            case.problem
        };
        let started = Instant::now();
        let data = problem.draw();
        let drawn = started.elapsed().as_secs_f64();
        let (bytes, read) = size(&data);
        let mut picks = None;
        for count in [1, gpus] {
            if count == 1 && picks.is_some() || count > 1 && !case.all {
                continue;
            }
            let ordinals: Vec<usize> = (0..count).collect();
            let top = case.top.min(problem.p);
            let ranked = match select(&data, &score(case.method), &ordinals, (top, runs)) {
                Ok(ranked) => ranked,
                Err(error) => {
                    println!("{:2} {}: {error}", case.number, case.method);
                    failed = true;
                    continue;
                }
            };
            let mut walks: Vec<f64> = ranked.iter().map(|ranked| ranked.seconds).collect();
            walks.sort_by(f64::total_cmp);
            let (median, least, longest) = (walks[runs / 2], walks[0], walks[runs - 1]);
            let sweep = median / (top - 1).max(1) as f64;
            let floor = bytes as f64 / count as f64 / RATE;
            println!(
                "{:2} {:4} {:>24} {top:4} {count:4} {drawn:8.2} {:8.2} {:9.2} {:9.2} {:9.2} {:8.4} {:6.2} {:6.2} {:6.1} {:6.3}  {}",
                case.number,
                case.method,
                format!("{} x {}", problem.n, problem.p),
                ranked[0].starting,
                1e3 * median,
                1e3 * least,
                1e3 * longest,
                1e3 * sweep,
                bytes as f64 / 1e9,
                CANDIDATE * problem.p as f64 / 1e9,
                100.0 * floor / sweep,
                read as f64 / sweep / 1e12,
                case.goal,
            );
            let chosen = ranked[runs - 1].chosen.iter();
            let own: Vec<(usize, f64)> = chosen.map(|pick| (pick.column, pick.score)).collect();
            if *picks.get_or_insert_with(|| own.clone()) != own {
                println!(
                    "{:2} {count} GPUs picked other columns than one",
                    case.number
                );
                failed = true;
            }
        }
    }
    ExitCode::from(u8::from(failed))
}
