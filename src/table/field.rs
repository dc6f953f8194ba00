//! What one field of text says: a number, nothing, or text.

/// The meaning of a field, its surrounding spaces ignored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Field {
    /// A finite number.
    Number(f64),
    /// Empty, or one of the marks of a missing value.
    Missing,
    /// A number that 64-bit floating point cannot hold.
    Infinite,
    /// Anything else.
    Text,
}

/// Reads a field without its quotes. Every reader of text asks here, so that all agree.
pub(super) fn classify(field: &[u8]) -> Field {
    if let Ok(value) = fast_float2::parse::<f64, _>(field) {
        return of(value);
    }
    let trimmed = field.trim_ascii();
    match trimmed {
        b"" | b"." | b"NA" | b"N/A" | b"NULL" | b"null" => Field::Missing,
        _ if trimmed.len() == field.len() => Field::Text,
        _ => fast_float2::parse(trimmed).map_or(Field::Text, of),
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
