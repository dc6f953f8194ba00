//! Processes that work as one, on one machine or on many: each runs the same program on the same
//! job, in the same order, and sweeps a share of the columns.
//!
//! All that one needs of the others goes through two verbs, [`Ranks::gather`] and
//! [`Ranks::broadcast`]: each gives its best and gets all of theirs, so that all decide alike; then
//! whoever has the column that was chosen tells it. What else must be agreed on goes with it, in
//! the first byte of a message: the wish to end (a rank that heeded it a step before the others
//! would leave them waiting), that time is up, that a rank failed.

#[cfg(test)]
mod tests;
mod threads;
mod told;

use std::{
    fmt, fs, io,
    ops::Range,
    panic::{RefUnwindSafe, UnwindSafe},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::interrupt::Interrupt;
pub use threads::threads;
pub use told::{Failure, Told};

/// The processes that work together, seen from one of them.
///
/// All ranks call the same verbs in the same order, one thread at a time.
pub trait Ranks: fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Which it is, from 0 on.
    fn rank(&self) -> usize;

    /// How many there are.
    fn size(&self) -> usize;

    /// The machine it runs on, by name.
    fn host(&self) -> String;

    /// What each gives, by rank.
    ///
    /// # Errors
    /// A rank that is gone.
    fn gather(&self, own: &[u8]) -> io::Result<Vec<Vec<u8>>>;

    /// What the rank `from` gives; what others do is not looked at.
    ///
    /// # Errors
    /// A rank that is gone.
    fn broadcast(&self, from: usize, own: Vec<u8>) -> io::Result<Vec<u8>>;

    /// Gives the rank `from`'s numbers to all, which have room for as many.
    ///
    /// # Errors
    /// A rank that is gone.
    fn share(&self, from: usize, numbers: &mut [f64]) -> io::Result<()>;
}

/// The ranks of one piece of work, and what they agree on. Clones are of the same.
#[derive(Debug, Clone)]
pub struct Among(Arc<Agreed>);

#[derive(Debug)]
struct Agreed {
    ranks: Arc<dyn Ranks>,
    interrupt: Interrupt,
    /// Of every rank.
    places: Vec<Place>,
    /// Whether this rank is late, and whether all know that one is.
    late: [AtomicBool; 2],
    failed: Mutex<Vec<Failure>>,
    told: [AtomicU64; 4],
}

/// Where a rank runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    host: String,
    /// The cores it may use, as the system writes it; empty where that is not known.
    cores: String,
}

/// The first byte of a message: what its rank wishes, or that it failed.
const END: u8 = 1;
const LATE: u8 = 2;
const FAILED: u8 = 4;

impl Among {
    /// Of these ranks; from now on the interrupt is heeded once all ranks know of it.
    ///
    /// # Errors
    /// A rank that is gone.
    pub fn new(ranks: Arc<dyn Ranks>, interrupt: &Interrupt) -> io::Result<Self> {
        interrupt.require_agreement(true);
        let own = Place {
            host: ranks.host(),
            cores: cores(),
        };
        let of = |places| {
            Self(Arc::new(Agreed {
                places,
                ranks: Arc::clone(&ranks),
                interrupt: interrupt.clone(),
                late: Default::default(),
                failed: Mutex::default(),
                told: Default::default(),
            }))
        };
        let places = of(Vec::new()).gather(&own)?;
        Ok(of(places))
    }

    /// Begins another piece of work: what one failed at before is forgotten, and what was said.
    pub fn renew(&self) {
        let Agreed {
            late, failed, told, ..
        } = &*self.0;
        for late in late {
            late.store(false, Ordering::Relaxed);
        }
        let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.clear();
        told.iter().for_each(|it| it.store(0, Ordering::Relaxed));
    }

    /// Which rank this is, from 0 on.
    pub fn rank(&self) -> usize {
        self.0.ranks.rank()
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        self.0.ranks.size()
    }

    /// Whether it is the one that reads checkpoints, writes files and speaks.
    pub fn is_first(&self) -> bool {
        self.rank() == 0
    }

    /// The machines, each once, in the order of their first ranks.
    pub fn hosts(&self) -> Vec<&str> {
        let mut hosts: Vec<&str> = Vec::new();
        for place in &self.0.places {
            if !hosts.contains(&&*place.host) {
                hosts.push(&place.host);
            }
        }
        hosts
    }

    /// The machine of a rank.
    pub(crate) fn host(&self, rank: usize) -> &str {
        self.0.places.get(rank).map_or("", |it| &it.host)
    }

    /// Of how many ranks of this machine it is which, from 0 on.
    pub(crate) fn on_host(&self) -> (usize, usize) {
        self.like(|own, other| own.host == other.host)
    }

    /// Of how many that may use the same cores it is which: others are bound to their own.
    pub(crate) fn on_cores(&self) -> (usize, usize) {
        self.like(|own, other| own == other)
    }

    fn like(&self, like: impl Fn(&Place, &Place) -> bool) -> (usize, usize) {
        let (rank, places) = (self.rank(), &self.0.places);
        let Some(own) = places.get(rank) else {
            return (0, 1);
        };
        let alike = |it: &[Place]| it.iter().filter(|other| like(own, other)).count();
        (alike(&places[..rank]), alike(places))
    }

    /// The columns that are this rank's, of so many.
    pub(crate) fn share(&self, columns: usize) -> Range<usize> {
        let (rank, size) = (self.rank(), self.size());
        columns * rank / size..columns * (rank + 1) / size
    }

    /// The rank whose [share](Self::share) one of so many is in.
    pub(crate) fn owner(&self, at: usize, of: usize) -> usize {
        // The first whose end is beyond it.
        ((at + 1) * self.size()).div_ceil(of.max(1)) - 1
    }

    /// Sees that all ranks have the same of what they must not differ in.
    ///
    /// # Errors
    /// The first rank that has something else, by machine, with what both have: on all ranks alike.
    pub(crate) fn check_same(&self, what: &str, own: &String) -> io::Result<()> {
        let all = self.gather(own)?;
        match (1..all.len()).find(|rank| all[*rank] != all[0]) {
            None => Ok(()),
            Some(rank) => {
                let (theirs, first) = (&all[rank], &all[0]);
                let (there, here) = (self.host(rank), self.host(0));
                Err(io::Error::other(format!(
                    "the ranks differ in {what}: rank {rank} on {there} has {theirs}, rank 0 on \
                     {here} {first}"
                )))
            }
        }
    }

    /// While one rank works alone, it heeds the wish to end by itself.
    pub(crate) fn interrupt_alone(&self, alone: bool) {
        self.0.interrupt.require_agreement(!alone);
    }

    /// What every rank gives, by rank.
    ///
    /// # Errors
    /// A rank that failed or is gone, or one that is of another program.
    pub(crate) fn gather<T: Serialize + DeserializeOwned>(&self, own: &T) -> io::Result<Vec<T>> {
        let message = postcard::to_extend(own, vec![self.wish()]).map_err(io::Error::other)?;
        let given = |message: Vec<u8>| {
            postcard::from_bytes(message.get(1..).unwrap_or_default()).map_err(io::Error::other)
        };
        self.exchange(message)?.into_iter().map(given).collect()
    }

    /// What all gave of so many things that are dealt out by turns, in the order of these.
    ///
    /// # Errors
    /// As [`gather`](Self::gather).
    pub(crate) fn of_turns<T: Serialize + DeserializeOwned>(
        &self,
        own: &Vec<T>,
        count: usize,
    ) -> io::Result<Vec<T>> {
        let told = self.gather(own)?;
        let mut told: Vec<_> = told.into_iter().map(Vec::into_iter).collect();
        let in_turn = (0..count).filter_map(|at| told[at % self.size()].next());
        Ok(in_turn.collect())
    }

    /// Bytes that every rank gives, by rank.
    ///
    /// # Errors
    /// A rank that failed or is gone.
    pub(crate) fn gather_bytes(&self, own: Vec<u8>) -> io::Result<Vec<Vec<u8>>> {
        let all = self.exchange([&[self.wish()], &*own].concat())?;
        Ok(all.into_iter().map(|it| it[1..].to_vec()).collect())
    }

    /// What the first rank gives to all.
    ///
    /// # Errors
    /// As [`gather`](Self::gather).
    pub(crate) fn of_first<T: Serialize + DeserializeOwned>(
        &self,
        own: impl FnOnce() -> T,
    ) -> io::Result<T> {
        let own = self.is_first().then(own);
        let given = self.gather(&own)?.into_iter().next().flatten();
        given.ok_or_else(|| io::Error::other("the first rank said nothing"))
    }

    /// What the rank `from` gives to all.
    ///
    /// # Errors
    /// A rank that is gone.
    pub(crate) fn broadcast(&self, from: usize, own: Vec<u8>) -> io::Result<Vec<u8>> {
        let all = self.0.ranks.broadcast(from, own)?;
        self.count(2, all.len());
        Ok(all)
    }

    fn wish(&self) -> u8 {
        let end = match self.0.interrupt.requested_here() {
            true => END,
            false => 0,
        };
        end | match self.0.late[0].load(Ordering::Relaxed) {
            true => LATE,
            false => 0,
        }
    }

    /// Gives the rank `from`'s numbers to all, which have room for as many.
    ///
    /// # Errors
    /// A rank that is gone.
    pub(crate) fn share_numbers(&self, from: usize, numbers: &mut [f64]) -> io::Result<()> {
        self.0.ranks.share(from, numbers)?;
        self.count(2, size_of_val(numbers));
        Ok(())
    }

    fn count(&self, of: usize, bytes: usize) {
        self.0.told[of].fetch_add(1, Ordering::Relaxed);
        self.0.told[of + 1].fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Gives a message, and heeds what those of the others begin with.
    fn exchange(&self, message: Vec<u8>) -> io::Result<Vec<Vec<u8>>> {
        let it = &*self.0;
        if let Some(failure) = self.failures().first() {
            return Err(io::Error::other(failure.to_string()));
        }
        self.count(0, message.len());
        let all = it.ranks.gather(&message)?;
        let wishes: Vec<u8> = all
            .iter()
            .map(|it| it.first().copied().unwrap_or(0))
            .collect();
        let wished = wishes.iter().fold(0, |all, it| all | it);
        if wished & END > 0 {
            it.interrupt.mark_agreed();
        }
        if wished & LATE > 0 {
            it.late[1].store(true, Ordering::Relaxed);
        }
        if wished & FAILED == 0 {
            return Ok(all);
        }
        let failed = (0..).zip(&wishes).filter(|(_, wish)| *wish & FAILED > 0);
        let failed: Vec<Failure> = failed
            .map(|(rank, _)| Failure {
                rank,
                host: self.host(rank).to_owned(),
                message: String::from_utf8_lossy(&all[rank][1..]).into_owned(),
            })
            .collect();
        let first = failed[0].to_string();
        *it.failed.lock().unwrap_or_else(PoisonError::into_inner) = failed;
        Err(io::Error::other(first))
    }

    /// Ends the work: all ranks learn which failed, if any did. A rank that knows of a failure
    /// already says no more.
    ///
    /// # Errors
    /// A rank that is gone.
    pub fn end(&self, own: Result<(), String>) -> io::Result<Vec<Failure>> {
        if self.failures().is_empty() {
            let message = match own {
                Ok(()) => vec![self.wish()],
                Err(message) => [&[FAILED | self.wish()], message.as_bytes()].concat(),
            };
            if let Err(error) = self.exchange(message)
                && self.failures().is_empty()
            {
                return Err(error);
            }
        }
        Ok(self.failures())
    }

    /// The ranks that failed, as far as they said so.
    pub fn failures(&self) -> Vec<Failure> {
        let failed = self.0.failed.lock();
        failed.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether time is up, once all ranks know that it is for one of them.
    pub(crate) fn late(&self, own: bool) -> bool {
        self.0.late[0].store(own, Ordering::Relaxed);
        self.0.late[1].load(Ordering::Relaxed)
    }

    /// What was said until now.
    pub fn told(&self) -> Told {
        let of = |at: usize| self.0.told[at].load(Ordering::Relaxed);
        Told {
            gathered: of(0),
            gathered_bytes: of(1),
            broadcast: of(2),
            broadcast_bytes: of(3),
        }
    }
}

/// The cores that this process may use; empty where the system does not say.
fn cores() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let list = lines.find_map(|it| it.strip_prefix("Cpus_allowed_list:"));
    list.unwrap_or_default().trim().to_owned()
}

impl PartialEq for Among {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Among {}
