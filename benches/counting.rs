//! Selectors on made data of the shapes that the originals were measured on.
//!
//! `cargo bench --bench counting -- [--threads N] [--only PART] [--runs N]`
//!
//! Prints nanoseconds for each candidate, observation and chosen variable, laying out the
//! columns included, beside those of the originals (docs/results.md says how they were
//! measured), and what two shapes ask for besides.

#![allow(clippy::unwrap_used)]

use std::{num::NonZeroUsize, time::Instant};

use passel::{
    Interrupt,
    binning::{BinnedColumn, BinnedColumns, Codes, Rule},
    device::Resources,
    score::{Combination, Gather, Join, Measure, PairScore, Quantity, Score},
    selector::{PairOptions, Stop, rank, rank_pairs},
};

/// Words of a seed (SplitMix64): the data need to be alike, not random.
struct Words(u64);

impl Words {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.word()) * bound as u128) >> 64) as usize
    }

    /// Bell-shaped over 0 … levels − 1, as equal-width bins of measurements are.
    fn bell(&mut self, levels: usize) -> usize {
        let word = self.word();
        let sum: u64 = (0..4).map(|at| (word >> (16 * at)) & 0xFFFF).sum();
        (sum as usize * levels) >> 18
    }
}

fn column(index: usize, levels: usize, codes: Codes) -> BinnedColumn {
    BinnedColumn {
        name: format!("x{index}"),
        index,
        levels,
        codes,
        rule: Rule::Edges(Vec::new()),
        missing: None,
    }
}

fn response(n: usize, classes: usize, words: &mut Words) -> BinnedColumn {
    let codes = (0..n).map(|_| words.below(classes) as u8).collect();
    column(0, classes, Codes::Byte(codes))
}

/// Bell-shaped columns of so many levels.
fn dense(n: usize, p: usize, classes: usize, levels: usize) -> BinnedColumns {
    let mut words = Words((n * p) as u64);
    let response = response(n, classes, &mut words);
    let made = |index| {
        let codes = (0..n).map(|_| words.bell(levels) as u8).collect();
        column(index, levels, Codes::Byte(codes))
    };
    let columns = (0..p).map(made).collect();
    BinnedColumns {
        n,
        columns,
        response,
        local: None,
    }
}

/// Columns whose entries are Zipf-distributed, n/2 at most and 32 on average.
fn sparse(n: usize, p: usize, classes: usize, levels: usize) -> BinnedColumns {
    let mut words = Words(p as u64);
    let response = response(n, classes, &mut words);
    let sizes = |scale: f64| move |at: usize| ((scale / (at + 1) as f64) as usize).min(n / 2);
    let (mut low, mut high) = (0.0, (n * p) as f64);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match (0..p).map(sizes(middle)).sum::<usize>() < 32 * p {
            true => low = middle,
            false => high = middle,
        }
    }
    let mut sizes: Vec<usize> = (0..p).map(sizes(low)).collect();
    for last in (1..p).rev() {
        sizes.swap(last, words.below(last + 1));
    }
    let made = |(index, size): (usize, &usize)| {
        let mut rows: Vec<u32> = (0..*size).map(|_| words.below(n) as u32).collect();
        rows.sort_unstable();
        rows.dedup();
        let codes = rows.iter().map(|_| 1 + words.below(levels - 1) as u16);
        let codes = codes.collect();
        let codes = Codes::Sparse {
            n,
            mode: 0,
            rows,
            codes,
        };
        column(index, levels, codes)
    };
    let columns = sizes.iter().enumerate().map(made).collect();
    BinnedColumns {
        n,
        columns,
        response,
        local: None,
    }
}

fn score(over: Combination, weight: f64, gather: Gather, join: Join) -> Score {
    Score {
        measure: Measure::of_terms([over.weighing(weight)]),
        gather,
        join,
        ..Score::default()
    }
}

/// CPU seconds of this process.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(") ").next().unwrap_or("").split(' ').collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok());
    (ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0)) / 100.0
}

struct Case {
    name: &'static str,
    data: fn() -> BinnedColumns,
    method: &'static str,
    top: usize,
    /// Of the fastest original, ns.
    original: Option<(&'static str, f64)>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut threads, mut only, mut runs) = (1, String::new(), 5);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap();
        match argument.as_str() {
            "--threads" => threads = value().parse().unwrap(),
            "--only" => only = value(),
            "--runs" => runs = value().parse().unwrap(),
            _ => {}
        }
    }
    let feast = |ns| Some(("FEAST", ns));
    let cases = [
        Case {
            name: "97 x 24481, 2 classes, 64 levels",
            data: || dense(97, 24_481, 2, 64),
            method: "jmi",
            top: 200,
            original: feast(16.4),
        },
        Case {
            name: "97 x 24481, 2 classes, 64 levels",
            data: || dense(97, 24_481, 2, 64),
            method: "mrmr",
            top: 200,
            original: Some(("fast-mRMR", 50.0)),
        },
        Case {
            name: "97 x 24481, 2 classes, 64 levels",
            data: || dense(97, 24_481, 2, 64),
            method: "cmim",
            top: 200,
            original: None,
        },
        Case {
            name: "90 x 27679, 43 classes, 64 levels",
            data: || dense(90, 27_679, 43, 64),
            method: "jmi",
            top: 200,
            original: feast(65.0),
        },
        Case {
            name: "62 x 2000, 2 classes, 3 levels",
            data: || dense(62, 2000, 2, 3),
            method: "jmi",
            top: 200,
            original: feast(10.4),
        },
        Case {
            name: "62 x 2000, 2 classes, 3 levels",
            data: || dense(62, 2000, 2, 3),
            method: "mrmr",
            top: 200,
            original: Some(("fast-mRMR", 2.6)),
        },
        Case {
            name: "96 x 4026, 9 classes, 3 levels",
            data: || dense(96, 4026, 9, 3),
            method: "jmi",
            top: 200,
            original: feast(11.9),
        },
        Case {
            name: "50000 x 3072, 10 classes, 64 levels",
            data: || dense(50_000, 3072, 10, 64),
            method: "jmi",
            top: 10,
            original: feast(8.9),
        },
        Case {
            name: "50000 x 3072, 10 classes, 64 levels",
            data: || dense(50_000, 3072, 10, 64),
            method: "mrmr",
            top: 10,
            original: Some(("fast-mRMR", 1.36)),
        },
        Case {
            name: "160000 x 999, 31 classes, 31 levels",
            data: || dense(160_000, 999, 31, 31),
            method: "mrmr",
            top: 10,
            original: Some(("fast-mRMR", 0.70)),
        },
        Case {
            name: "20242 x 47236 sparse, 2 classes, 64 levels",
            data: || sparse(20_242, 47_236, 2, 64),
            method: "jmi",
            top: 50,
            original: None,
        },
        Case {
            name: "20242 x 47236 sparse, 2 classes, 64 levels",
            data: || sparse(20_242, 47_236, 2, 64),
            method: "mrmr",
            top: 50,
            original: None,
        },
    ];
    println!("{threads} thread(s), median of {runs} runs");
    println!(
        "{:45} {:6} {:>4} {:>9} {:>9} {:>9} {:>10} {:>9}  original",
        "n x p", "method", "top", "layout s", "select s", "cpu s", "ns/cell", "us/column"
    );
    for case in cases {
        let wanted = format!("{} {}", case.method, case.name);
        if !wanted.contains(&only) {
            continue;
        }
        let data = (case.data)();
        let score = match case.method {
            "jmi" => score(Combination::XW_Y, 1.0, Gather::Sum, Join::Alone),
            "mrmr" => score(Combination::X_W, -1.0, Gather::Mean, Join::Added),
            _ => score(Combination::X_Y_GIVEN_W, 1.0, Gather::Minimum, Join::Least),
        };
        let resources = Resources {
            threads: NonZeroUsize::new(threads),
            ..Resources::default()
        };
        let stop = Stop {
            top: Some(case.top),
            ..Stop::default()
        };
        let mut found = Vec::new();
        for _ in 0..runs {
            let (started, wall) = (cpu_seconds(), Instant::now());
            let ranked = rank(
                &data,
                &score,
                &stop,
                &resources,
                &Interrupt::default(),
                &mut |_, _| {},
            )
            .unwrap();
            found.push((
                wall.elapsed().as_secs_f64(),
                ranked.starting,
                ranked.seconds,
                cpu_seconds() - started,
            ));
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (wall, starting, seconds, cpu) = found[runs / 2];
        let (n, p) = (data.n as f64, data.columns.len() as f64);
        let each = wall * 1e9 / n / p / case.top as f64;
        let sweep = seconds * 1e6 / p / (case.top - 1).max(1) as f64;
        let original = case.original.map_or(String::new(), |(name, ns)| {
            format!("{name} {ns} ({:.0} x)", ns / each)
        });
        println!(
            "{:45} {:6} {:4} {starting:9.4} {seconds:9.4} {cpu:9.3} {each:10.4} {sweep:9.4}  {original}",
            case.name, case.method, case.top
        );
    }
    if "pairs".contains(&only) || only.starts_with("pairs") {
        all_pairs(threads, runs);
    }
}

/// Three-variate mutual information of all pairs of 2,000 binary columns.
fn all_pairs(threads: usize, runs: usize) {
    let data = dense(1000, 2000, 2, 2);
    let score = PairScore::Declared(Quantity::plain(Combination::XW_Y));
    let resources = Resources {
        threads: NonZeroUsize::new(threads),
        ..Resources::default()
    };
    let wanted = PairOptions::default();
    let mut seconds: Vec<(f64, f64)> = (0..runs)
        .map(|_| {
            let found = rank_pairs(
                &data,
                &score,
                &wanted,
                &resources,
                &Interrupt::default(),
                &mut |_, _| {},
            )
            .unwrap();
            (found.seconds, found.starting)
        })
        .collect();
    seconds.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (seconds, starting) = seconds[runs / 2];
    println!(
        "all pairs of 2000 binary x 1000, 2 classes: {seconds:.4} s, {:.1} ns a pair (plain packed C 0.106 s), layout {starting:.4} s",
        seconds * 1e9 / 1_999_000.0
    );
}
