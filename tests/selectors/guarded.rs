//! Scores whose candidates may be lost for a while: relevance, guarded by what is gathered.

use std::num::NonZeroUsize;

use passel::{
    Interrupt,
    device::{DeviceChoice, Resources},
    score::{Combination, Gather, Join, Measure, Part, Quantity, Score, Term},
    selection::{RankedColumns, StopReason},
    selector::{Stop, rank},
};
use passel_sdk::{
    Gather as Gathers, Join as Joins, Score as Declared,
    combinations::{X_W, X_Y},
    trial,
};

use super::{
    problems::Random,
    ranked::binned,
    reference::{Set, TIE},
    stopping::noise,
};

/// Relevance, where what x tells of y is more than it shares with those chosen.
fn score(gather: Gather) -> Score {
    let term = |weight: f64, over| Term {
        weight,
        quantity: Quantity::plain(over),
        part: Part::Whole,
    };
    Score {
        measure: Measure::Declared {
            relevance: Quantity::plain(Combination::X_Y),
            terms: vec![term(1.0, Combination::X_Y), term(-1.0, Combination::X_W)],
        },
        gather,
        join: Join::Guarded,
        ..Score::default()
    }
}

fn ranked(set: &Set, gather: Gather, (threads, shards): (usize, usize)) -> RankedColumns {
    let stop = Stop {
        top: Some(set.columns.len()),
        ..Stop::default()
    };
    let resources = Resources {
        devices: DeviceChoice::Cpu(NonZeroUsize::new(shards).unwrap()),
        ..Resources::cpu(threads)
    };
    let (columns, never) = (binned(set), Interrupt::default());
    let score = score(gather);
    rank(&columns, &score, &stop, &resources, &never, &mut |_, _| {}).unwrap()
}

/// By the trial of the SDK, which counts every table anew.
fn expected(set: &Set, gather: Gathers) -> Vec<usize> {
    let score = Declared {
        terms: vec![X_Y.into(), X_W.weighing(-1.0)],
        gather,
        join: Joins::Guarded,
        ..Declared::default()
    };
    let mut chosen: Vec<usize> = Vec::new();
    loop {
        let anchors: Vec<&[u32]> = chosen.iter().map(|at| &set.columns[*at][..]).collect();
        let left = (0..set.columns.len()).filter(|at| !chosen.contains(at));
        let value = |at: usize| trial::score(&score, &set.columns[at], &anchors, &set.y);
        let scores: Vec<(usize, f64)> = left.map(|at| (at, value(at))).collect();
        let best = scores
            .iter()
            .map(|scored| scored.1)
            .fold(f64::NEG_INFINITY, f64::max);
        let first = scores
            .iter()
            .find(|scored| scored.1 > f64::NEG_INFINITY && scored.1 >= best - TIE);
        match first {
            Some((at, _)) => chosen.push(*at),
            None => return chosen,
        }
    }
}

#[test]
fn a_candidate_that_was_lost_may_come_back_where_what_is_gathered_rises() {
    let mut random = Random::new(17);
    let mut returned = 0;
    for _ in 0..60 {
        // Few observations: chance makes as much as there is to share.
        let set = noise(&mut random, 30, 9);
        let ways = [
            (Gather::Sum, Gathers::Sum),
            (Gather::Mean, Gathers::Mean),
            (Gather::Last, Gathers::Last),
            (Gather::Minimum, Gathers::Minimum),
        ];
        let orders = ways.map(|(gather, gathers)| {
            let wanted = expected(&set, gathers);
            for places in [(1, 1), (3, 1), (1, 3)] {
                let found = ranked(&set, gather, places);
                let order: Vec<usize> = found.chosen.iter().map(|pick| pick.column).collect();
                assert_eq!(order, wanted, "{gather:?} {places:?}");
                // Nothing more may be chosen.
                let whole = wanted.len() == set.columns.len();
                let ending = if whole {
                    StopReason::Top
                } else {
                    StopReason::Done
                };
                assert_eq!(found.termination, ending);
            }
            wanted.len()
        });
        returned += usize::from(orders[2] > orders[3]);
    }
    assert!(returned > 10, "in {returned} sets one came back");
}
