//! The files beside a `.bed`: their lines, and the people of the `.fam`.

use std::path::Path;

use super::super::error::{as_given, shown_bytes};
use super::super::field;
use super::super::format::companion;
use super::super::growing::Growing;
use super::super::lines::Lines;
use super::super::{ReadOptions, TableError};

/// The column of the phenotypes of a `.fam`.
pub(super) const PHENOTYPE: &str = "phenotype";

/// What PLINK writes for an unknown phenotype.
pub(super) const UNKNOWN: f64 = -9.0;

/// The ids of a person: of the family, and their own.
pub(super) type Id = (String, String);

/// What the text of a person takes in memory, about.
const PER_PERSON: usize = 2 * size_of::<String>() + 32;

pub(super) fn open<'a>(
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
    pub(super) fn advance_to_six_fields(
        &mut self,
        expected: &'static str,
    ) -> Result<bool, TableError> {
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
    pub(super) fn field(&self, at: usize) -> Result<&str, TableError> {
        let field = self.fields().nth(at).unwrap_or_default();
        str::from_utf8(field).map_err(|_| TableError::not_utf8(self.path, self.number, at + 1))
    }
}

/// The people of a `.fam`, and their phenotypes. Where all phenotypes are 0, 1, 2 or −9 they tell controls, 1, from cases, 2,
/// and 0 is missing; −9 always is.
pub(super) fn fam(bed: &Path, options: &ReadOptions) -> Result<(Vec<Id>, Vec<f64>), TableError> {
    let path = companion(bed, "fam");
    // That of a table of phenotypes takes its place.
    let is_used = options.cohort.is_none_or(|own| own.phenotype.is_none());
    let mut lines = open(bed, &path, options)?;
    let (mut ids, mut values) = (Vec::new(), Vec::new());
    while lines.advance_to_six_fields("family, sample, father, mother, sex, phenotype")? {
        let field = lines.fields().nth(5).unwrap_or_default();
        let value = match is_used {
            true => field::number(field, PHENOTYPE),
            false => Ok(f64::NAN),
        };
        let grown = values.grow(1, options.memory, "its phenotypes");
        grown.map_err(|error| TableError::memory(&path, error))?;
        values.push(value.map_err(|_| {
            lines.error(format!(
                "{} should be the sample's phenotype, a number (-9 where it is missing); mend it",
                shown_bytes(field)
            ))
        })?);
        lines.hold(PER_PERSON, "its people")?;
        ids.push((lines.field(0)?.to_owned(), lines.field(1)?.to_owned()));
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
    Ok((ids, values))
}
