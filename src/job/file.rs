//! Job files: TOML with `[defaults]` and a list of `[[job]]`, whose keys are the
//! options of the command line. Every mistake of a file is found in one reading.

mod mistakes;

use std::{
    collections::HashMap,
    fs,
    ops::Range,
    path::{Path, PathBuf},
};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{Draft, Job, contradictions::place, option};
use crate::table::{files, is_npy, quote};
pub use mistakes::{JobFileError, Mistake};
use mistakes::{help, refused, syntax, unknown_key, unknown_top};

/// Keys of a job that are no options.
const OWN_KEYS: [&str; 2] = ["name", "data"];

/// The jobs of a file, in its order, with paths taken from the file's folder.
///
/// # Errors
/// The file cannot be read, or has mistakes: all of them together.
pub fn read(path: &Path) -> Result<Vec<Job>, JobFileError> {
    let text = fs::read_to_string(path).map_err(|source| JobFileError::Read {
        path: path.to_owned(),
        source,
    })?;
    parse(&text, path).map_err(|mut mistakes| {
        mistakes.sort_by_key(|mistake| mistake.place.as_ref().map(|place| place.start));
        JobFileError::Mistakes {
            path: path.to_owned(),
            text,
            mistakes,
        }
    })
}

/// A key of a job and where its value stands, to point at in later mistakes.
struct Entry {
    key: String,
    place: Range<usize>,
}

/// A job and where it stands, to point at in what is wrong between jobs.
struct Placed {
    number: usize,
    job: Job,
    entries: Vec<Entry>,
    place: Range<usize>,
}

fn parse(text: &str, path: &Path) -> Result<Vec<Job>, Vec<Mistake>> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        // What follows a slip of syntax cannot be trusted: say only that, and
        // once a line, for one slip makes several errors.
        let start = |it: &Mistake| it.place.as_ref().map_or(0, |place| place.start);
        let mut mistakes: Vec<Mistake> = errors.into_iter().map(syntax).collect();
        mistakes.sort_by_key(start);
        let mut line_end = 0;
        mistakes.retain(|it| {
            let first = start(it) >= line_end;
            if first {
                let rest = &text.as_bytes()[start(it).min(text.len())..];
                let length = rest.iter().position(|byte| *byte == b'\n');
                line_end = length.map_or(usize::MAX, |length| start(it) + length + 1);
            }
            first
        });
        return Err(mistakes);
    }
    let mut mistakes = Vec::new();
    let mut defaults = Draft::new("");
    defaults.folder = folder.to_owned();
    let mut list: &[Spanned<DeValue<'_>>] = &[];
    for (key, value) in document.get_ref() {
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("defaults", DeValue::Table(table)) => {
                fill(&mut defaults, table, false, &mut mistakes);
                defaults.settle();
            }
            ("job", DeValue::Array(jobs)) => list = jobs,
            (name @ ("defaults" | "job"), other) => mistakes.push(Mistake {
                place: Some(key.span()),
                what: format!("`{name}` is not written like this"),
                label: format!("this makes it a {}", other.type_str()),
                help: Some(match name {
                    "job" => "start each job with a line [[job]]".to_owned(),
                    _ => "start it with a line [defaults]".to_owned(),
                }),
            }),
            (name, _) => mistakes.push(unknown_top(name, key.span())),
        }
    }
    if list.is_empty() && mistakes.is_empty() {
        mistakes.push(Mistake {
            place: None,
            what: "there is no job in this file".to_owned(),
            label: String::new(),
            help: Some("start each job with a line [[job]], then data = \"FILE\"".to_owned()),
        });
    }
    let mut jobs = Vec::new();
    for (at, item) in list.iter().enumerate() {
        let DeValue::Table(table) = item.get_ref() else {
            mistakes.push(Mistake {
                place: Some(item.span()),
                what: format!("a job is a table, not a {}", item.get_ref().type_str()),
                label: "this is no table".to_owned(),
                help: Some("start each job with a line [[job]]".to_owned()),
            });
            continue;
        };
        let mut draft = defaults.clone();
        let entries = fill(&mut draft, table, true, &mut mistakes);
        if !table.contains_key("data") {
            mistakes.push(Mistake {
                place: Some(item.span()),
                what: "this job has no data".to_owned(),
                label: "a job needs data = \"FILE\"".to_owned(),
                help: None,
            });
        }
        // Even a draft with refused options: its contradictions are mistakes too.
        match draft.check() {
            Ok(job) => jobs.push(Placed {
                number: at + 1,
                job,
                entries,
                place: item.span(),
            }),
            Err(errors) => mistakes.extend(errors.iter().map(|error| {
                let entry = entries.iter().find(|entry| entry.key == error.option());
                refused(
                    error,
                    entry.map_or(item.span(), |entry| entry.place.clone()),
                )
            })),
        }
    }
    mistakes.extend(shared_files(&jobs, path));
    match mistakes.is_empty() {
        true => Ok(jobs.into_iter().map(|it| it.job).collect()),
        false => Err(mistakes),
    }
}

/// Sets the keys of one table in a draft, noting where each value stands.
fn fill(
    draft: &mut Draft,
    table: &DeTable<'_>,
    is_job: bool,
    mistakes: &mut Vec<Mistake>,
) -> Vec<Entry> {
    let mut entries = Vec::new();
    // A preset is where the other keys start from, wherever it stands.
    let mut ordered: Vec<_> = table.iter().collect();
    ordered.sort_by_key(|(key, _)| key.get_ref().as_ref() != "preset");
    for (key, value) in ordered {
        let (name, place) = (key.get_ref().as_ref(), value.span());
        if OWN_KEYS.contains(&name) {
            own_key(draft, name, value, is_job, mistakes);
        } else if option(name).is_none() {
            mistakes.push(unknown_key(name, key.span()));
        } else {
            let set = texts(name, value.get_ref()).and_then(|texts| {
                let set = draft.set(name, &texts);
                set.map_err(|error| refused(&error, place.clone()))
            });
            mistakes.extend(set.err().map(|mistake| Mistake {
                place: Some(place.clone()),
                ..mistake
            }));
        }
        entries.push(Entry {
            key: name.to_owned(),
            place,
        });
    }
    entries
}

/// `name` and `data`, which only a job has.
fn own_key(
    draft: &mut Draft,
    name: &str,
    value: &Spanned<DeValue<'_>>,
    is_job: bool,
    mistakes: &mut Vec<Mistake>,
) {
    let what = match value.get_ref().as_str() {
        _ if !is_job => format!("`{name}` belongs to one job, not to the defaults"),
        None => format!("`{name}` must be a string"),
        Some("") => format!("`{name}` is empty"),
        Some(text) if name == "name" => {
            draft.job.name = Some(text.to_owned());
            return;
        }
        Some(text) => {
            draft.job.data = PathBuf::from(text);
            return;
        }
    };
    mistakes.push(Mistake {
        place: Some(value.span()),
        what,
        label: format!("this is a {}", value.get_ref().type_str()),
        help: None,
    });
}

/// The texts that would stand for this value on the command line.
fn texts(name: &str, value: &DeValue<'_>) -> Result<Vec<String>, Mistake> {
    let wrong = |value: &DeValue<'_>| Mistake {
        place: None,
        what: format!("`{name}` takes no {}", value.type_str()),
        label: format!("this is a {}", value.type_str()),
        help: help(name),
    };
    let scalar = |value: &DeValue<'_>| match value {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(number) => {
            // Hexadecimal and its kin are TOML's affair: options read decimals.
            let whole = i128::from_str_radix(number.as_str(), number.radix());
            Ok(whole.map_or_else(|_| number.to_string(), |it| it.to_string()))
        }
        DeValue::Float(number) => Ok(number.as_str().to_owned()),
        DeValue::Boolean(flag) => Ok(flag.to_string()),
        other => Err(wrong(other)),
    };
    let list = option(name).is_some_and(|option| option.list);
    match value {
        DeValue::Array(items) => items
            .iter()
            .map(|item| {
                let text = scalar(item.get_ref())?;
                // An element is one name already, commas and all.
                Ok(if list && !text.is_empty() {
                    quote(&text)
                } else {
                    text
                })
            })
            .collect(),
        one => Ok(vec![scalar(one)?]),
    }
}

/// How a job uses a file.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    Writes,
    Reads,
}

/// Files that one job writes and another writes or reads, or that hold the jobs.
fn shared_files(jobs: &[Placed], file: &Path) -> Vec<Mistake> {
    let written = |job: &Job| {
        let files = [("output", job.output.clone()), ("trace", job.trace.clone())];
        files
            .into_iter()
            .filter_map(|(key, path)| Some((key, path?)))
    };
    let read = |job: &Job| {
        let mut all = files(&job.data);
        // A response is a file where the data are an array.
        let response = job.response.as_ref().filter(|_| is_npy(&job.data));
        all.extend(response.map(PathBuf::from));
        all
    };
    // By place, so that each path is looked up on the disk once, however many jobs there are.
    let mut uses: HashMap<PathBuf, Vec<(usize, Use)>> = HashMap::new();
    for this in jobs {
        let written = written(&this.job).map(|(_, path)| (path, Use::Writes));
        let read = read(&this.job).into_iter().map(|path| (path, Use::Reads));
        for (path, how) in written.chain(read) {
            let users = place(&path).map(|place| uses.entry(place).or_default());
            users.into_iter().for_each(|it| it.push((this.number, how)));
        }
    }
    let own = place(file);
    let mut mistakes = Vec::new();
    for this in jobs {
        for (key, path) in written(&this.job) {
            let Some(place) = place(&path) else { continue };
            let users = uses.get(&place).into_iter().flatten();
            let clash = users.filter_map(|(other, how)| {
                // Of two that write, the later one is told.
                let verb = match how {
                    _ if *other == this.number => return None,
                    Use::Writes if *other > this.number => return None,
                    Use::Writes => "also writes",
                    Use::Reads => "reads",
                };
                Some(format!("job {other} {verb} {}", path.display()))
            });
            let itself = (own == Some(place)).then(|| "this is the job file".to_owned());
            mistakes.extend(itself.into_iter().chain(clash).take(1).map(|what| {
                let entry = this.entries.iter().find(|entry| entry.key == key);
                Mistake {
                    place: Some(entry.map_or(this.place.clone(), |entry| entry.place.clone())),
                    what,
                    label: "written here".to_owned(),
                    help: Some("give each job a file of its own".to_owned()),
                }
            }));
        }
    }
    mistakes
}
