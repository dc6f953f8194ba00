//! Ranks that are threads agree.

use std::thread;

use super::*;

/// What each of so many ranks gives, by rank.
fn each<T: Send>(size: usize, work: impl Fn(Among, &Interrupt) -> T + Sync) -> Vec<T> {
    let work = &work;
    thread::scope(|scope| {
        let ranks = threads(size).into_iter().map(|ranks| {
            scope.spawn(move || {
                let interrupt = Interrupt::default();
                let among = Among::new(ranks, &interrupt).unwrap();
                work(among, &interrupt)
            })
        });
        let ranks: Vec<_> = ranks.collect();
        ranks.into_iter().map(|it| it.join().unwrap()).collect()
    })
}

#[test]
fn what_one_wishes_all_heed_at_the_same_step() {
    let heeded = each(3, |among, interrupt| {
        if among.rank() == 1 {
            interrupt.request();
        }
        assert!(!interrupt.requested() && !among.late(among.rank() == 2));
        assert_eq!(among.gather(&among.rank()).unwrap(), [0, 1, 2]);
        (interrupt.requested(), among.late(false))
    });
    assert_eq!(heeded, [(true, true); 3]);
}

#[test]
fn all_learn_who_failed_and_nobody_waits() {
    let learnt = each(3, |among, _| {
        let failures = match among.rank() {
            2 => among.end(Err("no room".to_owned())).unwrap(),
            _ => {
                let told = among.gather(&7_u8).unwrap_err().to_string();
                assert_eq!(told, "rank 2 on thread: no room");
                // It knows: nothing is said any more.
                among.end(Err(told)).unwrap()
            }
        };
        assert!(among.gather(&7_u8).is_err());
        among.renew();
        assert_eq!(among.gather(&among.rank()).unwrap(), [0, 1, 2]);
        assert!(among.end(Ok(())).unwrap().is_empty());
        failures
    });
    assert!(learnt.iter().all(|it| it == &learnt[0]) && learnt[0].len() == 1);
}

#[test]
fn one_tells_all_and_bytes_are_counted() {
    let told = each(4, |among, _| {
        let own = vec![among.rank() as u8; 5];
        assert_eq!(among.broadcast(3, own).unwrap(), [3; 5]);
        assert_eq!(among.of_first(|| among.rank()).unwrap(), 0);
        among.told()
    });
    let first = Told {
        gathered: 1,
        gathered_bytes: 3,
        broadcast: 1,
        broadcast_bytes: 5,
    };
    assert_eq!(told[0], first);
    assert_eq!(told[1].gathered_bytes, 2);
}

#[test]
fn shares_are_all_columns_once() {
    let shares = each(7, |among, _| [0, 3, 100, 101].map(|p| among.share(p)));
    for (at, p) in [0, 3, 100, 101].into_iter().enumerate() {
        assert!(shares.iter().flat_map(|it| it[at].clone()).eq(0..p));
    }
    each(7, |among, _| {
        let own = among.share(100);
        assert!((0..100).all(|at| own.contains(&at) == (among.owner(at, 100) == among.rank())));
    });
}

#[test]
fn ranks_of_a_machine_know_their_places() {
    let places = each(3, |among, _| {
        (among.on_host(), among.on_cores(), among.hosts().len())
    });
    let place = |rank| ((rank, 3), (rank, 3), 1);
    assert_eq!(places, [place(0), place(1), place(2)]);
}
