//! The notation `NAME:PARAMETER=VALUE,…` of criteria, methods and families.

use serde_json::Value;

/// Parses `NAME` or `NAME:PARAMETER=NUMBER,…` into the name and its parameters; `None` if it is
/// malformed.
pub(crate) fn parse_spec(spec: &str) -> Option<(&str, Vec<(String, f64)>)> {
    let (name, texts) = parse_texts(spec)?;
    let number = |(key, text): (String, &str)| Some((key, text.parse().ok()?));
    Some((name, texts.into_iter().map(number).collect::<Option<_>>()?))
}

/// Parses `NAME` or `NAME:PARAMETER=VALUE,…` into the name and its parameters; `None` if it is
/// malformed.
pub(crate) fn parse_texts(spec: &str) -> Option<(&str, Vec<(String, &str)>)> {
    let Some((name, rest)) = spec.split_once(':') else {
        return Some((spec.trim(), Vec::new()));
    };
    let pair = |pair| {
        let (key, value) = str::split_once(pair, '=')?;
        Some((key.trim().to_owned(), value.trim()))
    };
    let parameters = rest.split(',').map(pair).collect::<Option<_>>()?;
    Some((name.trim(), parameters))
}

/// Name and parameters, numbers and texts, as [`parse_texts`] reads them.
pub(crate) fn written<'a>(
    name: &str,
    parameters: impl Iterator<Item = (&'a str, &'a Value)>,
) -> String {
    let parameters = parameters.filter_map(|(name, value)| match value {
        Value::String(text) => Some(format!("{name}={text}")),
        // A list has no form.
        _ => Some(format!("{name}={}", value.as_f64()?)),
    });
    let parameters: Vec<String> = parameters.collect();
    let colon = if parameters.is_empty() { "" } else { ":" };
    format!("{name}{colon}{}", parameters.join(","))
}

/// Splits `NAME,NAME:PARAMETER=NUMBER,PARAMETER=NUMBER,NAME` into its specs: after a comma stands a
/// parameter of the same spec, which has `=` before any `:`, or the next spec.
pub(crate) fn split_specs(specs: &str) -> Vec<&str> {
    let mut starts = vec![0];
    for (at, _) in specs.match_indices(',') {
        let next = &specs[at + 1..];
        let mark = next.find([',', ':', '=']).map(|mark| next.as_bytes()[mark]);
        if mark != Some(b'=') {
            starts.push(at + 1);
        }
    }
    let ends = starts[1..].iter().map(|start| start - 1);
    let ends: Vec<usize> = ends.chain([specs.len()]).collect();
    let parts = starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &specs[*start..end]);
    parts.map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::split_specs;

    #[test]
    fn a_comma_parts_specs_and_their_parameters() {
        let cases: [(&str, &[&str]); 6] = [
            ("aic", &["aic"]),
            ("aic, bic", &["aic", "bic"]),
            ("ebic:gamma=0,gamma=1", &["ebic:gamma=0,gamma=1"]),
            ("ebic:gamma=0.5,aic", &["ebic:gamma=0.5", "aic"]),
            ("bic:n=40,ebic:gamma=0", &["bic:n=40", "ebic:gamma=0"]),
            ("aic,,bic,", &["aic", "", "bic", ""]),
        ];
        for (text, parts) in cases {
            assert_eq!(split_specs(text), parts, "{text}");
        }
    }
}
