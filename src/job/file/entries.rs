//! The keys of a table, each with the values that it lists.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    super::task::{self, Command, OptionInfo},
    Mistake,
    mistakes::help,
};
use crate::table::quote;

/// Most values of a range, and files of a pattern.
const MOST: i128 = 100_000;

/// A key of a job that is no option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Own {
    Name,
    Command,
    Data,
}

pub(super) const OWN_KEYS: [&str; 3] = ["name", "command", "data"];

pub(super) fn own(key: &str) -> Option<Own> {
    let all = [Own::Name, Own::Command, Own::Data];
    OWN_KEYS.iter().position(|it| *it == key).map(|at| all[at])
}

/// One value of a key: the texts that would stand for it on the command line.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub(super) texts: Vec<String>,
    pub(super) place: Range<usize>,
}

/// A key and its values.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_place: Range<usize>,
    pub(super) place: Range<usize>,
    /// One at least, but where it was a mistake.
    pub(super) values: Vec<Value>,
    /// Whether it was written as a list: it is then in what jobs are called.
    pub(super) listed: bool,
}

/// The entries of a table, in the order of the file.
pub(super) fn read(table: &DeTable<'_>, mistakes: &mut Vec<Mistake>) -> Vec<Entry> {
    let mut all: Vec<Entry> = Vec::new();
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let facts = task::job_option(name);
        let mut entry = Entry {
            key: name.to_owned(),
            key_place: key.span(),
            place: value.span(),
            values: Vec::new(),
            listed: false,
        };
        // What is no option is told of by who knows what else there is.
        if facts.is_some() || own(name).is_some() {
            entry.fill(facts.as_ref(), value, mistakes);
        }
        all.push(entry);
    }
    all.sort_by_key(|it| it.key_place.start);
    all
}

impl Entry {
    fn fill(
        &mut self,
        facts: Option<&OptionInfo>,
        value: &Spanned<DeValue<'_>>,
        mistakes: &mut Vec<Mistake>,
    ) {
        let takes_array = facts.is_some_and(OptionInfo::takes_array);
        let name = self.key.clone();
        let push = |own: &mut Self, value: &Spanned<DeValue<'_>>, mistakes: &mut Vec<Mistake>| {
            let texts = match facts {
                Some(facts) => texts(facts, value.get_ref()),
                None => scalar(&name, value.get_ref()).map(|it| vec![it]),
            };
            match texts {
                Ok(texts) => own.values.push(Value {
                    texts,
                    place: value.span(),
                }),
                Err(mistake) => mistakes.push(Mistake {
                    place: Some(value.span()),
                    ..mistake
                }),
            }
        };
        match value.get_ref() {
            DeValue::Array(items)
                if !takes_array || items.iter().any(|it| it.get_ref().is_array()) =>
            {
                self.listed = true;
                if items.is_empty() {
                    mistakes.push(Mistake {
                        place: Some(value.span()),
                        what: format!("`{name}` lists no value"),
                        label: "an empty list makes no job".to_owned(),
                        help: help(&name),
                    });
                }
                for item in items {
                    push(self, item, mistakes);
                }
            }
            DeValue::Table(table)
                if facts.is_some_and(|it| !takes_array && !it.value.is_empty()) =>
            {
                self.listed = true;
                match range(table) {
                    Ok(numbers) => self.values.extend(numbers.map(|number| Value {
                        texts: vec![number.to_string()],
                        place: value.span(),
                    })),
                    Err(what) => mistakes.push(Mistake {
                        place: Some(value.span()),
                        what: format!("`{name}` takes no such table: {what}"),
                        label: "this is no range".to_owned(),
                        help: Some(format!(
                            "a range of whole numbers is {name} = {{ from = 1, count = 100 }}, and \
                             step = 2 if it is not 1"
                        )),
                    }),
                }
            }
            _ => push(self, value, mistakes),
        }
    }
}

/// The numbers of `{ from = 1, count = 100, step = 1 }`.
fn range(table: &DeTable<'_>) -> Result<impl Iterator<Item = i128>, String> {
    let (mut from, mut count, mut step) = (None, None, 1);
    for (key, value) in table {
        let whole = match value.get_ref() {
            DeValue::Integer(it) => i128::from_str_radix(it.as_str(), it.radix()).ok(),
            _ => None,
        };
        let name = key.get_ref();
        let whole = whole.ok_or_else(|| format!("{name} must be a whole number"))?;
        match name.as_ref() {
            "from" => from = Some(whole),
            "count" => count = Some(whole),
            "step" => step = whole,
            _ => return Err(format!("it has no `{name}`")),
        }
    }
    let from = from.ok_or("from is missing")?;
    let count = count.ok_or("count is missing")?;
    match (1..=MOST).contains(&count) {
        true if step == 0 => Err("step must not be 0".to_owned()),
        true => {
            let last = step
                .checked_mul(count - 1)
                .and_then(|it| from.checked_add(it));
            last.ok_or("its numbers are too large")?;
            Ok((0..count).map(move |at| from + at * step))
        }
        false => Err(format!("count must be 1 … {MOST}")),
    }
}

/// The text that would stand for a plain value on the command line.
fn scalar(name: &str, value: &DeValue<'_>) -> Result<String, Mistake> {
    match value {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(number) => {
            // Hexadecimal and its kin are TOML's affair: options read decimals.
            let whole = i128::from_str_radix(number.as_str(), number.radix());
            Ok(whole.map_or_else(|_| number.to_string(), |it| it.to_string()))
        }
        DeValue::Float(number) => Ok(number.as_str().to_owned()),
        DeValue::Boolean(flag) => Ok(flag.to_string()),
        other => Err(Mistake {
            place: None,
            what: format!("`{name}` takes no {}", other.type_str()),
            label: format!("this is a {}", other.type_str()),
            help: help(name),
        }),
    }
}

/// The texts that would stand for one value on the command line.
pub(super) fn texts(facts: &OptionInfo, value: &DeValue<'_>) -> Result<Vec<String>, Mistake> {
    match value {
        DeValue::Array(items) if facts.takes_array() => {
            let texts = items.iter().map(|item| {
                let text = scalar(facts.name, item.get_ref())?;
                // An element is one name already, commas and all.
                Ok(match facts.list && !text.is_empty() {
                    true => quote(&text),
                    false => text,
                })
            });
            texts.collect()
        }
        one => Ok(vec![scalar(facts.name, one)?]),
    }
}

/// The only text of `name` or `command`.
pub(super) fn text(entry: &Entry, mistakes: &mut Vec<Mistake>) -> Option<String> {
    let what = match entry.values.as_slice() {
        // Told already.
        [] => return None,
        [value] if value.texts != [""] && !entry.listed => return value.texts.first().cloned(),
        [_] if !entry.listed => format!("`{}` is empty", entry.key),
        _ => format!("`{}` takes one value", entry.key),
    };
    mistakes.push(Mistake {
        place: Some(entry.place.clone()),
        what,
        label: "this value".to_owned(),
        help: None,
    });
    None
}

/// The command of a job.
pub(super) fn command(entry: &Entry, mistakes: &mut Vec<Mistake>) -> Command {
    let Some(text) = text(entry, mistakes) else {
        return Command::Select;
    };
    task::command(&text).unwrap_or_else(|nearest| {
        let all = Command::ALL.map(Command::name).join(" or ");
        mistakes.push(Mistake {
            place: Some(entry.place.clone()),
            what: format!("command = {text} must be {all}"),
            label: "this value".to_owned(),
            help: nearest.map(|it| format!("did you mean `{it}`?")),
        });
        Command::Select
    })
}

/// The files that `data` names, patterns replaced by what they match; whether there may be several.
pub(super) fn data(
    entry: &Entry,
    (folder, results): (&Path, &Path),
    mistakes: &mut Vec<Mistake>,
) -> (Vec<PathBuf>, bool) {
    let (mut all, mut listed) = (Vec::new(), entry.listed);
    for value in &entry.values {
        let mut wrong = |what: String, help: Option<&str>| {
            mistakes.push(Mistake {
                place: Some(value.place.clone()),
                what,
                label: "this file".to_owned(),
                help: help.map(str::to_owned),
            });
        };
        let text = value.texts.concat();
        if text.is_empty() {
            wrong("`data` is empty".to_owned(), None);
            continue;
        }
        let path = folder.join(&text);
        if path.exists() {
            all.push(PathBuf::from(text));
            continue;
        }
        if !text.contains(['*', '?', '[']) {
            wrong(
                format!("there is no file {}", path.display()),
                Some("paths start at the folder of the job file"),
            );
            continue;
        }
        listed = true;
        // The folder's own name is no pattern.
        let start = glob::Pattern::escape(&folder.to_string_lossy());
        let pattern = Path::new(&start).join(&text);
        match glob::glob(&pattern.to_string_lossy()) {
            Err(error) => wrong(format!("`{text}` is no pattern of files: {error}"), None),
            Ok(found) => {
                let before = all.len();
                let found: Vec<_> = found.take(MOST as usize).collect();
                if found.len() == MOST as usize {
                    wrong(format!("`{text}` matches {MOST} files or more"), None);
                }
                let files = found
                    .into_iter()
                    .filter_map(Result::ok)
                    .filter(|it| it.is_file() && !it.starts_with(results));
                all.extend(files.map(|it| match it.strip_prefix(folder) {
                    Ok(short) => short.to_owned(),
                    Err(_) => it,
                }));
                if all.len() == before {
                    wrong(
                        format!("no file matches {}", folder.join(&text).display()),
                        Some("* stands for any letters, ** for folders, ? for one letter"),
                    );
                }
            }
        }
    }
    (all, listed)
}
