//! Suggestions for misspelt names, and names in messages.

use std::borrow::Borrow;

/// The end of a message about an unknown name: the candidate that was meant, or nothing.
pub(crate) fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> String {
    suggestion(nearest(name, candidates))
}

/// As [`did_you_mean`], where the nearest name was looked for already.
pub(crate) fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// A column's name, quoted for a shell as the value of an option.
pub(crate) fn as_option(name: &str) -> String {
    as_options(&[name])
}

/// Names or levels as the value of an option that is a list, quoted for a shell.
pub(crate) fn as_options(names: &[impl AsRef<str>]) -> String {
    let quoted =
        |name: &str| match name.contains(',') || name.starts_with('"') || name.trim() != name {
            true => format!("\"{}\"", name.replace('"', "\"\"")),
            false => name.to_owned(),
        };
    let list: Vec<String> = names.iter().map(|name| quoted(name.as_ref())).collect();
    let list = list.join(",");
    let is_plain = |c: char| c.is_alphanumeric() || "_-.,:/@%+=".contains(c);
    match list.chars().all(is_plain) {
        true => list,
        false => format!("'{}'", list.replace('\'', r"'\''")),
    }
}

/// The end of a noun for so many things.
pub(crate) fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// The first names of a list, for a message.
pub(crate) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const MAX_SHOWN: usize = 8;
    let names: Vec<&str> = names.collect();
    let (shown, more) = names.split_at(names.len().min(MAX_SHOWN));
    match more.len() {
        0 => shown.join(", "),
        more => format!("{}, … {more} more", shown.join(", ")),
    }
}

/// Words of which one is meant, for a message: `a, b or c`.
pub(crate) fn either(words: &[impl Borrow<str>]) -> String {
    match words {
        [others @ .., last] if !others.is_empty() => {
            format!("{} or {}", others.join(", "), last.borrow())
        }
        _ => words.concat(),
    }
}

/// The longest name that is compared, in bytes: the cost grows with the product of two lengths.
const MAX_LENGTH: usize = 200;

/// The candidate that is closest in spelling to `word`, if it is close enough to be what was meant.
/// Case does not count.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    by_distance(word, candidates).into_iter().next()
}

/// The candidates that are close enough in spelling to `word` to be what was meant, the closest
/// first, at most three.
pub(crate) fn near<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let near = by_distance(word, candidates).into_iter().take(3);
    near.map(str::to_owned).collect()
}

/// The end of a message about a name that is none of many: those near to it, or the first of all.
pub(crate) fn near_or_listed(near: &[String], all: &[String]) -> String {
    let quoted: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    match near {
        [] => format!(" (columns: {})", list(all.iter().map(String::as_str))),
        _ => format!("; did you mean {}?", either(&quoted)),
    }
}

fn by_distance<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    if word.len() > MAX_LENGTH {
        return Vec::new();
    }
    let lower = word.to_lowercase();
    let candidates = candidates
        .into_iter()
        .filter(|name| name.len() <= MAX_LENGTH);
    let mut near: Vec<(usize, &str)> = candidates
        .filter_map(|candidate| {
            let distance = strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
            let length = word.chars().count().max(candidate.chars().count());
            // Up to one wrong letter in three is a misspelling; more is another word.
            let is_near = distance <= (length / 3).max(1) && distance < length;
            is_near.then_some((distance, candidate))
        })
        .collect();
    // First letters are seldom mistaken: of `aicc` and `bic` it is the latter that `bicc` is near to.
    let first = lower.chars().next();
    near.sort_by_key(|(distance, name)| {
        let begins_alike = name.to_lowercase().chars().next() == first;
        (*distance, !begins_alike)
    });
    near.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::{as_option, as_options, near, nearest};

    #[test]
    fn an_option_is_quoted_for_lists_and_shells_where_it_must_be() {
        for (name, option) in [
            ("age=30", "age=30"),
            ("größe", "größe"),
            ("a b", "'a b'"),
            ("a,b", r#"'"a,b"'"#),
            ("<5 years", "'<5 years'"),
            ("$x", "'$x'"),
            ("it's", r"'it'\''s'"),
            (r#""x""#, r#"'"""x"""'"#),
            (" x", r#"'" x"'"#),
        ] {
            assert_eq!(as_option(name), option);
        }
        assert_eq!(as_options(&["a", "b, c", "d"]), r#"'a,"b, c",d'"#);
    }

    #[test]
    fn a_misspelling_is_near_and_another_word_is_not() {
        assert_eq!(nearest("hdbci", ["bic", "hdbic", "hdaic"]), Some("hdbic"));
        assert_eq!(nearest("bicc", ["aicc", "bic", "ebic"]), Some("bic"));
        assert_eq!(nearest("lasso", ["bic", "hdbic", "pass"]), None);
        assert_eq!(
            near("x12", ["y", "x13", "X12", "x120"]),
            ["X12", "x13", "x120"]
        );
    }
}
