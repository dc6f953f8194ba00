//! What jobs that run at the same time share: threads, GPUs and memory.

use std::{
    collections::HashMap,
    num::NonZeroUsize,
    path::PathBuf,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use crate::{
    device::{DeviceChoice, MIN_GPU_ELEMENTS, Placement, Resources},
    job::{RunSettings, Task, task::Command},
    ranks::Communicator,
    table::estimated_values,
};

/// What a job takes.
#[derive(Debug, Clone, Default)]
pub struct Demand {
    /// Threads of its own wish.
    threads: Option<usize>,
    /// Bytes, by estimate.
    pub memory: u64,
    /// How many GPUs, whichever: one of many jobs takes one.
    any_card: bool,
    /// GPUs by number.
    cards: Vec<usize>,
}

/// How many cards there are, asked for once and only where a job may want one.
#[derive(Debug, Default)]
pub struct GpuCensus {
    count: Option<usize>,
    /// Of each file of data about how many values there are.
    values: HashMap<PathBuf, u64>,
}

impl GpuCensus {
    fn count(&mut self) -> usize {
        *self.count.get_or_insert_with(|| {
            let all = Placement::resolve(&DeviceChoice::Cuda(Vec::new()), 0);
            all.map_or(0, |it| it.0.host_threads())
        })
    }
}

impl Demand {
    /// Of one task of several; about so many values are in its data.
    pub fn of(task: &Task, cards: &mut GpuCensus) -> Self {
        let job = task.job();
        let known = cards.values.entry(job.data.clone());
        let values = *known.or_insert_with(|| estimated_values(&job.data).unwrap_or(0));
        let is_pass = task.command() == Command::Select && job.selector.is_none();
        let (any_card, named) = match &job.resources.devices {
            DeviceChoice::Auto => (is_pass && values as usize >= MIN_GPU_ELEMENTS, Vec::new()),
            DeviceChoice::Cuda(all) if all.is_empty() => (true, Vec::new()),
            DeviceChoice::Cuda(named) => (false, named.clone()),
            DeviceChoice::Cpu(_) => (false, Vec::new()),
        };
        Self {
            threads: job.resources.threads.map(NonZeroUsize::get),
            // The table as it is read, and what is made of it.
            memory: values.saturating_mul(16),
            any_card: any_card && cards.count() > 0,
            cards: named,
        }
    }
}

impl Demand {
    /// Of a job that all ranks do together: none of them waits for a card.
    pub fn for_all(&mut self) {
        self.any_card = false;
        self.cards.clear();
    }
}

/// What is free.
#[derive(Debug)]
struct Free {
    threads: usize,
    memory: Option<u64>,
    cards: Vec<usize>,
    running: usize,
}

/// Threads, GPUs and memory, taken and given back.
#[derive(Debug)]
pub struct ResourcePool {
    free: Mutex<Free>,
    given_back: Condvar,
    threads: usize,
    cards: usize,
    at_once: usize,
}

/// What one job has taken.
#[derive(Debug)]
pub struct Reservation<'a> {
    room: &'a ResourcePool,
    threads: usize,
    memory: u64,
    cards: Vec<usize>,
    /// The card that was any, if it was.
    own_card: Option<usize>,
}

impl ResourcePool {
    /// As the settings of a run say.
    pub fn new(
        settings: &RunSettings,
        cards: &mut GpuCensus,
        needs: &[&Demand],
        communicator: Option<&Communicator>,
    ) -> Self {
        let threads = Resources {
            threads: settings.threads,
            communicator: communicator.cloned(),
            ..Resources::default()
        };
        let threads = threads.thread_count();
        let wants = needs.iter().any(|it| it.any_card || !it.cards.is_empty());
        let count = if wants { cards.count() } else { 0 };
        // Of ranks on one machine each has its own.
        let all = match count {
            0 => Vec::new(),
            _ => match Placement::Cuda((0..count).collect()).for_rank(communicator) {
                Placement::Cuda(own) => own,
                Placement::Cpu(_) => Vec::new(),
            },
        };
        let cards = all.len();
        Self {
            free: Mutex::new(Free {
                threads,
                memory: settings.memory_limit,
                cards: all.into_iter().rev().collect(),
                running: 0,
            }),
            given_back: Condvar::new(),
            threads,
            cards,
            at_once: settings.at_once.map_or(threads, NonZeroUsize::get),
        }
    }

    /// Jobs that may run at the same time.
    pub fn at_once(&self) -> usize {
        self.at_once.min(self.threads)
    }

    fn free(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room for a job, of so many that are still to start, it among them.
    /// What needs more than there is runs alone.
    pub fn take(&self, need: &Demand, left: usize) -> Reservation<'_> {
        let mut free = self.free();
        loop {
            let alone = free.running == 0;
            let wish = need.threads.unwrap_or(1).min(self.threads);
            let fits = free.memory.is_none_or(|it| it >= need.memory);
            let named = need.cards.iter().all(|it| free.cards.contains(it));
            let any = !need.any_card || !free.cards.is_empty();
            if alone || (free.threads >= wish && fits && named && any) {
                break;
            }
            free = self
                .given_back
                .wait(free)
                .unwrap_or_else(PoisonError::into_inner);
        }
        free.running += 1;
        // Those that will run beside it have as many.
        let beside = left.min(self.at_once() + 1 - free.running.min(self.at_once()));
        let share = free.threads.div_ceil(beside.max(1)).max(1);
        let threads = need.threads.unwrap_or(share).min(free.threads.max(1));
        free.threads = free.threads.saturating_sub(threads);
        let memory = match &mut free.memory {
            Some(memory) => {
                let taken = need.memory.min(*memory);
                *memory -= taken;
                taken
            }
            None => 0,
        };
        let own_card = if need.any_card {
            free.cards.pop()
        } else {
            None
        };
        let mut cards = Vec::from_iter(own_card);
        cards.extend(need.cards.iter().filter(|it| free.cards.contains(it)));
        free.cards.retain(|it| !cards.contains(it));
        Reservation {
            room: self,
            threads,
            memory,
            cards,
            own_card,
        }
    }
}

impl Reservation<'_> {
    /// Threads of the job.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// What the job runs on.
    pub fn give(&self, resources: &mut Resources) {
        resources.threads = NonZeroUsize::new(self.threads);
        // Of one card it is the same, and where it cannot be used the CPU is.
        let alone = self.room.cards == 1
            && self.own_card == Some(0)
            && resources.devices == DeviceChoice::Auto;
        if let Some(card) = self.own_card.filter(|_| !alone) {
            resources.devices = DeviceChoice::Cuda(vec![card]);
        }
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let mut free = self.room.free();
        free.running -= 1;
        free.threads += self.threads;
        free.memory = free.memory.map(|it| it + self.memory);
        free.cards.append(&mut self.cards);
        drop(free);
        self.room.given_back.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(threads: usize, memory: Option<u64>) -> ResourcePool {
        let settings = RunSettings {
            threads: NonZeroUsize::new(threads),
            memory_limit: memory,
            ..RunSettings::default()
        };
        ResourcePool::new(&settings, &mut GpuCensus::default(), &[], None)
    }

    #[test]
    fn many_jobs_have_a_thread_each_and_few_share_all() {
        let room = room(4, None);
        let need = Demand::default();
        let all: Vec<_> = (0..4).map(|at| room.take(&need, 100 - at)).collect();
        assert!(all.iter().all(|it| it.threads() == 1));
        drop(all);
        let first = room.take(&need, 2);
        let last = room.take(&need, 1);
        assert_eq!((first.threads(), last.threads()), (2, 2));
        drop((first, last));
        assert_eq!(room.take(&need, 1).threads(), 4);
        let wish = Demand {
            threads: Some(3),
            ..need
        };
        assert_eq!(room.take(&wish, 50).threads(), 3);
        assert_eq!(room.free().threads, 4);
    }

    #[test]
    fn what_needs_more_than_there_is_runs_alone() {
        let room = room(2, Some(100));
        let large = Demand {
            memory: 1000,
            threads: Some(9),
            ..Demand::default()
        };
        let taken = room.take(&large, 5);
        assert_eq!((taken.threads(), room.free().memory), (2, Some(0)));
        drop(taken);
        assert_eq!(room.free().memory, Some(100));
    }
}
