//! Checks of the columns that options name.

use crate::table::{Table, TableError, Values};

/// Checks that every name of an option's list is a column, or, for `--keep`, a dummy.
pub(super) fn check_names(
    table: &Table,
    option: &'static str,
    list: &[String],
    response: usize,
    is_part: bool,
) -> Result<(), TableError> {
    for name in list {
        let checked = table.require_variable(option, name, response);
        // Of a column that another rank has, the levels are known later.
        let is_dummy = || match is_part {
            true => name.contains('='),
            false => names_a_level(table, name),
        };
        if option != "--keep" || table.position(name).is_some() || !is_dummy() {
            checked?;
        }
    }
    Ok(())
}

/// Whether a name is `column=level` of a level that occurs in the table.
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
