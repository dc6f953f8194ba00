//! Candidates that tell where a row stands, and nothing of what was observed there.

use crate::{
    nearest::as_option,
    table::{self, Table, Values},
};

/// What pandas calls the index of a table that was written with it and read without.
const PANDAS_INDEX: &str = "Unnamed: 0";

/// A warning for each candidate whose values here are the row numbers, from 0 or 1, or whose name says
/// so. `positions` are those of the columns in the file; kept variables were asked for by name.
pub(super) fn caution(
    table: &Table,
    positions: &[usize],
    (response, beside): (usize, [Option<usize>; 8]),
    keep: &[String],
) -> Vec<String> {
    let columns = positions.iter().zip(&table.columns);
    let candidates = columns.filter(|(at, column)| {
        let is_candidate = **at != response && !beside.contains(&Some(**at));
        is_candidate && !keep.contains(&column.name)
    });
    let warning = |name: &str, what: &str| {
        let option = as_option(name);
        format!(
            "{name} is {what}: leave it out with --drop {option}, unless the order of rows has a meaning"
        )
    };
    let of_column = candidates.filter_map(|(_, column)| {
        let name = &column.name;
        match &column.values {
            Values::Remote => None,
            values if are_row_numbers(values) => Some(warning(
                name,
                "the row number, an identifier that follows whatever the file is sorted by",
            )),
            _ if name.starts_with(PANDAS_INDEX) => {
                Some(warning(name, "by its name the index of a pandas table"))
            }
            _ => None,
        }
    });
    of_column.collect()
}

fn are_row_numbers(values: &Values) -> bool {
    match values {
        Values::Numbers(values) => table::are_row_numbers(values.iter().copied()),
        Values::Bytes(bytes) => table::are_row_numbers(bytes.iter().map(|byte| f64::from(*byte))),
        Values::Gapped(_)
        | Values::Genotypes(_)
        | Values::Sparse { .. }
        | Values::Factor { .. }
        | Values::Remote => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_numbers_start_at_zero_or_one_and_leave_out_none() {
        let from = |first: i32, n: i32| (first..first + n).map(f64::from).collect::<Vec<f64>>();
        assert!(are_row_numbers(&from(0, 10).into()));
        assert!(are_row_numbers(&from(1, 300).into()));
        assert!(are_row_numbers(&Values::Bytes((1..=200).collect())));
        assert!(!are_row_numbers(&from(1, 9).into()));
        // Years.
        assert!(!are_row_numbers(&from(1947, 16).into()));
        let mut swapped = from(1, 20);
        swapped.swap(3, 4);
        assert!(!are_row_numbers(&swapped.into()));
        assert!(!are_row_numbers(&vec![f64::NAN; 20].into()));
    }
}
