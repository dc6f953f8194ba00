//! The keys of a table `[defaults]` or `[[job]]`, each with the values that it lists.

use std::{
    collections::HashSet,
    fs,
    ops::Range,
    path::{Path, PathBuf},
};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    super::{
        OptionInfo,
        task::{Command, job_option},
    },
    mistakes::{KEYS, Mistake, Mistakes, range_help},
};
use crate::{nearest::nearest, output::FileIdentity, table::quote};

/// The most values of a range, and the most files of a pattern.
const MAX_VALUES: i128 = 100_000;

/// One value of a key.
#[derive(Debug, Clone)]
pub(super) struct Value {
    /// The texts that would stand for it on the command line.
    pub(super) texts: Vec<String>,
    pub(super) span: Range<usize>,
}

/// A key and its values.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_span: Range<usize>,
    pub(super) span: Range<usize>,
    /// At least one, unless there is a mistake.
    pub(super) values: Vec<Value>,
    /// Whether the values were written as a list, and so are part of the names of jobs.
    pub(super) is_list: bool,
}

/// The entries of a table, in the order of the file.
pub(super) fn read(table: &DeTable<'_>, mistakes: &mut Mistakes) -> Vec<Entry> {
    let entries = table.iter().map(|(key, value)| {
        let name = key.get_ref().as_ref();
        let (values, is_list) = values(name, value);
        let values = values.into_iter();
        let values =
            values.filter_map(|value| value.map_err(|mistake| mistakes.push(mistake)).ok());
        Entry {
            key: name.to_owned(),
            key_span: key.span(),
            span: value.span(),
            values: values.collect(),
            is_list,
        }
    });
    let mut all: Vec<Entry> = entries.collect();
    all.sort_by_key(|entry| entry.key_span.start);
    all
}

/// The values of a key, and whether they were written as a list.
fn values(name: &str, value: &Spanned<DeValue<'_>>) -> (Vec<Result<Value, Mistake>>, bool) {
    let option = job_option(name).map(|option| &**option);
    // Unknown keys are reported where it is known which command the job stands for.
    if option.is_none() && !KEYS.contains(&name) {
        return (Vec::new(), false);
    }
    let takes_array = option.is_some_and(OptionInfo::takes_array);
    let takes_range = option.is_some_and(|option| !takes_array && !option.is_flag());
    let read = |texts, item: &Spanned<_>| {
        let span = item.span();
        Value { texts, span }
    };
    let one = |item| Ok(read(texts(name, option, item)?, item));
    let mistake = |title, label| Mistake::new(value.span(), title, label);
    match value.get_ref() {
        DeValue::Array(items) if items.is_empty() && !takes_array => {
            let mistake = mistake(
                format!("`{name}` lists no value"),
                "an empty list makes no job",
            );
            (vec![Err(mistake.help(range_help(name)))], true)
        }
        DeValue::Array(items)
            if !takes_array || items.iter().any(|item| item.get_ref().is_array()) =>
        {
            (items.iter().map(one).collect(), true)
        }
        DeValue::Table(table) if takes_range => match range(table) {
            Ok(numbers) => {
                let texts = numbers.map(|number| vec![number.to_string()]);
                (texts.map(|texts| Ok(read(texts, value))).collect(), true)
            }
            Err(reason) => {
                let title = format!("`{name}` takes no such range: {reason}");
                let help = format!(
                    "a range of whole numbers is {name} = {{ from = 1, count = 100 }}, with step = 2 \
                     if the step is not 1"
                );
                (vec![Err(mistake(title, "this range").help(help))], true)
            }
        },
        _ => (vec![one(value)], false),
    }
}

/// The numbers of `{ from = 1, count = 100, step = 1 }`.
fn range(table: &DeTable<'_>) -> Result<impl Iterator<Item = i128>, String> {
    let (mut from, mut count, mut step) = (None, None, 1);
    for (key, value) in table {
        let whole = match value.get_ref() {
            DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix()).ok(),
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
    match (1..=MAX_VALUES).contains(&count) {
        true if step == 0 => Err("step must not be 0".to_owned()),
        true => {
            let last = step
                .checked_mul(count - 1)
                .and_then(|length| from.checked_add(length));
            last.ok_or("its numbers are too large")?;
            Ok((0..count).map(move |index| from + index * step))
        }
        false => Err(format!("count must be 1 … {MAX_VALUES}")),
    }
}

/// The text that would stand for a plain value on the command line.
fn scalar(name: &str, value: &Spanned<DeValue<'_>>) -> Result<String, Mistake> {
    match value.get_ref() {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(number) => {
            // Hexadecimal and the like are notations of TOML: options read decimal numbers.
            let whole = i128::from_str_radix(number.as_str(), number.radix());
            Ok(whole.map_or_else(|_| number.to_string(), |whole| whole.to_string()))
        }
        DeValue::Float(number) => Ok(number.as_str().to_owned()),
        DeValue::Boolean(flag) => Ok(flag.to_string()),
        other => Err(Mistake::new(
            value.span(),
            format!("`{name}` takes no {}", other.type_str()),
            format!("this is a {}", other.type_str()),
        )
        .help(range_help(name))),
    }
}

/// The texts that would stand for one value of a key on the command line.
pub(super) fn texts(
    name: &str,
    option: Option<&OptionInfo>,
    value: &Spanned<DeValue<'_>>,
) -> Result<Vec<String>, Mistake> {
    match (value.get_ref(), option) {
        (DeValue::Array(items), Some(option)) if option.takes_array() => {
            let text = |item| {
                let text = scalar(name, item)?;
                // An element is one name, whether or not it contains commas.
                Ok(match option.list && !text.is_empty() {
                    true => quote(&text),
                    false => text,
                })
            };
            items.iter().map(text).collect()
        }
        _ => Ok(vec![scalar(name, value)?]),
    }
}

/// The files that no pattern of data matches.
#[derive(Clone, Copy)]
pub(super) struct NoData<'a> {
    /// The folder of results.
    pub(super) results: &'a Path,
    /// Reports and the like that jobs of the file have written.
    pub(super) written: &'a HashSet<FileIdentity>,
}

impl NoData<'_> {
    fn has(self, path: &Path) -> bool {
        let is_written = || FileIdentity::of(path).is_some_and(|file| self.written.contains(&file));
        path.starts_with(self.results) || !self.written.is_empty() && is_written()
    }
}

/// The only text of `name` or `command`.
pub(super) fn text(entry: &Entry, mistakes: &mut Mistakes) -> Option<String> {
    let title = match entry.values.as_slice() {
        // This mistake has been reported.
        [] => return None,
        [value] if value.texts != [""] && !entry.is_list => return value.texts.first().cloned(),
        [_] if !entry.is_list => format!("`{}` is empty", entry.key),
        _ => format!("`{}` takes one value", entry.key),
    };
    mistakes.push(Mistake::new(entry.span.clone(), title, "this value"));
    None
}

/// The command of a job.
pub(super) fn command(entry: &Entry, mistakes: &mut Mistakes) -> Command {
    let Some(text) = text(entry, mistakes) else {
        return Command::Select;
    };
    Command::named(&text).unwrap_or_else(|| {
        let names = Command::ALL.map(Command::name);
        mistakes.push(
            Mistake::new(
                entry.span.clone(),
                format!("command = {text} must be {}", names.join(" or ")),
                "this value",
            )
            .help(nearest(&text, names).map(|meant| format!("did you mean `{meant}`?"))),
        );
        Command::Select
    })
}

/// The files that `data` names, with patterns replaced by the files that they match, and whether `data`
/// was a list or a pattern. `folder` is that of the job file.
pub(super) fn data(
    entry: &Entry,
    folder: &Path,
    no_data: NoData<'_>,
    mistakes: &mut Mistakes,
) -> (Vec<PathBuf>, bool) {
    let (mut all, mut is_list) = (Vec::new(), entry.is_list);
    for value in &entry.values {
        let text = value.texts.concat();
        let is_pattern = text.contains(['*', '?', '[']) && !folder.join(&text).exists();
        is_list |= is_pattern;
        let files = match is_pattern {
            true => matching_files(&text, folder, no_data),
            false => existing_file(&text, folder),
        };
        match files {
            Ok(files) => all.extend(files),
            Err((title, help)) => {
                let mistake = Mistake::new(value.span.clone(), title, "this file");
                mistakes.push(mistake.help(help.map(str::to_owned)));
            }
        }
    }
    (all, is_list)
}

/// What a pattern matches in a folder, in order; `None` where that is more than may be. A letter that is
/// not UTF-8 matches as one. `**` does not follow links, so that no file comes twice.
fn matching_paths(folder: &Path, pattern: &str) -> Option<Vec<PathBuf>> {
    let entries = |folder: &Path| {
        let entries = fs::read_dir(Path::new(".").join(folder));
        entries.into_iter().flatten().flatten()
    };
    let most = MAX_VALUES as usize;
    let mut found = vec![folder.to_owned()];
    for part in Path::new(pattern).components() {
        let name = part.as_os_str().to_string_lossy();
        if name == "**" {
            let mut at = 0;
            while let Some(within) = found.get(at).cloned() {
                let is_folder =
                    |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
                let folders = entries(&within).filter(is_folder);
                found.extend(folders.map(|entry| within.join(entry.file_name())));
                at += 1;
                if found.len() >= most {
                    return None;
                }
            }
        } else if name.contains(['*', '?', '[']) {
            let Ok(pattern) = glob::Pattern::new(&name) else {
                return Some(Vec::new());
            };
            let within = found.iter().flat_map(|folder| {
                let names = entries(folder).map(|entry| entry.file_name());
                let matching = names.filter(|name| pattern.matches(&name.to_string_lossy()));
                matching.map(|name| folder.join(name))
            });
            found = within.take(most).collect();
        } else {
            let below = found.iter().map(|folder| folder.join(&*name));
            found = below.filter(|path| path.exists()).collect();
        }
        if found.len() >= most {
            return None;
        }
    }
    found.sort();
    // A pattern may have `**` twice.
    found.dedup();
    Some(found)
}

/// The files of one text of `data`; else what is wrong, and what would help.
type DataFiles = Result<Vec<PathBuf>, (String, Option<&'static str>)>;

fn existing_file(text: &str, folder: &Path) -> DataFiles {
    let path = folder.join(text);
    if text.is_empty() {
        return Err(("`data` is empty".to_owned(), None));
    }
    match path.exists() {
        true => Ok(vec![text.into()]),
        false => Err((
            format!("there is no file {}", path.display()),
            Some("paths are relative to the folder of the job file"),
        )),
    }
}

fn matching_files(text: &str, folder: &Path, no_data: NoData<'_>) -> DataFiles {
    glob::Pattern::new(text)
        .map_err(|error| (format!("`{text}` is not a file pattern: {error}"), None))?;
    let Some(found) = matching_paths(folder, text) else {
        let title = format!("`{text}` matches {MAX_VALUES} files or more");
        return Err((title, None));
    };
    let files = found.into_iter();
    let files = files.filter(|path| path.is_file() && !no_data.has(path));
    let relative = |path: PathBuf| path.strip_prefix(folder).unwrap_or(&path).to_owned();
    let files: Vec<PathBuf> = files.map(relative).collect();
    match files.is_empty() {
        true => Err((
            format!("no file matches {}", folder.join(text).display()),
            Some("* stands for any letters, ** for folders, ? for one letter"),
        )),
        false => Ok(files),
    }
}
