//! The columns in shards, and the results of those who have one each.

use std::ops::Range;

use super::Shard;
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

/// A range of the columns in at most `count` shards, none of which is empty or divides a term.
pub(super) fn shards<'x>(x: Columns<'x>, own: &Range<usize>, count: usize) -> Vec<Shard<'x>> {
    let whole = Shard {
        x,
        first: own.start,
        own: x.range(own.clone()),
    };
    let count = count.clamp(1, own.len().max(1));
    let shards = (0..count).map(|at| whole.part((at, count)));
    // The columns of a wide term may be all that is left.
    shards
        .filter(|shard| shard.own.p() > 0 || own.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Terms;

    #[test]
    fn no_shard_is_empty_or_divides_a_term() {
        let (n, widths) = (12, [9, 1, 3]);
        let x: Vec<f64> = (0..13 * n).map(|at| ((at * at) % 17) as f64).collect();
        let terms = Terms::of_widths(&x, n, &widths).unwrap();
        let x = Columns::new(&x, n).with_terms(Some(&terms));
        for count in 1..=15 {
            let shards = shards(x, &(0..13), count);
            assert!(!shards.is_empty() && shards.len() <= count.min(widths.len()));
            let mut next = 0;
            for shard in &shards {
                assert_eq!(shard.first, next);
                assert!(shard.own.p() > 0 && [0, 9, 10].contains(&shard.first));
                next += shard.own.p();
            }
            assert_eq!(next, 13);
        }
        // Pieces of at most two columns, unless a term has more.
        let whole = shards(x, &(0..13), 1)[0];
        let pieces: Vec<_> = whole.pieces(0..13, 2).collect();
        assert_eq!(pieces, [0..9, 9..10, 10..13]);
        assert_eq!(whole.pieces(9..13, 4).next(), Some(9..13));
    }
}
