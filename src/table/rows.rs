//! A transposition: rows that arrive value by value become columns.

use super::Column;
use super::numbers::{NumberColumns, Numbers};
use crate::memory::{MemoryCharge, MemoryError};
use crate::threads::{helpers, map_each, piece};

/// Values of a block of rows: a megabyte, about a second-level cache.
const BLOCK_VALUES: usize = piece(1 << 17);
/// Values from which on threads share the columns.
const SHARED: usize = piece(1 << 18);
/// Columns written side by side: the values of one cache line.
const TILE: usize = 8;
/// Rows copied at a time, side by side, before they are written column by column: in place,
/// rows of some widths would all compete for the same few lines of the cache.
const TILE_ROWS: usize = 64;

/// Collects values row by row and turns them, a block of rows at a time, into columns.
///
/// Straight to the columns, each value would touch a cache line of its own. A block is read
/// once, a cache line at a time, and each column receives its values of the block together.
pub(super) struct RowBuffer<'a> {
    width: usize,
    /// Row-major, at most `limit` values.
    block: Vec<f64>,
    limit: usize,
    /// Those that are wanted.
    columns: NumberColumns,
    /// Whether a column is wanted.
    wanted: Vec<bool>,
    /// Rows that were moved to the columns.
    done: usize,
    memory: Option<&'a MemoryCharge>,
    /// Why the columns could not take their values: then they take no more.
    refused: Option<MemoryError>,
}

/// What the memory of columns is for.
const VALUES: &str = "its values";

impl<'a> RowBuffer<'a> {
    /// For rows of `width` values; `width` is positive.
    pub(super) fn new(width: usize, memory: Option<&'a MemoryCharge>) -> Self {
        Self::with_wanted(vec![true; width], memory)
    }

    /// For rows in which only some columns are wanted; the others have no values.
    pub(super) fn with_wanted(wanted: Vec<bool>, memory: Option<&'a MemoryCharge>) -> Self {
        let count = wanted.iter().filter(|wanted| **wanted).count();
        Self::of(NumberColumns::new(count), wanted, memory)
    }

    /// For rows whose values become these columns, one for each that is wanted.
    pub(super) fn of(
        columns: NumberColumns,
        wanted: Vec<bool>,
        memory: Option<&'a MemoryCharge>,
    ) -> Self {
        let width = wanted.len();
        let rows = (BLOCK_VALUES / width).clamp(4, 4096);
        Self {
            width,
            block: Vec::new(),
            limit: rows * width,
            columns,
            wanted,
            done: 0,
            memory,
            refused: None,
        }
    }

    /// Makes room for so many rows in all.
    pub(super) fn reserve(&mut self, rows: usize) {
        let grown = self.columns.grow(rows, self.done, self.memory, VALUES);
        self.refused = grown.err();
    }

    /// Whether the columns have taken all values.
    ///
    /// # Errors
    /// There was no memory for some.
    pub(super) fn check(&mut self) -> Result<(), MemoryError> {
        self.refused.take().map_or(Ok(()), Err)
    }

    /// Appends the next value of the current row.
    #[inline]
    pub(super) fn push(&mut self, value: f64) {
        if self.block.len() == self.limit {
            self.flush();
        }
        self.block.push(value);
    }

    pub(super) fn count(&self) -> usize {
        self.done + self.block.len() / self.width
    }

    /// Only those that are wanted.
    pub(super) fn finish(mut self) -> NumberColumns {
        self.flush();
        self.columns
    }

    /// The columns, all of `count()` values; one that is not wanted has none, and an incomplete last row is left out.
    ///
    /// # Errors
    /// There was no memory for some values.
    pub(super) fn into_columns(mut self) -> Result<Vec<Numbers>, MemoryError> {
        self.flush();
        self.check()?;
        let mut columns = self.columns.finish(self.done).into_iter();
        let mut column = |wanted| if wanted { columns.next() } else { None };
        let wanted = self.wanted.into_iter();
        Ok(wanted
            .map(|wanted| column(wanted).unwrap_or_default())
            .collect())
    }

    pub(super) fn into_named(self, names: Vec<String>) -> Result<Vec<Column>, MemoryError> {
        let columns = names.into_iter().zip(self.into_columns()?);
        Ok(columns.map(Column::from).collect())
    }

    fn flush(&mut self) {
        let block = std::mem::take(&mut self.block);
        self.take_rows(&[&block]);
        self.block = block;
        self.block.clear();
    }

    /// Appends blocks of whole rows, behind those that were pushed; threads share the columns.
    ///
    /// *Shapes:* `width` values a row.
    pub(super) fn extend_rows(&mut self, blocks: &[Vec<f64>]) {
        self.flush();
        let blocks: Vec<&[f64]> = blocks.iter().map(Vec::as_slice).collect();
        self.take_rows(&blocks);
    }

    fn take_rows(&mut self, blocks: &[&[f64]]) {
        let (width, done) = (self.width, self.done);
        let values: usize = blocks.iter().map(|block| block.len()).sum();
        let rows = done
            + blocks
                .iter()
                .map(|block| block.len() / width)
                .sum::<usize>();
        if self.refused.is_none() && rows > self.columns.room() {
            self.reserve(rows.max(done + done / 2));
        }
        if self.refused.is_some() {
            return;
        }
        let each = match values < SHARED {
            true => width,
            false => width.div_ceil(helpers()).next_multiple_of(TILE),
        };
        let mut columns = self.columns.columns_mut();
        let own = |wanted: &bool| {
            let column = wanted.then(|| columns.next()).flatten();
            column.map(|column| &mut column[done..rows])
        };
        let mut columns: Vec<Option<&mut [f64]>> = self.wanted.iter().map(own).collect();
        let parts = columns.chunks_mut(each).enumerate().collect();
        map_each(parts, |(at, columns)| {
            let mut start = 0;
            for block in blocks {
                transpose((block, width), at * each, columns, start);
                start += block.len() / width;
            }
        });
        self.done = rows;
    }
}

/// Writes the values of rows to the columns, from `from` on, that are wanted, beginning at a row of these.
fn transpose(
    (block, width): (&[f64], usize),
    from: usize,
    columns: &mut [Option<&mut [f64]>],
    first_row: usize,
) {
    let mut tile = [[0.0; TILE]; TILE_ROWS];
    for (start, rows) in (first_row..)
        .step_by(TILE_ROWS)
        .zip(block.chunks(TILE_ROWS * width))
    {
        let count = rows.len() / width;
        for (position, columns) in columns.chunks_mut(TILE).enumerate() {
            let first = from + position * TILE;
            for (part, row) in tile.iter_mut().zip(rows.chunks_exact(width)) {
                // A copy of known length is one instruction, not a call.
                match row[first..].first_chunk() {
                    Some(values) => *part = *values,
                    None => part[..columns.len()].copy_from_slice(&row[first..]),
                }
            }
            for (place, column) in columns.iter_mut().enumerate() {
                if let Some(column) = column {
                    let own = column[start..][..count].iter_mut().zip(&tile);
                    own.for_each(|(own, row)| *own = row[place]);
                }
            }
        }
    }
}
