//! The variants of a `.bim` or `.pvar`: their names, and which are wanted.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use super::super::cohort::{Cohort, bare};
use super::super::error::{as_given, shown};
use super::super::head::MARK;
use super::super::lines::Lines;
use super::super::names::{first_repeated, repeated};
use super::super::{Loci, ReadOptions, TableError};
use super::beside::Taken;
use super::fileset::{Fileset, ending};
use super::variant_lines::{Variant, VariantLines, placed, variant_lines};
use crate::nearest::list;
use crate::threads::map_each;

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
    let mut counts = Vec::new();
    let mut pieces: Vec<VariantLines> = Vec::new();
    for (file, set) in sets.iter().enumerate() {
        let own = variant_lines(set, file, options)?;
        counts.push(own.iter().map(VariantLines::count).sum());
        pieces.extend(own);
    }
    if let Some(cohort) = placed(options) {
        let there = pieces.iter().flat_map(|own| &own.chromosomes);
        check_chromosomes(cohort, there.map(String::as_str), &sets[0].variants)?;
    }
    let starts = pieces.iter().scan(0, |end, own| {
        let start = *end;
        *end += own.count();
        Some(start)
    });
    let starts: Vec<usize> = starts.collect();
    let at = |at: usize| {
        let piece = starts
            .partition_point(|start| *start <= at)
            .checked_sub(1)?;
        pieces[piece].get(at - starts[piece])
    };
    let ids = of_pieces(&pieces, |variant| variant.id);
    let of_place = names_of_place(&ids, taken, |place| at(place).map(|own| own.place()));
    if !of_place.is_empty() {
        let mut all = ids.clone();
        of_place.iter().for_each(|(at, name)| all[*at] = name);
        if let Some(two) = first_repeated(&all)
            && let [Some(first), Some(second)] = two.map(at)
        {
            let name = all[two[1]];
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
    // They stay: by one thread they do not lie between what others take for a while.
    let names = ids.iter().map(|id| (*id).to_owned());
    let mut all = Variants {
        names: names.collect(),
        wanted: of_pieces(&pieces, |variant| variant.is_wanted),
        counts,
        loci: Loci::default(),
        warnings: Vec::new(),
    };
    drop(ids);
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
    let has_many = of_pieces(&pieces, |variant| variant.has_many);
    let mut many = (0..has_many.len()).filter(|at| all.wanted[*at] && has_many[*at]);
    if let Some(first) = many.next()
        && let Some(variant) = at(first)
    {
        let more = match many.count() {
            0 => String::new(),
            count => format!(", as {count} more have"),
        };
        let message = format!(
            "line {}: the variant {} has more than two alleles ({}){more}; leave such out with plink2 --max-alleles 2 \
             --make-pgen, or with --exclude",
            variant.line,
            shown(&all.names[first]),
            shown(variant.counted_allele())
        );
        return Err(TableError::content(&sets[variant.file].variants, message));
    }
    all.loci = loci(&pieces, &all.names, &all.wanted);
    Ok(all)
}

/// What is made of each variant, by all threads.
fn of_pieces<'a, T: Send>(
    pieces: &'a [VariantLines],
    of: impl Fn(Variant<'a>) -> T + Send + Sync,
) -> Vec<T> {
    let pieces = pieces.iter().collect();
    let made = map_each(pieces, |own: &'a VariantLines| {
        own.variants().map(&of).collect::<Vec<T>>()
    });
    let mut all = Vec::with_capacity(made.iter().map(Vec::len).sum());
    all.extend(made.into_iter().flatten());
    all
}

/// Where those variants lie that are wanted, by their names.
fn loci(pieces: &[VariantLines], names: &[String], wanted: &[bool]) -> Loci {
    let ends = pieces.iter().scan(0, |end, own| {
        *end += own.count();
        Some((own, *end))
    });
    let lines = map_each(ends.collect(), |(own, end): (&VariantLines, usize)| {
        let range = end - own.count()..end;
        let named = names[range.clone()].iter().zip(&wanted[range]);
        let mut lines = String::new();
        for (variant, (name, _)) in own.variants().zip(named).filter(|(_, own)| *own.1) {
            lines.extend([name, "\t", variant.locus, "\n"]);
        }
        lines
    });
    Loci::of_lines(lines.concat())
}

/// The names of those variants that are named by their place, for they have no id, or one that is `taken` or comes again.
fn names_of_place(
    ids: &[&str],
    taken: &str,
    place: impl Fn(usize) -> Option<String>,
) -> Vec<(usize, String)> {
    let is_none = |id: &str| id == "." || id == taken;
    let again = repeated(ids).into_iter().filter(|at| !is_none(ids[*at]));
    let without = (0..ids.len()).filter(|at| is_none(ids[*at]));
    let named = without.chain(again);
    named.filter_map(|at| Some((at, place(at)?))).collect()
}

fn check_chromosomes<'a>(
    cohort: &Cohort,
    there: impl Iterator<Item = &'a str>,
    path: &Path,
) -> Result<(), TableError> {
    let there: BTreeSet<&str> = there.collect();
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
