//! Makes one file of simulated data.

use std::io::{self, Write};

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
/// The settings, or the output: [`RunError`] says which. An interrupt leaves no file.
pub fn simulate(simulation: &Simulation, interrupt: &Interrupt) -> Result<(), RunError> {
    let (model, settings) = (simulation.model, &simulation.settings);
    // The file first: a wrong path is known before anything is drawn.
    let form = OutputFormat::of(&simulation.output)?;
    model.check(settings)?;
    sweep_beside([&*simulation.output].into_iter());
    let replaces = Replaces::SimulatedData.or_any(simulation.overwrite);
    let mut file = OutputFile::create(&simulation.output, replaces)?;
    let _heeding = interrupt.heeding();
    let own = *settings;
    let drawn = interrupt.await_work(move || model.simulate(&own));
    let table = match drawn {
        Ok(drawn) => drawn?,
        Err(_) if interrupt.requested() => return Err(RunError::Interrupted),
        Err(error) => return Err(file.write_error(error).into()),
    };
    let sink = InterruptedFile {
        file: &mut file,
        interrupt,
    };
    let written = form.write(&table, &model.command(settings), sink);
    written.map_err(|source| match interrupt.requested() {
        true => RunError::Interrupted,
        false => file.write_error(source).into(),
    })?;
    Ok(file.commit()?)
}

/// A file that refuses to be written once an interrupt is requested.
struct InterruptedFile<'a> {
    file: &'a mut OutputFile,
    interrupt: &'a Interrupt,
}

impl Write for InterruptedFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.interrupt.requested() {
            true => Err(io::Error::other("interrupted")),
            false => self.file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
