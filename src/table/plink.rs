//! The genotypes of PLINK 1: a `.bed` of two bits a genotype, variant by variant, with the `.bim`
//! that names its variants and the `.fam` of its samples beside it.

mod beside;
mod companions;
mod filters;
mod people;
mod truth;
mod variants;

use std::cmp::Ordering;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use super::extent::Extent;
use super::format::{Format, Input, companion};
use super::growing::PER_COLUMN;
use super::source::Source;
use super::{Column, Genotypes, Table, TableError, TextOptions, Values};
use crate::memory::{MemoryError, zeros};
use crate::threads::{helpers, map_each, piece};
use beside::names_beside;
use companions::{PHENOTYPE, fam};
use filters::{Failed, Verdict};
use people::{People, people};
pub(crate) use truth::is_simulated_part;
#[cfg(feature = "program")]
pub(crate) use truth::truth_text;
use variants::{Variants, variants};

/// The first bytes of genotypes in variant-major order, which the third byte says.
pub(crate) const MAGIC: [u8; 3] = [0x6c, 0x1b, 0x01];
const READ_BYTES: usize = piece(1 << 20);

pub(super) const FORMAT: Format = Format {
    gzip: false,
    header,
    companions: &["bim", "fam"],
    may_have: &[truth::ENDING],
    estimate: |path, bytes, _| estimate(path, bytes),
    ..Format::new(&["bed"], read)
};

/// By the lines of the `.bim`.
fn estimate(path: &Path, bytes: u64) -> Option<Extent> {
    let bim = std::fs::File::open(companion(path, "bim")).ok()?;
    let mut bim = BufReader::with_capacity(READ_BYTES, bim);
    let mut variants = 0;
    loop {
        let read = bim.fill_buf().ok()?;
        if read.is_empty() {
            break;
        }
        variants += memchr::memchr_iter(b'\n', read).count() as u64;
        let taken = read.len();
        bim.consume(taken);
    }
    let samples = 4 * bytes / variants.max(1);
    let held = 8 * Genotypes::stride(usize::try_from(samples).ok()?) + PER_COLUMN;
    Some(Extent {
        bytes: variants.saturating_mul(held as u64),
        genotypes: true,
        ..Extent::dense(samples, variants + 1, 1)
    })
}

/// Reads the column `phenotype`, then for each variant the number of alleles A1, the first of
/// the `.bim`. A variant has its id for a name, or `chromosome:coordinate` where that is `.` or
/// comes again.
fn read(input: &Input) -> Result<Table, TableError> {
    let path = input.path;
    let mut source = Source::open(path, input.options)?;
    let mut magic = [0; MAGIC.len()];
    let found = source.fill(&mut magic)?;
    if magic[..found] != MAGIC {
        return Err(input.error(match &magic[..found] {
            [0x6c, 0x1b, 0x00] => "byte 3 is 00: genotypes sample by sample, an old form; write \
                                   it again with plink --make-bed"
                .to_owned(),
            found => format!(
                "begins with the bytes {found:02x?}, a PLINK 1 .bed with [6c, 1b, 01]; write it \
                 with plink --make-bed"
            ),
        }));
    }
    // Their own encoding is told by no option.
    let options = &input.options.with_text(TextOptions::default());
    let (ids, phenotypes) = fam(path, options)?;
    let people = people(&ids, &companion(path, "fam"), input.options)?;
    let variants = variants(path, options)?;
    let selection = Selection::new(input, (&people, &variants), ids.len());
    let (genotypes, of_variants) = selection.read(&mut source)?;

    let kept: Vec<String> = people
        .covariates
        .iter()
        .map(|own| own.name.clone())
        .collect();
    let mut columns = people.phenotypes;
    if columns.is_empty() {
        let rows = people.rows.as_deref();
        let of_rows = rows.map(|rows| rows.iter().map(|row| phenotypes[*row]).collect());
        columns.push(Column::from((PHENOTYPE, of_rows.unwrap_or(phenotypes))));
    }
    columns.extend(people.covariates);
    columns.extend(genotypes.into_iter().map(Column::from));
    let mut table = input.table(columns, Some(0))?;
    table.kept = kept;
    table.warnings.extend(people.warnings);
    table.warnings.extend(variants.warnings);
    table.loci = Some(Arc::new(variants.loci));
    table.warnings.extend(of_variants);
    // It is of the phenotypes of the `.fam`.
    if input
        .options
        .cohort
        .is_none_or(|own| own.phenotype.is_none())
    {
        let (truth, absent) = truth::truth(path, &table.columns, options)?;
        table.truth = truth;
        table.warnings.extend(absent);
    }
    Ok(table)
}

/// The columns of a table of these, without values.
fn header(input: &Input) -> Result<Option<Table>, TableError> {
    let options = &input.options.with_text(TextOptions::default());
    let variants = variants(input.path, options)?;
    let cohort = input.options.cohort;
    let phenotype = cohort.and_then(|own| own.phenotype.as_ref());
    let (mut names, mut taken) = (vec![PHENOTYPE.to_owned()], Vec::new());
    if let Some(beside) = phenotype {
        (_, names) = names_beside(beside, "--phenotype", input.options, &[])?;
        taken.extend(names.iter().map(|name| (name.clone(), beside.path.clone())));
    }
    let mut kept = Vec::new();
    if let Some(beside) = cohort.and_then(|own| own.covariates.as_ref()) {
        (_, kept) = names_beside(beside, "--covariates", input.options, &taken)?;
        names.extend(kept.iter().cloned());
    }
    let wanted = variants.names.into_iter().zip(variants.wanted);
    names.extend(wanted.filter_map(|(name, is_wanted)| is_wanted.then_some(name)));
    // The names are there already.
    let columns = names
        .into_iter()
        .map(|name| Column::from((name, Values::Remote)));
    let mut table = input.table(columns.collect(), Some(0))?;
    table.kept = kept;
    Ok(Some(table))
}

/// What is read of a `.bed`.
struct Selection<'a> {
    input: &'a Input<'a>,
    people: &'a People,
    variants: &'a Variants,
    /// People in the file.
    samples: usize,
    /// People that are used.
    n: usize,
    /// Of each variant whether this process reads it.
    own: Vec<bool>,
}

/// A variant of a name.
type Named = (String, Values);

impl<'a> Selection<'a> {
    fn new(
        input: &'a Input,
        (people, variants): (&'a People, &'a Variants),
        samples: usize,
    ) -> Self {
        let filters = input.options.cohort;
        let has_filters =
            filters.is_some_and(|own| own.least_frequency.is_some() || own.most_missing.is_some());
        // What stands before the variants.
        let mut place = people.phenotypes.len().max(1) + people.covariates.len();
        let width = place + variants.wanted.iter().filter(|wanted| **wanted).count();
        let of_variant = |(name, wanted): (&String, &bool)| {
            let own = *wanted && (has_filters || input.partition.reads(place, width, name));
            place += usize::from(*wanted);
            own
        };
        let own = variants
            .names
            .iter()
            .zip(&variants.wanted)
            .map(of_variant)
            .collect();
        let n = people.rows.as_ref().map_or(samples, Vec::len);
        Self {
            input,
            people,
            variants,
            samples,
            n,
            own,
        }
    }

    /// Refuses a file of another size than the two others promise.
    fn check(&self, found: u64) -> Result<(), TableError> {
        let (samples, variants) = (self.samples, self.own.len());
        let (start, stride) = (MAGIC.len() as u64, samples.div_ceil(4));
        let expected = start.saturating_add((stride as u64).saturating_mul(variants as u64));
        let asked = format!("{samples} samples in the .fam and {variants} variants in the .bim");
        let mend = "write the three files again, together";
        Err(self.input.error(match found.cmp(&expected) {
            Ordering::Equal => return Ok(()),
            Ordering::Less => {
                let variant = (found.saturating_sub(start) / stride as u64) as usize;
                let (number, name) = (variant + 1, &self.variants.names[variant]);
                format!(
                    "cut off at byte {found}, in variant {number} (`{name}`): {asked} ask for \
                     {expected} bytes; {mend}"
                )
            }
            Ordering::Greater => format!("goes on at byte {expected}: {asked} end there; {mend}"),
        }))
    }

    /// The variants that are wanted, those of other ranks without values, and what a user should know of the others.
    fn read(&self, source: &mut Source) -> Result<(Vec<Named>, Option<String>), TableError> {
        // Before memory is taken for what the two others promise, the file has to hold it. A pipe's
        // columns come one at a time.
        if let Some(size) = source.size {
            self.check(size)?;
        }
        let (variants, stride, words) = (
            self.own.len(),
            self.samples.div_ceil(4),
            Genotypes::stride(self.n),
        );
        let held = words.saturating_mul(self.own.iter().filter(|own| **own).count());
        self.input.hold(held.saturating_mul(8), "its genotypes")?;
        let refused = || {
            let error = MemoryError::refused(8 * held as u64, "its genotypes");
            TableError::memory(self.input.path, error)
        };
        // What a pipe holds nobody knows.
        let mut all = match source.size {
            Some(_) => zeros(held).ok_or_else(refused)?,
            None => Vec::new(),
        };
        // Of each variant that is held and passes the filters, where its words begin.
        let (mut places, mut end) = (Vec::new(), 0);
        let mut failed = Failed::default();
        let at_once = (READ_BYTES * helpers() / stride).clamp(1, variants);
        let mut bytes = vec![0; stride * at_once];
        let mut found = MAGIC.len() as u64;
        while places.len() < variants {
            let rest = places.len()..variants;
            let ahead = match source.size {
                Some(_) => rest.clone().take_while(|at| !self.own[*at]).count(),
                // What cannot be measured is read to its end.
                None => 0,
            };
            if ahead > 0 {
                source.skip((stride * ahead) as u64)?;
                found += (stride * ahead) as u64;
                places.extend((0..ahead).map(|_| None));
                continue;
            }
            let wanted = stride * at_once.min(rest.len());
            let filled = source.fill_at_once(&mut bytes[..wanted])?;
            found += filled as u64;
            // The file may have changed since its size was taken.
            if filled < wanted {
                break;
            }
            let read = (places.len()..).zip(bytes[..wanted].chunks_exact(stride));
            let read = read.filter(|(at, _)| self.own[*at]);
            let read: Vec<(usize, &[u8])> = read.collect();
            let room = end + read.len() * words;
            if all.len() < room {
                all.try_reserve(room - all.len()).map_err(|_| refused())?;
                all.resize(room, 0);
            }
            let numbers: Vec<usize> = read.iter().map(|(at, _)| *at).collect();
            let slots = read
                .into_iter()
                .zip(all[end..room].chunks_mut(words))
                .collect();
            let passed = map_each(
                slots,
                |((_, bytes), words): ((usize, &[u8]), &mut [u64])| self.unpack(bytes, words),
            );
            let first = places.len();
            places.resize(first + wanted / stride, None);
            let mut from = end;
            for (at, verdict) in numbers.into_iter().zip(passed) {
                match verdict {
                    Verdict::Passes => {
                        all.copy_within(from..from + words, end);
                        places[at] = Some(end);
                        end += words;
                    }
                    Verdict::Rare => failed.rare += 1,
                    Verdict::Missing => failed.missing += 1,
                }
                from += words;
            }
        }
        found += source.fill(&mut [0])? as u64;
        self.check(found)?;
        let tested = self.own.iter().filter(|own| **own).count();
        let (left_out, told) = (
            failed.count(),
            failed.told(self.input.options.cohort, tested),
        );
        if end == 0 && left_out > 0 {
            let message = format!("no variant is left: {}", told.unwrap_or_default());
            return Err(self.input.error(message));
        }
        all.truncate(end);
        if left_out > 0 {
            all.shrink_to_fit();
        }
        let all = Arc::new(all);
        let names = self
            .variants
            .names
            .iter()
            .zip(&self.variants.wanted)
            .zip(&self.own)
            .zip(places);
        let stays =
            names.filter(|(((_, wanted), own), place)| **wanted && (!**own || place.is_some()));
        let stays = stays.map(|(((name, _), _), place)| (name, place));
        let named = map_each(
            stays.collect(),
            |(name, place): (&String, Option<usize>)| {
                let part = |place| Genotypes::part(Arc::clone(&all), place, self.n);
                let values = place.map_or(Values::Remote, |place| Values::Genotypes(part(place)));
                (name.clone(), values)
            },
        );
        Ok((named, told))
    }

    /// The genotypes of the people who are used, if the filters let them pass.
    fn unpack(&self, bytes: &[u8], words: &mut [u64]) -> Verdict {
        match &self.people.rows {
            None => Genotypes::fill_from_bed(bytes, self.n, words),
            Some(rows) => {
                let mut whole = vec![0; Genotypes::stride(self.samples)];
                Genotypes::fill_from_bed(bytes, self.samples, &mut whole);
                Genotypes::fill_selected(&whole, rows, words);
            }
        }
        let Some(cohort) = self.input.options.cohort else {
            return Verdict::Passes;
        };
        if cohort.least_frequency.is_some() || cohort.most_missing.is_some() {
            let counts = Genotypes::counts_of(words, self.n);
            let missing = counts.missing as f64 / self.n as f64;
            if cohort.most_missing.is_some_and(|most| missing > most) {
                return Verdict::Missing;
            }
            let frequency = counts.minor_allele_frequency();
            // Of nobody known the frequency is no number, and not below the least.
            if cohort
                .least_frequency
                .is_some_and(|least| frequency < least)
            {
                return Verdict::Rare;
            }
        }
        Genotypes::encode(words, self.n, cohort.encoding);
        Verdict::Passes
    }
}
