//! Ranks that are threads agree.

use std::{thread, time::Duration};

use super::*;

/// Runs `work` on `size` ranks; its results in the order of ranks.
pub(crate) fn each<T: Send>(
    size: usize,
    work: impl Fn(Communicator, &Interrupt) -> T + Sync,
) -> Vec<T> {
    let work = &work;
    thread::scope(|scope| {
        let ranks = thread_transports(size).into_iter().map(|ranks| {
            scope.spawn(move || {
                let interrupt = Interrupt::default();
                let communicator = Communicator::new(ranks, &interrupt).unwrap();
                work(communicator, &interrupt)
            })
        });
        let ranks: Vec<_> = ranks.collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

#[test]
fn an_interrupt_or_time_limit_of_one_rank_is_heeded_by_all_at_the_same_step() {
    let heeded = each(3, |communicator, interrupt| {
        if communicator.rank() == 1 {
            interrupt.request();
        }
        let limit = match communicator.rank() {
            2 => Duration::ZERO,
            _ => Duration::from_secs(1 << 20),
        };
        let limited = interrupt.with_time_limit(Some(limit));
        communicator.heed_deadline(&limited);
        assert!(!interrupt.requested() && !limited.requested());
        assert_eq!(
            communicator.gather(&communicator.rank()).unwrap(),
            [0, 1, 2]
        );
        // The request comes first, whoever is late.
        assert!(limited.requested() && !limited.is_at_time_limit());
        communicator.reset();
        let alone = Interrupt::default();
        alone.require_agreement(true);
        let late = alone.with_time_limit(Some(limit));
        communicator.heed_deadline(&late);
        communicator.gather(&()).unwrap();
        (interrupt.requested(), late.is_at_time_limit())
    });
    assert_eq!(heeded, [(true, true); 3]);
}

#[test]
fn every_rank_learns_which_rank_failed_and_none_waits() {
    let learnt = each(3, |communicator, _| {
        let failures = match communicator.rank() {
            2 => communicator.finish(Err("no room".to_owned())).unwrap(),
            _ => {
                let error = communicator.gather(&7_u8).unwrap_err().to_string();
                assert_eq!(error, "rank 2 on thread: no room");
                // This rank knows of the failure, so it sends nothing more.
                communicator.finish(Err(error)).unwrap()
            }
        };
        assert!(communicator.gather(&7_u8).is_err());
        communicator.reset();
        assert_eq!(
            communicator.gather(&communicator.rank()).unwrap(),
            [0, 1, 2]
        );
        assert!(communicator.finish(Ok(())).unwrap().is_empty());
        failures
    });
    assert!(learnt.iter().all(|failures| failures == &learnt[0]) && learnt[0].len() == 1);
}

#[test]
fn broadcasts_reach_all_ranks_and_bytes_are_counted() {
    let traffic = each(4, |communicator, _| {
        let own = vec![communicator.rank() as u8; 5];
        assert_eq!(communicator.broadcast(3, own).unwrap(), [3; 5]);
        assert_eq!(
            communicator
                .broadcast_first(|| communicator.rank())
                .unwrap(),
            0
        );
        communicator.traffic()
    });
    let first = Traffic {
        gathered: 1,
        gathered_bytes: 3,
        broadcast: 1,
        broadcast_bytes: 5,
    };
    assert_eq!(traffic[0], first);
    assert_eq!(traffic[1].gathered_bytes, 2);
}

#[test]
fn local_ranges_cover_all_columns_once() {
    let shares = each(7, |communicator, _| {
        [0, 3, 100, 101].map(|p| communicator.local_range(p))
    });
    for (at, p) in [0, 3, 100, 101].into_iter().enumerate() {
        assert!(shares.iter().flat_map(|ranges| ranges[at].clone()).eq(0..p));
    }
    each(7, |communicator, _| {
        let own = communicator.local_range(100);
        assert!((0..100).all(|at| own.contains(&at) == (communicator.owner(at, 100) == communicator.rank())));
    });
}

#[test]
fn ranks_know_their_place_on_their_machine() {
    let places = each(3, |communicator, _| {
        (
            communicator.local_rank_and_size(),
            communicator.ranks_on_same_cores(),
            communicator.hosts().len(),
        )
    });
    let place = |rank| ((rank, 3), 3, 1);
    assert_eq!(places, [place(0), place(1), place(2)]);
}
