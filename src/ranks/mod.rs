//! Ranks: processes, on one machine or on many, that run the same program on the same job in the
//! same order, each on its share of the columns.
//!
//! Everything that one rank needs of the others goes through the collective operations of a
//! [`Transport`]: an all-gather of each rank's best, from which all ranks draw the same conclusion,
//! and broadcasts of the column that was chosen. The first byte of a gathered message carries what
//! all ranks must heed at the same step: a request to stop, a time limit that has passed, a failure.
//! A rank that heeded one of these a step earlier than the others would leave them waiting.

mod messages;
#[cfg(test)]
pub(crate) mod tests;
mod threads;

use std::{
    fmt, io,
    ops::Range,
    panic::{RefUnwindSafe, UnwindSafe},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    interrupt::{Deadline, Interrupt},
    machine,
};
pub use messages::{RankFailure, Traffic};
pub use threads::thread_transports;

/// The collective operations that connect one rank to the others, over MPI for instance.
///
/// All ranks call the same operations in the same order, from one thread at a time.
pub trait Transport: fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// The number of this rank, counted from 0.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn size(&self) -> usize;

    /// The name of the machine that this rank runs on.
    fn host(&self) -> String;

    /// All-gather: returns the messages of all ranks, in the order of ranks.
    ///
    /// # Errors
    /// A rank is gone.
    fn gather(&self, own: &[u8]) -> io::Result<Vec<Vec<u8>>>;

    /// Returns the message of rank `root`; the `own` of all others is ignored.
    ///
    /// # Errors
    /// A rank is gone.
    fn broadcast(&self, root: usize, own: Vec<u8>) -> io::Result<Vec<u8>>;

    /// Overwrites `numbers` by those of rank `root`.
    ///
    /// *Shapes:* `numbers` has the same length on all ranks.
    ///
    /// # Errors
    /// A rank is gone.
    fn broadcast_numbers(&self, root: usize, numbers: &mut [f64]) -> io::Result<()>;
}

/// The ranks that work at one job, as one of them sees them. Clones share their state.
#[derive(Debug, Clone)]
pub struct Communicator(Arc<State>);

#[derive(Debug)]
struct State {
    transport: Arc<dyn Transport>,
    interrupt: Interrupt,
    /// By rank.
    locations: Vec<Location>,
    /// The deadline of what all ranks do now.
    deadline: Mutex<Option<Arc<Deadline>>>,
    record: Mutex<Record>,
}

/// What happened in the job so far.
#[derive(Debug, Default)]
struct Record {
    failures: Vec<RankFailure>,
    traffic: Traffic,
}

/// Where a rank runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Location {
    host: String,
    /// The cores it may use, as the system lists them; empty where that is unknown.
    cores: String,
}

/// Flags in the first byte of a gathered message. The rest of one with `FAILED` is the error text.
const INTERRUPTED: u8 = 1;
const LATE: u8 = 2;
const FAILED: u8 = 4;

impl Communicator {
    /// Connects the ranks. From now on, `interrupt` is heeded once all ranks know of it.
    ///
    /// # Errors
    /// A rank is gone.
    pub fn new(transport: Arc<dyn Transport>, interrupt: &Interrupt) -> io::Result<Self> {
        interrupt.require_agreement(true);
        let own = Location {
            host: transport.host(),
            cores: machine::process_status("Cpus_allowed_list").unwrap_or_default(),
        };
        let with = |locations| {
            Self(Arc::new(State {
                transport: Arc::clone(&transport),
                interrupt: interrupt.clone(),
                locations,
                deadline: Mutex::default(),
                record: Mutex::default(),
            }))
        };
        let locations = with(Vec::new()).gather(&own)?;
        Ok(with(locations))
    }

    /// Prepares for another job: forgets failures and deadlines, and counts messages from 0.
    pub fn reset(&self) {
        *self.deadline() = None;
        *self.record() = Record::default();
    }

    fn deadline(&self) -> MutexGuard<'_, Option<Arc<Deadline>>> {
        let deadline = self.0.deadline.lock();
        deadline.unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        let record = self.0.record.lock();
        record.unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of this rank, counted from 0.
    pub fn rank(&self) -> usize {
        self.0.transport.rank()
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.0.transport.size()
    }

    /// Returns true on rank 0, which alone reads checkpoints, writes files and prints.
    pub fn is_root(&self) -> bool {
        self.rank() == 0
    }

    /// The names of the machines, each once, in the order of their first ranks.
    pub fn hosts(&self) -> Vec<&str> {
        let mut hosts: Vec<&str> = Vec::new();
        for location in &self.0.locations {
            if !hosts.contains(&&*location.host) {
                hosts.push(&location.host);
            }
        }
        hosts
    }

    pub(crate) fn host(&self, rank: usize) -> &str {
        let location = self.0.locations.get(rank);
        location.map_or("", |location| &location.host)
    }

    /// The number of this rank among those of its machine, and how many these are.
    pub(crate) fn local_rank_and_size(&self) -> (usize, usize) {
        let rank = self.rank();
        let is_local = |other: &usize| self.host(*other) == self.host(rank);
        let count = |end: usize| (0..end).filter(is_local).count();
        (count(rank), count(self.size()))
    }

    /// The number of ranks, this one included, that may use the cores that this one may use.
    pub(crate) fn ranks_on_same_cores(&self) -> usize {
        let locations = &self.0.locations;
        let own = locations.get(self.rank());
        locations.iter().filter(|other| Some(*other) == own).count()
    }

    /// The block of `0..total` that belongs to this rank. The blocks of all ranks cover it in order,
    /// and their lengths differ by at most 1.
    pub(crate) fn local_range(&self, total: usize) -> Range<usize> {
        let (rank, size) = (self.rank(), self.size());
        total * rank / size..total * (rank + 1) / size
    }

    /// The rank whose [`local_range`](Self::local_range) of `0..total` contains `index`.
    pub(crate) fn owner(&self, index: usize, total: usize) -> usize {
        // The first rank whose range ends beyond the index.
        ((index + 1) * self.size()).div_ceil(total.max(1)) - 1
    }

    /// Checks that `own` is equal on all ranks; `what` names it in the error.
    ///
    /// # Errors
    /// Names the first rank whose value differs from that of rank 0, its machine and both values.
    /// All ranks get the same error.
    pub(crate) fn check_equal(&self, what: &str, own: &String) -> io::Result<()> {
        let all = self.gather(own)?;
        match (1..all.len()).find(|rank| all[*rank] != all[0]) {
            None => Ok(()),
            Some(rank) => {
                let (theirs, first) = (&all[rank], &all[0]);
                let (there, here) = (self.host(rank), self.host(0));
                Err(io::Error::other(format!(
                    "the ranks differ in {what}: rank {rank} on {there} has {theirs}, rank 0 on \
                     {here} has {first}"
                )))
            }
        }
    }

    /// Sets whether this rank heeds an interrupt at once, for it works alone.
    pub(crate) fn interrupt_locally(&self, locally: bool) {
        self.0.interrupt.require_agreement(!locally);
    }

    /// All-gather: returns the values of all ranks, in the order of ranks.
    pub(crate) fn gather<T: Serialize + DeserializeOwned>(&self, own: &T) -> io::Result<Vec<T>> {
        let message = postcard::to_extend(own, vec![self.flags()]).map_err(io::Error::other)?;
        let decode = |message: Vec<u8>| {
            postcard::from_bytes(message.get(1..).unwrap_or_default()).map_err(io::Error::other)
        };
        self.exchange(message)?.into_iter().map(decode).collect()
    }

    /// All-gather of `total` items that were dealt out round-robin: item `i` comes from rank
    /// `i mod size`. Returns them in the order of items.
    pub(crate) fn gather_round_robin<T: Serialize + DeserializeOwned>(
        &self,
        own: &Vec<T>,
        total: usize,
    ) -> io::Result<Vec<T>> {
        let all = self.gather(own)?;
        let mut all: Vec<_> = all.into_iter().map(Vec::into_iter).collect();
        let items = (0..total).filter_map(|item| all[item % self.size()].next());
        Ok(items.collect())
    }

    /// All-gather of bytes that need no encoding, in the order of ranks.
    pub(crate) fn gather_bytes(&self, own: Vec<u8>) -> io::Result<Vec<Vec<u8>>> {
        let all = self
            .exchange([&[self.flags()], &*own].concat())?
            .into_iter();
        Ok(all.map(|message| message[1..].to_vec()).collect())
    }

    /// Returns the value of rank 0, which alone computes it. Unlike [`broadcast`](Self::broadcast)
    /// this also exchanges interrupts and failures.
    pub(crate) fn broadcast_first<T: Serialize + DeserializeOwned>(
        &self,
        own: impl FnOnce() -> T,
    ) -> io::Result<T> {
        let own = self.is_root().then(own);
        let first = self.gather(&own)?.into_iter().next().flatten();
        first.ok_or_else(|| io::Error::other("rank 0 sent no value"))
    }

    /// Returns the bytes of rank `root`.
    pub(crate) fn broadcast(&self, root: usize, own: Vec<u8>) -> io::Result<Vec<u8>> {
        let bytes = self.0.transport.broadcast(root, own)?;
        self.count_broadcast(bytes.len());
        Ok(bytes)
    }

    /// Overwrites `numbers` by those of rank `root`.
    ///
    /// *Shapes:* `numbers` has the same length on all ranks.
    pub(crate) fn broadcast_numbers(&self, root: usize, numbers: &mut [f64]) -> io::Result<()> {
        self.0.transport.broadcast_numbers(root, numbers)?;
        self.count_broadcast(size_of_val(numbers));
        Ok(())
    }

    fn count_broadcast(&self, bytes: usize) {
        let traffic = &mut self.record().traffic;
        traffic.broadcast += 1;
        traffic.broadcast_bytes += bytes as u64;
    }

    /// The first byte of this rank's next message.
    fn flags(&self) -> u8 {
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        let deadline = self.deadline();
        flag(self.0.interrupt.requested_here(), INTERRUPTED)
            | flag(
                deadline.as_ref().is_some_and(|own| own.has_passed_here()),
                LATE,
            )
    }

    /// Gathers messages, and heeds the flags in their first bytes.
    fn exchange(&self, message: Vec<u8>) -> io::Result<Vec<Vec<u8>>> {
        let mut record = self.record();
        if let Some(failure) = record.failures.first() {
            return Err(io::Error::other(failure.to_string()));
        }
        record.traffic.gathered += 1;
        record.traffic.gathered_bytes += message.len() as u64;
        drop(record);
        let state = &*self.0;
        let all = state.transport.gather(&message)?;
        let flags = |message: &[u8]| message.first().copied().unwrap_or(0);
        let any = all.iter().fold(0, |any, message| any | flags(message));
        if any & INTERRUPTED > 0 {
            state.interrupt.mark_agreed();
        }
        if any & LATE > 0 {
            self.deadline()
                .iter()
                .for_each(|deadline| deadline.mark_agreed());
        }
        if any & FAILED == 0 {
            return Ok(all);
        }
        let messages = (0..).zip(&all);
        let failed = messages.filter(|(_, message)| flags(message) & FAILED > 0);
        let failures: Vec<RankFailure> = failed
            .map(|(rank, message)| RankFailure {
                rank,
                host: self.host(rank).to_owned(),
                message: String::from_utf8_lossy(&message[1..]).into_owned(),
            })
            .collect();
        let first = failures[0].to_string();
        self.record().failures = failures;
        Err(io::Error::other(first))
    }

    /// Ends the job: tells the other ranks whether this one failed, and returns the failures of all.
    /// A rank that already knows of a failure sends nothing.
    ///
    /// # Errors
    /// A rank is gone.
    pub fn finish(&self, own: Result<(), String>) -> io::Result<Vec<RankFailure>> {
        if self.failures().is_empty() {
            let message = match own {
                Ok(()) => vec![self.flags()],
                Err(message) => [&[FAILED | self.flags()], message.as_bytes()].concat(),
            };
            if let Err(error) = self.exchange(message)
                && self.failures().is_empty()
            {
                return Err(error);
            }
        }
        Ok(self.failures())
    }

    /// The failures that ranks have reported so far.
    pub fn failures(&self) -> Vec<RankFailure> {
        self.record().failures.clone()
    }

    /// From now on the deadline of this request, if it has one, counts once all ranks know that it has
    /// passed on one of them. All ranks call this at the same step.
    pub(crate) fn heed_deadline(&self, interrupt: &Interrupt) {
        *self.deadline() = interrupt.shared_deadline();
    }

    /// The messages that this rank has exchanged since the last [`reset`](Self::reset).
    pub fn traffic(&self) -> Traffic {
        self.record().traffic
    }
}

impl PartialEq for Communicator {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Communicator {}
