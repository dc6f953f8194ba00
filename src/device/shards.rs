//! The columns in shards, and the results of those who have one each.

use std::ops::Range;

use super::{Shard, split_range};
use crate::design::Columns;

impl Shard<'_> {
    /// The start of the term that holds a column of the shard, by its place there; p for p.
    pub(super) fn term_start(&self, place: usize) -> usize {
        match place < self.own.p() {
            true => {
                let term = self.x.term_of((self.first + place) as u32);
                self.x.columns_of(term).start as usize - self.first
            }
            false => place,
        }
    }

    /// The shard of the i-th of m ranges of its columns.
    pub(super) fn part(self, (part, parts): (usize, usize)) -> Self {
        let p = self.own.p();
        let range = self.term_start(p * part / parts)..self.term_start(p * (part + 1) / parts);
        Self {
            first: self.first + range.start,
            own: self.own.range(range),
            ..self
        }
    }

    /// Cuts places of the shard's columns into pieces of at most `most`, none of which divides a term: one with
    /// more columns is a piece by itself.
    pub(super) fn pieces(
        &self,
        range: Range<usize>,
        most: usize,
    ) -> impl Iterator<Item = Range<usize>> + use<'_> {
        let (mut next, end) = (range.start, range.end);
        std::iter::from_fn(move || {
            let start = next;
            if start >= end {
                return None;
            }
            next = self.term_start((start + most.max(1)).min(end));
            if next <= start {
                let term = self.x.term_of((self.first + start) as u32);
                next = self.x.columns_of(term).end as usize - self.first;
            }
            Some(start..next)
        })
    }
}

/// The results of several owners, each in its own order, in the order of `owners`.
pub(super) fn interleave<T>(results: Vec<Vec<T>>, owners: impl Iterator<Item = usize>) -> Vec<T> {
    let mut results: Vec<_> = results.into_iter().map(Vec::into_iter).collect();
    let results = owners.filter_map(|owner| results[owner].next());
    results.collect()
}

/// A range of the columns in `count` shards, fewer where it has fewer columns.
pub(super) fn shards<'x>(x: Columns<'x>, own: &Range<usize>, count: usize) -> Vec<Shard<'x>> {
    // No term is divided.
    let boundary = |column: usize| match column < own.end {
        true => x.columns_of(x.term_of(column as u32)).start as usize,
        false => column,
    };
    let shard = |range: Range<usize>| {
        let range = boundary(own.start + range.start)..boundary(own.start + range.end);
        Shard {
            x,
            first: range.start,
            own: x.range(range),
        }
    };
    split_range(own.len(), count).map(shard).collect()
}
