//! What a criterion or a method is asked for by: a name, then numbers.

/// `NAME` or `NAME:PARAMETER=NUMBER,…`: the name, and numbers by parameter.
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
