//! The columns that options name, found in a table.

use std::path::Path;

use super::{DesignError, DesignOptions};
use crate::{
    nearest::nearest,
    table::{Table, Values, is_npy},
};

/// Which column is the response.
pub(super) fn response_of(table: &Table, options: &DesignOptions) -> Result<usize, DesignError> {
    let named = options.response.map(|name| (name, table.position(name)));
    match (named, table.response) {
        (Some((_, Some(at))), _) => Ok(at),
        // The reader has read it: the second file of `.npy`.
        (Some((name, None)), Some(at)) if is_npy(Path::new(name)) => Ok(at),
        (Some((name, None)), _) => Err(unknown(table, "--response", name)),
        (None, Some(at)) => Ok(at),
        (None, None) => Err(DesignError::NoResponse {
            table: table.source.clone(),
            columns: table.columns.iter().map(|c| c.name.clone()).collect(),
        }),
    }
}

pub(super) fn unknown(table: &Table, option: &'static str, name: &str) -> DesignError {
    let names = table.columns.iter().map(|c| c.name.as_str());
    DesignError::UnknownColumn {
        table: table.source.clone(),
        option,
        name: name.to_owned(),
        nearest: nearest(name, names).map(str::to_owned),
    }
}

/// Every name of a list must be a column; one of `--keep` may be a dummy.
pub(super) fn check_names(
    table: &Table,
    option: &'static str,
    list: &[String],
    response: usize,
    is_part: bool,
) -> Result<(), DesignError> {
    for name in list {
        match table.position(name) {
            Some(at) if at == response => {
                return Err(DesignError::ResponseInList {
                    name: name.clone(),
                    option,
                });
            }
            Some(_) => {}
            // Of a column that another rank has, the levels are known later.
            None if option == "--keep" && is_part && name.contains('=') => {}
            None if option == "--keep" && names_a_level(table, name) => {}
            None => return Err(unknown(table, option, name)),
        }
    }
    Ok(())
}

/// Whether a name is `column=level` for a level that has a dummy.
fn names_a_level(table: &Table, name: &str) -> bool {
    table.columns.iter().any(|column| match &column.values {
        Values::Factor { levels, .. } => levels
            .iter()
            .any(|level| dummy_name(&column.name, level) == name),
        _ => false,
    })
}

pub(super) fn dummy_name(column: &str, level: &str) -> String {
    format!("{column}={level}")
}
