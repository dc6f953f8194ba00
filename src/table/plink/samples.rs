//! The people of a `.fam` or `.psam`, and their phenotypes.

use super::super::error::{as_given, shown_bytes};
use super::super::field;
use super::super::growing::Growing;
use super::super::lines::Lines;
use super::super::{ReadOptions, TableError};
use super::fileset::{Fileset, ending};
use crate::nearest::list;

/// The column of the phenotypes of a `.fam`, and of a `.psam` without any.
pub(super) const PHENOTYPE: &str = "phenotype";

/// What PLINK writes for an unknown phenotype.
pub(super) const UNKNOWN: f64 = -9.0;

/// The ids of a person: of the family, and their own.
pub(super) type Id = (String, String);

/// The family of those who have none.
const NO_FAMILY: &str = "0";

/// What the text of a person takes in memory, about.
const PER_PERSON: usize = 2 * size_of::<String>() + 32;

/// The people of a file, in its order.
pub(super) struct Samples {
    pub(super) ids: Vec<Id>,
    /// The line of each.
    pub(super) lines: Vec<u64>,
    /// The name of the phenotype that is read, and its values.
    pub(super) phenotype: (String, Vec<f64>),
    /// What a user should know of other phenotypes.
    pub(super) warnings: Vec<String>,
}

/// What stands in which field of a line.
struct Layout {
    family: Option<usize>,
    own: usize,
    phenotype: Option<usize>,
    name: String,
    /// Fields of a line, and whether it may have more.
    count: usize,
    or_more: bool,
    expected: String,
    warnings: Vec<String>,
}

/// The name of the phenotype that is read with the genotypes.
pub(super) fn phenotype_name(set: &Fileset, options: &ReadOptions) -> Result<String, TableError> {
    let mut lines = set.lines(&set.people, options)?;
    Ok(layout(&mut lines, options)?.0.name)
}

/// Reads the people, and the phenotype that the response names, or the first. Where all phenotypes are 0, 1, 2 or −9 they
/// tell controls, 1, from cases, 2, and 0 is missing; −9 always is.
///
/// # Errors
/// A line that is no person; nobody at all.
pub(super) fn samples(set: &Fileset, options: &ReadOptions) -> Result<Samples, TableError> {
    let path = &set.people;
    let mut lines = set.lines(path, options)?;
    let (layout, mut is_there) = layout(&mut lines, options)?;
    // That of a table of phenotypes takes its place.
    let is_used = options.cohort.is_none_or(|own| own.phenotype.is_none());
    let phenotype = layout.phenotype.filter(|_| is_used);
    let (mut ids, mut numbers, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let (count, or_more, expected) = (layout.count, layout.or_more, &layout.expected);
    while lines.next_fields(&mut is_there, count, or_more, expected)? {
        let grown = values.grow(1, options.memory, "its phenotypes");
        grown.map_err(|error| TableError::memory(path, error))?;
        values.push(match phenotype {
            Some(at) => value(&lines, at, &layout.name)?,
            None => f64::NAN,
        });
        lines.hold(PER_PERSON, "its people")?;
        let family = match layout.family {
            Some(at) => lines.field(at)?,
            None => NO_FAMILY,
        };
        ids.push((family.to_owned(), lines.field(layout.own)?.to_owned()));
        numbers.push(lines.number);
    }
    if values.is_empty() {
        return Err(TableError::no_rows(path));
    }
    let status = |value: &f64| value.is_nan() || [0.0, 1.0, 2.0, UNKNOWN].contains(value);
    let statuses = values.iter().all(status);
    for value in &mut values {
        if *value == UNKNOWN || statuses && *value == 0.0 {
            *value = f64::NAN;
        }
    }
    Ok(Samples {
        ids,
        lines: numbers,
        phenotype: (layout.name, values),
        warnings: if is_used { layout.warnings } else { Vec::new() },
    })
}

impl Samples {
    /// Refuses a file of genotypes to be merged that is of other people, or of the same in another order.
    pub(super) fn check_same(
        &self,
        set: &Fileset,
        other: &Self,
        of: &Fileset,
    ) -> Result<(), TableError> {
        let first = as_given(&set.people);
        let mend = "the files of --merge have the same people in the same order; write them with plink2 --keep and \
                    --indiv-sort";
        let mut pairs = self.ids.iter().zip(&other.ids).zip(&other.lines);
        let message = match pairs.find(|((own, other), _)| own != other) {
            Some((((family, own), (other_family, other)), line)) => format!(
                "line {line} is of the person `{other_family} {other}`, where {first} has `{family} {own}`: {mend}"
            ),
            None if self.ids.len() == other.ids.len() => return Ok(()),
            None => format!(
                "has {} people, and {first} has {}: {mend}",
                other.ids.len(),
                self.ids.len()
            ),
        };
        Err(TableError::content(&of.people, message))
    }
}

fn value(lines: &Lines, at: usize, name: &str) -> Result<f64, TableError> {
    let field = lines.fields().nth(at).unwrap_or_default();
    field::number(field, name).map_err(|_| {
        let found = shown_bytes(field);
        lines.error(match ending(lines.path) == "psam" {
            false => format!(
                "{found} should be the sample's phenotype, a number (-9 where it is missing); mend it"
            ),
            true => format!(
                "{found} should be the sample's {name}, a number (NA where it is missing); mend it, or read text with \
                 --phenotype {}:{name}",
                as_given(lines.path)
            ),
        })
    })
}

/// What stands in which field, and whether the current line is a person's.
fn layout(lines: &mut Lines, options: &ReadOptions) -> Result<(Layout, bool), TableError> {
    let of_fam = Layout {
        family: Some(0),
        own: 1,
        phenotype: Some(5),
        name: PHENOTYPE.to_owned(),
        count: 6,
        or_more: false,
        expected: "family, sample, father, mother, sex, phenotype".to_owned(),
        warnings: Vec::new(),
    };
    if ending(lines.path) != "psam" {
        return Ok((of_fam, false));
    }
    let (names, is_there) = lines.header(&["#FID", "#IID"])?;
    let Some(names) = names else {
        let has_phenotype = lines.fields().count() != 5;
        let layout = Layout {
            phenotype: has_phenotype.then_some(5),
            count: if has_phenotype { 6 } else { 5 },
            or_more: true,
            ..of_fam
        };
        return Ok((layout, is_there));
    };
    let own = usize::from(names[0] == "FID");
    if names.get(own).is_none_or(|name| name != "IID") {
        let message =
            "its header names no IID behind FID; mend it, or write it with plink2 --make-pgen";
        return Err(TableError::content(lines.path, message));
    }
    let known = ["FID", "IID", "SID", "PAT", "MAT", "SEX"];
    let is_phenotype = |at: &usize| !known.contains(&&*names[*at]);
    let phenotypes: Vec<usize> = (0..names.len()).filter(is_phenotype).collect();
    let is_named = |at: &&usize| options.response == Some(&*names[**at]);
    let named = phenotypes.iter().find(is_named);
    let phenotype = named.or(phenotypes.first()).copied();
    let name = phenotype.map_or(PHENOTYPE, |at| &*names[at]).to_owned();
    let mut warnings = Vec::new();
    if named.is_none() && phenotypes.len() > 1 {
        let all = list(phenotypes.iter().map(|at| &*names[*at]));
        warnings.push(format!(
            "{} has the phenotypes {all}: {name} is read; name another one with --response",
            as_given(lines.path)
        ));
    }
    let layout = Layout {
        family: (own == 1).then_some(0),
        own,
        phenotype,
        name,
        count: names.len(),
        or_more: true,
        expected: names.join(", "),
        warnings,
    };
    Ok((layout, is_there))
}
