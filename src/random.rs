//! Random words from a seed by ChaCha8: the only source of randomness.

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

/// One of the 2⁶⁴ independent streams of a seed.
#[derive(Debug, Clone)]
pub(crate) struct Stream(ChaCha8Rng);

impl Stream {
    pub(crate) fn new(seed: u64, number: u64) -> Self {
        // The seed becomes ChaCha's key as it is: how the library expands a small seed may change
        // between its versions.
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut stream = ChaCha8Rng::from_seed(key);
        stream.set_stream(number);
        Self(stream)
    }

    /// The stream with this number, after `words` words were drawn.
    pub(crate) fn resume_at(seed: u64, number: u64, words: u64) -> Self {
        let mut stream = Self::new(seed, number);
        // ChaCha counts words of 32 bits.
        stream.0.set_word_pos(2 * u128::from(words));
        stream
    }

    pub(crate) fn words_drawn(&self) -> u64 {
        (self.0.get_word_pos() / 2) as u64
    }

    pub(crate) fn next_word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Shuffles items, every order equally likely (Fisher–Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, uniform_below(self.next_word(), last + 1));
        }
    }
}

/// Maps a word to an integer in 0 … count − 1, by its high bits; the bias is below count / 2⁶⁴.
/// Returns 0 for count = 0.
pub(crate) fn uniform_below(word: u64, count: usize) -> usize {
    ((u128::from(word) * count as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_resumes_at_any_word() {
        let mut stream = Stream::new(7, 3);
        for drawn in 0..200 {
            assert_eq!(stream.words_drawn(), drawn);
            let mut other = Stream::resume_at(7, 3, drawn);
            assert_eq!(other.words_drawn(), drawn);
            let word = stream.next_word();
            assert_eq!(other.next_word(), word);
        }
    }
}
