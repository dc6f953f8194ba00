//! Files with a row for each person, or with a list of people.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::super::cohort::BesidePeople;
use super::super::error::as_given;
use super::super::format::{Format, Input};
use super::super::lines::Lines;
use super::super::{
    Column, ColumnPartition, ReadOptions, Separator, Table, TableError, TextOptions, Values, csv,
};
use super::samples::Id;
use crate::nearest::{list, near, near_or_listed};

/// A column that another table has given, and that table.
pub(super) type Taken = (String, PathBuf);

/// How the rows of a file are found.
pub(super) struct ById {
    /// By both ids, or by a person's own.
    pub(super) rows: HashMap<(Option<String>, String), usize>,
    pub(super) has_family: bool,
}

impl ById {
    pub(super) fn of(&self, (family, own): &Id) -> Option<usize> {
        let family = self.has_family.then(|| family.clone());
        self.rows.get(&(family, own.clone())).copied()
    }
}

fn is_name(cell: &str, name: &str) -> bool {
    cell.trim_start_matches('#').eq_ignore_ascii_case(name)
}

/// How many of the first columns are ids, by their names.
fn id_columns(names: &[&str]) -> Option<usize> {
    match names {
        [family, own, ..] if is_name(family, "FID") && is_name(own, "IID") => Some(2),
        [own, ..] if is_name(own, "IID") => Some(1),
        _ => None,
    }
}

/// Does something with a table beside people, whose text is written so, by its format: reads it, or its header.
fn with_input<T>(
    path: &Path,
    options: &ReadOptions,
    text: TextOptions,
    factors: &[String],
    with: impl FnOnce(&Format, &Input) -> Result<T, TableError>,
) -> Result<T, TableError> {
    let options = &ReadOptions {
        factors,
        dates: &[],
        cohort: None,
        response: None,
        ..options.with_text(text)
    };
    let input = Input {
        path,
        options,
        partition: &ColumnPartition::default(),
    };
    // Tables beside genotypes have any ending.
    let format = Format::of(path).map_or(&csv::ANY, |(format, _)| format);
    with(format, &input)
}

/// The names of all columns of a table beside people, and how its text is written: words of a header with ids that one space
/// parts are names, though a table of text might have one column of that name.
fn header_of(path: &Path, options: &ReadOptions) -> Result<(Vec<String>, TextOptions), TableError> {
    let names = |text: TextOptions| -> Result<Vec<String>, TableError> {
        let header = with_input(path, options, text, &[], |format, input| {
            (format.header)(input)
        })?;
        let columns = header.map_or(Vec::new(), |table| table.columns);
        Ok(columns.into_iter().map(|column| column.name).collect())
    };
    let found = names(options.text)?;
    if let ([one], None) = (&found[..], options.text.separator) {
        let words: Vec<&str> = one.split_whitespace().collect();
        if words.len() > 1 && id_columns(&words).is_some() {
            let text = TextOptions {
                separator: Some(Separator::Whitespace),
                ..options.text
            };
            return Ok((names(text)?, text));
        }
    }
    Ok((found, options.text))
}

/// Of a table beside people the columns of ids, those that are used, and how its text is written.
pub(super) struct BesideHeader {
    ids: Vec<String>,
    pub(super) used: Vec<String>,
    text: TextOptions,
}

/// The header of a table beside people.
///
/// # Errors
/// It has no ids, not the columns that are named, or one that another table has given.
pub(super) fn header_beside(
    beside: &BesidePeople,
    option: &str,
    options: &ReadOptions,
    taken: &[Taken],
) -> Result<BesideHeader, TableError> {
    let path = &beside.path;
    let (names, text) = header_of(path, options)?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let Some(ids) = id_columns(&names) else {
        let first = names.iter().take(2).copied();
        let message = format!(
            "begins with the columns {}, where the ids of people are expected: FID and IID, or IID",
            list(first)
        );
        return Err(TableError::content(path, message));
    };
    let own = &names[ids..];
    for name in &beside.columns {
        if !own.contains(&name.as_str()) {
            let all: Vec<String> = own.iter().map(|name| (*name).to_owned()).collect();
            let near = near(name, own.iter().copied());
            let message = format!(
                "{option} names `{name}`, which is no column of it{}",
                near_or_listed(&near, &all)
            );
            return Err(TableError::content(path, message));
        }
    }
    let used = match &beside.columns[..] {
        // All but those of the phenotypes, which may stand in the same table.
        [] => {
            let is_taken = |name: &str| taken.iter().any(|own| own.0 == name && own.1 == *path);
            let rest = own.iter().filter(|name| !is_taken(name));
            rest.map(|name| (*name).to_owned()).collect()
        }
        named => {
            let also = beside.also.iter();
            let also = also.filter(|name| own.contains(&name.as_str()) && !named.contains(name));
            named.iter().chain(also).cloned().collect::<Vec<String>>()
        }
    };
    if used.is_empty() {
        return Err(TableError::content(
            path,
            "has ids of people and no other column",
        ));
    }
    if option == "--phenotype" && beside.columns.is_empty() && used.len() > 1 {
        let message = format!(
            "has the phenotypes {}: name one, or several to get a model of each, as --phenotype {}:{}",
            list(used.iter().map(String::as_str)),
            as_given(path),
            used[0]
        );
        return Err(TableError::content(path, message));
    }
    if let Some((name, other)) = taken.iter().find(|own| used.contains(&own.0)) {
        let message = format!(
            "its column `{name}` is one of {} too: name the columns that are meant, as {option} {}:A,B, or rename it",
            as_given(other),
            as_given(path)
        );
        return Err(TableError::content(path, message));
    }
    let ids = names[..ids].iter().map(|name| (*name).to_owned());
    Ok(BesideHeader {
        ids: ids.collect(),
        used,
        text,
    })
}

/// A table beside people: how its rows are found, and its columns.
pub(super) fn read_beside(
    beside: &BesidePeople,
    option: &str,
    options: &ReadOptions,
    taken: &[Taken],
) -> Result<(ById, Vec<Column>), TableError> {
    let BesideHeader { ids, used, text } = header_beside(beside, option, options, taken)?;
    let path = &beside.path;
    // Of other columns nothing needs to be known.
    let factors: Vec<String> = options
        .factors
        .iter()
        .filter(|name| used.contains(name))
        .chain(&ids)
        .cloned()
        .collect();
    let read = |format: &Format, input: &Input| (format.read)(input);
    let mut table: Table = with_input(path, options, text, &factors, read)?;
    for column in &mut table.columns {
        // A family of 0, say, is no missing one.
        if !ids.contains(&column.name) {
            column.values.mark_missing(options.missing);
        }
        if factors.contains(&column.name) {
            column.values.make_factor(table.rows);
        }
    }
    let names = table.columns.iter().map(|column| column.name.clone());
    let unused: Vec<String> = names.filter(|name| !used.contains(name)).collect();
    table.refuse_rounded(&unused)?;
    let mut columns = table.columns;
    let rest = columns.split_off(ids.len());
    let text = |column: &Column, row: usize| match &column.values {
        Values::Factor { levels, codes } => levels.get(codes[row] as usize).cloned(),
        _ => None,
    };
    let mut rows = HashMap::new();
    for row in 0..table.rows {
        let id: Option<Vec<String>> = columns.iter().map(|column| text(column, row)).collect();
        let Some(mut id) = id else {
            let message = format!("row {} lacks the id of its person", row + 1);
            return Err(TableError::content(path, message));
        };
        let own = id.pop().unwrap_or_default();
        let family = id.pop();
        if let Some(first) = rows.insert((family.clone(), own.clone()), row) {
            let named = family.map_or(own.clone(), |family| format!("{family} {own}"));
            let message = format!(
                "rows {} and {} are both of the person `{named}`: leave one out",
                first + 1,
                row + 1
            );
            return Err(TableError::content(path, message));
        }
    }
    let mut rest: Vec<Option<Column>> = rest.into_iter().map(Some).collect();
    let mut take = |name: &String| {
        let own = rest
            .iter_mut()
            .find(|column| column.as_ref().is_some_and(|own| own.name == *name))?;
        own.take()
    };
    let has_family = ids.len() == 2;
    let columns = used.iter().filter_map(&mut take).collect();
    Ok((ById { rows, has_family }, columns))
}

/// The people whom a file lists: FID and IID, or IID, a line each, below a header or without one.
pub(super) fn listed_people(path: &Path, options: &ReadOptions) -> Result<ById, TableError> {
    let mut lines = Lines::open(path, options)?;
    let (mut rows, mut has_family) = (HashMap::new(), None);
    while lines.advance()? {
        let fields: Vec<&[u8]> = lines.fields().take(2).collect();
        let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
        let fields: Vec<String> = fields.into_iter().map(text).collect();
        let names: Vec<&str> = fields.iter().map(String::as_str).collect();
        if names.is_empty() {
            continue;
        }
        if lines.number == 1
            && let Some(ids) = id_columns(&names)
        {
            has_family = Some(ids == 2);
            continue;
        }
        let family = *has_family.get_or_insert(fields.len() == 2);
        let id = match (&fields[..], family) {
            ([own, ..], false) => (None, own.clone()),
            ([family, own], true) => (Some(family.clone()), own.clone()),
            _ => {
                let message = "one id, but FID and IID are expected as in the lines before it";
                return Err(lines.error(message.to_owned()));
            }
        };
        let row = rows.len();
        rows.entry(id).or_insert(row);
    }
    if rows.is_empty() {
        let message = "lists nobody: a line for each person is expected, FID and IID, or IID";
        return Err(TableError::content(path, message));
    }
    let has_family = has_family.unwrap_or(true);
    Ok(ById { rows, has_family })
}
