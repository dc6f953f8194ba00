//! The tables, as Markdown.
//!
//! Every repetition of a row searches the same data with another seed. So does the paper: its
//! Table IV is one set, and in its Table III 256 particles always end at PSR 0.75 with standard
//! deviation 0, which eight weak variables in data drawn anew could not do.

use std::{error::Error, io::Write, time::Instant};

use passel::Pass;
use rayon::prelude::*;

use super::{
    draw::mean_and_deviation,
    printed::{self, Row},
    problem::{self, Problem},
};

/// The pairs that the paper's `*` stands for, all with the same result: runs take them in turn.
const PAIRS: [[f64; 2]; 6] = [
    [0.0, 1.0],
    [0.2, 0.8],
    [0.4, 0.6],
    [0.6, 0.4],
    [0.8, 0.2],
    [1.0, 0.0],
];

/// What one run ended with.
struct End {
    value: f64,
    psr: f64,
    fdr: f64,
}

/// All three tables, with so many runs a row.
///
/// # Errors
/// Data that cannot be read, an output that cannot be written.
pub fn write(runs: u64, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let printed = printed::rows()?;
    for problem in problem::all()? {
        let rows: Vec<&Row> = printed
            .iter()
            .filter(|row| row.table == problem.table)
            .collect();
        let start = Instant::now();
        table(&problem, &rows, runs, out)?;
        eprintln!("Table {}: {:.1?}", problem.table, start.elapsed());
    }
    Ok(())
}

fn table(
    problem: &Problem,
    rows: &[&Row],
    runs: u64,
    out: &mut dyn Write,
) -> Result<(), Box<dyn Error>> {
    let defaults = repeat(problem, runs, |_| Pass::default())?;
    let ends: Result<Vec<_>, _> = rows.iter().map(|row| paper(problem, row, runs)).collect();
    let ends = ends?;
    let all = ends.iter().flatten().chain(&defaults);
    let best = all.map(|end| end.value).fold(f64::INFINITY, f64::min);

    writeln!(out, "### Table {}: {}\n", problem.table, problem.title())?;
    writeln!(
        out,
        "{} Runs a row: {runs} (seeds 0 … {}); lowest criterion of all {best:.2}, y at unit norm.",
        problem.source,
        runs - 1,
    )?;
    let defaults = cells(&defaults, best);
    let mut swarm = (0, 0);
    for (row, ends) in std::iter::zip(rows, &ends) {
        if swarm != (row.particles, row.iterations) {
            swarm = (row.particles, row.iterations);
            head(swarm, out)?;
        }
        let [psr, fdr, psr_deviation, fdr_deviation] = &row.rates;
        let ends = cells(ends, best);
        writeln!(
            out,
            "| {} | {psr} ({psr_deviation}) | {fdr} ({fdr_deviation}) | {ends} | {defaults} |",
            probabilities(row)
        )?;
    }
    writeln!(out)?;
    Ok(())
}

fn head(
    (particles, iterations): (usize, usize),
    out: &mut dyn Write,
) -> Result<(), Box<dyn Error>> {
    writeln!(out, "\n{particles} particles × {iterations} iterations:\n")?;
    let columns = [
        "forward, backward",
        "paper: PSR",
        "FDR",
        "passel, as the row: PSR",
        "FDR",
        "runs at best",
        "passel, defaults: PSR",
        "FDR",
        "runs at best",
    ];
    writeln!(out, "| {} |", columns.join(" | "))?;
    writeln!(out, "|{}", " --- |".repeat(columns.len()))?;
    Ok(())
}

/// As the repository writes them: `.2 .8 0, .4 .6`.
fn probabilities(row: &Row) -> String {
    let short = |number: &f64| number.to_string().replace("0.", ".");
    let join = |numbers: &[f64]| numbers.iter().map(short).collect::<Vec<_>>().join(" ");
    let backward = row.backward.map_or("*".to_owned(), |pair| join(&pair));
    format!("{}, {backward}", join(&row.forward))
}

/// Mean (standard deviation) of PSR and FDR, and how many runs ended at the best value.
fn cells(ends: &[End], best: f64) -> String {
    let rate = |rate: fn(&End) -> f64| {
        let rates: Vec<f64> = ends.iter().map(rate).collect();
        let (mean, deviation) = mean_and_deviation(&rates);
        format!("{mean:.6} ({deviation:.6})")
    };
    // φ of one model differs by its rounding alone, which is far less.
    let at_best = |end: &&End| end.value <= best + 1e-9 * best.abs();
    let hits = ends.iter().filter(at_best).count();
    format!("{} | {} | {hits}", rate(|end| end.psr), rate(|end| end.fdr))
}

/// The runs of a row with the paper's settings: plain PaSS.
fn paper(problem: &Problem, row: &Row, runs: u64) -> Result<Vec<End>, Box<dyn Error>> {
    repeat(problem, runs, |seed| Pass {
        particles: row.particles,
        iterations: row.iterations,
        forward: row.forward,
        backward: row
            .backward
            .unwrap_or(PAIRS[(seed % PAIRS.len() as u64) as usize]),
        ..Pass::paper()
    })
}

/// Runs with seeds 0, 1, …, shared out over the cores; the order is that of the seeds.
fn repeat(
    problem: &Problem,
    runs: u64,
    pass: impl Fn(u64) -> Pass + Sync,
) -> Result<Vec<End>, Box<dyn Error>> {
    let ends: Result<Vec<Option<End>>, _> = (0..runs)
        .into_par_iter()
        .map(|seed| {
            let pass = Pass { seed, ..pass(seed) };
            let selection = problem.run(&pass, &mut |_| {})?;
            Ok(selection.truth.map(|truth| End {
                value: selection.criterion.value,
                psr: truth.psr,
                fdr: truth.fdr,
            }))
        })
        .collect();
    let ends = ends.map_err(|error: passel::search::SearchError| error.to_string())?;
    let ends: Option<Vec<End>> = ends.into_iter().collect();
    Ok(ends.ok_or("the data mark no true variables")?)
}
