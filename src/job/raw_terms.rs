//! The texts given for options of terms, as formulas, groups and contrasts.

use super::{OptionError, RawValues};
use crate::{
    design::Group,
    formula::{Contrast, ExpansionOptions, Formula},
    nearest::nearest,
    table::split_names,
};

impl RawValues<'_> {
    /// A model formula.
    pub(super) fn formula(&self) -> Result<Formula, OptionError> {
        let text = self.text()?;
        Formula::parse(&text).map_err(|error| {
            let message = format!("{}: {error}", self.option.name);
            OptionError {
                formula: Some(error),
                ..OptionError::new(self.option.name, message)
            }
        })
    }

    /// Groups of columns, `NAME=A,B` each.
    pub(super) fn groups(&self) -> Result<Vec<Group>, OptionError> {
        let group = |text: &String| {
            // An element of a job file's array is quoted as a name with commas is.
            let whole = split_names(text).ok().filter(|names| names.len() == 1);
            let whole = whole.map_or(text.clone(), |names| names.concat());
            let (name, columns) = whole.split_once('=')?;
            let columns = split_names(columns).ok()?;
            let name = name.trim().to_owned();
            let is_named = !name.is_empty() && columns.iter().all(|column| !column.is_empty());
            (is_named && !columns.is_empty()).then_some(Group { name, columns })
        };
        let groups = self.texts.iter();
        let groups =
            groups.map(|text| group(text).ok_or_else(|| self.must_be(text, &self.option.range)));
        groups.collect()
    }

    /// Contrasts of all factors, `sum`, and of single ones, `g=helmert`.
    pub(super) fn contrasts(&self) -> Result<ExpansionOptions, OptionError> {
        let kinds = [
            ("treatment", Contrast::Treatment { reference: None }),
            ("sum", Contrast::Sum),
            ("helmert", Contrast::Helmert),
            ("poly", Contrast::Polynomial { scores: None }),
            ("sas", Contrast::Sas),
        ];
        let mut contrasts = ExpansionOptions::default();
        for text in self.names()? {
            let (column, kind) = match text.rsplit_once('=') {
                Some((column, kind)) => (Some(column.trim().to_owned()), kind.trim()),
                None => (None, text.trim()),
            };
            let found = kinds.iter().find(|(name, _)| *name == kind);
            let Some((_, contrast)) = found.cloned() else {
                let names = kinds.iter().map(|(name, _)| *name);
                let error = self.must_be(&text, &self.option.range);
                return Err(error.suggest(nearest(kind, names)));
            };
            match column {
                Some(column) => drop(contrasts.by_variable.insert(column, contrast)),
                None => contrasts.unordered = contrast,
            }
        }
        Ok(contrasts)
    }
}
