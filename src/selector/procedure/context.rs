//! The part that every problem of a procedure has, shared with the thread that waits for it.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use rayon::ThreadPool;

use super::error::CallError;
use crate::{
    interrupt::Interrupt,
    threads::{ThreadError, pool},
};

/// The most numbers that a procedure tells.
const NUMBERS: usize = 1000;

/// The part that every problem has, shared with the thread that waits for the procedure.
#[derive(Debug)]
pub struct ProcedureContext {
    pub(super) p: usize,
    pub(super) most: usize,
    /// Variables that every model holds, ascending; chosen or not, they do not count.
    pub(super) keep: Vec<u32>,
    pub(super) seed: u64,
    pub(super) pool: ThreadPool,
    pub(super) interrupt: Interrupt,
    /// Whether its thread was left behind.
    pub(super) detached: AtomicBool,
    pub(super) chosen: Mutex<Vec<(usize, f64)>>,
    pub(super) error: Mutex<Option<CallError>>,
    pub(super) undefined: AtomicBool,
    numbers: Mutex<BTreeMap<String, f64>>,
    pub(super) done: AtomicUsize,
    pub(super) of: AtomicUsize,
}

impl ProcedureContext {
    /// A context for p candidates of which `most` may be chosen beside the kept ones.
    pub(super) fn new(
        p: usize,
        (most, keep): (usize, Vec<u32>),
        (seed, time_limit): (u64, Option<Duration>),
        threads: usize,
        interrupt: &Interrupt,
    ) -> Result<Arc<Self>, ThreadError> {
        Ok(Arc::new(Self {
            p,
            most,
            keep,
            seed,
            pool: pool(threads)?,
            interrupt: interrupt.with_time_limit(time_limit),
            detached: Default::default(),
            chosen: Default::default(),
            error: Default::default(),
            undefined: Default::default(),
            numbers: Default::default(),
            done: Default::default(),
            of: Default::default(),
        }))
    }

    pub(super) fn choose(&self, column: usize, score: f64) -> Result<(), CallError> {
        let mut chosen = lock(&self.chosen);
        let p = self.p;
        let counted = || chosen.iter().filter(|own| !self.is_kept(own.0)).count();
        self.noted(if column >= p {
            Err(CallError::column(column, p))
        } else if chosen.iter().any(|(other, _)| *other == column) {
            Err(CallError::twice(column))
        } else if !self.is_kept(column) && counted() == self.most {
            Err(CallError::too_many(self.most))
        } else if !score.is_finite() {
            let reason = format!("its score of column {column} is {score}");
            Err(CallError::Invalid(reason))
        } else {
            chosen.push((column, score));
            Ok(())
        })
    }

    pub(super) fn is_kept(&self, column: usize) -> bool {
        self.keep.iter().any(|kept| *kept as usize == column)
    }

    pub(super) fn tell(&self, name: &str, value: f64) -> Result<(), CallError> {
        let mut numbers = lock(&self.numbers);
        let is_new = !numbers.contains_key(name);
        self.noted(if !value.is_finite() {
            Err(CallError::Invalid(format!("it told {name} = {value}")))
        } else if is_new && numbers.len() == NUMBERS {
            let reason = format!("it told more than {NUMBERS} numbers");
            Err(CallError::Invalid(reason))
        } else {
            numbers.insert(name.to_owned(), value);
            Ok(())
        })
    }

    /// What it told so far.
    pub(super) fn numbers(&self) -> BTreeMap<String, f64> {
        lock(&self.numbers).clone()
    }

    /// Records the error of a call, if it is the first.
    pub(super) fn noted<T>(&self, result: Result<T, CallError>) -> Result<T, CallError> {
        if let Err(error) = &result {
            lock(&self.error).get_or_insert(error.clone());
        }
        result
    }

    pub(super) fn not_lent<T>(&self, what: &str, of: &str) -> Result<T, CallError> {
        let reason = format!("it asked for {what}, which {of} does not have");
        self.noted(Err(CallError::Invalid(reason)))
    }

    /// Whether the procedure is no longer waited for: the user insists, or the grace is over.
    pub(super) fn is_abandoned(&self) -> bool {
        self.interrupt.is_forced() || self.detached.load(Ordering::Relaxed)
    }

    pub(super) fn chosen(&self) -> Vec<(usize, f64)> {
        lock(&self.chosen).clone()
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
