//! Scores that no selector here declares, but a third party's may.

use std::num::NonZeroUsize;

use super::*;
use crate::{
    binning::{BinnedColumn, Rule},
    random::{Stream, below},
    score::{Combination, Gather, Join, Part, Quantity, Term},
};

fn column(index: usize, levels: usize, codes: Vec<u8>) -> BinnedColumn {
    BinnedColumn {
        name: format!("x{index}"),
        index,
        levels,
        codes: Codes::Byte(codes),
        rule: Rule::Edges(Vec::new()),
        missing: None,
    }
}

fn columns(seed: u64, n: usize, p: usize, levels: usize) -> BinnedColumns {
    let mut stream = Stream::new(seed, 0);
    let mut codes = |levels: usize| -> Vec<u8> {
        let code = |_| below(stream.word(), levels) as u8;
        (0..n).map(code).collect()
    };
    let response = column(0, 3, codes(3));
    let mut made = |index: usize| {
        let levels = 1 + (index * 7) % levels;
        let mut own = codes(levels);
        // Some tell of the response.
        for (code, y) in own.iter_mut().zip(0..) {
            if index % 3 == 0 && y % 4 != 0 {
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
    }
}

fn response_code(response: &BinnedColumn, row: usize) -> u16 {
    response.codes.dense()[row]
}

fn chosen(columns: &BinnedColumns, score: &Score, shards: usize) -> Vec<(usize, u64)> {
    let stop = Stop {
        top: Some(12),
        threshold: None,
    };
    let resources = Resources {
        threads: NonZeroUsize::new(2),
        devices: Choice::Cpu(NonZeroUsize::new(shards).unwrap()),
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
                        relevance: Quantity::plain(Combination::X_Y),
                        terms: vec![Term {
                            weight,
                            quantity: Quantity::plain(over),
                            part,
                        }],
                        gather,
                        join,
                        against: Against::Last,
                        ends_at_zero: false,
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
