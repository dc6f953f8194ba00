//! One selection from a resample, and many of them at a time.

use std::{
    num::NonZeroUsize,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

use super::{
    RunError,
    data_cache::design_of,
    selectors::{Binned, Ended, binned_of},
};
use crate::{
    design::Design,
    device::{DeviceChoice, MIN_GPU_ELEMENTS, Resources},
    interrupt::Interrupt,
    job::Job,
    plugin::MethodKind,
    search::{self, Pass, SearchResult},
    selection::{RankedColumns, StopReason, Termination},
    selector::{self, ProcedureOptions, Stop},
    table::Table,
};

/// What one selection chose.
pub(super) struct Chosen {
    /// Indexes of the variables, ascending, each once; the kept ones among them.
    pub(super) indexes: Vec<usize>,
    /// What a reader should know.
    pub(super) notes: Vec<String>,
    /// What it ran on.
    pub(super) devices: Vec<String>,
}

/// Runs the method of a job on a table, with a seed of its own; none where it was interrupted.
pub(super) fn choose(
    job: &Job,
    table: Table,
    seed: u64,
    resources: &Resources,
) -> Result<Option<Chosen>, RunError> {
    let interrupt = &job.interrupt;
    let pass = Pass {
        seed,
        ..job.pass.clone()
    };
    let Some(settled) = &job.selector else {
        let design = design_of(job, table, None)?;
        let (criterion, ignore) = (&*job.criterion, &mut |_: &search::IterationRecord| {});
        let found = search::search(&design, criterion, &pass, resources, interrupt, ignore)?;
        return of_model(&design, found);
    };
    match &settled.value {
        MethodKind::Regression(procedure) => {
            let design = Arc::new(design_of(job, table, None)?);
            let regressed = selector::regress_with_procedure(
                procedure,
                &design,
                &job.criterion,
                &pass,
                resources,
                interrupt,
                &mut |_, _| {},
            )?;
            match regressed.error {
                None => of_model(&design, regressed.result),
                Some(error) => Err(failed(&settled.name, &settled.plugin, error)),
            }
        }
        MethodKind::Score(score) => {
            let Binned { columns, .. } = binned_of(job, table, false, None)?;
            let permutation = job.stop.permutation;
            let stop = Stop {
                permutation: permutation.map(|it| selector::PermutationTest { seed, ..it }),
                ..job.stop
            };
            let ignore = &mut |_, _| {};
            let ranked = selector::rank(&columns, score, &stop, resources, interrupt, ignore)?;
            if let Some(fault) = ranked.fault {
                return Err(match Ended::of(fault, &columns, ("method", settled)) {
                    Ended::Device(fault) => fault.into(),
                    Ended::Unscored(reason) => RunError::NoScore(reason),
                });
            }
            Ok(of_ranking(ranked, |column| columns.columns[column].index))
        }
        MethodKind::Ranking(procedure) => {
            let Binned {
                columns, numbers, ..
            } = binned_of(job, table, true, None)?;
            let asked = ProcedureOptions {
                top: job.stop.top,
                seed,
                time_limit: pass.time_limit,
            };
            let (data, ignore) = ((&columns, numbers), &mut |_, _| {});
            let ranking = selector::rank_with_procedure(
                procedure, data, &asked, resources, interrupt, ignore,
            )?;
            match ranking.error {
                None => Ok(of_ranking(ranking.ranked, |column| {
                    columns.columns[column].index
                })),
                Some(error) => Err(failed(&settled.name, &settled.plugin, error)),
            }
        }
    }
}

fn failed(method: &str, plugin: &str, fault: selector::ProcedureError) -> RunError {
    RunError::Procedure {
        report: None,
        method: method.to_owned(),
        plugin: plugin.to_owned(),
        source: Box::new(fault),
    }
}

/// What a reader should know of a selection that the time limit ended.
const LATE: &str = "the selection ended at the time limit, which is of each";

/// What a model holds, as variables of the file.
fn of_model(design: &Design, found: SearchResult) -> Result<Option<Chosen>, RunError> {
    if let Some(fault) = found.fault {
        return Err(fault.into());
    }
    if found.termination == Termination::Interrupted {
        return Ok(None);
    }
    let members = found.fit.support();
    let indexes = members
        .iter()
        .map(|it| design.variables()[*it as usize].index);
    let mut notes = found.notes;
    if members.len() == found.max_size && members.len() < design.p() {
        let mend = "the criterion may be too mild, or --max-size too small";
        notes.push(format!(
            "the model has as many variables as allowed: {mend}"
        ));
    }
    if found.termination == Termination::TimeLimit {
        notes.push(LATE.to_owned());
    }
    Ok(Some(Chosen {
        indexes: each_once(indexes),
        notes,
        devices: found.devices,
    }))
}

fn of_ranking(ranked: RankedColumns, index: impl Fn(usize) -> usize) -> Option<Chosen> {
    if ranked.termination == StopReason::Interrupted {
        return None;
    }
    let late = (ranked.termination == StopReason::TimeLimit).then(|| LATE.to_owned());
    let indexes = ranked.chosen.iter().map(|it| index(it.column));
    Some(Chosen {
        indexes: each_once(indexes),
        notes: ranked.notes.into_iter().chain(late).collect(),
        devices: ranked.devices,
    })
}

fn each_once(indexes: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut indexes: Vec<usize> = indexes.collect();
    indexes.sort_unstable();
    indexes.dedup();
    indexes
}

/// Bytes that resamples done side by side may take in all, where no limit is told.
const ROOM: u64 = 4 << 30;

/// How many selections are made side by side, each on what: of so many, with so many numbers in
/// the matrix of each.
///
/// A selection on the CPU gets by best with one thread, so there are as many as threads while
/// their tables and matrices have room; beyond that they share the threads. GPUs take them one
/// after another.
pub(super) fn side_by_side(
    resources: &Resources,
    of: usize,
    elements: usize,
) -> (usize, Resources) {
    let gpus = match &resources.devices {
        DeviceChoice::Cuda(_) => true,
        DeviceChoice::Auto => elements >= MIN_GPU_ELEMENTS,
        DeviceChoice::Cpu(_) => false,
    };
    let threads = resources.thread_count();
    // Of each a table and a matrix of f64, the latter in f32 too.
    let each = (elements as u64).saturating_mul(20).max(1);
    let room = resources.memory_limit.unwrap_or(ROOM) / each;
    let count = threads
        .min(of)
        .min(usize::try_from(room).unwrap_or(usize::MAX));
    match count {
        _ if gpus => (1, resources.clone()),
        0 | 1 => (1, resources.clone()),
        count => {
            let threads = NonZeroUsize::new(threads / count);
            let shared = Resources {
                threads,
                ..resources.clone()
            };
            (count, shared)
        }
    }
}

/// Does the work of 0 … `of` − 1, so many at a time, in this order; `take` is given each result
/// as it comes. Ends early where one fails, and where one gives nothing or the end is requested.
///
/// # Errors
/// Of those that failed the first: all before it were begun, and are waited for, so that it is
/// the same however many threads there are.
pub(super) fn each<T: Send>(
    of: usize,
    threads: usize,
    interrupt: &Interrupt,
    work: impl Fn(usize) -> Result<Option<T>, RunError> + Sync,
    mut take: impl FnMut(usize, T),
) -> Result<(), RunError> {
    let (next, ends) = (AtomicUsize::new(0), AtomicBool::new(false));
    let one_after_another = |sender: mpsc::Sender<_>| {
        while !ends.load(Ordering::Relaxed) && !interrupt.requested() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= of {
                break;
            }
            let done = work(number);
            if !matches!(done, Ok(Some(_))) {
                ends.store(true, Ordering::Relaxed);
            }
            if sender.send((number, done)).is_err() {
                break;
            }
        }
    };
    let mut first: Option<(usize, RunError)> = None;
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..threads {
            let sender = sender.clone();
            scope.spawn(|| one_after_another(sender));
        }
        drop(sender);
        for (number, done) in receiver {
            match done {
                Ok(Some(done)) => take(number, done),
                Ok(None) => {}
                Err(error) if first.as_ref().is_none_or(|it| number < it.0) => {
                    first = Some((number, error));
                }
                Err(_) => {}
            }
        }
    });
    first.map_or(Ok(()), |(_, error)| Err(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resamples_share_threads_and_room() {
        let resources = |threads| Resources {
            memory_limit: Some(2000),
            ..Resources::cpu(threads)
        };
        let shared = |threads, of, elements| {
            let (count, each) = side_by_side(&resources(threads), of, elements);
            (count, each.thread_count())
        };
        assert_eq!(shared(8, 100, 1), (8, 1));
        assert_eq!(shared(8, 3, 1), (3, 2), "fewer resamples than threads");
        assert_eq!(shared(8, 100, 25), (4, 2), "room for four");
        assert_eq!(
            shared(8, 100, 1000),
            (1, 8),
            "one at a time, on all threads"
        );
        let gpus = Resources {
            devices: DeviceChoice::Cuda(vec![0]),
            ..resources(8)
        };
        assert_eq!(side_by_side(&gpus, 100, 1), (1, gpus.clone()));
    }

    #[test]
    fn the_first_failure_is_told_and_the_end_heeded() {
        let interrupt = Interrupt::default();
        for threads in [1, 4] {
            let mut done = Vec::new();
            let work = |number: usize| match number {
                7 | 9 => Err(RunError::NoScore(number.to_string())),
                _ => Ok(Some(2 * number)),
            };
            let ended = each(50, threads, &interrupt, work, |at, it| done.push((at, it)));
            assert!(matches!(ended, Err(RunError::NoScore(it)) if it == "7"));
            assert!((0..7).all(|it| done.contains(&(it, 2 * it))));
            assert!(done.len() < 50);
        }
        let mut done = 0;
        let asks = |number: usize| {
            if number == 5 {
                interrupt.request();
            }
            Ok((number < 5).then_some(()))
        };
        each(50, 2, &interrupt, asks, |_, ()| done += 1).unwrap();
        assert_eq!(done, 5);
    }
}
