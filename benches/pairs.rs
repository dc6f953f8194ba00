//! All pairs on GPUs by three-variate mutual information, of columns drawn on the host.
//!
//! `cargo bench --bench pairs -- [--only 1,2] [--runs 5] [--gpus N] [--small] [--levels 5,6]`
//!
//! Each on one GPU, 5 as 1 but with the best partner of every column; problem 2 on all there are
//! too, at most N. `--small` takes a tenth of the columns. `--levels` is 10,000 observations of
//! 4,000 columns of so many levels.
//!
//! `layout` is all before the first search: GPUs are opened, codes brought, bits made of them. A
//! search ends with the best pairs scored exactly. `pairs/s` are unordered pairs times
//! observations a second; `goal` is what must be reached: of that, or seconds.

#![allow(clippy::unwrap_used)]

mod columns;

use std::process::ExitCode;

use passel::{
    Interrupt,
    device::{DeviceChoice, Resources, cuda::facts},
    score::{Combination, PairScore, Quantity},
    selector::{PairOptions, rank_pairs},
};

use columns::{Distribution, columns};

/// A shape of data, with two classes, and what is asked for.
#[derive(Clone, Copy)]
struct Problem {
    /// Observations.
    n: usize,
    /// Columns.
    p: usize,
    /// Levels of every column.
    levels: usize,
    /// The best pairs.
    top: usize,
    /// Whether the best partner of every column is wanted too.
    partners: bool,
}

struct Case {
    number: usize,
    problem: Problem,
    /// Also on all GPUs.
    all: bool,
    goal: &'static str,
}

fn cases() -> Vec<Case> {
    let case = |number, (n, p), levels, top, goal| Case {
        number,
        problem: Problem {
            n,
            p,
            levels,
            top,
            partners: number == 5,
        },
        all: number == 2,
        goal,
    };
    vec![
        case(1, (16_384, 50_000), 2, 1000, "1.5e15"),
        case(2, (10_000, 100_000), 3, 1000, "4e14"),
        case(3, (10_000, 20_000), 10, 1000, "1.5e13"),
        case(4, (1000, 10_000), 2, 100, "0.005 s"),
        case(5, (16_384, 50_000), 2, 1000, "with partners"),
    ]
}

fn main() -> ExitCode {
    let (mut only, mut runs, mut most, mut small) = (Vec::new(), 5, usize::MAX, false);
    let mut levels: Vec<usize> = Vec::new();
    // cargo says --bench.
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    while let Some(word) = words.next() {
        let mut value = || words.next().unwrap();
        match &*word {
            "--only" => only = value().split(',').map(|n| n.parse().unwrap()).collect(),
            "--runs" => runs = value().parse::<usize>().unwrap().max(1),
            "--gpus" => most = value().parse().unwrap(),
            "--small" => small = true,
            "--levels" => levels = value().split(',').map(|n| n.parse().unwrap()).collect(),
            _ => panic!("{word}: the head of benches/pairs.rs has the options"),
        }
    }
    let cuda = facts::cuda();
    if let Some(obstacle) = cuda.obstacle {
        eprintln!("no GPU: {obstacle}");
        return ExitCode::SUCCESS;
    }
    let gpus = cuda.gpus.len().min(most).max(1);
    println!(
        "{:2} {:>18} {:>6} {:>5} {:>4} {:>8} {:>9} {:>9} {:>9} {:>9}  goal",
        "#", "n x p", "levels", "top", "GPUs", "layout", "search ms", "least", "most", "pairs/s",
    );
    let mut failed = false;
    let crossing = levels.iter().map(|&levels| Case {
        number: 0,
        problem: Problem {
            n: 10_000,
            p: 4000,
            levels,
            top: 1000,
            partners: false,
        },
        all: false,
        goal: "",
    });
    let cases = if levels.is_empty() {
        cases()
    } else {
        crossing.collect()
    };
    for case in cases {
        if !only.is_empty() && !only.contains(&case.number) {
            continue;
        }
        let mut problem = case.problem;
        if small {
            problem.p /= 10;
        }
        let data = columns(
            (problem.n, problem.p),
            problem.levels,
            2,
            Distribution::Uniform,
        );
        let score = PairScore::Declared(Quantity::plain(Combination::XW_Y));
        let wanted = PairOptions {
            top: Some(problem.top),
            partners: problem.partners,
            ..PairOptions::default()
        };
        let mut pairs = None;
        for count in [1, gpus] {
            if count == 1 && pairs.is_some() || count > 1 && !case.all {
                continue;
            }
            let resources = Resources {
                devices: DeviceChoice::Cuda((0..count).collect()),
                ..Resources::default()
            };
            let scan = |_| {
                let interrupt = Interrupt::default();
                rank_pairs(
                    &data,
                    &score,
                    &wanted,
                    &resources,
                    &interrupt,
                    &mut |_, _| {},
                )
            };
            let scans = match (0..runs).map(scan).collect::<Result<Vec<_>, _>>() {
                Ok(scans) => scans,
                Err(error) => {
                    println!("{:2} {error}", case.number);
                    failed = true;
                    continue;
                }
            };
            let mut searches: Vec<f64> = scans.iter().map(|scan| scan.seconds).collect();
            searches.sort_by(f64::total_cmp);
            let median = searches[runs / 2];
            let (n, p) = (problem.n as f64, problem.p as f64);
            println!(
                "{:2} {:>18} {:6} {:5} {count:4} {:8.2} {:9.3} {:9.3} {:9.3} {:9.3e}  {}",
                case.number,
                format!("{} x {}", problem.n, problem.p),
                problem.levels,
                problem.top,
                scans[0].starting,
                1e3 * median,
                1e3 * searches[0],
                1e3 * searches[runs - 1],
                p * (p - 1.0) / 2.0 * n / median,
                case.goal,
            );
            let own = scans[runs - 1].pairs.clone();
            if *pairs.get_or_insert_with(|| own.clone()) != own {
                println!("{:2} other pairs than before were found", case.number);
                failed = true;
            }
        }
    }
    ExitCode::from(u8::from(failed))
}
