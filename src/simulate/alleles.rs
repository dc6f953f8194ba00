//! Alleles and genotypes of many people at once, one bit an allele.
//!
//! An event of probability p is a binary digit of p, the K-th after the point, where K = k with probability 2⁻ᵏ. So each
//! plane of random bits settles half of the events of a word that are still open, and a digit of p says how; no logarithm
//! and no comparison of numbers takes part.

use super::random::{Random, ln};
use crate::random::Stream;

/// Words that are drawn together, and the people of one.
const WORDS: usize = 4;
const OF_WORD: usize = 64;

/// One bit for each of 256 people.
type Plane = [u64; WORDS];

/// What the genotypes of 256 people take.
const BYTES: usize = WORDS * OF_WORD / 4;

/// Planes that are drawn for all; an event of 256 is still open then, and gets a word of its own.
const PLANES: u32 = 8;

/// The lower bit of every genotype.
const LOWER: u64 = 0x5555_5555_5555_5555;

/// A probability from 0 to 1 as its first 64 binary digits.
fn digits(probability: f64) -> u64 {
    (probability * 2.0_f64.powi(64)) as u64
}

/// Draws events whose probability depends on an earlier one: the first where that did not occur, the second where it did.
fn draw(stream: &mut Stream, before: Plane, [without, with]: [u64; 2]) -> Plane {
    let (mut open, mut drawn) = ([u64::MAX; WORDS], [0; WORDS]);
    for at in 0..PLANES {
        let [without, with] = [without, with].map(|digits| (digits << at >> 63).wrapping_neg());
        for word in 0..WORDS {
            let settled = open[word] & stream.next_word();
            open[word] &= !settled;
            drawn[word] |= settled & (without ^ before[word] & (without ^ with));
        }
    }
    for word in 0..WORDS {
        while open[word] != 0 {
            let place = open[word].trailing_zeros();
            open[word] &= open[word] - 1;
            let at = PLANES + stream.next_word().leading_zeros();
            let digits = [without, with][(before[word] >> place & 1) as usize];
            drawn[word] |= (digits.checked_shl(at).unwrap_or(0) >> 63) << place;
        }
    }
    drawn
}

/// Fills rows of a `.bed`, one a variant, of alleles with one frequency. Each allele of a person's two haplotypes is the
/// one before with probability ρ, and otherwise drawn anew.
pub(super) fn fill(stream: &mut Stream, frequency: f64, rho: f64, rows: Vec<&mut [u8]>) {
    let groups = rows.first().map_or(0, |row| row.len().div_ceil(BYTES));
    let mut haplotypes = vec![[[0; WORDS]; 2]; groups];
    let first = [digits(frequency); 2];
    let others = [(1.0 - rho) * frequency, rho + (1.0 - rho) * frequency].map(digits);
    for (at, row) in rows.into_iter().enumerate() {
        let probabilities = if at == 0 { first } else { others };
        for (bytes, pair) in row.chunks_mut(BYTES).zip(&mut haplotypes) {
            *pair = pair.map(|before| draw(stream, before, probabilities));
            let [a, b] = *pair;
            let mut words = [0; 2 * WORDS];
            for word in 0..WORDS {
                // As PLINK codes copies: 00 is two, 10 one, 11 none.
                let (lower, upper) = (!(a[word] | b[word]), !(a[word] & b[word]));
                words[2 * word] = lower & LOWER | (upper & LOWER) << 1;
                words[2 * word + 1] = lower >> 1 & LOWER | upper & !LOWER;
            }
            put(words, bytes);
        }
    }
}

/// Makes genotypes of n people missing, each with this probability: to the next one are ⌊ln u / ln(1 − p)⌋ others, with u
/// uniform in (0, 1).
pub(super) fn mask(random: &mut Random, probability: f64, n: usize, row: &mut [u8]) {
    let rate = ln(1.0 - probability);
    // Else it is too small to occur.
    let mut at = if rate < 0.0 { 0 } else { n };
    while at < n {
        at = at.saturating_add((random.ln_unit() / rate) as usize);
        if at < n {
            let place = 2 * (at % 4);
            row[at / 4] = row[at / 4] & !(0b11 << place) | 0b01 << place;
        }
        at = at.saturating_add(1);
    }
}

fn put(words: [u64; 2 * WORDS], bytes: &mut [u8]) {
    for (bytes, word) in bytes.chunks_mut(8).zip(words) {
        let word = word.to_le_bytes();
        bytes.copy_from_slice(&word[..bytes.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_occur_as_often_as_asked_and_by_what_was_before() {
        let mut stream = Stream::new(3, 0);
        let before = [0, u64::MAX, LOWER, !LOWER];
        for (without, with) in [
            (0.0, 1.0),
            (0.5, 0.25),
            (0.013, 0.987),
            (1.0 / 3.0, 2e-5),
            (0.001, 0.002),
        ] {
            let draws = 20_000;
            let mut counts = [0_u32; 2];
            for _ in 0..draws {
                let drawn = draw(&mut stream, before, [without, with].map(digits));
                for (drawn, before) in drawn.into_iter().zip(before) {
                    counts[0] += (drawn & !before).count_ones();
                    counts[1] += (drawn & before).count_ones();
                }
            }
            for (count, probability) in counts.into_iter().zip([without, with]) {
                // Half of the 256 events each. Five standard errors, as everywhere.
                let trials = f64::from(128 * draws);
                let error = (trials * probability * (1.0 - probability)).sqrt();
                let off = f64::from(count) - trials * probability;
                assert!(off.abs() <= 5.0 * error, "{probability}: {count}");
            }
        }
    }

    #[test]
    fn events_of_one_word_are_independent() {
        let mut stream = Stream::new(4, 0);
        let (draws, p) = (100_000, 0.3);
        // Of neighbours, of the first and last, and of one place in two words.
        let mut both = [0_u32; 3];
        for _ in 0..draws {
            let [a, b, ..] = draw(&mut stream, [0; WORDS], [digits(p); 2]);
            both[0] += (a & a >> 1 & 1) as u32;
            both[1] += (a & a >> 63 & 1) as u32;
            both[2] += (a & b & 1) as u32;
        }
        let error = (f64::from(draws) * p * p * (1.0 - p * p)).sqrt();
        for both in both {
            let off = f64::from(both) - f64::from(draws) * p * p;
            assert!(off.abs() < 5.0 * error, "{both}");
        }
    }

    #[test]
    fn rows_of_any_length_are_the_beginnings_of_longer_ones() {
        let row = |bytes: usize| {
            let mut row = vec![0; bytes];
            fill(&mut Stream::new(1, 0), 0.3, 0.0, vec![&mut row]);
            mask(&mut Random::of(1, 1), 0.2, 4 * bytes, &mut row);
            row
        };
        let long = row(640);
        for bytes in [1, 7, 8, 9, 63, 64, 65, 128, 500] {
            assert_eq!(row(bytes), long[..bytes]);
        }
        let codes = long
            .iter()
            .flat_map(|byte| [0, 2, 4, 6].map(|at| byte >> at & 3));
        let mut counts = [0_u32; 4];
        codes.for_each(|code| counts[usize::from(code)] += 1);
        // 2,560 people: two copies, missing, one, none.
        for (count, share) in counts.into_iter().zip([0.072, 0.2, 0.336, 0.392]) {
            let expected: f64 = 2560.0 * share;
            let error = (expected * (1.0 - share)).sqrt();
            assert!(
                (f64::from(count) - expected).abs() < 5.0 * error,
                "{counts:?}"
            );
        }
    }
}
