//! The tidy tables of a run: a row a job, a row a selected variable, a row a pair.

#[cfg(feature = "parquet")]
use std::path::PathBuf;
use std::{
    collections::{BTreeSet, HashMap},
    io::{self, BufWriter, Write},
    path::Path,
};

use serde_json::Value;

use super::{
    folder::stored,
    manifest::{WITHOUT_EFFECT, shown as shown_path},
};
use crate::{
    job::{
        Task,
        file::{JobFile, PlannedJob},
        option,
    },
    output::{OutputError, OutputFile},
    report::{JobRow, JobsPage, field},
};

/// Options that have a column in any case.
const ALWAYS: [&str; 3] = ["method", "criterion", "seed"];

/// Of a report, what a row a job tells: where it stands.
const OF_JOB: &[(&str, &str)] = &[
    ("n", "/n"),
    ("p", "/p"),
    ("k", "/k"),
    ("criterion_value", "/criterion/value"),
    ("rss", "/rss"),
    ("certified", "/certified"),
    ("termination", "/termination"),
    ("psr", "/truth/psr"),
    ("fdr", "/truth/fdr"),
];

/// What a row a variable tells: members of it in the report.
const OF_VARIABLE: &[&str] = &[
    "name",
    "index",
    "coefficient",
    "std_error",
    "t",
    "p_value",
    "lower",
    "upper",
    "score",
    "relevance",
    "redundancy",
    "frequency",
];

/// What a row a pair tells.
const OF_PAIR: &[&str] = &["a", "b", "a_index", "b_index", "score", "synergy"];

/// How a job stands at the end of a run; without a word it has no result.
#[derive(Debug, Clone, Copy)]
pub enum Told<'a> {
    /// Its result is there.
    Done,
    /// It is of something else.
    Stale,
    /// Why there is none.
    Failed(&'a str),
}

/// Writes `jobs.csv`, `results.csv` and `pairs.csv` of all jobs of a file in the folder, and the page
/// of them, `report.html`. How they stand is told by what they are called.
///
/// # Errors
/// A file cannot be written.
pub fn write(folder: &Path, file: &JobFile, told: &HashMap<&str, Told>) -> Result<(), OutputError> {
    let options = columns(&file.jobs);
    let asked = || options.iter().map(|it| column(it));
    let of_all = || {
        ["job", "command", "data"]
            .map(str::to_owned)
            .into_iter()
            .chain(asked())
    };
    let texts =
        |names: &[&str]| -> Vec<String> { names.iter().map(|it| (*it).to_owned()).collect() };
    let mut all = Table::create(&folder.join("jobs.csv"))?;
    let mut variables = Table::create(&folder.join("results.csv"))?;
    let mut pairs = Table::create(&folder.join("pairs.csv"))?;
    let page = OutputFile::create(&folder.join("report.html"))?;
    // What changes no result is no setting.
    let settings = options.iter().filter(|it| !WITHOUT_EFFECT.contains(it));
    let settings = settings.map(|it| (*it).to_owned());
    let names = ["command".to_owned()].into_iter().chain(settings);
    let mut jobs = JobsPage::new(&file.path, names.collect());
    let of_job = OF_JOB.iter().map(|it| it.0.to_owned());
    all.row(
        of_all()
            .chain(texts(&["status"]))
            .chain(of_job)
            .chain(texts(&["message"])),
    );
    variables.row(of_all().chain(texts(&["rank"])).chain(texts(OF_VARIABLE)));
    pairs.row(of_all().chain(texts(&["rank"])).chain(texts(OF_PAIR)));
    for planned in &file.jobs {
        let task = &planned.task;
        let data = shown_path(&task.job().data, file.folder());
        let own = [&*planned.id, task.command().name(), &data].map(str::to_owned);
        let own = own
            .into_iter()
            .chain(options.iter().map(|it| value(planned, it)));
        let own: Vec<String> = own.collect();
        let (status, message) = match told.get(&*planned.id) {
            Some(Told::Failed(message)) => ("failed", *message),
            Some(Told::Done) => ("done", ""),
            Some(Told::Stale) => ("stale", ""),
            None => ("missing", ""),
        };
        let result = match status {
            "done" => stored(folder, &planned.id).map(|it| it.result),
            _ => None,
        };
        let result = result.unwrap_or(Value::Null);
        let row = JobRow {
            id: own[0].clone(),
            data: own[2].clone(),
            options: settings_of(&own[1], &options, &own[3..]),
            status,
            message: message.to_owned(),
        };
        jobs.push(row, &result);
        let of_job = OF_JOB.iter().map(|it| shown(result.pointer(it.1)));
        let row = own.iter().cloned().chain(texts(&[status]));
        all.row(row.chain(of_job).chain(texts(&[message])));
        for (table, member, names) in [
            (&mut variables, "selected", OF_VARIABLE),
            (&mut pairs, "pairs", OF_PAIR),
        ] {
            let rows = result.get(member).and_then(Value::as_array);
            for (rank, it) in rows.into_iter().flatten().enumerate() {
                let row = own.iter().cloned().chain([(rank + 1).to_string()]);
                table.row(row.chain(names.iter().map(|name| shown(it.get(name)))));
            }
        }
    }
    pairs.finish()?;
    variables.finish()?;
    all.finish()?;
    page.finish(jobs.page().as_bytes())
}

/// The command, and the options that change results.
fn settings_of(command: &str, options: &[&str], values: &[String]) -> Vec<String> {
    let both = options.iter().zip(values);
    let telling = both.filter(|it| !WITHOUT_EFFECT.contains(it.0));
    let values = telling.map(|it| it.1.clone());
    [command.to_owned()].into_iter().chain(values).collect()
}

/// The name of an option's column, which no other has.
fn column(option: &str) -> String {
    let of_job = OF_JOB.iter().map(|it| it.0);
    let mut others = of_job.chain(OF_VARIABLE.iter().chain(OF_PAIR).copied());
    match others.any(|it| it == option) {
        true => format!("option_{option}"),
        false => option.to_owned(),
    }
}

/// What a job has for an option: as it was given, or else what it is without a word, where every
/// job has a column of it.
fn value(planned: &PlannedJob, name: &str) -> String {
    let given = planned.options.iter().find(|it| it.0 == name);
    if let Some((_, texts)) = given {
        let bare = texts.iter().map(|it| it.trim_matches('"'));
        return bare.collect::<Vec<_>>().join(",");
    }
    let (task, job) = (&planned.task, planned.task.job());
    match (name, task) {
        ("seed", _) => job.pass.seed.to_string(),
        ("method", Task::Pairs(_)) => String::new(),
        ("method", _) => job.method.clone(),
        ("criterion", Task::Select(_) | Task::Stability(_)) if job.selector.is_none() => {
            option(name).map_or(String::new(), |it| it.default.to_owned())
        }
        _ => String::new(),
    }
}

/// The options that have a column: some always, and those that jobs have differently.
fn columns(jobs: &[PlannedJob]) -> Vec<&'static str> {
    let value = |planned: &PlannedJob, name: &str| {
        let found = planned.options.iter().find(|it| it.0 == name);
        found.map(|it| it.1.clone())
    };
    let options = jobs.iter().flat_map(|it| it.options.iter().map(|it| it.0));
    let names: BTreeSet<&str> = options.filter(|it| !ALWAYS.contains(it)).collect();
    // What differs at all differs from the first.
    let differs = |name: &&str| {
        let first = jobs.first().and_then(|it| value(it, name));
        jobs.iter().any(|it| value(it, name) != first)
    };
    ALWAYS
        .into_iter()
        .chain(names.into_iter().filter(differs))
        .collect()
}

/// A value as a field: nothing where there is none.
fn shown(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// A CSV being written, and the same as Parquet where that is built; its first error is told at
/// the end.
struct Table {
    file: BufWriter<OutputFile>,
    failed: Option<io::Error>,
    #[cfg(feature = "parquet")]
    also: (PathBuf, Vec<Vec<String>>),
}

impl Table {
    fn create(path: &Path) -> Result<Self, OutputError> {
        let file = BufWriter::with_capacity(1 << 16, OutputFile::create(path)?);
        Ok(Self {
            file,
            failed: None,
            #[cfg(feature = "parquet")]
            also: (path.with_extension("parquet"), Vec::new()),
        })
    }

    /// The names first.
    fn row(&mut self, fields: impl Iterator<Item = String>) {
        let own: Vec<String> = fields.collect();
        let fields: Vec<_> = own.iter().map(|it| field(it)).collect();
        if self.failed.is_none() {
            self.failed = writeln!(self.file, "{}", fields.join(",")).err();
        }
        #[cfg(feature = "parquet")]
        self.also.1.push(own);
    }

    fn finish(mut self) -> Result<(), OutputError> {
        let failed = self.failed.take().or_else(|| self.file.flush().err());
        let (file, _) = self.file.into_parts();
        match failed {
            Some(source) => Err(file.write_error(source)),
            None => file.commit(),
        }?;
        #[cfg(feature = "parquet")]
        if let (path, [names, rows @ ..]) = (self.also.0, &*self.also.1) {
            let file = OutputFile::create(&path)?;
            let page = crate::report::parquet_table(names, rows);
            let page = page.map_err(|source| file.write_error(source))?;
            file.finish(&page)?;
        }
        Ok(())
    }
}
