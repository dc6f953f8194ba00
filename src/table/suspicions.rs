//! Columns that were read and may not be what their user thinks: numbers written as text, numbers
//! that stand for a missing value, dates.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::dates::are_dates;
use super::error::shown;
use super::field::{self, Field, classify};
use super::{Column, Table, TableError, Values};
use crate::nearest::{as_option, list};

/// Numbers that by custom mean a missing value.
const SENTINELS: [f64; 4] = [-99.0, -999.0, -9999.0, -99999.0];

/// Values of a column in which a sentinel is looked for first.
const VALUES_SEEN: usize = 256;

/// A text longer than this is no mark of a missing value.
const LONGEST_MARK: usize = 12;

/// What makes a plain number of a text that a reader would call one: `1,234`, `12,5`, `10%`, `$5`.
fn almost_number(text: &str) -> Option<&'static str> {
    let text = text.trim();
    let is_plain = |text: &str| {
        let digits = text.bytes().any(|byte| byte.is_ascii_digit());
        let has_other = text.bytes().any(|byte| !b"0123456789.eE+-".contains(&byte));
        digits && !has_other && text.parse::<f64>().is_ok()
    };
    let is_grouped = |text: &str, between: &[char], mark: char| {
        let text = text.trim_start_matches('-');
        let (whole, decimals) = text.split_once(mark).unwrap_or((text, ""));
        let mut groups = whole.split(between);
        let is_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
        let first = groups.next().unwrap_or_default();
        let others: Vec<&str> = groups.collect();
        (1..=3).contains(&first.len())
            && is_digits(first)
            && is_digits(decimals)
            && !others.is_empty()
            && others
                .iter()
                .all(|group| group.len() == 3 && is_digits(group))
    };
    let spaces = &[' ', '\'', '\u{a0}', '\u{202f}', '’'];
    let with_point = text.replacen(',', ".", 1);
    let one_comma = text.contains(',') && !text.contains('.') && is_plain(&with_point);
    let amount = text.trim_matches(['$', '€', '£', '¥']).trim();
    let is_like = |text: &str| is_plain(text) || almost_number(text).is_some();
    if one_comma && is_grouped(text, &[','], '.') {
        Some("write thousands without a comma, or say --decimal , if it stands before decimals")
    } else if one_comma {
        Some("--decimal , reads a comma as the mark before decimals")
    } else if is_grouped(text, &[','], '.')
        || is_grouped(text, &['.'], ',') && text.contains(',')
        || is_grouped(text, spaces, '.')
        || is_grouped(text, spaces, ',')
    {
        Some("write numbers without separators of thousands")
    } else if text
        .strip_suffix('%')
        .is_some_and(|number| is_like(number.trim()))
    {
        Some("write percentages as plain numbers, without %")
    } else if amount.len() < text.len() && is_like(amount) {
        Some("write amounts as plain numbers, without their currency")
    } else if is_plain(text) && text.contains('.') {
        Some("the file's decimals stand after a comma, this one after a point: write all alike")
    } else {
        None
    }
}

/// Refuses a factor whose levels are numbers but for how they are written: as dummies they would
/// mislead.
pub(super) fn refuse_almost_numbers<'a>(
    path: &Path,
    columns: impl Iterator<Item = &'a Column>,
    offers_factor: bool,
) -> Result<(), TableError> {
    for Column { name, values } in columns {
        let Values::Factor { levels, .. } = values else {
            continue;
        };
        let is_number = |level: &String| level.trim().parse::<f64>().is_ok();
        let mend = levels
            .iter()
            .find_map(|level| Some((level, almost_number(level).filter(|_| !is_number(level))?)));
        if let Some((level, mend)) = mend
            && levels
                .iter()
                .all(|level| is_number(level) || almost_number(level).is_some())
        {
            let shown = shown(level);
            let mut message =
                format!("column `{name}` holds text that looks like numbers ({shown}): {mend}");
            if offers_factor {
                let option = as_option(name);
                message += &format!("; or read it as a factor with --factor {option}");
            }
            return Err(TableError::content(path, message));
        }
    }
    Ok(())
}

/// The message about a factor, the text in this row being its first value, most of whose values are
/// numbers: had one of them come first, the text would be refused. The order of rows decides nothing.
pub(super) fn mostly_numbers(
    column: &Column,
    row: usize,
    is_number: impl Fn(&str) -> bool,
    offers_factor: bool,
) -> Option<String> {
    let Values::Factor { levels, codes } = &column.values else {
        return None;
    };
    let are_numbers: Vec<bool> = levels.iter().map(|level| is_number(level)).collect();
    if !are_numbers.contains(&true) {
        return None;
    }
    let level_of = |code: &u32| are_numbers.get(*code as usize).copied();
    let (mut given, mut numbers) = (0, 0);
    for is_number in codes.iter().filter_map(level_of) {
        given += 1;
        numbers += usize::from(is_number);
    }
    let first = levels.get(*codes.get(row - 1)? as usize)?;
    let note = format!(", {numbers} of whose {given} values are numbers");
    (numbers * 2 > given).then(|| unfit(first, &column.name, &note, offers_factor))
}

/// The message about a text that a column of numbers cannot hold; `note` says more of the column, which may be a factor where that is
/// offered.
pub(super) fn unfit(text: &str, column: &str, note: &str, offers_factor: bool) -> String {
    if let Field::Infinite = classify(text.as_bytes()) {
        return field::infinite(text.as_bytes(), column);
    }
    let (shown, option) = (shown(text), as_option(column));
    let mend = match almost_number(text) {
        Some(mend) => return format!("{shown} in the numeric column `{column}`{note}: {mend}"),
        None if text.len() <= LONGEST_MARK => {
            format!(
                "say with --na '{}' that it means a missing one",
                text.trim()
            )
        }
        None => String::new(),
    };
    let factor = match offers_factor {
        true => format!("read the column as a factor with --factor {option}"),
        false => String::new(),
    };
    let mends: Vec<&str> = ["mend the value", &mend, &factor]
        .into_iter()
        .filter(|own| !own.is_empty())
        .collect();
    let mends = match &mends[..] {
        [first @ .., last] if !first.is_empty() => format!("{}, or {last}", first.join(", ")),
        _ => mends.concat(),
    };
    format!("{shown} in the numeric column `{column}`{note}; {mends}")
}

/// What a column is suspected of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) enum Suspicion {
    /// This number seems to mean a missing value.
    Missing(f64),
    /// Its texts are dates.
    Dates,
}

impl Table {
    /// What may be wrong with columns, by position; `is_factor` tells which are factors because an
    /// option says so.
    pub(super) fn suspicions(
        &self,
        is_factor: impl Fn(&String) -> bool,
    ) -> Vec<(usize, Suspicion)> {
        let suspicion = |column: &Column| match &column.values {
            Values::Factor { levels, .. } => {
                let are_dates = !is_factor(&column.name) && are_dates(levels);
                are_dates.then_some(Suspicion::Dates)
            }
            Values::Numbers(values) => sentinel(values).map(Suspicion::Missing),
            _ => None,
        };
        let columns = self.columns.iter().enumerate();
        columns
            .filter_map(|(position, column)| Some((position, suspicion(column)?)))
            .collect()
    }
}

/// The warnings about columns that are suspected, one for each suspicion.
pub(super) fn told(table: &Table, suspicions: &[(usize, Suspicion)]) -> Vec<String> {
    let names = |wanted: Suspicion| -> Vec<&str> {
        let suspected = suspicions
            .iter()
            .filter(|(_, suspicion)| *suspicion == wanted);
        suspected
            .map(|(position, _)| table.columns[*position].name.as_str())
            .collect()
    };
    let mut warnings = Vec::new();
    for sentinel in SENTINELS {
        let names = names(Suspicion::Missing(sentinel));
        if !names.is_empty() {
            let columns = list(names.into_iter());
            warnings.push(format!(
                "{columns}: the only value below 0 is {sentinel}; if it means a missing one, say \
                 --na {sentinel}"
            ));
        }
    }
    warnings.extend(names(Suspicion::Dates).into_iter().map(dates_as_factor));
    warnings
}

fn dates_as_factor(name: &str) -> String {
    let option = as_option(name);
    format!(
        "{name} holds dates and was read as a factor, each date a level: --date {option} makes \
         numbers of them, the days since 1970-01-01"
    )
}

impl Table {
    /// Takes back what was told of dates in columns that nothing uses.
    pub(crate) fn forget_unused_dates(&mut self, is_used: impl Fn(&str) -> bool) {
        if self.warnings.is_empty() {
            return;
        }
        let are_unused = |own: &&Column| match &own.values {
            Values::Factor { levels, .. } => are_dates(levels) && !is_used(&own.name),
            _ => false,
        };
        let unused = self.columns.iter().filter(are_unused);
        let unused: Vec<String> = unused.map(|own| dates_as_factor(&own.name)).collect();
        self.warnings.retain(|warning| !unused.contains(warning));
    }
}

/// Whether a warning is to tell of a column of numbers that it holds a sentinel, or that it numbers the rows.
pub(super) fn is_suspected(values: &[f64]) -> bool {
    sentinel(values).is_some() || are_row_numbers(values.iter().copied())
}

/// Fewest observations of a column that is taken for a row number: fewer may be a measurement.
const FEWEST: usize = 10;

/// Whether the values are row numbers, from 0 or 1, of more than a few rows.
pub(crate) fn are_row_numbers(values: impl ExactSizeIterator<Item = f64> + Clone) -> bool {
    let first = values.clone().next();
    let is_start = first == Some(0.0) || first == Some(1.0);
    values.len() >= FEWEST
        && is_start
        && values
            .zip(0_u32..)
            .all(|(value, row)| Some(value - f64::from(row)) == first)
}

/// The sentinel that is the only number below 0 of a column that has others.
fn sentinel(values: &[f64]) -> Option<f64> {
    let seen = &values[..values.len().min(VALUES_SEEN)];
    let is_sentinel = |value: &&f64| **value <= SENTINELS[0] && SENTINELS.contains(value);
    let sentinel = *seen.iter().find(is_sentinel)?;
    let is_usual = |value: &f64| value.is_nan() || *value >= 0.0 || *value == sentinel;
    let has_others = values.iter().any(|value| *value >= 0.0);
    (has_others && values.iter().all(is_usual)).then_some(sentinel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_written_as_text_are_known() {
        for text in [
            "1,234",
            "12,5",
            "-0,5",
            "1,234.5",
            "1.234,5",
            "1 234",
            "1'234.5",
            "10%",
            "2,5 %",
            "$5",
            "€ 1,234",
            "5 €",
            "1,5e3",
        ] {
            assert!(almost_number(text).is_some(), "{text}");
        }
        for text in [
            "", "red", "1,2,3", "1234", "a1,2", "1-2", "%", "$", "12:30", "1,23,456",
        ] {
            assert!(almost_number(text).is_none(), "{text}");
        }
    }
}
