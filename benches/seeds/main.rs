//! How many seeds end at the lowest value of a set, and in how much time on one thread.
//!
//! `cargo bench --bench seeds`. Data beside the repository (`PASSEL_SHARED`) are left out where they are
//! absent.
//!
//! | sets | data | criterion |
//! | --- | --- | --- |
//! | `ar1-1` … `ar1-20` | `passel simulate ar1`, 500 × 2,000, of that seed | EBIC(1) |
//! | `spread-1` … `spread-20` | the same columns' law, 20 true variables of either sign anywhere | EBIC(1) |
//! | `boston` | Boston's 13 variables, their squares and products, 506 × 103 | BIC |
//! | `hung-1_1`, `-2_1`, `-2_2`, `-2_5` | Hung's own, 200 × 1,225 | EBIC(1) |
//!
//! `lowest.txt` has the lowest value that any run has found. After `--`: `--only NAME` takes the sets
//! whose name begins so, `--seeds N` as many seeds (20), `--first N` the first of them, and `--long`
//! runs of 32 times the islands; lower values go into `lowest.txt`.

#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../../tests/support/problems.rs"]
mod problems;

use std::{collections::BTreeMap, fs, path::PathBuf};

use nalgebra::{DMatrix, DVector};
use passel::{
    Design, Interrupt, Pass,
    criteria::named,
    design::DesignOptions,
    device::Resources,
    search::{SearchResult, search},
    simulate::{SimulationSettings, model},
};

/// Two values closer than this are of one model, fitted in two ways.
const EQUAL: f64 = 1e-6;

struct Set {
    name: String,
    criterion: &'static str,
    design: Box<dyn Fn() -> Design>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut only, mut seeds, mut first, mut long) = (String::new(), 20, 1, false);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap();
        match argument.as_str() {
            "--only" => only = value(),
            "--seeds" => seeds = value().parse().unwrap(),
            "--first" => first = value().parse().unwrap(),
            "--long" => long = true,
            _ => {}
        }
    }
    let mut lowest = lowest_known();
    println!("| set | lowest | seeds there | mean above | ms of CPU |");
    println!("| --- | --- | --- | --- | --- |");
    let (mut hits, mut runs, mut seconds) = (0, 0, 0.0);
    for set in sets().filter(|set| set.name.starts_with(&only)) {
        let design = (set.design)();
        let before = cpu_seconds();
        let run = |seed| run(&design, set.criterion, seed, long).value;
        let values: Vec<f64> = (first..first + seeds).map(run).collect();
        let spent = cpu_seconds() - before;
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let known = lowest.entry(set.name.clone()).or_insert(least);
        let lower = if least < *known - EQUAL {
            " (lower)"
        } else {
            ""
        };
        *known = known.min(least);
        let above = |value: &f64| *value - *known;
        let there = values.iter().filter(|value| above(value) < EQUAL).count();
        let mean = values.iter().map(above).sum::<f64>() / seeds as f64;
        println!(
            "| {} | {known:.6}{lower} | {there} | {mean:.3} | {:.1} |",
            set.name,
            1e3 * spent / seeds as f64,
        );
        (hits, runs, seconds) = (hits + there, runs + values.len(), seconds + spent);
    }
    let lines = lowest
        .iter()
        .map(|(name, value)| format!("{name} {value:.6}\n"));
    fs::write(file(), lines.collect::<String>()).unwrap();
    println!(
        "\n{hits} of {runs} runs at the lowest, {:.1} ms of CPU a run",
        1e3 * seconds / runs as f64
    );
}

fn sets() -> impl Iterator<Item = Set> {
    let set = |name: String, criterion, design| Set {
        name,
        criterion,
        design,
    };
    let pairs = (1..=20).map(move |seed| {
        let design = move || pairs(seed);
        set(format!("ar1-{seed}"), "ebic", Box::new(design) as _)
    });
    let spread = (1..=20).map(move |seed| {
        let design = move || spread(seed);
        set(format!("spread-{seed}"), "ebic", Box::new(design) as _)
    });
    let boston = problems::shared(BOSTON)
        .map(move |_| set("boston".to_owned(), "bic", Box::new(boston) as _));
    let hung = ["1_1", "2_1", "2_2", "2_5"].into_iter();
    let hung = hung.filter(|_| problems::shared("data/hung").is_some());
    let hung = hung.map(move |name| {
        let design = move || problems::hung(name);
        set(format!("hung-{name}"), "ebic", Box::new(design) as _)
    });
    pairs.chain(boston).chain(spread).chain(hung)
}

fn pairs(seed: u64) -> Design {
    let model = model("ar1").unwrap();
    let settings = SimulationSettings {
        seed,
        ..model.defaults
    };
    let table = model.simulate(&settings).unwrap();
    Design::from_table(table, &DesignOptions::default()).unwrap()
}

fn spread(seed: u64) -> Design {
    let (x, y) = problems::spread(500, 2_000, 20, seed);
    Design::from_matrices(&x, &y, &Default::default()).unwrap()
}

const BOSTON: &str = "golden/families/boston.csv";

/// The variables, their squares but for the one of two values, and all products of two: 103 columns.
fn boston() -> Design {
    let text = fs::read_to_string(problems::needed(BOSTON)).unwrap();
    let rows = text.lines().skip(1).map(|line| {
        let fields = line.split(',').map(|field| field.parse::<f64>().unwrap());
        fields.collect::<Vec<f64>>()
    });
    let rows: Vec<Vec<f64>> = rows.collect();
    let response = rows[0].len() - 1;
    let column = |at: usize| DVector::from_iterator(rows.len(), rows.iter().map(|row| row[at]));
    let main: Vec<DVector<f64>> = (0..response).map(column).collect();
    let squared = main
        .iter()
        .filter(|x| x.iter().any(|v| *v != 0.0 && *v != 1.0));
    let mut columns: Vec<DVector<f64>> = main.clone();
    columns.extend(squared.map(|x| x.component_mul(x)));
    for (at, a) in main.iter().enumerate() {
        columns.extend(main[at + 1..].iter().map(|b| a.component_mul(b)));
    }
    assert_eq!(columns.len(), 103);
    let x = DMatrix::from_columns(&columns);
    Design::from_matrices(&x, &column(response), &Default::default()).unwrap()
}

fn run(design: &Design, criterion: &str, seed: u64, long: bool) -> SearchResult {
    let mut pass = Pass {
        seed,
        ..Pass::default()
    };
    if long {
        pass.islands *= 32;
    }
    let criterion = named(criterion, &[]).unwrap();
    let (one, never) = (Resources::cpu(1), Interrupt::default());
    let found = search(design, &*criterion, &pass, &one, &never, None, &mut |_| {});
    found.unwrap()
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("benches/seeds/lowest.txt")
}

/// The lowest value known of each set.
fn lowest_known() -> BTreeMap<String, f64> {
    let text = fs::read_to_string(file()).unwrap_or_default();
    let pairs = text.lines().filter_map(|line| line.split_once(' '));
    pairs
        .map(|(name, value)| (name.to_owned(), value.parse().unwrap()))
        .collect()
}

/// CPU seconds of this process.
fn cpu_seconds() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(") ").next().unwrap_or("").split(' ').collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok());
    (ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0)) / 100.0
}
