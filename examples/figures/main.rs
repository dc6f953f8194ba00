//! Draws what passel wrote, as SVG.
//!
//! The criterion of every particle by iteration, from a trace:
//!
//! ```sh
//! passel select data.csv --response y --trace trace.csv
//! cargo run --release --example figures -- criterion trace.csv out.svg
//! ```
//!
//! PSR and FDR against the number of particles, from the JSON reports of runs on data that mark
//! their true variables (`passel simulate` writes such), one report after the other in a file.
//! Reports, not traces: they count the truth as docs/reports.md defines it, dummies and kept
//! variables included, which the moves of a trace alone do not tell.
//!
//! ```sh
//! passel simulate hung --output hung.csv
//! for particles in 1 2 4 8 16 32; do for seed in $(seq 100); do
//!     passel select hung.csv --response y --criterion hdbic --preset paper \
//!         --particles $particles --seed $seed --format json
//! done; done > reports.json
//! cargo run --release --example figures -- particles reports.json out.svg
//! ```
//!
//! A last argument is the title.

pub mod draw;

use std::{error::Error, fs, fs::File, io::BufReader};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    figures(&arguments)
}

/// Draws what the arguments ask for.
///
/// # Errors
/// Arguments that ask for nothing, a file that cannot be read, drawn or written.
pub fn figures(arguments: &[&str]) -> Result<(), Box<dyn Error>> {
    const USAGE: &str = "figures criterion TRACE.csv OUT.svg [TITLE]\n\
                         figures particles REPORTS.json OUT.svg [TITLE]";
    let (what, from, to, title) = match arguments {
        [what, from, to] => (*what, *from, *to, None),
        [what, from, to, title] => (*what, *from, *to, Some(*title)),
        _ => return Err(USAGE.into()),
    };
    let open = || File::open(from).map(BufReader::new);
    let told = |error: &dyn std::fmt::Display| format!("{from}: {error}");
    let drawn = match what {
        "criterion" => draw::criterion(
            open().map_err(|error| told(&error))?,
            title.unwrap_or("Criterion by iteration"),
        ),
        "particles" => draw::particles(
            open().map_err(|error| told(&error))?,
            title.unwrap_or("PSR and FDR by the number of particles"),
        ),
        _ => return Err(USAGE.into()),
    };
    let drawn = drawn.map_err(|error| told(&error))?;
    fs::write(to, drawn).map_err(|error| format!("{to}: {error}").into())
}
