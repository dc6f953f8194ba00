//! Numbers that stand in a buffer of Python, in any order and of any plain type.

#![allow(unsafe_code)]

use std::{
    fmt, io,
    mem::MaybeUninit,
    ops::Range,
    path::{Path, PathBuf},
    thread,
};

use passel::table::{ColumnReader, RoundedColumn};
use pyo3::{
    buffer::PyUntypedBuffer,
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
};

use crate::table::buffer;

/// Elements that are worth a thread of their own.
const MANY: usize = 1 << 19;

/// Rows and columns of a tile, which stays in a cache while it is turned.
const TILE: usize = 64;

/// The type of elements.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    F64,
    F32,
    I64,
    U64,
    I32,
    U32,
    I16,
    U16,
    I8,
    U8,
    Bool,
}

/// A matrix in a buffer, which nobody may change while it is read.
pub(crate) struct Elements {
    source: PathBuf,
    buffer: PyUntypedBuffer,
    kind: Kind,
    rows: usize,
    width: usize,
    /// Bytes from a row to the next, and from a column to the next.
    strides: [isize; 2],
}

impl Elements {
    /// The elements of an object of one or two dimensions that has a buffer.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let buffer = buffer(object)?;
        let format = buffer.format().to_bytes();
        let (order, code) = match format {
            [code] => (b'@', *code),
            [order, code] => (*order, *code),
            _ => (b'?', b' '),
        };
        let is_native = match order {
            b'@' | b'=' | b'|' => true,
            b'<' => cfg!(target_endian = "little"),
            b'>' | b'!' => cfg!(target_endian = "big"),
            _ => false,
        };
        let kind = match (code, buffer.item_size()) {
            (b'd', 8) => Some(Kind::F64),
            (b'f', 4) => Some(Kind::F32),
            (b'l' | b'q', 8) => Some(Kind::I64),
            (b'L' | b'Q', 8) => Some(Kind::U64),
            (b'i' | b'l', 4) => Some(Kind::I32),
            (b'I' | b'L', 4) => Some(Kind::U32),
            (b'h', 2) => Some(Kind::I16),
            (b'H', 2) => Some(Kind::U16),
            (b'b', 1) => Some(Kind::I8),
            (b'B', 1) => Some(Kind::U8),
            (b'?', 1) => Some(Kind::Bool),
            _ => None,
        };
        let Some(kind) = kind.filter(|_| is_native && buffer.suboffsets().is_none()) else {
            let format = String::from_utf8_lossy(format).into_owned();
            return Err(PyTypeError::new_err(format!(
                "elements of the type {format} are no plain numbers"
            )));
        };
        let (shape, strides) = (buffer.shape(), buffer.strides());
        let (rows, width, strides) = match (shape, strides) {
            (&[rows], &[row]) => (rows, 1, [row, 0]),
            (&[rows, width], &[row, column]) => (rows, width, [row, column]),
            _ => {
                let message = format!("an array of {} dimensions is no table", shape.len());
                return Err(PyValueError::new_err(message));
            }
        };
        Ok(Self {
            source: PathBuf::from("the array"),
            buffer,
            kind,
            rows,
            width,
            strides,
        })
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// An element as a number.
    ///
    /// # Safety
    /// `at` is the address of an element of the buffer.
    unsafe fn number(kind: Kind, at: *const u8) -> f64 {
        // SAFETY: whoever calls promises that an element of this type is there; it need not be aligned.
        unsafe {
            match kind {
                Kind::F64 => at.cast::<f64>().read_unaligned(),
                Kind::F32 => at.cast::<f32>().read_unaligned().into(),
                Kind::I64 => at.cast::<i64>().read_unaligned() as f64,
                Kind::U64 => at.cast::<u64>().read_unaligned() as f64,
                Kind::I32 => at.cast::<i32>().read_unaligned().into(),
                Kind::U32 => at.cast::<u32>().read_unaligned().into(),
                Kind::I16 => at.cast::<i16>().read_unaligned().into(),
                Kind::U16 => at.cast::<u16>().read_unaligned().into(),
                Kind::I8 => at.cast::<i8>().read().into(),
                Kind::U8 | Kind::Bool => at.read().into(),
            }
        }
    }

    fn address(&self, row: usize, column: usize) -> *const u8 {
        let start = self.buffer.buf_ptr().cast::<u8>().cast_const();
        let offset = row as isize * self.strides[0] + column as isize * self.strides[1];
        start.wrapping_offset(offset)
    }

    /// Appends all elements, one column after another.
    pub(crate) fn append_to(&self, matrix: &mut Vec<f64>) {
        let count = self.rows * self.width;
        matrix.reserve(count);
        self.fill_from(0, &mut matrix.spare_capacity_mut()[..count]);
        // SAFETY: so many values were written behind those that were there.
        unsafe { matrix.set_len(matrix.len() + count) };
    }

    /// Fills the room for some columns, one after another, from the `first` on: all of it is written.
    fn fill_from(&self, first: usize, matrix: &mut [MaybeUninit<f64>]) {
        if self.rows == 0 || matrix.is_empty() {
            return;
        }
        let width = matrix.len() / self.rows;
        // What the system has is asked only where it matters: a frame has many columns, and asking reads files.
        let threads = match width.min(matrix.len() / MANY) {
            0 | 1 => 1,
            worth => thread::available_parallelism().map_or(1, |most| worth.min(most.get())),
        };
        let each = width.div_ceil(threads);
        thread::scope(|scope| {
            for (part, own) in matrix.chunks_mut(each * self.rows).enumerate() {
                let first = first + part * each;
                match threads {
                    1 => self.fill_columns(first, own),
                    _ => drop(scope.spawn(move || self.fill_columns(first, own))),
                }
            }
        });
    }

    /// Fills some columns from the `first` on.
    fn fill_columns(&self, first: usize, matrix: &mut [MaybeUninit<f64>]) {
        let is_column = self.strides[0] == 8 && self.kind == Kind::F64;
        if is_column && self.address(0, 0).cast::<f64>().is_aligned() {
            for (at, column) in matrix.chunks_mut(self.rows).enumerate() {
                let from = self.address(0, first + at).cast::<f64>();
                // SAFETY: the buffer has so many elements of a column one after another, aligned as the first.
                unsafe { from.copy_to_nonoverlapping(column.as_mut_ptr().cast(), self.rows) };
            }
            return;
        }
        let by_row = self.strides[1].unsigned_abs() < self.strides[0].unsigned_abs();
        let wide = if by_row { TILE } else { 1 };
        for (tile, columns) in matrix.chunks_mut(wide * self.rows).enumerate() {
            for rows in (0..self.rows).step_by(TILE) {
                let end = self.rows.min(rows + TILE);
                for (at, column) in columns.chunks_mut(self.rows).enumerate() {
                    for (row, to) in column[rows..end].iter_mut().enumerate() {
                        let from = self.address(rows + row, first + tile * wide + at);
                        // SAFETY: row and column are within the shape that the buffer says it has.
                        to.write(unsafe { Self::number(self.kind, from) });
                    }
                }
            }
        }
    }

    /// All elements, one column after another.
    pub(crate) fn to_vec(&self) -> Vec<f64> {
        let mut numbers = Vec::new();
        self.append_to(&mut numbers);
        numbers
    }

    /// Whether whole numbers may be among them that 64-bit floating point rounds.
    pub(crate) fn is_rounded(&self) -> bool {
        matches!(self.kind, Kind::I64 | Kind::U64)
    }

    /// Elements that are indexes.
    pub(crate) fn indexes(&self) -> PyResult<Vec<usize>> {
        let is_index = |number: f64| {
            let index = number as usize;
            (index as f64 == number).then_some(index)
        };
        let indexes: Option<Vec<usize>> = self.to_vec().into_iter().map(is_index).collect();
        indexes.ok_or_else(|| PyValueError::new_err("an index is below 0"))
    }

    /// The columns with whole numbers that 64-bit floating point rounds, of which the first is the `first` of its table.
    pub(crate) fn rounded(&self, first: usize) -> Vec<RoundedColumn> {
        let whole = |row, column| {
            let at = self.address(row, column);
            // SAFETY: row and column are within the shape that the buffer says it has.
            let number: i128 = unsafe {
                match self.kind {
                    Kind::I64 => at.cast::<i64>().read_unaligned().into(),
                    _ => at.cast::<u64>().read_unaligned().into(),
                }
            };
            number
        };
        if !self.is_rounded() {
            return Vec::new();
        }
        let of_column = |column| {
            let mut numbers = (0..self.rows).map(|row| (row, whole(row, column)));
            let (row, number) = numbers.find(|(_, own)| *own as f64 as i128 != *own)?;
            Some(RoundedColumn {
                position: first + column,
                line: None,
                row: row + 1,
                number: number.to_string(),
            })
        };
        (0..self.width).filter_map(of_column).collect()
    }
}

impl fmt::Debug for Elements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = (self.kind, self.rows, self.width);
        f.debug_tuple("Elements").field(&shape).finish()
    }
}

/// An array whose columns stay where they are, where GPUs hold them.
impl ColumnReader for Elements {
    fn source(&self) -> &Path {
        &self.source
    }

    fn shape(&self) -> (usize, usize) {
        (self.rows, self.width)
    }

    fn read(&self, columns: Range<usize>, numbers: &mut [f64]) -> io::Result<()> {
        let own = &mut numbers[..columns.len() * self.rows];
        // SAFETY: of values that are there, which are written alone.
        let own = unsafe { &mut *(std::ptr::from_mut(own) as *mut [MaybeUninit<f64>]) };
        self.fill_from(columns.start, own);
        Ok(())
    }

    fn row(&self, row: usize) -> io::Result<Vec<f64>> {
        let number = |column| {
            // SAFETY: row and column are within the shape that the buffer says it has.
            unsafe { Self::number(self.kind, self.address(row, column)) }
        };
        Ok((0..self.width).map(number).collect())
    }
}
