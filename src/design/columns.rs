//! The columns of the design matrix, as everything after it sees them.

mod genotypes;

use std::{borrow::Cow, io, ops::Range};

use serde::{Serialize, de::DeserializeOwned};

use super::{in_file::ColumnsInFile, packed::PackedColumns, remote::RemoteColumns, terms::Terms};
use crate::{family::Likelihood, memory::MemoryBudget};

/// The columns of the design matrix, each of unit norm.
///
/// With one process all columns are local. Where the ranks of a communicator partition them, each
/// process holds the values of its own range, and those of remote columns that were
/// fetched. Of columns that stay in their file, and of genotypes, which stay at two bits, it holds those that were asked
/// for one by one.
///
/// *Shapes:* n × p, column-major, in host memory.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'x> {
    values: &'x [f64],
    n: usize,
    /// How ranks partition the columns, if they do: all that is said of values is then of this rank's.
    remote: Option<&'x RemoteColumns>,
    elsewhere: Option<Elsewhere<'x>>,
    terms: Option<&'x Terms>,
    likelihood: Option<&'x Likelihood>,
}

/// Where columns are whose values are not all in memory.
#[derive(Debug, Clone, Copy)]
enum Elsewhere<'x> {
    /// In a file: a range, by its first column and its length.
    File(&'x ColumnsInFile, (usize, usize)),
    /// At two bits, behind those whose values are in memory: a range of all, by its first column and its length.
    Packed(&'x PackedColumns, (usize, usize)),
}

impl<'x> Columns<'x> {
    /// Views `values` as local columns of `n` observations each.
    ///
    /// # Panics
    /// If `n` is 0 or `values` is no whole number of columns.
    pub fn new(values: &'x [f64], n: usize) -> Self {
        assert!(n > 0 && values.len().is_multiple_of(n));
        Self {
            values,
            n,
            remote: None,
            elsewhere: None,
            terms: None,
            likelihood: None,
        }
    }

    pub(super) fn with_remote(self, remote: Option<&'x RemoteColumns>) -> Self {
        Self { remote, ..self }
    }

    pub(super) fn with_file(self, file: Option<&'x ColumnsInFile>) -> Self {
        let in_file = file.map(|file| Elsewhere::File(file, (0, file.p())));
        let elsewhere = in_file.or(self.elsewhere);
        Self { elsewhere, ..self }
    }

    pub(super) fn with_packed(self, packed: Option<&'x PackedColumns>) -> Self {
        let all = self.values.len() / self.n;
        let packed = packed.map(|packed| Elsewhere::Packed(packed, (0, all + packed.p())));
        let elsewhere = packed.or(self.elsewhere);
        Self { elsewhere, ..self }
    }

    pub(crate) fn with_terms(self, terms: Option<&'x Terms>) -> Self {
        Self { terms, ..self }
    }

    /// Columns of models that are fitted by this likelihood; without one, by least squares.
    pub fn with_likelihood(self, likelihood: Option<&'x Likelihood>) -> Self {
        Self { likelihood, ..self }
    }

    /// What models of these columns are fitted by, where it is not least squares.
    pub fn likelihood(&self) -> Option<&'x Likelihood> {
        self.likelihood
    }

    /// The terms, where some have several columns; otherwise each column is a term.
    pub fn terms(&self) -> Option<&'x Terms> {
        self.terms
    }

    /// The number of terms.
    pub fn term_count(&self) -> usize {
        self.terms.map_or(self.p(), Terms::count)
    }

    /// The columns of a term.
    pub fn columns_of(&self, term: u32) -> Range<u32> {
        self.terms
            .map_or(term..term + 1, |terms| terms.columns(term))
    }

    /// The number of columns of some terms.
    pub(crate) fn width_of(&self, terms: &[u32]) -> usize {
        let widths = terms.iter().map(|term| self.columns_of(*term).len());
        widths.sum()
    }

    /// See [`Terms::block_work`]; none where each column is a term.
    pub(crate) fn block_work(&self) -> u64 {
        self.terms.map_or(0, Terms::block_work)
    }

    /// The term of a column.
    pub fn term_of(&self, column: u32) -> u32 {
        self.terms.map_or(column, |terms| terms.of(column))
    }

    /// Whether a model (in any order) may lose a term of its own and none else, by the hierarchy of the terms.
    pub(crate) fn may_leave(&self, term: u32, model: &[u32]) -> bool {
        self.terms.is_none_or(|terms| terms.may_leave(term, model))
    }

    /// A column of those that are orthonormal within each term and span the same, as
    /// [`Terms::orthonormalise`] makes products of.
    pub(crate) fn orthonormal_column(&self, column: u32) -> Cow<'x, [f64]> {
        let combination = self.terms.and_then(|terms| terms.combination(column));
        let Some((first, combination)) = combination else {
            return Cow::Borrowed(self.column(column));
        };
        let mut sum = vec![0.0; self.n];
        for (own, t) in (first..).zip(combination) {
            for (sum, x) in sum.iter_mut().zip(self.column(own)) {
                *sum += t * x;
            }
        }
        Cow::Owned(sum)
    }

    /// The terms of a model (in any order) that may not stand there without one of its terms.
    pub(crate) fn standing_on(&self, term: u32, model: &[u32]) -> Vec<u32> {
        self.terms
            .map_or_else(Vec::new, |terms| terms.standing_on(term, model))
    }

    /// Observations.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Variables, those of other ranks included.
    pub fn p(&self) -> usize {
        match (self.remote, self.elsewhere) {
            (Some(remote), _) => remote.p(),
            (_, Some(Elsewhere::File(_, (_, count)) | Elsewhere::Packed(_, (_, count)))) => count,
            (None, None) => self.values.len() / self.n,
        }
    }

    /// The range of columns whose values this process holds from the start, or has in a file: all of them, or its
    /// rank's part.
    pub(crate) fn local(&self) -> Range<usize> {
        match self.remote {
            Some(remote) => remote.local(),
            None => 0..self.p(),
        }
    }

    pub(crate) fn is_partitioned(&self) -> bool {
        self.remote.is_some()
    }

    /// The file in which the columns stay, if they do, and the first of these there.
    pub(crate) fn in_file(&self) -> Option<(&'x ColumnsInFile, usize)> {
        match self.elsewhere {
            Some(Elsewhere::File(file, (first, _))) => Some((file, first)),
            _ => None,
        }
    }

    /// The n values of column `j`.
    ///
    /// # Panics
    /// If another rank holds the column and it was not fetched; if it stayed in a file that cannot be read.
    #[inline(always)]
    pub fn column(&self, j: u32) -> &'x [f64] {
        match (self.remote, self.elsewhere) {
            (None, None) => &self.values[j as usize * self.n..][..self.n],
            (_, Some(Elsewhere::File(file, (first, _)))) => file.column(first as u32 + j),
            _ => self.unpacked_or_fetched(j),
        }
    }

    fn unpacked_or_fetched(&self, j: u32) -> &'x [f64] {
        if let Some(genotypes) = self.genotypes_of(j) {
            return self.whole_column(j).unwrap_or_else(|| genotypes.column());
        }
        match (self.remote, self.local_place(j)) {
            (Some(remote), None) => remote.fetched(j, self.n),
            (_, place) => self.dense(place.unwrap_or_default()).unwrap_or_default(),
        }
    }

    /// Columns whose values are in memory from the start.
    fn dense_count(&self) -> usize {
        self.values.len() / self.n
    }

    /// The values of one of them, by its place among all columns.
    fn dense(&self, place: usize) -> Option<&'x [f64]> {
        self.values.get(place * self.n..(place + 1) * self.n)
    }

    /// The place of a column among those of this process; none of a column of another rank.
    fn local_place(&self, j: u32) -> Option<usize> {
        let first = match self.elsewhere {
            Some(Elsewhere::File(_, (first, _)) | Elsewhere::Packed(_, (first, _))) => first,
            None => 0,
        };
        let local = self.local();
        local
            .contains(&(j as usize))
            .then(|| first + j as usize - local.start)
    }

    /// Broadcasts remote columns to every rank, and brings those that stayed in a file into memory. This is a
    /// collective call: all ranks ask for the same columns.
    pub(crate) fn fetch(&self, columns: impl IntoIterator<Item = u32>) -> io::Result<()> {
        let columns = columns.into_iter();
        match (self.remote, self.elsewhere) {
            (Some(remote), Some(Elsewhere::Packed(packed, _))) => {
                remote.fetch(columns, (self.n, self.values), Some(packed))
            }
            (Some(remote), _) => remote.fetch(columns, (self.n, self.values), None),
            (None, Some(Elsewhere::File(file, (first, _)))) => {
                file.fetch(columns.map(|j| first as u32 + j))
            }
            (None, _) => Ok(()),
        }
    }

    /// The same columns with their values in memory, those that stay in a file or at two bits charged to a budget.
    ///
    /// # Errors
    /// The file cannot be read, or was changed; no memory for them.
    pub(crate) fn in_memory(self, memory: &MemoryBudget) -> io::Result<Self> {
        let (all, first, count) = match self.elsewhere {
            Some(Elsewhere::File(file, (first, count))) => (file.whole(memory)?, first, count),
            Some(Elsewhere::Packed(packed, (first, count))) => {
                (packed.whole(self.values, memory)?, first, count)
            }
            _ => return Ok(self),
        };
        let values = &all[first * self.n..(first + count) * self.n];
        Ok(Self {
            values,
            elsewhere: None,
            ..self
        })
    }

    /// Gathers one value per column from the ranks that hold the columns, in the order of the
    /// columns.
    pub(crate) fn gather<T: Serialize + DeserializeOwned>(
        &self,
        local: Vec<T>,
    ) -> io::Result<Vec<T>> {
        match self.remote {
            Some(remote) => {
                let gathered = remote.communicator.gather(&local)?;
                Ok(gathered.into_iter().flatten().collect())
            }
            None => Ok(local),
        }
    }

    /// A view of some neighbouring local columns.
    ///
    /// # Panics
    /// If a column of the range is not local.
    pub fn range(&self, columns: Range<usize>) -> Self {
        if let Some((file, first)) = self.in_file() {
            let own = (first + columns.start, columns.len());
            return Self {
                elsewhere: Some(Elsewhere::File(file, own)),
                ..Self::new(&[], self.n)
            };
        }
        if let Some(Elsewhere::Packed(packed, (first, _))) = self.elsewhere {
            let own = (first + columns.start - self.local().start, columns.len());
            return Self {
                elsewhere: Some(Elsewhere::Packed(packed, own)),
                ..Self::new(self.values, self.n)
            };
        }
        let first = self.local().start;
        let (start, end) = (columns.start - first, columns.end - first);
        Self::new(&self.values[start * self.n..end * self.n], self.n)
    }

    /// The values of all local columns, one column after another; none of columns that stay in a file or at two bits.
    pub fn values(&self) -> &'x [f64] {
        match self.is_unpacked() {
            true => self.values,
            false => &[],
        }
    }
}
