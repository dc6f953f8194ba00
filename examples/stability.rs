//! Stability selection: the variables that PaSS chooses from most halves of the rows.

use passel::{Job, StabilityJob, Table};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let x = |i: u32, j: u32| f64::from((i * i + 31 * i * j + 7 * j) % 101);
    let column = |j: u32| (0..60).map(|i| x(i, j)).collect::<Vec<f64>>();
    let y = (0..60).map(|i| 2.0 * x(i, 3) - x(i, 8) + f64::from(i % 5));
    let columns = (0..12).map(|j| (format!("x{j}"), column(j).into()));
    let response = ("y".to_owned(), y.collect::<Vec<f64>>().into());

    let mut job = Job::from_table(Table::from_columns(columns.chain([response]))?);
    job.response = Some("y".to_owned());
    (job.pass.particles, job.pass.iterations) = (8, 20);
    for variable in passel::select_stable(&StabilityJob::new(job))?.selected {
        println!(
            "{:>4} in {:.0} %",
            variable.name,
            100.0 * variable.frequency
        );
    }
    Ok(())
}
