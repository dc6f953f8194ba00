//! Tables of the engine from what Python holds.

use std::sync::{Mutex, PoisonError};

use passel::table::{Numbers, Table as EngineTable, Values};
use pyo3::{
    buffer::PyUntypedBuffer,
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::PyTuple,
};

use crate::{arrow, buffers::Elements, failure};

/// A table that waits for its one run.
#[pyclass(frozen, module = "passel._engine")]
#[derive(Debug)]
pub(crate) struct Table(Mutex<Option<EngineTable>>);

#[pymethods]
impl Table {
    /// The names of the columns; none once the table was used.
    fn names(&self) -> Vec<String> {
        let own = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let columns = own.as_ref().map(|own| &own.columns[..]);
        let names = columns.unwrap_or_default().iter();
        names.map(|own| own.name.clone()).collect()
    }
}

/// The table, which is then gone.
pub(crate) fn take(table: &Bound<'_, Table>) -> PyResult<EngineTable> {
    let own = &table.get().0;
    let own = own.lock().unwrap_or_else(PoisonError::into_inner).take();
    own.ok_or_else(|| PyValueError::new_err("the table was used before"))
}

/// Columns before they are a table: those of numbers wait, so that all stand in one matrix.
enum Part {
    /// Names, and elements that are still where they were.
    Numbers(Vec<String>, Elements),
    /// Numbers that were made of something else.
    Own(String, Vec<f64>),
    Other(String, Values),
}

/// Makes a table of parts, each a tuple which begins with its kind:
///
/// - `("numbers", [name, …], array)`: n or n × k numbers that have a buffer
/// - `("factor", name, codes, [level, …])`: codes from 0, below 0 where missing, that have a buffer
/// - `("texts", name, [text or None, …])`
/// - `("sparse", [name, …], n, starts, rows, values)`: compressed sparse columns
/// - `("arrow", stream, drop)`: an object with an Arrow stream, without the columns to drop
#[pyfunction]
pub(crate) fn table(
    py: Python<'_>,
    source: &str,
    parts: Vec<Bound<'_, PyTuple>>,
) -> PyResult<Table> {
    let mut all = Vec::new();
    for part in parts {
        let kind: String = part.get_item(0)?.extract()?;
        match kind.as_str() {
            "numbers" => {
                let names: Vec<String> = part.get_item(1)?.extract()?;
                let elements = Elements::of(&part.get_item(2)?)?;
                if elements.width() != names.len() {
                    let message = format!("{} names of {} columns", names.len(), elements.width());
                    return Err(PyValueError::new_err(message));
                }
                all.push(Part::Numbers(names, elements));
            }
            "factor" => {
                let (name, codes) = (part.get_item(1)?.extract()?, part.get_item(2)?);
                let levels: Vec<String> = part.get_item(3)?.extract()?;
                let mut codes_of = vec![0.0; Elements::of(&codes)?.rows()];
                Elements::of(&codes)?.fill(&mut codes_of);
                let text = |code: &f64| {
                    let code = (*code >= 0.0).then_some(*code as usize)?;
                    levels.get(code).map(String::as_str)
                };
                all.push(Part::Other(name, codes_of.iter().map(text).collect()));
            }
            "texts" => {
                let name = part.get_item(1)?.extract()?;
                let texts: Vec<Option<String>> = part.get_item(2)?.extract()?;
                let texts = texts.iter().map(Option::as_deref).collect();
                all.push(Part::Other(name, texts));
            }
            "sparse" => {
                let names: Vec<String> = part.get_item(1)?.extract()?;
                let rows: usize = part.get_item(2)?.extract()?;
                let array = |at| Elements::of(&part.get_item(at)?)?.indexes();
                let (starts, places) = (array(3)?, array(4)?);
                let values = Elements::of(&part.get_item(5)?)?.to_vec();
                all.extend(sparse(names, rows, (&starts, &places, &values))?);
            }
            "arrow" => {
                let drop: Vec<String> = part.get_item(2)?.extract()?;
                let columns = arrow::columns(py, &part.get_item(1)?, &drop)?;
                all.extend(columns.into_iter().map(|(name, values)| match values {
                    Values::Numbers(numbers) => Part::Own(name, numbers.into_vec()),
                    values => Part::Other(name, values),
                }));
            }
            _ => return Err(PyTypeError::new_err(format!("no kind of part: {kind}"))),
        }
    }
    let made = py.detach(|| assemble(source, all));
    match made {
        Ok(table) => Ok(Table(Mutex::new(Some(table)))),
        Err(message) => Err(failure::of_data(py, &message)),
    }
}

/// Columns of a compressed sparse matrix.
fn sparse(
    names: Vec<String>,
    n: usize,
    (starts, rows, values): (&[usize], &[usize], &[f64]),
) -> PyResult<Vec<Part>> {
    let wrong = || PyValueError::new_err("the sparse matrix is not canonical");
    if starts.len() != names.len() + 1 || rows.len() != values.len() {
        return Err(wrong());
    }
    let mut parts = Vec::with_capacity(names.len());
    for (name, ends) in names.into_iter().zip(starts.windows(2)) {
        let own = ends[0]..ends[1];
        let (rows, values) = rows
            .get(own.clone())
            .zip(values.get(own))
            .ok_or_else(wrong)?;
        let is_ascending = rows.windows(2).all(|pair| pair[0] < pair[1]);
        if !is_ascending || rows.last().is_some_and(|last| *last >= n) {
            return Err(wrong());
        }
        let stored = rows.iter().zip(values).filter(|(_, value)| **value != 0.0);
        let (rows, values): (Vec<u32>, Vec<f64>) =
            stored.map(|(row, value)| (*row as u32, *value)).unzip();
        if values.iter().any(|value| value.is_infinite()) {
            let message = format!("column `{name}` has an infinite value");
            return Err(PyValueError::new_err(message));
        }
        parts.push(Part::Other(name, Values::Sparse { rows, values }));
    }
    Ok(parts)
}

/// The table of all parts, the numbers of which stand in one matrix.
fn assemble(source: &str, parts: Vec<Part>) -> Result<EngineTable, String> {
    let rows = parts.iter().find_map(|part| match part {
        Part::Numbers(_, elements) => Some(elements.rows()),
        Part::Own(_, numbers) => Some(numbers.len()),
        Part::Other(_, Values::Factor { codes, .. }) => Some(codes.len()),
        Part::Other(..) => None,
    });
    let rows = rows.unwrap_or(0);
    let mut rounded = Vec::new();
    let mut width = 0;
    let mut places = Vec::new();
    for part in &parts {
        let (own, len, name) = match part {
            Part::Numbers(names, elements) => (elements.width(), elements.rows(), names.first()),
            Part::Own(name, numbers) => (1, numbers.len(), Some(name)),
            Part::Other(..) => continue,
        };
        if len != rows {
            let name = name.map_or("", String::as_str);
            return Err(format!(
                "{source}: column `{name}` has {len} values, but {rows} are expected"
            ));
        }
        places.push(width);
        width += own;
    }
    let size = rows
        .checked_mul(width)
        .filter(|size| *size < usize::MAX / 8);
    let mut matrix = Vec::new();
    let reserved = size.map(|size| matrix.try_reserve_exact(size).map(|()| size));
    let Some(Ok(size)) = reserved else {
        return Err(format!(
            "{source}: {rows} × {width} numbers are more than fits into memory"
        ));
    };
    // Zero pages that nothing has touched cost nothing.
    matrix.resize(size, 0.0);
    let mut position = 0;
    let mut places = places.into_iter();
    for part in &parts {
        let count = match part {
            Part::Numbers(_, elements) => {
                let place = places.next().unwrap_or_default() * rows;
                let own = &mut matrix[place..][..elements.width() * rows];
                elements.fill(own);
                rounded.extend(elements.rounded(position));
                elements.width()
            }
            Part::Own(_, numbers) => {
                let place = places.next().unwrap_or_default() * rows;
                matrix[place..][..rows].copy_from_slice(numbers);
                1
            }
            Part::Other(..) => 1,
        };
        position += count;
    }
    let mut numbers = Numbers::columns_of(matrix, rows).into_iter();
    let mut columns: Vec<(String, Values)> = Vec::with_capacity(position);
    for part in parts {
        match part {
            Part::Numbers(names, _) => {
                columns.extend(names.into_iter().zip(numbers.by_ref().map(Values::Numbers)));
            }
            Part::Own(name, _) => {
                columns.extend(numbers.next().map(|own| (name, Values::Numbers(own))));
            }
            Part::Other(name, values) => columns.push((name, values)),
        }
    }
    let mut table = EngineTable::in_memory(source, columns).map_err(|error| error.to_string())?;
    table.rounded = rounded;
    Ok(table)
}

/// The buffer of an object.
pub(crate) fn buffer(object: &Bound<'_, PyAny>) -> PyResult<PyUntypedBuffer> {
    PyUntypedBuffer::get(object)
}
