//! The record of a variant in a `.pgen` of PLINK 2: its genotypes, and its dosages.
//!
//! The kind of a record is a byte. Its three lowest bits say how the genotypes are written: two bits each, one bit each with
//! a list of those who have none of two genotypes, as differences from a variant before, or from one genotype of all. The
//! others say what follows them: those of further alleles, phases, dosages.
//!
//! *Source:* the PGEN specification, <https://github.com/chrchang/plink-ng/tree/master/pgen_spec>.

use super::{CODES, COPIES, GenotypeCounts, Genotypes, LOWER, OF_WORD, exchanged};

/// What is wrong with a record.
pub(crate) type Damage = &'static str;

const SHORT: Damage = "ends too early";

/// People of a group of a list, the first of whom is written in full.
const OF_GROUP: usize = 64;

/// Bits of a kind that say what follows the genotypes.
const FURTHER_ALLELES: u8 = 1 << 3;
const PHASES: u8 = 1 << 4;
const DOSAGES: u8 = 0b11 << 5;

/// A dosage of one copy.
const COPY: f64 = 16384.0;

/// Whether genotypes are written as differences from those of the last variant of another kind.
pub(crate) fn needs_base(kind: u8) -> bool {
    matches!(kind & 0b111, 2 | 3)
}

/// Whether genotypes of a third allele are there.
pub(crate) fn has_further_alleles(kind: u8) -> bool {
    kind & FURTHER_ALLELES != 0
}

/// Whether dosages are there.
pub(crate) fn has_dosages(kind: u8) -> bool {
    kind & DOSAGES != 0
}

/// The part of a record that is not read yet.
pub(crate) struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Damage> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(SHORT)?;
        self.0 = rest;
        Ok(taken)
    }

    /// A number whose bytes hold 7 bits each, the lowest first.
    fn varint(&mut self) -> Result<usize, Damage> {
        let mut value = 0;
        for shift in [0, 7, 14, 21, 28] {
            let byte = u64::from(self.take(1)?[0]);
            value |= (byte & 0x7f) << shift;
            if byte < 0x80 {
                return usize::try_from(value).map_err(|_| SHORT);
            }
        }
        Err("has a number of more than five bytes")
    }

    /// A list of people, ascending, of n: what becomes of each, with a value of two bits where they have one.
    fn list(
        &mut self,
        n: usize,
        has_values: bool,
        mut of: impl FnMut(usize, usize),
    ) -> Result<usize, Damage> {
        let count = self.varint()?;
        if count == 0 {
            return Ok(0);
        }
        if count > n {
            return Err("lists more people than there are");
        }
        let width = match n {
            ..=0x100 => 1,
            0x101..=0x1_0000 => 2,
            0x1_0001..=0x100_0000 => 3,
            _ => 4,
        };
        let groups = count.div_ceil(OF_GROUP);
        let firsts = self.take(groups * width)?;
        // How long each group is, which nobody needs who reads them all.
        self.take(groups - 1)?;
        let values = self.take(if has_values { count.div_ceil(4) } else { 0 })?;
        let mut person = 0;
        for place in 0..count {
            let before = (place > 0).then_some(person);
            person = match place % OF_GROUP {
                0 => {
                    let first = &firsts[place / OF_GROUP * width..][..width];
                    first
                        .iter()
                        .rev()
                        .fold(0, |all, byte| all << 8 | usize::from(*byte))
                }
                _ => person.saturating_add(self.varint()?),
            };
            if person >= n {
                return Err("lists somebody behind the last person");
            }
            if before.is_some_and(|before| person <= before) {
                return Err("lists people who do not ascend");
            }
            let value = values
                .get(place / 4)
                .map_or(0, |byte| byte >> (2 * (place % 4)));
            of(person, usize::from(value & 0b11));
        }
        Ok(count)
    }

    /// Genotypes of people who differ from what the words have.
    fn patch(&mut self, n: usize, words: &mut [u64]) -> Result<(), Damage> {
        let set = |person: usize, copies: usize| {
            let shift = 2 * (person % OF_WORD);
            let word = &mut words[person / OF_WORD];
            *word = *word & !(0b11 << shift) | CODES[copies] << shift;
        };
        self.list(n, true, set).map(drop)
    }
}

/// The same two bits for each genotype of a word.
fn of_all(copies: usize) -> u64 {
    CODES[copies] * LOWER
}

/// Fills the words of a variant of n people from its record; `base` are those of the last variant whose genotypes are no
/// differences. Returns what follows the genotypes in the record.
///
/// *Shapes:* `words` and `base` have as many as [`Genotypes::stride`] says.
///
/// # Errors
/// What is wrong with the record.
pub(crate) fn fill<'a>(
    kind: u8,
    record: &'a [u8],
    n: usize,
    base: &[u64],
    words: &mut [u64],
) -> Result<Rest<'a>, Damage> {
    let mut rest = Rest(record);
    match kind & 0b111 {
        0 => {
            let bytes = rest.take(n.div_ceil(4))?;
            for (word, bytes) in words.iter_mut().zip(bytes.chunks(8)) {
                let mut eight = [0; 8];
                eight[..bytes.len()].copy_from_slice(bytes);
                let copies = u64::from_le_bytes(eight);
                // The upper bits are the codes' own; the lower ones are set where both are equal.
                *word = copies & !LOWER | !(copies ^ copies >> 1) & LOWER;
            }
        }
        1 => {
            let two = usize::from(rest.take(1)?[0]);
            let (unset, set) = (two >> 2, (two >> 2) + (two & 0b11));
            if ![1, 2, 3, 5, 6, 9].contains(&two) {
                return Err("does not say which two genotypes are its bits");
            }
            let bits = rest.take(n.div_ceil(8))?;
            for (word, bits) in words.iter_mut().zip(bits.chunks(4)) {
                let mut four = [0; 4];
                four[..bits.len()].copy_from_slice(bits);
                let is_set = spread(u32::from_le_bytes(four)) * 0b11;
                *word = of_all(set) & is_set | of_all(unset) & !is_set;
            }
            rest.patch(n, words)?;
        }
        2 | 3 => {
            if base.len() != words.len() {
                return Err("has differences from no variant");
            }
            words.copy_from_slice(base);
            rest.patch(n, words)?;
            if kind & 1 == 1 {
                words.iter_mut().for_each(|word| *word = exchanged(*word));
            }
        }
        5 => words.fill(of_all(0)),
        most => {
            words.fill(of_all(usize::from(most & 0b11)));
            rest.patch(n, words)?;
        }
    }
    Genotypes::clear_behind(words, n);
    if kind >> 3 == 0 && !rest.0.is_empty() {
        return Err("goes on behind its genotypes");
    }
    Ok(rest)
}

/// The bits of a number, a 0 behind each.
fn spread(bits: u32) -> u64 {
    let apart = |bits: u64, by: u32, mask: u64| (bits | bits << by) & mask;
    let bits = apart(u64::from(bits), 16, 0x0000_ffff_0000_ffff);
    let bits = apart(bits, 8, 0x00ff_00ff_00ff_00ff);
    let bits = apart(bits, 4, 0x0f0f_0f0f_0f0f_0f0f);
    let bits = apart(bits, 2, 0x3333_3333_3333_3333);
    apart(bits, 1, LOWER)
}

/// Copies that a variant's people are expected to have: their dosages, and the genotypes of those who have none; NaN where
/// both are missing.
///
/// *Shapes:* `words` are the genotypes of n people; `rest` is what follows them in the record.
///
/// # Errors
/// What is wrong with the record.
pub(crate) fn dosages(
    kind: u8,
    mut rest: Rest,
    n: usize,
    words: &[u64],
) -> Result<Vec<f64>, Damage> {
    if kind & PHASES != 0 {
        skip_phases(&mut rest, GenotypeCounts::of(words, n).copies[1])?;
    }
    let code = |person: usize| words[person / OF_WORD] >> (2 * (person % OF_WORD)) & 0b11;
    let mut copies: Vec<f64> = (0..n).map(|person| COPIES[code(person) as usize]).collect();
    let mut known = Vec::new();
    match kind & DOSAGES {
        0b01_00000 => {
            rest.list(n, false, |person, _| known.push(person))?;
        }
        0b10_00000 => known.extend(0..n),
        _ => {
            let bits = rest.take(n.div_ceil(8))?;
            known.extend((0..n).filter(|person| bits[person / 8] >> (person % 8) & 1 == 1));
        }
    }
    let values = rest.take(2 * known.len())?;
    for (person, value) in known.into_iter().zip(values.chunks_exact(2)) {
        copies[person] = match u16::from_le_bytes([value[0], value[1]]) {
            u16::MAX => f64::NAN,
            value @ ..=0x8000 => f64::from(value) / COPY,
            _ => return Err("has a dosage of more than two copies"),
        };
    }
    Ok(copies)
}

/// Passes over the phases of heterozygous people.
fn skip_phases(rest: &mut Rest, heterozygous: usize) -> Result<(), Damage> {
    let is_told = rest.0.first().ok_or(SHORT)? & 1 == 1;
    let first = rest.take((1 + heterozygous).div_ceil(8))?;
    if is_told {
        // Behind the bit that says so, a bit for each: whether their phase is known.
        let set: u32 = first.iter().map(|byte| byte.count_ones()).sum();
        rest.take((set as usize - 1).div_ceil(8))?;
    }
    Ok(())
}
