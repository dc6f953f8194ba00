//! Data read and prepared once for all jobs of a run that ask for it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    ResampleCheckpoint, RunError,
    method::{Method, method_of},
    prepared::{Binned, BinnedNumbers, Prepared, read},
};
use crate::{
    design::Design,
    job::{Job, Task},
    progress::{JobProgress, Meter, Progress},
    table::Table,
};

/// What a run gives a job: shared data, a place to show progress, a file to go on from. A job
/// alone has none of them.
#[derive(Debug, Default, Clone, Copy)]
pub struct RunContext<'a> {
    /// Data shared with other jobs.
    pub cache: Option<&'a DataCache>,
    /// The progress of all jobs, and the name of this one.
    pub board: Option<(&'a JobProgress, &'a str)>,
    /// Where stability selection keeps the resamples that are done; PaSS has
    /// [`Job::checkpoint`].
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

    /// The data of a job, read and prepared for a method.
    pub(super) fn prepare<M: Method>(&self, job: &Job) -> Result<Arc<M::Data>, RunError> {
        let ranks = job.resources.distributed();
        match self.cache {
            // Ranks read at the same time: what one remembers others might not.
            Some(cache) if ranks.is_none() => cache.prepare(job),
            _ => {
                let communicator = ranks.filter(|_| M::PARTITIONED);
                let table = read(job, communicator)?;
                M::Data::of(job, table, communicator).map(Arc::new)
            }
        }
    }
}

/// A value that several jobs use, and the number of uses to come.
pub(super) type Slot<T> = Arc<Mutex<(Option<T>, usize)>>;
pub(super) type Slots<T> = Mutex<HashMap<String, Slot<T>>>;

/// Data that jobs share. A table, and what was made of it, stay until the last job that was
/// expected to use them has ended.
#[derive(Debug, Default)]
pub struct DataCache {
    /// Used once by each value that is made of them.
    tables: Slots<Table>,
    pub(super) designs: Slots<Arc<Design>>,
    pub(super) binned: Slots<Arc<Binned>>,
    pub(super) binned_numbers: Slots<Arc<BinnedNumbers>>,
}

impl DataCache {
    /// Expects one use by a job.
    pub fn expect(&self, task: &Task) {
        method_of(task).expect(task.job(), self);
    }

    /// Ends the use by a job that was expected.
    pub fn release(&self, task: &Task) {
        method_of(task).release(task.job(), self);
    }

    pub(super) fn expect_data<D: Prepared>(&self, job: &Job) {
        let slots = D::slots(self);
        if slots.is_none_or(|slots| add_use(slots, &key::<D>(job)) == 0) {
            add_use(&self.tables, &table_key(job));
        }
    }

    pub(super) fn release_data<D: Prepared>(&self, job: &Job) {
        let slots = D::slots(self);
        // A value that was never made waits for the table no longer.
        if slots.is_none_or(|slots| end_use(slots, &key::<D>(job))) {
            end_use(&self.tables, &table_key(job));
        }
    }

    /// What was prepared before, or else what is prepared now of the table.
    fn prepare<D: Prepared>(&self, job: &Job) -> Result<Arc<D>, RunError> {
        let Some(slots) = D::slots(self) else {
            let table = self.table(job, false)?;
            return D::of(job, table, None).map(Arc::new);
        };
        let slot = slot(slots, &key::<D>(job));
        let mut slot = lock(&slot);
        if let Some(prepared) = &slot.0 {
            return Ok(Arc::clone(prepared));
        }
        let prepared = Arc::new(D::of(job, self.table(job, true)?, None)?);
        slot.0 = Some(Arc::clone(&prepared));
        Ok(prepared)
    }

    /// A table for one use, which ends with it or else when the job is released. The last use
    /// takes the table.
    fn table(&self, job: &Job, ends_use: bool) -> Result<Table, RunError> {
        let slot = slot(&self.tables, &table_key(job));
        let mut slot = lock(&slot);
        let table = match slot.0.take() {
            Some(table) => table,
            None => read(job, None)?,
        };
        let others = slot.1.saturating_sub(1);
        if ends_use {
            slot.1 = others;
        }
        if others > 0 {
            slot.0 = Some(table.clone());
        }
        Ok(table)
    }
}

/// What two jobs must have alike to share a table.
fn table_key(job: &Job) -> String {
    format!("{:?}", (&job.data, &job.response, &job.factor))
}

/// What two jobs must have alike to share what is made of a table.
fn key<D: Prepared>(job: &Job) -> String {
    table_key(job) + &D::key(job)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The value is whole whenever the lock is free: a panic elsewhere does not make it wrong.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn slot<T>(slots: &Slots<T>, key: &str) -> Slot<T> {
    let mut all = lock(slots);
    let new = || Arc::new(Mutex::new((None, 0)));
    Arc::clone(all.entry(key.to_owned()).or_insert_with(new))
}

/// Expects one more use, and returns how many were expected before.
fn add_use<T>(slots: &Slots<T>, key: &str) -> usize {
    let slot = slot(slots, key);
    let mut slot = lock(&slot);
    slot.1 += 1;
    slot.1 - 1
}

/// Ends one use, and returns whether it was the last, of a value that was never made.
fn end_use<T>(slots: &Slots<T>, key: &str) -> bool {
    let own = slot(slots, key);
    let mut own = lock(&own);
    own.1 = own.1.saturating_sub(1);
    let (is_last, is_made) = (own.1 == 0, own.0.is_some());
    drop(own);
    if is_last {
        lock(slots).remove(key);
    }
    is_last && !is_made
}
