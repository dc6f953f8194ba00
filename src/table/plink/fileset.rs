//! A file of genotypes, and the files of its people and of its variants beside it.

use std::mem;
use std::path::{Path, PathBuf};

use super::super::error::as_given;
use super::super::format::{Format, companion};
use super::super::lines::Lines;
use super::super::{ReadOptions, TableError};

/// The files of a set of genotypes.
pub(super) struct Fileset {
    /// Of genotypes: `.bed` or `.pgen`.
    pub(super) genotypes: PathBuf,
    /// Of variants: `.bim` or `.pvar`.
    pub(super) variants: PathBuf,
    /// Of people: `.fam` or `.psam`.
    pub(super) people: PathBuf,
}

/// The ending of a file's name, in lower case.
pub(super) fn ending(path: &Path) -> String {
    let ending = path.extension().unwrap_or_default();
    ending.to_string_lossy().to_ascii_lowercase()
}

impl Fileset {
    /// The set of a file of genotypes.
    ///
    /// # Errors
    /// Its name is that of another format.
    pub(super) fn of(path: &Path) -> Result<Self, TableError> {
        match Format::of(path).map(|(format, _)| format.companions) {
            Some([variants, people]) => Ok(Self {
                genotypes: path.to_owned(),
                variants: companion(path, variants),
                people: companion(path, people),
            }),
            _ => Err(TableError::content(
                path,
                "--merge is for genotypes, .bed or .pgen: leave it out",
            )),
        }
    }

    /// The lines of the file of people or of variants.
    pub(super) fn lines<'a>(
        &self,
        path: &'a Path,
        options: &ReadOptions<'a>,
    ) -> Result<Lines<'a>, TableError> {
        let absent = |error| match error {
            TableError::NotFound { .. } => self.absent(path),
            other => other,
        };
        Lines::open(path, options).map_err(absent)
    }

    /// The error about a file beside the genotypes that is not there.
    fn absent(&self, path: &Path) -> TableError {
        let packed = path.with_extension("pvar.zst");
        if ending(path) == "pvar" && packed.exists() {
            let message = "compressed; write the files with plink2 --make-pgen, without vzs";
            return TableError::content(packed, message);
        }
        let both = match &*ending(&self.genotypes) {
            "bed" => ".bim and .fam",
            _ => ".pvar (or .bim) and .psam (or .fam)",
        };
        let genotypes = as_given(&self.genotypes);
        let message = format!(
            "no such file; {genotypes} is read with the {both} of its name beside it: copy it there"
        );
        TableError::content(path, message)
    }
}

/// What is told of a line with another number of fields than it must have.
pub(super) fn wrong_count(found: usize, count: usize, expected: &str) -> String {
    format!("{found} fields, but {count} are expected: {expected}; mend the line")
}

impl Lines<'_> {
    /// Goes to the next line that is not blank, which must have so many fields, or more if that is allowed; `false` at the
    /// end.
    fn advance_to_fields(
        &mut self,
        count: usize,
        or_more: bool,
        expected: &str,
    ) -> Result<bool, TableError> {
        while self.advance()? {
            if self.has_fields(count, or_more, expected)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The same, but for the first time that it stays at the line that a [header](Self::header) ended at, if one is there.
    pub(super) fn next_fields(
        &mut self,
        is_there: &mut bool,
        count: usize,
        or_more: bool,
        expected: &str,
    ) -> Result<bool, TableError> {
        match mem::take(is_there) {
            true => self.has_fields(count, or_more, expected),
            false => self.advance_to_fields(count, or_more, expected),
        }
    }

    /// Whether the line has the fields that it must have; `false` of a blank one.
    fn has_fields(&self, count: usize, or_more: bool, expected: &str) -> Result<bool, TableError> {
        match self.fields().count() {
            0 => Ok(false),
            found if found == count || or_more && found > count => Ok(true),
            found => Err(self.error(wrong_count(found, count, expected))),
        }
    }

    /// The field counted from 0, as text.
    pub(super) fn field(&self, at: usize) -> Result<&str, TableError> {
        let field = self.fields().nth(at).unwrap_or_default();
        str::from_utf8(field).map_err(|_| TableError::not_utf8(self.path, self.number, at + 1))
    }

    /// Goes to the end of the header, lines that begin with `#`: its names, without the `#`, if it has a line that begins with
    /// one of these, and whether a line stands behind it.
    pub(super) fn header(
        &mut self,
        firsts: &[&str],
    ) -> Result<(Option<Vec<String>>, bool), TableError> {
        let mut names = None;
        while self.advance()? {
            let Some(first) = self.fields().next() else {
                continue;
            };
            if !first.starts_with(b"#") {
                return Ok((names, true));
            }
            if firsts.iter().any(|own| own.as_bytes() == first) {
                let fields = (0..self.fields().count()).map(|at| self.field(at));
                let fields: Result<Vec<&str>, TableError> = fields.collect();
                let own = fields?.into_iter().map(|name| name.trim_start_matches('#'));
                names = Some(own.map(str::to_owned).collect());
            }
        }
        Ok((names, false))
    }
}
