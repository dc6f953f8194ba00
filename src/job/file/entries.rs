//! The keys of a table `[defaults]` or `[[job]]`, each with the values that it lists.

use std::{
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
use crate::{nearest::nearest, table::quote};

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
    let mut all: Vec<Entry> = Vec::new();
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let option = job_option(name);
        let mut entry = Entry {
            key: name.to_owned(),
            key_span: key.span(),
            span: value.span(),
            values: Vec::new(),
            is_list: false,
        };
        // Unknown keys are reported where it is known which command the job stands for.
        if option.is_some() || KEYS.contains(&name) {
            entry.read_values(option.map(|option| &**option), value, mistakes);
        }
        all.push(entry);
    }
    all.sort_by_key(|entry| entry.key_span.start);
    all
}

impl Entry {
    fn read_values(
        &mut self,
        option: Option<&OptionInfo>,
        value: &Spanned<DeValue<'_>>,
        mistakes: &mut Mistakes,
    ) {
        let takes_array = option.is_some_and(OptionInfo::takes_array);
        let takes_range = option.is_some_and(|option| !takes_array && !option.is_flag());
        let name = &self.key;
        let items: Vec<&Spanned<DeValue<'_>>> = match value.get_ref() {
            DeValue::Array(items)
                if !takes_array || items.iter().any(|item| item.get_ref().is_array()) =>
            {
                self.is_list = true;
                if items.is_empty() {
                    mistakes.push(
                        Mistake::new(
                            value.span(),
                            format!("`{name}` lists no value"),
                            "an empty list makes no job",
                        )
                        .help(range_help(name)),
                    );
                }
                items.iter().collect()
            }
            DeValue::Table(table) if takes_range => {
                self.is_list = true;
                match range(table) {
                    Ok(numbers) => self.values.extend(numbers.map(|number| Value {
                        texts: vec![number.to_string()],
                        span: value.span(),
                    })),
                    Err(reason) => mistakes.push(Mistake::new(value.span(), format!("`{name}` takes no such table: {reason}"), "not a range").help(format!(
                            "a range of whole numbers is {name} = {{ from = 1, count = 100 }}, with \
                             step = 2 if the step is not 1"
                        ))),
                }
                return;
            }
            _ => vec![value],
        };
        for item in items {
            let texts = match option {
                Some(option) => texts(option, item),
                None => scalar(name, item).map(|text| vec![text]),
            };
            match texts {
                Ok(texts) => self.values.push(Value {
                    texts,
                    span: item.span(),
                }),
                Err(mistake) => mistakes.push(mistake),
            }
        }
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

/// The texts that would stand for one value on the command line.
pub(super) fn texts(
    option: &OptionInfo,
    value: &Spanned<DeValue<'_>>,
) -> Result<Vec<String>, Mistake> {
    match value.get_ref() {
        DeValue::Array(items) if option.takes_array() => {
            let text = |item| {
                let text = scalar(option.name, item)?;
                // An element is one name, whether or not it contains commas.
                Ok(match option.list && !text.is_empty() {
                    true => quote(&text),
                    false => text,
                })
            };
            items.iter().map(text).collect()
        }
        _ => Ok(vec![scalar(option.name, value)?]),
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

/// The files that `data` names, with patterns replaced by the files that they match outside the
/// folder of results, and whether `data` was a list or a pattern. `folder` is that of the job file.
pub(super) fn data(
    entry: &Entry,
    folder: &Path,
    results: &Path,
    mistakes: &mut Mistakes,
) -> (Vec<PathBuf>, bool) {
    let (mut all, mut is_list) = (Vec::new(), entry.is_list);
    for value in &entry.values {
        let text = value.texts.concat();
        let is_pattern = text.contains(['*', '?', '[']) && !folder.join(&text).exists();
        is_list |= is_pattern;
        let files = match is_pattern {
            true => matching_files(&text, folder, results),
            false => existing_file(&text, folder),
        };
        match files {
            Ok(files) => all.extend(files),
            Err((title, help)) => mistakes.push(
                Mistake::new(value.span.clone(), title, "this file").help(help.map(str::to_owned)),
            ),
        }
    }
    (all, is_list)
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

fn matching_files(text: &str, folder: &Path, results: &Path) -> DataFiles {
    // The name of the folder itself may contain signs of patterns.
    let start = glob::Pattern::escape(&folder.to_string_lossy());
    let pattern = Path::new(&start).join(text);
    let found = glob::glob(&pattern.to_string_lossy())
        .map_err(|error| (format!("`{text}` is not a file pattern: {error}"), None))?;
    let found: Vec<_> = found.take(MAX_VALUES as usize).collect();
    if found.len() == MAX_VALUES as usize {
        let title = format!("`{text}` matches {MAX_VALUES} files or more");
        return Err((title, None));
    }
    let files = found.into_iter().filter_map(Result::ok);
    let files = files.filter(|path| path.is_file() && !path.starts_with(results));
    let files: Vec<PathBuf> = files
        .map(|path| match path.strip_prefix(folder) {
            Ok(relative) => relative.to_owned(),
            Err(_) => path,
        })
        .collect();
    match files.is_empty() {
        true => Err((
            format!("no file matches {}", folder.join(text).display()),
            Some("* stands for any letters, ** for folders, ? for one letter"),
        )),
        false => Ok(files),
    }
}
