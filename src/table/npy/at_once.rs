//! Arrays in a plain file, which threads read side by side into one vector, each element once.

use std::{collections::HashSet, fs::File, io, ops::Range};

use npyz::{DType, Endianness, Order, TypeChar};

use super::{
    super::{
        TableError,
        numbers::NumberColumns,
        rounded::{EXACT, RoundedColumns},
        source::read_exact_at,
    },
    Array,
    elements::{Decode, FindRounded},
};
use crate::{
    interrupt::Interrupt,
    threads::{helpers, map_each, piece},
};

/// Bytes that a thread reads at a time.
const BYTES: usize = piece(1 << 20);

/// The same of rows: many, so that each column, whose values lie on a page of their own, gets many at a time; one at least.
const BYTES_OF_ROWS: usize = 1 << 25;

/// Rows that are written at a time, at most.
const ROWS: usize = 128;

/// Columns that are written side by side: the values of one cache line.
const TILE: usize = 8;

impl From<Fault> for io::Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Read(error) | Fault::Decode(error) => error,
            Fault::Infinite(row, column) => {
                Self::other(format!("row {row} of column {column} is infinite"))
            }
        }
    }
}

/// What a thread found wrong: with reading, with bytes, or an infinite element at (row, column).
pub(super) enum Fault {
    Read(io::Error),
    Decode(io::Error),
    Infinite(usize, usize),
}

/// A column with the row, from 0, and the text of its first element that 64-bit floating point rounds.
type Rounded = (usize, usize, String);

/// How the bytes of an element are a number.
#[derive(Clone, Copy)]
pub(super) enum Kind<'a> {
    F64,
    F32,
    Other(&'a Decode, Option<&'a FindRounded>),
}

/// A file whose elements begin at a byte.
pub(super) struct Elements<'a> {
    pub(super) file: &'a File,
    pub(super) start: u64,
    pub(super) interrupt: &'a Interrupt,
    pub(super) kind: Kind<'a>,
    /// Bytes of one.
    pub(super) size: usize,
    pub(super) rows: usize,
    pub(super) width: usize,
}

impl Array<'_> {
    /// Fills columns, which have room for all rows, with those at ascending places of the array, if threads can read it so:
    /// of an array by rows all are wanted.
    pub(super) fn read_at_once(
        &mut self,
        (rows, width): (usize, usize),
        read: &[usize],
        name: impl Fn(usize) -> String,
        columns: &mut NumberColumns,
    ) -> Option<Result<(), TableError>> {
        let (file, start, interrupt) = self.source.file()?;
        let elements = Elements {
            file,
            start,
            interrupt,
            kind: Kind::of(
                &self.header.dtype(),
                &self.decode,
                self.find_rounded.as_ref(),
            ),
            size: self.element_bytes,
            rows,
            width,
        };
        let found = match self.header.order() {
            Order::C if read.len() < width => return None,
            Order::C => elements.by_rows(columns),
            Order::Fortran => elements.by_columns(read, columns),
        };
        let found = found.map_err(|fault| match fault {
            Fault::Infinite(row, column) => {
                TableError::infinite_element(self.path, row, &name(column))
            }
            Fault::Decode(error) => self.undecodable(error),
            Fault::Read(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                // The file has become shorter since its size was looked up.
                let length = file.metadata().map_or(0, |found| found.len());
                self.truncated(
                    (rows * width * self.element_bytes) as u64,
                    length.saturating_sub(start),
                )
            }
            Fault::Read(error) => self.source.failure(error),
        });
        let order = self.header.order();
        Some(found.map(|rounded| take_note(rounded, order, &mut self.rounded)))
    }
}

impl<'a> Kind<'a> {
    pub(super) fn of(
        dtype: &DType,
        decode: &'a Decode,
        find_rounded: Option<&'a FindRounded>,
    ) -> Self {
        if let DType::Plain(element) = dtype
            && element.type_char() == TypeChar::Float
            && element.endianness() == Endianness::Little
        {
            return match dtype.num_bytes() {
                Some(8) => Kind::F64,
                _ => Kind::F32,
            };
        }
        Kind::Other(decode, find_rounded)
    }
}

/// Takes note of the first rounded element of each column, in the order of the file.
fn take_note(mut found: Vec<Rounded>, order: Order, rounded: &mut RoundedColumns) {
    found.sort_unstable_by_key(|(column, row, _)| match order {
        Order::C => (*row, *column),
        Order::Fortran => (*column, *row),
    });
    for (column, row, number) in found {
        rounded.add(column, None, row + 1, number);
    }
}

impl Elements<'_> {
    /// Elements from the position-th on, into as many bytes.
    fn read(&self, position: usize, bytes: &mut [u8]) -> Result<(), Fault> {
        self.interrupt
            .check()
            .map_err(|error| Fault::Read(io::Error::other(error)))?;
        let at = self.start + (position * self.size) as u64;
        read_exact_at(self.file, bytes, at).map_err(Fault::Read)
    }

    /// The numbers of some elements, into as many places.
    fn decode(&self, bytes: &[u8], numbers: &mut [f64]) -> Result<(), Fault> {
        match self.kind {
            Kind::F64 => {
                let elements = bytes.as_chunks().0.iter();
                let numbers = numbers.iter_mut().zip(elements);
                numbers.for_each(|(number, bytes)| *number = f64::from_le_bytes(*bytes));
            }
            Kind::F32 => {
                let elements = bytes.as_chunks().0.iter();
                let numbers = numbers.iter_mut().zip(elements);
                numbers.for_each(|(number, bytes)| *number = f32::from_le_bytes(*bytes).into());
            }
            Kind::Other(decode, _) => decode(bytes, numbers).map_err(Fault::Decode)?,
        }
        Ok(())
    }

    /// Those of some elements, with numbers, that 64-bit floating point rounds, and their texts.
    fn rounded<'b>(
        &'b self,
        bytes: &'b [u8],
        numbers: &'b [f64],
    ) -> impl Iterator<Item = (usize, String)> + 'b {
        let find = match self.kind {
            Kind::Other(_, find) => find,
            _ => None,
        };
        find.into_iter().flat_map(move |find| {
            let elements = numbers.iter().zip(bytes.chunks_exact(self.size));
            let large = elements
                .enumerate()
                .filter(|(_, (number, _))| number.abs() >= EXACT);
            large.filter_map(move |(at, (_, element))| Some((at, find(element)?)))
        })
    }

    /// The numbers from the position-th element on, some at a time.
    pub(super) fn fill(&self, position: usize, numbers: &mut [f64]) -> Result<(), Fault> {
        let mut bytes = vec![0; (numbers.len() * self.size).min(BYTES)];
        let each = (bytes.len() / self.size).max(1);
        for (part, numbers) in numbers.chunks_mut(each).enumerate() {
            let bytes = &mut bytes[..numbers.len() * self.size];
            self.read(position + part * each, bytes)?;
            self.decode(bytes, numbers)?;
        }
        Ok(())
    }

    /// The numbers of some neighbouring columns, one column after another, by threads. What is wrong is not looked for.
    pub(super) fn fill_columns(
        &self,
        columns: Range<usize>,
        order: Order,
        numbers: &mut [f64],
    ) -> io::Result<()> {
        let wrong: Vec<Result<(), Fault>> = match order {
            Order::Fortran => {
                let each = numbers.len().div_ceil(helpers()).max(1);
                let parts = numbers.chunks_mut(each).enumerate().collect();
                map_each(parts, |(part, numbers): (usize, &mut [f64])| {
                    self.fill(columns.start * self.rows + part * each, numbers)
                })
            }
            Order::C => {
                let parts = self.in_parts(numbers.chunks_mut(self.rows));
                map_each(parts, |(start, part)| {
                    self.rows_from(start, columns.clone(), part).map(drop)
                })
            }
        };
        wrong.into_iter().collect::<Result<(), _>>()?;
        Ok(())
    }

    fn by_columns(
        &self,
        read: &[usize],
        columns: &mut NumberColumns,
    ) -> Result<Vec<Rounded>, Fault> {
        let fill = |(&column, numbers): (&usize, &mut [f64])| {
            let mut bytes = vec![0; (self.rows * self.size).min(BYTES)];
            let mut rounded = None;
            for first in (0..self.rows).step_by(bytes.len() / self.size) {
                let count = (self.rows - first).min(bytes.len() / self.size);
                let (bytes, numbers) = (
                    &mut bytes[..count * self.size],
                    &mut numbers[first..][..count],
                );
                self.read(column * self.rows + first, bytes)?;
                self.decode(bytes, numbers)?;
                if has_infinite(numbers)
                    && let Some(at) = numbers.iter().position(|x| x.is_infinite())
                {
                    return Err(Fault::Infinite(first + at, column));
                }
                if rounded.is_none() {
                    let found = self.rounded(bytes, numbers).next();
                    rounded = found.map(|(at, text)| (column, first + at, text));
                }
            }
            Ok(rounded)
        };
        let all = map_each(read.iter().zip(columns.columns_mut()).collect(), fill);
        Ok(all
            .into_iter()
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .flatten()
            .collect())
    }

    /// Each thread reads some rows, and writes them to their places in all columns.
    fn by_rows(&self, columns: &mut NumberColumns) -> Result<Vec<Rounded>, Fault> {
        let parts = self.in_parts(columns.columns_mut());
        let all = map_each(parts, |(start, part)| {
            self.rows_from(start, 0..self.width, part)
        });
        Ok(all.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// The parts of columns that each thread fills, with the row at which they begin.
    fn in_parts<'n>(
        &self,
        columns: impl Iterator<Item = &'n mut [f64]>,
    ) -> Vec<(usize, Vec<&'n mut [f64]>)> {
        let each = self.rows.div_ceil(helpers()).max(1);
        let starts = (0..self.rows).step_by(each);
        let mut parts: Vec<(usize, Vec<&mut [f64]>)> =
            starts.map(|start| (start, Vec::new())).collect();
        for column in columns {
            for ((_, part), numbers) in parts.iter_mut().zip(column.chunks_mut(each)) {
                part.push(numbers);
            }
        }
        parts
    }

    /// Fills parts of some neighbouring columns from a row on.
    fn rows_from(
        &self,
        start: usize,
        within: Range<usize>,
        mut columns: Vec<&mut [f64]>,
    ) -> Result<Vec<Rounded>, Fault> {
        let count = columns.first().map_or(0, |column| column.len());
        let line = within.len() * self.size;
        let at_once = (BYTES_OF_ROWS / line.max(1))
            .clamp(1, ROWS)
            .min(count.max(1));
        let mut bytes = vec![0; at_once * line];
        let (mut rounded, mut known) = (Vec::new(), HashSet::new());
        for first in (0..count).step_by(at_once) {
            let rows: Range<usize> = first..count.min(first + at_once);
            let bytes = &mut bytes[..rows.len() * line];
            // Whole rows stand behind one another.
            let each = match within.len() == self.width {
                true => bytes.len(),
                false => line,
            };
            for (row, bytes) in (start + first..).zip(bytes.chunks_mut(each)) {
                self.read(row * self.width + within.start, bytes)?;
            }
            let mut is_infinite = false;
            for (tile, columns) in columns.chunks_mut(TILE).enumerate() {
                let from = tile * TILE * self.size;
                let length = columns.len() * self.size;
                let mut numbers = [0.0; TILE];
                let numbers = &mut numbers[..columns.len()];
                for (row, line) in rows.clone().zip(bytes.chunks_exact(line)) {
                    let bytes = &line[from..from + length];
                    self.decode(bytes, numbers)?;
                    for (column, number) in columns.iter_mut().zip(&*numbers) {
                        is_infinite |= number.is_infinite();
                        column[row] = *number;
                    }
                    for (at, text) in self.rounded(bytes, numbers) {
                        let column = within.start + tile * TILE + at;
                        if known.insert(column) {
                            rounded.push((column, start + row, text));
                        }
                    }
                }
            }
            if is_infinite {
                // The first in the file.
                for row in rows {
                    if let Some(at) = columns.iter().position(|own| own[row].is_infinite()) {
                        return Err(Fault::Infinite(start + row, within.start + at));
                    }
                }
            }
        }
        Ok(rounded)
    }
}

fn has_infinite(values: &[f64]) -> bool {
    values
        .iter()
        .fold(false, |any, value| any | value.is_infinite())
}
