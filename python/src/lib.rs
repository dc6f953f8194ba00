//! The extension `passel._engine`: what the package's Python code needs of the engine, and no more. Options have the names
//! and texts of the command line, so that there is one place which reads them; results are the engine's own reports.

mod arrow;
mod buffers;
mod criterion;
mod failure;
mod predict;
mod report;
mod score;
mod table;
mod work;

use std::ffi::OsString;

use passel::job::{OptionInfo, PREDICT, PredictionJob, SIMULATE, task::Command};
use pyo3::{prelude::*, types::PyDict};

/// The program, on arguments without its name; `command` starts it again. Returns the exit code.
#[pyfunction]
fn main(py: Python<'_>, command: Vec<OsString>, arguments: Vec<OsString>) -> u8 {
    let exit = py.detach(|| passel::program::main_within(command, arguments));
    let code = exit.code;
    // Where a plugin still runs, or one of others was loaded, the process ends here.
    exit.exit();
    code
}

/// The options of a command: their names, with what stands for the value, default, range and help.
#[pyfunction]
fn options<'py>(py: Python<'py>, command: &str) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let described = |info: &OptionInfo| {
        let own = PyDict::new(py);
        own.set_item("name", info.name)?;
        own.set_item("value", info.value)?;
        own.set_item("default", &info.default)?;
        own.set_item("range", &info.range)?;
        own.set_item("help", info.help)?;
        own.set_item("heading", info.heading)?;
        own.set_item("list", info.takes_array())?;
        Ok(own)
    };
    match (Command::named(command), command) {
        (Some(command), _) => command.options().map(|own| described(own)).collect(),
        (None, "predict") => {
            let own = PREDICT.iter().map(|own| described(own));
            own.chain(PredictionJob::reading().map(|own| described(own)))
                .collect()
        }
        (None, "simulate") => SIMULATE.iter().map(|own| described(own)).collect(),
        (None, _) => Ok(Vec::new()),
    }
}

/// The module.
#[pymodule(gil_used = false)]
mod _engine {
    #[pymodule_export]
    use super::{
        main, options,
        predict::{draw, predict},
        report::Report,
        table::{Table, table},
        work::run,
    };

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
