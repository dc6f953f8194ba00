//! Tables II to IV and Figures 3 and 5 of the PaSS paper, made again: each row of a table by
//! plain PaSS with the paper's settings of that row, and beside it what passel's defaults reach
//! on the same data.
//!
//! ```sh
//! cargo run --release --example paper_tables                # the tables, 100 runs a row
//! cargo run --release --example paper_tables -- --full      # 1,000 runs a row, as the paper
//! cargo run --release --example paper_tables -- --figures FOLDER
//! ```
//!
//! The tables are Markdown on standard output; the same command writes the same on any machine
//! (seconds go to standard error). The figures are drawn from a trace and from JSON reports, as
//! `examples/figures` draws them for anybody.

#[path = "../figures/draw.rs"]
mod draw;
mod paper_figures;
mod printed;
mod problem;
mod tables;

use std::{error::Error, io, io::Write, path::Path};

/// Runs a row where nothing else is asked for: about two minutes on one core.
const RUNS: u64 = 100;
/// Runs a row in the paper.
const FULL: u64 = 1_000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    paper(&arguments, &mut io::stdout())
}

/// Makes what the arguments ask for.
///
/// # Errors
/// Arguments that ask for nothing, a folder or output that cannot be written.
pub fn paper(arguments: &[&str], out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let (mut runs, mut folder) = (RUNS, None);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match *argument {
            "--full" => runs = FULL,
            "--runs" => {
                let given = arguments.next().ok_or("--runs needs a number")?;
                let number = given.parse().ok().filter(|runs| *runs > 0);
                runs = number.ok_or_else(|| format!("--runs {given}: a number above 0"))?;
            }
            "--figures" => folder = Some(arguments.next().ok_or("--figures needs a folder")?),
            _ => return Err("paper_tables [--runs N | --full] [--figures FOLDER]".into()),
        }
    }
    match folder {
        Some(folder) => paper_figures::write(Path::new(folder), runs),
        None => tables::write(runs, out),
    }
}
