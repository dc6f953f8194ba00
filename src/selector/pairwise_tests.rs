//! Missing values pairwise: where columns lie must not show, nor whether a score is declared or
//! coded.

use super::{
    coded_tests::{PLACES, coded, in_every_form, joint_information, ranked, resources, score},
    declared_tests::{columns, of_term},
    *,
};
use crate::{
    binning::{Codes, MissingCode},
    random::{Stream, uniform_below},
    score::{Combination, CountTable, Gather, Join, Measure, PairScore, Part, Quantity},
};

/// Columns of which two in three miss values, of all forms.
pub(super) fn holed(seed: u64, n: usize, levels: usize) -> BinnedColumns {
    let mut stream = Stream::new(seed, 1);
    let mut columns = columns(seed, n, 24, levels);
    for (at, column) in columns.columns.iter_mut().enumerate() {
        let share = [0, 30, 900][at % 3];
        if share == 0 {
            continue;
        }
        let mut codes = column.codes.dense();
        for code in &mut codes {
            if uniform_below(stream.next_word(), 1000) < share {
                *code = column.levels as u16;
            }
        }
        column.codes = Codes::Word(codes);
        column.missing = Some(MissingCode::Excluded(column.levels as u16));
    }
    // Rotated, so that every form has columns of every share.
    let order = (0..24).map(|at| columns.columns[(at * 7) % 24].clone());
    columns.columns = order.collect();
    in_every_form(columns)
}

#[test]
fn shards_threads_and_bounds_do_not_show() {
    for (seed, (n, levels)) in [(40, 4), (300, 6), (2000, 9)].into_iter().enumerate() {
        let columns = holed(seed as u64, n, levels);
        for gather in [Gather::Minimum, Gather::Sum, Gather::Mean] {
            for (over, part) in [
                (Combination::X_W, Part::Whole),
                (Combination::XW_Y, Part::Whole),
            ] {
                for join in [Join::Added, Join::Least] {
                    let score = score(of_term(over, 1.0, part), gather, join);
                    // With a shard a column nothing is spared.
                    let every = ranked(&columns, &score, 12, (24, 1));
                    assert_eq!(every.chosen.len(), 12);
                    for places in PLACES {
                        let found = ranked(&columns, &score, 12, places);
                        assert_eq!(found.chosen, every.chosen, "{n} {places:?} {score:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn coded_functions_see_no_level_of_what_is_missing() {
    for (seed, (n, levels)) in [(60, 4), (300, 6), (900, 9)].into_iter().enumerate() {
        let columns = holed(10 + seed as u64, n, levels);
        let real: Vec<usize> = columns.columns.iter().map(|it| it.levels).collect();
        let most = real.iter().copied().max().unwrap();
        let information = move |table: &CountTable| {
            assert!(table.x <= most && table.w <= most);
            assert_eq!(table.counts.len(), table.x * table.w * table.y);
            joint_information(table)
        };
        for (gather, against) in [
            (Gather::Sum, Against::Last),
            (Gather::Minimum, Against::Last),
            (Gather::Last, Against::Joint),
        ] {
            let of = |measure| Score {
                against,
                ..score(measure, gather, Join::Alone)
            };
            let declared = of(of_term(Combination::XW_Y, 1.0, Part::Whole));
            let declared = ranked(&columns, &declared, 3, (1, 1));
            let joint = against == Against::Joint;
            let own = match joint {
                true => of(Measure::Function(coded(joint_information, 1e-10))),
                false => of(Measure::Function(coded(information, 1e-10))),
            };
            let found = ranked(&columns, &own, 3, (1, 1));
            assert_eq!(found.fault, None);
            for (own, declared) in found.chosen.iter().zip(&declared.chosen) {
                let what = format!("{n} {gather:?}: {own:?} {declared:?}");
                assert_eq!(own.column, declared.column, "{what}");
                assert!((own.score - declared.score).abs() < 1e-9, "{what}");
                assert!((own.relevance - declared.relevance).abs() < 1e-9, "{what}");
                assert_eq!(own.redundancy, declared.redundancy, "{what}");
            }
            for places in PLACES {
                assert_eq!(ranked(&columns, &own, 3, places).chosen, found.chosen);
            }
        }
    }
}

#[test]
fn pairs_are_the_same_declared_and_coded_and_anywhere() {
    let never = Interrupt::default();
    let columns = holed(20, 200, 5);
    let wanted = PairOptions {
        top: Some(276),
        threshold: None,
        partners: true,
        matrix: true,
    };
    let found = |score: &PairScore, places| {
        let resources = resources(places);
        rank_pairs(&columns, score, &wanted, &resources, &never, &mut |_, _| {}).unwrap()
    };
    let declared = PairScore::Declared(Quantity::plain(Combination::XW_Y));
    let coded = PairScore::Function(coded(joint_information, 0.0));
    let [first, second] = [&declared, &coded].map(|score| found(score, (1, 1)));
    assert_eq!((first.pairs.len(), second.pairs.len()), (276, 276));
    assert_eq!(first.single, second.single);
    for (a, b) in first.matrix.iter().zip(&second.matrix) {
        assert!((a - b).abs() < 1e-9);
    }
    for it in &second.pairs {
        let same = |other: &&crate::selection::ColumnPair| (other.a, other.b) == (it.a, it.b);
        let declared = first.pairs.iter().find(same).unwrap();
        assert_eq!(declared.synergy, it.synergy);
    }
    for (x, own) in first.partners.iter().enumerate() {
        // All pairs are told, of equal scores the lowest columns first.
        let best = first.pairs.iter().find(|it| it.a == x || it.b == x);
        let best = best.map(|it| (it.a + it.b - x, it.score, it.synergy));
        assert_eq!(own.map(|it| (it.column, it.score, it.synergy)), best);
    }
    for places in PLACES {
        for (score, first) in [(&declared, &first), (&coded, &second)] {
            let found = found(score, places);
            assert_eq!((&found.pairs, &found.matrix), (&first.pairs, &first.matrix));
            assert_eq!(found.partners, first.partners);
        }
    }
}
