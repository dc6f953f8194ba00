//! What pairs a rank scores of columns of which each rank has a share.
//!
//! Rank after rank tells its columns to all. It scores their pairs, while every other scores its own
//! columns beside them: of two ranks the lower all of its own beside the first half of the other's,
//! and, when it tells, the higher the second half of its own beside all of the lower's. So all score
//! about as many pairs in every round. What the next teller has is told meanwhile, by another thread
//! if there is one; a rank has four shares of the columns at once, its own among them.

use std::{borrow::Cow, io, ops::Range};

use rayon::prelude::*;

use crate::{
    binning::{BinnedColumn, BinnedColumns, Codes},
    device::counting::PairDomain,
    ranks::Communicator,
};

/// Codes that go over at a time: enough for all threads, and soon there.
const PIECE: usize = 4 << 20;

/// Pairs that are scored before ranks speak again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Round {
    /// The rank that tells its columns, and which they are.
    teller: (usize, Range<usize>),
    /// The columns whose pairs are scored; where there are two lists, one of each.
    lists: [Range<usize>; 2],
    /// Whether there are two.
    apart: bool,
}

/// The columns of a round, the first list before the second.
pub(super) struct Brought<'a> {
    round: &'a Round,
    columns: Cow<'a, [BinnedColumn]>,
}

/// The rounds of a rank, of the columns that each has.
pub(super) fn rounds(rank: usize, shares: &[Range<usize>]) -> Vec<Round> {
    let own = &shares[rank];
    let half = |of: &Range<usize>| of.start + of.len() / 2;
    let round = |(teller, theirs): (usize, &Range<usize>)| {
        let lists = match teller {
            _ if teller == rank => [own.clone(), own.end..own.end],
            _ if teller > rank => [own.clone(), theirs.start..half(theirs)],
            _ => [theirs.clone(), half(own)..own.end],
        };
        Round {
            teller: (teller, theirs.clone()),
            lists,
            apart: teller != rank,
        }
    };
    shares.iter().enumerate().map(round).collect()
}

impl Round {
    /// How many columns it has.
    pub(super) fn len(&self) -> usize {
        self.lists.iter().map(Range::len).sum()
    }

    /// Whether it is the one of a rank's own columns.
    pub(super) fn is_own(&self) -> bool {
        !self.apart
    }

    /// The numbers of its first pair, if it has any.
    pub(super) fn first_pair(&self) -> Option<(u32, u32)> {
        let [mut first, mut second] = self.lists.clone();
        let a = first.next()?;
        let b = if self.apart {
            second.next()?
        } else {
            first.next()?
        };
        Some((a as u32, b as u32))
    }

    /// Its columns, of which the teller tells its own.
    ///
    /// # Errors
    /// A rank that is gone, or that tells something else.
    pub(super) fn bring<'a>(
        &'a self,
        columns: &'a BinnedColumns,
        communicator: Option<&Communicator>,
    ) -> io::Result<Brought<'a>> {
        let all = &columns.columns;
        let mut told = match communicator {
            Some(communicator) => self.told(columns, communicator)?,
            None => Vec::new(),
        };
        // One thread alone would take as long as the codes take to arrive.
        let own = |list: &Range<usize>| all[list.clone()].par_iter().cloned();
        let [first, second] = &self.lists;
        let columns = if self.is_own() {
            Cow::Borrowed(&all[first.clone()])
        } else if *first == self.teller.1 {
            told.par_extend(own(second));
            Cow::Owned(told)
        } else {
            let mut both: Vec<_> = own(first).collect();
            both.append(&mut told);
            Cow::Owned(both)
        };
        Ok(Brought {
            round: self,
            columns,
        })
    }

    /// What the teller tells, as far as it is another rank and the round needs it.
    fn told(
        &self,
        columns: &BinnedColumns,
        communicator: &Communicator,
    ) -> io::Result<Vec<BinnedColumn>> {
        let all = &columns.columns;
        let (teller, theirs) = &self.teller;
        let wanted = |it: &usize| self.lists.iter().any(|list| list.contains(it));
        let each = (PIECE / columns.n.max(1)).max(1);
        let (mut told, mut bytes, mut failed) = (Vec::new(), Vec::new(), None);
        for first in theirs.clone().step_by(each) {
            let piece = first..theirs.end.min(first + each);
            bytes.clear();
            if self.is_own() {
                put(&all[piece.clone()], &mut bytes);
            }
            bytes = communicator.broadcast(*teller, bytes)?;
            if self.is_own() {
                continue;
            }
            match codes(&bytes, piece.len(), columns.n) {
                Ok(codes) => {
                    let codes = piece.zip(codes).filter(|it| wanted(&it.0));
                    told.extend(codes.map(|(at, codes)| BinnedColumn {
                        codes,
                        ..all[at].clone()
                    }));
                }
                // The others wait for the rest.
                Err(error) => failed = Some(error),
            }
        }
        failed.map_or(Ok(told), Err)
    }
}

impl Brought<'_> {
    pub(super) fn block(&self) -> PairDomain<'_> {
        PairDomain {
            columns: &self.columns,
            split: self.round.apart.then_some(self.round.lists[0].len()),
        }
    }

    /// The number among all of one of its columns.
    pub(super) fn number(&self, at: u32) -> u32 {
        let [first, second] = &self.round.lists;
        let number = match (at as usize).checked_sub(first.len()) {
            None => first.start + at as usize,
            Some(at) => second.start + at,
        };
        number as u32
    }
}

/// Columns' codes, each behind how many bytes it has.
fn put(columns: &[BinnedColumn], all: &mut Vec<u8>) {
    const LENGTH: usize = size_of::<u64>();
    for column in columns {
        let begin = all.len();
        all.extend([0; LENGTH]);
        column.codes.append_bytes(all);
        let length = (all.len() - begin - LENGTH) as u64;
        all[begin..][..LENGTH].copy_from_slice(&length.to_le_bytes());
    }
}

/// The codes of so many columns of so many observations.
fn codes(mut bytes: &[u8], count: usize, n: usize) -> io::Result<Vec<Codes>> {
    let told = || io::Error::other("a rank told something else than codes of columns");
    let mut next = || {
        let (len, rest) = bytes.split_first_chunk()?;
        let (own, rest) = rest.split_at_checked(u64::from_le_bytes(*len) as usize)?;
        bytes = rest;
        Some(own)
    };
    let each: Option<Vec<&[u8]>> = (0..count).map(|_| next()).collect();
    let codes = each
        .ok_or_else(told)?
        .into_par_iter()
        .map(|it| Codes::from_bytes(it, n));
    codes.collect::<Option<_>>().ok_or_else(told)
}

/// Numbers of a matrix that go over at a time.
const NUMBERS: usize = 1 << 20;

/// Adds up what all ranks have of a matrix: each number is one's, and 0 on the others.
pub(super) fn add_up(matrix: &mut [f64], communicator: &Communicator) -> io::Result<()> {
    for piece in matrix.chunks_mut(NUMBERS) {
        let own = piece.iter().flat_map(|it| it.to_le_bytes()).collect();
        let all = communicator.gather_bytes(own)?;
        piece.fill(0.0);
        for theirs in all {
            for (sum, it) in piece.iter_mut().zip(theirs.chunks_exact(8)) {
                *sum += it.try_into().map(f64::from_le_bytes).unwrap_or(f64::NAN);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_is_in_one_round_and_all_ranks_have_as_many() {
        for size in 1..9 {
            for p in [0, 1, 2, 7, 64, 101] {
                let shares: Vec<_> = (0..size)
                    .map(|at| p * at / size..p * (at + 1) / size)
                    .collect();
                let mut seen = vec![0; p * p];
                let most = p.div_ceil(size);
                for round in (0..size).flat_map(|rank| rounds(rank, &shares)) {
                    let [first, second] = round.lists.clone();
                    assert!(round.len() <= most + most.div_ceil(2), "{size} {p}");
                    let pairs: Vec<(usize, usize)> = match round.is_own() {
                        true => first
                            .clone()
                            .flat_map(|a| (a + 1..first.end).map(move |b| (a, b)))
                            .collect(),
                        false => first
                            .flat_map(|a| second.clone().map(move |b| (a, b)))
                            .collect(),
                    };
                    pairs.iter().for_each(|(a, b)| seen[a * p + b] += 1);
                    let lowest = pairs.iter().min().map(|it| (it.0 as u32, it.1 as u32));
                    assert_eq!(round.first_pair(), lowest);
                    // A half of k² pairs, whichever the round is.
                    assert!(pairs.len() <= most * most.div_ceil(2));
                }
                let once = |(at, times): (usize, &i32)| *times == i32::from(at / p < at % p);
                assert!(seen.iter().enumerate().all(once), "{size} {p}");
            }
        }
    }

    #[test]
    fn codes_that_are_cut_off_are_an_error() {
        let column = |codes| BinnedColumn {
            codes,
            ..BinnedColumn::remote(String::new(), 0)
        };
        let own = [Codes::Byte(vec![3, 1]), Codes::Word(vec![700, 2])];
        let mut told = Vec::new();
        put(&own.clone().map(column), &mut told);
        assert_eq!(codes(&told, 2, 2).unwrap(), own);
        assert!(codes(&told, 2, 3).is_err());
        for cut in 0..told.len() {
            assert!(codes(&told[..cut], 2, 2).is_err());
        }
    }
}
