//! Job files: TOML with `[run]`, `[defaults]` and a list of `[[job]]`, whose keys are the options
//! of the command line; lists make grids. Every mistake of a file is found in one reading.

mod entries;
mod grid;
mod mistakes;
mod schema;
mod shared;

use std::{
    fs,
    ops::Range,
    path::{Path, PathBuf},
};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    JobDraft, RunSettings, Task,
    task::{self, Command, TaskDraft, run_option},
};
use entries::{Entry, Own, own};
use grid::Names;
pub use mistakes::{JobFileError, Mistake};
use mistakes::{not_of_command, refused, syntax, unknown_key, unknown_run_key, unknown_top};
pub use schema::schema;
use shared::shared_files;

/// Most jobs of a file: more are a slip.
const MOST: usize = 100_000;

/// What a job file asks for, in its order, with paths taken from its folder.
#[derive(Debug, Clone)]
pub struct JobFile {
    /// The file.
    pub path: PathBuf,
    /// How its jobs are run.
    pub settings: RunSettings,
    /// All of them, grids expanded.
    pub jobs: Vec<PlannedJob>,
}

impl JobFile {
    /// The folder that its paths start at.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }
}

/// One job of a file.
#[derive(Debug, Clone)]
pub struct PlannedJob {
    /// What its result is called: unique, and fit for a file's name.
    pub id: String,
    /// What is to be done.
    pub task: Task,
    /// The options that were given, as texts, by name.
    pub options: Vec<(&'static str, Vec<String>)>,
}

/// Reads a job file.
///
/// # Errors
/// The file cannot be read, or has mistakes: all of them together.
pub fn read(path: &Path) -> Result<JobFile, JobFileError> {
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

/// A job and where it stands, to point at in what is wrong between jobs.
struct LocatedJob {
    number: usize,
    planned: PlannedJob,
    /// Where the value of each key stands.
    places: Vec<(String, Range<usize>)>,
    place: Range<usize>,
}

impl LocatedJob {
    fn place_of(&self, key: &str) -> Range<usize> {
        let found = self.places.iter().find(|it| it.0 == key);
        found.map_or(self.place.clone(), |it| it.1.clone())
    }
}

fn parse(text: &str, path: &Path) -> Result<JobFile, Vec<Mistake>> {
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
    let mut settings = RunSettings::default();
    let mut defaults = Vec::new();
    let mut list: &[Spanned<DeValue<'_>>] = &[];
    for (key, value) in document.get_ref() {
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("run", DeValue::Table(table)) => run_table(&mut settings, table, &mut mistakes),
            ("defaults", DeValue::Table(table)) => {
                defaults = entries::read(table, &mut mistakes);
            }
            ("job", DeValue::Array(jobs)) => list = jobs,
            (name @ ("run" | "defaults" | "job"), other) => mistakes.push(Mistake {
                place: Some(key.span()),
                what: format!("`{name}` is not written like this"),
                label: format!("this makes it a {}", other.type_str()),
                help: Some(match name {
                    "job" => "start each job with a line [[job]]".to_owned(),
                    _ => format!("start it with a line [{name}]"),
                }),
            }),
            (name, _) => mistakes.push(unknown_top(name, key.span())),
        }
    }
    settings.output = settings.output.map(|it| folder.join(it));
    let base = Base::new((folder, settings.folder(path)), defaults, &mut mistakes);
    if list.is_empty() && mistakes.is_empty() {
        mistakes.push(Mistake {
            place: None,
            what: "there is no job in this file".to_owned(),
            label: String::new(),
            help: Some("start each job with a line [[job]], then data = \"FILE\"".to_owned()),
        });
    }
    let (mut jobs, mut names) = (Vec::new(), Names::default());
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
        let left = MOST - jobs.len();
        let place = (at + 1, item.span());
        jobs.extend(base.jobs(place, table, (left, &mut names), &mut mistakes));
    }
    mistakes.extend(shared_files(&jobs, path, &settings.folder(path)));
    match mistakes.is_empty() {
        true => Ok(JobFile {
            path: path.to_owned(),
            settings,
            jobs: jobs.into_iter().map(|it| it.planned).collect(),
        }),
        false => Err(mistakes),
    }
}

/// Tells a mistake that may be met in many jobs, once.
fn tell(mistake: Mistake, mistakes: &mut Vec<Mistake>) {
    let same = |it: &Mistake| it.place == mistake.place && it.what == mistake.what;
    if !mistakes.iter().any(same) {
        mistakes.push(mistake);
    }
}

/// Reads the table `[run]`.
fn run_table(settings: &mut RunSettings, table: &DeTable<'_>, mistakes: &mut Vec<Mistake>) {
    for (key, value) in table {
        let Some(option) = run_option(key.get_ref()) else {
            mistakes.push(unknown_run_key(key.get_ref(), key.span()));
            continue;
        };
        let texts = entries::texts(&option.info(), value.get_ref());
        let set = texts.and_then(|texts| {
            let set = option.read(settings, &texts);
            set.map_err(|error| refused(&error, value.span()))
        });
        mistakes.extend(set.err().map(|it| Mistake {
            place: Some(value.span()),
            ..it
        }));
    }
}

/// What every job of a file starts from.
struct Base<'a> {
    folder: &'a Path,
    /// Where results go.
    results: PathBuf,
    draft: JobDraft,
    defaults: Vec<Entry>,
}

impl<'a> Base<'a> {
    fn new(
        (folder, results): (&'a Path, PathBuf),
        mut defaults: Vec<Entry>,
        mistakes: &mut Vec<Mistake>,
    ) -> Self {
        let mut draft = JobDraft::new("");
        draft.folder = folder.to_owned();
        defaults.retain(|entry| match own(&entry.key) {
            Some(Own::Command) => true,
            Some(_) => {
                mistakes.push(Mistake {
                    place: Some(entry.place.clone()),
                    what: format!("`{}` belongs to one job, not to the defaults", entry.key),
                    label: "this is of one job".to_owned(),
                    help: None,
                });
                false
            }
            None if task::job_option(&entry.key).is_some() => true,
            None => {
                mistakes.push(unknown_key(&entry.key, entry.key_place.clone()));
                false
            }
        });
        // Of no job's use, they are wrong all the same.
        for entry in &defaults {
            for command in Command::ALL.into_iter().filter(|it| it.has(&entry.key)) {
                let mut draft = TaskDraft::new(draft.clone(), command);
                for value in &entry.values {
                    if let Err(error) = draft.set(&entry.key, &value.texts) {
                        tell(refused(&error, value.place.clone()), mistakes);
                    }
                }
            }
        }
        Self {
            folder,
            results,
            draft,
            defaults,
        }
    }

    /// The jobs of one table: one, or a grid.
    fn jobs(
        &self,
        (number, place): (usize, Range<usize>),
        table: &DeTable<'_>,
        (most, names): (usize, &mut Names),
        mistakes: &mut Vec<Mistake>,
    ) -> Vec<LocatedJob> {
        let before = mistakes.len();
        let given = entries::read(table, mistakes);
        let find = |own: &str| given.iter().find(|it| it.key == own);
        let word = find("command").or(self.defaults.iter().find(|it| it.key == "command"));
        let command = word.map_or(Command::Select, |it| entries::command(it, mistakes));
        let name = find("name").and_then(|it| entries::text(it, mistakes));
        let (data, listed) = match find("data") {
            Some(entry) => entries::data(entry, (self.folder, &self.results), mistakes),
            None => {
                mistakes.push(Mistake {
                    place: Some(place.clone()),
                    what: "this job has no data".to_owned(),
                    label: "a job needs data = \"FILE\"".to_owned(),
                    help: None,
                });
                (Vec::new(), false)
            }
        };
        let mut entries: Vec<&Entry> = Vec::new();
        for entry in &self.defaults {
            let overridden = given.iter().any(|it| it.key == entry.key);
            if own(&entry.key).is_none() && command.has(&entry.key) && !overridden {
                entries.push(entry);
            }
        }
        let of_defaults = entries.len();
        for entry in given.iter().filter(|it| own(&it.key).is_none()) {
            if task::job_option(&entry.key).is_none() {
                mistakes.push(unknown_key(&entry.key, entry.key_place.clone()));
            } else if !command.has(&entry.key) {
                mistakes.push(not_of_command(&entry.key, command, entry.key_place.clone()));
            } else {
                entries.push(entry);
            }
        }
        let count = grid::count(data.len().max(1), &entries);
        if count.is_none_or(|it| it > most) {
            let what = format!("with the lists of this job there are more than {MOST} jobs");
            mistakes.push(Mistake {
                place: Some(place),
                what,
                label: "of this job".to_owned(),
                help: Some("take fewer values, or files of fewer jobs".to_owned()),
            });
            return Vec::new();
        }
        let mut jobs = Vec::new();
        // A draft even of nothing: what its options contradict is told too.
        let nowhere = [PathBuf::new()];
        let paths = if data.is_empty() { &nowhere[..] } else { &data };
        for path in paths {
            // Where there is a mistake, one combination tells what else there is.
            let most = if mistakes.is_empty() {
                count.unwrap_or(1)
            } else {
                1
            };
            for chosen in grid::combinations(&entries).take(most) {
                let mut shared = self.draft.clone();
                shared.job.data = path.clone();
                let mut draft = TaskDraft::new(shared, command);
                // A preset is where the other keys start from, wherever it stands.
                let first = |it: &&(usize, &Entry, &entries::Value)| it.1.key == "preset";
                let with = entries.iter().enumerate().zip(&chosen);
                let with: Vec<_> = with
                    .map(|((at, entry), value)| (at, *entry, *value))
                    .collect();
                let ordered = with
                    .iter()
                    .filter(first)
                    .chain(with.iter().filter(|it| !first(it)));
                // One without a value is a mistake already.
                for (_, entry, value) in ordered.filter(|it| !it.1.values.is_empty()) {
                    if let Err(error) = draft.set(&entry.key, &value.texts) {
                        tell(refused(&error, value.place.clone()), mistakes);
                    }
                }
                draft
                    .shared
                    .settle(|name| entries[..of_defaults].iter().any(|it| it.key == name));
                let mut id = grid::name(name.as_deref(), (number, path, listed));
                grid::suffix(&mut id, &with);
                let id = names.take(grid::fit(&id));
                let mut options: Vec<_> = with
                    .iter()
                    .filter_map(|it| Some((task::job_option(&it.1.key)?.name, it.2.texts.clone())))
                    .collect();
                draft.name_files(&id);
                match draft.check() {
                    Ok(task) => {
                        options.retain(|it| task.uses(it.0));
                        options.sort();
                        jobs.push(LocatedJob {
                            number,
                            planned: PlannedJob { id, task, options },
                            places: with
                                .iter()
                                .map(|it| (it.1.key.clone(), it.2.place.clone()))
                                .collect(),
                            place: place.clone(),
                        });
                    }
                    Err(errors) => {
                        for error in &errors {
                            let value = with.iter().find(|it| it.1.key == error.option());
                            let place = value.map_or(place.clone(), |it| it.2.place.clone());
                            tell(refused(error, place), mistakes);
                        }
                    }
                }
                if mistakes.len() > before + 100 {
                    return Vec::new();
                }
            }
        }
        jobs
    }
}
