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

/// What to write in place of a function that is not known: an option for those of R's survival package.
pub(super) fn function_hint(name: &str, near: &[String], known: &[String]) -> String {
    let option = match name {
        "Surv" => {
            "the column of times is left of `~`, those of events and entry times are named by --event and --entry"
        }
        "strata" => "the column of strata is named by --strata",
        _ => return near_or_listed(near, known, "functions"),
    };
    format!("; {option}, with --family cox")
}

/// The first names of a list.
pub(super) fn names(names: &[String]) -> String {
    list(names.iter().map(String::as_str))
}
