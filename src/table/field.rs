//! What one field of text says: a number, nothing, or text.

use super::error::{Fault, NOT_UTF8, shown_bytes};
use super::rounded::{self, is_rounded};

/// The meaning of a field, its surrounding spaces ignored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Field {
    Number(f64),
    /// Empty, or one of the marks of a missing value.
    Missing,
    /// A number that 64-bit floating point cannot hold.
    Infinite,
    Text,
}

/// The marks of missing values, besides the empty field and NaN in any case: those of R, SQL and
/// spreadsheets, and what spreadsheets write where a formula has no value.
const MISSING_WORDS: [&[u8]; 15] = [
    b"", b".", b"NA", b"N/A", b"n/a", b"<NA>", b"NULL", b"null", b"#N/A", b"#NA", b"#NUM!",
    b"#DIV/0!", b"#VALUE!", b"#REF!", b"#NAME?",
];

/// Reads a field without its quotes. Every reader of text asks here, so that all agree.
pub(super) fn classify(field: &[u8]) -> Field {
    classify_with(field, &[])
}

/// As [`classify`], where some more words mean a missing value.
pub(super) fn classify_with(field: &[u8], missing: &[String]) -> Field {
    if let Ok(value) = fast_float2::parse::<f64, _>(field) {
        return of(value);
    }
    let trimmed = field.trim_ascii();
    if MISSING_WORDS.contains(&trimmed) || missing.iter().any(|word| word.as_bytes() == trimmed) {
        return Field::Missing;
    }
    match trimmed.len() == field.len() {
        true => Field::Text,
        false => fast_float2::parse(trimmed).map_or(Field::Text, of),
    }
}

/// NaN is a mark of a missing value; everything beyond the range parses as infinite.
fn of(value: f64) -> Field {
    if value.is_finite() {
        Field::Number(value)
    } else if value.is_nan() {
        Field::Missing
    } else {
        Field::Infinite
    }
}

/// The number of a field in a column that holds nothing else, NaN where it is missing.
pub(super) fn number(field: &[u8], column: &str) -> Result<f64, String> {
    match classify(field) {
        Field::Number(value) if is_rounded(field, value) => {
            Err(format!("column `{column}`: {}", rounded::refusal(field)))
        }
        Field::Number(value) => Ok(value),
        Field::Missing => Ok(f64::NAN),
        Field::Infinite => Err(infinite(field, column)),
        Field::Text => {
            let value = shown_bytes(field);
            Err(format!(
                "{value} in column `{column}` is no number; mend the value"
            ))
        }
    }
}

/// The message about a number beyond the range of 64-bit floating point.
pub(super) fn infinite(field: &[u8], column: &str) -> String {
    let value = shown_bytes(field);
    format!(
        "{value} in column `{column}` is infinite; mend the value, or write NA for a missing one"
    )
}

/// What is told of a field, counted from 1, that is no text.
pub(super) fn not_utf8(row: usize, column: usize) -> Fault {
    Fault::in_row(row, format!("column {column}: {NOT_UTF8}"))
}
