//! The genotypes of the people and variants that are wanted.

mod bed;
mod filters;
mod room;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::super::format::Input;
use super::super::{GenotypeCounts, GenotypeEncoding, Genotypes, TableError, Values};
use super::people::People;
use super::records::{GenotypeFile, Kind, Record};
use super::variants::Variants;
use crate::genotypes::pgen::{self, Damage};
use crate::threads::{helpers, map_each, piece};
use filters::Failed;

/// Bytes that a thread reads or unpacks at a time: threads wait for one another after each.
const AT_ONCE: usize = piece(4 << 20);

/// What is read of files of genotypes.
pub(super) struct Selection<'a> {
    input: &'a Input<'a>,
    people: &'a People,
    /// People in the file.
    samples: usize,
    /// People that are used.
    n: usize,
    /// Of each variant whether this process reads it.
    own: Vec<bool>,
    /// How many were judged by the filters.
    tested: usize,
    failed: Failed,
    /// The variants with dosages that are read, of all ranks.
    dosages: BTreeSet<String>,
}

/// A variant that is unpacked, or one that others are differences from.
struct Piece<'a> {
    variant: usize,
    kind: Kind,
    bytes: &'a [u8],
    /// What becomes of it: the words of its genotypes, if it is wanted.
    words: Option<&'a mut [u64]>,
    outcome: Result<Verdict, Damage>,
}

/// A variant from which the next ones may be differences, and its record.
type Base = (usize, Kind, Vec<u8>);

/// A variant that was read, whether it has words, and what the filters say of it.
type Outcome = (usize, bool, Result<Verdict, Damage>);

/// What is kept of a variant until all are read.
enum Found {
    /// Where the words of its genotypes begin, and how often each occurs.
    Words(usize, GenotypeCounts),
    /// Its dosages.
    Numbers(Vec<f64>),
}

/// What the filters say of a variant.
enum Verdict {
    Passes(GenotypeCounts),
    /// It is there for others alone.
    Unjudged,
    /// It passes, and has dosages.
    Dosages(Vec<f64>),
    Rare,
    Missing,
}

impl<'a> Selection<'a> {
    pub(super) fn new(
        input: &'a Input,
        (people, variants): (&'a People, &Variants),
        samples: usize,
    ) -> Self {
        let mut selection = Self {
            input,
            people,
            samples,
            n: people.rows.as_ref().map_or(samples, Vec::len),
            own: Vec::new(),
            tested: 0,
            failed: Failed::default(),
            dosages: BTreeSet::new(),
        };
        selection.take_own(variants);
        selection
    }

    /// Takes those that the partition of the columns gives this process.
    fn take_own(&mut self, variants: &Variants) {
        // What stands before the variants.
        let people = self.people;
        let mut place = people.phenotypes.len().max(1) + people.covariates.len();
        let wanted = variants.wanted.iter().filter(|wanted| **wanted).count();
        let width = place + wanted;
        let of_variant = |(name, wanted): (&String, &bool)| {
            let own = *wanted && self.input.partition.reads(place, width, name);
            place += usize::from(*wanted);
            own
        };
        let all = variants.names.iter().zip(&variants.wanted);
        self.own = all.map(of_variant).collect();
        self.tested = wanted;
    }

    /// The names of the variants with dosages that were read, here or by another rank.
    pub(super) fn into_dosages(self) -> BTreeSet<String> {
        self.dosages
    }

    /// Reads the variants of a file, which stand in this range among all: the values of those that are wanted, none where the
    /// filters leave one out.
    pub(super) fn read(
        &mut self,
        file: &mut GenotypeFile,
        range: Range<usize>,
        variants: &Variants,
    ) -> Result<Vec<Option<Values>>, TableError> {
        let (names, own) = (
            &variants.names[range.clone()],
            self.own[range.clone()].to_vec(),
        );
        let words = Genotypes::stride(self.n);
        let is_of_numbers = |at: usize| self.takes_dosages(file.records[at].kind);
        let of_dosages = (0..own.len()).filter(|at| variants.wanted[range.start + at]);
        let of_dosages = of_dosages.filter(|at| is_of_numbers(*at));
        let of_dosages: Vec<String> = of_dosages.map(|at| names[at].clone()).collect();
        for at in (0..own.len()).filter(|at| own[*at]) {
            if file.records[at].kind.has_further_alleles() {
                let damage = "has genotypes of a third allele, which is not told beside it";
                return Err(file.damaged(at, &names[at], damage));
            }
        }
        let packed = (0..own.len())
            .filter(|at| own[*at] && !is_of_numbers(*at))
            .count();
        let numbers = own.iter().filter(|own| **own).count() - packed;
        let held = words.saturating_mul(packed);
        let mut all = self.room(held, numbers.saturating_mul(self.n))?;
        let needed = needed(&file.records, &own);
        // Of each variant that is read and passes the filters.
        let mut found: Vec<Option<Found>> = own.iter().map(|_| None).collect();
        let (mut at, mut end, mut bytes) = (0, 0, Vec::new());
        // The variant from which the next ones may be differences.
        let mut base: Option<Base> = None;
        while let Some(first) = (at..own.len()).find(|at| needed[*at]) {
            let run = self.run(&file.records, &needed, first);
            at = run.end;
            let of_bed = self.read_bed(file, (run.clone(), &own), &mut all[end..])?;
            let outcomes = match of_bed {
                Some(outcomes) => outcomes,
                None => {
                    let kept = (&mut bytes, &mut base);
                    self.read_run(file, run, &own, kept, &mut all[end..])?
                }
            };
            let mut from = end;
            for (variant, is_packed, outcome) in outcomes {
                let verdict =
                    outcome.map_err(|damage| file.damaged(variant, &names[variant], damage))?;
                // Of one that is there for the others alone all was said before.
                if !own[variant] || variant < first {
                    continue;
                }
                match verdict {
                    Verdict::Passes(counts) => {
                        if from > end {
                            all.copy_within(from..from + words, end);
                        }
                        found[variant] = Some(Found::Words(end, counts));
                        end += words;
                    }
                    Verdict::Unjudged => {}
                    Verdict::Dosages(numbers) => found[variant] = Some(Found::Numbers(numbers)),
                    Verdict::Rare => self.failed.rare += 1,
                    Verdict::Missing => self.failed.missing += 1,
                }
                from += if is_packed { words } else { 0 };
            }
        }
        if end < all.len() {
            all.truncate(end);
        }
        self.dosages.extend(of_dosages);
        let all = Arc::new(all);
        let wanted = &variants.wanted[range];
        let stays = (0..own.len()).zip(found).filter(|(at, _)| wanted[*at]);
        Ok(map_each(stays.collect(), |(at, found)| match found {
            Some(Found::Numbers(numbers)) => Some(Values::from(numbers)),
            Some(Found::Words(place, counts)) => {
                let part = Genotypes::counted(Arc::clone(&all), place, counts);
                Some(Values::Genotypes(part))
            }
            None => (!own[at]).then_some(Values::Remote),
        }))
    }

    /// Reads the records of variants, then unpacks them: of each whether it has words, and what the filters say. Words are
    /// those of the variants that have some, one behind another.
    fn read_run(
        &self,
        file: &mut GenotypeFile,
        run: Range<usize>,
        own: &[bool],
        (bytes, base): (&mut Vec<u8>, &mut Option<Base>),
        words: &mut [u64],
    ) -> Result<Vec<Outcome>, TableError> {
        let records = file.records[run.clone()].to_vec();
        let length = records.iter().map(|record| record.length as usize).sum();
        bytes.resize(length, 0);
        file.read(&records, bytes)?;

        let mut rest = &bytes[..];
        let mut slots = words.chunks_mut(Genotypes::stride(self.n));
        let before = base.iter().filter(|_| records[0].kind.needs_base());
        let mut pieces: Vec<Piece> = before
            .map(|(variant, kind, bytes)| Piece::new(*variant, *kind, bytes, None))
            .collect();
        for (variant, record) in run.zip(&records) {
            let (own_bytes, others) = rest.split_at(record.length as usize);
            rest = others;
            let is_packed = own[variant] && !self.takes_dosages(record.kind);
            let slot = if is_packed { slots.next() } else { None };
            pieces.push(Piece::new(variant, record.kind, own_bytes, slot));
        }
        let groups = pieces.chunk_by_mut(|_, next| next.kind.needs_base());
        map_each(groups.collect(), |group: &mut [Piece]| {
            self.unpack(group, own)
        });
        let last = pieces.iter().rev().find(|piece| !piece.kind.needs_base());
        let last = last.map(|piece| (piece.variant, piece.kind, piece.bytes.to_vec()));
        let outcomes = pieces
            .into_iter()
            .map(|piece| (piece.variant, piece.words.is_some(), piece.outcome));
        let outcomes = outcomes.collect();
        *base = last.or(base.take());
        Ok(outcomes)
    }

    /// Variants from one on whose records are read at once: they lie one behind another, and are needed.
    fn run(&self, records: &[Record], needed: &[bool], first: usize) -> Range<usize> {
        let most = AT_ONCE * helpers();
        let unpacked = 8 * Genotypes::stride(self.n);
        let (mut last, mut bytes) = (first, 0_usize);
        while last < records.len() && needed[last] {
            let record = &records[last];
            bytes = bytes.saturating_add(record.length as usize);
            let is_next = last == first
                || record.start == records[last - 1].end()
                    && bytes <= most
                    && (last - first).saturating_mul(unpacked) <= most;
            if !is_next {
                break;
            }
            last += 1;
        }
        first..last
    }

    /// Whether the dosages of a variant are read, not its genotypes.
    fn takes_dosages(&self, kind: Kind) -> bool {
        let cohort = self.input.options.cohort;
        let encoding = cohort.map_or(GenotypeEncoding::default(), |own| own.encoding);
        kind.has_dosages() && encoding == GenotypeEncoding::Additive
    }

    /// Unpacks variants of which all but the first are differences from it.
    fn unpack(&self, group: &mut [Piece], own: &[bool]) {
        // As they lie there, straight to where they stay.
        if let ([piece], None) = (&mut *group, &self.people.rows)
            && let (Kind::Bed, Some(words)) = (piece.kind, &mut piece.words)
        {
            Genotypes::fill_from_bed(piece.bytes, self.samples, words);
            piece.outcome = Ok(self.judge(words));
            return;
        }
        let (mut base, mut whole) = (Vec::new(), vec![0; Genotypes::stride(self.samples)]);
        let is_base = group.len() > 1;
        for piece in group {
            let is_own = own[piece.variant];
            let verdict = match piece.kind {
                Kind::Bed => {
                    Genotypes::fill_from_bed(piece.bytes, self.samples, &mut whole);
                    Ok(None)
                }
                Kind::Pgen(kind) => pgen::fill(kind, piece.bytes, self.samples, &base, &mut whole)
                    .and_then(|rest| match is_own && self.takes_dosages(piece.kind) {
                        true => pgen::dosages(kind, rest, self.samples, &whole).map(Some),
                        false => Ok(None),
                    }),
            };
            if is_base && !piece.kind.needs_base() && verdict.is_ok() {
                base.clone_from(&whole);
            }
            piece.outcome = verdict.map(|dosages| match (dosages, &mut piece.words) {
                (Some(dosages), _) => self.judge_dosages(dosages),
                (None, Some(words)) => {
                    match &self.people.rows {
                        None => words.copy_from_slice(&whole),
                        Some(rows) => Genotypes::fill_selected(&whole, rows, words),
                    }
                    self.judge(words)
                }
                (None, None) => Verdict::Unjudged,
            });
        }
    }

    /// What the filters say of the genotypes of the people who are used, which become what they count as.
    fn judge(&self, words: &mut [u64]) -> Verdict {
        let counts = GenotypeCounts::of(words, self.n);
        let Some(cohort) = self.input.options.cohort else {
            return Verdict::Passes(counts);
        };
        let frequency = counts.minor_allele_frequency();
        if let Some(verdict) = self.filter(cohort, counts.missing, frequency) {
            return verdict;
        }
        let of_copies = [GenotypeEncoding::Additive, GenotypeEncoding::Genotypic];
        if of_copies.contains(&cohort.encoding) {
            return Verdict::Passes(counts);
        }
        Genotypes::encode(words, self.n, cohort.encoding);
        Verdict::Passes(GenotypeCounts::of(words, self.n))
    }

    /// Takes the dosages of the people who are used, if the filters let them pass.
    fn judge_dosages(&self, mut dosages: Vec<f64>) -> Verdict {
        if let Some(rows) = &self.people.rows {
            dosages = rows.iter().map(|row| dosages[*row]).collect();
        }
        let known = dosages.iter().filter(|copies| !copies.is_nan());
        let (count, sum) = known.fold((0, 0.0), |(count, sum), copies| (count + 1, sum + copies));
        let frequency: f64 = sum / count as f64 / 2.0;
        let minor = frequency.min(1.0 - frequency);
        let cohort = self.input.options.cohort;
        let verdict = cohort.and_then(|cohort| self.filter(cohort, self.n - count, minor));
        verdict.unwrap_or(Verdict::Dosages(dosages))
    }
}

impl<'a> Piece<'a> {
    fn new(variant: usize, kind: Kind, bytes: &'a [u8], words: Option<&'a mut [u64]>) -> Self {
        Self {
            variant,
            kind,
            bytes,
            words,
            outcome: Ok(Verdict::Unjudged),
        }
    }
}

/// Which records are read: those of the variants that are wanted, and of those from which these are differences.
fn needed(records: &[Record], own: &[bool]) -> Vec<bool> {
    let mut needed = own.to_vec();
    let mut is_base = false;
    for (at, record) in records.iter().enumerate().rev() {
        match record.kind.needs_base() {
            true => is_base |= own[at],
            false => {
                needed[at] |= is_base;
                is_base = false;
            }
        }
    }
    needed
}
