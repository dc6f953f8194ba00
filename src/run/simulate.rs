//! Makes one file of simulated data, or a fileset of simulated genotypes.

use super::{RunError, fileset};
use crate::{
    device::Resources,
    interrupt::Interrupt,
    job::Simulation,
    output::{OutputFile, Replaces, sweep_beside},
    search::SearchError,
    table::{OutputFormat, Table},
    threads::{ThreadError, with_helpers},
};

/// Draws a table of simulated data. An interrupt and a timeout leave none.
///
/// # Errors
/// The settings: [`RunError`] says which.
pub fn draw(simulation: &Simulation, interrupt: &Interrupt) -> Result<Table, RunError> {
    drawn(simulation, &interrupt.with_timeout(simulation.timeout))
}

fn drawn(simulation: &Simulation, interrupt: &Interrupt) -> Result<Table, RunError> {
    let (model, own) = (simulation.model, simulation.settings);
    model.check(&own)?;
    let threads = match model.has_genotypes() {
        true => Resources::default().thread_count(),
        // Their numbers come one after another.
        false => 1,
    };
    let drawn = interrupt.await_work(move || with_helpers(threads, || model.simulate(&own)));
    match drawn {
        Ok(drawn) => Ok(drawn?),
        Err(_) if interrupt.requested() => Err(ended(simulation, interrupt)),
        Err(source) => Err(SearchError::Threads(ThreadError::Spawn { source }).into()),
    }
}

/// Why the work was ended.
fn ended(simulation: &Simulation, interrupt: &Interrupt) -> RunError {
    match simulation.timeout.filter(|_| interrupt.is_timed_out()) {
        Some(timeout) => RunError::TimedOut(timeout),
        None => RunError::Interrupted,
    }
}

/// Makes one file of simulated data; of genotypes also a `.bed` with its `.bim` and `.fam` and the truth beside it.
///
/// # Errors
/// The settings, or the output: [`RunError`] says which. An interrupt and a timeout leave no file.
pub fn simulate(simulation: &Simulation, interrupt: &Interrupt) -> Result<(), RunError> {
    let (model, settings) = (simulation.model, &simulation.settings);
    let interrupt = &interrupt.with_timeout(simulation.timeout);
    let ended = || ended(simulation, interrupt);
    if model.has_genotypes() && fileset::is_bed(&simulation.output) {
        model.check(settings)?;
        return fileset::write(simulation, interrupt, &ended);
    }
    // The file first: a wrong path is known before anything is drawn.
    let form = OutputFormat::of(&simulation.output)?;
    model.check(settings)?;
    sweep_beside([&*simulation.output].into_iter());
    let replaces = Replaces::SimulatedData.or_any(simulation.overwrite);
    let mut file = OutputFile::create(&simulation.output, replaces)?;
    let _heeding = interrupt.heeding();
    let table = drawn(simulation, interrupt)?;
    let sink = interrupt.heeded_by(&mut file);
    let written = form.write(&table, &model.command(settings), sink);
    written.map_err(|source| match interrupt.requested() {
        true => ended(),
        false => file.write_error(source).into(),
    })?;
    Ok(file.commit()?)
}
