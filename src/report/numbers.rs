//! Numbers and names as a reader sees them.

/// A text with line ends and other unseen characters escaped: a file's header must not steer a
/// terminal.
pub(super) fn printable(text: &str) -> String {
    crate::printable::printable(text).into_owned()
}

/// Texts one after another, parted by commas.
pub(super) fn listed(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join(", ")
}

/// The first names, and how many more there are.
pub(super) fn first_names(names: &[String], most: usize) -> String {
    match names.len().saturating_sub(most) {
        0 => names.join(", "),
        more => format!("{}, … {more} more", names[..most].join(", ")),
    }
}

/// The text, where the condition holds.
pub(super) fn when(condition: bool, text: &str) -> &str {
    if condition { text } else { "" }
}

/// A percentage with as many decimals as it needs.
pub(super) fn percent(number: f64) -> String {
    // The tenth decimal is far above rounding and below any level in use.
    let text = format!("{number:.10}");
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A p-value to three significant digits; below 2e-16, where R stops too, only that.
pub(super) fn p_value(p: f64) -> String {
    if p < 2e-16 {
        "<2e-16".to_owned()
    } else if p < 1e-4 {
        let text = format!("{p:.2e}");
        // R and everyone write two digits of exponent.
        match text.split_once("e-") {
            Some((digits, exponent)) => format!("{digits}e-{exponent:0>2}"),
            None => text,
        }
    } else {
        significant(p, 3)
    }
}

/// A number to so many significant digits, like C's `%g` but with trailing zeros, which say how
/// far it is known.
pub(super) fn significant(number: f64, digits: usize) -> String {
    if number.is_infinite() {
        return if number > 0.0 { "∞" } else { "-∞" }.to_owned();
    }
    if number == 0.0 || number.is_nan() {
        return number.to_string();
    }
    let scientific = format!("{number:.*e}", digits - 1);
    // The exponent after rounding: 9.9999996 is 10.0000.
    let exponent = scientific
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse::<i32>().ok())
        .unwrap_or(0);
    if (-5..digits as i32 + 2).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0);
        format!("{number:.*}", decimals as usize)
    } else {
        scientific
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_significant_ones() {
        for (number, digits, text) in [
            (9.999_999_6, 6, "10.0000"),
            (123_456.789, 4, "123457"),
            (1.0e-7, 3, "1.00e-7"),
            (0.000_123_456, 3, "0.000123"),
            (0.0, 4, "0"),
            (-2.5e300, 2, "-2.5e300"),
        ] {
            assert_eq!(significant(number, digits), text);
        }
        for (p, text) in [
            (1e-17, "<2e-16"),
            (3.2e-5, "3.20e-05"),
            (1.5e-12, "1.50e-12"),
            (0.000_212_3, "0.000212"),
            (0.25, "0.250"),
            (0.999_9, "1.00"),
            (1.0, "1.00"),
        ] {
            assert_eq!(p_value(p), text);
        }
    }
}
