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
    if name.contains(',') {
        format!("'\"{name}\"'")
    } else if name.contains(char::is_whitespace) {
        format!("'{name}'")
    } else {
        name.to_owned()
    }
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
    if word.len() > MAX_LENGTH {
        return None;
    }
    let lower = word.to_lowercase();
    let distance =
        |candidate: &&str| strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
    let candidates = candidates
        .into_iter()
        .filter(|name| name.len() <= MAX_LENGTH);
    let best = candidates.min_by_key(distance)?;
    // Up to one wrong letter in three is a misspelling; more is another word.
    let length = word.chars().count().max(best.chars().count());
    (distance(&best) <= length.div_ceil(3)).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_misspelling_is_near_and_another_word_is_not() {
        assert_eq!(nearest("hdbci", ["bic", "hdbic", "hdaic"]), Some("hdbic"));
        assert_eq!(nearest("lasso", ["bic", "hdbic"]), None);
    }
}
