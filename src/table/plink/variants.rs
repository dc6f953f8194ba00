//! The variants of a `.bim` or `.pvar`: their names, and which are wanted.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::mem;
use std::path::Path;

use super::super::cohort::{ChromosomeRange, Cohort, bare};
use super::super::error::{as_given, shown};
use super::super::growing::{COLUMNS, PER_COLUMN};
use super::super::head::MARK;
use super::super::lines::Lines;
use super::super::names::{first_repeated, repeated};
use super::super::{Loci, ReadOptions, TableError};
use super::beside::Taken;
use super::fileset::{Fileset, ending};
use crate::nearest::list;

struct Variant {
    /// Which of the files it is of.
    file: usize,
    line: u64,
    id: String,
    /// Among those of all variants, of which neighbours of one chromosome have one.
    chromosome: usize,
    coordinate: i64,
    /// The one that is counted, a tabulator, the other one.
    alleles: String,
    is_wanted: bool,
}

impl Variant {
    fn alleles(&self) -> (&str, &str) {
        self.alleles.split_once('\t').unwrap_or_default()
    }
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

impl Variants {
    /// Refuses a wanted variant that is called as a column of a table beside people.
    ///
    /// # Errors
    /// Names the table, and the file of the variant.
    pub(super) fn refuse_taken(&self, taken: &[Taken], sets: &[Fileset]) -> Result<(), TableError> {
        if taken.is_empty() {
            return Ok(());
        }
        let files: HashMap<&str, &Path> = taken
            .iter()
            .map(|(name, path)| (&**name, &**path))
            .collect();
        let wanted = self.names.iter().zip(&self.wanted).enumerate();
        let mut wanted = wanted.filter(|(_, (_, wanted))| **wanted);
        let Some((at, name, path)) =
            wanted.find_map(|(at, (name, _))| Some((at, name, *files.get(&**name)?)))
        else {
            return Ok(());
        };
        let ends = self.counts.iter().scan(0, |end, count| {
            *end += count;
            Some(*end)
        });
        let file = ends.zip(sets).find(|(end, _)| at < *end);
        let of = file.map_or_else(String::new, |(_, set)| as_given(&set.variants));
        let message = format!(
            "its column `{name}` is called as a variant of {of}: rename the column, or leave the variant out by --exclude"
        );
        Err(TableError::content(path, message))
    }
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
    let (mut variants, mut counts) = (Vec::new(), Vec::new());
    let mut chromosomes: Vec<String> = Vec::new();
    for set in sets {
        let before = variants.len();
        read(set, counts.len(), options, &mut variants, &mut chromosomes)?;
        counts.push(variants.len() - before);
    }
    if let Some(cohort) = placed(options) {
        check_chromosomes(cohort, &chromosomes, &sets[0].variants)?;
    }
    let ids: Vec<&str> = variants.iter().map(|variant| &*variant.id).collect();
    let of_place = names_of_place(&ids, taken, |at| {
        let variant = &variants[at];
        format!("{}:{}", chromosomes[variant.chromosome], variant.coordinate)
    });
    if !of_place.is_empty() {
        let mut all = ids;
        of_place.iter().for_each(|(at, name)| all[*at] = name);
        if let Some([first, second]) = first_repeated(&all) {
            let (name, first, second) = (all[second], &variants[first], &variants[second]);
            let told = format!("two variants at {name}, with no id of their own; give them one");
            let (one, other) = (first.line, second.line);
            let message = match first.file == second.file {
                true => format!("lines {one} and {other}: {told}"),
                false => {
                    let file = as_given(&sets[first.file].variants);
                    format!("line {other}, and line {one} of {file}: {told}")
                }
            };
            return Err(TableError::content(&sets[second.file].variants, message));
        }
    }
    let mut all = Variants {
        names: variants
            .iter_mut()
            .map(|variant| mem::take(&mut variant.id))
            .collect(),
        wanted: variants.iter().map(|variant| variant.is_wanted).collect(),
        counts,
        loci: Loci::default(),
        warnings: Vec::new(),
    };
    for (at, name) in of_place {
        all.names[at] = name;
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
    let is_of_many = |at: &usize| all.wanted[*at] && variants[*at].alleles().0.contains(',');
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
            shown(variant.alleles().0)
        );
        return Err(TableError::content(&sets[variant.file].variants, message));
    }
    for ((variant, wanted), name) in variants.iter().zip(&all.wanted).zip(&all.names) {
        if *wanted {
            let chromosome = &chromosomes[variant.chromosome];
            all.loci
                .push(name, (chromosome, variant.coordinate), &variant.alleles);
        }
    }
    Ok(all)
}

/// The names of those variants that are named by their place, for they have no id, or one that is `taken` or comes again.
fn names_of_place(
    ids: &[&str],
    taken: &str,
    place: impl Fn(usize) -> String,
) -> Vec<(usize, String)> {
    let is_none = |id: &str| id == "." || id == taken;
    let again = repeated(ids).into_iter().filter(|at| !is_none(ids[*at]));
    let without = (0..ids.len()).filter(|at| is_none(ids[*at]));
    without.chain(again).map(|at| (at, place(at))).collect()
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
    chromosomes: &mut Vec<String>,
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
        if chromosomes.last().is_none_or(|own| own != chromosome) {
            chromosomes.push(chromosome.to_owned());
        }
        let [counted, other] = layout.alleles;
        variants.push(Variant {
            file,
            line: lines.number,
            id: lines.field(layout.id)?.to_owned(),
            chromosome: chromosomes.len() - 1,
            coordinate,
            alleles: [lines.field(counted)?, "\t", lines.field(other)?].concat(),
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

fn check_chromosomes(cohort: &Cohort, there: &[String], path: &Path) -> Result<(), TableError> {
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
            let there: BTreeSet<&str> = there.iter().map(String::as_str).collect();
            let there = list(there.into_iter());
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
