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
    threads::{helpers, map_each},
};

/// Bytes that a thread reads at a time.
const BYTES: usize = 1 << 20;

/// The same of rows: many, so that each column, whose values lie on a page of their own, gets many at a time; one at least.
const BYTES_OF_ROWS: usize = 1 << 25;

/// Rows that are written at a time, at most.
const ROWS: usize = 128;

/// Columns that are written side by side: the values of one cache line.
const TILE: usize = 8;

/// What a thread found wrong: with reading, with bytes, or an infinite element at (row, column).
enum Fault {
    Read(io::Error),
    Decode(io::Error),
    Infinite(usize, usize),
}

/// A column with the row, from 0, and the text of its first element that 64-bit floating point rounds.
type Rounded = (usize, usize, String);

/// How the bytes of an element are a number.
#[derive(Clone, Copy)]
enum Kind<'a> {
    F64,
    F32,
    Other(&'a Decode, Option<&'a FindRounded>),
}

/// A file whose elements begin at a byte.
struct Elements<'a> {
    file: &'a File,
    start: u64,
    interrupt: &'a Interrupt,
    kind: Kind<'a>,
    /// Bytes of one.
    size: usize,
    rows: usize,
    width: usize,
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
            kind: self.kind(),
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

    fn kind(&self) -> Kind<'_> {
        if let DType::Plain(element) = self.header.dtype()
            && element.type_char() == TypeChar::Float
            && element.endianness() == Endianness::Little
        {
            return match self.element_bytes {
                8 => Kind::F64,
                _ => Kind::F32,
            };
        }
        Kind::Other(&self.decode, self.find_rounded.as_ref())
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
        let each = self.rows.div_ceil(helpers()).max(1);
        let starts = (0..self.rows).step_by(each);
        let mut parts: Vec<(usize, Vec<&mut [f64]>)> = starts
            .map(|start| (start, Vec::with_capacity(self.width)))
            .collect();
        for column in columns.columns_mut() {
            for ((_, part), numbers) in parts.iter_mut().zip(column.chunks_mut(each)) {
                part.push(numbers);
            }
        }
        let all = map_each(parts, |(start, part)| self.rows_from(start, part));
        Ok(all.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn rows_from(&self, start: usize, mut columns: Vec<&mut [f64]>) -> Result<Vec<Rounded>, Fault> {
        let count = columns.first().map_or(0, |column| column.len());
        let line = self.width * self.size;
        let at_once = (BYTES_OF_ROWS / line.max(1))
            .clamp(1, ROWS)
            .min(count.max(1));
        let mut bytes = vec![0; at_once * line];
        let (mut rounded, mut known) = (Vec::new(), HashSet::new());
        for first in (0..count).step_by(at_once) {
            let rows: Range<usize> = first..count.min(first + at_once);
            let bytes = &mut bytes[..rows.len() * line];
            self.read((start + first) * self.width, bytes)?;
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
                        let column = tile * TILE + at;
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
                        return Err(Fault::Infinite(start + row, at));
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
