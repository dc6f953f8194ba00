//! The columns of the design matrix, as everything after it sees them.

use std::{io, ops::Range};

use serde::{Serialize, de::DeserializeOwned};

use super::elsewhere::Elsewhere;

/// The columns of the design matrix, n × p, column-major, each of unit norm.
///
/// Where ranks have some each, values are those of this one's; of the others' those that were
/// brought here.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'x> {
    values: &'x [f64],
    n: usize,
    elsewhere: Option<&'x Elsewhere>,
}

impl<'x> Columns<'x> {
    /// Columns of n observations each.
    ///
    /// # Panics
    /// If `values` is no whole number of columns.
    pub fn new(values: &'x [f64], n: usize) -> Self {
        assert!(n > 0 && values.len().is_multiple_of(n));
        Self {
            values,
            n,
            elsewhere: None,
        }
    }

    /// The same, of which others are elsewhere.
    pub(super) fn with(self, elsewhere: Option<&'x Elsewhere>) -> Self {
        Self { elsewhere, ..self }
    }

    /// Observations.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Variables.
    pub fn p(&self) -> usize {
        match self.elsewhere {
            Some(all) => all.p(),
            None => self.values.len() / self.n,
        }
    }

    /// The columns whose values are here: all, or this rank's.
    pub(crate) fn own(&self) -> Range<usize> {
        match self.elsewhere {
            Some(all) => all.own(),
            None => 0..self.p(),
        }
    }

    /// Whether other ranks have columns.
    pub(crate) fn is_part(&self) -> bool {
        self.elsewhere.is_some()
    }

    /// Column j, n values.
    ///
    /// # Panics
    /// If another rank has it, and it was not brought.
    #[inline(always)]
    pub fn column(&self, j: u32) -> &'x [f64] {
        match self.elsewhere {
            None => &self.values[j as usize * self.n..][..self.n],
            Some(all) => self.one_of(all, j),
        }
    }

    fn one_of(&self, all: &'x Elsewhere, j: u32) -> &'x [f64] {
        let own = all.own();
        match own.contains(&(j as usize)) {
            true => &self.values[(j as usize - own.start) * self.n..][..self.n],
            false => all.guest(j, self.n),
        }
    }

    /// Brings columns that other ranks have; all ranks ask for the same.
    ///
    /// # Errors
    /// A rank that failed or is gone.
    pub(crate) fn bring(&self, columns: impl IntoIterator<Item = u32>) -> io::Result<()> {
        match self.elsewhere {
            Some(all) => all.bring(columns.into_iter(), (self.n, self.values)),
            None => Ok(()),
        }
    }

    /// What every rank says of each of its columns, by column.
    ///
    /// # Errors
    /// A rank that failed or is gone.
    pub(crate) fn of_all<T: Serialize + DeserializeOwned>(
        &self,
        own: Vec<T>,
    ) -> io::Result<Vec<T>> {
        match self.elsewhere {
            Some(all) => all.of_all(&own),
            None => Ok(own),
        }
    }

    /// Some columns side by side, whose values are here.
    pub fn range(&self, columns: Range<usize>) -> Self {
        let first = self.own().start;
        let (start, end) = (columns.start - first, columns.end - first);
        Self::new(&self.values[start * self.n..end * self.n], self.n)
    }

    /// All values that are here, column after column.
    pub fn values(&self) -> &'x [f64] {
        self.values
    }
}
