//! The people of a `.fam`, and what other files say of them.

use std::collections::HashMap;
use std::path::Path;

use super::super::error::as_given;
use super::super::{Column, MISSING, ReadOptions, TableError, Values};
use super::beside::{ById, Taken, listed_people, read_beside};
use super::samples::{Id, UNKNOWN};
use crate::nearest::list;

/// The people who are used, in the order of the `.fam`, and their columns.
pub(super) struct People {
    /// Their places in the `.fam`; none where all are used.
    pub(super) rows: Option<Vec<usize>>,
    /// Phenotypes of a file, then covariates, with their values in these rows.
    pub(super) phenotypes: Vec<Column>,
    pub(super) covariates: Vec<Column>,
    /// The names of these, each with its file.
    pub(super) taken: Vec<Taken>,
    /// What a user should know of those who are not used.
    pub(super) warnings: Vec<String>,
}

/// Finds what files say of the people of a `.fam`.
///
/// # Errors
/// A file that cannot be read, without ids, with one twice, or that is of nobody here.
pub(super) fn people(ids: &[Id], fam: &Path, options: &ReadOptions) -> Result<People, TableError> {
    let mut people = People {
        rows: None,
        phenotypes: Vec::new(),
        covariates: Vec::new(),
        taken: Vec::new(),
        warnings: Vec::new(),
    };
    let Some(cohort) = options.cohort else {
        return Ok(people);
    };
    let mut stays = vec![true; ids.len()];
    let mut reasons = Vec::new();
    let mut leave = |stays: &mut [bool], goes: &dyn Fn(usize) -> bool, why: String| {
        let mut count = 0;
        for (row, stays) in stays.iter_mut().enumerate().filter(|(_, stays)| **stays) {
            if goes(row) {
                *stays = false;
                count += 1;
            }
        }
        if count > 0 {
            reasons.push(format!("{count} {why}"));
        }
    };
    for (path, is_kept) in [(&cohort.keep_people, true), (&cohort.remove, false)] {
        let Some(path) = path else { continue };
        let listed = listed_people(path, options)?;
        let found = by_id(ids, fam, &listed, path)?;
        let told = match is_kept {
            true => format!("not in {}", as_given(path)),
            false => format!("in {}", as_given(path)),
        };
        leave(&mut stays, &|row| found[row].is_some() != is_kept, told);
    }
    let (mut joined, mut taken) = (Vec::new(), Vec::new());
    for (beside, option) in [
        (&cohort.phenotype, "--phenotype"),
        (&cohort.covariates, "--covariates"),
    ] {
        let Some(beside) = beside else {
            joined.push((Vec::new(), Vec::new()));
            continue;
        };
        let (by_id_of_file, mut columns) = read_beside(beside, option, options, &taken)?;
        if option == "--phenotype" {
            let unknown = [UNKNOWN.to_string()];
            let columns = columns.iter_mut();
            columns.for_each(|column| column.values.mark_missing(&unknown));
        }
        let found = by_id(ids, fam, &by_id_of_file, &beside.path)?;
        let path = as_given(&beside.path);
        let told = format!("not in {path}");
        leave(&mut stays, &|row| found[row].is_none(), told);
        let misses: Vec<Vec<bool>> = columns.iter().map(missing).collect();
        let is_missing = |row: usize| {
            let own = misses.iter().map(|own| own[found[row].unwrap_or_default()]);
            let own: Vec<bool> = own.collect();
            match option {
                // Each of several responses leaves out its own; what is beside it leaves out all.
                "--phenotype" => {
                    let (named, also) = own.split_at(beside.columns.len().clamp(1, own.len()));
                    !named.contains(&false) || also.contains(&true)
                }
                _ => own.contains(&true),
            }
        };
        let told = match (option, columns.len()) {
            ("--phenotype", 1) => format!("without a value of {}", columns[0].name),
            ("--phenotype", _) => format!("without a phenotype in {path}"),
            _ => format!("without a value of a covariate in {path}"),
        };
        leave(&mut stays, &is_missing, told);
        taken.extend(
            columns
                .iter()
                .map(|column| (column.name.clone(), beside.path.clone())),
        );
        joined.push((found, columns));
    }
    people.taken = taken;
    let rows: Vec<usize> = (0..ids.len()).filter(|row| stays[*row]).collect();
    let left_out = ids.len() - rows.len();
    if rows.is_empty() {
        let message = format!("nobody is left: {}", reasons.join(", "));
        return Err(TableError::content(fam, message));
    }
    for (place, (found, columns)) in joined.into_iter().enumerate() {
        let of_rows: Vec<usize> = rows.iter().filter_map(|row| *found.get(*row)?).collect();
        let columns = columns.into_iter().map(|column| Column {
            values: in_rows(&column.values, &of_rows),
            name: column.name,
        });
        match place {
            0 => people.phenotypes = columns.collect(),
            _ => people.covariates = columns.collect(),
        }
    }
    if left_out > 0 {
        let were = if left_out == 1 {
            "person was"
        } else {
            "people were"
        };
        people.warnings.push(format!(
            "{left_out} of {} {were} left out: {}",
            ids.len(),
            reasons.join(", ")
        ));
        people.rows = Some(rows);
    }
    Ok(people)
}

/// The values of some rows in any order, each as often as it is named.
fn in_rows(values: &Values, rows: &[usize]) -> Values {
    match values {
        Values::Factor { levels, codes } => {
            let level = |row: &usize| levels.get(codes[*row] as usize).map(String::as_str);
            rows.iter().map(level).collect()
        }
        values => {
            let n = values.len().unwrap_or(0);
            let numbers = values.numbers(n).unwrap_or_default();
            let own: Vec<f64> = rows.iter().map(|row| numbers[*row]).collect();
            own.into()
        }
    }
}

/// Whether each row misses a value.
fn missing(column: &Column) -> Vec<bool> {
    match &column.values {
        Values::Factor { codes, .. } => codes.iter().map(|code| *code == MISSING).collect(),
        values => {
            let n = values.len().unwrap_or(0);
            let numbers = values.numbers(n).unwrap_or_default();
            numbers.iter().map(|value| value.is_nan()).collect()
        }
    }
}

/// For each person the row of a file.
fn by_id(
    ids: &[Id],
    fam: &Path,
    file: &ById,
    path: &Path,
) -> Result<Vec<Option<usize>>, TableError> {
    if !file.has_family {
        let mut seen = HashMap::new();
        for (row, (_, own)) in ids.iter().enumerate() {
            if let Some(first) = seen.insert(own, row)
                && file.of(&ids[row]).is_some()
            {
                let message = format!(
                    "lines {} and {} are both of a person `{own}`, whom {} has without a family: put FID before IID there",
                    first + 1,
                    row + 1,
                    as_given(path)
                );
                return Err(TableError::content(fam, message));
            }
        }
    }
    let found: Vec<Option<usize>> = ids.iter().map(|id| file.of(id)).collect();
    if found.iter().all(Option::is_none) {
        let shown = |(family, own): &Id| match file.has_family {
            true => format!("{family} {own}"),
            false => own.clone(),
        };
        let here: Vec<String> = ids.iter().take(3).map(shown).collect();
        let mut there: Vec<_> = file.rows.iter().map(|(id, row)| (row, id)).collect();
        there.sort_unstable();
        let there = there
            .into_iter()
            .take(3)
            .map(|(_, (family, own))| match family {
                Some(family) => format!("{family} {own}"),
                None => own.clone(),
            });
        let there: Vec<String> = there.collect();
        let message = format!(
            "none of its people is in {}, where they are {}, …, and here {}, …: give both the same ids",
            as_given(fam),
            list(there.iter().map(String::as_str)),
            list(here.iter().map(String::as_str))
        );
        return Err(TableError::content(path, message));
    }
    Ok(found)
}
