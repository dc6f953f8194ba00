//! The genotypes of PLINK: a `.bed` of two bits a genotype, variant by variant, with the `.bim` that names its variants and the
//! `.fam` of its people beside it; and PLINK 2's `.pgen`, with `.pvar` and `.psam`.

mod beside;
mod fileset;
mod people;
mod records;
mod samples;
mod selection;
mod truth;
mod variant_lines;
mod variants;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use super::extent::Extent;
use super::format::{Format, Input};
use super::growing::PER_COLUMN;
use super::source::Source;
use super::{Column, Genotypes, Table, TableError, TextOptions, Values};
use crate::threads::piece;
use beside::{Taken, header_beside};
use fileset::Fileset;
use people::people;
use records::GenotypeFile;
use samples::{phenotype_name, samples};
use selection::Selection;
pub(crate) use truth::is_simulated_part;
#[cfg(feature = "program")]
pub(crate) use truth::truth_text;
use variants::{Variants, variants};

/// The first bytes of a `.bed` whose genotypes lie variant by variant.
#[cfg(feature = "program")]
pub(crate) const BED_MAGIC: [u8; 3] = [records::MAGIC[0], records::MAGIC[1], 1];

const READ_BYTES: usize = piece(1 << 20);

pub(super) const FORMAT: Format = Format {
    gzip: false,
    header,
    companions: &[&["bim"], &["fam"]],
    may_have: &[truth::ENDING],
    estimate: |path, bytes, _| estimate(path, bytes),
    ..Format::new(&["bed"], read)
};

pub(super) const FORMAT_2: Format = Format {
    extensions: &["pgen"],
    companions: &[&["pvar", "bim"], &["psam", "fam"]],
    may_have: &[],
    ..FORMAT
};

/// By the lines of the file of variants.
fn estimate(path: &Path, bytes: u64) -> Option<Extent> {
    let set = Fileset::of(path).ok()?;
    let variants = lines_of(&set.variants)?;
    let samples = match fileset::ending(path) == "bed" {
        true => 4 * bytes / variants.max(1),
        false => lines_of(&set.people)?,
    };
    let packed = 8 * Genotypes::stride(usize::try_from(samples).ok()?) as u64;
    let share = match fileset::ending(path) == "bed" {
        true => 0.0,
        false => GenotypeFile::share_of_dosages(path)?,
    };
    let of_values = (1.0 - share) * packed as f64 + share * 8.0 * samples as f64;
    let held = of_values as u64 + PER_COLUMN as u64;
    Some(Extent {
        bytes: variants.saturating_mul(held),
        genotypes: share == 0.0,
        ..Extent::dense(samples, variants + 1, 1)
    })
}

/// The lines of a file that are not blank or of a header, about.
fn lines_of(path: &Path) -> Option<u64> {
    let file = std::fs::File::open(path).ok()?;
    let mut file = BufReader::with_capacity(READ_BYTES, file);
    let mut lines = 0;
    loop {
        let read = file.fill_buf().ok()?;
        if read.is_empty() {
            return Some(lines);
        }
        lines += memchr::memchr_iter(b'\n', read).count() as u64;
        let taken = read.len();
        file.consume(taken);
    }
}

/// The sets of files that are read: that of the data, and those that are merged with it.
fn filesets(input: &Input) -> Result<Vec<Fileset>, TableError> {
    let merged = input.options.cohort.map_or(&[][..], |own| &own.merge);
    let paths = std::iter::once(input.path).chain(merged.iter().map(|path| &**path));
    paths.map(Fileset::of).collect()
}

/// Reads the phenotype, then for each variant the copies of the allele that is counted: A1 of a `.bim`, ALT of a `.pvar`. A
/// variant has its id for a name, or `chromosome:coordinate` where that is `.` or comes again.
fn read(input: &Input) -> Result<Table, TableError> {
    // Their own encoding is told by no option.
    let options = &input.options.with_text(TextOptions::default());
    let sets = filesets(input)?;
    // Genotypes that are not there are told before what would stand beside them.
    for set in &sets {
        Source::open(&set.genotypes, options)?;
    }
    let own = samples(&sets[0], options)?;
    for other in &sets[1..] {
        own.check_same(&sets[0], &samples(other, options)?, other)?;
    }
    let people = people(&own.ids, &sets[0].people, input.options)?;
    let (phenotype, values) = own.phenotype;
    let mut variants = variants(&sets, &phenotype, options)?;
    variants.refuse_taken(&people.taken, &sets)?;
    let people_of_file = own.ids.len();
    let read = |selection: &mut Selection, variants: &Variants| {
        let (mut first, mut genotypes) = (0, Vec::new());
        for (set, count) in sets.iter().zip(&variants.counts) {
            let range = first..first + count;
            let mut file =
                GenotypeFile::open(set, people_of_file, &variants.names[range.clone()], options)?;
            let own = selection.read(&mut file, range, variants)?;
            match genotypes.is_empty() {
                true => genotypes = own,
                false => genotypes.extend(own),
            }
            first += count;
        }
        Ok(genotypes)
    };
    let mut selection = Selection::new(input, (&people, &variants), people_of_file);
    selection.filter_over_ranks(&mut variants, read)?;
    let genotypes = read(&mut selection, &variants)?;
    let (of_variants, is_nothing_left) = selection.left_out();
    if is_nothing_left {
        let message = format!("no variant is left: {}", of_variants.unwrap_or_default());
        return Err(input.error(message));
    }
    let dosages = selection.into_dosages();
    let mut loci = variants.loci;
    let encoding = input.options.cohort.map(|own| own.encoding);
    loci.encoding = encoding.unwrap_or_default();

    let kept: Vec<String> = people
        .covariates
        .iter()
        .map(|own| own.name.clone())
        .collect();
    let mut columns = people.phenotypes;
    if columns.is_empty() {
        let rows = people.rows.as_deref();
        let of_rows = rows.map(|rows| rows.iter().map(|row| values[*row]).collect());
        columns.push(Column::from((phenotype, of_rows.unwrap_or(values))));
    }
    columns.extend(people.covariates);
    columns.reserve_exact(genotypes.len());
    let wanted = variants.names.into_iter().zip(variants.wanted);
    let wanted = wanted.filter_map(|(name, is_wanted)| is_wanted.then_some(name));
    for (name, values) in wanted.zip(genotypes) {
        let Some(values) = values else { continue };
        if dosages.contains(&name) {
            loci.mark_dosages(&name);
        }
        columns.push(Column::from((name, values)));
    }
    let mut table = input.table(columns, Some(0))?;
    table.kept = kept;
    table.warnings.extend(own.warnings);
    table.warnings.extend(people.warnings);
    table.warnings.extend(variants.warnings);
    table.loci = Some(Arc::new(loci));
    table.warnings.extend(of_variants);
    // It is of the phenotypes of the `.fam`.
    let phenotypes = input.options.cohort.and_then(|own| own.phenotype.as_ref());
    if fileset::ending(input.path) == "bed" && phenotypes.is_none() {
        let (truth, absent) = truth::truth(input.path, &table.columns, options)?;
        table.truth = truth;
        table.warnings.extend(absent);
    }
    Ok(table)
}

/// The columns of a table of these, without values.
fn header(input: &Input) -> Result<Option<Table>, TableError> {
    let options = &input.options.with_text(TextOptions::default());
    let sets = filesets(input)?;
    let own = phenotype_name(&sets[0], options)?;
    let variants = variants(&sets, &own, options)?;
    let cohort = input.options.cohort;
    let phenotype = cohort.and_then(|own| own.phenotype.as_ref());
    let (mut names, mut taken) = (vec![own], Vec::<Taken>::new());
    if let Some(beside) = phenotype {
        names = header_beside(beside, "--phenotype", input.options, &[])?.used;
        taken.extend(names.iter().map(|name| (name.clone(), beside.path.clone())));
    }
    let mut kept = Vec::new();
    if let Some(beside) = cohort.and_then(|own| own.covariates.as_ref()) {
        kept = header_beside(beside, "--covariates", input.options, &taken)?.used;
        names.extend(kept.iter().cloned());
        taken.extend(kept.iter().map(|name| (name.clone(), beside.path.clone())));
    }
    variants.refuse_taken(&taken, &sets)?;
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
