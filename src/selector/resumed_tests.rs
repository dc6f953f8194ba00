//! A selection by permutations, or a scan of pairs, that was cut anywhere and goes on ends as one that
//! was not.

use super::fixtures::{columns, of_term, resources, score};
use super::*;
use crate::{
    score::{Combination, Gather, Join, Measure, PairScore, Part, Quantity},
    search::Checkpoint,
    selection::{PairScan, StopReason},
};

/// Goes on from the state kept, and is interrupted when `most` things have been told.
fn part<T>(
    kept: &mut Option<String>,
    most: usize,
    work: impl FnOnce(Checkpointing, &Interrupt, &mut (dyn FnMut() + Send)) -> T,
) -> (T, usize) {
    let resume_from = kept.as_deref().map(|text| Checkpoint::read(text).unwrap());
    let mut write = |text: &str| {
        *kept = Some(text.to_owned());
        Ok(())
    };
    let checkpointing = Checkpointing {
        resume_from,
        write: &mut write,
    };
    let (interrupt, mut told) = (Interrupt::default(), 0);
    let asked = interrupt.clone();
    let mut tell = || {
        told += 1;
        if told >= most {
            asked.request();
        }
    };
    let found = work(checkpointing, &interrupt, &mut tell);
    (found, told)
}

fn tests(standardise: bool) -> PermutationTest {
    PermutationTest {
        n: 19,
        alpha: 0.3,
        standardise,
        seed: 3,
    }
}

fn selected(
    columns: &BinnedColumns,
    stop: &Stop,
    threads: usize,
    (kept, most): (&mut Option<String>, usize),
) -> (RankedColumns, usize) {
    let term = of_term(Combination::X_W, -0.5, Part::Whole);
    let score = score(term, Gather::Mean, Join::Added);
    let resources = resources((1, threads));
    part(kept, most, |checkpointing, interrupt, tell| {
        let mut observe = |told| {
            if let SelectionProgress::Permutations(made, of) = told {
                assert!(made <= of);
                tell();
            }
        };
        let checkpointing = Some(("mrmr", checkpointing));
        let mut found = rank_from(
            columns,
            &score,
            stop,
            &resources,
            interrupt,
            checkpointing,
            &mut observe,
        )
        .unwrap();
        (found.starting, found.seconds) = (0.0, 0.0);
        found
    })
}

#[test]
fn permutations_cut_anywhere_go_on_to_the_same_end() {
    let columns = columns(3, 150, 12, 4);
    for standardise in [true, false] {
        let stop = Stop {
            top: Some(4),
            permutation: Some(tests(standardise)),
            ..Stop::default()
        };
        let (whole, all) = selected(&columns, &stop, 1, (&mut None, usize::MAX));
        assert!(whole.chosen.len() > 1 && all > 38, "{all}: {whole:?}");
        for cut in 1..all {
            let mut kept = None;
            let (first, _) = selected(&columns, &stop, 1 + cut % 2, (&mut kept, cut));
            if first.termination != StopReason::Interrupted {
                // Nothing was left but what another thread had begun.
                assert_eq!(first, whole);
                continue;
            }
            let known = first.chosen.len();
            assert_eq!(first.chosen, whole.chosen[..known]);
            let (last, more) = selected(&columns, &stop, 1, (&mut kept, usize::MAX));
            assert_eq!(last, whole, "{standardise} at {cut}");
            // Of raw scores no permutation is made twice, of standardised ones no block of columns.
            let lost = if standardise { 19 } else { 0 };
            assert!(
                more <= all - cut + lost,
                "{standardise} at {cut}: {more} of {all}"
            );
        }
        // Again and again.
        let (mut kept, mut parts) = (None, 0);
        let last = loop {
            let (found, _) = selected(&columns, &stop, 1, (&mut kept, 23));
            parts += 1;
            if found.termination != StopReason::Interrupted {
                break found;
            }
            assert!(parts < all, "no progress");
        };
        assert!(parts > 2 && last == whole, "{parts}");
    }
}

#[test]
fn what_another_selection_kept_is_refused() {
    let columns = columns(3, 150, 12, 4);
    let stop = Stop {
        permutation: Some(tests(false)),
        ..Stop::default()
    };
    let mut kept = None;
    selected(&columns, &stop, 1, (&mut kept, 5));
    let refused = |name: &str, stop: &Stop, columns: &BinnedColumns, text: &str| {
        let mut write = |_: &str| Ok(());
        let checkpointing = Checkpointing {
            resume_from: Some(Checkpoint::read(text).unwrap()),
            write: &mut write,
        };
        let mim = score(Measure::default(), Gather::Sum, Join::Added);
        let (resources, never) = (resources((1, 1)), Interrupt::default());
        let checkpointing = Some((name, checkpointing));
        let mut unheard = |_| {};
        let found = rank_from(
            columns,
            &mim,
            stop,
            &resources,
            &never,
            checkpointing,
            &mut unheard,
        );
        found.unwrap_err().to_string()
    };
    let text = kept.unwrap();
    let of = "the checkpoint is of another search: ";
    assert_eq!(
        refused("jmi", &stop, &columns, &text),
        format!("{of}method mrmr, this one has jmi")
    );
    let seeded = Stop {
        permutation: Some(PermutationTest {
            seed: 4,
            ..tests(false)
        }),
        ..Stop::default()
    };
    assert_eq!(
        refused("mrmr", &seeded, &columns, &text),
        format!("{of}seed 3, this one has 4")
    );
    let others = fixtures::columns(4, 150, 12, 4);
    assert_eq!(
        refused("mrmr", &stop, &others, &text),
        format!("{of}its data are others")
    );
}

fn scanned(
    columns: &BinnedColumns,
    wanted: &PairOptions,
    places: (usize, usize),
    (kept, most): (&mut Option<String>, usize),
) -> (PairScan, usize) {
    let score = PairScore::Declared(Quantity::plain(Combination::XW_Y));
    let resources = resources(places);
    part(kept, most, |checkpointing, interrupt, tell| {
        let mut observe = |_, _| tell();
        let checkpointing = Some(("mi3", checkpointing));
        let mut found = rank_pairs_from(
            columns,
            &score,
            wanted,
            &resources,
            interrupt,
            checkpointing,
            &mut observe,
        )
        .unwrap();
        (found.starting, found.seconds) = (0.0, 0.0);
        found.devices.clear();
        found
    })
}

#[test]
fn pairs_cut_anywhere_go_on_to_the_same_end() {
    let columns = columns(5, 120, 41, 5);
    for (top, threshold, partners) in [
        (Some(7), None, true),
        (None, Some(0.1), false),
        (Some(30), Some(0.2), false),
    ] {
        let wanted = PairOptions {
            top,
            threshold,
            partners,
            matrix: false,
        };
        let (whole, all) = scanned(&columns, &wanted, (1, 1), (&mut None, usize::MAX));
        assert!(!whole.pairs.is_empty() && whole.scored == 1.0);
        let mut went_on = 0;
        for cut in (1..all - 1).step_by(2) {
            let (mut kept, places) = (None, (1 + cut / 2 % 2, 1 + cut % 3));
            let (first, _) = scanned(&columns, &wanted, places, (&mut kept, cut));
            if first.termination == StopReason::Interrupted {
                assert!(first.scored <= 1.0, "{}", first.scored);
            }
            let resumed = kept.is_some();
            let (last, more) = scanned(&columns, &wanted, (1, 1), (&mut kept, usize::MAX));
            assert_eq!(last, whole, "{wanted:?} at {cut}");
            assert!(!resumed || more < all, "{more} of {all} at {cut}");
            went_on += usize::from(resumed);
        }
        assert!(went_on > all / 8, "{went_on}");
    }
}
