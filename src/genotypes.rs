//! Genotypes at two bits.
//!
//! A genotype is the number of copies of an allele that a person has: 0, 1, 2, or unknown. 32 of them are a word, the first
//! in its lowest bits, and so are those of PLINK's `.bed`, which these are but for the upper bit of each, which is turned
//! round: 00 is one copy, 01 none, 10 two, and 11 is missing. So the lower bit stands for −1, the upper one for +1, about one
//! copy, and a missing genotype, with both, is 0 in every sum of products: two counts of bits make such a sum of 32 people.

mod copies;
mod counts;
mod encoding;
pub(crate) mod pgen;
mod products;

use std::{fmt, sync::Arc};

pub use counts::GenotypeCounts;
pub use encoding::GenotypeEncoding;
pub(crate) use products::Anchor;

use crate::memory::Words;

/// Genotypes of a word.
const OF_WORD: usize = 32;

/// Words that the genotypes of a variant are padded to: those that a vector of the widest kind has.
const PADDED: usize = 8;

/// The lower bit of every genotype.
const LOWER: u64 = 0x5555_5555_5555_5555;

/// The copies that a code means; NaN where it is missing.
const COPIES: [f64; 4] = [1.0, 0.0, 2.0, f64::NAN];

/// The code of a missing genotype.
const MISSING: u64 = 0b11;

/// The codes of 0, 1 and 2 copies, and of a missing genotype.
const CODES: [u64; 4] = [0b01, 0b00, 0b10, MISSING];

/// The genotypes of one variant, at two bits each: copies 0, 1 or 2 of an allele, or missing. Clones share them, and so may
/// those of other variants.
#[derive(Clone)]
pub struct Genotypes {
    words: Arc<Words>,
    start: usize,
    counts: GenotypeCounts,
}

/// A word whose alleles are exchanged: its lower bits are the upper ones.
fn exchanged(word: u64) -> u64 {
    (word & LOWER) << 1 | word >> 1 & LOWER
}

impl Genotypes {
    /// Words of a variant of n people.
    pub(crate) fn stride(n: usize) -> usize {
        n.div_ceil(OF_WORD).next_multiple_of(PADDED)
    }

    /// Fills the words of a variant of n people from a `.bed`: what its last byte has beyond them is nobody's.
    ///
    /// *Shapes:* `bytes` has ⌈n / 4⌉, `words` as many as [`stride`](Self::stride) says.
    pub(crate) fn fill_from_bed(bytes: &[u8], n: usize, words: &mut [u64]) {
        let (whole, rest) = bytes.as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let eights = whole.iter().chain([&last]);
        for (word, eight) in words.iter_mut().zip(eights) {
            *word = u64::from_le_bytes(*eight) ^ !LOWER;
        }
        Self::clear_behind(words, n);
    }

    /// Clears what words have behind the last of n people.
    fn clear_behind(words: &mut [u64], n: usize) {
        let whole = n / OF_WORD;
        if let Some(last) = words.get_mut(whole) {
            *last &= !(u64::MAX << (2 * (n % OF_WORD)));
        }
        for word in words.iter_mut().skip(whole + 1) {
            *word = 0;
        }
    }

    /// Fills the words of some people of a variant from those of all.
    ///
    /// *Shapes:* `words` has as many as the stride of the rows says.
    pub(crate) fn fill_selected(all: &[u64], rows: &[usize], words: &mut [u64]) {
        for (word, rows) in words.iter_mut().zip(rows.chunks(OF_WORD)) {
            let codes = rows
                .iter()
                .rev()
                .map(|row| all[row / OF_WORD] >> (2 * (row % OF_WORD)) & 0b11);
            *word = codes.fold(0, |word, code| word << 2 | code);
        }
    }

    /// Those of a variant of n people that stand at a place of the words of many.
    pub(crate) fn part(words: Arc<Words>, start: usize, n: usize) -> Self {
        let counts = GenotypeCounts::of(&words[start..][..Self::stride(n)], n);
        Self::counted(words, start, counts)
    }

    /// The same, of a variant whose genotypes have been counted.
    pub(crate) fn counted(words: Arc<Words>, start: usize, counts: GenotypeCounts) -> Self {
        Self {
            words,
            start,
            counts,
        }
    }

    /// Those of codes, one a person.
    fn of_codes(codes: impl ExactSizeIterator<Item = u64>) -> Self {
        let n = codes.len();
        let mut words = vec![0; Self::stride(n)];
        for (row, code) in codes.enumerate() {
            words[row / OF_WORD] |= code << (2 * (row % OF_WORD));
        }
        Self::part(Arc::new(words.into()), 0, n)
    }

    /// Those of numbers of copies: of anything but 0, 1 and 2 the genotype is missing.
    ///
    /// *Shapes:* one for each person.
    pub fn of_copies(copies: &[u8]) -> Self {
        let code = |copies: &u8| CODES[usize::from(*copies).min(3)];
        Self::of_codes(copies.iter().map(code))
    }

    /// People.
    pub fn len(&self) -> usize {
        self.known() + self.missing()
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// People whose genotype is missing.
    pub fn missing(&self) -> usize {
        self.counts.missing
    }

    /// People whose genotype is known.
    pub fn known(&self) -> usize {
        self.counts.known()
    }

    /// The mean number of copies among those who are known; NaN where nobody is.
    pub fn mean(&self) -> f64 {
        self.counts.mean()
    }

    /// The copies of everybody, the mean of the others where they are missing.
    pub(crate) fn numbers_with_mean(&self) -> Vec<f64> {
        let mut numbers = vec![0.0; self.len()];
        self.unpack([0.0, 1.0, 2.0, self.mean()], &mut numbers);
        numbers
    }

    /// Whether two people who are known have different genotypes.
    pub(crate) fn varies(&self) -> bool {
        !self.counts.copies.contains(&self.known())
    }

    pub(crate) fn words(&self) -> &[u64] {
        self.words_of(1)
    }

    /// Whether these lie in memory behind others of as many people.
    pub(crate) fn follows(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.words, &other.words)
            && self.start == other.start + Self::stride(other.len())
    }

    /// The words of so many variants that [lie behind one another](Self::follows), this the first.
    pub(crate) fn words_of(&self, count: usize) -> &[u64] {
        &self.words[self.start..][..count * Self::stride(self.len())]
    }

    /// The memory that these lie in; none of a file.
    pub(crate) fn memory(&self) -> Option<&[u64]> {
        self.words.are_in_memory().then_some(&self.words)
    }

    fn code(&self, row: usize) -> u64 {
        self.words()[row / OF_WORD] >> (2 * (row % OF_WORD)) & 0b11
    }

    /// The copies that a person has, counted from 0; NaN where they are missing.
    pub fn copies(&self, row: usize) -> f64 {
        COPIES[self.code(row) as usize]
    }

    /// The copies of everybody, and this byte where they are missing.
    pub fn to_bytes(&self, missing: u8) -> Vec<u8> {
        let of = [1, 0, 2, missing];
        (0..self.len())
            .map(|row| of[self.code(row) as usize])
            .collect()
    }

    /// How often each genotype occurs.
    pub fn counts(&self) -> GenotypeCounts {
        self.counts
    }

    /// The people whose genotype is missing, counted from 0, ascending.
    pub(crate) fn missing_rows(&self) -> impl Iterator<Item = usize> + '_ {
        let rows = if self.missing() == 0 { 0 } else { self.len() };
        (0..rows).filter(|row| self.code(*row) == MISSING)
    }

    /// The genotypes of some people, each as often as it is named.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        let mut words = vec![0; Self::stride(rows.len())];
        Self::fill_selected(self.words(), rows, &mut words);
        Self::part(Arc::new(words.into()), 0, rows.len())
    }

    /// Writes a number for each person, by the genotype: those of 0, 1 and 2 copies, and of a missing genotype.
    ///
    /// *Shapes:* `out` has n numbers.
    pub(crate) fn unpack<T: Copy + Default>(
        &self,
        [none, one, two, missing]: [T; 4],
        out: &mut [T],
    ) {
        let by_code = [one, none, two, missing];
        let mut four = [[T::default(); 4]; 256];
        for (byte, four) in four.iter_mut().enumerate() {
            *four = [0, 2, 4, 6].map(|at| by_code[byte >> at & 0b11]);
        }
        for (out, word) in out.chunks_mut(OF_WORD).zip(self.words()) {
            for (out, byte) in out.chunks_mut(4).zip(word.to_le_bytes()) {
                let four = &four[usize::from(byte)];
                match <&mut [T; 4]>::try_from(&mut *out) {
                    Ok(out) => *out = *four,
                    Err(_) => out.copy_from_slice(&four[..out.len()]),
                }
            }
        }
    }
}

impl PartialEq for Genotypes {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.words() == other.words()
    }
}

impl fmt::Debug for Genotypes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let copies = self.to_bytes(b'?').into_iter();
        f.debug_list().entries(copies).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Stream, uniform_below};

    /// Copies of n people, some of them missing (3).
    pub(super) fn drawn(n: usize, seed: u64, missing: bool) -> Vec<u8> {
        let mut stream = Stream::new(seed, 0);
        let kinds = if missing { 4 } else { 3 };
        (0..n)
            .map(|_| uniform_below(stream.next_word(), kinds) as u8)
            .collect()
    }

    #[test]
    fn genotypes_are_read_counted_and_selected() {
        for n in [1, 3, 4, 31, 32, 33, 255, 256, 257, 700] {
            let copies = drawn(n, n as u64, n % 2 == 0);
            let own = Genotypes::of_copies(&copies);
            assert_eq!(own.to_bytes(3), copies);
            // PLINK's own code, with rubbish behind the last person.
            let mut bed = vec![0xff_u8; n.div_ceil(4)];
            for (row, copies) in copies.iter().enumerate() {
                let code = [0b11, 0b10, 0b00, 0b01][usize::from(*copies)];
                bed[row / 4] &= !(0b11 << (2 * (row % 4)));
                bed[row / 4] |= code << (2 * (row % 4));
            }
            let mut words = vec![u64::MAX; Genotypes::stride(n)];
            Genotypes::fill_from_bed(&bed, n, &mut words);
            assert_eq!(
                Genotypes::part(Arc::new(words.into()), 0, n).words(),
                own.words()
            );
            let counted = |wanted: u8| copies.iter().filter(|own| **own == wanted).count();
            let counts = own.counts();
            assert_eq!(counts.copies, [0, 1, 2].map(counted));
            assert_eq!((counts.missing, own.missing()), (counted(3), counted(3)));
            let missing: Vec<usize> = own.missing_rows().collect();
            assert!(missing.iter().all(|row| copies[*row] == 3) && missing.len() == counted(3));
            let mut numbers = vec![0.0; n];
            own.unpack([10.0, 11.0, 12.0, 13.0], &mut numbers);
            let expected = copies.iter().map(|copies| 10.0 + f64::from(*copies));
            assert_eq!(numbers, expected.collect::<Vec<_>>());
            let rows: Vec<usize> = (0..n).flat_map(|row| vec![row; row % 3]).collect();
            let taken: Vec<u8> = rows.iter().map(|row| copies[*row]).collect();
            assert_eq!(own.select(&rows).to_bytes(3), taken);
        }
    }

    #[test]
    fn frequencies_are_of_those_who_are_known() {
        let counts = Genotypes::of_copies(&[2, 2, 1, 3, 3]).counts();
        assert_eq!((counts.known(), counts.mean()), (3, 5.0 / 3.0));
        assert!((counts.minor_allele_frequency() - 1.0 / 6.0).abs() < 1e-15);
    }
}
