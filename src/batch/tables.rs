//! The tables of a run: one row per job, per selected variable and per pair.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
};

use serde_json::Value;

use super::{
    RunSummary,
    folder::{NoResult, ResultFolder, read_result},
    manifest::{WITHOUT_EFFECT, relative_path},
    status::Status,
};
#[cfg(feature = "parquet")]
use crate::output::OutputFile;
use crate::{
    job::{
        file::{JobFile, PlannedJob},
        option,
        task::Command,
    },
    output::{OutputBuffer, OutputError, Replaces},
    report::{JobRow, JobsPage, validation_rows},
    selection::{FailedResponse, ValidationReport},
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
    "z",
    "ratio",
    "ratio_lower",
    "ratio_upper",
];

/// The column of `results.csv` that says of which response a variable is, where a job has several.
const OF_RESPONSE: &str = "of_response";

/// The columns of `pairs.csv` that come from a pair of the report.
const PAIR_COLUMNS: &[&str] = &["a", "b", "a_index", "b_index", "score", "synergy"];

/// The columns of `errors.csv` that come from a measure of a validation.
const ERROR_COLUMNS: [&str; 4] = ["model", "measure", "value", "std_error"];

/// Writes `jobs.csv`, `results.csv`, `pairs.csv`, `errors.csv` and the page `report.html` of all jobs of a file. The jobs that are done
/// without a model of some responses, with the reasons.
pub(super) fn write(
    folder: &ResultFolder,
    file: &JobFile,
    recorded: &HashMap<&str, Status>,
    summary: &RunSummary,
) -> Result<BTreeMap<String, String>, OutputError> {
    let mut incomplete = BTreeMap::new();
    let create = |name: &str| Table::create(folder, name);
    let mut jobs = create("jobs.csv")?;
    let mut variables = create("results.csv")?;
    let mut pairs = create("pairs.csv")?;
    let mut errors = create("errors.csv")?;
    let page_file = folder.create(&folder.path().join("report.html"), Replaces::Table)?;
    let options = option_columns(&file.jobs);
    // The page compares jobs by what shapes their results: by the command, and by these options.
    let shapes_result = |option: &&str| !WITHOUT_EFFECT.contains(option);
    let settings = options.iter().copied().filter(shapes_result);
    let settings = ["command"].into_iter().chain(settings).map(str::to_owned);
    let mut page = JobsPage::new(&file.path, settings.collect());
    let mut head: Vec<String> = JOB_COLUMNS.map(str::to_owned).into();
    head.extend(options.iter().map(|option| column_name(option)));
    let results = RESULT_COLUMNS.iter().map(|(name, _)| *name);
    jobs.row(
        &head,
        ["status"].into_iter().chain(results).chain(["message"]),
    );
    let mut jobs_of = file.jobs.iter().map(|planned| planned.task.job());
    let of_responses = jobs_of.any(|job| job.responses.is_some());
    let of_response = of_responses.then_some(OF_RESPONSE);
    let columns = ["rank"].iter().chain(VARIABLE_COLUMNS).copied();
    variables.row(&head, columns.chain(of_response));
    pairs.row(&head, ["rank"].iter().chain(PAIR_COLUMNS).copied());
    errors.row(&head, ERROR_COLUMNS);
    for planned in &file.jobs {
        let (task, id) = (&planned.task, &*planned.id);
        let (mut status, message) = match summary.failed.get(id) {
            Some(message) => ("failed", &**message),
            None if summary.done.contains(id) => ("done", ""),
            None => match recorded.get(id) {
                Some(Status::Failed(message)) => ("failed", &**message),
                Some(status) => (status.words().0, ""),
                None => (Status::Missing.words().0, ""),
            },
        };
        let mut message = message.to_owned();
        let mut result = Value::Null;
        if status == "done" {
            match read_result(folder.path(), id) {
                Ok(stored) => {
                    result = stored;
                    if let Some(reasons) = failed_responses_of(&result) {
                        incomplete.insert(id.to_owned(), reasons.clone());
                        message = reasons;
                    }
                }
                // Since it was looked at or written.
                Err(NoResult::Missing) => status = "missing",
                Err(NoResult::Damaged(reason)) => (status, message) = ("damaged", reason),
            }
        }
        let command = task.command().name().to_owned();
        let data = relative_path(&task.job().data, file.folder());
        let values = options.iter().map(|option| option_value(planned, option));
        let values: Vec<String> = values.collect();
        let settings = options.iter().zip(&values);
        let settings = settings.filter(|(option, _)| shapes_result(option));
        let settings = [&command]
            .into_iter()
            .chain(settings.map(|(_, value)| value));
        let row = JobRow {
            id: id.to_owned(),
            data: data.clone(),
            options: settings.cloned().collect(),
            status,
            message: message.clone(),
        };
        page.push(row, &result);
        let own = [vec![id.to_owned(), command, data], values].concat();
        let results = RESULT_COLUMNS.iter();
        let results = results.map(|(_, pointer)| cell(result.pointer(pointer)));
        let status = [status.to_owned()].into_iter();
        jobs.row(&own, status.chain(results).chain([message]));
        let several = result.get("responses").and_then(Value::as_array);
        for report in several.map_or(std::slice::from_ref(&result), Vec::as_slice) {
            let response = several.and_then(|_| report.get("response"));
            let response = of_responses.then(|| cell(response));
            for (rank, row) in rows_of(report, "selected") {
                let cells = VARIABLE_COLUMNS.iter().map(|name| cell(row.get(name)));
                let cells = [rank.to_string()].into_iter().chain(cells);
                variables.row(&own, cells.chain(response.clone()));
            }
        }
        for (rank, row) in rows_of(&result, "pairs") {
            let cells = PAIR_COLUMNS.iter().map(|name| cell(row.get(name)));
            pairs.row(&own, [rank.to_string()].into_iter().chain(cells));
        }
        if let (Command::Validate, Ok(report)) = (
            task.command(),
            serde_json::from_value::<ValidationReport>(result),
        ) {
            for row in validation_rows(&report) {
                errors.row(&own, row);
            }
        }
    }
    errors.finish()?;
    pairs.finish()?;
    variables.finish()?;
    jobs.finish()?;
    page_file.finish(page.page().as_bytes())?;
    Ok(incomplete)
}

/// The responses of a result that have no model, with the reasons; none where all have one.
fn failed_responses_of(result: &Value) -> Option<String> {
    let failed: Vec<FailedResponse> = serde_json::from_value(result.get("failed")?.clone()).ok()?;
    let done = result.get("responses")?.as_array()?.len();
    (!failed.is_empty()).then(|| FailedResponse::all(&failed, done + failed.len()))
}

/// The rows that a report lists, with their ranks from 1.
fn rows_of<'a>(report: &'a Value, member: &str) -> impl Iterator<Item = (usize, &'a Value)> {
    let rows = report.get(member).and_then(Value::as_array);
    (1..).zip(rows.into_iter().flatten())
}

/// The name of an option's column, which no other column has.
fn column_name(option: &str) -> String {
    let results = RESULT_COLUMNS.iter().map(|(name, _)| *name);
    let others = results.chain(VARIABLE_COLUMNS.iter().chain(PAIR_COLUMNS).copied());
    let mut others = others.chain(ERROR_COLUMNS);
    match others.any(|other| other == option) {
        true => format!("option_{option}"),
        false => option.to_owned(),
    }
}

/// The texts given for an option of a job.
fn given<'a>(planned: &'a PlannedJob, name: &str) -> Option<&'a Vec<String>> {
    let mut options = planned.options.iter();
    options
        .find(|(option, _)| *option == name)
        .map(|(_, texts)| texts)
}

/// One name that was given in quotes; of others quotes are a part.
fn without_quotes(text: &str) -> &str {
    let inner = text.strip_prefix('"');
    let inner = inner.and_then(|rest| rest.strip_suffix('"'));
    inner.filter(|own| !own.contains('"')).unwrap_or(text)
}

/// A job's value of an option: the one that was given, else the default of an option that always
/// has a column.
fn option_value(planned: &PlannedJob, name: &str) -> String {
    if let Some(texts) = given(planned, name) {
        let texts = texts.iter().map(|text| without_quotes(text));
        return texts.collect::<Vec<_>>().join(",");
    }
    let (job, is_pairs) = (planned.task.job(), planned.task.command() == Command::Pairs);
    match name {
        "seed" => job.pass.seed.to_string(),
        "method" if !is_pairs => job.method.clone(),
        "criterion" if !is_pairs && job.selector.is_none() => {
            option(name).map_or(String::new(), |option| option.default.clone())
        }
        _ => String::new(),
    }
}

/// The options that have a column: those of [`ALWAYS`], and those in which jobs differ.
fn option_columns(jobs: &[PlannedJob]) -> Vec<&'static str> {
    let options = jobs.iter().flat_map(|planned| &planned.options);
    let options = options.map(|(name, _)| *name);
    let names: BTreeSet<&str> = options.filter(|name| !ALWAYS.contains(name)).collect();
    let differs = |name: &&str| {
        let mut values = jobs.iter().map(|planned| given(planned, name));
        let first = values.next();
        values.any(|value| Some(value) != first)
    };
    let differing = names.into_iter().filter(differs);
    ALWAYS.into_iter().chain(differing).collect()
}

/// A value of a report as a cell of a table; empty for none.
fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// A CSV file being written, and its Parquet twin where that feature is built in.
struct Table {
    file: OutputBuffer,
    #[cfg(feature = "parquet")]
    /// The Parquet file and its rows.
    parquet: (OutputFile, Vec<Vec<String>>),
}

impl Table {
    fn create(folder: &ResultFolder, name: &str) -> Result<Self, OutputError> {
        let path = folder.path().join(name);
        let create = |path: &Path| folder.create(path, Replaces::Table);
        Ok(Self {
            file: OutputBuffer::new(create(&path)?),
            #[cfg(feature = "parquet")]
            parquet: (create(&path.with_extension("parquet"))?, Vec::new()),
        })
    }

    /// Adds a row, the names of the columns first.
    fn row(&mut self, job: &[String], rest: impl IntoIterator<Item = impl Into<String>>) {
        let mut row = job.to_vec();
        row.extend(rest.into_iter().map(Into::into));
        let fields: Vec<_> = row.iter().map(|cell| csv_field(cell)).collect();
        self.file.add(|file| writeln!(file, "{}", fields.join(",")));
        #[cfg(feature = "parquet")]
        self.parquet.1.push(row);
    }

    fn finish(self) -> Result<(), OutputError> {
        self.file.finish()?;
        #[cfg(feature = "parquet")]
        if let (file, [names, rows @ ..]) = (self.parquet.0, &*self.parquet.1) {
            let page = crate::report::parquet_table(names, rows);
            let page = page.map_err(|source| file.write_error(source))?;
            file.finish(&page)?;
        }
        Ok(())
    }
}
