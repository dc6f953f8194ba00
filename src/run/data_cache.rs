//! Data read once for all jobs that ask for the same.

use std::{
    collections::HashMap,
    fmt::Debug,
    fs,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    ResampleCheckpoint, RunError,
    selectors::{Binned, binned_of},
};
use crate::{
    design::{Design, DesignOptions},
    fnv::Fnv,
    job::{Job, Task},
    plugin::MethodKind,
    progress::{JobProgress, Meter, Progress},
    ranks::Communicator,
    table::{self, ColumnPartition, ReadOptions, Table, TableError, Values},
};

/// Where a job takes what it reads from, and how it shows its progress.
#[derive(Debug, Default, Clone, Copy)]
pub struct RunContext<'a> {
    /// Data shared with other jobs; none for a job alone.
    pub cache: Option<&'a DataCache>,
    /// The board of all jobs, and what this one is called; none for a job alone.
    pub board: Option<(&'a JobProgress, &'a str)>,
    /// Where a job keeps what it can go on from; a search by PaSS has its own place.
    pub checkpoint: Option<ResampleCheckpoint<'a>>,
}

impl RunContext<'_> {
    pub(super) fn meter(&self, job: &Job) -> Meter {
        match self.board {
            Some((board, id)) => board.meter(id),
            None if !job.resources.is_root() => Meter::new(Progress::None),
            None => Meter::new(job.progress),
        }
    }

    /// The table of a job's data.
    pub(super) fn table(&self, job: &Job) -> Result<Table, RunError> {
        match self.cache {
            Some(cache) if job.resources.distributed().is_none() => cache.table(job),
            _ => read(job, None),
        }
    }

    /// The design matrix of a job's data, of which ranks have some columns each.
    pub(super) fn design(
        &self,
        job: &Job,
        communicator: Option<&Communicator>,
    ) -> Result<Arc<Design>, RunError> {
        let made = |table| design_of(job, table, communicator).map(Arc::new);
        match self.cache {
            // Ranks read at the same time: what one remembers others might not.
            Some(cache) if job.resources.distributed().is_none() => {
                cache.made(&cache.designs, (job, design_key(job)), made)
            }
            _ => made(read(job, communicator)?),
        }
    }

    /// The columns of codes of a job's data, of which ranks have some each.
    pub(super) fn binned(
        &self,
        job: &Job,
        numbers: bool,
        communicator: Option<&Communicator>,
    ) -> Result<Arc<Binned>, RunError> {
        let made = |table| binned_of(job, table, numbers, communicator).map(Arc::new);
        match self.cache {
            Some(cache) if job.resources.distributed().is_none() => {
                cache.made(&cache.binned, (job, binned_key(job, numbers)), made)
            }
            _ => made(read(job, communicator)?),
        }
    }
}

/// The table of a job's data; of ranks each reads its own columns, and what all need.
fn read(job: &Job, communicator: Option<&Communicator>) -> Result<Table, RunError> {
    let replicated = [&job.response, &job.weights].into_iter().flatten();
    let replicated: Vec<&str> = replicated.map(|name| &**name).collect();
    let reading = ReadOptions {
        response: job.response.as_deref(),
        factors: &job.factor,
    };
    let partition = ColumnPartition {
        communicator,
        replicated: &replicated,
    };
    let table = table::read_partition(&job.data, &reading, &partition)?;
    // One rank alone has nobody to compare with.
    if let Some(communicator) = job.resources.distributed() {
        let files = table::input_files(&job.data).into_iter();
        let bytes: u64 = files
            .filter_map(|it| Some(fs::metadata(it).ok()?.len()))
            .sum();
        let own = format!(
            "{} rows of {} columns in {bytes} bytes, hash {:032x}",
            table.rows,
            table.columns.len(),
            hash(&table, &replicated, partition.communicator.is_none())
        );
        communicator
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
                    let hash = levels.iter().fold(hash, |all, it| all.part(it.as_bytes()));
                    codes
                        .iter()
                        .fold(hash, |all, it| all.bytes(&it.to_le_bytes()))
                }
                values => hash.numbers(&values.numbers(table.rows).unwrap_or_default()),
            };
        }
    }
    hash.finish()
}

/// The design matrix of a table, by a job's options.
pub(super) fn design_of(
    job: &Job,
    table: Table,
    communicator: Option<&Communicator>,
) -> Result<Design, RunError> {
    let choices = DesignOptions {
        response: job.response.as_deref(),
        keep: &job.keep,
        drop: &job.drop,
        missing: job.missing,
        intercept: job.intercept,
        weights: job.weights.as_deref(),
        p_total: job.p_total,
    };
    Ok(Design::from_partitioned_table(
        table,
        &choices,
        communicator,
    )?)
}

/// What two jobs must have alike to share one table, and what is made of it.
fn table_key(job: &Job) -> String {
    key(&(&job.data, &job.response, &job.factor))
}

fn design_key(job: &Job) -> String {
    let Job {
        keep,
        drop,
        missing,
        intercept,
        weights,
        p_total,
        ..
    } = job;
    table_key(job) + &key(&(keep, drop, missing, intercept, weights, p_total))
}

fn binned_key(job: &Job, numbers: bool) -> String {
    let Job {
        drop,
        missing,
        binning,
        bin_response,
        ..
    } = job;
    table_key(job) + &key(&(drop, missing, binning, bin_response, numbers))
}

fn key(parts: &impl Debug) -> String {
    format!("{parts:?}")
}

/// One thing that several jobs use, and how many still will.
type Slot<T> = Arc<Mutex<(Option<T>, usize)>>;
type Slots<T> = Mutex<HashMap<String, Slot<T>>>;

/// Data that jobs share. What is read stays until the last job that was expected to use it is
/// done.
#[derive(Debug, Default)]
pub struct DataCache {
    /// Used by each thing made of them once.
    tables: Slots<Table>,
    designs: Slots<Arc<Design>>,
    binned: Slots<Arc<Binned>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is behind it is whole: a panic elsewhere does not make it wrong.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn slot<T>(slots: &Slots<T>, key: &str) -> Slot<T> {
    let mut all = lock(slots);
    let new = || Arc::new(Mutex::new((None, 0)));
    Arc::clone(all.entry(key.to_owned()).or_insert_with(new))
}

/// What a job makes of its table.
enum Makes {
    Design,
    Columns,
    /// Nothing that others could use: it takes the table.
    Nothing,
}

fn makes(task: &Task) -> (Makes, String) {
    let job = task.job();
    match task {
        Task::Stability(_) => (Makes::Nothing, table_key(job)),
        Task::Pairs(_) => (Makes::Columns, binned_key(job, false)),
        Task::Select(_) => match job.selector.as_ref().map(|it| &it.value) {
            None | Some(MethodKind::Regression(_)) => (Makes::Design, design_key(job)),
            Some(MethodKind::Score(_)) => (Makes::Columns, binned_key(job, false)),
            Some(MethodKind::Ranking(_)) => (Makes::Columns, binned_key(job, true)),
        },
    }
}

impl DataCache {
    /// Expects a job.
    pub fn expect(&self, task: &Task) {
        let (makes, key) = makes(task);
        let is_first = match makes {
            Makes::Design => count(&self.designs, &key) == 0,
            Makes::Columns => count(&self.binned, &key) == 0,
            Makes::Nothing => true,
        };
        if is_first {
            count(&self.tables, &table_key(task.job()));
        }
    }

    /// A job that was expected is done.
    pub fn release(&self, task: &Task) {
        let (makes, key) = makes(task);
        let leaves_table = match makes {
            Makes::Design => leave(&self.designs, &key),
            Makes::Columns => leave(&self.binned, &key),
            Makes::Nothing => true,
        };
        // Where nothing was made of it, the table waits for that no longer.
        if leaves_table {
            leave(&self.tables, &table_key(task.job()));
        }
    }

    /// A table for one job; the last that uses it takes it.
    fn table(&self, job: &Job) -> Result<Table, RunError> {
        let own = slot(&self.tables, &table_key(job));
        let mut own = lock(&own);
        let whole = match own.0.take() {
            Some(whole) => whole,
            None => read(job, None)?,
        };
        if own.1 > 1 {
            own.0 = Some(whole.clone());
        }
        Ok(whole)
    }

    /// What was made before, or else what is made now of the table.
    fn made<T: Clone>(
        &self,
        slots: &Slots<T>,
        (job, key): (&Job, String),
        make: impl FnOnce(Table) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        let own = slot(slots, &key);
        let mut own = lock(&own);
        if let Some(made) = &own.0 {
            return Ok(made.clone());
        }
        let table = slot(&self.tables, &table_key(job));
        let mut table = lock(&table);
        let whole = match table.0.take() {
            Some(whole) => whole,
            None => read(job, None)?,
        };
        // The last that is made of it takes it.
        table.1 = table.1.saturating_sub(1);
        if table.1 > 0 {
            table.0 = Some(whole.clone());
        }
        drop(table);
        let made = make(whole)?;
        own.0 = Some(made.clone());
        Ok(made)
    }
}

/// Expects one more use; how many there were.
fn count<T>(slots: &Slots<T>, key: &str) -> usize {
    let slot = slot(slots, key);
    let mut slot = lock(&slot);
    slot.1 += 1;
    slot.1 - 1
}

/// Ends one use; whether it was the last, of something that was never made.
fn leave<T>(slots: &Slots<T>, key: &str) -> bool {
    let own = slot(slots, key);
    let mut own = lock(&own);
    own.1 = own.1.saturating_sub(1);
    let (last, made) = (own.1 == 0, own.0.is_some());
    drop(own);
    if last {
        lock(slots).remove(key);
    }
    last && !made
}
