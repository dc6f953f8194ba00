//! The threads, GPUs and memory that running jobs share.

use std::{
    collections::HashMap,
    num::NonZeroUsize,
    path::PathBuf,
    sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
};

use serde::{Deserialize, Serialize};

use super::{estimate, times::LastEnd};
use crate::{
    device::{DeviceChoice, Placement, Resources, gpus_pay},
    family::Distribution,
    job::{RunSettings, Task, task::Command},
    memory::MemoryBudget,
    ranks::Communicator,
    table::{Extent, TextOptions, extent},
};

/// The resources that a job needs.
#[derive(Debug, Clone, Default)]
pub(super) struct Demand {
    /// Threads, where the job says how many.
    threads: Option<usize>,
    /// Memory, by estimate. *Units:* bytes.
    pub(super) memory: u64,
    /// Whether it takes one GPU, whichever is free.
    any_gpu: bool,
    gpus: Vec<usize>,
}

impl Demand {
    pub(super) fn uses_gpus(&self) -> bool {
        self.any_gpu || !self.gpus.is_empty()
    }

    /// Keeps the job from waiting for GPUs.
    pub(super) fn reserve_no_gpu(&mut self) {
        self.any_gpu = false;
        self.gpus.clear();
    }
}

/// Estimates what jobs need. GPUs are counted once, and only if a job may use one.
#[derive(Debug, Default)]
pub(super) struct DemandEstimator {
    gpu_count: Option<usize>,
    /// About how much each data file holds, read as its jobs read it.
    extents: HashMap<(Vec<PathBuf>, TextOptions), Extent>,
    /// The threads that a job is likely to have which does not say how many.
    threads: usize,
}

impl DemandEstimator {
    pub(super) fn gpu_count(&mut self) -> usize {
        *self.gpu_count.get_or_insert_with(|| {
            let all = Placement::resolve(&DeviceChoice::Cuda(Vec::new()), true);
            all.map_or(0, |(placement, _)| placement.host_threads())
        })
    }

    /// Estimates for so many jobs of a run.
    pub(super) fn of_run(settings: &RunSettings, jobs: usize) -> Self {
        let resources = Resources {
            threads: settings.threads,
            ..Resources::default()
        };
        let threads = resources.thread_count();
        let most = settings.max_running.map_or(threads, NonZeroUsize::get);
        Self {
            threads: (threads / most.min(jobs).max(1)).max(1),
            ..Self::default()
        }
    }

    /// What a task needs that runs beside others: by its last run, unless the estimate is so far from it
    /// that the data or the method must have changed.
    pub(super) fn estimate(&mut self, last: Option<&LastEnd>, task: &Task) -> Demand {
        let job = task.job();
        let files = [&job.data].into_iter().chain(&job.cohort.merge).cloned();
        let files: Vec<PathBuf> = files.collect();
        let known = self.extents.entry((files.clone(), job.text));
        let extent = known.or_insert_with(|| {
            let each = files.iter().filter_map(|file| extent(file, job.text));
            each.reduce(Extent::with_columns_of).unwrap_or_default()
        });
        let values = extent.values();
        let threads = job
            .resources
            .threads
            .map_or(self.threads, NonZeroUsize::get);
        let estimate = estimate::memory(task, extent, threads);
        let is_near = |peak: &u64| *peak / 4 <= estimate && estimate / 4 <= *peak;
        let last = last.filter(|end| end.error.is_none());
        let learned = last.and_then(|end| end.peak_memory).filter(is_near);
        let is_pass = task.command() == Command::Select && job.selector.is_none();
        let (any_gpu, gpus) = match &job.resources.devices {
            DeviceChoice::Auto => {
                let times = job
                    .pass
                    .relative_effort(job.kind.distribution != Distribution::Gaussian);
                (
                    is_pass && gpus_pay(values as usize, times, threads),
                    Vec::new(),
                )
            }
            DeviceChoice::Cuda(all) if all.is_empty() => (true, Vec::new()),
            DeviceChoice::Cuda(named) => (false, named.clone()),
            DeviceChoice::Cpu(_) => (false, Vec::new()),
        };
        Demand {
            threads: job.resources.threads.map(NonZeroUsize::get),
            memory: learned.unwrap_or(estimate),
            any_gpu: any_gpu && self.gpu_count() > 0,
            gpus,
        }
    }
}

/// Resources that no running job has reserved.
#[derive(Debug)]
struct Free {
    threads: usize,
    /// `None` without a limit.
    memory: Option<u64>,
    gpus: Vec<usize>,
    running: usize,
}

/// The resources of a run, which its jobs reserve and give back.
#[derive(Debug)]
pub(super) struct ResourcePool {
    free: Mutex<Free>,
    released: Condvar,
    threads: usize,
    gpus: usize,
    max_running: usize,
    /// All memory, where it is divided among jobs as threads are: processes know nothing of one another's accounts.
    divided_memory: Option<u64>,
}

/// The resources of a running job; dropping it gives them back.
#[derive(Debug)]
pub(super) struct Reservation<'a> {
    pool: &'a ResourcePool,
    pub(super) threads: usize,
    memory: u64,
    gpus: Vec<usize>,
    /// The GPU that was assigned to a job which takes any.
    assigned_gpu: Option<usize>,
    /// The account of the job's memory, once it has begun.
    account: OnceLock<MemoryBudget>,
}

impl ResourcePool {
    /// The resources that the settings of a run allow, on a machine with so many GPUs. Ranks of one
    /// machine divide its GPUs and cores.
    pub(super) fn new(
        settings: &RunSettings,
        gpu_count: usize,
        communicator: Option<&Communicator>,
    ) -> Self {
        let resources = Resources {
            threads: settings.threads,
            communicator: communicator.cloned(),
            ..Resources::default()
        };
        let threads = resources.thread_count();
        let all = Placement::Cuda((0..gpu_count).collect());
        let own = (gpu_count > 0).then(|| all.for_rank(communicator));
        let gpus = match own {
            Some(Placement::Cuda(own)) => own,
            _ => Vec::new(),
        };
        let of_system = || Some(MemoryBudget::of_system().left()).filter(|left| *left < u64::MAX);
        let divided_memory = match settings.isolate {
            true => settings.memory_limit.or_else(of_system),
            false => None,
        };
        Self {
            threads,
            gpus: gpus.len(),
            divided_memory,
            free: Mutex::new(Free {
                threads,
                memory: divided_memory.or(settings.memory_limit),
                gpus: gpus.into_iter().rev().collect(),
                running: 0,
            }),
            released: Condvar::new(),
            max_running: settings.max_running.map_or(threads, NonZeroUsize::get),
        }
    }

    pub(super) fn max_running(&self) -> usize {
        self.max_running.min(self.threads)
    }

    fn free(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a job fits, which is one of `left` jobs still to be started. A job that needs more
    /// than the whole pool runs alone.
    pub(super) fn reserve(&self, demand: &Demand, left: usize) -> Reservation<'_> {
        let wanted = demand.threads.unwrap_or(1).min(self.threads);
        let is_full = |free: &mut Free| {
            let has_threads = free.threads >= wanted;
            let has_memory = free.memory.is_none_or(|memory| memory >= demand.memory);
            let has_named = demand.gpus.iter().all(|gpu| free.gpus.contains(gpu));
            let has_any = !demand.any_gpu || !free.gpus.is_empty();
            free.running > 0 && !(has_threads && has_memory && has_named && has_any)
        };
        let free = self.released.wait_while(self.free(), is_full);
        let mut free = free.unwrap_or_else(PoisonError::into_inner);
        free.running += 1;
        // The free threads are divided among this job and those that will start beside it.
        let starting = left.min(self.max_running() + 1 - free.running.min(self.max_running()));
        let share = free.threads.div_ceil(starting.max(1)).max(1);
        let threads = demand.threads.unwrap_or(share).min(free.threads.max(1));
        free.threads = free.threads.saturating_sub(threads);
        let all = free.memory.unwrap_or(0);
        let own = match self.divided_memory {
            Some(_) => demand.memory.max(all / starting.max(1) as u64),
            None => demand.memory,
        };
        let memory = own.min(all);
        free.memory = free.memory.map(|all| all - memory);
        let assigned_gpu = demand.any_gpu.then(|| free.gpus.pop()).flatten();
        let mut gpus = Vec::from_iter(assigned_gpu);
        gpus.extend(demand.gpus.iter().filter(|gpu| free.gpus.contains(gpu)));
        free.gpus.retain(|gpu| !gpus.contains(gpu));
        Reservation {
            pool: self,
            threads,
            memory,
            gpus,
            assigned_gpu,
            account: OnceLock::new(),
        }
    }
}

impl Reservation<'_> {
    /// Sets the threads and the GPU that a job runs on, and makes its memory a part of the run's.
    pub(super) fn apply(&self, resources: &mut Resources, memory: &MemoryBudget) {
        resources.threads = NonZeroUsize::new(self.threads);
        // With a single GPU, `auto` chooses it too, and falls back to the CPU if it cannot be used.
        let is_only_gpu = self.pool.gpus == 1 && self.assigned_gpu == Some(0);
        if let Some(gpu) = self.assigned_gpu
            && !(is_only_gpu && resources.devices == DeviceChoice::Auto)
        {
            resources.devices = DeviceChoice::Cuda(vec![gpu]);
        }
        resources.hold_within(memory);
        self.account.get_or_init(|| resources.memory.clone());
    }

    /// What a process of its own may use for the job.
    pub(super) fn share(&self) -> Share {
        let memory = self.pool.divided_memory.map(|_| self.memory);
        Share {
            threads: self.threads,
            gpus: self.assigned_gpu.map(|gpu| vec![gpu]),
            memory,
            is_crowded: memory < self.pool.divided_memory,
        }
    }

    /// The most memory that the job has held at once. *Units:* bytes.
    pub(super) fn peak_memory(&self) -> Option<u64> {
        self.account.get().map(MemoryBudget::peak)
    }
}

/// The part of the machine that a job may use in a process of its own.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Share {
    pub(super) threads: usize,
    /// The GPUs that it is to use; `None` for those that it names or chooses itself.
    pub(super) gpus: Option<Vec<usize>>,
    /// *Units:* bytes; `None` for no limit.
    pub(super) memory: Option<u64>,
    /// Whether it would have more memory alone.
    pub(super) is_crowded: bool,
}

impl Share {
    /// Sets what a job may use.
    pub(super) fn apply(&self, resources: &mut Resources) {
        resources.threads = NonZeroUsize::new(self.threads);
        if let Some(gpus) = &self.gpus {
            resources.devices = DeviceChoice::Cuda(gpus.clone());
        }
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let mut free = self.pool.free();
        free.running -= 1;
        free.threads += self.threads;
        free.memory = free.memory.map(|all| all + self.memory);
        free.gpus.append(&mut self.gpus);
        drop(free);
        self.pool.released.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(threads: usize, memory: Option<u64>) -> ResourcePool {
        let settings = RunSettings {
            threads: NonZeroUsize::new(threads),
            memory_limit: memory,
            ..RunSettings::default()
        };
        ResourcePool::new(&settings, 0, None)
    }

    #[test]
    fn many_jobs_get_one_thread_each_and_few_share_all() {
        let pool = pool(4, None);
        let demand = Demand::default();
        let all: Vec<_> = (0..4).map(|job| pool.reserve(&demand, 100 - job)).collect();
        assert!(all.iter().all(|reservation| reservation.threads == 1));
        drop(all);
        let first = pool.reserve(&demand, 2);
        let last = pool.reserve(&demand, 1);
        assert_eq!((first.threads, last.threads), (2, 2));
        drop((first, last));
        assert_eq!(pool.reserve(&demand, 1).threads, 4);
        let three = Demand {
            threads: Some(3),
            ..demand
        };
        assert_eq!(pool.reserve(&three, 50).threads, 3);
        assert_eq!(pool.free().threads, 4);
    }

    #[test]
    fn a_job_that_needs_more_than_the_pool_runs_alone() {
        let pool = pool(2, Some(100));
        let large = Demand {
            memory: 1000,
            threads: Some(9),
            ..Demand::default()
        };
        let reservation = pool.reserve(&large, 5);
        assert_eq!((reservation.threads, pool.free().memory), (2, Some(0)));
        drop(reservation);
        assert_eq!(pool.free().memory, Some(100));
    }
}
