//! How often each genotype of a variant occurs.

use pulp::Simd;

use super::LOWER;
use crate::vector::vectorised;

/// How often each genotype occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GenotypeCounts {
    /// People with 0, 1 and 2 copies.
    pub copies: [usize; 3],
    /// People whose genotype is missing.
    pub missing: usize,
}

impl GenotypeCounts {
    /// Those of the words of n people.
    pub(crate) fn of(words: &[u64], n: usize) -> Self {
        let [lower, upper, missing] = bits(words).map(|count| count as usize);
        let (none, two) = (lower - missing, upper - missing);
        Self {
            copies: [none, n - missing - none - two, two],
            missing,
        }
    }

    /// People whose genotype is known.
    pub fn known(&self) -> usize {
        self.copies.iter().sum()
    }

    /// The mean number of copies among those who are known; NaN where nobody is.
    pub fn mean(&self) -> f64 {
        (self.copies[1] + 2 * self.copies[2]) as f64 / self.known() as f64
    }

    /// The frequency of the rarer allele among those who are known, 0 … ½; NaN where nobody is.
    pub fn minor_allele_frequency(&self) -> f64 {
        let frequency = self.mean() / 2.0;
        frequency.min(1.0 - frequency)
    }
}

vectorised! {
    /// How many lower bits are set, how many upper ones, and of how many genotypes both are.
    fn bits<'a>(words: &'a [u64]) -> [u64; 3] = bits_body;
}

#[inline(always)]
fn bits_body<S: Simd>(_: S, words: &[u64]) -> [u64; 3] {
    let mut counts = [0; 3];
    for word in words {
        let of_word = [word & LOWER, word & !LOWER, word & word >> 1 & LOWER];
        for (count, bits) in counts.iter_mut().zip(of_word) {
            *count += u64::from(bits.count_ones());
        }
    }
    counts
}
