//! Expanding the tables `[[job]]` of a file into jobs: one each, or one for each combination of the
//! values that a table lists.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use toml::de::DeTable;

use super::{
    super::{
        JobDraft,
        task::{Command, job_option},
    },
    MAX_JOBS, PlannedJob,
    entries::{self, Entry, NoData, Value},
    grid::{self, Names},
    mistakes::{
        KEYS, Mistake, Mistakes, invalid_value, not_of_command, push_once, unknown_job_key,
    },
};

/// Mistakes of one table after which its other combinations are not looked at.
const MAX_MISTAKES: usize = 100;

/// A job and its place in the file, for messages about several jobs.
pub(super) struct LocatedJob {
    /// The number of its table, counted from 1.
    pub(super) number: usize,
    pub(super) planned: PlannedJob,
    /// The place of the value of each key.
    values: Vec<(String, Range<usize>)>,
    table: Range<usize>,
}

impl LocatedJob {
    /// The place of the value of a key, or that of the whole table.
    pub(super) fn span_of(&self, key: &str) -> Range<usize> {
        let value = self.values.iter().find(|(name, _)| name == key);
        value.map_or(self.table.clone(), |(_, span)| span.clone())
    }
}

/// The jobs so far, and what every further job starts from.
pub(super) struct Expansion<'a> {
    folder: &'a Path,
    no_data: NoData<'a>,
    draft: JobDraft,
    defaults: &'a [Entry],
    names: Names,
    pub(super) jobs: Vec<LocatedJob>,
    pub(super) mistakes: Mistakes,
}

/// A table `[[job]]`.
struct JobTable<'a> {
    number: usize,
    span: Range<usize>,
    command: Command,
    name: Option<String>,
    /// The data files, and whether the table lists them or gives a pattern.
    data: Vec<PathBuf>,
    lists_data: bool,
    /// Its options: first those of the defaults, then its own.
    options: Vec<&'a Entry>,
    default_count: usize,
}

/// An option with the value that one combination has.
type Choice<'a> = (&'a Entry, &'a Value);

impl<'a> Expansion<'a> {
    /// Checks the defaults, also those that no job uses.
    pub(super) fn new(
        mut draft: JobDraft,
        (folder, no_data): (&'a Path, NoData<'a>),
        defaults: &'a [Entry],
        mut mistakes: Mistakes,
    ) -> Self {
        draft.folder = folder.to_owned();
        for Entry {
            key,
            key_span,
            span,
            values,
            ..
        } in defaults
        {
            match &**key {
                "name" | "data" => mistakes.push(Mistake::new(
                    span.clone(),
                    format!("`{key}` belongs to one job, not to the defaults"),
                    "only for a single job",
                )),
                "command" => {}
                _ if job_option(key).is_some() => {}
                _ => mistakes.push(unknown_job_key(key, key_span.clone())),
            }
            let commands = Command::ALL.into_iter();
            for command in commands.filter(|command| command.has(key)) {
                let mut draft = draft.of(command);
                for value in values {
                    if let Err(error) = draft.set(key, &value.texts) {
                        push_once(&mut mistakes, invalid_value(&error, value.span.clone()));
                    }
                }
            }
        }
        Self {
            folder,
            no_data,
            draft,
            defaults,
            names: Names::default(),
            jobs: Vec::new(),
            mistakes,
        }
    }

    /// Adds the jobs of a table.
    pub(super) fn add(&mut self, number: usize, span: Range<usize>, table: &DeTable<'_>) {
        let before = self.mistakes.len();
        let own = entries::read(table, &mut self.mistakes);
        let table = self.read((number, span), &own);
        let count = grid::count(table.data.len().max(1), &table.options);
        match count.filter(|count| *count <= MAX_JOBS - self.jobs.len()) {
            Some(count) => self.expand(&table, count, before),
            None => self.mistakes.push(
                Mistake::new(
                    table.span.clone(),
                    format!("with the lists of this job there are more than {MAX_JOBS} jobs"),
                    "this job",
                )
                .help("list fewer values, or split the jobs into several files".to_owned()),
            ),
        }
    }

    /// Reads a table, and the defaults that apply to it.
    fn read<'b>(&mut self, (number, span): (usize, Range<usize>), own: &'b [Entry]) -> JobTable<'b>
    where
        'a: 'b,
    {
        let (defaults, mistakes) = (self.defaults, &mut self.mistakes);
        let find = |key: &str| own.iter().find(|entry| entry.key == *key);
        let default = || defaults.iter().find(|entry| entry.key == "command");
        let command = find("command").or_else(default);
        let command = command.map_or(Command::Select, |entry| entries::command(entry, mistakes));
        let name = find("name").and_then(|entry| entries::text(entry, mistakes));
        let (data, lists_data) = match find("data") {
            Some(entry) => entries::data(entry, self.folder, self.no_data, mistakes),
            None => {
                mistakes.push(Mistake::new(
                    span.clone(),
                    "this job has no data",
                    "a job needs data = \"FILE\"",
                ));
                (Vec::new(), false)
            }
        };
        // An option without values has been reported.
        let has = |entry: &&Entry| command.has(&entry.key) && !entry.values.is_empty();
        let defaults = defaults.iter().filter(has);
        let mut options: Vec<&Entry> = defaults
            .filter(|entry| find(&entry.key).is_none())
            .collect();
        let default_count = options.len();
        options.extend(own.iter().filter(has));
        for Entry { key, key_span, .. } in own {
            if command.has(key) || KEYS.contains(&&**key) {
                continue;
            }
            mistakes.push(match job_option(key) {
                None => unknown_job_key(key, key_span.clone()),
                Some(_) => not_of_command(key, command, key_span.clone()),
            });
        }
        JobTable {
            number,
            span,
            command,
            name,
            data,
            lists_data,
            options,
            default_count,
        }
    }

    /// Adds the jobs of a table, one for each of `count` combinations. `before` mistakes were known
    /// before the table was read.
    fn expand(&mut self, table: &JobTable, count: usize, before: usize) {
        // Without data too, options that contradict each other are reported.
        let nowhere = [PathBuf::new()];
        let data = match table.data.is_empty() {
            true => &nowhere[..],
            false => &table.data,
        };
        for path in data {
            // After a mistake, one combination shows what else is wrong.
            let count = if self.mistakes.is_empty() { count } else { 1 };
            for values in grid::combinations(&table.options).take(count) {
                let options = table.options.iter().copied();
                let choices: Vec<Choice> = options.zip(values).collect();
                self.add_job(table, path, &choices);
                if self.mistakes.len() > before + MAX_MISTAKES {
                    return;
                }
            }
        }
    }

    fn add_job(&mut self, table: &JobTable, data: &Path, choices: &[Choice]) {
        let mut draft = self.draft.of(table.command);
        draft.job.data = data.to_owned();
        // A preset comes first wherever it stands, for the other options override it.
        let is_preset = |(entry, _): &&Choice| entry.key == "preset";
        let presets = choices.iter().filter(is_preset);
        let others = choices.iter().filter(|choice| !is_preset(choice));
        for (entry, value) in presets.chain(others) {
            if let Err(error) = draft.set(&entry.key, &value.texts) {
                push_once(
                    &mut self.mistakes,
                    invalid_value(&error, value.span.clone()),
                );
            }
        }
        let defaults = &table.options[..table.default_count];
        let is_default = |name: &str| defaults.iter().any(|entry| entry.key == name);
        draft.mark_defaults(is_default);
        let name = table.name.as_deref();
        let id = grid::name(name, table.number, data, table.lists_data);
        let id = grid::file_name(&(id + &grid::suffix(choices)));
        let id = self.names.make_unique(id);
        draft.insert_id(&id);
        let own = draft.explicit.clone();
        let spare = draft.plugins.may_need_libraries().then(|| draft.clone());
        let (task, unchecked) = match draft.task() {
            Ok(task) => (task, None),
            Err(errors) => {
                let mut others = errors
                    .iter()
                    .filter(|error| !error.needs_library)
                    .peekable();
                let spare = spare.filter(|_| others.peek().is_none());
                if let (Some(draft), Some(error)) = (spare, errors.first()) {
                    (draft.unresolved_task(), Some(error.message.clone()))
                } else {
                    for error in others {
                        let key = &error.option;
                        let value = choices.iter().find(|(entry, _)| entry.key == *key);
                        let span = value.map_or(&table.span, |(_, value)| &value.span);
                        push_once(&mut self.mistakes, invalid_value(error, span.clone()));
                    }
                    return;
                }
            }
        };
        let options = choices
            .iter()
            .filter_map(|(entry, value)| Some((job_option(&entry.key)?.name, value.texts.clone())));
        let is_used = |name: &str| unchecked.is_some() || task.uses(name);
        let mut options: Vec<_> = options.filter(|(name, _)| is_used(name)).collect();
        options.sort();
        let values = choices.iter();
        let values = values.map(|(entry, value)| (entry.key.clone(), value.span.clone()));
        self.jobs.push(LocatedJob {
            number: table.number,
            planned: PlannedJob {
                id,
                task,
                options,
                own,
                unchecked,
            },
            values: values.collect(),
            table: table.span.clone(),
        });
    }
}
