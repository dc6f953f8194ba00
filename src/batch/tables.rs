//! The tables of a run: one row per job, per selected variable and per pair.

#[cfg(feature = "parquet")]
use std::path::PathBuf;
use std::{
    collections::{BTreeSet, HashMap},
    io::{self, BufWriter, Write},
    path::Path,
};

use serde_json::Value;

use super::{
    RunSummary,
    folder::{ResultFolder, read_result},
    manifest::{WITHOUT_EFFECT, relative_path},
    survey::Recorded,
};
use crate::{
    job::{
        Task,
        file::{JobFile, PlannedJob},
        option,
    },
    output::{OutputError, OutputFile},
    report::{JobRow, JobsPage},
    table::csv_field,
};

/// The first columns of every table.
const JOB_COLUMNS: [&str; 3] = ["job", "command", "data"];

/// Options that always have a column.
const ALWAYS: [&str; 3] = ["method", "criterion", "seed"];

/// The columns of `jobs.csv` that come from the report, and where they are in it.
const RESULT_COLUMNS: &[(&str, &str)] = &[
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

/// The columns of `results.csv` that come from a selected variable of the report.
const VARIABLE_COLUMNS: &[&str] = &[
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

/// The columns of `pairs.csv` that come from a pair of the report.
const PAIR_COLUMNS: &[&str] = &["a", "b", "a_index", "b_index", "score", "synergy"];

/// Writes `jobs.csv`, `results.csv`, `pairs.csv` and the page `report.html` of all jobs of a file.
///
/// # Errors
/// A file cannot be written.
pub fn write(
    folder: &ResultFolder,
    file: &JobFile,
    recorded: &HashMap<&str, Recorded>,
    summary: &RunSummary,
) -> Result<(), OutputError> {
    let create = |name: &str| Table::create(&folder.path().join(name));
    let mut jobs = create("jobs.csv")?;
    let mut variables = create("results.csv")?;
    let mut pairs = create("pairs.csv")?;
    let page_file = OutputFile::create(&folder.path().join("report.html"))?;
    let options = option_columns(&file.jobs);
    // The page compares jobs by what shapes their results.
    let shapes_result = |option: &&&str| !WITHOUT_EFFECT.contains(option);
    let settings = options.iter().filter(shapes_result);
    let settings = ["command"].iter().chain(settings);
    let mut page = JobsPage::new(
        &file.path,
        settings.map(|name| (*name).to_owned()).collect(),
    );
    let mut head: Vec<String> = JOB_COLUMNS.map(str::to_owned).into();
    head.extend(options.iter().map(|option| column_name(option)));
    let results = RESULT_COLUMNS.iter().map(|(name, _)| *name);
    jobs.row(
        &head,
        ["status"].into_iter().chain(results).chain(["message"]),
    );
    variables.row(&head, ["rank"].iter().chain(VARIABLE_COLUMNS).copied());
    pairs.row(&head, ["rank"].iter().chain(PAIR_COLUMNS).copied());
    for planned in &file.jobs {
        let task = &planned.task;
        let id = &*planned.id;
        let (command, data) = (
            task.command().name(),
            relative_path(&task.job().data, file.folder()),
        );
        let values: Vec<String> = options
            .iter()
            .map(|option| option_value(planned, option))
            .collect();
        let (status, message) = match (summary.failed.get(id), recorded.get(id)) {
            (Some(message), _) => ("failed", &**message),
            _ if summary.done.contains(id) => ("done", ""),
            (None, Some(Recorded::Done)) => ("done", ""),
            (None, Some(Recorded::Stale)) => ("stale", ""),
            (None, None) => ("missing", ""),
        };
        let result = match status {
            "done" => read_result(folder.path(), id),
            _ => None,
        };
        let result = result.unwrap_or(Value::Null);
        let settings = options.iter().zip(&values);
        let settings = settings.filter(|(option, _)| shapes_result(option));
        let settings = settings.map(|(_, value)| value.clone());
        let row = JobRow {
            id: id.to_owned(),
            data: data.clone(),
            options: [command.to_owned()].into_iter().chain(settings).collect(),
            status,
            message: message.to_owned(),
        };
        page.push(row, &result);
        let mut own = vec![id.to_owned(), command.to_owned(), data];
        own.extend(values);
        let results = RESULT_COLUMNS.iter();
        let results = results.map(|(_, pointer)| cell(result.pointer(pointer)));
        let status = [status.to_owned()].into_iter();
        jobs.row(&own, status.chain(results).chain([message.to_owned()]));
        for (table, member, columns) in [
            (&mut variables, "selected", VARIABLE_COLUMNS),
            (&mut pairs, "pairs", PAIR_COLUMNS),
        ] {
            let rows = result.get(member).and_then(Value::as_array);
            for (rank, row) in (1..).zip(rows.into_iter().flatten()) {
                let cells = columns.iter().map(|name| cell(row.get(name)));
                table.row(&own, [rank.to_string()].into_iter().chain(cells));
            }
        }
    }
    pairs.finish()?;
    variables.finish()?;
    jobs.finish()?;
    page_file.finish(page.page().as_bytes())
}

/// The name of an option's column, which no other column has.
fn column_name(option: &str) -> String {
    let results = RESULT_COLUMNS.iter().map(|(name, _)| *name);
    let mut others = results.chain(VARIABLE_COLUMNS.iter().chain(PAIR_COLUMNS).copied());
    match others.any(|other| other == option) {
        true => format!("option_{option}"),
        false => option.to_owned(),
    }
}

/// A job's value of an option: the one that was given, else the default of an option that always
/// has a column.
fn option_value(planned: &PlannedJob, name: &str) -> String {
    if let Some((_, texts)) = planned.options.iter().find(|(option, _)| *option == name) {
        let texts = texts.iter().map(|text| text.trim_matches('"'));
        return texts.collect::<Vec<_>>().join(",");
    }
    let (task, job) = (&planned.task, planned.task.job());
    match (name, task) {
        ("seed", _) => job.pass.seed.to_string(),
        ("method", Task::Pairs(_)) => String::new(),
        ("method", _) => job.method.clone(),
        ("criterion", Task::Select(_) | Task::Stability(_)) if job.selector.is_none() => {
            option(name).map_or(String::new(), |option| option.default.to_owned())
        }
        _ => String::new(),
    }
}

/// The options that have a column: those of [`ALWAYS`], and those in which jobs differ.
fn option_columns(jobs: &[PlannedJob]) -> Vec<&'static str> {
    let value = |planned: &PlannedJob, name: &str| {
        let mut options = planned.options.iter();
        options
            .find(|(option, _)| *option == name)
            .map(|(_, texts)| texts.clone())
    };
    let options = jobs.iter().flat_map(|planned| &planned.options);
    let options = options.map(|(name, _)| *name);
    let names: BTreeSet<&str> = options.filter(|name| !ALWAYS.contains(name)).collect();
    let differs = |name: &&str| {
        let first = jobs.first().and_then(|planned| value(planned, name));
        jobs.iter().any(|planned| value(planned, name) != first)
    };
    ALWAYS
        .into_iter()
        .chain(names.into_iter().filter(differs))
        .collect()
}

/// A value of a report as a cell of a table; empty for none.
fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// A CSV file being written, and its Parquet twin where that feature is built in. The first error
/// is returned at the end.
struct Table {
    file: BufWriter<OutputFile>,
    failed: Option<io::Error>,
    #[cfg(feature = "parquet")]
    /// The path and the rows of the Parquet file.
    parquet: (PathBuf, Vec<Vec<String>>),
}

impl Table {
    fn create(path: &Path) -> Result<Self, OutputError> {
        let file = BufWriter::with_capacity(1 << 16, OutputFile::create(path)?);
        Ok(Self {
            file,
            failed: None,
            #[cfg(feature = "parquet")]
            parquet: (path.with_extension("parquet"), Vec::new()),
        })
    }

    /// Adds a row, the names of the columns first.
    fn row(&mut self, job: &[String], rest: impl IntoIterator<Item = impl Into<String>>) {
        let mut row = job.to_vec();
        row.extend(rest.into_iter().map(Into::into));
        let fields: Vec<_> = row.iter().map(|cell| csv_field(cell)).collect();
        if self.failed.is_none() {
            self.failed = writeln!(self.file, "{}", fields.join(",")).err();
        }
        #[cfg(feature = "parquet")]
        self.parquet.1.push(row);
    }

    fn finish(mut self) -> Result<(), OutputError> {
        let failed = self.failed.take().or_else(|| self.file.flush().err());
        let (file, _) = self.file.into_parts();
        match failed {
            Some(source) => Err(file.write_error(source)),
            None => file.commit(),
        }?;
        #[cfg(feature = "parquet")]
        if let (path, [names, rows @ ..]) = (self.parquet.0, &*self.parquet.1) {
            let file = OutputFile::create(&path)?;
            let page = crate::report::parquet_table(names, rows);
            let page = page.map_err(|source| file.write_error(source))?;
            file.finish(&page)?;
        }
        Ok(())
    }
}
