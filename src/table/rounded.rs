//! Whole numbers that 64-bit floating point does not hold. Above 2⁵³ it holds some only, so that identifiers
//! which differ would become one number.

use super::{Table, TableError};
use crate::nearest::as_option;

/// From here on 64-bit floating point skips whole numbers.
pub(super) const EXACT: f64 = 9_007_199_254_740_992.0;

/// A column with a whole number that was rounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundedColumn {
    /// The column's position in its table.
    pub position: usize,
    /// The line of the first such number, counted from 1, where the file has lines.
    pub line: Option<u64>,
    /// Its row, counted from 1.
    pub row: usize,
    /// The number as the file has it.
    pub number: String,
}

/// The columns of a table with numbers that were rounded, each once.
#[derive(Debug, Default)]
pub(super) struct RoundedColumns(pub(super) Vec<RoundedColumn>);

impl RoundedColumns {
    /// Whether no such number of the column is known.
    pub(super) fn is_new(&self, position: usize) -> bool {
        self.0.iter().all(|known| known.position != position)
    }

    /// Takes note of a number of a row counted from 1, unless one of its column is known.
    pub(super) fn add(&mut self, position: usize, line: Option<u64>, row: usize, number: String) {
        if self.is_new(position) {
            self.0.push(RoundedColumn {
                position,
                line,
                row,
                number,
            });
        }
    }
}

/// The text of an integer that 64-bit floating point rounds; `None` of one that it holds.
pub(super) fn rounded(integer: impl Into<i128>) -> Option<String> {
    let integer = integer.into();
    (integer as f64 as i128 != integer).then(|| integer.to_string())
}

/// Whether a text says a whole number of at most 64 bits that its value is not. A float that was
/// written with its shortest digits, and longer texts, are no whole numbers.
pub(super) fn is_rounded(text: &[u8], value: f64) -> bool {
    if value.abs() < EXACT {
        return false;
    }
    let text = text.trim_ascii();
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+"));
    let digits = str::from_utf8(digits.unwrap_or(text)).unwrap_or_default();
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let value = value.abs();
    let is_other = |whole: u64| value as u128 != u128::from(whole) && value.to_string() != digits;
    digits.parse().is_ok_and(is_other)
}

impl Table {
    /// Refuses a column with a rounded number, unless it is left out.
    pub(crate) fn refuse_rounded(&self, dropped: &[String]) -> Result<(), TableError> {
        let is_used = |rounded: &&RoundedColumn| {
            let name = &self.columns[rounded.position].name;
            !dropped.contains(name)
        };
        let Some(rounded) = self.rounded.iter().find(is_used) else {
            return Ok(());
        };
        let (name, number) = (&self.columns[rounded.position].name, &rounded.number);
        let option = as_option(name);
        // A row is shown beside its line alone.
        let (place, mend) = match rounded.line {
            Some(_) => (
                String::new(),
                format!("read it as a factor with --factor {option}"),
            ),
            None => (
                format!("row {}: ", rounded.row),
                "write it as text, which makes it a factor".to_owned(),
            ),
        };
        Err(TableError::Content {
            path: self.source.clone(),
            line: rounded.line,
            row: Some(rounded.row),
            message: format!(
                "{place}{number} in column `{name}` is a whole number beyond 2^53, which 64-bit floating \
                 point rounds, so that numbers which differ would be one: leave the column out with \
                 --drop {option}, {mend}, or write it as decimal numbers if rounding does no harm"
            ),
        })
    }
}

/// The message about a whole number that floating point rounds, in a format that has no other mend.
pub(super) fn refusal(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text.trim_ascii());
    format!(
        "{text} is a whole number beyond 2^53, which 64-bit floating point rounds, so that numbers which \
         differ would be one: write it as {text}.0 if rounding does no harm, or leave it out"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_that_floating_point_does_not_hold_is_found() {
        for (text, expected) in [
            ("9007199254740991", false),
            ("9007199254740992", false),
            ("9007199254740993", true),
            ("-9007199254740993", true),
            ("9007199254740994", false),
            ("18446744073709551615", true),
            ("18446744073709551616", false),
            ("9223372036854775808", false),
            // 2^60, exactly and by its shortest digits.
            ("1152921504606846976", false),
            ("1152921504606847000", false),
            ("1152921504606847001", true),
            ("9007199254740993.0", false),
            ("9.007199254740993e15", false),
            ("123456789012345678901234567890", false),
            (" 9007199254740993", true),
        ] {
            let value = text.trim().parse().unwrap();
            assert_eq!(is_rounded(text.as_bytes(), value), expected, "{text}");
        }
    }

    #[test]
    fn an_integer_that_floating_point_does_not_hold_is_found() {
        for held in [1_i64 << 53, -(1 << 53), i64::MIN, 1 << 60, 0, -7] {
            assert_eq!(rounded(held), None);
        }
        assert_eq!(rounded(u64::MAX).unwrap(), "18446744073709551615");
        assert_eq!(rounded((1_i64 << 53) + 1).unwrap(), "9007199254740993");
    }
}
