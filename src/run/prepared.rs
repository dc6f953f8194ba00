//! What a job's table becomes before the work: a design matrix, or columns of codes.

use std::{fs, sync::Arc};

use super::RunError;
use crate::{
    binning::{BinnedColumn, BinnedColumns, BinningOptions, Rule, bin_partitioned},
    design::{Design, DesignOptions},
    fnv::Fnv,
    job::Job,
    ranks::Communicator,
    table::{self, ColumnPartition, Missing, ReadOptions, Table, TableError, Values},
};

/// Data prepared for a method.
pub(super) trait Prepared: Send + Sync + Sized + 'static {
    /// Whether jobs may share it; otherwise each prepares its own.
    const IS_SHARED: bool = true;

    /// From a job's table; of ranks that partition the columns each has its own.
    fn of(job: &Job, table: Table, communicator: Option<&Communicator>) -> Result<Self, RunError>;

    /// The settings of a job, besides its table, that two jobs must share to share these data.
    fn key(job: &Job) -> String;
}

/// Reads the table of a job. Of ranks that partition the columns each reads its own, and what all
/// need; all of them must find the same file.
pub(super) fn read(job: &Job, communicator: Option<&Communicator>) -> Result<Table, RunError> {
    if let Some(table) = &job.table {
        return match job.resources.distributed() {
            None => Ok(Table::clone(table)),
            Some(_) => Err(RunError::MemoryOfRanks),
        };
    }
    let replicated = [&job.response, &job.weights].into_iter().flatten();
    let replicated: Vec<&str> = replicated.map(String::as_str).collect();
    let options = ReadOptions {
        response: job.response.as_deref(),
        factors: &job.factor,
    };
    let partition = ColumnPartition {
        communicator,
        replicated: &replicated,
    };
    let table = table::read_partition(&job.data, &options, &partition)?;
    // One rank alone has nobody to compare with.
    if let Some(ranks) = job.resources.distributed() {
        let files = table::input_files(&job.data).into_iter();
        let bytes: u64 = files
            .filter_map(|file| Some(fs::metadata(file).ok()?.len()))
            .sum();
        let own = format!(
            "{} rows of {} columns in {bytes} bytes, hash {:032x}",
            table.rows,
            table.columns.len(),
            hash(&table, &replicated, communicator.is_none())
        );
        ranks
            .check_equal("the data", &own)
            .map_err(TableError::ranks)?;
    }
    Ok(table)
}

/// A hash of the names, and of the values that every rank has.
fn hash(table: &Table, replicated: &[&str], whole: bool) -> u128 {
    let mut hash = Fnv::new();
    for (at, column) in table.columns.iter().enumerate() {
        hash = hash.part(column.name.as_bytes());
        if whole || table.response == Some(at) || replicated.contains(&&*column.name) {
            hash = match &column.values {
                Values::Factor { levels, codes } => {
                    let hash = levels
                        .iter()
                        .fold(hash, |all, level| all.part(level.as_bytes()));
                    codes
                        .iter()
                        .fold(hash, |all, code| all.bytes(&code.to_le_bytes()))
                }
                values => hash.numbers(&values.numbers(table.rows).unwrap_or_default()),
            };
        }
    }
    hash.finish()
}

impl Prepared for Design {
    fn of(job: &Job, table: Table, communicator: Option<&Communicator>) -> Result<Self, RunError> {
        let options = design_options(job);
        Ok(Self::from_partitioned_table(table, &options, communicator)?)
    }

    fn key(job: &Job) -> String {
        format!("{:?}", design_options(job))
    }
}

fn design_options(job: &Job) -> DesignOptions<'_> {
    DesignOptions {
        response: job.response.as_deref(),
        keep: &job.keep,
        drop: &job.drop,
        missing: job.missing,
        intercept: job.intercept,
        weights: job.weights.as_deref(),
        p_total: job.p_total,
    }
}

/// Columns of codes.
#[derive(Debug)]
pub(super) struct Binned {
    pub(super) columns: Arc<BinnedColumns>,
    /// Indexes of the columns that the file marks as true.
    pub(super) truth: Vec<usize>,
    pub(super) warnings: Vec<String>,
}

impl Prepared for Binned {
    fn of(job: &Job, table: Table, communicator: Option<&Communicator>) -> Result<Self, RunError> {
        let rows = table.rows;
        // Where there is no response, `bin` says so.
        let (truth, mut warnings) = match response(job, &table) {
            Some(response) => table.true_indexes(response, None),
            None => Default::default(),
        };
        let columns = bin_partitioned(table, &binning_options(job), communicator)?;
        if columns.n < rows {
            let dropped = rows - columns.n;
            warnings.push(format!(
                "{dropped} of {rows} rows were dropped for missing values"
            ));
        }
        warnings.extend(suspicions(&columns));
        Ok(Self {
            columns: Arc::new(columns),
            truth,
            warnings,
        })
    }

    fn key(job: &Job) -> String {
        format!("{:?}", binning_options(job))
    }
}

fn binning_options(job: &Job) -> BinningOptions<'_> {
    BinningOptions {
        response: job.response.as_deref(),
        drop: &job.drop,
        missing: job.missing,
        binning: &job.binning,
        bin_response: &job.bin_response,
    }
}

/// Columns of codes, and the values that they were made of.
#[derive(Debug)]
pub(super) struct BinnedNumbers {
    pub(super) binned: Binned,
    /// Of the candidates, then of the response.
    pub(super) numbers: Vec<Values>,
}

impl Prepared for BinnedNumbers {
    fn of(job: &Job, table: Table, communicator: Option<&Communicator>) -> Result<Self, RunError> {
        let numbers = match response(job, &table) {
            Some(response) => numbers(table.clone(), response, job)?,
            None => Vec::new(),
        };
        let binned = Binned::of(job, table, communicator)?;
        Ok(Self { binned, numbers })
    }

    fn key(job: &Job) -> String {
        Binned::key(job)
    }
}

/// The position of a job's response in its table.
pub(super) fn response(job: &Job, table: &Table) -> Option<usize> {
    let named = job
        .response
        .as_deref()
        .and_then(|name| table.position(name));
    named.or(table.response)
}

/// The values of the candidates, then those of the response, of the rows that are binned.
fn numbers(mut table: Table, response: usize, job: &Job) -> Result<Vec<Values>, RunError> {
    let name = table.columns[response].name.clone();
    table
        .columns
        .retain(|column| !job.drop.contains(&column.name));
    table.handle_missing(job.missing)?;
    if let (Missing::Pairwise, Some(response)) = (job.missing, table.position(&name)) {
        table.drop_rows_missing(response)?;
    }
    let columns = table.columns.into_iter();
    let (response, mut candidates): (Vec<_>, Vec<_>) =
        columns.partition(|column| column.name == name);
    candidates.extend(response);
    Ok(candidates.into_iter().map(|column| column.values).collect())
}

/// Columns whose scores cannot mean what they seem to.
fn suspicions(columns: &BinnedColumns) -> Vec<String> {
    let n = columns.n;
    let response = &columns.response;
    let mut warnings = Vec::new();
    if response.levels == 1 {
        warnings.push(format!(
            "the response {} has one level: every score is 0",
            response.name
        ));
    } else if response.levels >= n && n > 2 {
        warnings.push(format!(
            "the response {} has a level of its own in each of {n} rows: bin it with \
             --bin-response equal-frequency:5, say",
            response.name
        ));
    }
    let is_text = |column: &&BinnedColumn| matches!(column.rule, Rule::Texts(_));
    for column in columns.columns.iter().filter(is_text) {
        if column.levels >= n && n > 2 {
            warnings.push(format!(
                "{} has a level of its own in each of {n} rows, like an identifier: leave it out \
                 with --drop {}",
                column.name, column.name
            ));
        }
    }
    warnings
}

/// A method that resamples rows prepares each resample by itself.
impl Prepared for Table {
    const IS_SHARED: bool = false;

    fn of(_: &Job, table: Table, _: Option<&Communicator>) -> Result<Self, RunError> {
        Ok(table)
    }

    fn key(_: &Job) -> String {
        String::new()
    }
}
