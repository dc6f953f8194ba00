//! Figures 3 and 5 on the data of Table IV, drawn from what passel writes.
//!
//! The paper leaves open the probabilities of both, the numbers of particles of Figure 3 and the
//! iterations of Figure 5: here they are those of the first row of Table IV, powers of two, and
//! 100.

use std::{error::Error, fs, fs::File, io::BufReader, path::Path};

use passel::{
    Pass,
    criteria::{Hdbic, Hdhqc},
    trace::Trace,
};
use rayon::prelude::*;

use super::{
    draw,
    problem::{self, Problem},
};

/// Writes `figure_3.svg` and `figure_5.svg` into a folder, which may have to be made.
///
/// # Errors
/// Data that cannot be read, a folder that cannot be written.
pub fn write(folder: &Path, runs: u64) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    let between = tempfile::tempdir()?;
    let open = |path: &Path| File::open(path).map(BufReader::new);

    let problem = problem::hung(Box::new(Hdbic))?;
    let reports = between.path().join("reports.json");
    write_reports(&problem, runs, &reports)?;
    let title = format!("{}, 256 iterations, {runs} runs", problem.title());
    let drawn = draw::particles(open(&reports)?, &title)?;
    fs::write(folder.join("figure_3.svg"), drawn)?;

    let problem = problem::hung(Box::new(Hdhqc))?;
    let trace = between.path().join("trace.csv");
    write_trace(&problem, &trace)?;
    let title = format!("{}, 16 particles", problem.title());
    let drawn = draw::criterion(open(&trace)?, &title)?;
    fs::write(folder.join("figure_5.svg"), drawn)?;
    Ok(())
}

/// The reports of runs with 1, 2, 4, … particles.
fn write_reports(problem: &Problem, runs: u64, path: &Path) -> Result<(), Box<dyn Error>> {
    let mut reports = Vec::new();
    for particles in [1, 2, 4, 8, 16, 32, 64] {
        let run = |seed| {
            let pass = Pass {
                particles,
                seed,
                ..Pass::paper()
            };
            problem.run(&pass, &mut |_| {})
        };
        let selections: Result<Vec<_>, _> = (0..runs).into_par_iter().map(run).collect();
        for selection in selections? {
            serde_json::to_writer(&mut reports, &selection)?;
            reports.push(b'\n');
        }
    }
    Ok(fs::write(path, reports)?)
}

/// The trace of one run.
fn write_trace(problem: &Problem, path: &Path) -> Result<(), Box<dyn Error>> {
    let mut trace = Trace::create(path, true, false)?;
    let variables = problem.design.variables();
    trace.name_columns(variables.iter().map(|variable| variable.name.as_str()));
    let pass = Pass {
        iterations: 100,
        ..Pass::paper()
    };
    problem.run(&pass, &mut |iteration| trace.record(iteration))?;
    Ok(trace.finish()?)
}
