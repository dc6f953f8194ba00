//! The pairs that each rank scores, where every rank has a share of the columns.
//!
//! Rank after rank broadcasts its columns. The sender scores the pairs within its share, every other
//! rank pairs of the sender's columns with its own: a rank below the sender all of its own with the
//! first half of the sender's, a rank above it the second half of its own with all of the sender's.
//! So every pair is scored once, and all ranks score about as many in every round. The columns of
//! the next round are broadcast meanwhile; a rank holds at most four shares of the columns at once.

use std::{borrow::Cow, io, ops::Range};

use rayon::prelude::*;

use crate::{
    binning::{BinnedColumn, BinnedColumns, Codes},
    device::{DeviceError, counting::PairDomain},
    ranks::Communicator,
};

/// Codes broadcast at a time: enough work for all threads, and a short wait.
const PIECE: usize = 4 << 20;

/// The pairs that a rank scores between two exchanges of messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Round {
    /// The rank that broadcasts its columns, and which columns these are.
    sender: (usize, Range<usize>),
    /// The columns whose pairs are scored; with two lists, a pair has one column of each.
    lists: [Range<usize>; 2],
    /// Whether it is the round of the rank's own columns, all in the first list.
    pub(super) own: bool,
}

/// The columns of a round, the first list before the second.
pub(super) struct RoundColumns<'a> {
    round: &'a Round,
    columns: Cow<'a, [BinnedColumn]>,
}

/// The rounds of a rank, given the share of the columns that each rank has.
pub(super) fn rounds(rank: usize, shares: &[Range<usize>]) -> Vec<Round> {
    let own = &shares[rank];
    let half = |of: &Range<usize>| of.start + of.len() / 2;
    let round = |(sender, theirs): (usize, &Range<usize>)| {
        let lists = match sender {
            _ if sender == rank => [own.clone(), own.end..own.end],
            _ if sender > rank => [own.clone(), theirs.start..half(theirs)],
            _ => [theirs.clone(), half(own)..own.end],
        };
        Round {
            sender: (sender, theirs.clone()),
            lists,
            own: sender == rank,
        }
    };
    shares.iter().enumerate().map(round).collect()
}

impl Round {
    pub(super) fn len(&self) -> usize {
        self.lists.iter().map(Range::len).sum()
    }

    /// The columns of its first pair, if it has pairs.
    pub(super) fn first_pair(&self) -> Option<(u32, u32)> {
        let [mut first, mut second] = self.lists.clone();
        let a = first.next()?;
        let b = if self.own { &mut first } else { &mut second }.next()?;
        Some((a as u32, b as u32))
    }

    /// Its columns; all ranks take part in the broadcast of the sender's.
    pub(super) fn fetch<'a>(
        &'a self,
        columns: &'a BinnedColumns,
        communicator: Option<&Communicator>,
    ) -> Result<RoundColumns<'a>, DeviceError> {
        let all = &columns.columns;
        let mut received = match communicator {
            Some(communicator) => self.receive(columns, communicator)?,
            None => Vec::new(),
        };
        // Cloning on one thread would take as long as the broadcast.
        let own = |list: &Range<usize>| all[list.clone()].par_iter().cloned();
        let [first, second] = &self.lists;
        let columns = if self.own {
            Cow::Borrowed(&all[first.clone()])
        } else if *first == self.sender.1 {
            received.par_extend(own(second));
            Cow::Owned(received)
        } else {
            let mut both: Vec<_> = own(first).collect();
            both.append(&mut received);
            Cow::Owned(both)
        };
        Ok(RoundColumns {
            round: self,
            columns,
        })
    }

    /// The sender's columns that this round needs; none where the sender is this rank.
    fn receive(
        &self,
        columns: &BinnedColumns,
        communicator: &Communicator,
    ) -> io::Result<Vec<BinnedColumn>> {
        let all = &columns.columns;
        let (sender, theirs) = &self.sender;
        let wanted = |at: &usize| self.lists.iter().any(|list| list.contains(at));
        let each = (PIECE / columns.n.max(1)).max(1);
        let (mut received, mut bytes, mut failed) = (Vec::new(), Vec::new(), None);
        for first in theirs.clone().step_by(each) {
            let piece = first..theirs.end.min(first + each);
            bytes.clear();
            if self.own {
                put(&all[piece.clone()], &mut bytes);
            }
            bytes = communicator.broadcast(*sender, bytes)?;
            if self.own {
                continue;
            }
            match codes(&bytes, piece.len(), columns.n) {
                Ok(codes) => {
                    let codes = piece.zip(codes).filter(|(at, _)| wanted(at));
                    received.extend(codes.map(|(at, codes)| BinnedColumn {
                        codes,
                        ..all[at].clone()
                    }));
                }
                // The other ranks still expect the rest of the broadcast.
                Err(error) => failed = Some(error),
            }
        }
        failed.map_or(Ok(received), Err)
    }
}

impl RoundColumns<'_> {
    pub(super) fn block(&self) -> PairDomain<'_> {
        PairDomain {
            columns: &self.columns,
            split: (!self.round.own).then_some(self.round.lists[0].len()),
        }
    }

    /// The number of one of its columns among all columns.
    pub(super) fn number(&self, at: u32) -> u32 {
        let [first, second] = &self.round.lists;
        let number = match (at as usize).checked_sub(first.len()) {
            None => first.start + at as usize,
            Some(at) => second.start + at,
        };
        number as u32
    }
}

/// Serialises the codes of columns, each after its length in bytes.
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

fn codes(mut bytes: &[u8], count: usize, n: usize) -> io::Result<Vec<Codes>> {
    let invalid = || io::Error::other("a rank told something else than codes of columns");
    let mut next = || {
        let (len, rest) = bytes.split_first_chunk()?;
        let (own, rest) = rest.split_at_checked(u64::from_le_bytes(*len) as usize)?;
        bytes = rest;
        Some(own)
    };
    let each: Option<Vec<&[u8]>> = (0..count).map(|_| next()).collect();
    let codes = each
        .ok_or_else(invalid)?
        .into_par_iter()
        .map(|bytes| Codes::from_bytes(bytes, n));
    codes.collect::<Option<_>>().ok_or_else(invalid)
}

const NUMBERS: usize = 1 << 20;

/// Sums a matrix over all ranks: each element is of one rank, and 0 on the others.
pub(super) fn sum_over_ranks(matrix: &mut [f64], communicator: &Communicator) -> io::Result<()> {
    for piece in matrix.chunks_mut(NUMBERS) {
        let own = piece
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        let all = communicator.gather_bytes(own)?;
        piece.fill(0.0);
        for theirs in all {
            for (sum, bytes) in piece.iter_mut().zip(theirs.chunks_exact(8)) {
                *sum += bytes.try_into().map(f64::from_le_bytes).unwrap_or(f64::NAN);
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
                    let pairs: Vec<(usize, usize)> = match round.own {
                        true => first
                            .clone()
                            .flat_map(|a| (a + 1..first.end).map(move |b| (a, b)))
                            .collect(),
                        false => first
                            .flat_map(|a| second.clone().map(move |b| (a, b)))
                            .collect(),
                    };
                    pairs.iter().for_each(|(a, b)| seen[a * p + b] += 1);
                    let lowest = pairs.iter().min().map(|(a, b)| (*a as u32, *b as u32));
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
        let mut bytes = Vec::new();
        put(&own.clone().map(column), &mut bytes);
        assert_eq!(codes(&bytes, 2, 2).unwrap(), own);
        assert!(codes(&bytes, 2, 3).is_err());
        for cut in 0..bytes.len() {
            assert!(codes(&bytes[..cut], 2, 2).is_err());
        }
    }
}
