//! Columns of numbers that stay where they are, in a file or in memory that is not passel's, and are read when they are needed.

use std::{fmt, io, ops::Range, path::Path};

use super::suspicions;
use crate::{interrupt::Interrupt, threads::map_each};

/// Bytes of numbers that are read at a time: this part of all, within these bounds.
const BLOCKS: usize = 40;
const LEAST: usize = 1 << 25;
const MOST: usize = 1 << 27;

/// Mean and norm of a column; none of a constant.
pub type Scale = Option<(f64, f64)>;

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

    /// Mean and norm of some columns, as a design has them, none of a constant; `None` where it is for the host to find them.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn scales(&self, _places: &[usize], _intercept: bool) -> io::Result<Option<Vec<Scale>>> {
        Ok(None)
    }

    /// The columns of which something may have to be told; `None` where all may be.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn suspects(&self) -> io::Result<Option<Vec<usize>>> {
        Ok(None)
    }

    /// Writes some columns at unit norm, one after another, to an address on the GPU of this ordinal, which has room for
    /// them; false where it cannot, so that the host does it.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn lay_out(
        &self,
        _ordinal: usize,
        _places: &[usize],
        _intercept: bool,
        _address: u64,
    ) -> io::Result<bool> {
        Ok(false)
    }

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
    let Ok(suspects) = columns.suspects() else {
        return false;
    };
    let may_be = |block: &Range<usize>| match &suspects {
        Some(suspects) => suspects.iter().any(|column| block.contains(column)),
        None => true,
    };
    let blocks = (0..width).step_by(columns.block());
    let blocks = blocks.map(|start| start..width.min(start + columns.block()));
    blocks.filter(may_be).all(|block| {
        let own = &mut numbers[..block.len() * rows];
        let read = columns.read(block, own);
        let own = own.chunks(rows).collect();
        read.is_ok() && interrupt.check().is_ok() && !map_each(own, is_clean).contains(&false)
    })
}
