//! Which rows a resample has.

use crate::random::{Stream, uniform_below};

/// How rows are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Resampling {
    /// Pairs of subsamples without a row in common, each of half the rows (rounded down).
    #[default]
    Complementary,
    /// Subsamples of so large a part of the rows (rounded down), without replacement.
    Subsample(f64),
    /// As many rows as there are, with replacement.
    Bootstrap,
}

/// One resample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resample {
    /// Rows, ascending; with replacement some repeatedly.
    pub rows: Vec<usize>,
    /// The seed of the selection made from it.
    pub seed: u64,
}

/// Streams of resamples begin here: no particle (from 0 on), no procedure (2⁶²), no permutation
/// (2⁶³) and no simulation has them, so that any may have the seed of any other.
const STREAMS: u64 = 1 << 61;

impl Resampling {
    /// As it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Self::Complementary => "complementary",
            Self::Subsample(_) => "subsample",
            Self::Bootstrap => "bootstrap",
        }
    }

    /// Resamples drawn at a time.
    pub fn group_size(self) -> usize {
        match self {
            Self::Complementary => 2,
            Self::Subsample(_) | Self::Bootstrap => 1,
        }
    }

    /// Rows of a resample of n.
    pub fn rows(self, n: usize) -> usize {
        match self {
            Self::Complementary => n / 2,
            // A part of n, hence no larger; 0.3 · 10 must not become 2 by rounding.
            Self::Subsample(part) => ((part * n as f64 + 1e-9).floor() as usize).min(n),
            Self::Bootstrap => n,
        }
    }

    /// The resample of that number, from 0 on, of n rows.
    ///
    /// Draw d (one resample, or the pair 2d and 2d + 1) has a ChaCha stream of the seed alone,
    /// 2⁶¹ + d: its first two words are the seeds of the selections, those after it the rows. So
    /// a resample depends on seed, number and n, whoever makes it.
    pub fn resample(self, number: usize, n: usize, seed: u64) -> Resample {
        let draw = number / self.group_size();
        let mut stream = Stream::new(seed, STREAMS + draw as u64);
        let seeds = [stream.next_word(), stream.next_word()];
        let half = number % self.group_size();
        let size = self.rows(n);
        let mut rows: Vec<usize> = match self {
            Self::Bootstrap => (0..n)
                .map(|_| uniform_below(stream.next_word(), n))
                .collect(),
            Self::Complementary | Self::Subsample(_) => {
                let mut all: Vec<usize> = (0..n).collect();
                stream.shuffle(&mut all);
                all[half * size..][..size].to_vec()
            }
        };
        rows.sort_unstable();
        Resample {
            rows,
            seed: seeds[half],
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const ALL: [Resampling; 3] = [
        Resampling::Complementary,
        Resampling::Subsample(0.3),
        Resampling::Bootstrap,
    ];

    #[test]
    fn halves_have_no_row_in_common_and_all_but_an_odd_one() {
        for n in [2, 3, 10, 101] {
            for pair in 0..20 {
                let halves =
                    [0, 1].map(|it| Resampling::Complementary.resample(2 * pair + it, n, 7));
                let both = halves.iter().flat_map(|it| it.rows.iter().copied());
                let both: HashSet<usize> = both.collect();
                assert!(halves.iter().all(|it| it.rows.len() == n / 2));
                assert_eq!(both.len(), n / 2 * 2);
                assert!(both.iter().all(|row| *row < n));
                assert_ne!(halves[0].seed, halves[1].seed);
            }
        }
    }

    #[test]
    fn subsamples_are_without_replacement_and_bootstraps_with_it() {
        let rows = |how: Resampling, n| how.resample(3, n, 1).rows;
        let part = rows(Resampling::Subsample(0.3), 10);
        assert_eq!((part.len(), Resampling::Subsample(0.5).rows(7)), (3, 3));
        assert!(part.windows(2).all(|two| two[0] < two[1]));
        let drawn = rows(Resampling::Bootstrap, 1000);
        assert_eq!(drawn.len(), 1000);
        let once = drawn.iter().collect::<HashSet<_>>().len();
        // 1 − 1/e of them, 632, with a standard deviation of about 10.
        assert!((580..690).contains(&once), "{once}");
    }

    #[test]
    fn resamples_differ_by_number_and_seed_and_are_made_again() {
        for how in ALL {
            let made = |number, seed| how.resample(number, 40, seed);
            let all: Vec<Resample> = (0..50).map(|it| made(it, 5)).collect();
            let rows: HashSet<_> = all.iter().map(|it| &it.rows).collect();
            let seeds: HashSet<_> = all.iter().map(|it| it.seed).collect();
            assert_eq!((rows.len(), seeds.len()), (50, 50), "{how:?}");
            assert_eq!(made(17, 5), all[17]);
            assert_ne!(made(17, 6).rows, all[17].rows);
        }
    }

    #[test]
    fn every_row_is_drawn_about_as_often() {
        for how in ALL {
            let mut times = [0_usize; 20];
            for number in 0..2000 {
                for row in how.resample(number, 20, 3).rows {
                    times[row] += 1;
                }
            }
            let mean = 2000.0 * how.rows(20) as f64 / 20.0;
            let off = |it: &usize| (*it as f64 - mean).abs() < 6.0 * mean.sqrt();
            assert!(times.iter().all(off), "{how:?} {times:?}");
        }
    }
}
