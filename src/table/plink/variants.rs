//! The variants of a `.bim`: their names, and which are wanted.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use super::super::cohort::{ChromosomeRange, Cohort, bare};
use super::super::error::{as_given, shown};
use super::super::format::companion;
use super::super::growing::{COLUMNS, PER_COLUMN};
use super::super::head::MARK;
use super::super::lines::Lines;
use super::super::{Loci, ReadOptions, TableError};
use super::companions::{PHENOTYPE, open};
use crate::nearest::list;

struct Variant {
    line: u64,
    id: String,
    place: String,
    alleles: [String; 2],
    is_wanted: bool,
}

/// The variants of a file, in its order.
pub(super) struct Variants {
    /// The name of each.
    pub(super) names: Vec<String>,
    /// Whether it is wanted, by its place and the lists of variants.
    pub(super) wanted: Vec<bool>,
    /// Where those lie that are wanted.
    pub(super) loci: Loci,
    /// What a user should know of those that are not.
    pub(super) warnings: Vec<String>,
}

/// Reads the variants: each has its id for a name, or `chromosome:coordinate` where that is `.` or comes again.
///
/// # Errors
/// A line that is no variant, two of one name, options by which none is left.
pub(super) fn variants(bed: &Path, options: &ReadOptions) -> Result<Variants, TableError> {
    let path = companion(bed, "bim");
    let mut lines = open(bed, &path, options)?;
    let mut variants = Vec::new();
    let mut chromosomes = BTreeSet::new();
    let cohort = options
        .cohort
        .filter(|own| !own.chromosomes.is_empty() || own.range.is_some());
    while lines.advance_to_six_fields("chromosome, variant, morgans, base pairs, A1, A2")? {
        let coordinate = lines.field(3)?;
        let Ok(coordinate) = coordinate.parse::<i64>() else {
            return Err(lines.error(format!(
                "{} should be the variant's base-pair coordinate, a whole number; mend it",
                shown(coordinate)
            )));
        };
        lines.hold(PER_COLUMN, COLUMNS)?;
        let chromosome = lines.field(0)?;
        if cohort.is_some() && !chromosomes.contains(chromosome) {
            chromosomes.insert(chromosome.to_owned());
        }
        variants.push(Variant {
            line: lines.number,
            id: lines.field(1)?.to_owned(),
            place: format!("{chromosome}:{coordinate}"),
            alleles: [lines.field(4)?.to_owned(), lines.field(5)?.to_owned()],
            is_wanted: cohort.is_none_or(|cohort| is_there(cohort, chromosome, coordinate)),
        });
    }
    if variants.is_empty() {
        return Err(TableError::no_columns(&path));
    }
    if let Some(cohort) = cohort {
        check_chromosomes(cohort, &chromosomes, &path)?;
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
    let mut all = Variants {
        names: Vec::with_capacity(variants.len()),
        wanted: Vec::with_capacity(variants.len()),
        loci: Loci::default(),
        warnings: Vec::new(),
    };
    for (variant, own) in variants.into_iter().zip(own) {
        let [counted, other] = &variant.alleles;
        let (chromosome, coordinate) = variant.place.rsplit_once(':').unwrap_or_default();
        let name = if own { &variant.id } else { &variant.place };
        if variant.is_wanted {
            all.loci
                .push(name, [chromosome, coordinate, counted, other]);
        }
        all.names.push(if own { variant.id } else { variant.place });
        all.wanted.push(variant.is_wanted);
    }
    if let Some(cohort) = options.cohort {
        all.choose_by_lists(cohort, options)?;
    }
    if !all.wanted.contains(&true) {
        let message =
            "none of its variants is left by --chromosome, --range, --extract and --exclude";
        return Err(TableError::content(&path, message));
    }
    Ok(all)
}

/// Whether a variant lies where those lie that are wanted.
fn is_there(cohort: &Cohort, chromosome: &str, coordinate: i64) -> bool {
    let is_own = |own: &String| bare(own).eq_ignore_ascii_case(bare(chromosome));
    let is_of_range = |range: &ChromosomeRange| range.holds(chromosome, coordinate);
    (cohort.chromosomes.is_empty() || cohort.chromosomes.iter().any(is_own))
        && cohort.range.as_ref().is_none_or(is_of_range)
}

fn check_chromosomes(
    cohort: &Cohort,
    there: &BTreeSet<String>,
    path: &Path,
) -> Result<(), TableError> {
    let range = cohort
        .range
        .iter()
        .map(|range| ("--range", &range.chromosome));
    let named = cohort.chromosomes.iter().map(|own| ("--chromosome", own));
    for (option, name) in named.chain(range) {
        if !there
            .iter()
            .any(|own| bare(own).eq_ignore_ascii_case(bare(name)))
        {
            let there = list(there.iter().map(String::as_str));
            let message =
                format!("has no variant on the chromosome of {option} {name}: it has {there}");
            return Err(TableError::content(path, message));
        }
    }
    Ok(())
}

impl Variants {
    /// Leaves out the variants that lists leave out.
    fn choose_by_lists(
        &mut self,
        cohort: &Cohort,
        options: &ReadOptions,
    ) -> Result<(), TableError> {
        for (path, is_kept) in [(&cohort.extract, true), (&cohort.exclude, false)] {
            let Some(path) = path else { continue };
            let listed = listed(path, options)?;
            let own = self.names.iter().map(|name| listed.contains(name));
            let own: Vec<bool> = own.collect();
            let found = own.iter().filter(|own| **own).count();
            if found == 0 {
                let message = format!(
                    "none of its {} variants is in the .bim: a line for each is expected, which begins with its id",
                    listed.len()
                );
                return Err(TableError::content(path, message));
            }
            if found < listed.len() {
                self.warnings.push(format!(
                    "{} of the {} variants in {} are not in the .bim",
                    listed.len() - found,
                    listed.len(),
                    as_given(path)
                ));
            }
            for (wanted, own) in self.wanted.iter_mut().zip(own) {
                *wanted &= own == is_kept;
            }
        }
        Ok(())
    }
}

/// The variants that a file lists: the first field of each line.
fn listed(path: &Path, options: &ReadOptions) -> Result<HashSet<String>, TableError> {
    let mut lines = Lines::open(path, options)?;
    let mut listed = HashSet::new();
    while lines.advance()? {
        // The variants of a truth stand below its head lines.
        let is_marked = lines.text.starts_with(MARK.as_bytes());
        if !is_marked && lines.fields().next().is_some() {
            listed.insert(lines.field(0)?.to_owned());
        }
    }
    if listed.is_empty() {
        let message = "lists no variant: a line for each is expected, which begins with its id";
        return Err(TableError::content(path, message));
    }
    Ok(listed)
}
