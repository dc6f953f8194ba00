//! The files of PLINK 2: records of every kind, written here by the specification, and files that PLINK 2 wrote.

use passel::table::{Cohort, GenotypeEncoding, Genotypes};

use super::*;

/// A missing genotype.
const NO: u8 = 3;

/// Numbers that look drawn.
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % most
    }
}

/// 7 bits a byte, the lowest first.
fn varint(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 0x7f {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// Values of so many bits, the first in the lowest.
fn packed(values: impl IntoIterator<Item = u8>, bits: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (at, value) in values.into_iter().enumerate() {
        let each = 8 / bits;
        if at % each == 0 {
            bytes.push(0);
        }
        *bytes.last_mut().expect("one was pushed") |= value << (bits * (at % each));
    }
    bytes
}

/// A list of some of n people, with values if there are to be any.
fn list(n: usize, people: &[usize], values: Option<&[u8]>) -> Vec<u8> {
    let mut bytes = varint(people.len());
    let width = [1 << 8, 1 << 16, 1 << 24]
        .iter()
        .filter(|most| n > **most)
        .count()
        + 1;
    for group in people.chunks(64) {
        bytes.extend(&group[0].to_le_bytes()[..width]);
    }
    let steps = people.chunks(64).map(|group| -> Vec<u8> {
        let step = |two: &[usize]| varint(two[1] - two[0]);
        group.windows(2).flat_map(step).collect()
    });
    let steps: Vec<Vec<u8>> = steps.collect();
    if let Some((_, whole)) = steps.split_last() {
        bytes.extend(whole.iter().map(|group| (group.len() - 63) as u8));
    }
    bytes.extend(packed(values.unwrap_or_default().iter().copied(), 2));
    bytes.extend(steps.concat());
    bytes
}

/// The list of those whose genotype is not that of the other.
fn differences(copies: &[u8], others: &[u8]) -> Vec<u8> {
    let differs = |at: &usize| copies[*at] != others[*at];
    let people: Vec<usize> = (0..copies.len()).filter(differs).collect();
    let values: Vec<u8> = people.iter().map(|at| copies[*at]).collect();
    list(copies.len(), &people, Some(&values))
}

/// Genotypes with the alleles exchanged.
fn exchanged(copies: &[u8]) -> Vec<u8> {
    let other = |copies: &u8| if *copies == NO { NO } else { 2 - copies };
    copies.iter().map(other).collect()
}

/// The record of genotypes, of a kind; of `base` they may be differences.
pub(super) fn record(kind: u8, copies: &[u8], base: &[u8]) -> Vec<u8> {
    let n = copies.len();
    match kind & 7 {
        0 => packed(copies.iter().copied(), 2),
        1 => {
            // The two that are bits: one of six pairs, by the number of people.
            let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
            let (low, high) = pairs[n % 6];
            let bits = packed(copies.iter().map(|own| u8::from(*own == high)), 1);
            let bit = |own: &u8| if *own == high { high } else { low };
            let near: Vec<u8> = copies.iter().map(bit).collect();
            [
                vec![low << 2 | (high - low)],
                bits,
                differences(copies, &near),
            ]
            .concat()
        }
        2 => differences(copies, base),
        3 => differences(&exchanged(copies), base),
        5 => Vec::new(),
        of_all => differences(copies, &vec![of_all & 3; n]),
    }
}

/// Phases of heterozygous people: of all of them, or of every second one.
fn phases(copies: &[u8], of_all: bool) -> Vec<u8> {
    let count = copies.iter().filter(|own| **own == 1).count();
    let phase = |at: usize| u8::from(at.is_multiple_of(3));
    if of_all {
        return packed([0].into_iter().chain((0..count).map(phase)), 1);
    }
    let known = (0..count).map(|at| u8::from(at.is_multiple_of(2)));
    let told = packed([1].into_iter().chain(known), 1);
    [told, packed((0..count.div_ceil(2)).map(phase), 1)].concat()
}

/// A file of storage mode 0x10 of records and their kinds, all of n people, whose index is written as `control` says.
pub(super) fn variable(n: usize, control: u8, records: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let width = usize::from(control & 3) + 1;
    let counts = [records.len() as u32, n as u32]
        .map(u32::to_le_bytes)
        .concat();
    let head = [&[0x6c, 0x1b, 0x10][..], &counts, &[control]].concat();
    let blocks: Vec<&[(u8, Vec<u8>)]> = records.chunks(1 << 16).collect();
    let mut index = Vec::new();
    for block in &blocks {
        let kinds = block.iter().map(|(kind, _)| *kind);
        index.extend(packed(kinds, if control & 4 == 0 { 4 } else { 8 }));
        let lengths = block.iter().map(|(_, record)| record.len().to_le_bytes());
        index.extend(lengths.flat_map(|length| length[..width].to_vec()));
        index.extend(vec![2; usize::from(control >> 4 & 3) * block.len()]);
        let has_flags = control >> 6 == 3;
        index.extend(vec![
            0xff;
            if has_flags {
                block.len().div_ceil(8)
            } else {
                0
            }
        ]);
    }
    let mut at = head.len() + 8 * blocks.len() + index.len();
    let mut starts = Vec::new();
    for block in &blocks {
        starts.extend((at as u64).to_le_bytes());
        at += block.iter().map(|(_, record)| record.len()).sum::<usize>();
    }
    let records = records.iter().flat_map(|(_, record)| record.clone());
    [head, starts, index, records.collect()].concat()
}

pub(super) fn pvar(variants: usize) -> String {
    let line = |at| format!("1\t{at}\tv{at}\tA\tC\n");
    let lines: String = (0..variants).map(line).collect();
    format!("##a=b\n#CHROM\tPOS\tID\tREF\tALT\n{lines}")
}

pub(super) fn psam(n: usize) -> String {
    let lines: String = (0..n).map(|at| format!("s{at}\tNA\t{at}.5\n")).collect();
    format!("#IID\tSEX\tbmi\n{lines}")
}

pub(super) fn three(
    pgen: &[u8],
    pvar: &str,
    psam: &str,
    cohort: &Cohort,
) -> Result<Table, TableError> {
    let folder = Folder::new();
    folder.write("t.pvar", pvar);
    folder.write("t.psam", psam);
    let options = ReadOptions {
        cohort: Some(cohort),
        ..ReadOptions::default()
    };
    read(&folder.write("t.pgen", pgen), &options)
}

fn all_of(pgen: &[u8], n: usize, variants: usize) -> Table {
    three(pgen, &pvar(variants), &psam(n), &Cohort::default()).expect("good")
}

fn assert_copies(column: &Column, copies: &[u8]) {
    let expected = Values::Genotypes(Genotypes::of_copies(copies));
    assert!(column.values == expected, "{}", column.name);
}

/// Variants of which a few people differ from the first, and some of whom nothing is known.
fn drawn(n: usize, variants: usize) -> Vec<Vec<u8>> {
    let mut drawn = Drawn(n as u64);
    let first: Vec<u8> = (0..n).map(|_| drawn.below(4) as u8).collect();
    let near = |at: usize| -> Vec<u8> {
        let own = first.iter().map(|own| match drawn.below(10) {
            0 => drawn.below(4) as u8,
            _ => *own,
        });
        let own: Vec<u8> = own.collect();
        if at % 3 == 2 { exchanged(&own) } else { own }
    };
    (0..variants).map(near).collect()
}

#[test]
fn every_kind_of_record_is_read() {
    // One byte, two and three bytes for a place in a list; more than a group; every pair of two genotypes.
    for n in [
        1, 2, 5, 63, 64, 65, 255, 256, 257, 700, 1_000, 1_001, 66_000,
    ] {
        let kinds = [0, 2, 3, 1, 2, 3, 4, 3, 2, 6, 2, 7, 3, 5, 2, 0, 0, 1];
        let mut genotypes = drawn(n, kinds.len());
        let mut records = Vec::new();
        let mut base = Vec::new();
        for (kind, own) in kinds.into_iter().zip(&mut genotypes) {
            if kind == 5 {
                own.fill(0);
            }
            records.push((kind, record(kind, own, &base)));
            if ![2, 3].contains(&kind) {
                base.clone_from(own);
            }
        }
        // Four bytes for a length; kinds of four bits or eight; with the numbers of alleles, and flags.
        for control in [0b0000_0011, 0b1101_0011, 0b0100_0111, 0b1111_0111] {
            let table = all_of(&variable(n, control, &records), n, kinds.len());
            for (column, own) in table.columns[1..].iter().zip(&genotypes) {
                assert_copies(column, own);
            }
        }
    }
}

#[test]
fn people_and_variants_are_chosen_among_differences() {
    let (n, kinds) = (90, [0, 2, 3, 0, 2, 1, 3, 2]);
    let genotypes = drawn(n, kinds.len());
    let (mut records, mut base) = (Vec::new(), 0);
    for (at, kind) in kinds.into_iter().enumerate() {
        base = if [2, 3].contains(&kind) { base } else { at };
        records.push((kind, record(kind, &genotypes[at], &genotypes[base])));
    }
    let folder = Folder::new();
    let cohort = Cohort {
        extract: Some(folder.write("variants", "v2\nv4\nv7\n")),
        remove: Some(folder.write("people", "s1\ns7\n")),
        ..Cohort::default()
    };
    let pgen = variable(n, 0, &records);
    let table = three(&pgen, &pvar(kinds.len()), &psam(n), &cohort).expect("good");
    assert_eq!(names(&table), ["bmi", "v2", "v4", "v7"]);
    for (column, at) in table.columns[1..].iter().zip([2, 4, 7]) {
        let own = genotypes[at].iter().enumerate();
        let own = own.filter(|(person, _)| ![1, 7].contains(person));
        assert_copies(column, &own.map(|(_, own)| *own).collect::<Vec<u8>>());
    }
}

/// More variants than are unpacked at a time, of which those of later times differ from one of an earlier.
#[test]
fn differences_may_be_from_a_variant_far_before() {
    let (n, variants) = (66_000, 150);
    let first: Vec<u8> = (0..n)
        .map(|person| (person * person / 7 % 4) as u8)
        .collect();
    let (mut genotypes, mut records) = (Vec::<Vec<u8>>::new(), Vec::new());
    for at in 0..variants {
        let mut own = first.clone();
        own[at * 31] = (own[at * 31] + 1) % 4;
        let kind = u8::from(at % 120 > 0) * 2;
        let base = at / 120 * 120;
        records.push((
            kind,
            record(kind, &own, genotypes.get(base).unwrap_or(&own)),
        ));
        genotypes.push(own);
    }
    let pgen = variable(n, 0b011, &records);
    let filters = Cohort {
        most_missing: Some(0.9),
        ..Cohort::default()
    };
    for cohort in [Cohort::default(), filters] {
        let table = three(&pgen, &pvar(variants), &psam(n), &cohort).expect("good");
        assert_eq!(table.columns.len(), variants + 1);
        for (column, own) in table.columns[1..].iter().zip(&genotypes) {
            assert_copies(column, own);
        }
    }
}

#[test]
fn variants_of_several_blocks_are_read() {
    let variants = (1 << 16) + 3;
    let of = |at: usize| [at % 4, at / 4 % 4].map(|own| own as u8);
    let records: Vec<(u8, Vec<u8>)> = (0..variants)
        .map(|at| (0, record(0, &of(at), &[])))
        .collect();
    for control in [0, 0b1110_0101] {
        let table = all_of(&variable(2, control, &records), 2, variants);
        for (at, column) in table.columns[1..].iter().enumerate() {
            assert_copies(column, &of(at));
        }
    }
}

#[test]
fn records_of_one_length_are_read() {
    let n = 21;
    let genotypes = drawn(n, 3);
    let counts = [3, n as u32].map(u32::to_le_bytes).concat();
    let dosages = |own: &[u8]| -> Vec<u16> {
        let of = |own: &u8| match *own {
            NO => u16::MAX,
            copies => u16::from(copies) * 16_384 / 2 + 4_096,
        };
        own.iter().map(of).collect()
    };
    for (mode, control) in [
        (1, None),
        (2, Some(0)),
        (2, Some(0xc0)),
        (3, Some(0)),
        (4, Some(0xc0)),
    ] {
        let mut pgen = vec![0x6c, 0x1b, mode];
        if let Some(control) = control {
            pgen.extend(&counts);
            pgen.push(control);
            pgen.extend(if control == 0 { &[][..] } else { &[0b101] });
        }
        for own in &genotypes {
            match mode {
                1 => pgen.extend(packed(
                    own.iter().map(|own| [3, 2, 0, 1][usize::from(*own)]),
                    2,
                )),
                _ => pgen.extend(packed(own.iter().copied(), 2)),
            }
            let values = if mode > 2 { dosages(own) } else { Vec::new() };
            pgen.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            pgen.extend(vec![0; if mode == 4 { 2 * n } else { 0 }]);
        }
        let table = all_of(&pgen, n, 3);
        for (at, own) in genotypes.iter().enumerate() {
            if mode < 3 {
                assert_copies(&table.columns[at + 1], own);
                continue;
            }
            let of = |value: u16| {
                if value == u16::MAX {
                    NAN
                } else {
                    f64::from(value) / 16_384.0
                }
            };
            let expected: Vec<f64> = dosages(own).into_iter().map(of).collect();
            assert_numbers(&table, at + 1, &expected);
        }
    }
}

#[test]
fn dosages_are_numbers_behind_genotypes_of_every_kind() {
    for n in [5, 64, 300] {
        let genotypes = drawn(n, 12);
        let (mut records, mut expected) = (Vec::new(), Vec::new());
        for (at, own) in genotypes.iter().enumerate() {
            let (main, form, with_phases) = ([0_u8, 1, 2, 3][at % 4], at / 4, at % 2 == 1);
            let base = &genotypes[at - usize::from(main.saturating_sub(1))];
            let mut bytes = record(main, own, base);
            if with_phases {
                bytes.extend(phases(own, at % 3 == 0));
            }
            let known: Vec<usize> = match form {
                1 => (0..n).collect(),
                _ => (0..n).filter(|person| person % 3 == 1).collect(),
            };
            bytes.extend(match form {
                0 => list(n, &known, None),
                1 => Vec::new(),
                _ => packed((0..n).map(|person| u8::from(person % 3 == 1)), 1),
            });
            let dosage = |person: usize| (person * 997 + at) as u16 % 32_769;
            bytes.extend(
                known
                    .iter()
                    .flat_map(|person| dosage(*person).to_le_bytes()),
            );
            let kind = main | u8::from(with_phases) << 4 | [0x20, 0x40, 0x60][form];
            records.push((kind, bytes));
            let copies = |person: usize| match known.contains(&person) {
                true => f64::from(dosage(person)) / 16_384.0,
                false if own[person] == NO => NAN,
                false => f64::from(own[person]),
            };
            expected.push((0..n).map(copies).collect::<Vec<f64>>());
        }
        let pgen = variable(n, 0b111, &records);
        let table = all_of(&pgen, n, 12);
        for (at, expected) in expected.iter().enumerate() {
            assert_numbers(&table, at + 1, expected);
        }
        let cohort = Cohort {
            encoding: GenotypeEncoding::Dominant,
            ..Cohort::default()
        };
        let table = three(&pgen, &pvar(12), &psam(n), &cohort).expect("good");
        let dominant = genotypes[0]
            .iter()
            .map(|own| if *own == 2 { 1 } else { *own });
        assert_copies(&table.columns[1], &dominant.collect::<Vec<u8>>());
    }
}
