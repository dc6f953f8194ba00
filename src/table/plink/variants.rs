//! The variants of a `.bim` or `.pvar`: their names, and which are wanted.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::mem;
use std::path::Path;

use super::super::cohort::{ChromosomeRange, Cohort, bare};
use super::super::error::{as_given, shown};
use super::super::growing::{COLUMNS, PER_COLUMN};
use super::super::head::MARK;
use super::super::lines::Lines;
use super::super::{Loci, ReadOptions, TableError};
use super::fileset::{Fileset, ending};
use crate::nearest::list;

struct Variant {
    /// Which of the files it is of.
    file: usize,
    line: u64,
    id: String,
    place: String,
    alleles: [String; 2],
    is_wanted: bool,
}

/// The variants of one file or of several, in their order.
pub(super) struct Variants {
    /// The name of each.
    pub(super) names: Vec<String>,
    /// Whether it is wanted, by its place and the lists of variants.
    pub(super) wanted: Vec<bool>,
    /// How many are of each file.
    pub(super) counts: Vec<usize>,
    /// Where those lie that are wanted.
    pub(super) loci: Loci,
    /// What a user should know of those that are not.
    pub(super) warnings: Vec<String>,
}

/// Reads the variants of files: each has its id for a name, or `chromosome:coordinate` where that is `.`, is `taken` or
/// comes again.
///
/// # Errors
/// A line that is no variant, two of one name, a wanted one with more than two alleles, options by which none is left.
pub(super) fn variants(
    sets: &[Fileset],
    taken: &str,
    options: &ReadOptions,
) -> Result<Variants, TableError> {
    let (mut variants, mut counts, mut chromosomes) = (Vec::new(), Vec::new(), BTreeSet::new());
    for set in sets {
        let before = variants.len();
        read(set, counts.len(), options, &mut variants, &mut chromosomes)?;
        counts.push(variants.len() - before);
    }
    let cohort = placed(options);
    if let Some(cohort) = cohort {
        check_chromosomes(cohort, &chromosomes, &sets[0].variants)?;
    }
    // Whether an id occurs more than once.
    let mut again = HashMap::from([(".", true), (taken, true)]);
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
        if let Some((file, first)) = firsts.insert(name, (variant.file, variant.line)) {
            let second = variant.line;
            let told = format!("two variants at {name}, with no id of their own; give them one");
            let message = match file == variant.file {
                true => format!("lines {first} and {second}: {told}"),
                false => {
                    let other = as_given(&sets[file].variants);
                    format!("line {second}, and line {first} of {other}: {told}")
                }
            };
            return Err(TableError::content(&sets[variant.file].variants, message));
        }
    }
    let mut all = Variants {
        names: Vec::with_capacity(variants.len()),
        wanted: variants.iter().map(|variant| variant.is_wanted).collect(),
        counts,
        loci: Loci::default(),
        warnings: Vec::new(),
    };
    for (variant, own) in variants.iter_mut().zip(own) {
        all.names.push(match own {
            true => mem::take(&mut variant.id),
            false => variant.place.clone(),
        });
    }
    let path = &sets[0].variants;
    if let Some(cohort) = options.cohort {
        all.choose_by_lists(cohort, path, options)?;
    }
    if !all.wanted.contains(&true) {
        let message =
            "none of its variants is left by --chromosome, --range, --extract and --exclude";
        return Err(TableError::content(path, message));
    }
    let is_of_many = |at: &usize| all.wanted[*at] && variants[*at].alleles[0].contains(',');
    let mut many = (0..variants.len()).filter(is_of_many);
    if let Some(at) = many.next() {
        let variant = &variants[at];
        let more = match many.count() {
            0 => String::new(),
            count => format!(", as {count} more have"),
        };
        let message = format!(
            "line {}: the variant {} has more than two alleles ({}){more}; leave such out with plink2 --max-alleles 2 \
             --make-pgen, or with --exclude",
            variant.line,
            shown(&all.names[at]),
            shown(&variant.alleles[0])
        );
        return Err(TableError::content(&sets[variant.file].variants, message));
    }
    for ((variant, wanted), name) in variants.iter().zip(&all.wanted).zip(&all.names) {
        if *wanted {
            let [counted, other] = &variant.alleles;
            let (chromosome, coordinate) = variant.place.rsplit_once(':').unwrap_or_default();
            all.loci
                .push(name, [chromosome, coordinate, counted, other]);
        }
    }
    Ok(all)
}

/// The cohort, if it is of some places alone.
fn placed<'a>(options: &ReadOptions<'a>) -> Option<&'a Cohort> {
    let is_placed = |own: &&Cohort| !own.chromosomes.is_empty() || own.range.is_some();
    options.cohort.filter(is_placed)
}

/// What stands in which field of a line.
struct Layout {
    chromosome: usize,
    id: usize,
    coordinate: usize,
    /// The allele that is counted, A1 or ALT, and the other one.
    alleles: [usize; 2],
    /// Fields of a line, and whether it may have more.
    count: usize,
    or_more: bool,
    expected: String,
}

/// What stands in which field, and whether the current line is a variant's.
fn layout(lines: &mut Lines) -> Result<(Layout, bool), TableError> {
    let of_bim = Layout {
        chromosome: 0,
        id: 1,
        coordinate: 3,
        alleles: [4, 5],
        count: 6,
        or_more: false,
        expected: "chromosome, variant, morgans, base pairs, A1, A2".to_owned(),
    };
    if ending(lines.path) != "pvar" {
        return Ok((of_bim, false));
    }
    let (names, is_there) = lines.header(&["#CHROM"])?;
    let Some(names) = names else {
        let layout = match lines.fields().count() {
            5 => Layout {
                coordinate: 2,
                alleles: [3, 4],
                count: 5,
                expected: "CHROM, ID, POS, ALT, REF".to_owned(),
                or_more: true,
                ..of_bim
            },
            _ => Layout {
                expected: "CHROM, ID, CM, POS, ALT, REF".to_owned(),
                or_more: true,
                ..of_bim
            },
        };
        return Ok((layout, is_there));
    };
    let place = |name: &str| {
        let found = names.iter().position(|own| own == name);
        found.ok_or_else(|| {
            let message =
                format!("its header names no {name}; mend it, or write it with plink2 --make-pgen");
            TableError::content(lines.path, message)
        })
    };
    // Behind FORMAT there are the genotypes of a VCF file, which are not looked at.
    let own = names.iter().take_while(|name| *name != "FORMAT");
    let own: Vec<&str> = own.map(String::as_str).collect();
    let layout = Layout {
        chromosome: 0,
        id: place("ID")?,
        coordinate: place("POS")?,
        alleles: [place("ALT")?, place("REF")?],
        count: own.len(),
        or_more: true,
        expected: own.join(", "),
    };
    Ok((layout, is_there))
}

/// Reads the variants of a file, and their chromosomes where these are asked for.
fn read(
    set: &Fileset,
    file: usize,
    options: &ReadOptions,
    variants: &mut Vec<Variant>,
    chromosomes: &mut BTreeSet<String>,
) -> Result<(), TableError> {
    let (path, before) = (&set.variants, variants.len());
    let mut lines = set.lines(path, options)?;
    let (layout, mut is_there) = layout(&mut lines)?;
    let cohort = placed(options);
    let (count, or_more, expected) = (layout.count, layout.or_more, &layout.expected);
    while lines.next_fields(&mut is_there, count, or_more, expected)? {
        let coordinate = lines.field(layout.coordinate)?;
        let Ok(coordinate) = coordinate.parse::<i64>() else {
            return Err(lines.error(format!(
                "{} should be the variant's base-pair coordinate, a whole number; mend it",
                shown(coordinate)
            )));
        };
        lines.hold(PER_COLUMN, COLUMNS)?;
        let chromosome = lines.field(layout.chromosome)?;
        if cohort.is_some() && !chromosomes.contains(chromosome) {
            chromosomes.insert(chromosome.to_owned());
        }
        let [counted, other] = layout.alleles;
        variants.push(Variant {
            file,
            line: lines.number,
            id: lines.field(layout.id)?.to_owned(),
            place: format!("{chromosome}:{coordinate}"),
            alleles: [
                lines.field(counted)?.to_owned(),
                lines.field(other)?.to_owned(),
            ],
            is_wanted: cohort.is_none_or(|cohort| lies_in(cohort, chromosome, coordinate)),
        });
    }
    match variants.len() == before {
        true => Err(TableError::no_columns(path)),
        false => Ok(()),
    }
}

/// Whether a variant lies where those lie that are wanted.
fn lies_in(cohort: &Cohort, chromosome: &str, coordinate: i64) -> bool {
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
        of: &Path,
        options: &ReadOptions,
    ) -> Result<(), TableError> {
        let kind = ending(of);
        if let Some(names) = &cohort.names {
            let names: HashSet<&str> = names.iter().map(String::as_str).collect();
            for (wanted, own) in self.wanted.iter_mut().zip(&self.names) {
                *wanted &= names.contains(own.as_str());
            }
        }
        for (path, is_kept) in [(&cohort.extract, true), (&cohort.exclude, false)] {
            let Some(path) = path else { continue };
            let listed = listed(path, options)?;
            let own = self.names.iter().map(|name| listed.contains(name));
            let own: Vec<bool> = own.collect();
            let found = own.iter().filter(|own| **own).count();
            if found == 0 {
                let message = format!(
                    "none of its {} variants is in the .{kind}: a line for each is expected, which begins with its id",
                    listed.len()
                );
                return Err(TableError::content(path, message));
            }
            if found < listed.len() {
                self.warnings.push(format!(
                    "{} of the {} variants in {} are not in the .{kind}",
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
