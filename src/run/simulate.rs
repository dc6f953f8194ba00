//! Makes one file of simulated data.

use super::RunError;
use crate::{
    interrupt::Interrupt,
    job::Simulation,
    output::{OutputFile, Replaces, sweep_beside},
    table::OutputFormat,
};

/// Makes one file of simulated data.
///
/// # Errors
/// The settings, or the output: [`RunError`] says which. An interrupt and a timeout leave no file.
pub fn simulate(simulation: &Simulation, interrupt: &Interrupt) -> Result<(), RunError> {
    let (model, settings) = (simulation.model, &simulation.settings);
    // The file first: a wrong path is known before anything is drawn.
    let form = OutputFormat::of(&simulation.output)?;
    model.check(settings)?;
    sweep_beside([&*simulation.output].into_iter());
    let replaces = Replaces::SimulatedData.or_any(simulation.overwrite);
    let mut file = OutputFile::create(&simulation.output, replaces)?;
    let interrupt = &interrupt.with_timeout(simulation.timeout);
    let ended = || match simulation.timeout.filter(|_| interrupt.is_timed_out()) {
        Some(timeout) => RunError::TimedOut(timeout),
        None => RunError::Interrupted,
    };
    let _heeding = interrupt.heeding();
    let own = *settings;
    let drawn = interrupt.await_work(move || model.simulate(&own));
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
