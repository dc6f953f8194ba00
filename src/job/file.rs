//! Job files: TOML with the tables `[run]` and `[defaults]` and a list of `[[job]]`, whose keys are the
//! options of the command line. Lists of values make grids of jobs. One reading finds every mistake.

mod entries;
mod expand;
mod grid;
mod lacking;
mod mistakes;
mod recipe;
mod schema;
mod shared;

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    AskLine, JobDraft, RUN, RunSettings, Task, plugin_lookup::PluginLookup,
    plugin_questions::PluginAsker,
};
use crate::{foreign_calls::Work, whole_file::read_small};
use entries::NoData;
use expand::{Expansion, LocatedJob};
use lacking::lacking;
pub use mistakes::{JobFileError, Mistake};
use mistakes::{Mistakes, invalid_value, not_utf8, syntax, unknown_run_key, unknown_top_key};
pub(crate) use recipe::JobRecipe;
pub use schema::schema;
use shared::{shared_files, written_data};

/// The most jobs of a file: more are taken for a slip.
const MAX_JOBS: usize = 100_000;

/// The jobs of a job file. Their paths are relative to the folder of the file.
#[derive(Debug, Clone)]
pub struct JobFile {
    /// The path of the file.
    pub path: PathBuf,
    /// How its jobs are run.
    pub settings: RunSettings,
    /// The jobs, with grids expanded, in the order of the file.
    pub jobs: Vec<PlannedJob>,
    /// What is to be known of names in it that are taken for what ships, and that a library which was not loaded may bring as well.
    pub notes: Vec<String>,
}

impl JobFile {
    /// The folder of the file, to which its paths are relative.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }
}

/// One job of a job file.
#[derive(Debug, Clone)]
pub struct PlannedJob {
    /// The name of the job, which is unique in the file and fit for a file name.
    pub id: String,
    /// What the job does.
    pub task: Task,
    /// The options that were given and have an effect, each with its texts, by name.
    pub options: Vec<(&'static str, Vec<String>)>,
    /// The names of the options that were set for this job alone, not by the defaults of the file.
    pub(super) own: Vec<&'static str>,
    /// Why it is not known whether the job is right, which only a library could tell that was not loaded, or ended the process
    /// that asked it. Such a job can be shown, and not done.
    pub unchecked: Option<String>,
}

/// Reads a job file.
///
/// # Errors
/// The file cannot be read, or contains mistakes: the error lists all of them.
pub fn read(path: &Path) -> Result<JobFile, JobFileError> {
    read_with(path, |_| PluginLookup::default())
}

/// Reads a job file. Where its jobs, or all jobs, have processes of their own, another process is asked about plugins, and this one
/// loads none.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_for_run(
    path: &Path,
    isolates_all: bool,
    ask: Box<AskLine>,
) -> Result<JobFile, JobFileError> {
    read_with(path, |settings| match isolates_all || settings.isolate {
        true => PluginLookup::elsewhere(PluginAsker::new(ask)),
        false => PluginLookup::default(),
    })
}

/// Reads a job file, and loads none of the libraries that it names.
///
/// # Errors
/// As [`read`].
pub fn inspect(path: &Path) -> Result<JobFile, JobFileError> {
    read_with(path, |_| PluginLookup::inspection())
}

fn read_with(
    path: &Path,
    plugins: impl FnOnce(&RunSettings) -> PluginLookup,
) -> Result<JobFile, JobFileError> {
    let bytes = read_small(path).map_err(|source| JobFileError::Read {
        path: path.to_owned(),
        source,
    })?;
    let (text, parsed) = match String::from_utf8(bytes) {
        Ok(text) => {
            let parsed = parse(&text, path, plugins);
            (text, parsed)
        }
        Err(error) => {
            let mistake = not_utf8(error.utf8_error().valid_up_to());
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            (text, Err(vec![mistake]))
        }
    };
    parsed.map_err(|mut mistakes| {
        mistakes.sort_by_key(|mistake| mistake.span.as_ref().map(|span| span.start));
        JobFileError::Mistakes {
            path: path.to_owned(),
            text,
            mistakes,
        }
    })
}

fn parse(
    text: &str,
    path: &Path,
    plugins: impl FnOnce(&RunSettings) -> PluginLookup,
) -> Result<JobFile, Vec<Mistake>> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return Err(syntax_mistakes(text, errors));
    }
    let mut mistakes = Mistakes::new();
    let mut settings = RunSettings::default();
    let mut defaults = Vec::new();
    let mut tables: &[Spanned<DeValue<'_>>] = &[];
    for (key, value) in document.get_ref() {
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("run", DeValue::Table(table)) => read_run(&mut settings, table, &mut mistakes),
            ("defaults", DeValue::Table(table)) => {
                defaults = entries::read(table, &mut mistakes);
            }
            ("job", DeValue::Array(jobs)) => tables = jobs,
            (name @ ("run" | "defaults" | "job"), other) => mistakes.push(
                Mistake::new(
                    key.span(),
                    format!("`{name}` is not written like this"),
                    format!("this makes it a {}", other.type_str()),
                )
                .help(match name {
                    "job" => "start each job with a line [[job]]".to_owned(),
                    _ => format!("start it with a line [{name}]"),
                }),
            ),
            (name, _) => mistakes.push(unknown_top_key(name, key.span())),
        }
    }
    settings.output = settings.output.map(|output| folder.join(output));
    if let Some(limit) = settings.time_limit {
        // Libraries that jobs name are loaded next.
        Work::current().end_within(limit);
    }
    let mut draft = JobDraft::new("");
    draft.plugins = plugins(&settings);
    let results = settings.folder(path);
    // What jobs wrote before may match a pattern: it is known once there are jobs.
    let mut written = HashSet::new();
    let (jobs, mut mistakes) = loop {
        let no_data = NoData {
            results: &results,
            written: &written,
        };
        let expansion = Expansion::new(
            draft.clone(),
            (folder, no_data),
            &defaults,
            mistakes.clone(),
        );
        let (jobs, mistakes) = expand(expansion, tables);
        let before = written.len();
        let all = written_data(&jobs);
        if all.is_subset(&written) || before > MAX_JOBS {
            break (jobs, mistakes);
        }
        written.extend(all);
    };
    mistakes.extend(shared_files(&jobs, path, &results));
    // A job that has another mistake may lack something because of it.
    if mistakes.is_empty() {
        mistakes = lacking(&jobs);
    }
    match mistakes.is_empty() {
        true => Ok(JobFile {
            path: path.to_owned(),
            settings,
            jobs: jobs.into_iter().map(|job| job.planned).collect(),
            notes: draft.plugins.notes(),
        }),
        false => Err(mistakes),
    }
}

/// The jobs of these tables, and the mistakes.
fn expand(
    mut expansion: Expansion<'_>,
    tables: &[Spanned<DeValue<'_>>],
) -> (Vec<LocatedJob>, Mistakes) {
    if tables.is_empty() && expansion.mistakes.is_empty() {
        expansion.mistakes.push(
            Mistake::new(None, "there is no job in this file", "")
                .help("start each job with a line [[job]], then data = \"FILE\"".to_owned()),
        );
    }
    for (number, table) in (1..).zip(tables) {
        match table.get_ref() {
            DeValue::Table(keys) => expansion.add(number, table.span(), keys),
            other => expansion.mistakes.push(
                Mistake::new(
                    table.span(),
                    format!("a job is a table, not a {}", other.type_str()),
                    "not a table",
                )
                .help("start each job with a line [[job]]".to_owned()),
            ),
        }
    }
    (expansion.jobs, expansion.mistakes)
}

/// Errors of syntax, the first of each line: one slip may cause several. Nothing else is reported,
/// for what follows a slip cannot be trusted.
fn syntax_mistakes(text: &str, errors: Vec<toml::de::Error>) -> Vec<Mistake> {
    let start = |mistake: &Mistake| mistake.span.as_ref().map_or(0, |span| span.start);
    let mistakes = errors.into_iter().map(|error| syntax(error, text));
    let mut mistakes: Vec<Mistake> = mistakes.collect();
    mistakes.sort_by_key(start);
    let lines: Vec<usize> = text.match_indices('\n').map(|(end, _)| end).collect();
    mistakes.dedup_by_key(|mistake| {
        let start = start(mistake);
        lines.partition_point(|end| *end < start)
    });
    mistakes
}

/// Reads the table `[run]`.
fn read_run(settings: &mut RunSettings, table: &DeTable<'_>, mistakes: &mut Mistakes) {
    for (key, value) in table {
        let name = key.get_ref();
        let Some(option) = RUN.iter().find(|option| option.name == name) else {
            mistakes.push(unknown_run_key(name, key.span()));
            continue;
        };
        let texts = entries::texts(name, Some(option), value);
        let read = texts.and_then(|texts| {
            let read = option.read(settings, &texts);
            read.map_err(|error| invalid_value(&error, value.span()))
        });
        mistakes.extend(read.err());
    }
}
