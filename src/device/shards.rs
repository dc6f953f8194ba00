//! The columns in shards, and the results of those who have one each.

use std::ops::Range;

use super::{Shard, split_range};
use crate::design::Columns;

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
