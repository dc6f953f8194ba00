//! What a misspelt name was meant to be.

/// The end of a message about a name: nothing, or the nearest name there is.
pub(crate) fn did_you_mean(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// A column's name as it is written behind an option, for the shell.
pub(crate) fn as_option(name: &str) -> String {
    if name.contains(',') {
        format!("'\"{name}\"'")
    } else if name.contains(char::is_whitespace) {
        format!("'{name}'")
    } else {
        name.to_owned()
    }
}

/// The first names of many, for a message.
pub(crate) fn list(names: &[String]) -> String {
    const MOST: usize = 8;
    let mut text = names
        .iter()
        .take(MOST)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > MOST {
        text += &format!(", … {} more", names.len() - MOST);
    }
    text
}

/// Longest name that is compared, in bytes: time and memory go by the product of two lengths, and
/// nobody slips in a name of so many letters.
const LONGEST: usize = 200;

/// The candidate that `word` was most likely meant to be: the closest in
/// spelling, if it is close at all, and neither is longer than a name is.
///
/// ```
/// use passel::nearest::nearest;
/// assert_eq!(nearest("hdbci", ["bic", "hdbic", "hdaic"]), Some("hdbic"));
/// assert_eq!(nearest("lasso", ["bic", "hdbic"]), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    let lower = word.to_lowercase();
    let close = |candidate: &&str| strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
    let candidates = candidates.into_iter().filter(|it| it.len() <= LONGEST);
    let best = candidates.min_by_key(close)?;
    // One slip in three letters is a misspelling; more is another word.
    let length = word.chars().count().max(best.chars().count());
    (close(&best) <= length.div_ceil(3)).then_some(best)
}
