//! Makes one file of simulated data, or a fileset of simulated genotypes.

use super::{RunError, fileset};
use crate::{
    device::Resources,
    interrupt::Interrupt,
    job::Simulation,
    output::{OutputFile, Replaces, sweep_beside},
    table::OutputFormat,
    threads::with_helpers,
};

/// Makes one file of simulated data; of genotypes also a `.bed` with its `.bim` and `.fam` and the truth beside it.
///
/// # Errors
/// The settings, or the output: [`RunError`] says which. An interrupt and a timeout leave no file.
pub fn simulate(simulation: &Simulation, interrupt: &Interrupt) -> Result<(), RunError> {
    let (model, settings) = (simulation.model, &simulation.settings);
    let interrupt = &interrupt.with_timeout(simulation.timeout);
    let ended = || match simulation.timeout.filter(|_| interrupt.is_timed_out()) {
        Some(timeout) => RunError::TimedOut(timeout),
        None => RunError::Interrupted,
    };
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
    let own = *settings;
    let threads = match model.has_genotypes() {
        true => Resources::default().thread_count(),
        // Their numbers come one after another.
        false => 1,
    };
    let drawn = interrupt.await_work(move || with_helpers(threads, || model.simulate(&own)));
    let table = match drawn {
        Ok(drawn) => drawn?,
        Err(_) if interrupt.requested() => return Err(ended()),
        Err(error) => return Err(file.write_error(error).into()),
    };
    let sink = interrupt.heeded_by(&mut file);
    let written = form.write(&table, &model.command(settings), sink);
    written.map_err(|source| match interrupt.requested() {
        true => ended(),
        false => file.write_error(source).into(),
    })?;
    Ok(file.commit()?)
}
