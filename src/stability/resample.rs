//! The rows of a resample.

use crate::random::{Stream, uniform_below};

/// How the rows of resamples are drawn.
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

/// The first random stream of resamples. Particles (from 0), procedures (from 2⁶²), permutations
/// (from 2⁶³) and simulations have others, so that all may have the same seed.
const STREAMS: u64 = 1 << 61;

impl Resampling {
    /// Its name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Complementary => "complementary",
            Self::Subsample(_) => "subsample",
            Self::Bootstrap => "bootstrap",
        }
    }

    /// The number of resamples drawn together: 2 for complementary pairs, else 1.
    pub fn group_size(self) -> usize {
        match self {
            Self::Complementary => 2,
            Self::Subsample(_) | Self::Bootstrap => 1,
        }
    }

    /// The number of rows of a resample of n rows.
    pub fn rows(self, n: usize) -> usize {
        match self {
            Self::Complementary => n / 2,
            // A part of n, hence no larger; 0.3 · 10 must not become 2 by rounding.
            Self::Subsample(part) => ((part * n as f64 + 1e-9).floor() as usize).min(n),
            Self::Bootstrap => n,
        }
    }

    /// The resample of a number, from 0, of n rows.
    ///
    /// Draw d (one resample, or the pair 2d and 2d + 1) has a ChaCha stream of the seed alone,
    /// 2⁶¹ + d: its first two words are the seeds of the selections, later words draw the rows. So
    /// a resample depends on seed, number and n alone.
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
