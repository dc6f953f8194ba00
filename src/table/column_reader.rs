//! Columns of numbers that stay where they are, in a file or in memory that is not passel's, and are read when they are needed.

use std::{fmt, io, ops::Range, path::Path};

use super::suspicions;
use crate::{interrupt::Interrupt, threads::map_each};

/// Bytes of numbers that are read at a time: this part of all, within these bounds.
const BLOCKS: usize = 40;
const LEAST: usize = 1 << 25;
const MOST: usize = 1 << 27;

/// A matrix of numbers, which nobody changes while it is used.
pub trait ColumnReader: fmt::Debug + Send + Sync {
    /// What messages call it.
    fn source(&self) -> &Path;

    /// Observations and columns.
    fn shape(&self) -> (usize, usize);

    /// Reads some columns, by threads.
    ///
    /// *Shapes:* `numbers` gets n values of each, one column after another.
    ///
    /// # Errors
    /// They cannot be read, or were changed.
    fn read(&self, columns: Range<usize>, numbers: &mut [f64]) -> io::Result<()>;

    /// The values of one observation.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn row(&self, row: usize) -> io::Result<Vec<f64>>;

    /// Columns that are best read at a time.
    fn block(&self) -> usize {
        let (rows, width) = self.shape();
        let column = size_of::<f64>() * rows;
        let bytes = (column * width / BLOCKS).clamp(LEAST, MOST);
        (bytes / column).clamp(1, width)
    }
}

/// Whether no column misses a value, has an infinite one or one that seems to mean a missing one, or numbers the rows.
pub(crate) fn is_clean(columns: &dyn ColumnReader, interrupt: &Interrupt) -> bool {
    let (rows, width) = columns.shape();
    let mut numbers = vec![0.0; columns.block() * rows];
    let is_clean = |column: &[f64]| {
        let is_finite = column.iter().fold(true, |all, x| all & x.is_finite());
        is_finite && !suspicions::is_suspected(column)
    };
    (0..width).step_by(columns.block()).all(|start| {
        let block = start..width.min(start + columns.block());
        let own = &mut numbers[..block.len() * rows];
        let read = columns.read(block, own);
        let own = own.chunks(rows).collect();
        read.is_ok() && interrupt.check().is_ok() && !map_each(own, is_clean).contains(&false)
    })
}
