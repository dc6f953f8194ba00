//! The ends of messages about names that are not known.

use crate::nearest::{either, list};

/// The names near to one that is not known, or the first of all.
pub(super) fn near_or_listed(near: &[String], known: &[String], what: &str) -> String {
    match near {
        [] if known.is_empty() => String::new(),
        [] => format!(" ({what}: {})", names(known)),
        _ => {
            let quoted: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
            format!("; did you mean {}?", either(&quoted))
        }
    }
}

/// The first names of a list.
pub(super) fn names(names: &[String]) -> String {
    list(names.iter().map(String::as_str))
}
