//! Declared scores that no selector here has, but a plugin's may: neither bounds nor shards nor
//! threads show in what they choose.

use passel::{
    Interrupt,
    binning::{BinnedColumn, BinnedColumns, Codes},
    device::Resources,
    score::{Combination, Gather, Join, Measure, PairScore, Part, Quantity, Score},
    selection::RankedColumns,
    selector::{PairOptions, rank_pairs},
};

use super::fixtures::{PLACES, column, columns, holed, of_term, ranked, score};

/// The first `top` of a selection on one thread.
fn first(columns: &BinnedColumns, score: &Score, top: usize) -> RankedColumns {
    ranked(columns, score, top, (1, 1))
}

/// A device finishes counting its most promising candidate alone. With a device for each column
/// nothing is left out, so neither bounds nor the number of shards may show; missing values or not.
#[test]
fn bounds_shards_and_threads_do_not_show() {
    let joins = [Join::Added, Join::Alone, Join::Least];
    let gathers = [Gather::Minimum, Gather::Sum, Gather::Mean, Gather::Last];
    for (seed, (n, levels)) in [(40, 4), (300, 6), (2000, 9)].into_iter().enumerate() {
        for missing in [false, true] {
            let columns = match missing {
                true => holed(seed as u64, n, levels),
                false => columns(seed as u64, n, 24, levels),
            };
            for gather in gathers {
                for (over, weight, part) in [
                    (Combination::X_Y_GIVEN_W, 1.0, Part::Whole),
                    (Combination::X_W, -0.7, Part::Whole),
                    (Combination::XW_Y, 2.5, Part::Whole),
                    (Combination::XW_Y, -1.0, Part::BelowZero),
                ] {
                    for join in joins {
                        let score = score(of_term(over, weight, part), gather, join);
                        let every = ranked(&columns, &score, 12, (24, 2));
                        assert_eq!(every.chosen.len(), 12);
                        for places in [(4, 2), PLACES[0], PLACES[1]] {
                            let found = ranked(&columns, &score, 12, places);
                            assert_eq!(found.chosen, every.chosen, "{n} {places:?} {score:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_sum_over_anchor_and_class_alone_has_its_classes() {
    let columns = columns(7, 300, 12, 5);
    // I(w;y), the same for every candidate: the relevance of the one before.
    let of_anchor = Combination {
        n: 1,
        w: -1,
        y: -1,
        wy: 1,
        ..Combination::default()
    };
    let (resources, never) = (Resources::cpu(1), Interrupt::default());
    let term = of_term(of_anchor, 1.0, Part::Whole);
    let of_anchor = score(term, Gather::Last, Join::Alone);
    for two in first(&columns, &of_anchor, 3).chosen.windows(2) {
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
        pairs.sort_by_key(|pair| (pair.a, pair.b));
        pairs
    });
    assert_eq!(plain.len(), 66);
    for (plain, three) in plain.iter().zip(&three) {
        assert_eq!((plain.a, plain.b), (three.a, three.b));
        assert_eq!(plain.synergy, three.synergy);
    }
}

#[test]
fn an_identifier_of_more_levels_than_a_table_holds_is_counted() {
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
    let term = of_term(Combination::XW_Y, 1.0, Part::Whole);
    let ranked = first(&dense, &score(term, Gather::Sum, Join::Alone), 4);
    // The identifier tells all of the response, and so does anything with it.
    assert_eq!(ranked.chosen[0].column, 0);
    assert!((ranked.chosen[1].score - 3f64.ln()).abs() < 1e-9);
}

/// Relevance alone, of whole columns of codes.
fn by_relevance(codes: Vec<Vec<u8>>, y: Vec<u8>, gather: Gather) -> RankedColumns {
    let levels = |codes: &[u8]| 1 + usize::from(codes.iter().copied().max().unwrap());
    let column = |(at, codes): (usize, Vec<u8>)| column(at, levels(&codes), codes);
    let columns = BinnedColumns {
        n: y.len(),
        columns: codes.into_iter().enumerate().map(column).collect(),
        response: column((0, y)),
        local: None,
    };
    let relevance = score(Measure::of_terms([]), gather, Join::Added);
    let found = first(&columns, &relevance, columns.columns.len());
    assert_eq!(found.chosen.len(), columns.columns.len());
    found
}

#[test]
fn redundancy_with_many_copies_is_their_entropy() {
    let copy: Vec<u8> = (0..128).map(|at| at % 64).collect();
    let y = copy.iter().map(|code| code % 2).collect();
    let found = by_relevance(vec![copy; 60], y, Gather::Sum);
    for one in &found.chosen[1..] {
        let off = one.redundancy.map(|mean| (mean - 64f64.ln()).abs());
        assert!(off.is_some_and(|off| off < 1e-12), "{one:?}");
    }
}

#[test]
fn a_score_without_terms_is_relevance_however_it_gathers() {
    let columns = [2, 3, 5].map(|by| (0..60).map(|at| at % by).collect());
    let y: Vec<u8> = (0..60).map(|at| at / 7).collect();
    for gather in [Gather::Mean, Gather::Minimum, Gather::Last] {
        let found = by_relevance(columns.to_vec(), y.clone(), gather);
        assert!(found.chosen.iter().all(|one| one.score == one.relevance));
    }
}
