//! Grids: every combination of the values that a table lists, and the names of the jobs.

use std::{
    collections::{HashMap, hash_map},
    path::Path,
};

use super::entries::{Entry, Value};
use crate::fnv::Fnv;

/// The longest name of a job, in bytes: a file name then has room for endings.
const MAX_NAME: usize = 180;

/// The number of jobs of a grid; `None` if it overflows.
pub(super) fn count(files: usize, entries: &[&Entry]) -> Option<usize> {
    let mut lengths = entries.iter().map(|entry| entry.values.len());
    lengths.try_fold(files, usize::checked_mul)
}

/// Every combination of one value per entry, in which the value of the last entry changes fastest.
pub(super) fn combinations<'a>(entries: &'a [&Entry]) -> impl Iterator<Item = Vec<&'a Value>> {
    let count = count(1, entries).unwrap_or(0);
    (0..count).map(move |mut rest| {
        let mut chosen: Vec<&Value> = Vec::with_capacity(entries.len());
        for entry in entries.iter().rev() {
            chosen.push(&entry.values[rest % entry.values.len()]);
            rest /= entry.values.len();
        }
        chosen.reverse();
        chosen
    })
}

/// The name of a job without its options: its own name, or else that of its data; both if it has a
/// name and lists its data.
pub(super) fn name(name: Option<&str>, number: usize, data: &Path, lists_data: bool) -> String {
    let file = data.file_name().map(|file| file.to_string_lossy());
    let stem = file
        .as_deref()
        .and_then(|file| file.split('.').find(|part| !part.is_empty()));
    match (name, stem) {
        (Some(name), Some(stem)) if lists_data => format!("{name},{stem}"),
        (Some(name), _) => name.to_owned(),
        (None, Some(stem)) => stem.to_owned(),
        (None, None) => format!("job-{number}"),
    }
}

/// What follows the name of a job of a grid: its values of the options that are lists.
pub(super) fn suffix(choices: &[(&Entry, &Value)]) -> String {
    let listed = choices.iter().filter(|(entry, _)| entry.is_list);
    let texts = listed.map(|(entry, value)| {
        let texts = value.texts.iter().map(|text| text.trim_matches('"'));
        let texts: Vec<&str> = texts.collect();
        format!(",{}={}", entry.key, texts.join("+"))
    });
    texts.collect()
}

/// Makes the name of a job fit for a file name on any system.
pub(super) fn file_name(id: &str) -> String {
    let letter = |letter: char| match letter {
        letter if letter.is_alphanumeric() || "-_.,=+".contains(letter) => letter,
        ':' => '-',
        _ => '_',
    };
    let mut name: String = id.chars().map(letter).collect();
    if name.starts_with('.') || name.is_empty() {
        name.insert(0, '_');
    }
    if name.len() > MAX_NAME {
        let end = (0..MAX_NAME - 17)
            .rev()
            .find(|end| name.is_char_boundary(*end));
        name.truncate(end.unwrap_or(0));
        name += &format!("~{:016x}", Fnv::new().part(id.as_bytes()).finish() as u64);
    }
    name
}

/// The names of jobs so far, in lower case because some file systems ignore case, each with the
/// number of the next job that would have that name.
#[derive(Default)]
pub(super) struct Names(HashMap<String, usize>);

impl Names {
    /// The name, with a number if an earlier job has it.
    pub(super) fn make_unique(&mut self, id: String) -> String {
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
    fn names_of_jobs_are_file_names() {
        assert_eq!(file_name("quadratic, sex kept"), "quadratic,_sex_kept");
        assert_eq!(file_name("a/b:c=0.5"), "a_b-c=0.5");
        assert_eq!(
            (file_name("..").as_str(), file_name("").as_str()),
            ("_..", "_")
        );
        let (long, other) = (
            format!("{}a", "ä".repeat(300)),
            format!("{}b", "ä".repeat(300)),
        );
        assert!(file_name(&long).len() <= MAX_NAME && file_name(&long) != file_name(&other));
        let mut names = Names::default();
        let ids = ["a", "A", "a", "a-2", "a"].map(|id| names.make_unique(id.to_owned()));
        assert_eq!(ids, ["a", "A-2", "a-3", "a-2-2", "a-4"]);
    }

    #[test]
    fn a_job_is_named_after_its_name_or_its_data() {
        let data = Path::new("x/wine.csv.gz");
        assert_eq!(name(Some("n"), 1, data, false), "n");
        assert_eq!(name(Some("n"), 1, data, true), "n,wine");
        assert_eq!(name(None, 1, data, true), "wine");
        assert_eq!(name(None, 3, Path::new(""), false), "job-3");
    }
}
