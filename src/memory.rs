//! The memory of a job, by account: whatever takes much of it asks first, so that a limit that is met,
//! and memory that the system refuses, are errors of one job.
//!
//! Counted are the values of tables, design matrices, codes and the copies that devices make of them,
//! the text of a line, and what grows with the number of columns. What a search keeps beside them (a few
//! MiB, and what a report holds) is not.

mod pages;
mod size;
mod system;
mod words;

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use thiserror::Error;

pub(crate) use pages::{give_back_freed, room, zeros};
pub use size::Bytes;
use system::{is_there, system_bound};
pub(crate) use words::Words;

/// What one account may hold, together with the account that it is part of. Clones are the same
/// account. The default has no limit, and counts.
#[derive(Debug, Clone)]
pub struct MemoryBudget(Arc<Account>);

#[derive(Debug)]
struct Account {
    limit: u64,
    bound: MemoryBound,
    held: AtomicU64,
    peak: AtomicU64,
    /// The account that counts the same bytes too.
    whole: Option<MemoryBudget>,
}

/// The limit that an account has met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryBound {
    /// The job's own option.
    Job,
    /// The jobs of a run together.
    Run,
    /// The system's bound on this process: which one.
    System(&'static str),
}

/// Memory that a job may not have, or that the system refuses.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", self.message())]
pub struct MemoryError {
    /// What the memory is for.
    pub purpose: String,
    /// Bytes wanted.
    pub wanted: u64,
    /// Bytes that the job held, and bytes that other jobs held, when it asked.
    pub held: (u64, u64),
    /// The limit and its bytes; `None` if the system refuses the memory although no limit is met.
    pub limit: Option<(MemoryBound, u64)>,
}

impl MemoryError {
    /// Memory that the system refuses.
    pub(crate) fn refused(wanted: u64, purpose: impl fmt::Display) -> Self {
        Self {
            purpose: purpose.to_string(),
            wanted,
            held: (0, 0),
            limit: None,
        }
    }

    /// Whether other jobs held memory that this one might have had alone.
    pub(crate) fn has_rivals(&self) -> bool {
        self.held.1 > 0
    }

    fn message(&self) -> String {
        let (purpose, wanted, (own, others)) = (&self.purpose, Bytes(self.wanted), self.held);
        let Some((bound, limit)) = self.limit else {
            return format!(
                "{wanted} for {purpose} are more than the system has: end other programs, or take a \
                 machine with more memory"
            );
        };
        let mut beside = String::new();
        if own > 0 {
            beside += &format!(" beside {} held", Bytes(own));
        }
        if others > 0 {
            beside += &format!(" and {} of other jobs", Bytes(others));
        }
        let limit = Bytes(limit);
        let met = match bound {
            MemoryBound::Job => format!("--memory-limit {limit}: raise it"),
            MemoryBound::Run => format!("the run's memory-limit {limit}: raise it"),
            MemoryBound::System(name) => format!("the {limit} that {name} allows: raise that"),
        };
        format!("{wanted} for {purpose}{beside} are more than {met}, or take fewer rows or columns")
    }
}

impl Default for MemoryBudget {
    fn default() -> Self {
        Self::new(u64::MAX, MemoryBound::Job, None)
    }
}

/// Budgets do not make resources differ: no result depends on them.
impl PartialEq for MemoryBudget {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for MemoryBudget {}

impl MemoryBudget {
    fn new(limit: u64, bound: MemoryBound, whole: Option<Self>) -> Self {
        Self(Arc::new(Account {
            limit,
            bound,
            held: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            whole,
        }))
    }

    /// What the system lets this process have: the least of its bounds on address space, of its
    /// control group and of the machine's memory, less a part for what is not counted.
    pub fn of_system() -> Self {
        match system_bound() {
            Some((name, bytes)) => Self::new(bytes, MemoryBound::System(name), None),
            None => Self::default(),
        }
    }

    /// A part of this budget with a limit of its own.
    pub fn part(&self, bound: MemoryBound, limit: Option<u64>) -> Self {
        Self::new(limit.unwrap_or(u64::MAX), bound, Some(self.clone()))
    }

    /// An equal part of what is left of this account's own limit, for each of several works that go on
    /// at the same time: one that takes what it can get leaves the others theirs.
    pub(crate) fn for_each_of(&self, count: usize) -> Self {
        let own = (self.0.limit < u64::MAX).then(|| self.0.limit.saturating_sub(self.held()));
        self.part(self.0.bound, own.map(|left| left / count.max(1) as u64))
    }

    /// Bytes that may still be taken.
    pub fn left(&self) -> u64 {
        let own = self.0.limit.saturating_sub(self.held());
        let whole = self.0.whole.as_ref();
        whole.map_or(own, |whole| own.min(whole.left()))
    }

    /// Bytes held now.
    pub fn held(&self) -> u64 {
        self.0.held.load(Relaxed)
    }

    /// The most bytes that were held at once.
    pub fn peak(&self) -> u64 {
        self.0.peak.load(Relaxed)
    }

    /// A charge of nothing yet.
    pub fn charge(&self) -> MemoryCharge {
        MemoryCharge {
            budget: self.clone(),
            bytes: AtomicU64::new(0),
            is_shared: false,
        }
    }

    /// Counts bytes in this account alone, for what another holds and this one uses too.
    ///
    /// # Errors
    /// The limit is met.
    pub(crate) fn share(
        &self,
        bytes: u64,
        purpose: impl fmt::Display,
    ) -> Result<MemoryCharge, MemoryError> {
        let mut charge = self.charge();
        charge.is_shared = true;
        charge.grow(bytes, purpose)?;
        Ok(charge)
    }

    /// Takes bytes until the charge is dropped.
    ///
    /// # Errors
    /// A limit is met.
    pub fn take(
        &self,
        bytes: u64,
        purpose: impl fmt::Display,
    ) -> Result<MemoryCharge, MemoryError> {
        let charge = self.charge();
        charge.grow(bytes, purpose)?;
        Ok(charge)
    }

    /// Adds bytes to this account and, unless they are shared, to those above it; else the account
    /// whose limit is met.
    fn add(&self, bytes: u64, is_shared: bool) -> Result<(), &Account> {
        let account = &*self.0;
        let more = |held: u64| held.checked_add(bytes).filter(|all| *all <= account.limit);
        let Ok(held) = account.held.fetch_update(Relaxed, Relaxed, more) else {
            return Err(account);
        };
        if let Some(whole) = account.whole.as_ref().filter(|_| !is_shared)
            && let Err(met) = whole.add(bytes, false)
        {
            account.held.fetch_sub(bytes, Relaxed);
            return Err(met);
        }
        account.peak.fetch_max(held + bytes, Relaxed);
        Ok(())
    }

    fn remove(&self, bytes: u64, is_shared: bool) {
        let mut next = Some(self);
        while let Some(Self(account)) = next {
            account.held.fetch_sub(bytes, Relaxed);
            next = account.whole.as_ref().filter(|_| !is_shared);
        }
    }
}

/// Bytes of a budget, given back when this is dropped.
#[derive(Debug)]
pub struct MemoryCharge {
    budget: MemoryBudget,
    bytes: AtomicU64,
    /// Whether another account holds the bytes.
    is_shared: bool,
}

impl MemoryCharge {
    /// A charge of nothing yet to the same budget.
    pub fn beside(&self) -> Self {
        self.budget.charge()
    }

    /// Takes more bytes.
    ///
    /// # Errors
    /// A limit is met; then nothing more is taken.
    pub fn grow(&self, bytes: u64, purpose: impl fmt::Display) -> Result<(), MemoryError> {
        match self.budget.add(bytes, self.is_shared) {
            Ok(()) => {
                self.bytes.fetch_add(bytes, Relaxed);
                if self.is_shared || is_there(bytes) {
                    return Ok(());
                }
                self.shrink(bytes);
                Err(MemoryError::refused(bytes, purpose))
            }
            Err(met) => {
                let own = self.budget.held();
                let all = met.held.load(Relaxed);
                Err(MemoryError {
                    purpose: purpose.to_string(),
                    wanted: bytes,
                    held: (own, all.saturating_sub(own)),
                    limit: Some((met.bound, met.limit)),
                })
            }
        }
    }

    /// Takes or gives back bytes until there are so many.
    ///
    /// # Errors
    /// A limit is met; then the charge stays as it was.
    pub fn set(&self, bytes: u64, purpose: impl fmt::Display) -> Result<(), MemoryError> {
        let held = self.bytes();
        match bytes.checked_sub(held) {
            Some(more) => self.grow(more, purpose),
            None => {
                self.shrink(held - bytes);
                Ok(())
            }
        }
    }

    /// Gives bytes back.
    pub fn shrink(&self, bytes: u64) {
        let bytes = bytes.min(self.bytes());
        self.bytes.fetch_sub(bytes, Relaxed);
        self.budget.remove(bytes, self.is_shared);
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// The same bytes in the account of another job of the same whole, which does not count them anew.
    ///
    /// # Errors
    /// The other job's limit is met.
    pub(crate) fn hand_over(
        self,
        to: &MemoryBudget,
        purpose: impl fmt::Display,
    ) -> Result<Self, MemoryError> {
        let bytes = self.bytes();
        let [from_whole, to_whole] = [&self.budget, to].map(|budget| budget.0.whole.as_ref());
        let is_same = |(from, to): (&MemoryBudget, &MemoryBudget)| Arc::ptr_eq(&from.0, &to.0);
        if self.is_shared || !from_whole.zip(to_whole).is_some_and(is_same) {
            return to.take(bytes, purpose);
        }
        let mut own = to.share(bytes, purpose)?;
        own.is_shared = false;
        // What the whole counts is the other charge's now.
        self.bytes.store(0, Relaxed);
        self.budget.remove(bytes, true);
        Ok(own)
    }
}

impl Drop for MemoryCharge {
    fn drop(&mut self) {
        self.shrink(self.bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_charge_counts_until_it_is_dropped_in_every_account_above() {
        let run = MemoryBudget::default().part(MemoryBound::Run, Some(100));
        let (one, other) = (
            run.part(MemoryBound::Job, Some(80)),
            run.part(MemoryBound::Job, None),
        );
        let table = one.take(60, "the table").unwrap();
        table.grow(10, "the table").unwrap();
        assert_eq!(
            (one.held(), run.held(), one.left(), other.left()),
            (70, 70, 10, 30)
        );
        let met = one.take(20, "the design").unwrap_err();
        assert_eq!(met.limit, Some((MemoryBound::Job, 80)));
        assert!(
            !met.has_rivals() && met.to_string().contains("--memory-limit 80 bytes"),
            "{met}"
        );
        let met = other.take(40, "the design").unwrap_err();
        assert_eq!(
            (met.limit, met.held),
            (Some((MemoryBound::Run, 100)), (0, 70))
        );
        assert!(met.has_rivals());
        table.set(5, "the table").unwrap();
        assert_eq!((one.held(), run.held(), one.peak()), (5, 5, 70));
        drop(table);
        assert_eq!((one.held(), run.held(), run.peak()), (0, 0, 70));
        assert!(one.take(u64::MAX, "all").is_err());
        let refused = MemoryBudget::default().take(1 << 60, "all").unwrap_err();
        assert_eq!((refused.limit, refused.wanted), (None, 1 << 60));
        let table = one.take(60, "the table").unwrap();
        let table = table.hand_over(&other, "the table").unwrap();
        assert_eq!((one.held(), other.held(), run.held()), (0, 60, 60));
        drop(table);
        assert_eq!((other.held(), run.held(), run.peak()), (0, 0, 70));
        let shared = one.share(30, "the table").unwrap();
        assert_eq!((one.held(), run.held()), (30, 0));
        drop(shared);
        assert_eq!((one.held(), run.held()), (0, 0));
    }
}
