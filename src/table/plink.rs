//! The genotypes of PLINK 1: a `.bed` of two bits a genotype, variant by variant, with the `.bim`
//! that names its variants and the `.fam` of its samples beside it.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use super::error::{as_given, shown, shown_bytes};
use super::extent::Extent;
use super::field;
use super::format::{Format, Input, companion};
use super::growing::{COLUMNS, Growing, PER_COLUMN};
use super::lines::Lines;
use super::source::Source;
use super::{Column, Genotypes, ReadOptions, Table, TableError, TextOptions, Values};
use crate::memory::{MemoryError, zeros};
use crate::threads::{helpers, map_each, piece};

const PHENOTYPE: &str = "phenotype";
/// The first bytes of genotypes in variant-major order, which the third byte says.
const MAGIC: [u8; 3] = [0x6c, 0x1b, 0x01];
const READ_BYTES: usize = piece(1 << 20);
/// What PLINK writes for an unknown phenotype.
const UNKNOWN: f64 = -9.0;

pub(super) const FORMAT: Format = Format {
    gzip: false,
    header: |input| {
        let variants = names(input.path, input.options)?;
        let names = std::iter::once(PHENOTYPE.to_owned()).chain(variants);
        // The names are there already.
        let columns = names.map(|name| Column::from((name, Values::Remote)));
        input.table(columns.collect(), Some(0)).map(Some)
    },
    companions: &["bim", "fam"],
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
    let phenotypes = phenotypes(path, options)?;
    let names = names(path, options)?;

    let (samples, variants) = (phenotypes.len(), names.len());
    let stride = samples.div_ceil(4);
    let start = MAGIC.len() as u64;
    let expected = start.saturating_add((stride as u64).saturating_mul(variants as u64));
    let check = |found: u64| {
        let asked = format!("{samples} samples in the .fam and {variants} variants in the .bim");
        let mend = "write the three files again, together";
        Err(input.error(match found.cmp(&expected) {
            Ordering::Equal => return Ok(()),
            Ordering::Less => {
                let variant = (found.saturating_sub(start) / stride as u64) as usize;
                let (number, name) = (variant + 1, &names[variant]);
                format!(
                    "cut off at byte {found}, in variant {number} (`{name}`): {asked} ask for \
                     {expected} bytes; {mend}"
                )
            }
            Ordering::Greater => format!("goes on at byte {expected}: {asked} end there; {mend}"),
        }))
    };
    // Before memory is taken for what the two others promise, the file has to hold it. A pipe's
    // columns come one at a time.
    if let Some(size) = source.size {
        check(size)?;
    }
    // Behind the phenotype.
    let own = |at: usize| input.partition.reads(at + 1, variants + 1, &names[at]);
    let held = (0..variants).filter(|at| own(*at)).count();
    let words = Genotypes::stride(samples);
    let held = words.saturating_mul(held);
    input.hold(held.saturating_mul(8), "its genotypes")?;
    // A pipe's columns come one at a time, for what it holds nobody knows.
    let room = source.size.map(|_| zeros(held));
    let refused = || {
        let error = MemoryError::refused(8 * held as u64, "its genotypes");
        TableError::memory(path, error)
    };
    let mut all = room.map_or(Ok(Vec::new()), |room| room.ok_or_else(refused))?;
    // Of each variant that is held, where its words begin.
    let (mut places, mut next) = (Vec::new(), 0);
    let at_once = (READ_BYTES * helpers() / stride).clamp(1, variants);
    let mut bytes = vec![0; stride * at_once];
    let mut found = start;
    while places.len() < variants {
        let rest = places.len()..variants;
        let ahead = match source.size {
            Some(_) => rest.clone().take_while(|at| !own(*at)).count(),
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
        let first = places.len();
        let read = (first..).zip(bytes[..wanted].chunks_exact(stride));
        let read: Vec<(usize, &[u8])> = read.collect();
        places.extend(read.iter().map(|(at, _)| {
            let place = own(*at).then_some(next);
            next += place.map_or(0, |_| words);
            place
        }));
        let start = places[..first].iter().flatten().count() * words;
        if all.len() < next {
            all.try_reserve(next - all.len()).map_err(|_| refused())?;
            all.resize(next, 0);
        }
        let held = read.into_iter().filter(|(at, _)| places[*at].is_some());
        let held = held.zip(all[start..next].chunks_mut(words)).collect();
        map_each(held, |((_, bytes), words): ((usize, &[u8]), &mut [u64])| {
            Genotypes::fill_from_bed(bytes, samples, words);
        });
    }
    found += source.fill(&mut [0])? as u64;
    check(found)?;

    let all = Arc::new(all);
    let genotypes = map_each(places, |place| {
        place.map_or(Values::Remote, |place| {
            Values::Genotypes(Genotypes::part(Arc::clone(&all), place, samples))
        })
    });
    let mut columns = vec![Column::from((PHENOTYPE, phenotypes))];
    columns.extend(names.into_iter().zip(genotypes).map(Column::from));
    input.table(columns, Some(0))
}

fn open<'a>(
    bed: &Path,
    path: &'a Path,
    options: &ReadOptions<'a>,
) -> Result<Lines<'a>, TableError> {
    Lines::open(path, options).map_err(|error| match error {
        TableError::NotFound { .. } => TableError::content(
            path,
            format!(
                "no such file; {} is read with the .bim and .fam of its name beside it: copy it \
                 there",
                as_given(bed)
            ),
        ),
        other => other,
    })
}

impl Lines<'_> {
    /// Goes to the next line that is not blank, which must have six fields; `false` at the end.
    fn advance_to_six_fields(&mut self, expected: &'static str) -> Result<bool, TableError> {
        while self.advance()? {
            match self.fields().count() {
                0 => {}
                6 => return Ok(true),
                found => {
                    return Err(self.error(format!(
                        "{found} fields, but 6 are expected: {expected}; mend the line"
                    )));
                }
            }
        }
        Ok(false)
    }

    /// The field counted from 0, as text.
    fn field(&self, at: usize) -> Result<&str, TableError> {
        let field = self.fields().nth(at).unwrap_or_default();
        str::from_utf8(field).map_err(|_| TableError::not_utf8(self.path, self.number, at + 1))
    }
}

/// The last field of every line of the `.fam`. Where all are 0, 1, 2 or −9 they tell controls, 1,
/// from cases, 2, and 0 is missing; −9 always is.
fn phenotypes(bed: &Path, options: &ReadOptions) -> Result<Vec<f64>, TableError> {
    let path = companion(bed, "fam");
    let mut lines = open(bed, &path, options)?;
    let mut values = Vec::new();
    while lines.advance_to_six_fields("family, sample, father, mother, sex, phenotype")? {
        let field = lines.fields().nth(5).unwrap_or_default();
        let value = field::number(field, PHENOTYPE);
        let grown = values.grow(1, options.memory, "its phenotypes");
        grown.map_err(|error| TableError::memory(&path, error))?;
        values.push(value.map_err(|_| {
            lines.error(format!(
                "{} should be the sample's phenotype, a number (-9 where it is missing); mend it",
                shown_bytes(field)
            ))
        })?);
    }
    if values.is_empty() {
        return Err(TableError::no_rows(&path));
    }
    let status = |value: &f64| value.is_nan() || [0.0, 1.0, 2.0, UNKNOWN].contains(value);
    let statuses = values.iter().all(status);
    for value in &mut values {
        if *value == UNKNOWN || statuses && *value == 0.0 {
            *value = f64::NAN;
        }
    }
    Ok(values)
}

struct Variant {
    line: u64,
    id: String,
    place: String,
}

/// A name of its own for every line of the `.bim`.
fn names(bed: &Path, options: &ReadOptions) -> Result<Vec<String>, TableError> {
    let path = companion(bed, "bim");
    let mut lines = open(bed, &path, options)?;
    let mut variants = Vec::new();
    while lines.advance_to_six_fields("chromosome, variant, morgans, base pairs, A1, A2")? {
        let coordinate = lines.field(3)?;
        let Ok(coordinate) = coordinate.parse::<i64>() else {
            return Err(lines.error(format!(
                "{} should be the variant's base-pair coordinate, a whole number; mend it",
                shown(coordinate)
            )));
        };
        lines.hold(PER_COLUMN, COLUMNS)?;
        variants.push(Variant {
            line: lines.number,
            id: lines.field(1)?.to_owned(),
            place: format!("{}:{coordinate}", lines.field(0)?),
        });
    }
    if variants.is_empty() {
        return Err(TableError::no_columns(&path));
    }
    // Whether an id occurs more than once.
    let mut again = HashMap::from([(".", true), (PHENOTYPE, true)]);
    for variant in &variants {
        let seen = again.entry(&variant.id);
        seen.and_modify(|again| *again = true).or_insert(false);
    }
    let own: Vec<bool> = variants
        .iter()
        .map(|variant| !again[&*variant.id])
        .collect();
    let mut firsts = HashMap::with_capacity(variants.len());
    for (variant, own) in variants.iter().zip(&own) {
        let name = if *own { &variant.id } else { &variant.place };
        if let Some(first) = firsts.insert(name, variant.line) {
            let second = variant.line;
            let message = format!(
                "lines {first} and {second}: two variants at {name}, with no id of their own; \
                 give them one"
            );
            return Err(TableError::content(&path, message));
        }
    }
    let named = variants.into_iter().zip(own);
    let name = |(variant, own): (Variant, bool)| if own { variant.id } else { variant.place };
    Ok(named.map(name).collect())
}
