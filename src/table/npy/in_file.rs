//! Large arrays whose columns stay in their file, from where they are read again whenever they are needed.

use std::{
    fmt,
    fs::File,
    io,
    ops::{Range, RangeInclusive},
    panic::AssertUnwindSafe,
    path::{Path, PathBuf},
    time::SystemTime,
};

use npyz::{DType, Order};

use super::{
    super::{
        Column, ColumnPartition, ColumnReader, ReadOptions, Table, Values, column_reader::is_clean,
        format::Input, is_npy, names, source::is_gzip,
    },
    Array,
    at_once::{Elements, Kind},
    elements::Decode,
    response_name,
};
use crate::{
    interrupt::Interrupt,
    threads::{helpers, map_each},
};

/// Fewest bytes of a row that are worth a call of the system.
const FEWEST: usize = 1 << 12;

/// The columns of an array, which were looked at once, hold nothing that a user must know of, and stayed in their file.
pub(crate) struct ArrayInFile {
    path: PathBuf,
    file: File,
    /// Where the elements begin.
    start: u64,
    dtype: DType,
    /// It keeps nothing between calls, one that panics included.
    decode: AssertUnwindSafe<Decode>,
    /// Bytes of an element.
    size: usize,
    order: Order,
    rows: usize,
    width: usize,
    /// Length and time of the last change of the file.
    state: (u64, Option<SystemTime>),
}

/// An array of at least so many columns, of so many bytes of numbers, whose columns stay in its file, with the table that lacks them, of the response that
/// the options name. None of any other data, of an array by rows that has many but few columns, and of columns that miss values or that
/// a warning or an error is to tell of: these are to be [read](super::read).
pub(crate) fn left_in_file(
    path: &Path,
    options: &ReadOptions,
    (fewest, bytes): (usize, RangeInclusive<u64>),
) -> Option<(Table, ArrayInFile)> {
    if !is_npy(path) || is_gzip(path) {
        return None;
    }
    let response = options.response?;
    let array = ArrayInFile::open(path, options)?;
    let all = array.rows.checked_mul(array.width)?.checked_mul(8)?;
    let is_quick = match array.order {
        Order::C => array.size * array.block() >= FEWEST || array.block() == array.width,
        Order::Fortran => true,
    };
    if array.width < fewest || !bytes.contains(&(all as u64)) || !is_quick {
        return None;
    }
    let second = Array::open(Path::new(response), options).ok()?;
    let length = array.rows as u64;
    if !matches!(*second.header.shape(), [rows] | [rows, 1] if rows == length) {
        return None;
    }
    let name = response_name(response).ok()?;
    let own = second.columns((length, 1), |_| name.clone(), |_| true, options.memory);
    let (last, rounded) = own.ok()?;
    let interrupt = options.interrupt.cloned().unwrap_or_default();
    if !rounded.is_empty() || !is_clean(&array, &interrupt) {
        return None;
    }
    let remote = |at| Column::from((names::variable(at), Values::Remote));
    let mut columns: Vec<Column> = (0..array.width).map(remote).collect();
    columns.extend(last);
    let input = Input {
        path,
        options,
        partition: &ColumnPartition::default(),
    };
    let table = input.table(columns, Some(array.width)).ok()?;
    let is_suspected = !table.suspicions(|_| false).is_empty();
    (!is_suspected).then_some((table, array))
}

impl ArrayInFile {
    fn open(path: &Path, options: &ReadOptions) -> Option<Self> {
        let array = Array::open(path, options).ok()?;
        let &[rows, width] = array.header.shape() else {
            return None;
        };
        let (rows, width) = (usize::try_from(rows).ok()?, usize::try_from(width).ok()?);
        let (file, start, _) = array.source.file()?;
        let file = file.try_clone().ok()?;
        let state = state_of(&file).ok()?;
        let bytes = rows.checked_mul(width)?.checked_mul(array.element_bytes)?;
        let is_there = start.checked_add(bytes as u64)? <= state.0;
        // Of numbers that may be rounded a message shows the text.
        let is_plain = is_there && rows > 0 && width > 0 && array.find_rounded.is_none();
        is_plain.then(|| Self {
            path: path.to_owned(),
            file,
            start,
            size: array.element_bytes,
            order: array.header.order(),
            rows,
            width,
            state,
            dtype: array.header.dtype(),
            decode: AssertUnwindSafe(array.decode),
        })
    }

    fn read_heeding(
        &self,
        columns: Range<usize>,
        numbers: &mut [f64],
        interrupt: &Interrupt,
    ) -> io::Result<()> {
        let elements = self.elements(interrupt);
        elements.fill_columns(columns, self.order, numbers)?;
        self.refuse_changed()
    }

    fn refuse_changed(&self) -> io::Result<()> {
        match state_of(&self.file)? == self.state {
            true => Ok(()),
            false => Err(io::Error::other("changed while it was in use")),
        }
    }

    fn elements<'a>(&'a self, interrupt: &'a Interrupt) -> Elements<'a> {
        Elements {
            file: &self.file,
            start: self.start,
            interrupt,
            kind: Kind::of(&self.dtype, &self.decode, None),
            size: self.size,
            rows: self.rows,
            width: self.width,
        }
    }
}

impl ColumnReader for ArrayInFile {
    fn source(&self) -> &Path {
        &self.path
    }

    fn shape(&self) -> (usize, usize) {
        (self.rows, self.width)
    }

    fn read(&self, columns: Range<usize>, numbers: &mut [f64]) -> io::Result<()> {
        self.read_heeding(columns, numbers, &Interrupt::default())
    }

    fn row(&self, row: usize) -> io::Result<Vec<f64>> {
        let interrupt = Interrupt::default();
        let elements = self.elements(&interrupt);
        let mut numbers = vec![0.0; self.width];
        match self.order {
            Order::C => elements.fill(row * self.width, &mut numbers)?,
            Order::Fortran => {
                let each = self.width.div_ceil(helpers());
                let parts = numbers.chunks_mut(each).enumerate().collect();
                let read = map_each(parts, |(part, numbers): (usize, &mut [f64])| {
                    let columns = part * each..part * each + numbers.len();
                    let mut own = columns.zip(numbers.chunks_mut(1));
                    own.try_for_each(|(j, number)| elements.fill(j * self.rows + row, number))
                });
                read.into_iter().collect::<Result<(), _>>()?;
            }
        }
        self.refuse_changed()?;
        Ok(numbers)
    }
}

fn state_of(file: &File) -> io::Result<(u64, Option<SystemTime>)> {
    let facts = file.metadata()?;
    Ok((facts.len(), facts.modified().ok()))
}

impl fmt::Debug for ArrayInFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = (self.rows, self.width);
        f.debug_tuple("ArrayInFile")
            .field(&self.path)
            .field(&shape)
            .finish()
    }
}
