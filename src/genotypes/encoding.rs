//! What genotypes count as.

use std::sync::Arc;

use super::{Genotypes, LOWER, OF_WORD};
use crate::memory::Words;

/// What a genotype counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GenotypeEncoding {
    /// The copies of the allele: 0, 1 or 2.
    #[default]
    Additive,
    /// Whether there is a copy: 0, 1, 1.
    Dominant,
    /// Whether there are two copies: 0, 0, 1.
    Recessive,
    /// The copies, 0, 1 or 2, and whether there is one of each allele, 0, 1, 0: two columns that are one term. What is read are
    /// the copies.
    Genotypic,
}

impl Genotypes {
    /// Turns the copies of n people into what they count as.
    pub(crate) fn encode(words: &mut [u64], n: usize, encoding: GenotypeEncoding) {
        for (at, word) in words.iter_mut().enumerate().take(n.div_ceil(OF_WORD)) {
            let (lower, missing) = (*word & LOWER, *word & *word >> 1 & LOWER);
            let (upper, missing) = (*word >> 1 & LOWER, missing | missing << 1);
            let people = match n - at * OF_WORD {
                OF_WORD.. => u64::MAX,
                few => !(u64::MAX << (2 * few)),
            };
            *word = match encoding {
                GenotypeEncoding::Additive | GenotypeEncoding::Genotypic => *word,
                GenotypeEncoding::Dominant => lower | missing,
                GenotypeEncoding::Recessive => (LOWER & !upper | lower | missing) & people,
            };
        }
    }

    /// Whether each person has one of each allele: 0, 1, 0.
    pub(crate) fn heterozygotes(&self) -> Self {
        let words = self.words().iter().map(|word| {
            let (lower, upper) = (word & LOWER, word >> 1 & LOWER);
            lower | upper | (lower & upper) << 1
        });
        Self::part(Arc::new(Words::Memory(words.collect())), 0, self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::drawn, *};

    #[test]
    fn genotypes_are_counted_by_copies_and_by_heterozygotes() {
        for n in [1, 31, 32, 33, 300] {
            let copies = drawn(n, n as u64, true);
            let of = |values: [u8; 4]| -> Vec<u8> {
                copies.iter().map(|own| values[usize::from(*own)]).collect()
            };
            for (encoding, values) in [
                (GenotypeEncoding::Additive, [0, 1, 2, 3]),
                (GenotypeEncoding::Dominant, [0, 1, 1, 3]),
                (GenotypeEncoding::Recessive, [0, 0, 1, 3]),
                (GenotypeEncoding::Genotypic, [0, 1, 2, 3]),
            ] {
                let mut words = Genotypes::of_copies(&copies).words().to_vec();
                Genotypes::encode(&mut words, n, encoding);
                let own = Genotypes::part(Arc::new(words.into()), 0, n);
                assert_eq!(own.to_bytes(3), of(values), "{encoding:?}");
            }
            let own = Genotypes::of_copies(&copies).heterozygotes();
            assert_eq!(own, Genotypes::of_copies(&of([0, 1, 0, 3])));
        }
    }
}
