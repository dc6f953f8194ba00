//! Data read and prepared once for all jobs of a run that ask for it.

use std::{
    any::{Any, type_name},
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    RunError,
    prepared::{Held, Prepared, SharedData, read},
};
use crate::{job::Job, memory::MemoryCharge, table::Table};

/// A value that several jobs use, and the number of uses to come.
type Slot<T> = Arc<Mutex<(Option<T>, usize)>>;

/// Prepared data of any kind, and the memory that is held for them.
type SharedAny = (Arc<dyn Any + Send + Sync>, Arc<MemoryCharge>);

/// Values by what jobs must have alike to share them.
#[derive(Debug)]
struct Slots<T>(Mutex<HashMap<String, Slot<T>>>);

/// Data that jobs share. A table, and what was made of it, stay until the last job that was
/// expected to use them has ended.
#[derive(Debug, Default)]
pub struct DataCache {
    /// Used once by each value that is made of them.
    tables: Slots<Held<Table>>,
    prepared: Slots<SharedAny>,
}

/// What two jobs must have alike to share a table, and what is made of it, if that is shared.
pub(super) type DataKeys = (String, Option<String>);

pub(super) fn keys<D: Prepared>(job: &Job) -> DataKeys {
    let table = job.table.as_ref().map(Arc::as_ptr);
    let reading = (&job.factor, &job.date, &job.na, &job.text, &job.cohort);
    let table = format!("{:?}", (table, &job.data, &job.response, reading));
    let made = D::IS_SHARED.then(|| format!("{table}{}{:?}", type_name::<D>(), D::options(job)));
    (table, made)
}

impl DataCache {
    /// Expects one use by a job.
    pub(super) fn expect_data(&self, (table, made): &DataKeys) {
        let made = made.as_ref();
        if made.is_none_or(|key| self.prepared.add_use(key) == 0) {
            self.tables.add_use(table);
        }
    }

    /// Puts a table there that a job uses.
    pub(super) fn put_table(&self, (table, _): &DataKeys, held: Held<Table>) {
        lock(&self.tables.slot(table)).0 = Some(held);
    }

    /// Expects one use of prepared data, and puts them there.
    pub(super) fn put_prepared<D: Prepared>(&self, made: &str, held: Held<D>) {
        self.prepared.add_use(made);
        let (prepared, charge) = held.share();
        let any = prepared as Arc<dyn Any + Send + Sync>;
        lock(&self.prepared.slot(made)).0 = Some((any, charge));
    }

    /// Ends the use by a job that was expected.
    pub(super) fn release_data(&self, (table, made): &DataKeys) {
        // A value that was never made waits for the table no longer.
        if made.as_ref().is_none_or(|key| self.prepared.end_use(key)) {
            self.tables.end_use(table);
        }
    }

    /// What was prepared before, or else what is prepared now of the table.
    pub(super) fn prepare<D: Prepared>(&self, job: &Job) -> Result<SharedData<D>, RunError> {
        let (table, made) = keys::<D>(job);
        let Some(made) = made else {
            return D::of(job, self.table(job, &table, false)?, None).map(Held::share);
        };
        let slot = self.prepared.slot(&made);
        let mut slot = lock(&slot);
        let known = slot.0.clone().and_then(|(known, charge)| {
            let known = known.downcast().ok()?;
            Some((known, charge))
        });
        if let Some((known, charge)) = known {
            // They count for each job that uses them, and once for all of these, while they are here.
            let own = job
                .resources
                .memory
                .share(charge.bytes(), "data of several jobs")?;
            return Ok((known, Arc::new(own)));
        }
        // Other jobs may need the values.
        let in_file = match slot.1 <= 1 && self.tables.is_new(&table) {
            true => D::left_in_file(job)?,
            false => None,
        };
        let held = match in_file {
            Some(held) => {
                self.tables.end_use(&table);
                held
            }
            None => D::of(job, self.table(job, &table, true)?, None)?,
        };
        let (prepared, charge) = held.share();
        let any = Arc::clone(&prepared) as Arc<dyn Any + Send + Sync>;
        slot.0 = Some((any, Arc::clone(&charge)));
        Ok((prepared, charge))
    }

    /// A table for one use, which ends with it or else when the job is released. The last use
    /// takes the table.
    fn table(&self, job: &Job, key: &str, ends_use: bool) -> Result<Held<Table>, RunError> {
        let slot = self.tables.slot(key);
        let mut slot = lock(&slot);
        let table = match slot.0.take() {
            Some(Held { data, charge }) => {
                let charge = charge.hand_over(&job.resources.memory, "the table")?;
                Held { data, charge }
            }
            None => read(job, None)?,
        };
        let others = slot.1.saturating_sub(1);
        if ends_use {
            slot.1 = others;
        }
        if others > 0 {
            let copy = Held::copy(&table.data, &job.resources.memory);
            slot.0 = Some(table);
            return Ok(copy?);
        }
        Ok(table)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The value is whole whenever the lock is free: a panic elsewhere does not make it wrong.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Slots<T> {
    fn slot(&self, key: &str) -> Slot<T> {
        let mut all = lock(&self.0);
        let slot = all.entry(key.to_owned());
        Arc::clone(slot.or_insert_with(|| Arc::new(Mutex::new((None, 0)))))
    }

    /// Expects one more use, and returns how many were expected before.
    fn add_use(&self, key: &str) -> usize {
        let slot = self.slot(key);
        let mut slot = lock(&slot);
        slot.1 += 1;
        slot.1 - 1
    }

    /// Whether a value that was never made is for one use alone.
    fn is_new(&self, key: &str) -> bool {
        let own = self.slot(key);
        let own = lock(&own);
        own.0.is_none() && own.1 <= 1
    }

    /// Ends one use, and returns whether it was the last, of a value that was never made.
    fn end_use(&self, key: &str) -> bool {
        let own = self.slot(key);
        let mut own = lock(&own);
        own.1 = own.1.saturating_sub(1);
        let (is_last, is_made) = (own.1 == 0, own.0.is_some());
        drop(own);
        if is_last {
            lock(&self.0).remove(key);
        }
        is_last && !is_made
    }
}
