//! Which variants have the same genotypes, as they are or with the alleles exchanged.

use pulp::Simd;

use super::{Genotypes, PADDED, exchanged};
use crate::vector::vectorised;

impl Genotypes {
    /// A number that equal genotypes have in common, and others do not but by the rarest chance; if wanted also those with
    /// the alleles exchanged. And whether it is that of the alleles as they are.
    pub(crate) fn hash(&self, exchangeable: bool) -> (u128, bool) {
        let [own, other] = mixed(self.words()).map(|lanes| {
            let halves = lanes.as_chunks::<{ PADDED / 2 }>().0.iter();
            let halves = halves.map(|half| half.iter().fold(self.len() as u64, |a, b| mix(a, *b)));
            halves.fold(0, |all, half| all << 64 | u128::from(half))
        });
        match exchangeable {
            true => (own.min(other), own <= other),
            false => (own, true),
        }
    }

    /// Whether each person has the copies of one allele here that they have of the other there.
    pub(crate) fn is_exchanged(&self, other: &Self) -> bool {
        let mut pairs = self.words().iter().zip(other.words());
        self.len() == other.len() && pairs.all(|(own, other)| *own == exchanged(*other))
    }
}

vectorised! {
    /// Each eighth word mixed into one number, for each of the eight; and the same with the alleles exchanged.
    fn mixed<'a>(words: &'a [u64]) -> [[u64; PADDED]; 2] = mixed_body;
}

#[inline(always)]
fn mixed_body<S: Simd>(_: S, words: &[u64]) -> [[u64; PADDED]; 2] {
    let mut lanes = [[0; PADDED]; 2];
    for words in words.as_chunks::<PADDED>().0 {
        for (at, word) in words.iter().enumerate() {
            lanes[0][at] = mix(lanes[0][at], *word);
            lanes[1][at] = mix(lanes[1][at], exchanged(*word));
        }
    }
    lanes
}

/// Mixes a word into what others were mixed into, of which nothing is lost: each step can be undone.
#[inline(always)]
fn mix(before: u64, word: u64) -> u64 {
    let mixed = (before ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 32
}
