//! Columns that other ranks have, of which those come here that a model holds.

use std::{
    collections::HashSet,
    io,
    ops::Range,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use serde::{Serialize, de::DeserializeOwned};

use crate::ranks::Communicator;

/// Columns of a block, for which there is room once one of them has come.
const BLOCK: usize = 1 << 10;

/// One column, once it has come: among those that came with it, from so many numbers on.
type Guest = OnceLock<(Arc<Vec<f64>>, usize)>;

/// Who has which columns, and those that came here from others. They stay: what models ever held is
/// little beside what they never do.
#[derive(Debug)]
pub(crate) struct Elsewhere {
    communicator: Communicator,
    /// The columns of each rank, one range behind the other.
    ranges: Vec<Range<usize>>,
    guests: Vec<OnceLock<Box<[Guest]>>>,
    /// The columns that all ranks have by now, which all know alike.
    brought: Mutex<HashSet<u32>>,
}

impl Elsewhere {
    /// Each rank has so many columns.
    pub(super) fn new(communicator: &Communicator, counts: &[usize]) -> Self {
        let mut end = 0;
        let ranges = counts.iter().map(|count| {
            let start = end;
            end += count;
            start..end
        });
        let ranges: Vec<_> = ranges.collect();
        let mut guests = Vec::new();
        guests.resize_with(end.div_ceil(BLOCK), OnceLock::new);
        Self {
            communicator: communicator.clone(),
            ranges,
            guests,
            brought: Mutex::default(),
        }
    }

    /// What every rank says of each of its columns, by column.
    ///
    /// # Errors
    /// A rank that failed or is gone.
    pub(super) fn of_all<T: Serialize + DeserializeOwned>(
        &self,
        own: &Vec<T>,
    ) -> io::Result<Vec<T>> {
        Ok(self
            .communicator
            .gather(own)?
            .into_iter()
            .flatten()
            .collect())
    }

    /// All columns there are.
    pub(super) fn p(&self) -> usize {
        self.ranges.last().map_or(0, |it| it.end)
    }

    /// Those of this rank.
    pub(super) fn own(&self) -> Range<usize> {
        self.ranges[self.communicator.rank()].clone()
    }

    /// A column of n values that came here.
    ///
    /// # Panics
    /// If it did not.
    pub(super) fn guest(&self, j: u32, n: usize) -> &[f64] {
        let block = self.guests[j as usize / BLOCK].get();
        match block.and_then(|it| it[j as usize % BLOCK].get()) {
            Some((all, first)) => &all[*first..][..n],
            None => panic!("column {j} is another rank's and was not brought"),
        }
    }

    /// Brings these columns to all ranks, where they are not yet; `own` are the values of this rank's.
    /// All ranks ask for the same.
    ///
    /// # Errors
    /// A rank that failed or is gone.
    pub(super) fn bring(
        &self,
        wanted: impl Iterator<Item = u32>,
        (n, own): (usize, &[f64]),
    ) -> io::Result<()> {
        let mut brought = self.brought.lock().unwrap_or_else(PoisonError::into_inner);
        let mut missing: Vec<u32> = wanted.filter(|j| brought.insert(*j)).collect();
        drop(brought);
        if missing.is_empty() {
            return Ok(());
        }
        missing.sort_unstable();
        // A rank that failed says so here: once numbers are told, none can.
        self.communicator.gather(&())?;
        let rank = self.communicator.rank();
        let owner = |j: u32| self.ranges.partition_point(|it| it.end <= j as usize);
        for of_one in missing.chunk_by(|a, b| owner(*a) == owner(*b)) {
            let from = owner(of_one[0]);
            let mut numbers = Vec::with_capacity(of_one.len() * n);
            match from == rank {
                true => {
                    let first = self.ranges[rank].start;
                    for j in of_one {
                        numbers.extend_from_slice(&own[(*j as usize - first) * n..][..n]);
                    }
                }
                false => numbers.resize(of_one.len() * n, 0.0),
            }
            self.communicator.broadcast_numbers(from, &mut numbers)?;
            if from == rank {
                continue;
            }
            let numbers = Arc::new(numbers);
            for (at, &j) in of_one.iter().enumerate() {
                let new = || (0..BLOCK).map(|_| OnceLock::new()).collect();
                let block = self.guests[j as usize / BLOCK].get_or_init(new);
                block[j as usize % BLOCK].get_or_init(|| (Arc::clone(&numbers), at * n));
            }
        }
        Ok(())
    }

    /// The values of all columns, of which this rank has its own.
    ///
    /// # Errors
    /// A rank that failed or is gone; too little memory for them.
    pub(super) fn all(&self, n: usize, own: Vec<f64>) -> io::Result<Vec<f64>> {
        let mut all: Vec<f64> = Vec::new();
        let room = all.try_reserve_exact(self.p() * n);
        // All of them give up, or none does.
        let have = self.communicator.gather(&room.is_ok())?;
        if let Some(rank) = have.iter().position(|it| !it) {
            let what = format!("X whole has no room on rank {rank}: use --over columns");
            return Err(io::Error::other(what));
        }
        for (from, range) in self.ranges.iter().enumerate() {
            let start = all.len();
            match from == self.communicator.rank() {
                true => all.extend_from_slice(&own),
                false => all.resize(start + range.len() * n, 0.0),
            }
            self.communicator
                .broadcast_numbers(from, &mut all[start..])?;
        }
        Ok(all)
    }
}
