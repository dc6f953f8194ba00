//! The notation `NAME:PARAMETER=NUMBER,…` of criteria and methods.

/// Parses `NAME` or `NAME:PARAMETER=NUMBER,…` into the name and its parameters; `None` if it is
/// malformed.
pub(crate) fn parse_spec(spec: &str) -> Option<(&str, Vec<(String, f64)>)> {
    let Some((name, rest)) = spec.split_once(':') else {
        return Some((spec.trim(), Vec::new()));
    };
    let pair = |pair: &str| {
        let (key, value) = pair.split_once('=')?;
        Some((key.trim().to_owned(), value.trim().parse().ok()?))
    };
    let parameters = rest.split(',').map(pair).collect::<Option<_>>()?;
    Some((name.trim(), parameters))
}
