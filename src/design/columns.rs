//! The columns of the design matrix, as everything after it sees them.

use std::ops::Range;

/// The columns of the design matrix, n × p, column-major, each of unit norm.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'x> {
    values: &'x [f64],
    n: usize,
}

impl<'x> Columns<'x> {
    /// Columns of n observations each.
    ///
    /// # Panics
    /// If `values` is no whole number of columns.
    pub fn new(values: &'x [f64], n: usize) -> Self {
        assert!(n > 0 && values.len().is_multiple_of(n));
        Self { values, n }
    }

    /// Observations.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Variables.
    pub fn p(&self) -> usize {
        self.values.len() / self.n
    }

    /// Column j, n values.
    #[inline(always)]
    pub fn column(&self, j: u32) -> &'x [f64] {
        &self.values[j as usize * self.n..][..self.n]
    }

    /// Some columns side by side.
    pub fn range(&self, columns: Range<usize>) -> Self {
        Self {
            values: &self.values[columns.start * self.n..columns.end * self.n],
            n: self.n,
        }
    }

    /// All values, column after column.
    pub fn values(&self) -> &'x [f64] {
        self.values
    }
}
