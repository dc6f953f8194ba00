//! Predictions by reports, and simulated data.

use std::{path::PathBuf, sync::Arc};

use passel::{
    Interrupt,
    job::{PredictionJob, Simulation},
    report::{PredictedColumn, predicted_columns},
    run,
    table::Values,
};
use pyo3::{
    prelude::*,
    types::{PyBytes, PyDict, PyList},
};

use crate::{
    failure,
    table::{self, Table},
    work::{Given, Told, await_work},
};

/// Predicts by a report of JSON on a table, or on the file `data` without one: columns by their names, numbers as the bytes
/// of 64-bit floats, and warnings.
#[pyfunction]
#[pyo3(signature = (report, data, table, given))]
pub(crate) fn predict<'py>(
    py: Python<'py>,
    report: String,
    data: PathBuf,
    table: Option<&Bound<'py, Table>>,
    given: Vec<Given>,
) -> PyResult<(Bound<'py, PyDict>, Vec<String>)> {
    let job = PredictionJob::of_names(PathBuf::from("the report"), data, &given);
    let mut job = job.map_err(|errors| failure::of_options(py, &errors))?;
    job.report_text = Some(report);
    let table = table.map(|table| table::whole(table)).transpose()?;
    job.data.table = table.map(Arc::new);
    let interrupt = Interrupt::default();
    job.data.start_timeout(&interrupt);
    let work = move || run::predictions(&job).map_err(Box::new);
    let (predicted, signal) = await_work(py, &interrupt, Told::nobody(), work)?;
    if let Some(signal) = signal {
        return Err(signal);
    }
    let predicted = predicted.map_err(|error| failure::of_run(py, *error))?;
    let columns = PyDict::new(py);
    for (name, column) in predicted_columns(&predicted) {
        match column {
            PredictedColumn::Numbers(numbers) => columns.set_item(name, bytes(py, &numbers))?,
            PredictedColumn::Texts(texts) => columns.set_item(name, texts)?,
        }
    }
    Ok((columns, predicted.warnings))
}

/// Draws simulated data: columns with their names, numbers as the bytes of 64-bit floats, and the names of the true variables.
#[pyfunction]
pub(crate) fn draw<'py>(
    py: Python<'py>,
    model: &str,
    given: Vec<Given>,
) -> PyResult<(Bound<'py, PyList>, Vec<String>)> {
    let simulation = Simulation::of_names(model, &given);
    let simulation = simulation.map_err(|errors| failure::of_options(py, &errors))?;
    let interrupt = Interrupt::default();
    let own = interrupt.clone();
    let work = move || run::draw(&simulation, &own).map_err(Box::new);
    let (drawn, signal) = await_work(py, &interrupt, Told::nobody(), work)?;
    if let Some(signal) = signal {
        return Err(signal);
    }
    let drawn = drawn.map_err(|error| failure::of_run(py, *error))?;
    let truth = drawn.truth.iter().map(|at| drawn.columns[*at].name.clone());
    let truth = truth.collect();
    let columns = PyList::empty(py);
    for column in &drawn.columns {
        match &column.values {
            Values::Factor { levels, codes } => {
                let texts = codes.iter().map(|code| levels.get(*code as usize));
                columns.append((&column.name, texts.collect::<Vec<_>>()))?;
            }
            values => {
                let numbers = values.numbers(drawn.rows).unwrap_or_default();
                columns.append((&column.name, bytes(py, &numbers)))?;
            }
        }
    }
    Ok((columns, truth))
}

/// The bytes of numbers, in the machine's order.
fn bytes<'py>(py: Python<'py>, numbers: &[f64]) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|own| own.to_ne_bytes()).collect();
    PyBytes::new(py, &bytes)
}
