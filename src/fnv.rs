//! The 128-bit FNV-1a hash, for fingerprints. It is not cryptographic: it guards a user's own
//! files.

use std::array;

use crate::threads::map_each;

/// A hash under construction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fnv(u128);

impl Fnv {
    pub(crate) fn new() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    pub(crate) fn bytes(self, bytes: &[u8]) -> Self {
        bytes
            .iter()
            .fold(self, |hash, &byte| hash.word(byte.into()))
    }

    /// Appends the length of a part, then its bytes, so that parts cannot run into one another.
    pub(crate) fn part(self, bytes: &[u8]) -> Self {
        self.bytes(&(bytes.len() as u64).to_le_bytes()).bytes(bytes)
    }

    /// Appends the bits of numbers, a word at a time: eight times as fast as their bytes.
    pub(crate) fn numbers(self, numbers: &[f64]) -> Self {
        numbers
            .iter()
            .fold(self, |hash, number| hash.word(number.to_bits()))
    }

    /// Appends numbers so that lists equal by `==` have equal hashes: zeros of both signs are one. A
    /// product of words of 64 bits whose halves are mixed is several times as fast as one of 128.
    pub(crate) fn equal_numbers(self, numbers: &[f64]) -> Self {
        let mix = |lane: u64, number: &f64| {
            let word = lane ^ (number + 0.0).to_bits();
            let product = u128::from(word) * 0x9e37_79b9_7f4a_7c15;
            product as u64 ^ (product >> 64) as u64
        };
        // Four at a time do not wait for one another's products.
        let (fours, rest) = numbers.as_chunks::<4>();
        let start = array::from_fn(|lane| self.0 as u64 ^ lane as u64);
        let lanes = fours.iter().fold(start, |lanes: [u64; 4], numbers| {
            array::from_fn(|lane| mix(lanes[lane], &numbers[lane]))
        });
        let hash = lanes.into_iter().fold(self, Self::word);
        rest.iter()
            .fold(hash, |hash, number| hash.word((number + 0.0).to_bits()))
    }

    fn word(self, word: u64) -> Self {
        let prime = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        Self((self.0 ^ u128::from(word)).wrapping_mul(prime))
    }

    pub(crate) fn finish(self) -> u128 {
        self.0
    }
}

/// Parts of hashes that threads sort, each one by itself.
const PARTS: u128 = 32;

/// The positions of hashes that are equal, each group ascending: those of two or more.
pub(crate) fn equal_hashes(hashes: &[u128]) -> Vec<Vec<usize>> {
    let groups = map_each((0..PARTS).collect(), |part| {
        let own = hashes.iter().copied().zip(0..);
        let own = own.filter(|(hash, _)| hash % PARTS == part);
        let mut own: Vec<(u128, usize)> = own.collect();
        own.sort_unstable();
        let alike = own.chunk_by(|one, other| one.0 == other.0);
        let alike = alike.filter(|alike| alike.len() > 1);
        let places = |alike: &[(u128, usize)]| alike.iter().map(|own| own.1).collect();
        alike.map(places).collect::<Vec<Vec<usize>>>()
    });
    groups.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::with_helpers;

    #[test]
    fn hashes_of_bytes_are_the_published_ones() {
        let hash = |text: &str| Fnv::new().bytes(text.as_bytes()).finish();
        assert_eq!(hash("a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
        assert_eq!(hash("foobar"), 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18);
    }

    #[test]
    fn equal_hashes_are_found_by_any_number_of_threads() {
        let hashes: Vec<u128> = (0..5_000_u128)
            .map(|at| at * at % 4_001)
            .map(|own| own << 70 | own)
            .collect();
        let mut expected: Vec<Vec<usize>> = Vec::new();
        for (at, hash) in hashes.iter().enumerate() {
            match expected.iter_mut().find(|own| hashes[own[0]] == *hash) {
                Some(own) => own.push(at),
                None => expected.push(vec![at]),
            }
        }
        expected.retain(|own| own.len() > 1);
        assert!(expected.len() > 1_000);
        for threads in [1, 3] {
            let mut found = with_helpers(threads, || equal_hashes(&hashes));
            found.sort_unstable();
            assert_eq!(found, expected);
        }
        assert!(equal_hashes(&[]).is_empty());
    }

    #[test]
    fn different_data_have_different_hashes() {
        let of = |numbers: &[f64]| Fnv::new().numbers(numbers).finish();
        let all = [
            of(&[1.0, 2.0]),
            of(&[2.0, 1.0]),
            of(&[-1.0, -2.0]),
            of(&[-1.0, 2.0]),
            of(&[1.0]),
            of(&[0.0]),
            of(&[-0.0]),
            of(&[]),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(!all[..at].contains(one), "{at}");
        }
        let parts = |a: &str, b: &str| Fnv::new().part(a.as_bytes()).part(b.as_bytes()).finish();
        assert_ne!(parts("ab", "c"), parts("a", "bc"));
    }
}
