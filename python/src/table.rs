//! Tables of the engine from what Python holds.

use std::sync::{Arc, Mutex, PoisonError};

use passel::{
    device::cuda::tensor::DeviceMatrix,
    table::{ColumnReader, MISSING, Numbers, Table as EngineTable, Values},
};
use pyo3::{
    buffer::PyUntypedBuffer,
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::PyTuple,
};

use crate::{arrow, buffers::Elements, failure};

/// A table that waits for its one run, its parts still where they were.
#[pyclass(frozen, module = "passel._engine")]
pub(crate) struct Table {
    source: String,
    parts: Mutex<Option<Vec<Part>>>,
}

/// The table, which is then gone.
pub(crate) fn take(table: &Bound<'_, Table>) -> PyResult<(String, Vec<Part>)> {
    let own = table.get();
    let parts = own
        .parts
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    let used = || PyValueError::new_err("the table was used before");
    Ok((own.source.clone(), parts.ok_or_else(used)?))
}

/// The table in the memory of the engine.
pub(crate) fn whole(table: &Bound<'_, Table>) -> PyResult<EngineTable> {
    let py = table.py();
    let (source, parts) = take(table)?;
    let made = py.detach(|| assemble(&source, parts));
    made.map_err(|message| failure::of_data(py, &message))
}

/// The one matrix of parts with others beside it, which may stay where it is.
pub(crate) fn only_matrix(parts: &[Part]) -> Option<Arc<dyn ColumnReader>> {
    let mut matrices = parts.iter().filter_map(Part::matrix);
    let matrix = matrices.next()?;
    let is_alone = matrices.next().is_none() && parts.len() > 1;
    (is_alone && !matrix.is_rounded()).then(|| matrix.reader())
}

/// The table in which the columns of that matrix are remote.
pub(crate) fn beside_matrix(source: &str, parts: &[Part]) -> Result<EngineTable, String> {
    let beside = parts.iter().map(|part| match part {
        Part::Numbers(names, _) if part.matrix().is_some() => Part::Remote(names.clone()),
        part => part.clone(),
    });
    assemble(source, beside.collect())
}

/// Numbers that are still where they were.
#[derive(Clone)]
pub(crate) enum Numbered {
    Host(Arc<Elements>),
    Device(Arc<DeviceMatrix>),
}

impl Numbered {
    /// Whether whole numbers may be among them that 64-bit floating point rounds.
    fn is_rounded(&self) -> bool {
        matches!(self, Self::Host(own) if own.is_rounded())
    }

    fn reader(&self) -> Arc<dyn ColumnReader> {
        match self {
            Self::Host(own) => Arc::clone(own) as Arc<dyn ColumnReader>,
            Self::Device(own) => Arc::clone(own) as Arc<dyn ColumnReader>,
        }
    }
}

/// Columns before they are a table: those of numbers wait, so that all stand in one matrix.
#[derive(Clone)]
pub(crate) enum Part {
    /// Names, and elements that are still where they were.
    Numbers(Vec<String>, Numbered),
    /// Numbers that were made of something else.
    Own(String, Vec<f64>),
    Other(String, Values),
    /// A sparse column of so many rows.
    Sparse(String, usize, Values),
    /// Columns that stay where they are.
    Remote(Vec<String>),
}

impl Part {
    fn matrix(&self) -> Option<&Numbered> {
        match self {
            Self::Numbers(names, own) if names.len() > 1 => Some(own),
            _ => None,
        }
    }
}

/// Makes a table of parts, each a tuple which begins with its kind:
///
/// - `("numbers", [name, …], array)`: n or n × k numbers that have a buffer
/// - `("device", [name, …], (address, bytes of an element), (shape, strides, stream), owner)`: n × k numbers in a GPU's memory
/// - `("factor", name, codes, [level, …])`: codes from 0, below 0 where missing, that have a buffer, of levels in their order
/// - `("texts", name, [text or None, …])`
/// - `("sparse", [name, …], n, starts, rows, values)`: compressed sparse columns
/// - `("arrow", stream, ordered)`: an object with an Arrow stream, whose categories of the `ordered` columns keep their order
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
                all.push(Part::Numbers(names, Numbered::Host(Arc::new(elements))));
            }
            "device" => {
                let names: Vec<String> = part.get_item(1)?.extract()?;
                let (address, size): (u64, usize) = part.get_item(2)?.extract()?;
                let (shape, strides, stream) = part.get_item(3)?.extract()?;
                let owner: Box<Py<PyAny>> = Box::new(part.get_item(4)?.unbind());
                let matrix = DeviceMatrix::new((address, stream), size, shape, strides, owner);
                let matrix =
                    matrix.map_err(|error| failure::of_data(py, &format!("{source}: {error}")))?;
                all.push(Part::Numbers(names, Numbered::Device(Arc::new(matrix))));
            }
            "factor" => {
                let (name, codes) = (part.get_item(1)?.extract()?, part.get_item(2)?);
                let levels: Vec<String> = part.get_item(3)?.extract()?;
                // None is below 0.
                let code = |code: f64| if code < 0.0 { MISSING } else { code as u32 };
                let codes = Elements::of(&codes)?.to_vec().into_iter().map(code);
                all.push(Part::Other(name, Values::factor(levels, codes.collect())));
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
                all.extend(sparse(py, names, rows, (&starts, &places, &values))?);
            }
            "arrow" => {
                let ordered: Vec<String> = part.get_item(2)?.extract()?;
                let columns = arrow::columns(py, &part.get_item(1)?, &ordered)?;
                all.extend(columns.into_iter().map(|(name, values)| match values {
                    Values::Numbers(numbers) => Part::Own(name, numbers.into_vec()),
                    values => Part::Other(name, values),
                }));
            }
            _ => return Err(PyTypeError::new_err(format!("no kind of part: {kind}"))),
        }
    }
    Ok(Table {
        source: source.to_owned(),
        parts: Mutex::new(Some(all)),
    })
}

/// Columns of a compressed sparse matrix.
fn sparse(
    py: Python<'_>,
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
            return Err(failure::of_data(py, &message));
        }
        parts.push(Part::Sparse(name, n, Values::Sparse { rows, values }));
    }
    Ok(parts)
}

/// The place of the first sparse column, and its rows.
fn first_sparse(parts: &[Part]) -> Option<(usize, usize)> {
    parts.iter().enumerate().find_map(|(at, part)| match part {
        Part::Sparse(_, n, _) => Some((at, *n)),
        _ => None,
    })
}

/// The table of all parts, the numbers of which stand in one matrix.
pub(crate) fn assemble(source: &str, parts: Vec<Part>) -> Result<EngineTable, String> {
    let rows = parts.iter().find_map(|part| match part {
        Part::Numbers(_, elements) => Some(elements.reader().shape().0),
        Part::Own(_, numbers) => Some(numbers.len()),
        Part::Other(_, Values::Factor { codes, .. }) => Some(codes.len()),
        Part::Other(..) | Part::Sparse(..) | Part::Remote(_) => None,
    });
    let mut parts = parts;
    // Sparse columns do not know how many rows there are.
    if let (None, Some((first, n))) = (rows, first_sparse(&parts))
        && let Part::Sparse(name, _, values) = &parts[first]
    {
        let numbers = values.numbers(n).unwrap_or_default().into_owned();
        parts[first] = Part::Own(name.clone(), numbers);
        return assemble(source, parts);
    }
    let rows = rows.unwrap_or(0);
    if rows == 0 && !parts.is_empty() {
        return Err(format!("{source}: it has no rows"));
    }
    let mut width = 0;
    for part in &parts {
        let (own, len, name) = match part {
            Part::Numbers(names, elements) => {
                let (len, own) = elements.reader().shape();
                (own, len, names.first())
            }
            Part::Own(name, numbers) => (1, numbers.len(), Some(name)),
            Part::Sparse(name, n, _) if *n != rows => (0, *n, Some(name)),
            Part::Other(..) | Part::Sparse(..) | Part::Remote(_) => continue,
        };
        if len != rows {
            let name = name.map_or("", String::as_str);
            return Err(format!(
                "{source}: column `{name}` has {len} values, but {rows} are expected"
            ));
        }
        width += own;
    }
    let mut matrix = Numbers::room(rows, width).ok_or_else(|| {
        format!("{source}: {rows} × {width} numbers are more than fits into memory")
    })?;
    let mut rounded = Vec::new();
    let mut position = 0;
    for part in &parts {
        position += match part {
            Part::Numbers(_, Numbered::Host(elements)) => {
                elements.append_to(&mut matrix);
                rounded.extend(elements.rounded(position));
                elements.width()
            }
            Part::Numbers(_, Numbered::Device(elements)) => {
                let (before, width) = (matrix.len(), elements.shape().1);
                matrix.resize(before + rows * width, 0.0);
                let read = elements.read(0..width, &mut matrix[before..]);
                read.map_err(|error| format!("{source}: {error}"))?;
                width
            }
            Part::Own(_, numbers) => {
                matrix.extend_from_slice(numbers);
                1
            }
            Part::Other(..) | Part::Sparse(..) => 1,
            Part::Remote(names) => names.len(),
        };
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
            Part::Other(name, values) | Part::Sparse(name, _, values) => {
                columns.push((name, values));
            }
            Part::Remote(names) => {
                columns.extend(names.into_iter().map(|name| (name, Values::Remote)));
            }
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
