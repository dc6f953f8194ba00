//! The columns that other ranks hold, and the copies of those that a model has needed.

use std::{
    collections::HashSet,
    io,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    Design, Terms,
    fetched::FetchedColumns,
    packed::{PackedColumn, PackedColumns, PackedView},
    variable::term_widths,
};
use crate::{ranks::Communicator, table::Numbers};

/// Bytes of genotypes that are broadcast at a time.
const AT_ONCE: usize = 1 << 26;

/// How ranks partition the columns, with copies of the remote ones that were fetched.
#[derive(Debug)]
pub(crate) struct RemoteColumns {
    pub(super) communicator: Communicator,
    /// The columns of each rank, in ascending order.
    ranges: Vec<Range<usize>>,
    /// How many columns are numbers; the others are genotypes at two bits, and stand behind them.
    numbers: usize,
    fetched: FetchedColumns,
    /// Genotypes that were fetched.
    genotypes: FetchedColumns<PackedColumn>,
    /// The columns that were broadcast: the same set on every rank.
    broadcast: Mutex<HashSet<u32>>,
}

impl RemoteColumns {
    /// Of so many columns of each rank, of which the first ones are numbers.
    pub(super) fn new(communicator: &Communicator, counts: &[usize], numbers: usize) -> Self {
        let mut end = 0;
        let ranges = counts.iter().map(|count| {
            let start = end;
            end += count;
            start..end
        });
        let ranges: Vec<_> = ranges.collect();
        Self {
            communicator: communicator.clone(),
            ranges,
            numbers,
            fetched: FetchedColumns::new(end),
            genotypes: FetchedColumns::new(end),
            broadcast: Mutex::default(),
        }
    }

    pub(super) fn p(&self) -> usize {
        self.ranges.last().map_or(0, |range| range.end)
    }

    pub(super) fn local(&self) -> Range<usize> {
        self.ranges[self.communicator.rank()].clone()
    }

    /// The n values of a column that was fetched.
    ///
    /// # Panics
    /// If it was not.
    pub(super) fn fetched(&self, j: u32, n: usize) -> &[f64] {
        match self.fetched.get(j, n) {
            Some(values) => values,
            None => panic!("column {j} is held by another rank and was not fetched"),
        }
    }

    /// Genotypes that were fetched.
    pub(super) fn genotypes<'x>(
        &'x self,
        j: u32,
        beside: &'x PackedColumns,
    ) -> Option<PackedView<'x>> {
        let own = self.genotypes.copy(j)?;
        Some(beside.view_of_remote(own, (&self.fetched, j)))
    }

    /// Broadcasts the columns that were not broadcast before; `local` are the values of this
    /// rank's columns of numbers, n each, and `packed` its others. All ranks ask for the same columns.
    pub(super) fn fetch(
        &self,
        columns: impl Iterator<Item = u32>,
        (n, local): (usize, &[f64]),
        packed: Option<&PackedColumns>,
    ) -> io::Result<()> {
        let mut broadcast = self
            .broadcast
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut missing: Vec<u32> = columns.filter(|j| broadcast.insert(*j)).collect();
        drop(broadcast);
        if missing.is_empty() {
            return Ok(());
        }
        missing.sort_unstable();
        // A rank that failed says so here: a broadcast of numbers has no room for it.
        self.communicator.gather(&())?;
        let rank = self.communicator.rank();
        let owner = |j: u32| self.ranges.partition_point(|range| range.end <= j as usize);
        let is_packed = |j: u32| j as usize >= self.numbers;
        let kind = |j: u32| (owner(j), is_packed(j));
        for columns in missing.chunk_by(|a, b| kind(*a) == kind(*b)) {
            let root = owner(columns[0]);
            if let Some(packed) = packed.filter(|_| is_packed(columns[0])) {
                for columns in columns.chunks(packed.columns_of(AT_ONCE)) {
                    self.fetch_genotypes(root, columns, packed)?;
                }
                continue;
            }
            let mut values = Vec::with_capacity(columns.len() * n);
            match root == rank {
                true => {
                    let first = self.ranges[rank].start;
                    for j in columns {
                        values.extend_from_slice(&local[(*j as usize - first) * n..][..n]);
                    }
                }
                false => values.resize(columns.len() * n, 0.0),
            }
            self.communicator.broadcast_numbers(root, &mut values)?;
            if root == rank {
                continue;
            }
            let values = Arc::new(values);
            for (place, &j) in columns.iter().enumerate() {
                self.fetched.put(j, (Arc::clone(&values), place * n));
            }
        }
        Ok(())
    }

    /// Broadcasts genotypes of one rank.
    fn fetch_genotypes(
        &self,
        root: usize,
        columns: &[u32],
        packed: &PackedColumns,
    ) -> io::Result<()> {
        let is_root = root == self.communicator.rank();
        let first = self.genotypes_of(root).start;
        let own = || packed.encode(columns.iter().map(|j| *j as usize - first));
        let own = if is_root { own() } else { Vec::new() };
        let message = self.communicator.broadcast(root, own)?;
        if !is_root {
            let decoded = packed.decode(&message)?;
            for (j, column) in columns.iter().zip(decoded) {
                self.genotypes.put(*j, column);
            }
        }
        Ok(())
    }

    /// The columns of a rank that are numbers.
    fn numbers_of(&self, rank: usize) -> Range<usize> {
        let own = &self.ranges[rank];
        own.start.min(self.numbers)..own.end.min(self.numbers)
    }

    /// The columns of a rank that are genotypes at two bits.
    fn genotypes_of(&self, rank: usize) -> Range<usize> {
        let own = &self.ranges[rank];
        own.start.max(self.numbers)..own.end.max(self.numbers)
    }

    /// The genotypes of all ranks.
    fn replicate_genotypes(&self, local: &PackedColumns) -> io::Result<PackedColumns> {
        let mut all = Vec::with_capacity(self.p() - self.numbers);
        for root in 0..self.ranges.len() {
            let range = self.genotypes_of(root);
            let is_root = root == self.communicator.rank();
            if is_root {
                all.extend_from_slice(&local.variants);
            }
            let each = local.columns_of(AT_ONCE);
            for first in range.clone().step_by(each) {
                let end = range.end.min(first + each);
                let own = first - range.start..end - range.start;
                let own = if is_root {
                    local.encode(own)
                } else {
                    Vec::new()
                };
                let message = self.communicator.broadcast(root, own)?;
                if !is_root {
                    all.extend(local.decode(&message)?);
                }
            }
        }
        Ok(local.with_columns(all))
    }

    /// The values of all columns of numbers, n each; `local` are those of this rank.
    fn replicate(&self, n: usize, local: Numbers) -> io::Result<Vec<f64>> {
        let mut all: Vec<f64> = Vec::new();
        let reserved = all.try_reserve_exact(self.numbers * n);
        // Either every rank goes on or none does.
        let reserved = self.communicator.gather(&reserved.is_ok())?;
        if let Some(rank) = reserved.iter().position(|reserved| !reserved) {
            let what = format!("X whole has no room on rank {rank}: use --over columns");
            return Err(io::Error::other(what));
        }
        for root in 0..self.ranges.len() {
            let (start, range) = (all.len(), self.numbers_of(root));
            match root == self.communicator.rank() {
                true => all.extend_from_slice(&local),
                false => all.resize(start + range.len() * n, 0.0),
            }
            self.communicator
                .broadcast_numbers(root, &mut all[start..])?;
        }
        Ok(all)
    }
}

impl Design {
    /// Whether there are terms of several columns, or that need others. (Of a design that ranks partition, and of a part
    /// of a formula, [`columns`](Self::columns) does not tell.)
    pub(crate) fn has_terms(&self) -> bool {
        let is_several = || {
            term_widths(self.variables.iter())
                .iter()
                .any(|width| *width > 1)
        };
        self.terms.is_some()
            || self.wide.is_some()
            || self.is_whole && self.remote.is_some() && is_several()
    }

    /// Bytes of X whole, as [`replicated`](Self::replicated) holds it.
    pub(crate) fn replicated_bytes(&self) -> u64 {
        let numbers = self.remote.as_ref().map_or(self.p(), |own| own.numbers);
        let packed = self.packed.as_ref();
        let packed = packed.map_or(0, |own| own.bytes_of(self.p() - numbers));
        packed.saturating_add(8 * (numbers as u64).saturating_mul(self.n as u64))
    }

    /// Copies all columns to every rank.
    pub(crate) fn replicated(mut self) -> io::Result<Self> {
        if let Some(remote) = self.remote.take() {
            let packed = self.packed.take();
            let packed = packed.map(|packed| remote.replicate_genotypes(&packed));
            self.packed = packed.transpose()?.map(Arc::new);
            self.x = remote.replicate(self.n, self.x)?.into();
            if self.is_whole {
                let widths = term_widths(self.variables.iter());
                self.terms = Terms::of_widths(&self.x, self.n, &widths).map(Arc::new);
            }
            let terms = self.terms.as_ref();
            self.keep
                .iter_mut()
                .for_each(|kept| *kept = terms.map_or(*kept, |terms| terms.of(*kept)));
            self.keep.dedup();
        }
        Ok(self)
    }
}
