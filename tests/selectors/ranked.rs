//! Sets of codes, ranked until permutations end the selection.

use std::num::NonZeroUsize;

use passel::{
    Interrupt,
    binning::{BinnedColumn, BinnedColumns, Codes, Rule},
    device::{DeviceChoice, Resources},
    score::{Against, Combination, Gather, Join, Measure, Part, Quantity, Score, Term},
    selection::RankedColumns,
    selector::{PermutationTest, Stop, rank},
};

use super::reference::{Method, Set};

/// The methods that are held against probabilities, declared by hand: these run in the test's
/// own process, thousands of times.
pub fn score(method: Method) -> Score {
    let given = Combination {
        xwy: 1,
        xw: -1,
        wy: -1,
        w: 1,
        ..Combination::default()
    };
    let (over, gather, join, against) = match method {
        Method::Mim => (None, Gather::Sum, Join::Added, Against::Last),
        Method::Jmi => (
            Some(Combination::XW_Y),
            Gather::Sum,
            Join::Alone,
            Against::Last,
        ),
        Method::Cmim => (Some(given), Gather::Minimum, Join::Least, Against::Last),
        Method::Cmi => (Some(given), Gather::Last, Join::Alone, Against::Joint),
        _ => unreachable!("not held against probabilities"),
    };
    let term = |over| Term {
        weight: 1.0,
        quantity: Quantity::plain(over),
        part: Part::Whole,
    };
    Score {
        measure: Measure::Declared {
            relevance: Quantity::plain(Combination::X_Y),
            terms: over.map(term).into_iter().collect(),
        },
        gather,
        join,
        against,
        floor: (method == Method::Cmi).then_some(0.0),
        ..Score::default()
    }
}

pub fn binned(set: &Set) -> BinnedColumns {
    let column = |(index, codes): (usize, &Vec<u32>)| BinnedColumn {
        name: format!("x{index}"),
        index,
        levels: codes.iter().max().map_or(1, |most| *most as usize + 1),
        codes: Codes::Byte(codes.iter().map(|code| *code as u8).collect()),
        rule: Rule::Edges(Vec::new()),
        missing: None,
    };
    BinnedColumns {
        n: set.y.len(),
        columns: set.columns.iter().enumerate().map(column).collect(),
        response: column((0, &set.y)),
        local: None,
    }
}

fn ranked_on(
    set: &Set,
    method: Method,
    top: usize,
    rule: PermutationTest,
    (threads, shards): (usize, usize),
) -> RankedColumns {
    let stop = Stop {
        top: Some(top),
        permutation: Some(rule),
        ..Stop::default()
    };
    let resources = Resources {
        devices: DeviceChoice::Cpu(NonZeroUsize::new(shards).unwrap()),
        ..Resources::cpu(threads)
    };
    let never = Interrupt::default();
    let (columns, score) = (binned(set), score(method));
    rank(&columns, &score, &stop, &resources, &never, &mut |_, _| {}).unwrap()
}

/// Ranks by one thread on one shard, seed 1, and the same by seed 2; neither other threads nor other shards
/// show.
pub fn ranked_everywhere(
    set: &Set,
    method: Method,
    top: usize,
    rule: impl Fn(u64) -> PermutationTest,
) -> [RankedColumns; 2] {
    let on = |places, seed| ranked_on(set, method, top, rule(seed), places);
    let one = on((1, 1), 1);
    for places in [(3, 1), (2, 3)] {
        let same = on(places, 1);
        assert_eq!(same.chosen, one.chosen, "{method:?}");
        assert_eq!(same.refused, one.refused, "{method:?}");
        assert_eq!(same.termination, one.termination, "{method:?}");
    }
    [one, on((1, 1), 2)]
}

pub fn ranked(set: &Set, method: Method, top: usize, rule: PermutationTest) -> RankedColumns {
    ranked_on(set, method, top, rule, (1, 1))
}
