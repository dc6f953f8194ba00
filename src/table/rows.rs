//! A transposition: rows that arrive value by value become columns.

use super::Column;
use super::growing::Growing;
use crate::memory::{MemoryCharge, MemoryError};
use crate::threads::{helpers, map_each};

/// Values of a block of rows: a megabyte, about a second-level cache.
const BLOCK_VALUES: usize = 1 << 17;
/// Values from which on threads share the columns.
const SHARED: usize = 1 << 18;
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
    columns: Vec<Vec<f64>>,
    /// Whether a column is kept.
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

    /// For rows in which only some columns are wanted; the others stay empty.
    pub(super) fn with_wanted(wanted: Vec<bool>, memory: Option<&'a MemoryCharge>) -> Self {
        let width = wanted.len();
        let rows = (BLOCK_VALUES / width).clamp(4, 4096);
        Self {
            width,
            block: Vec::new(),
            limit: rows * width,
            columns: vec![Vec::new(); width],
            wanted,
            done: 0,
            memory,
            refused: None,
        }
    }

    /// Makes room for so many rows in all.
    pub(super) fn reserve(&mut self, rows: usize) {
        let more = rows.saturating_sub(self.done);
        self.grow(more);
    }

    /// Makes room for more rows in the columns.
    fn grow(&mut self, more: usize) {
        let columns = self.columns.iter_mut().zip(&self.wanted);
        for (column, _) in columns.filter(|(_, wanted)| **wanted) {
            if let Err(error) = column.grow(more, self.memory, VALUES) {
                self.refused = Some(error);
                return;
            }
        }
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

    /// The columns, all of `count()` values; an incomplete last row is left out.
    ///
    /// # Errors
    /// There was no memory for some values.
    pub(super) fn into_columns(mut self) -> Result<Vec<Vec<f64>>, MemoryError> {
        self.flush();
        self.check()?;
        for column in &mut self.columns {
            // Moving a column costs more than a small surplus.
            if column.capacity() > column.len() + column.len() / 16 {
                column.shrink_to_fit();
            }
        }
        Ok(self.columns)
    }

    pub(super) fn into_named(self, names: Vec<String>) -> Result<Vec<Column>, MemoryError> {
        let columns = names.into_iter().zip(self.into_columns()?);
        Ok(columns.map(Column::from).collect())
    }

    fn flush(&mut self) {
        let block = std::mem::take(&mut self.block);
        self.take_rows(&block);
        self.block = block;
        self.block.clear();
    }

    /// Appends whole rows, behind those that were pushed; threads share the columns.
    ///
    /// *Shapes:* `width` values a row.
    pub(super) fn extend_rows(&mut self, rows: &[f64]) {
        self.flush();
        self.take_rows(rows);
    }

    fn take_rows(&mut self, block: &[f64]) {
        let (width, count) = (self.width, block.len() / self.width);
        if self.refused.is_none() {
            self.grow(count);
        }
        if self.refused.is_some() {
            return;
        }
        let each = match block.len() < SHARED {
            true => width,
            false => width.div_ceil(helpers()).next_multiple_of(TILE),
        };
        let columns = self.columns.chunks_mut(each).zip(self.wanted.chunks(each));
        let parts = columns.enumerate().collect();
        map_each(parts, |(at, (columns, wanted))| {
            transpose((block, width), at * each, columns, wanted);
        });
        self.done += count;
    }
}

/// Appends the values of rows to some columns, from `from` on, that are wanted.
fn transpose(
    (block, width): (&[f64], usize),
    from: usize,
    columns: &mut [Vec<f64>],
    wanted: &[bool],
) {
    let mut tile = [[0.0; TILE]; TILE_ROWS];
    for rows in block.chunks(TILE_ROWS * width) {
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
                if wanted[position * TILE + place] {
                    column.extend((0..count).map(|row| tile[row][place]));
                }
            }
        }
    }
}
