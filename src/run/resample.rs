//! Many selections at a time.

use std::{
    num::NonZeroUsize,
    sync::{
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

use super::RunError;
use crate::{
    device::{DeviceChoice, Resources, gpus_pay},
    interrupt::Interrupt,
    threads::{CpuMeter, with_helpers},
};

/// Bytes that resamples side by side may take in all, where no limit is set.
const ROOM: u64 = 4 << 30;

/// How many of `count` selections run side by side, with so many numbers in the matrix of each,
/// and the resources of each.
///
/// A selection on the CPU is most efficient on one thread, so there are as many as threads while
/// their tables and matrices have room; beyond that they share the threads. GPUs take them one
/// after another.
pub(super) fn side_by_side(
    resources: &Resources,
    count: usize,
    elements: usize,
) -> (usize, Resources) {
    let on_gpus = match &resources.devices {
        DeviceChoice::Cuda(_) => true,
        DeviceChoice::Auto => gpus_pay(elements, 1.0, resources.thread_count()),
        DeviceChoice::Cpu(_) => false,
    };
    let threads = resources.thread_count();
    // Of each a table and a matrix of f64, the latter in f32 too.
    let each = (elements as u64).saturating_mul(20).max(1);
    let room = resources.memory_limit.unwrap_or(ROOM);
    let room = room.min(resources.memory.left()) / each;
    let room = usize::try_from(room).unwrap_or(usize::MAX);
    let (count, mut own) = (threads.min(count).min(room), resources.clone());
    if on_gpus || count < 2 {
        return (1, own);
    }
    // With fewer threads each would choose anew.
    if own.devices == DeviceChoice::Auto {
        own.devices = DeviceChoice::Cpu(NonZeroUsize::MIN);
    }
    own.threads = NonZeroUsize::new(threads / count);
    own.memory = own.memory.for_each_of(count);
    (count, own)
}

/// Works on the numbers 0 … `count` − 1 in this order, on so many threads, each of which has so many to help it (see
/// [`with_helpers`]); `take` gets each result as it comes. Ends early where one fails or gives nothing, and at an
/// interrupt.
///
/// # Errors
/// The failure of the lowest number: all below it were begun and are waited for, so that it does
/// not depend on the number of threads.
pub(super) fn for_each_number<T: Send>(
    count: usize,
    (threads, helpers): (usize, usize),
    interrupt: &Interrupt,
    work: impl Fn(usize) -> Result<Option<T>, RunError> + Sync,
    mut take: impl FnMut(usize, T),
) -> Result<(), RunError> {
    let (next, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
    let in_order = |sender: mpsc::Sender<_>| {
        while !ended.load(Ordering::Relaxed) && !interrupt.requested() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                break;
            }
            let result = work(number);
            if !matches!(result, Ok(Some(_))) {
                ended.store(true, Ordering::Relaxed);
            }
            if sender.send((number, result)).is_err() {
                break;
            }
        }
    };
    let work_in_order = |sender| with_helpers(helpers, || in_order(sender));
    let mut failure: Option<(usize, RunError)> = None;
    let cpu_meter = CpuMeter::current();
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let start = |_: &usize| {
            let sender = sender.clone();
            let work = || cpu_meter.run(|| work_in_order(sender));
            thread::Builder::new().spawn_scoped(scope, work).is_ok()
        };
        // Those that the system refuses are done without; the first one's work is done here then.
        if (0..threads).take_while(start).count() == 0 {
            work_in_order(sender.clone());
        }
        drop(sender);
        for (number, result) in receiver {
            match result {
                Ok(Some(value)) => take(number, value),
                Ok(None) => {}
                Err(error) if failure.as_ref().is_none_or(|first| number < first.0) => {
                    failure = Some((number, error));
                }
                Err(_) => {}
            }
        }
    });
    failure.map_or(Ok(()), |(_, error)| Err(error))
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
        let shared = |threads, count, elements| {
            let (count, each) = side_by_side(&resources(threads), count, elements);
            (count, each.thread_count())
        };
        assert_eq!(shared(8, 100, 1), (8, 1));
        assert_eq!(shared(8, 3, 1), (3, 2), "fewer resamples than threads");
        assert_eq!(shared(8, 100, 25), (4, 2), "room for four");
        let told = "one at a time, on all threads";
        assert_eq!(shared(8, 100, 1000), (1, 8), "{told}");
        let gpus = Resources {
            devices: DeviceChoice::Cuda(vec![0]),
            ..resources(8)
        };
        assert_eq!(side_by_side(&gpus, 100, 1), (1, gpus.clone()));
    }

    #[test]
    fn the_lowest_failure_is_returned_and_an_interrupt_ends_the_work() {
        let interrupt = Interrupt::default();
        for threads in [1, 4] {
            let mut done = Vec::new();
            let work = |number: usize| match number {
                7 | 9 => Err(RunError::NoScore(number.to_string())),
                _ => Ok(Some(2 * number)),
            };
            let take = |number, value| done.push((number, value));
            let ended = for_each_number(50, (threads, 1), &interrupt, work, take);
            assert!(matches!(ended, Err(RunError::NoScore(text)) if text == "7"));
            assert!((0..7).all(|number| done.contains(&(number, 2 * number))));
            assert!(done.len() < 50);
        }
        let mut done = 0;
        let interrupting = |number: usize| {
            if number == 5 {
                interrupt.request();
            }
            Ok((number < 5).then_some(()))
        };
        for_each_number(50, (2, 2), &interrupt, interrupting, |_, ()| done += 1).unwrap();
        assert_eq!(done, 5);
    }
}
