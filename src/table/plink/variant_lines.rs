//! The lines of a `.bim` or `.pvar`, which all threads parse.

use std::fmt::Write;
use std::path::Path;

use super::super::cohort::{ChromosomeRange, Cohort, bare};
use super::super::error::{Fault, shown};
use super::super::format::Input;
use super::super::growing::{COLUMNS, LONGEST, PER_COLUMN, too_long};
use super::super::lines::{Lines, NO_TEXT, fields_of};
use super::super::whole_lines::{WholeLines, cut_at_lines};
use super::super::{ColumnPartition, ReadOptions, TableError};
use super::fileset::{Fileset, ending, wrong_count};
use crate::threads::{helpers, map_each, piece};

/// Bytes of a file that a thread parses at a time.
const AT_ONCE: usize = piece(1 << 20);

/// The variants of some lines that follow one another in a file.
pub(super) struct VariantLines {
    /// Which of the files they are of.
    pub(super) file: usize,
    /// A line for each variant: its id, chromosome, coordinate, the allele that is counted, and the other one, between
    /// tabulators.
    text: String,
    variants: Vec<Parsed>,
    /// The number of the first line in the file.
    first: u64,
    /// Chromosomes, of which neighbours have one.
    pub(super) chromosomes: Vec<String>,
}

struct Parsed {
    /// Where its line of the text ends.
    end: u32,
    /// The line of the file, counted from the first one of these.
    line: u32,
    /// Whether it lies where those lie that are wanted.
    is_wanted: bool,
    /// Whether it has more than two alleles.
    has_many: bool,
}

/// A variant of a file.
#[derive(Clone, Copy)]
pub(super) struct Variant<'a> {
    /// Which of the files it is of.
    pub(super) file: usize,
    /// The line of the file.
    pub(super) line: u64,
    pub(super) id: &'a str,
    /// Chromosome, coordinate and alleles, between tabulators.
    pub(super) locus: &'a str,
    /// Whether it lies where those lie that are wanted.
    pub(super) is_wanted: bool,
    /// Whether it has more than two alleles.
    pub(super) has_many: bool,
}

impl Variant<'_> {
    /// Its name where it has no id of its own.
    pub(super) fn place(&self) -> String {
        let mut fields = self.locus.split('\t');
        let mut next = || fields.next().unwrap_or_default();
        let chromosome = next();
        format!("{chromosome}:{}", next())
    }

    /// The allele that is counted.
    pub(super) fn counted_allele(&self) -> &str {
        self.locus.split('\t').nth(2).unwrap_or_default()
    }
}

impl VariantLines {
    /// How many variants these are.
    pub(super) fn count(&self) -> usize {
        self.variants.len()
    }

    /// The variant at a place among these.
    pub(super) fn get(&self, at: usize) -> Option<Variant<'_>> {
        let own = self.variants.get(at)?;
        let before = at.checked_sub(1).and_then(|at| self.variants.get(at));
        let start = before.map_or(0, |before| before.end);
        let line = &self.text[start as usize..own.end as usize];
        let (id, locus) = line.trim_end_matches('\n').split_once('\t')?;
        Some(Variant {
            file: self.file,
            line: self.first + u64::from(own.line),
            id,
            locus,
            is_wanted: own.is_wanted,
            has_many: own.has_many,
        })
    }

    /// All in their order.
    pub(super) fn variants(&self) -> impl Iterator<Item = Variant<'_>> {
        (0..self.count()).filter_map(|at| self.get(at))
    }
}

/// The cohort, if it is of some places alone.
pub(super) fn placed<'a>(options: &ReadOptions<'a>) -> Option<&'a Cohort> {
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

/// Reads the variants of a file.
///
/// # Errors
/// The first line that is no variant; no variant at all.
pub(super) fn variant_lines(
    set: &Fileset,
    file: usize,
    options: &ReadOptions,
) -> Result<Vec<VariantLines>, TableError> {
    let path = &*set.variants;
    let mut lines = set.lines(path, options)?;
    let (layout, is_there) = layout(&mut lines)?;
    let first = lines.number + u64::from(!is_there);
    let parser = Parser {
        path,
        file,
        layout,
        first,
        cohort: placed(options),
    };
    let input = Input {
        path,
        options,
        partition: &ColumnPartition::default(),
    };
    let mut text = WholeLines::open(&input, helpers() * AT_ONCE)?;
    let (mut all, mut number) = (Vec::new(), 1);
    while let Some(text) = text.next()? {
        let pieces = cut_at_lines(text, helpers()).into_iter().map(|piece| {
            let first = number;
            number += memchr::memchr_iter(b'\n', piece).count() as u64;
            (first, piece)
        });
        let parsed = map_each(pieces.collect(), |(first, piece)| {
            parser.parse(first, piece)
        });
        for own in parsed {
            let own: VariantLines = own?;
            lines.hold(PER_COLUMN.saturating_mul(own.count()), COLUMNS)?;
            all.push(own);
        }
    }
    match all.iter().all(|own| own.count() == 0) {
        true => Err(TableError::no_columns(path)),
        false => Ok(all),
    }
}

/// Makes variants of lines.
struct Parser<'a> {
    path: &'a Path,
    file: usize,
    layout: Layout,
    /// The number of the first line behind the header.
    first: u64,
    /// If it is of some places alone.
    cohort: Option<&'a Cohort>,
}

impl Parser<'_> {
    /// The variants of lines, of which the first has this number.
    fn parse(&self, first: u64, text: &[u8]) -> Result<VariantLines, TableError> {
        let mut own = VariantLines {
            file: self.file,
            text: String::with_capacity(text.len()),
            variants: Vec::new(),
            first,
            chromosomes: Vec::new(),
        };
        for (number, line) in (first..).zip(text.split_inclusive(|byte| *byte == b'\n')) {
            if number >= self.first {
                self.push(number, line, &mut own)?;
            }
        }
        own.text.shrink_to_fit();
        own.variants.shrink_to_fit();
        Ok(own)
    }

    /// Adds the variant of a line that is not blank.
    fn push(&self, number: u64, line: &[u8], own: &mut VariantLines) -> Result<(), TableError> {
        let wrong = |fault: Fault| fault.at(self.path, Some(number));
        if memchr::memchr(0, line).is_some() {
            return Err(wrong(NO_TEXT.into()));
        }
        if line.len() > LONGEST {
            return Err(wrong(too_long("the line").into()));
        }
        let layout = &self.layout;
        let [counted, other] = layout.alleles;
        let wanted = [
            layout.coordinate,
            layout.chromosome,
            layout.id,
            counted,
            other,
        ];
        let (mut fields, mut count) = ([&b""[..]; 5], 0);
        for (at, field) in fields_of(line).enumerate() {
            for (slot, _) in fields.iter_mut().zip(wanted).filter(|(_, own)| *own == at) {
                *slot = field;
            }
            count = at + 1;
        }
        if count == 0 {
            return Ok(());
        }
        if count < layout.count || count > layout.count && !layout.or_more {
            let told = wrong_count(count, layout.count, &layout.expected);
            return Err(wrong(told.into()));
        }
        let text = |at: usize| {
            let text = str::from_utf8(fields[at]);
            text.map_err(|_| TableError::not_utf8(self.path, number, wanted[at] + 1))
        };
        let coordinate = text(0)?;
        let Ok(coordinate) = coordinate.parse::<i64>() else {
            return Err(wrong(Fault::from(format!(
                "{} should be the variant's base-pair coordinate, a whole number; mend it",
                shown(coordinate)
            ))));
        };
        let (chromosome, id, counted, other) = (text(1)?, text(2)?, text(3)?, text(4)?);
        // Writing to a text does not fail.
        let _ = writeln!(
            own.text,
            "{id}\t{chromosome}\t{coordinate}\t{counted}\t{other}"
        );
        own.variants.push(Parsed {
            end: own.text.len() as u32,
            line: (number - own.first) as u32,
            is_wanted: self
                .cohort
                .is_none_or(|cohort| lies_in(cohort, chromosome, coordinate)),
            has_many: counted.contains(','),
        });
        if self.cohort.is_some() && own.chromosomes.last().is_none_or(|last| last != chromosome) {
            own.chromosomes.push(chromosome.to_owned());
        }
        Ok(())
    }
}

/// Whether a variant lies where those lie that are wanted.
fn lies_in(cohort: &Cohort, chromosome: &str, coordinate: i64) -> bool {
    let is_own = |own: &String| bare(own).eq_ignore_ascii_case(bare(chromosome));
    let is_of_range = |range: &ChromosomeRange| range.holds(chromosome, coordinate);
    (cohort.chromosomes.is_empty() || cohort.chromosomes.iter().any(is_own))
        && cohort.range.as_ref().is_none_or(is_of_range)
}
