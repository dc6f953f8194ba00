//! Pairs and selections among ranks that have a share of the columns each, against one process.

use std::thread;

use passel::{
    Interrupt,
    binning::{BinnedColumns, Codes},
    device::{DeviceChoice, DeviceError, Resources, ScoreFault},
    ranks::{Communicator, thread_transports},
    score::{
        Against, Combination, CountTable, Gather, Join, Measure, PairScore, Part, Quantity, Score,
    },
    selection::{PairScan, RankedColumns, StopReason},
    selector::{PairOptions, PermutationTest, Stop, rank, rank_pairs},
};

use super::{
    fixtures::{self, coded, columns, holed, in_every_form, of_term, resources},
    places::cuda_is_there,
};

fn scored(
    columns: &BinnedColumns,
    score: &PairScore,
    wanted: &PairOptions,
    resources: &Resources,
    interrupt: &Interrupt,
) -> PairScan {
    let mut seen = (0, 0);
    let mut observe = |done, of| seen = (done, of);
    let found = rank_pairs(columns, score, wanted, resources, interrupt, &mut observe).unwrap();
    if found.fault.is_none() && !columns.columns.is_empty() {
        assert_eq!(seen.0, seen.1);
    }
    found
}

/// The columns of a rank.
fn share(communicator: &Communicator, p: usize) -> std::ops::Range<usize> {
    let (rank, size) = (communicator.rank(), communicator.size());
    p * rank / size..p * (rank + 1) / size
}

/// What each of so many ranks finds, of which each has its own columns.
fn each<T: Send>(
    size: usize,
    all: &BinnedColumns,
    find: impl Fn(&BinnedColumns, &Resources, &Interrupt) -> T + Sync,
) -> Vec<T> {
    each_on(&resources((1, 2)), size, all, find)
}

/// What each of so many ranks finds on these devices.
fn each_on<T: Send>(
    places: &Resources,
    size: usize,
    all: &BinnedColumns,
    find: impl Fn(&BinnedColumns, &Resources, &Interrupt) -> T + Sync,
) -> Vec<T> {
    let rank = |ranks| {
        let interrupt = Interrupt::default();
        let communicator = Communicator::new(ranks, &interrupt).unwrap();
        let own = share(&communicator, all.columns.len());
        let mut columns = all.clone();
        for (at, column) in columns.columns.iter_mut().enumerate() {
            if !own.contains(&at) {
                column.codes = Codes::Byte(Vec::new());
            }
        }
        columns.local = Some(own);
        let resources = Resources {
            communicator: Some(communicator),
            ..places.clone()
        };
        find(&columns, &resources, &interrupt)
    };
    thread::scope(|scope| {
        let ranks = thread_transports(size).into_iter();
        let ranks: Vec<_> = ranks
            .map(|transport| scope.spawn(|| rank(transport)))
            .collect();
        ranks
            .into_iter()
            .map(|handle| handle.join().unwrap())
            .collect()
    })
}

fn same(all: &BinnedColumns, score: &PairScore, wanted: &PairOptions) -> PairScan {
    let (one, never) = (resources((1, 1)), Interrupt::default());
    let expected = scored(all, score, wanted, &one, &never);
    for size in [1, 2, 3, 4, 7, 25] {
        let find = |own: &_, resources: &_, interrupt: &_| {
            scored(own, score, wanted, resources, interrupt)
        };
        for found in each(size, all, find) {
            assert_eq!(found.pairs, expected.pairs, "{size}");
            assert_eq!(found.partners, expected.partners, "{size}");
            assert_eq!(found.single, expected.single, "{size}");
            assert_eq!(found.matrix, expected.matrix, "{size}");
            assert_eq!(found.fault, expected.fault, "{size}");
            assert_eq!(found.termination, expected.termination, "{size}");
        }
    }
    expected
}

#[test]
fn pairs_of_ranks_are_those_of_one_process() {
    let own = |table: &CountTable| {
        let counts = table.counts.iter().enumerate();
        counts
            .map(|(at, &count)| (at % 7) as f64 * f64::from(count).sqrt())
            .sum()
    };
    let scores = [
        PairScore::Declared(Quantity::plain(Combination::XW_Y)),
        PairScore::Declared(Quantity::plain(Combination::X_Y_GIVEN_W)),
        PairScore::Function(coded(own, 0.0)),
    ];
    for score in &scores {
        for all in [in_every_form(columns(5, 120, 24, 5)), holed(3, 150, 4)] {
            for (top, threshold) in [(Some(5), None), (None, Some(0.02)), (None, None)] {
                let wanted = PairOptions {
                    top,
                    threshold,
                    partners: true,
                    matrix: true,
                };
                let found = same(&all, score, &wanted);
                assert!(!found.pairs.is_empty());
                assert_eq!((found.partners.len(), found.matrix.len()), (24, 24 * 24));
            }
        }
    }
}

#[test]
fn the_lowest_pair_without_a_score_is_told_whoever_meets_it() {
    // Of the first columns none is so wide, of the later many.
    let all = columns(9, 60, 24, 23);
    let value = |least: usize| {
        let value = move |table: &CountTable| match table.x.min(table.w) >= least {
            true => f64::NAN,
            false => 1.0,
        };
        PairScore::Function(coded(value, 0.0))
    };
    for (least, some) in [(16, true), (9, true), (20, true), (23, false)] {
        let found = same(&all, &value(least), &PairOptions::default());
        let wide = |at: &usize| all.columns[*at].levels >= least;
        let wide: Vec<usize> = (0..24).filter(wide).collect();
        match found.fault {
            Some(DeviceError::UndefinedScore(undefined)) => {
                let numbers = [undefined.column as usize, undefined.other.unwrap() as usize];
                assert_eq!(
                    (&numbers[..], undefined.reason),
                    (&wide[..2], ScoreFault::NotANumber)
                );
                assert!(some);
            }
            other => assert!(other.is_none() && !some && wide.len() < 2),
        }
    }
}

/// What is chosen, and what of it is told, but not of devices and times.
fn chosen(found: RankedColumns) -> impl PartialEq + std::fmt::Debug {
    (found.chosen, found.refused, found.termination, found.fault)
}

#[test]
fn selections_by_functions_are_those_of_one_process_and_so_are_their_faults() {
    let all = in_every_form(columns(9, 60, 24, 23));
    // Of a table beside so many chosen there is none from so many levels on.
    let score = |levels: usize, beside: usize, tolerance| {
        let value = move |table: &CountTable| match (table.x >= levels, table.w >= beside) {
            (true, true) => f64::NAN,
            _ => (table.x * 7 % 5) as f64 + 0.1 * f64::from(table.counts[0]),
        };
        fixtures::score(
            Measure::Function(coded(value, tolerance)),
            Gather::Sum,
            Join::Added,
        )
    };
    let permutation = PermutationTest {
        n: 19,
        alpha: 1.0,
        standardise: false,
        seed: 1,
    };
    let standardised = PermutationTest {
        standardise: true,
        ..permutation
    };
    for (score, faulty) in [
        (score(99, 0, 0.0), false),
        (score(99, 0, 0.4), false),
        (score(20, 1, 0.0), true),
        (score(20, 2, 0.0), true),
        (score(9, 5, 0.2), true),
    ] {
        for permutation in [None, Some(permutation), Some(standardised)] {
            let stop = Stop {
                permutation,
                top: Some(6),
                threshold: None,
            };
            let find = |own: &_, resources: &_, interrupt: &_| {
                chosen(rank(own, &score, &stop, resources, interrupt, &mut |_, _| {}).unwrap())
            };
            let never = Interrupt::default();
            let expected = rank(
                &all,
                &score,
                &stop,
                &resources((1, 1)),
                &never,
                &mut |_, _| {},
            );
            let expected = expected.unwrap();
            assert_eq!(expected.fault.is_some(), faulty);
            let expected = chosen(expected);
            for size in [2, 3, 7, 25] {
                for found in each(size, &all, find) {
                    assert_eq!(found, expected, "{size}");
                }
            }
        }
    }
}

#[test]
fn ranks_end_together_when_one_is_asked_to() {
    let all = columns(5, 120, 24, 5);
    let score = PairScore::Declared(Quantity::plain(Combination::XW_Y));
    let rank = |(at, ranks)| {
        let interrupt = Interrupt::default();
        let communicator = Communicator::new(ranks, &interrupt).unwrap();
        let resources = Resources {
            communicator: Some(communicator),
            ..resources((1, 2))
        };
        if at == 1 {
            interrupt.request();
        }
        scored(
            &all,
            &score,
            &PairOptions::default(),
            &resources,
            &interrupt,
        )
        .termination
    };
    let rank = &rank;
    let ended = thread::scope(|scope| {
        let ranks = thread_transports(3).into_iter().enumerate();
        let ranks: Vec<_> = ranks
            .map(|numbered| scope.spawn(move || rank(numbered)))
            .collect();
        let ended = ranks.into_iter().map(|handle| handle.join().unwrap());
        ended.collect::<Vec<_>>()
    });
    assert_eq!(ended, [StopReason::Interrupted; 3]);
}

/// Selections and pairs of ranks that count on GPUs, which they share.
#[test]
fn cuda_ranks_find_what_one_process_finds_on_the_cpu() {
    if !cuda_is_there() {
        return;
    }
    let cuda = Resources {
        devices: DeviceChoice::Cuda(Vec::new()),
        ..Resources::default()
    };
    let never = Interrupt::default();
    let stop = Stop {
        permutation: None,
        top: Some(9),
        threshold: None,
    };
    // Few levels, many, and missing values.
    for all in [
        in_every_form(columns(5, 700, 24, 5)),
        in_every_form(columns(6, 3000, 24, 200)),
        holed(3, 900, 4),
    ] {
        for (gather, join, against) in [
            (Gather::Sum, Join::Added, Against::Last),
            (Gather::Mean, Join::Added, Against::Last),
            (Gather::Minimum, Join::Least, Against::Last),
            (Gather::Last, Join::Alone, Against::Joint),
        ] {
            let score = Score {
                against,
                ..fixtures::score(of_term(Combination::XW_Y, 1.0, Part::Whole), gather, join)
            };
            let find = |own: &_, resources: &_, interrupt: &_| {
                chosen(rank(own, &score, &stop, resources, interrupt, &mut |_, _| {}).unwrap())
            };
            let expected = find(&all, &resources((1, 1)), &never);
            for size in [1, 2, 3] {
                for found in each_on(&cuda, size, &all, find) {
                    assert_eq!(found, expected, "{size} {gather:?} {against:?}");
                }
            }
        }
        let wanted = PairOptions {
            top: Some(20),
            partners: true,
            matrix: true,
            ..PairOptions::default()
        };
        let score = PairScore::Declared(Quantity::plain(Combination::XW_Y));
        let find = |own: &_, resources: &_, interrupt: &_| {
            let found = scored(own, &score, &wanted, resources, interrupt);
            (found.pairs, found.partners, found.single, found.matrix)
        };
        let expected = find(&all, &resources((1, 1)), &never);
        for size in [1, 2, 3] {
            for found in each_on(&cuda, size, &all, find) {
                assert!(found == expected, "{size}");
            }
        }
    }
}
