//! What a job's table becomes before the work: a design matrix, or columns of codes.

use std::{fmt::Debug, fs, sync::Arc};

use super::RunError;
use crate::{
    binning::{
        BinnedColumn, BinnedColumns, BinningError, BinningOptions, Rule, bin_partitioned,
        bytes_of_codes,
    },
    fnv::Fnv,
    job::Job,
    memory::{MemoryBudget, MemoryCharge, MemoryError},
    nearest::{as_option, list},
    plugin::MethodKind,
    ranks::Communicator,
    table::{
        self, ColumnPartition, ColumnReader, Missing, ReadOptions, Table, TableError, TrueVariable,
        Values,
    },
    threads::with_helpers,
};

/// Data prepared for a method.
pub(super) trait Prepared: Send + Sync + Sized + 'static {
    /// Whether jobs may share it; otherwise each prepares its own.
    const IS_SHARED: bool = true;

    /// The settings of a job, besides its table, that two jobs must share to share these data.
    type Options<'a>: Debug;

    fn options(job: &Job) -> Self::Options<'_>;

    /// Whether ranks may each read a part of the columns; otherwise each reads all.
    fn is_partitioned(_: &Job) -> bool {
        true
    }

    /// The same of a file in which columns of numbers stay, if the job and the file are of a kind of which they do.
    fn left_in_file(_: &Job) -> Result<Option<Held<Self>>, RunError> {
        Ok(None)
    }

    /// Whether data of a job may be of columns that stay where they are.
    fn may_be_in_place(_: &Job) -> bool {
        false
    }

    /// From columns that stay where they are, and a table in which these are remote; none of data that are of a table alone.
    fn in_place(
        _: &Job,
        _: Table,
        _: &Arc<dyn ColumnReader>,
    ) -> Result<Option<Held<Self>>, RunError> {
        Ok(None)
    }

    /// From a job's table; of ranks that partition the columns each has its own.
    fn of(
        job: &Job,
        table: Held<Table>,
        communicator: Option<&Communicator>,
    ) -> Result<Held<Self>, RunError>;
}

/// Data, and the memory that is held for them.
#[derive(Debug)]
pub(super) struct Held<T> {
    pub(super) data: T,
    pub(super) charge: MemoryCharge,
}

/// Data that several jobs use, and the memory that is held for them.
pub(super) type SharedData<T> = (Arc<T>, Arc<MemoryCharge>);

impl<T> Held<T> {
    pub(super) fn share(self) -> SharedData<T> {
        (Arc::new(self.data), Arc::new(self.charge))
    }
}

impl Held<Table> {
    /// A copy of a table, charged to a budget.
    pub(super) fn copy(table: &Table, memory: &MemoryBudget) -> Result<Self, MemoryError> {
        let charge = memory.take(table.bytes(), "a copy of the table")?;
        let data = table.clone();
        Ok(Self { data, charge })
    }

    /// Some rows of a table, charged to a budget.
    pub(super) fn rows(
        table: &Table,
        rows: &[usize],
        memory: &MemoryBudget,
    ) -> Result<Self, MemoryError> {
        let share = rows.len() as f64 / table.rows.max(1) as f64;
        let charge = memory.take((table.bytes() as f64 * share) as u64, "a resample")?;
        let data = table.select_rows(rows);
        Ok(Self { data, charge })
    }
}

impl<D: Prepared> Held<D> {
    /// The data of a job from a copy of its table, by all threads.
    pub(super) fn of_all_rows(job: &Job, table: &Table) -> Result<Self, RunError> {
        let copy = Held::copy(table, &job.resources.memory)?;
        with_helpers(job.resources.thread_count(), || D::of(job, copy, None))
    }
}

/// How the table of a job is read.
pub(super) fn read_options(job: &Job) -> ReadOptions<'_> {
    ReadOptions {
        response: job.response.as_deref(),
        factors: &job.factor,
        dates: &job.date,
        missing: &job.na,
        text: job.text,
        interrupt: Some(&job.interrupt),
        memory: None,
        cohort: Some(&job.cohort),
        has_kinds: false,
    }
}

/// Reads the table of a job. Of ranks that partition the columns each reads its own, and what all
/// need; all of them must find the same file.
pub(super) fn read(
    job: &Job,
    communicator: Option<&Communicator>,
) -> Result<Held<Table>, RunError> {
    if let Some(table) = &job.table {
        if job.resources.distributed().is_some() {
            return Err(RunError::MemoryOfRanks);
        }
        return Ok(Held::copy(table, &job.resources.memory)?);
    }
    let charge = job.resources.memory.charge();
    let replicated = [&job.response, &job.weights].into_iter().flatten();
    let replicated = replicated.chain(job.kind.columns());
    let replicated: Vec<&str> = replicated.map(String::as_str).collect();
    let options = ReadOptions {
        memory: Some(&charge),
        ..read_options(job)
    };
    let partition = ColumnPartition {
        communicator,
        replicated: &replicated,
    };
    let table = table::read_partition(&job.data, &options, &partition)?;
    // One rank alone has nobody to compare with.
    if let Some(ranks) = job.resources.distributed() {
        let merged = job.cohort.merge.iter();
        let files = merged
            .chain([&job.data])
            .flat_map(|path| table::input_files(path));
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
            .map_err(TableError::Ranks)?;
    }
    charge.set(table.bytes(), "the table")?;
    let data = table;
    Ok(Held { data, charge })
}

/// A hash of the names, and of the values that every rank has.
fn hash(table: &Table, replicated: &[&str], whole: bool) -> u128 {
    let mut hash = Fnv::new();
    for (at, column) in table.columns.iter().enumerate() {
        hash = hash.part(column.name.as_bytes());
        if whole || table.response == Some(at) || replicated.contains(&&*column.name) {
            hash = match &column.values {
                Values::Factor { levels, codes } => {
                    let levels = levels.iter();
                    let hash = levels.fold(hash, |all, level| all.part(level.as_bytes()));
                    let codes = codes.iter();
                    codes.fold(hash, |all, code| all.bytes(&code.to_le_bytes()))
                }
                values => hash.numbers(&values.numbers(table.rows).unwrap_or_default()),
            };
        }
    }
    hash.finish()
}

/// Columns of codes.
#[derive(Debug)]
pub(super) struct Binned {
    pub(super) columns: Arc<BinnedColumns>,
    /// For a procedure the values that the codes were made of, of the candidates, then of the
    /// response; else none.
    pub(super) numbers: Vec<Values>,
    /// The variables that the file marks as true.
    pub(super) truth: Vec<TrueVariable>,
    pub(super) warnings: Vec<String>,
}

impl Prepared for Binned {
    /// With whether the values are wanted too.
    type Options<'a> = (BinningOptions<'a>, bool);

    fn options(job: &Job) -> Self::Options<'_> {
        let binning = BinningOptions {
            response: job.response.as_deref(),
            drop: &job.drop,
            missing: job.missing,
            binning: &job.binning,
            bin_response: &job.bin_response,
        };
        let method = job.selector.as_ref().map(|method| &method.value);
        (binning, matches!(method, Some(MethodKind::Ranking(_))))
    }

    fn of(
        job: &Job,
        table: Held<Table>,
        communicator: Option<&Communicator>,
    ) -> Result<Held<Self>, RunError> {
        let memory = &job.resources.memory;
        let Held {
            data: mut table,
            charge,
        } = table;
        table.forget_unused_dates(|name| !job.drop.iter().any(|dropped| dropped == name));
        let (binning, with_numbers) = Self::options(job);
        let source = table.source.clone();
        let made = memory.take(bytes_of_codes(&table), "columns of codes")?;
        if with_numbers {
            made.grow(table.bytes(), "a copy of the table")?;
        }
        let mut warnings = table.warnings.clone();
        let (mut truth, mut values) = Default::default();
        // Where there is no response, `bin` says so.
        if let Some(response) = response(job, &table) {
            let (found, doubts) = table.true_variables(response, &[]);
            truth = found;
            warnings.extend(doubts);
            if with_numbers {
                values = numbers(table.clone(), response, job)?;
            }
        }
        let (columns, dropped) = bin_partitioned(table, &binning, (communicator, &job.interrupt))?;
        if columns.n < 2 {
            let (table, n) = (source, columns.n);
            return Err(BinningError::TooFewRows { table, n }.into());
        }
        warnings.extend(dropped);
        warnings.extend(suspicions(&columns));
        drop(charge);
        let numbers = values.iter().map(Values::bytes);
        made.set(columns.bytes() + numbers.sum::<u64>(), "columns of codes")?;
        let data = Self {
            columns: Arc::new(columns),
            numbers: values,
            truth,
            warnings,
        };
        let charge = made;
        Ok(Held { data, charge })
    }
}

/// The position of a job's response in its table.
pub(super) fn response(job: &Job, table: &Table) -> Option<usize> {
    let named = job.response.as_deref();
    named
        .and_then(|name| table.position(name))
        .or(table.response)
}

/// The values of the candidates, then those of the response, of the rows that are binned.
fn numbers(mut table: Table, response: usize, job: &Job) -> Result<Vec<Values>, RunError> {
    if job.missing == Missing::Mean {
        return Err(BinningError::Mean.into());
    }
    let name = table.columns[response].name.clone();
    let columns = &mut table.columns;
    columns.retain(|column| !job.drop.contains(&column.name));
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
    let (n, response) = (columns.n, &columns.response);
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
    let is_identifier = |column: &&BinnedColumn| {
        let by_level = matches!(column.rule, Rule::Texts(_) | Rule::Numbers(_));
        by_level && n > 2 && column.levels * 10 >= n * 9
    };
    let identifiers = columns.columns.iter().filter(is_identifier);
    let names: Vec<&str> = identifiers.map(|column| column.name.as_str()).collect();
    warnings.extend(match &names[..] {
        [] => None,
        [name] => Some(format!(
            "{name} has a level of its own in nearly each of {n} rows, like an identifier, so that its score \
             is high by chance alone: leave it out with --drop {}, or make fewer levels",
            as_option(name)
        )),
        names => Some(format!(
            "{} have a level of their own in nearly each of {n} rows, like identifiers, so that their scores \
             are high by chance alone: leave them out with --drop, or make fewer levels (--binning \
             equal-frequency:5, say)",
            list(names.iter().copied())
        )),
    });
    warnings
}

/// A method that resamples rows prepares each resample by itself.
impl Prepared for Table {
    const IS_SHARED: bool = false;
    type Options<'a> = ();

    fn options(_: &Job) {}

    fn of(_: &Job, table: Held<Table>, _: Option<&Communicator>) -> Result<Held<Self>, RunError> {
        Ok(table)
    }
}
