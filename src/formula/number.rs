//! Numbers as R writes them.

/// The shortest decimal digits that read back as the number, in fixed notation unless the
/// scientific one is shorter: `0.5`, `100`, `1e+05`.
pub(super) fn number_text(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    let sign = if value.is_sign_negative() && value != 0.0 {
        "-"
    } else {
        ""
    };
    let size = value.abs();
    if size.is_infinite() {
        return format!("{sign}Inf");
    }
    let scientific = format!("{size:e}");
    let Some((mantissa, exponent)) = split(&scientific) else {
        return format!("{value}");
    };
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count() as i32;
    let decimals = (digits - 1 - exponent).max(0);
    let before = exponent.max(0) + 1;
    let fixed_width = before + if decimals > 0 { decimals + 1 } else { 0 };
    let mantissa_width = if digits > 1 { digits + 1 } else { 1 };
    let scientific_width = mantissa_width + if exponent.abs() >= 100 { 5 } else { 4 };
    match fixed_width <= scientific_width {
        true => format!("{sign}{size}"),
        false => format!("{sign}{}", scientific_text(mantissa, exponent)),
    }
}

/// The text of a number that becomes a level of a factor: 15 significant digits at most.
pub(super) fn level_text(value: f64) -> String {
    let rounded = format!("{value:.14e}").parse().unwrap_or(value);
    number_text(rounded)
}

/// A number with at most so many significant digits, without zeros at the end, as `%g` of C.
pub(super) fn significant_text(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return number_text(value);
    }
    let digits = digits.clamp(1, 17);
    let scientific = format!("{value:.*e}", digits - 1);
    let Some((mantissa, exponent)) = split(&scientific) else {
        return scientific;
    };
    if exponent < -4 || exponent >= digits as i32 {
        return scientific_text(without_zeros(mantissa), exponent);
    }
    let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
    without_zeros(&format!("{value:.decimals$}")).to_owned()
}

/// The mantissa and the exponent of a number in Rust's scientific notation.
fn split(scientific: &str) -> Option<(&str, i32)> {
    let (mantissa, exponent) = scientific.split_once('e')?;
    Some((mantissa, exponent.parse().ok()?))
}

fn scientific_text(mantissa: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

fn without_zeros(digits: &str) -> &str {
    match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => digits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_r_writes_them() {
        let cases = [
            (1000.0, "1000"),
            (100000.0, "1e+05"),
            (123456.0, "123456"),
            (0.1, "0.1"),
            (0.0001, "1e-04"),
            (0.00012, "0.00012"),
            (-2.5, "-2.5"),
            (1e300, "1e+300"),
            (0.0, "0"),
        ];
        for (value, text) in cases {
            assert_eq!(number_text(value), text);
        }
        assert_eq!(level_text(0.1 + 0.2), "0.3");
    }

    #[test]
    fn significant_digits_follow_g_of_c() {
        assert_eq!(significant_text(70.0, 3), "70");
        assert_eq!(significant_text(1234.5, 3), "1.23e+03");
        assert_eq!(significant_text(0.000012345, 3), "1.23e-05");
        assert_eq!(significant_text(56.959, 3), "57");
        assert_eq!(significant_text(56.959, 4), "56.96");
    }
}
