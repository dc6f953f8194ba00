//! Searches of terms beside those of as many columns: whole factors, and all pairs of a formula.
//!
//! `cargo bench --bench terms`; after `--` the names of some, and `--threads N` (1). One line each: the
//! median wall time of 7 searches, and their mean CPU time. Compare CPU times at one thread: others stay
//! awake between two sweeps.
//!
//! | name | data | criterion |
//! | --- | --- | --- |
//! | `whole` | 1,000 factors of 5 levels, 2,000 observations, 5 of them in the response | EBIC(1) |
//! | `split` | their 4,000 dummies | EBIC(1) |
//! | `columns` | 4,000 columns of normal numbers, 10 of them in the response | EBIC(1) |
//! | `pairs` | `(x1 + … + x200)^2`, 500 observations, two main effects, two products | EBIC(1) |
//! | `wide` | `(x1 + … + x2000)^2`, of which not all terms are made at once, with the same response | EBIC(1) |

#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../tests/support/problems.rs"]
mod problems;

use std::{fs, time::Instant};

use nalgebra::{DMatrix, DVector};
use passel::{
    Design, Interrupt, Pass, Table,
    criteria::Ebic,
    design::{DesignOptions, FormulaOptions},
    device::Resources,
    formula::Formula,
    search::{IterationRecord, search_by_parts},
    table::Values,
};
use problems::Random;

const SEARCHES: u64 = 7;

type MakeDesign = fn() -> Design;

/// Ticks of CPU time a second, as Linux reports them.
const TICKS: f64 = 100.0;

fn main() {
    let (mut only, mut threads) = (Vec::new(), 1);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--threads" => threads = arguments.next().unwrap().parse().unwrap(),
            "--bench" => {}
            _ => only.push(argument),
        }
    }
    let designs: [(&str, MakeDesign); 5] = [
        ("whole", || factors(false)),
        ("split", || factors(true)),
        ("columns", columns),
        ("pairs", || pairs(200)),
        ("wide", || pairs(2_000)),
    ];
    println!("| problem | terms | columns | found | wall | CPU |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for (name, design) in designs {
        if only.is_empty() || only.iter().any(|own| own == name) {
            measure(name, &design(), threads);
        }
    }
}

fn measure(name: &str, design: &Design, threads: usize) {
    let (before, mut seconds, mut sizes) = (cpu_seconds(), Vec::new(), Vec::new());
    for seed in 0..SEARCHES {
        let pass = Pass {
            seed,
            ..Pass::default()
        };
        let (never, resources) = (Interrupt::default(), Resources::cpu(threads));
        let start = Instant::now();
        let ebic = Ebic { gamma: 1.0 };
        let observe = &mut |_: &Design, _: &IterationRecord| {};
        let found = search_by_parts(design, &ebic, &pass, &resources, &never, None, observe);
        let (_, found) = found.unwrap();
        seconds.push(start.elapsed().as_secs_f64());
        assert!(found.certified.is_some());
        sizes.push(found.fit.terms().len());
    }
    let cpu = (cpu_seconds() - before) / SEARCHES as f64;
    seconds.sort_by(f64::total_cmp);
    let median = seconds[seconds.len() / 2];
    let (terms, p) = (design.columns().term_count(), design.p());
    println!("| {name} | {terms} | {p} | {sizes:?} | {median:.3} s | {cpu:.3} s |");
}

/// CPU time of this process so far.
fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    // The name, in parentheses, may hold spaces.
    let after = stat.rsplit(')').next().unwrap();
    let ticks = after.split_whitespace().skip(11).take(2);
    ticks
        .map(|ticks| ticks.parse::<f64>().unwrap())
        .sum::<f64>()
        / TICKS
}

fn factors(split_factors: bool) -> Design {
    let (n, count, levels) = (2_000, 1_000, 5);
    let mut random = Random::new(41);
    let codes: Vec<Vec<u32>> = (0..count)
        .map(|_| (0..n).map(|_| random.below(levels) as u32).collect())
        .collect();
    let effects: Vec<f64> = (0..5 * levels).map(|_| 0.4 * random.normal()).collect();
    let y = (0..n).map(|row| {
        let signal = (0..5).map(|at| effects[at * levels + codes[100 * at][row] as usize]);
        signal.sum::<f64>() + random.normal()
    });
    let y: Vec<f64> = y.collect();
    let named = codes.into_iter().enumerate().map(|(at, codes)| {
        let levels = (0..levels).map(|level| format!("l{level}")).collect();
        (format!("x{at}"), Values::Factor { levels, codes })
    });
    let mut table = Table::from_columns(named.chain([("y".to_owned(), y.into())])).unwrap();
    table.response = Some(count);
    let options = DesignOptions {
        split_factors,
        ..DesignOptions::default()
    };
    Design::from_table(table, &options).unwrap()
}

fn columns() -> Design {
    let (n, p) = (2_000, 4_000);
    let mut random = Random::new(42);
    let x = DMatrix::from_fn(n, p, |_, _| random.normal());
    let y = DVector::from_fn(n, |row, _| {
        let signal: f64 = (0..10).map(|at| 0.3 * x[(row, 100 * at)]).sum();
        signal + random.normal()
    });
    Design::from_matrices(&x, &y, &Default::default()).unwrap()
}

fn pairs(p: usize) -> Design {
    let n = 500;
    let mut random = Random::new(43);
    let x: Vec<Vec<f64>> = (0..p)
        .map(|_| (0..n).map(|_| random.normal()).collect())
        .collect();
    let y = (0..n).map(|row| {
        let product = |a: usize, b: usize| x[a][row] * x[b][row];
        0.6 * x[3][row] - 0.5 * x[17][row]
            + 0.6 * product(3, 17)
            + 0.8 * product(50, 120)
            + random.normal()
    });
    let y: Vec<f64> = y.collect();
    let names: Vec<String> = (1..=p).map(|at| format!("x{at}")).collect();
    let formula = format!("y ~ ({})^2", names.join(" + "));
    let named = names.into_iter().zip(x).map(|(name, x)| (name, x.into()));
    let table = Table::from_columns(named.chain([("y".to_owned(), y.into())])).unwrap();
    let options = FormulaOptions::default();
    Design::from_formula(table, &Formula::parse(&formula).unwrap(), &options).unwrap()
}
