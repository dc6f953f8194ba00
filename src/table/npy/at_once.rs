//! Whole arrays of floating-point numbers in a plain file, which threads read side by side, each element once.

use std::{fs::File, io, ops::Range};

use npyz::{DType, Endianness, Order, TypeChar};

use super::{
    super::{TableError, growing::Growing},
    Array, VALUES,
};
use crate::{
    interrupt::Interrupt,
    memory::MemoryCharge,
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

/// What a thread found wrong: with reading, or an infinite element at (row, column).
enum Fault {
    Read(io::Error),
    Infinite(usize, usize),
}

/// A file whose elements begin at a byte.
struct Elements<'s> {
    file: &'s File,
    start: u64,
    interrupt: &'s Interrupt,
    /// Bytes of one: 8 or 4.
    size: usize,
    rows: usize,
    width: usize,
}

/// The columns of an array; none of one that is not read so.
pub(super) fn columns(
    array: &Array,
    (rows, width): (usize, usize),
    name: impl Fn(usize) -> String,
    memory: Option<&MemoryCharge>,
) -> Option<Result<Vec<Vec<f64>>, TableError>> {
    let DType::Plain(element) = array.header.dtype() else {
        return None;
    };
    let is_little = element.endianness() == Endianness::Little;
    if element.type_char() != TypeChar::Float || !is_little {
        return None;
    }
    let (size, order, path) = (array.element_bytes, array.header.order(), array.path);
    let (file, start, interrupt) = array.source.file()?;
    let elements = Elements {
        file,
        start,
        interrupt,
        size,
        rows,
        width,
    };
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); width];
    for column in &mut columns {
        if let Err(error) = column.grow(rows, memory, VALUES) {
            return Some(Err(TableError::memory(path, error)));
        }
    }
    let read = match order {
        Order::C => elements.by_rows(&mut columns),
        Order::Fortran => elements.by_columns(&mut columns),
    };
    let error = |fault| match fault {
        Fault::Infinite(row, column) => TableError::infinite_element(path, row, &name(column)),
        Fault::Read(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            // The file has become shorter since its size was looked up.
            let length = file.metadata().map_or(0, |found| found.len());
            array.truncated((rows * width * size) as u64, length.saturating_sub(start))
        }
        Fault::Read(error) => array.source.failure(error),
    };
    Some(read.map(|()| columns).map_err(error))
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

    fn values<'b>(&self, bytes: &'b [u8]) -> impl Iterator<Item = f64> + use<'b> {
        let size = self.size;
        bytes.chunks_exact(size).map(move |bytes| match size {
            8 => f64::from_le_bytes(bytes.try_into().unwrap_or_default()),
            _ => f32::from_le_bytes(bytes.try_into().unwrap_or_default()).into(),
        })
    }

    fn by_columns(&self, columns: &mut [Vec<f64>]) -> Result<(), Fault> {
        let fill = |(number, column): (usize, &mut Vec<f64>)| {
            let mut bytes = vec![0; (self.rows * self.size).min(BYTES)];
            while column.len() < self.rows {
                let count = (self.rows - column.len()).min(bytes.len() / self.size);
                let bytes = &mut bytes[..count * self.size];
                let first = column.len();
                self.read(number * self.rows + first, bytes)?;
                column.extend(self.values(bytes));
                if has_infinite(&column[first..])
                    && let Some(at) = column[first..].iter().position(|x| x.is_infinite())
                {
                    return Err(Fault::Infinite(first + at, number));
                }
            }
            Ok(())
        };
        let all = map_each(columns.iter_mut().enumerate().collect(), fill);
        all.into_iter().collect()
    }

    /// Each thread reads some rows, and writes them to their places in all columns.
    fn by_rows(&self, columns: &mut [Vec<f64>]) -> Result<(), Fault> {
        let each = self.rows.div_ceil(helpers()).max(1);
        let all = columns.iter_mut().collect();
        map_each(all, |column: &mut Vec<f64>| column.resize(self.rows, 0.0));
        let starts = (0..self.rows).step_by(each);
        let mut parts: Vec<(usize, Vec<&mut [f64]>)> = starts
            .map(|start| (start, Vec::with_capacity(self.width)))
            .collect();
        for column in columns.iter_mut() {
            for ((_, part), values) in parts.iter_mut().zip(column.chunks_mut(each)) {
                part.push(values);
            }
        }
        let all = map_each(parts, |(start, part)| self.rows_from(start, part));
        all.into_iter().collect()
    }

    fn rows_from(&self, start: usize, mut columns: Vec<&mut [f64]>) -> Result<(), Fault> {
        let count = columns.first().map_or(0, |column| column.len());
        let line = self.width * self.size;
        let at_once = (BYTES_OF_ROWS / line.max(1))
            .clamp(1, ROWS)
            .min(count.max(1));
        let mut bytes = vec![0; at_once * line];
        for first in (0..count).step_by(at_once) {
            let rows: Range<usize> = first..count.min(first + at_once);
            let bytes = &mut bytes[..rows.len() * line];
            self.read((start + first) * self.width, bytes)?;
            let mut is_infinite = false;
            for (tile, columns) in columns.chunks_mut(TILE).enumerate() {
                let from = tile * TILE * self.size;
                let length = columns.len() * self.size;
                for (row, line) in rows.clone().zip(bytes.chunks_exact(line)) {
                    let values = self.values(&line[from..from + length]);
                    for (column, value) in columns.iter_mut().zip(values) {
                        is_infinite |= value.is_infinite();
                        column[row] = value;
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
        Ok(())
    }
}

fn has_infinite(values: &[f64]) -> bool {
    values
        .iter()
        .fold(false, |any, value| any | value.is_infinite())
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(not(unix))]
fn read_exact_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
