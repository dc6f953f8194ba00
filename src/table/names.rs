//! Column names: unique, not empty, found again when misspelt.

use std::borrow::Cow;
use std::collections::HashMap;

use std::path::Path;

use super::error::Fault;
use super::{ReadOptions, TableError};
use crate::fnv::{Fnv, equal_hashes};
use crate::nearest::did_you_mean;
use crate::threads::{map_each, piece};

/// The names that a header's cells give to columns; so many cells before them were skipped.
pub(super) fn of_header<'a>(
    path: &Path,
    line: u64,
    cells: impl Iterator<Item = &'a [u8]>,
    skipped: usize,
) -> Result<Vec<String>, TableError> {
    let mut names = Vec::new();
    for (column, cell) in (skipped..).zip(cells) {
        let Ok(name) = str::from_utf8(cell) else {
            return Err(TableError::not_utf8(path, line, column + 1));
        };
        let name = name.trim();
        if name.is_empty() {
            return Err(Fault::from(unnamed(column)).at(path, Some(line)));
        }
        names.push(unguarded(name).to_owned());
    }
    check_unique(path, names.iter().map(String::as_str))?;
    Ok(names)
}

pub(super) fn unnamed(position: usize) -> String {
    format!("column {} has no name; give it one", position + 1)
}

pub(super) fn check_unique<'a>(
    path: &Path,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), TableError> {
    let names: Vec<&str> = names.collect();
    match first_repeated(&names) {
        Some([first, second]) => {
            let (name, first, second) = (names[first], first + 1, second + 1);
            let message =
                format!("columns {first} and {second} are both named `{name}`; rename one");
            Err(TableError::content(path, message))
        }
        None => Ok(()),
    }
}

/// Names that a thread hashes at a time.
const HASHED_AT_ONCE: usize = piece(1 << 16);

/// The positions of those names that others are equal to, ascending. Hashes are sorted, which for millions is many times as
/// fast as a map of the names.
pub(super) fn repeated(names: &[&str]) -> Vec<usize> {
    let hash = |name: &&str| Fnv::new().bytes(name.as_bytes()).finish();
    let hashes = map_each(
        names.chunks(HASHED_AT_ONCE).collect(),
        |names: &[&str]| names.iter().map(hash).collect::<Vec<u128>>(),
    );
    let alike = equal_hashes(&hashes.concat()).into_iter();
    let mut repeated: Vec<usize> = alike
        .flat_map(|alike| {
            let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
            for position in alike {
                places.entry(names[position]).or_default().push(position);
            }
            places.into_values().filter(|places| places.len() > 1)
        })
        .flatten()
        .collect();
    repeated.sort_unstable();
    repeated
}

/// The first position of a name that stands before as well, behind where it stood first.
pub(super) fn first_repeated(names: &[&str]) -> Option<[usize; 2]> {
    let mut firsts = HashMap::new();
    repeated(names).into_iter().find_map(|second| {
        let first = *firsts.entry(names[second]).or_insert(second);
        (first < second).then_some([first, second])
    })
}

/// Checks that the columns are there of which options say how they are read.
pub(super) fn check_factors<'a>(
    path: &Path,
    options: &ReadOptions,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), TableError> {
    for (what, named) in [("factor", options.factors), ("date", options.dates)] {
        let absent = |name: &&String| !names.clone().any(|known| known == **name);
        if let Some(absent) = named.iter().find(absent) {
            let hint = did_you_mean(absent, names);
            let message = format!("no column `{absent}` to read as a {what}{hint}");
            return Err(TableError::content(path, message));
        }
    }
    Ok(())
}

/// The name of the variable at a position, where the file has none.
pub(crate) fn variable(position: usize) -> String {
    format!("x{position}")
}

/// The names `y`, `x0`, `x1`, … of a response and so many variables.
pub(super) fn numbered(variables: usize) -> impl Iterator<Item = String> {
    std::iter::once(String::from("y")).chain((0..variables).map(variable))
}

/// Names of a list. A name with a comma stands in double quotes, and a double
/// quote inside those is written twice: as in a CSV file.
pub(crate) fn split_names(list: &str) -> Result<Vec<String>, &'static str> {
    let mut names = Vec::new();
    let mut rest = list;
    loop {
        rest = rest.trim_start();
        let name = if let Some(quoted) = rest.strip_prefix('"') {
            let (name, after) = unquote(quoted).ok_or("a double quote does not close")?;
            rest = after.trim_start();
            if !rest.is_empty() && !rest.starts_with(',') {
                return Err("a comma is missing after a double quote");
            }
            name
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            let name = rest[..end].trim_end().to_owned();
            rest = &rest[end..];
            name
        };
        if name.is_empty() {
            return Err("a name is empty");
        }
        names.push(name);
        match rest.strip_prefix(',') {
            Some(after) => rest = after,
            None => return Ok(names),
        }
    }
}

/// The text up to the closing quote, and what comes after it.
fn unquote(quoted: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut rest = quoted;
    loop {
        let (before, after) = rest.split_once('"')?;
        name.push_str(before);
        match after.strip_prefix('"') {
            Some(after) => {
                name.push('"');
                rest = after;
            }
            None => return Some((name, after)),
        }
    }
}

/// A field of a CSV file, guarded against spreadsheets, and in quotes where it must be.
pub(crate) fn csv_field(text: &str) -> Cow<'_, str> {
    let text = guarded(text);
    match text.contains([',', '"', '\n', '\r']) {
        true => quote(&text).into(),
        false => text,
    }
}

/// A text that a spreadsheet shows and does not run: an apostrophe goes before a formula, and before
/// apostrophes that a formula follows. [`unguarded`] takes it away.
pub(crate) fn guarded(text: &str) -> Cow<'_, str> {
    match is_formula(text.trim_start_matches('\'')) {
        true => format!("'{text}").into(),
        false => text.into(),
    }
}

/// The text that [`guarded`] made this of.
pub(crate) fn unguarded(text: &str) -> &str {
    let bare = text.strip_prefix('\'');
    let bare = bare.filter(|bare| is_formula(bare.trim_start_matches('\'')));
    bare.unwrap_or(text)
}

/// Whether a spreadsheet takes a text for a formula: by its first character, unless it is a number.
fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) && text.trim().parse::<f64>().is_err()
}

/// One name as [`split_names`] would read it back.
pub(crate) fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Names as [`split_names`] would read them back, in quotes only where they must be.
pub(super) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let listed = names.map(
        |name| match name.contains([',', '"']) || name.trim() != name {
            true => quote(name),
            false => name.to_owned(),
        },
    );
    listed.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::{split_names as names, *};

    #[test]
    fn names_split_at_commas_outside_quotes() {
        assert_eq!(names("a, b c ,d").unwrap(), ["a", "b c", "d"]);
        assert_eq!(names(r#""a,b",c"#).unwrap(), ["a,b", "c"]);
        assert_eq!(names(r#""say ""x""" , y"#).unwrap(), [r#"say "x""#, "y"]);
        assert_eq!(names("a,,b"), Err("a name is empty"));
        assert_eq!(names(""), Err("a name is empty"));
        assert_eq!(names(r#""a"#), Err("a double quote does not close"));
        assert_eq!(
            names(r#""a"b"#),
            Err("a comma is missing after a double quote")
        );
    }

    #[test]
    fn names_that_come_again_are_found() {
        assert_eq!(repeated(&["a", "b", "a", "c", "b", "a"]), [0, 1, 2, 4, 5]);
        assert_eq!(first_repeated(&["c", "b", "a", "a", "b"]), Some([2, 3]));
        assert_eq!(first_repeated(&["c", "", "a"]), None);
        assert_eq!(repeated(&[]), [0; 0]);
    }

    #[test]
    fn a_quoted_name_is_read_back_whole() {
        for name in ["a", "a,b", r#"a "b", c"#, " edge "] {
            assert_eq!(names(&quote(name)).unwrap(), [name]);
        }
    }

    #[test]
    fn a_spreadsheet_runs_no_text_and_the_guard_comes_off() {
        for (text, field) in [
            ("=1+1", "'=1+1"),
            ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
            ("+a", "'+a"),
            ("-a,b", "\"'-a,b\""),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("\r=1", "\"'\r=1\""),
            ("'=1", "''=1"),
            ("-1.5e-3", "-1.5e-3"),
            ("+7", "+7"),
            ("'-1", "'-1"),
            ("a=b", "a=b"),
            ("'quoted'", "'quoted'"),
            ("", ""),
        ] {
            assert_eq!(csv_field(text), field);
            assert_eq!(unguarded(&guarded(text)), text);
            // What needs no guard is no guarded text.
            assert!(guarded(text) != text || unguarded(text) == text);
        }
    }

    #[test]
    fn a_list_quotes_what_it_must_and_is_read_back() {
        let all = ["a", "g3*g7", "a,b", r#"a "b""#, " edge "];
        let text = list(all.into_iter());
        assert_eq!(text, r#"a,g3*g7,"a,b","a ""b"""," edge ""#);
        assert_eq!(names(&text).unwrap(), all);
    }
}
