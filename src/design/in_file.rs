//! Columns that stay in the file of their table: each is brought to unit norm whenever it is read.

use std::{
    io,
    ops::Range,
    panic::AssertUnwindSafe,
    path::Path,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    thread,
};

use thiserror::Error;

use super::{Variable, builder::is_copy, fetched::FetchedColumns, standardise::standardise};
use crate::{
    memory::{MemoryBudget, MemoryCharge, MemoryError, zeros},
    table::{ColumnReader, Scale},
    threads::{helpers, map_each, with_helpers},
};

/// A file in which columns stay, and that cannot be read.
#[derive(Debug, Error)]
#[error("{path}: {source}")]
pub(crate) struct UnreadColumns {
    path: String,
    source: io::Error,
}

/// The columns of a design that stay in a file, with copies of those that models have needed.
#[derive(Debug)]
pub(crate) struct ColumnsInFile {
    /// It keeps nothing between calls, one that panics included.
    array: AssertUnwindSafe<Arc<dyn ColumnReader>>,
    n: usize,
    intercept: bool,
    /// Of each column its place in the array, ascending.
    pub(super) places: Vec<usize>,
    fetched: FetchedColumns,
    whole: OnceLock<(Vec<f64>, MemoryCharge)>,
    /// Held while all are read: GPUs that have no room for their parts ask at the same time.
    reading: Mutex<()>,
}

impl ColumnsInFile {
    pub(super) fn new(array: Arc<dyn ColumnReader>, n: usize, intercept: bool) -> Self {
        Self {
            array: AssertUnwindSafe(array),
            n,
            intercept,
            places: Vec::new(),
            fetched: FetchedColumns::default(),
            whole: OnceLock::new(),
            reading: Mutex::default(),
        }
    }

    /// Makes room for copies: the columns are as many as they stay.
    pub(super) fn finish(self) -> Self {
        Self {
            fetched: FetchedColumns::new(self.places.len()),
            ..self
        }
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        self.array.source()
    }

    fn unread(&self, source: io::Error) -> io::Error {
        let path = self.array.source().display().to_string();
        io::Error::other(UnreadColumns { path, source })
    }

    pub(super) fn p(&self) -> usize {
        self.places.len()
    }

    /// Writes columns to an address of a GPU, if they lie there in another form.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(crate) fn lay_out(
        &self,
        ordinal: usize,
        columns: Range<usize>,
        address: u64,
    ) -> io::Result<bool> {
        let places = &self.places[columns];
        let laid = self.array.lay_out(ordinal, places, self.intercept, address);
        laid.map_err(|error| self.unread(error))
    }

    /// Columns in ranges of those that are read at a time.
    pub(crate) fn blocks(&self, columns: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let (mut next, end, block) = (columns.start, columns.end, self.array.block());
        std::iter::from_fn(move || {
            let start = next;
            let first = *self.places[..end].get(start)?;
            let own = self.places[start..end].iter();
            next += own.take_while(|place| **place < first + block).count();
            Some(start..next)
        })
    }

    /// Values of the columns of a block, and of those between them in the file.
    pub(crate) fn block_values(&self) -> usize {
        self.array.block() * self.n
    }

    /// Reads the columns of a block, by threads.
    ///
    /// *Shapes:* `numbers` has [room for a block](Self::block_values), and begins with n values of each column.
    ///
    /// # Errors
    /// The file cannot be read, or was changed.
    pub(crate) fn read(&self, columns: Range<usize>, numbers: &mut [f64]) -> io::Result<()> {
        self.read_raw(columns.clone(), numbers)?;
        let own = numbers.chunks_mut(self.n).take(columns.len());
        map_each(own.collect(), |column| {
            standardise(column, self.intercept, None);
        });
        Ok(())
    }

    /// The same as the file has them.
    fn read_raw(&self, columns: Range<usize>, numbers: &mut [f64]) -> io::Result<()> {
        let Some((first, last)) = self.places[columns.clone()]
            .first()
            .zip(self.places[columns.clone()].last())
        else {
            return Ok(());
        };
        let there = *first..last + 1;
        let read = self
            .array
            .read(there.clone(), &mut numbers[..there.len() * self.n]);
        read.map_err(|error| self.unread(error))?;
        for (to, place) in self.places[columns].iter().enumerate() {
            let from = (place - first) * self.n;
            numbers.copy_within(from..from + self.n, to * self.n);
        }
        Ok(())
    }

    /// Mean and norm of each, if what holds them finds these.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(super) fn scales(&self) -> io::Result<Option<Vec<Scale>>> {
        self.array.scales(&self.places, self.intercept)
    }

    /// What a function makes of each of some columns as the file has it, which it may change, by threads.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(super) fn map_raw<T: Send>(
        &self,
        columns: Range<usize>,
        of: impl Fn(&mut [f64]) -> io::Result<T> + Send + Sync,
    ) -> io::Result<Vec<T>> {
        let mut all = Vec::with_capacity(columns.len());
        let mut numbers = Vec::new();
        for columns in self.blocks(columns) {
            // Those between them in the file are read too.
            let there = self.places[columns.end - 1] + 1 - self.places[columns.start];
            numbers.resize(there.max(numbers.len() / self.n) * self.n, 0.0);
            self.read_raw(columns.clone(), &mut numbers)?;
            let own = numbers.chunks_mut(self.n).take(columns.len());
            for one in map_each(own.collect(), &of) {
                all.push(one?);
            }
        }
        Ok(all)
    }

    /// The first column that is y up to scale, which has unit norm. By the value that is largest in y all but those within
    /// `width` of it are told apart from y without being read.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(super) fn copy_of(
        &self,
        y: &[f64],
        largest: usize,
        width: f64,
        variables: &[Variable],
    ) -> io::Result<Option<usize>> {
        let row = self.array.row(largest);
        let row = row.map_err(|error| self.unread(error))?;
        let own = self.places.iter().zip(variables).enumerate();
        let may_be = own.filter(|(_, (place, variable))| {
            let Variable { mean, norm, .. } = variable;
            let rounded = 8.0 * f64::EPSILON * (row[**place].abs() + mean.abs()) / norm;
            let value = (row[**place] - mean) / norm;
            (value.abs() - y[largest].abs()).abs() <= width + rounded
        });
        for (j, _) in may_be {
            let mut values = vec![0.0; self.n];
            self.read(j..j + 1, &mut values)?;
            if is_copy(&values, y) {
                return Ok(Some(j));
            }
        }
        Ok(None)
    }

    /// All columns, which are here from now on, charged to a budget.
    ///
    /// # Errors
    /// As [`read`](Self::read); no memory for them.
    pub(super) fn whole(&self, memory: &MemoryBudget) -> io::Result<&[f64]> {
        let threads = helpers();
        // By threads of its own: one of a pool would meanwhile take up another GPU's part, which waits for this one.
        thread::scope(|scope| {
            let reading = scope.spawn(|| with_helpers(threads, || self.read_whole(memory)));
            let stopped = |_| Err(io::Error::other("the thread that reads them stopped"));
            reading.join().unwrap_or_else(stopped)
        })
    }

    fn read_whole(&self, memory: &MemoryBudget) -> io::Result<&[f64]> {
        let reading = self.reading.lock();
        let _reading = reading.unwrap_or_else(PoisonError::into_inner);
        if let Some((all, _)) = self.whole.get() {
            return Ok(all);
        }
        let (what, size) = ("the design matrix", self.p() * self.n);
        let bytes = 8 * size as u64;
        let charge = memory.take(bytes, what).map_err(io::Error::other)?;
        let refused = || io::Error::other(MemoryError::refused(bytes, what));
        let mut all = zeros(size).ok_or_else(refused)?;
        let mut numbers = vec![0.0; self.block_values()];
        for columns in self.blocks(0..self.p()) {
            self.read(columns.clone(), &mut numbers)?;
            let own = &numbers[..columns.len() * self.n];
            all[columns.start * self.n..columns.end * self.n].copy_from_slice(own);
        }
        Ok(&self.whole.get_or_init(|| (all, charge)).0)
    }

    /// Whether a copy of a column is here.
    pub(crate) fn has(&self, j: u32) -> bool {
        self.whole.get().is_some() || self.fetched.get(j, self.n).is_some()
    }

    /// Keeps a copy of a column.
    pub(crate) fn keep(&self, j: u32, values: Vec<f64>) {
        self.fetched.put(j, (Arc::new(values), 0));
    }

    /// Reads the columns of which no copy is here, and keeps them.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(super) fn fetch(&self, columns: impl Iterator<Item = u32>) -> io::Result<()> {
        let mut missing: Vec<u32> = columns.filter(|j| !self.has(*j)).collect();
        missing.sort_unstable();
        missing.dedup();
        // Those of a block are read at once.
        let block = self.array.block();
        let block_of = |j: u32| self.places[j as usize] / block;
        for part in missing.chunk_by(|a, b| block_of(*a) == block_of(*b)) {
            let first = part[0];
            let columns = first as usize..part[part.len() - 1] as usize + 1;
            let last = self.places[columns.end - 1];
            let mut numbers = vec![0.0; (last - self.places[columns.start] + 1) * self.n];
            self.read(columns, &mut numbers)?;
            for j in part {
                let own = (j - first) as usize * self.n;
                self.keep(*j, numbers[own..own + self.n].to_vec());
            }
        }
        Ok(())
    }

    /// The n values of a column.
    ///
    /// # Panics
    /// If no copy of it is here, and the file cannot be read.
    pub(super) fn column(&self, j: u32) -> &[f64] {
        if let Some((all, _)) = self.whole.get() {
            return &all[j as usize * self.n..][..self.n];
        }
        if let Err(error) = self.fetch(std::iter::once(j)) {
            panic!("{error}");
        }
        self.fetched.get(j, self.n).unwrap_or_default()
    }
}
