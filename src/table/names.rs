//! Column names: unique, not empty, found again when misspelt.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use csv::ByteRecord;

use super::TableError;
use crate::nearest::nearest;

/// The names in a header record.
///
/// # Errors
/// An empty name, a name given twice, bytes that are not UTF-8.
pub(super) fn of_header(
    path: &str,
    line: u64,
    header: &ByteRecord,
) -> Result<Vec<String>, TableError> {
    let mut names = Vec::with_capacity(header.len());
    for (column, cell) in header.iter().enumerate() {
        let Ok(name) = str::from_utf8(cell) else {
            return Err(TableError::NotUtf8 {
                path: path.to_owned(),
                line,
                column: column + 1,
            });
        };
        let name = name.trim();
        if name.is_empty() {
            let path = path.to_owned();
            // A lone first cell without a name is what R writes above row names.
            return Err(if column == 0 && header.len() > 1 {
                TableError::RowNames { path, line }
            } else {
                TableError::NoName {
                    path,
                    line,
                    column: column + 1,
                }
            });
        }
        names.push(name.to_owned());
    }
    check_unique(path, names.iter().map(String::as_str))?;
    Ok(names)
}

/// Refuses a name that two columns share.
pub(super) fn check_unique<'a>(
    path: &str,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), TableError> {
    let mut positions = HashMap::new();
    for (position, name) in names.enumerate() {
        match positions.entry(name) {
            Entry::Vacant(vacant) => {
                vacant.insert(position);
            }
            Entry::Occupied(first) => {
                return Err(TableError::DuplicateName {
                    path: path.to_owned(),
                    name: name.to_owned(),
                    first: first.get() + 1,
                    second: position + 1,
                });
            }
        }
    }
    Ok(())
}

/// Refuses a factor that is no column.
pub(super) fn check_factors<'a>(
    path: &str,
    factors: &[String],
    names: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), TableError> {
    match factors
        .iter()
        .find(|factor| !names.clone().any(|name| name == *factor))
    {
        None => Ok(()),
        Some(factor) => Err(TableError::UnknownFactor {
            path: path.to_owned(),
            name: factor.clone(),
            nearest: nearest(factor, names).map(str::to_owned),
        }),
    }
}

/// The name of the variable at a position, where the file has none.
pub(super) fn variable(position: usize) -> String {
    format!("x{position}")
}
