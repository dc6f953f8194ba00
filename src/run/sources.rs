//! Data read once for all jobs that ask for the same.

use std::{
    collections::HashMap,
    fmt::Debug,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    RunError,
    selectors::{Binned, binned_of},
};
use crate::{
    design::{Design, DesignOptions},
    job::Job,
    plugin::Chooser,
    progress::{Board, Meter},
    table::{self, ReadOptions, Table},
};

/// Where a job takes what it reads from, and how it shows its progress.
#[derive(Debug, Default, Clone, Copy)]
pub struct Surroundings<'a> {
    /// Data shared with other jobs; none for a job alone.
    pub sources: Option<&'a Sources>,
    /// The board of all jobs, and what this one is called; none for a job alone.
    pub board: Option<(&'a Board, &'a str)>,
}

impl Surroundings<'_> {
    pub(super) fn meter(&self, job: &Job) -> Meter {
        match self.board {
            Some((board, id)) => board.meter(id),
            None => Meter::new(job.progress),
        }
    }

    /// The design matrix of a job's data.
    pub(super) fn design(&self, job: &Job) -> Result<Arc<Design>, RunError> {
        let made = |table| design_of(table, job).map(Arc::new);
        match self.sources {
            Some(sources) => sources.made(&sources.designs, (job, design_key(job)), made),
            None => made(read(job)?),
        }
    }

    /// The columns of codes of a job's data.
    pub(super) fn binned(&self, job: &Job, numbers: bool) -> Result<Arc<Binned>, RunError> {
        let made = |table| binned_of(table, job, numbers).map(Arc::new);
        match self.sources {
            Some(sources) => sources.made(&sources.binned, (job, binned_key(job, numbers)), made),
            None => made(read(job)?),
        }
    }
}

fn read(job: &Job) -> Result<Table, RunError> {
    let reading = ReadOptions {
        response: job.response.as_deref(),
        factors: &job.factor,
    };
    Ok(table::read(&job.data, &reading)?)
}

fn design_of(table: Table, job: &Job) -> Result<Design, RunError> {
    let choices = DesignOptions {
        response: job.response.as_deref(),
        keep: &job.keep,
        drop: &job.drop,
        missing: job.missing,
        intercept: job.intercept,
        weights: job.weights.as_deref(),
        p_total: job.p_total,
    };
    Ok(Design::from_table(table, &choices)?)
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

/// What a job makes of its table.
fn derived_key(job: &Job) -> String {
    match job.selector.as_ref().map(|it| &it.by) {
        None | Some(Chooser::Regresses(_)) => design_key(job),
        Some(Chooser::Score(_)) => binned_key(job, false),
        Some(Chooser::Ranks(_)) => binned_key(job, true),
    }
}

/// One thing that several jobs use, and how many still will.
type Slot<T> = Arc<Mutex<(Option<T>, usize)>>;
type Slots<T> = Mutex<HashMap<String, Slot<T>>>;

/// Data that jobs share. What is read stays until the last job that was expected to use it is
/// done.
#[derive(Debug, Default)]
pub struct Sources {
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

impl Sources {
    /// Expects a selection, or all pairs of which no other numbers are wanted.
    pub fn expect(&self, job: &Job, pairs: bool) {
        let derived = match pairs {
            true => binned_key(job, false),
            false => derived_key(job),
        };
        let is_new = |slots: usize| slots == 0;
        let first = match self.is_design(job, pairs) {
            true => is_new(count(&self.designs, &derived, 1)),
            false => is_new(count(&self.binned, &derived, 1)),
        };
        if first {
            count(&self.tables, &table_key(job), 1);
        }
    }

    /// A job that was expected is done.
    pub fn done(&self, job: &Job, pairs: bool) {
        let derived = match pairs {
            true => binned_key(job, false),
            false => derived_key(job),
        };
        let unused = match self.is_design(job, pairs) {
            true => leave(&self.designs, &derived),
            false => leave(&self.binned, &derived),
        };
        // Where it was never made, its table waits for nobody else.
        if unused {
            leave(&self.tables, &table_key(job));
        }
    }

    fn is_design(&self, job: &Job, pairs: bool) -> bool {
        let chooser = job.selector.as_ref().map(|it| &it.by);
        !pairs && matches!(chooser, None | Some(Chooser::Regresses(_)))
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
            None => read(job)?,
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

/// Expects so many more uses; how many there were.
fn count<T>(slots: &Slots<T>, key: &str, more: usize) -> usize {
    let slot = slot(slots, key);
    let mut slot = lock(&slot);
    slot.1 += more;
    slot.1 - more
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
