//! Grids: every combination of the values listed, and what each is called.

use std::{
    collections::{HashMap, hash_map},
    path::Path,
};

use super::entries::{Entry, Value};
use crate::fnv::Fnv;

/// Longest name of a job, in bytes: a file's name has room for endings.
const LONGEST: usize = 180;

/// How many jobs a grid makes; none where it is beyond counting.
pub(super) fn count(files: usize, entries: &[&Entry]) -> Option<usize> {
    let mut lengths = entries.iter().map(|it| it.values.len().max(1));
    lengths.try_fold(files, usize::checked_mul)
}

/// Every combination of one value an entry, the last one's changing fastest. An entry without
/// values, which is a mistake, has an empty one.
pub(super) fn combinations<'a>(entries: &'a [&Entry]) -> impl Iterator<Item = Vec<&'a Value>> {
    static NONE: Value = Value {
        texts: Vec::new(),
        place: 0..0,
    };
    let count = count(1, entries).unwrap_or(0);
    (0..count).map(move |at| {
        let mut rest = at;
        let mut chosen: Vec<&Value> = Vec::with_capacity(entries.len());
        for entry in entries.iter().rev() {
            let length = entry.values.len().max(1);
            chosen.push(entry.values.get(rest % length).unwrap_or(&NONE));
            rest /= length;
        }
        chosen.reverse();
        chosen
    })
}

/// What a job is called before its options: its name, or else its data; both where it has a name
/// and lists its data.
pub(super) fn name(name: Option<&str>, (number, data, listed): (usize, &Path, bool)) -> String {
    let file = data.file_name().map(|it| it.to_string_lossy());
    let stem = file
        .as_deref()
        .and_then(|it| it.split('.').find(|part| !part.is_empty()));
    match (name, stem) {
        (Some(name), Some(stem)) if listed => format!("{name},{stem}"),
        (Some(name), _) => name.to_owned(),
        (None, Some(stem)) => stem.to_owned(),
        (None, None) => format!("job-{number}"),
    }
}

/// Adds what was chosen of the values listed.
pub(super) fn suffix(id: &mut String, chosen: &[(usize, &Entry, &Value)]) {
    for (_, entry, value) in chosen.iter().filter(|it| it.1.listed) {
        let texts: Vec<&str> = value.texts.iter().map(|it| it.trim_matches('"')).collect();
        *id += &format!(",{}={}", entry.key, texts.join("+"));
    }
}

/// The same, fit for the name of a file on any system.
pub(super) fn fit(id: &str) -> String {
    let letter = |it: char| match it {
        it if it.is_alphanumeric() || "-_.,=+".contains(it) => it,
        ':' => '-',
        _ => '_',
    };
    let mut fit: String = id.chars().map(letter).collect();
    if fit.starts_with('.') || fit.is_empty() {
        fit.insert(0, '_');
    }
    if fit.len() > LONGEST {
        let end = (0..LONGEST - 17).rev().find(|it| fit.is_char_boundary(*it));
        fit.truncate(end.unwrap_or(0));
        fit += &format!("~{:016x}", Fnv::new().part(id.as_bytes()).finish() as u64);
    }
    fit
}

/// What jobs are called so far, in small letters: some systems tell no others apart; and the
/// number of the next that would be called so.
#[derive(Default)]
pub(super) struct Names(HashMap<String, usize>);

impl Names {
    /// The name, numbered where one before is called so.
    pub(super) fn take(&mut self, id: String) -> String {
        let first = id.to_lowercase();
        let mut number = match self.0.insert(first.clone(), 2) {
            None => return id,
            Some(number) => number,
        };
        loop {
            let next = format!("{id}-{number}");
            number += 1;
            if let hash_map::Entry::Vacant(free) = self.0.entry(next.to_lowercase()) {
                free.insert(2);
                self.0.insert(first, number);
                return next;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_jobs_are_called_is_fit_for_files() {
        assert_eq!(fit("quadratic, sex kept"), "quadratic,_sex_kept");
        assert_eq!(fit("a/b:c=0.5"), "a_b-c=0.5");
        assert_eq!((fit("..").as_str(), fit("").as_str()), ("_..", "_"));
        let (long, other) = (
            format!("{}a", "ä".repeat(300)),
            format!("{}b", "ä".repeat(300)),
        );
        assert!(fit(&long).len() <= LONGEST && fit(&long) != fit(&other));
        let mut names = Names::default();
        let ids = ["a", "A", "a", "a-2", "a"].map(|it| names.take(it.to_owned()));
        assert_eq!(ids, ["a", "A-2", "a-3", "a-2-2", "a-4"]);
    }

    #[test]
    fn a_job_is_called_by_its_name_or_its_data() {
        let data = Path::new("x/wine.csv.gz");
        assert_eq!(name(Some("n"), (1, data, false)), "n");
        assert_eq!(name(Some("n"), (1, data, true)), "n,wine");
        assert_eq!(name(None, (1, data, true)), "wine");
        assert_eq!(name(None, (3, Path::new(""), false)), "job-3");
    }
}
