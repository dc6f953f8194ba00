//! Scores that no selector here declares, but a third party's may.

use std::num::NonZeroUsize;

use super::*;
use crate::{
    binning::{BinnedColumn, Codes, Rule},
    device::DeviceChoice,
    random::{Stream, uniform_below},
    score::{Combination, Gather, Join, Measure, PairScore, Part, Quantity, Term},
};

pub(super) fn column(index: usize, levels: usize, codes: Vec<u8>) -> BinnedColumn {
    BinnedColumn {
        name: format!("x{index}"),
        index,
        levels,
        codes: Codes::Byte(codes),
        rule: Rule::Edges(Vec::new()),
        missing: None,
    }
}

pub(super) fn columns(seed: u64, n: usize, p: usize, levels: usize) -> BinnedColumns {
    let mut stream = Stream::new(seed, 0);
    let mut codes = |levels: usize| -> Vec<u8> {
        let code = |_| uniform_below(stream.next_word(), levels) as u8;
        (0..n).map(code).collect()
    };
    let response = column(0, 3, codes(3));
    let mut made = |index: usize| {
        let levels = 1 + (index * 7) % levels;
        let mut own = codes(levels);
        // Some tell of the response.
        for (code, y) in own.iter_mut().zip(0..) {
            if index.is_multiple_of(3) && y % 4 != 0 {
                *code = (usize::from(response_code(&response, y)) % levels) as u8;
            }
        }
        column(index, levels, own)
    };
    let columns = (0..p).map(&mut made).collect();
    BinnedColumns {
        n,
        columns,
        response,
        local: None,
    }
}

fn response_code(response: &BinnedColumn, row: usize) -> u16 {
    response.codes.dense()[row]
}

pub(super) fn of_term(over: Combination, weight: f64, part: Part) -> Measure {
    Measure::Declared {
        relevance: Quantity::plain(Combination::X_Y),
        terms: vec![Term {
            weight,
            quantity: Quantity::plain(over),
            part,
        }],
    }
}

fn chosen(columns: &BinnedColumns, score: &Score, shards: usize) -> Vec<(usize, u64)> {
    let stop = Stop {
        top: Some(12),
        ..Stop::default()
    };
    let resources = Resources {
        threads: NonZeroUsize::new(2),
        devices: DeviceChoice::Cpu(NonZeroUsize::new(shards).unwrap()),
        ..Resources::default()
    };
    let never = Interrupt::default();
    let ranked = rank(columns, score, &stop, &resources, &never, &mut |_, _| {}).unwrap();
    let chosen = ranked.chosen.iter();
    chosen.map(|it| (it.column, it.score.to_bits())).collect()
}

/// A device counts the candidate that looks best to the end: with a device a column none is
/// spared, so the bounds, and the number of shards, must not show.
#[test]
fn what_is_spared_and_how_columns_are_sharded_does_not_show() {
    let given = Combination {
        xwy: 1,
        xw: -1,
        wy: -1,
        w: 1,
        ..Combination::default()
    };
    for (seed, (n, levels)) in [(40, 4), (300, 6), (5000, 9)].into_iter().enumerate() {
        let columns = columns(seed as u64, n, 30, levels);
        for gather in [Gather::Minimum, Gather::Sum, Gather::Mean, Gather::Last] {
            for join in [Join::Added, Join::Alone, Join::Least] {
                for (over, weight, part) in [
                    (given, 1.0, Part::Whole),
                    (Combination::X_W, -0.7, Part::Whole),
                    (Combination::XW_Y, 2.5, Part::Whole),
                    (Combination::XW_Y, -1.0, Part::BelowZero),
                ] {
                    let score = Score {
                        measure: of_term(over, weight, part),
                        gather,
                        join,
                        against: Against::Last,
                        floor: None,
                    };
                    let every = chosen(&columns, &score, 30);
                    for shards in [1, 4] {
                        assert_eq!(chosen(&columns, &score, shards), every, "{n} {score:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_sum_over_anchor_and_class_alone_has_its_classes() {
    let columns = columns(7, 300, 12, 5);
    let term = |over| Score {
        measure: of_term(over, 1.0, Part::Whole),
        gather: Gather::Last,
        join: Join::Alone,
        against: Against::Last,
        floor: None,
    };
    // I(w;y), the same for every candidate: the relevance of the one before.
    let of_anchor = Combination {
        n: 1,
        w: -1,
        y: -1,
        wy: 1,
        ..Combination::default()
    };
    let stop = Stop {
        top: Some(3),
        ..Stop::default()
    };
    let (resources, never) = (Resources::cpu(1), Interrupt::default());
    let score = term(of_anchor);
    let ranked = rank(&columns, &score, &stop, &resources, &never, &mut |_, _| {}).unwrap();
    for two in ranked.chosen.windows(2) {
        assert!((two[1].score - two[0].relevance).abs() < 1e-12);
    }
    // The synergy of a pair does not go by the score it is told beside.
    let [plain, three] = [Combination::X_W, Combination::XW_Y].map(|over| {
        let score = PairScore::Declared(Quantity::plain(over));
        let wanted = PairOptions::default();
        let found = rank_pairs(
            &columns,
            &score,
            &wanted,
            &resources,
            &never,
            &mut |_, _| {},
        );
        let mut pairs = found.unwrap().pairs;
        pairs.sort_by_key(|it| (it.a, it.b));
        pairs
    });
    assert_eq!(plain.len(), 66);
    for (plain, three) in plain.iter().zip(&three) {
        assert_eq!((plain.a, plain.b), (three.a, three.b));
        assert_eq!(plain.synergy, three.synergy);
    }
}

#[test]
fn more_levels_than_a_table_holds_are_counted_all_the_same() {
    let n = 6000;
    // An identifier, and columns of many rare codes.
    let word = |index: usize, codes: Vec<u16>| BinnedColumn {
        levels: 1 + usize::from(codes.iter().copied().max().unwrap_or(0)),
        codes: Codes::Word(codes),
        ..column(index, 1, Vec::new())
    };
    let rare = |by: usize| {
        let code = |row: usize| {
            if row.is_multiple_of(13) {
                (row / by) as u16
            } else {
                0
            }
        };
        (0..n).map(code).collect()
    };
    let mut all = vec![word(0, (0..n as u16).collect())];
    all.extend((1..4).map(|index| word(index, rare(26 * index))));
    let response = column(0, 3, (0..n).map(|row| (row % 3) as u8).collect());
    let dense = BinnedColumns {
        n,
        columns: all,
        response,
        local: None,
    };
    let score = Score {
        measure: of_term(Combination::XW_Y, 1.0, Part::Whole),
        gather: Gather::Sum,
        join: Join::Alone,
        against: Against::Last,
        floor: None,
    };
    let stop = Stop {
        top: Some(4),
        ..Stop::default()
    };
    let (resources, never) = (Resources::cpu(1), Interrupt::default());
    let ranked = rank(&dense, &score, &stop, &resources, &never, &mut |_, _| {}).unwrap();
    // The identifier tells all of the response, and so does anything with it.
    assert_eq!(ranked.chosen[0].column, 0);
    assert!((ranked.chosen[1].score - 3f64.ln()).abs() < 1e-9);
}
