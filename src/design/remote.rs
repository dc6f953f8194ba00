//! The columns that other ranks hold, and the copies of those that a model has needed.

use std::{
    collections::HashSet,
    io,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use super::{Design, Terms, fetched::FetchedColumns, variable::term_widths};
use crate::ranks::Communicator;

/// How ranks partition the columns, with copies of the remote ones that were fetched.
#[derive(Debug)]
pub(crate) struct RemoteColumns {
    pub(super) communicator: Communicator,
    /// The columns of each rank, in ascending order.
    ranges: Vec<Range<usize>>,
    fetched: FetchedColumns,
    /// The columns that were broadcast: the same set on every rank.
    broadcast: Mutex<HashSet<u32>>,
}

impl RemoteColumns {
    pub(super) fn new(communicator: &Communicator, counts: &[usize]) -> Self {
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
            fetched: FetchedColumns::new(end),
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

    /// Broadcasts the columns that were not broadcast before; `local` are the values of this
    /// rank's columns, n each. All ranks ask for the same columns.
    pub(super) fn fetch(
        &self,
        columns: impl Iterator<Item = u32>,
        (n, local): (usize, &[f64]),
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
        for columns in missing.chunk_by(|a, b| owner(*a) == owner(*b)) {
            let root = owner(columns[0]);
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

    /// The values of all columns, n each; `local` are those of this rank.
    pub(super) fn replicate(&self, n: usize, local: Vec<f64>) -> io::Result<Vec<f64>> {
        let mut all: Vec<f64> = Vec::new();
        let reserved = all.try_reserve_exact(self.p() * n);
        // Either every rank goes on or none does.
        let reserved = self.communicator.gather(&reserved.is_ok())?;
        if let Some(rank) = reserved.iter().position(|reserved| !reserved) {
            let what = format!("X whole has no room on rank {rank}: use --over columns");
            return Err(io::Error::other(what));
        }
        for (root, range) in self.ranges.iter().enumerate() {
            let start = all.len();
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

    /// Copies all columns to every rank.
    pub(crate) fn replicated(mut self) -> io::Result<Self> {
        if let Some(remote) = self.remote.take() {
            self.x = remote.replicate(self.n, self.x.into_vec())?.into();
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
