//! Arrays of NumPy: the design matrix in one file, the response in a second.

mod at_once;
mod elements;
mod header;
mod in_file;

use std::io::{self, Write};
use std::mem::take;
use std::ops::Range;
use std::path::Path;

use elements::{Decode, FindRounded, decoder, find_rounded};
#[cfg(test)]
pub(crate) use in_file::ArrayInFile;
pub(crate) use in_file::left_in_file;
use npyz::{NpyHeader, Order};

use super::extent::Extent;
use super::format::{Format, Input};
use super::growing::{COLUMNS, PER_COLUMN};
use super::numbers::NumberColumns;
use super::rounded::{EXACT, RoundedColumn, RoundedColumns};
use super::rows::RowBuffer;
use super::source::{DENSEST, GAP, Source, is_gzip, runs};
use super::{Column, ReadOptions, Table, TableError, Values, is_npy, names};
use crate::memory::MemoryCharge;
use crate::threads::piece;

/// The format of NumPy's arrays.
pub(super) const FORMAT: Format = Format {
    names_response: false,
    header,
    estimate: |path, bytes, _| estimate(path, bytes),
    ..Format::new(&["npy"], read)
};

/// What the memory of columns is for.
const VALUES: &str = "its values";

/// Elements decoded at a time.
const ELEMENTS: usize = piece(1 << 13);

/// The shape as Python prints it.
fn shape_text(shape: &[u64]) -> String {
    match shape {
        [n] => format!("({n},)"),
        _ => {
            let sides: Vec<String> = shape.iter().map(u64::to_string).collect();
            format!("({})", sides.join(", "))
        }
    }
}

/// The columns that [`read`] makes, by the headers of both files.
fn header(input: &Input) -> Result<Option<Table>, TableError> {
    let design = Array::open(input.path, input.options)?;
    let &[_, width] = design.header.shape() else {
        return Err(design.shape_error("an n × p array (two dimensions)"));
    };
    let response = input.options.response.map(response_name).transpose()?;
    let width = usize::try_from(width).unwrap_or(usize::MAX);
    let place = response.is_some().then_some(width);
    let names = (0..width).map(names::variable).chain(response);
    input.named(width, names, place)
}

/// Reads an n × p array as columns `x0`, `x1`, …, and a response of length n, given by a
/// second file, as the last column, named by that file's stem.
fn read(input: &Input) -> Result<Table, TableError> {
    let (path, response) = (input.path, input.options.response);
    let design = Array::open(path, input.options)?;
    let memory = input.options.memory;
    let &[rows, width] = design.header.shape() else {
        return Err(design.shape_error("an n × p array (two dimensions)"));
    };
    if rows == 0 {
        return Err(TableError::no_rows(path));
    }
    if width == 0 {
        return Err(TableError::no_columns(path));
    }
    // The response is the last column.
    let all = width as usize + usize::from(response.is_some());
    let wanted = |at: usize| input.partition.reads(at, all, &names::variable(at));
    let Some(response) = response else {
        let (columns, rounded) = design.columns((rows, width), names::variable, wanted, memory)?;
        let table = input.table(columns, None)?;
        return Ok(Table { rounded, ..table });
    };

    let name = response_name(response)?;
    let second = Array::open(Path::new(response), input.options)?;
    let length = match *second.header.shape() {
        [length] | [length, 1] => length,
        _ => return Err(second.shape_error("a response of n values (one dimension, or n × 1)")),
    };
    if length != rows {
        return Err(design.error(format!(
            "it has shape {}, its response {response} has shape {}: both need the same number of \
             rows",
            shape_text(design.header.shape()),
            shape_text(second.header.shape())
        )));
    }
    // The response is the smaller one: what is wrong with it is reported without a wait.
    let (last, of_last) = second.columns((length, 1), |_| name.clone(), |_| true, memory)?;
    let (mut columns, mut rounded) =
        design.columns((rows, width), names::variable, wanted, memory)?;
    columns.extend(last);
    rounded.extend(of_last.into_iter().map(|found| RoundedColumn {
        position: all - 1,
        ..found
    }));
    let table = input.table(columns, Some(all - 1))?;
    Ok(Table { rounded, ..table })
}

/// The elements that the header promises, which need not be there.
fn estimate(path: &Path, bytes: u64) -> Option<Extent> {
    let array = Array::open(path, &ReadOptions::default()).ok()?;
    let (rows, columns) = match *array.header.shape() {
        [rows, columns] => (rows, columns),
        _ => return None,
    };
    // No element takes less than a byte.
    let is_possible = rows.saturating_mul(columns) <= bytes.saturating_mul(DENSEST);
    is_possible.then(|| Extent::dense(rows, columns, 8))
}

/// The length of the header of a matrix, in bytes. Others pad theirs to the next multiple of 64 bytes,
/// so that by this length passel knows a matrix that it wrote.
pub(crate) const MATRIX_HEADER: usize = 1024;

/// Writes a square matrix as an `.npy` file of f64.
///
/// *Shapes:* `values` is p × p, row by row.
///
/// # Errors
/// An error of the sink.
pub fn write_matrix(values: &[f64], p: usize, sink: &mut dyn io::Write) -> io::Result<()> {
    const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
    let dictionary = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({p}, {p}), }}");
    let length = MATRIX_HEADER - MAGIC.len() - 2;
    sink.write_all(MAGIC)?;
    sink.write_all(&(length as u16).to_le_bytes())?;
    // The last byte is the line's end.
    writeln!(sink, "{dictionary:<0$}", length - 1)?;
    let mut sink = io::BufWriter::with_capacity(1 << 16, sink);
    for value in values {
        sink.write_all(&value.to_le_bytes())?;
    }
    sink.flush()
}

/// The file's name without folder and endings.
fn response_name(response: &str) -> Result<String, TableError> {
    let path = Path::new(response);
    if !is_npy(path) {
        let message = "the response of .npy data is a second array: name a file that ends in .npy \
                       or .npy.gz";
        return Err(TableError::content(path, message));
    }
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let ending = if is_gzip(path) { 7 } else { 4 };
    Ok(file[..file.len() - ending].to_owned())
}

/// An open file whose header has been read.
struct Array<'p> {
    path: &'p Path,
    source: Source,
    header: NpyHeader,
    header_bytes: u64,
    element_bytes: usize,
    decode: Decode,
    /// The text of an element that 64-bit floating point rounds; `None` where it holds all.
    find_rounded: Option<FindRounded>,
    rounded: RoundedColumns,
}

impl<'p> Array<'p> {
    fn open(path: &'p Path, options: &ReadOptions) -> Result<Self, TableError> {
        let mut source = Source::open(path, options)?;
        let (header, header_bytes) = header::read(&mut source)?.map_err(|error| {
            let message = format!("not an .npy array ({error}); write it with numpy.save");
            TableError::content(path, message)
        })?;
        let Some((element_bytes, decode)) = decoder(&header.dtype()) else {
            let kind = header.dtype().descr();
            let message = format!("elements of type {kind}; save it with .astype('f8')");
            return Err(TableError::content(path, message));
        };
        Ok(Self {
            path,
            source,
            header_bytes,
            element_bytes,
            decode,
            find_rounded: find_rounded(&header.dtype()),
            header,
            rounded: RoundedColumns::default(),
        })
    }

    fn error(&self, message: impl Into<String>) -> TableError {
        TableError::content(self.path, message)
    }

    fn undecodable(&self, error: io::Error) -> TableError {
        self.error(format!("bytes that are no value: {error}"))
    }

    fn shape_error(&self, expected: &str) -> TableError {
        let shape = shape_text(self.header.shape());
        self.error(format!("shape {shape}, but {expected} is expected"))
    }

    fn truncated(&self, promised: u64, found: u64) -> TableError {
        self.error(format!(
            "cut off: {promised} bytes of values promised, {found} found; copy or write the file \
             again"
        ))
    }

    /// The array's columns, named by their position. Columns that are not wanted are skipped where
    /// that is worth a seek.
    fn columns(
        mut self,
        (rows, width): (u64, u64),
        name: impl Fn(usize) -> String,
        wanted: impl Fn(usize) -> bool,
        memory: Option<&MemoryCharge>,
    ) -> Result<(Vec<Column>, Vec<RoundedColumn>), TableError> {
        let promised = rows
            .checked_mul(width)
            .and_then(|elements| elements.checked_mul(self.element_bytes as u64))
            .filter(|bytes| usize::try_from(*bytes).is_ok());
        let Some(promised) = promised else {
            return Err(self.error("the header promises more than can be held in memory"));
        };
        // Before memory is allocated for what the header promises, the file has to hold it.
        let enough = self.header_bytes.saturating_add(promised);
        if self.source.most < enough {
            let found = self.source.measure(enough)?;
            return Err(self.truncated(promised, found.saturating_sub(self.header_bytes)));
        }

        let (rows, width) = (rows as usize, width as usize);
        let order = self.header.order();
        // The distance in bytes from one column's first element to the next one's, and how many
        // bytes between two wanted columns are rather read than skipped.
        let (apart, gap) = match order {
            Order::C => (self.element_bytes, GAP),
            Order::Fortran => (self.element_bytes * rows, 0),
        };
        let path = self.path;
        let refused = |error| TableError::memory(path, error);
        let names = memory.map_or(Ok(()), |memory| {
            memory.grow((width * PER_COLUMN) as u64, COLUMNS)
        });
        names.map_err(refused)?;
        let runs = runs(width, gap / apart, wanted);
        let read: Vec<usize> = runs.iter().cloned().flatten().collect();
        let mut columns = NumberColumns::new(read.len());
        let room = columns.grow(rows, 0, memory, VALUES);
        room.map_err(refused)?;
        match self.read_at_once((rows, width), &read, &name, &mut columns) {
            Some(done) => done?,
            None => self.read_in_order((rows, width), &runs, &name, &mut columns)?,
        }
        self.source.finish()?;
        let remote = |at| Column::from((name(at), Values::Remote));
        let mut all: Vec<Column> = (0..width).map(remote).collect();
        for (at, numbers) in read.into_iter().zip(columns.finish(rows)) {
            all[at].values = Values::Numbers(numbers);
        }
        Ok((all, self.rounded.0))
    }

    /// Fills columns, which have room for all rows, with those of these runs, element after element.
    fn read_in_order(
        &mut self,
        (rows, width): (usize, usize),
        runs: &[Range<usize>],
        name: impl Fn(usize) -> String,
        columns: &mut NumberColumns,
    ) -> Result<(), TableError> {
        match self.header.order() {
            Order::C => {
                let place = |at: usize| (at / width, at % width);
                let count: usize = runs.iter().map(|run| run.len()).sum();
                let mut block = RowBuffer::of(take(columns), vec![true; count.max(1)], None);
                // Where whole rows are read, they are one range.
                let (lines, length) = match count == width {
                    true => (1, rows * width),
                    false => (rows, 0),
                };
                let ranges = &mut (0..lines).flat_map(|row| {
                    let first = row * width;
                    let range =
                        move |run: &Range<usize>| first + run.start..first + run.end.max(length);
                    runs.iter().map(range)
                });
                self.each(ranges, place, &name, |values| {
                    for &value in values {
                        block.push(value);
                    }
                })?;
                *columns = block.finish();
                Ok(())
            }
            Order::Fortran => {
                let place = |at: usize| (at % rows, at / rows);
                let ranges = &mut runs.iter().map(|run| run.start * rows..run.end * rows);
                // All that are wanted stand one behind another.
                let mut rest = columns.all_mut();
                self.each(ranges, place, &name, |values| {
                    let (own, others) = take(&mut rest).split_at_mut(values.len());
                    own.copy_from_slice(values);
                    rest = others;
                })
            }
        }
    }

    /// Hands over the elements of ascending ranges, some at a time, and refuses infinite ones.
    /// `place` gives row and column of an element by its position in the file.
    fn each(
        &mut self,
        ranges: &mut dyn Iterator<Item = Range<usize>>,
        place: impl Fn(usize) -> (usize, usize),
        name: impl Fn(usize) -> String,
        mut give: impl FnMut(&[f64]),
    ) -> Result<(), TableError> {
        let mut bytes = vec![0; ELEMENTS * self.element_bytes];
        let mut values = vec![0.0; ELEMENTS];
        let mut position = 0;
        for range in ranges {
            let skipped = (range.start - position) * self.element_bytes;
            self.source.skip(skipped as u64)?;
            position = range.end;
            for first in range.clone().step_by(ELEMENTS) {
                let wanted = ELEMENTS.min(range.end - first) * self.element_bytes;
                let found = self.source.fill(&mut bytes[..wanted])?;
                if found < wanted {
                    // The file has become shorter since its size was looked up, or its content has that is compressed.
                    let all: u64 = self.header.shape().iter().product();
                    let found = first * self.element_bytes + found;
                    return Err(self.truncated(all * self.element_bytes as u64, found as u64));
                }
                let values = &mut values[..wanted / self.element_bytes];
                let decoded = (self.decode)(&bytes[..wanted], values);
                decoded.map_err(|error| self.undecodable(error))?;
                if let Some(at) = values.iter().position(|value| value.is_infinite()) {
                    let (row, column) = place(first + at);
                    return Err(TableError::infinite_element(self.path, row, &name(column)));
                }
                if let Some(find) = &self.find_rounded {
                    let elements = bytes.chunks_exact(self.element_bytes);
                    let large = values.iter().zip(elements).enumerate();
                    let large = large.filter(|(_, (value, _))| value.abs() >= EXACT);
                    for (at, (_, element)) in large {
                        let (row, column) = place(first + at);
                        if self.rounded.is_new(column)
                            && let Some(number) = find(element)
                        {
                            self.rounded.add(column, None, row + 1, number);
                        }
                    }
                }
                give(values);
            }
        }
        Ok(())
    }
}
