//! The tidy tables of a run: a row a job, a row a selected variable.

#[cfg(feature = "parquet")]
use std::path::PathBuf;
use std::{
    collections::{BTreeSet, HashMap},
    io::{self, BufWriter, Write},
    path::Path,
};

use serde_json::Value;

use super::{folder::stored, manifest::shown as shown_path};
use crate::{
    job::file::{JobFile, Planned},
    output::{OutputError, OutputFile},
    report::field,
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

/// Writes `jobs.csv` and `results.csv` of all jobs of a file in the folder. How they stand is told
/// by what they are called.
///
/// # Errors
/// A file cannot be written.
pub fn write(folder: &Path, file: &JobFile, told: &HashMap<&str, Told>) -> Result<(), OutputError> {
    let options = columns(&file.jobs);
    let mut all = Table::create(&folder.join("jobs.csv"))?;
    let mut variables = Table::create(&folder.join("results.csv"))?;
    let head = ["job", "status", "command", "data"]
        .into_iter()
        .chain(options.iter().copied());
    all.row(
        head.chain(OF_JOB.iter().map(|it| it.0))
            .chain(["message"])
            .map(str::to_owned),
    );
    let head = ["job"]
        .into_iter()
        .chain(options.iter().copied())
        .chain(["rank"]);
    variables.row(head.chain(OF_VARIABLE.iter().copied()).map(str::to_owned));
    for planned in &file.jobs {
        let given = |name: &&str| match planned.options.iter().find(|it| it.0 == *name) {
            Some((_, texts)) => texts.join(","),
            None => String::new(),
        };
        let given: Vec<String> = options.iter().map(given).collect();
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
        let task = &planned.task;
        let data = shown_path(&task.job().data, file.folder());
        let own = [&planned.id, status, task.command().name(), &data].map(str::to_owned);
        let told = OF_JOB.iter().map(|it| shown(result.pointer(it.1)));
        all.row(
            own.into_iter()
                .chain(given.iter().cloned())
                .chain(told)
                .chain([message.to_owned()]),
        );
        let selected = result.get("selected").and_then(Value::as_array);
        for (rank, variable) in selected.into_iter().flatten().enumerate() {
            let own = [planned.id.clone()]
                .into_iter()
                .chain(given.iter().cloned());
            let told = OF_VARIABLE.iter().map(|it| shown(variable.get(it)));
            variables.row(own.chain([(rank + 1).to_string()]).chain(told));
        }
    }
    variables.finish()?;
    all.finish()
}

/// The options that have a column: some always, and those that jobs have differently.
fn columns(jobs: &[Planned]) -> Vec<&'static str> {
    let value = |planned: &Planned, name: &str| {
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
            let mut file = OutputFile::create(&path)?;
            let page = crate::report::parquet_table(names, rows);
            let written = page.and_then(|page| file.write_all(&page));
            written.map_err(|source| file.write_error(source))?;
            file.commit()?;
        }
        Ok(())
    }
}
