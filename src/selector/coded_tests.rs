//! Coded scores: functions of the whole table, against plain references and declared ones.

use std::{collections::HashMap, num::NonZeroUsize, sync::Arc};

use super::{
    declared_tests::{column, columns, of_term},
    *,
};
use crate::{
    binning::Codes,
    device::{DeviceChoice, DeviceError, ScoreFault},
    score::{
        Combination, CountTable, Gather, Join, Measure, PairScore, Part, Quantity, ScoreFunction,
        TableFunction,
    },
};

/// A function and its tolerance.
struct Made<F>(F, f64);

impl<F> std::fmt::Debug for Made<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("made")
    }
}

impl<F: Fn(&CountTable) -> f64 + Send + Sync> TableFunction for Made<F> {
    fn value(&self, table: &CountTable) -> f64 {
        (self.0)(table)
    }

    fn tolerance(&self) -> f64 {
        self.1
    }
}

pub(super) fn coded(
    value: impl Fn(&CountTable) -> f64 + Send + Sync + 'static,
    tolerance: f64,
) -> ScoreFunction {
    ScoreFunction(Arc::new(Made(value, tolerance)))
}

pub(super) fn score(measure: Measure, gather: Gather, join: Join) -> Score {
    Score {
        measure,
        gather,
        join,
        against: Against::Last,
        floor: None,
    }
}

/// Of shards and threads.
pub(super) fn resources((shards, threads): (usize, usize)) -> Resources {
    Resources {
        threads: NonZeroUsize::new(threads),
        devices: DeviceChoice::Cpu(NonZeroUsize::new(shards).unwrap()),
        ..Resources::default()
    }
}

pub(super) const PLACES: [(usize, usize); 4] = [(1, 1), (1, 3), (3, 1), (3, 3)];

pub(super) fn ranked(
    columns: &BinnedColumns,
    score: &Score,
    top: usize,
    places: (usize, usize),
) -> RankedColumns {
    let stop = Stop {
        permutation: None,
        top: Some(top),
        threshold: None,
    };
    let (resources, never) = (resources(places), Interrupt::default());
    rank(columns, score, &stop, &resources, &never, &mut |_, _| {}).unwrap()
}

/// H in nats of the counts of what `key` makes of (x, w, y), below the number of cells.
fn entropy(table: &CountTable, key: impl Fn(usize, usize, usize) -> usize) -> f64 {
    let mut counts = vec![0; table.counts.len()];
    for (at, count) in table.counts.iter().enumerate() {
        let (x, w, y) = (at / table.y / table.w, at / table.y % table.w, at % table.y);
        counts[key(x, w, y)] += count;
    }
    counts.retain(|it| *it > 0);
    // Tables that are equal but for the order of their cells have one value.
    counts.sort_unstable();
    let n = f64::from(counts.iter().sum::<u32>());
    let shares = counts.iter().map(|it| f64::from(*it) / n);
    shares.map(|share| -share * share.ln()).sum()
}

/// I((x,w);y).
pub(super) fn joint_information(table: &CountTable) -> f64 {
    let xw = |x, w, _| x * table.w + w;
    let xwy = |x, w, y| (x * table.w + w) * table.y + y;
    entropy(table, xw) + entropy(table, |_, _, y| y) - entropy(table, xwy)
}

/// χ² of (x, w) and y.
fn chi_square(table: &CountTable) -> f64 {
    let mut of_y = vec![0.0; table.y];
    for row in table.counts.chunks(table.y) {
        for (of_y, &count) in of_y.iter_mut().zip(row) {
            *of_y += f64::from(count);
        }
    }
    let n: f64 = of_y.iter().sum();
    let mut sum = 0.0;
    for row in table.counts.chunks(table.y) {
        let own = f64::from(row.iter().sum::<u32>());
        for (of_y, &count) in of_y.iter().zip(row) {
            let expected = own * of_y / n;
            if expected > 0.0 {
                sum += (f64::from(count) - expected).powi(2) / expected;
            }
        }
    }
    sum
}

/// What the impurity of y falls by when (x, w) is known.
fn gini(table: &CountTable) -> f64 {
    let purity = |row: &[f64]| {
        let own = row.iter().sum::<f64>();
        match own {
            0.0 => 0.0,
            _ => row.iter().map(|it| it * it).sum::<f64>() / own,
        }
    };
    let (mut all, mut sum) = (vec![0.0; table.y], 0.0);
    for row in table.counts.chunks(table.y) {
        let row: Vec<f64> = row.iter().map(|it| f64::from(*it)).collect();
        for (all, count) in all.iter_mut().zip(&row) {
            *all += count;
        }
        sum += purity(&row);
    }
    (sum - purity(&all)) / all.iter().sum::<f64>()
}

#[test]
fn coded_information_chooses_as_declared_information_does() {
    for (seed, (n, levels)) in [(60, 4), (300, 6), (5000, 9)].into_iter().enumerate() {
        let columns = columns(seed as u64, n, 25, levels);
        for gather in [Gather::Sum, Gather::Mean, Gather::Minimum, Gather::Last] {
            for join in [Join::Added, Join::Alone, Join::Least] {
                let declared = of_term(Combination::XW_Y, 1.0, Part::Whole);
                let declared = ranked(&columns, &score(declared, gather, join), 10, (1, 1));
                let measure = Measure::Function(coded(joint_information, 1e-10));
                let score = score(measure, gather, join);
                let own = ranked(&columns, &score, 10, (1, 1));
                assert_eq!(own.chosen.len(), 10);
                for (own, declared) in own.chosen.iter().zip(&declared.chosen) {
                    let what = format!("{n} {gather:?} {join:?}: {own:?} {declared:?}");
                    assert_eq!(own.column, declared.column, "{what}");
                    assert!((own.score - declared.score).abs() < 1e-9, "{what}");
                    assert!((own.relevance - declared.relevance).abs() < 1e-9, "{what}");
                    assert_eq!(own.redundancy, declared.redundancy, "{what}");
                }
                for places in PLACES {
                    assert_eq!(ranked(&columns, &score, 10, places).chosen, own.chosen);
                }
            }
        }
    }
}

/// The table from the codes themselves.
fn counted(x: &[u16], w: Option<&[u16]>, y: &[u16]) -> Vec<(Vec<u32>, u32)> {
    let levels = |it: &[u16]| 1 + usize::from(it.iter().copied().max().unwrap());
    let classes = levels(y);
    let mut rows: HashMap<(u16, u16), Vec<u32>> = HashMap::new();
    for t in 0..y.len() {
        let row = rows.entry((x[t], w.map_or(0, |it| it[t]))).or_default();
        row.resize(classes, 0);
        row[usize::from(y[t])] += 1;
    }
    let rows = rows.into_values();
    rows.map(|row| (row.clone(), row.iter().sum())).collect()
}

/// χ² and the fall of Gini's impurity of any such rows.
fn references(rows: &[(Vec<u32>, u32)]) -> [f64; 2] {
    let classes = rows[0].0.len();
    let n: f64 = rows.iter().map(|it| f64::from(it.1)).sum();
    let of_y = |y: usize| rows.iter().map(|it| f64::from(it.0[y])).sum::<f64>() / n;
    let (mut chi, mut pure) = (0.0, 0.0);
    for (row, own) in rows {
        let own = f64::from(*own);
        for (y, count) in row.iter().map(|it| f64::from(*it)).enumerate() {
            let expected = own * of_y(y);
            if expected > 0.0 {
                chi += (count - expected) * (count - expected) / expected;
            }
            pure += count * count / own / n;
        }
    }
    let before: f64 = (0..classes).map(|y| of_y(y) * of_y(y)).sum();
    [chi, pure - before]
}

/// The columns, held in every form that has room.
pub(super) fn in_every_form(mut columns: BinnedColumns) -> BinnedColumns {
    for (at, column) in columns.columns.iter_mut().enumerate() {
        let codes = column.codes.dense();
        column.codes = match at % 3 {
            0 => continue,
            1 => Codes::Word(codes),
            _ => {
                let most = codes[0];
                let off = || codes.iter().zip(0..).filter(|it| *it.0 != most);
                Codes::Sparse {
                    n: codes.len(),
                    most,
                    rows: off().map(|it| it.1).collect(),
                    codes: off().map(|it| *it.0).collect(),
                }
            }
        };
    }
    columns
}

#[test]
fn coded_sums_are_those_of_the_codes_themselves() {
    for (seed, (n, levels)) in [(1, 1), (50, 3), (400, 40), (3000, 200)]
        .into_iter()
        .enumerate()
    {
        let columns = in_every_form(columns(10 + seed as u64, n, 20, levels));
        let codes: Vec<Vec<u16>> = columns.columns.iter().map(|it| it.codes.dense()).collect();
        let y = columns.response.codes.dense();
        for (kind, function) in [chi_square, gini].into_iter().enumerate() {
            let measure = Measure::Function(coded(function, 1e-9));
            let score = score(measure, Gather::Sum, Join::Added);
            let own = ranked(&columns, &score, 6, (1, 1));
            for places in PLACES {
                assert_eq!(ranked(&columns, &score, 6, places).chosen, own.chosen);
            }
            let mut chosen: Vec<usize> = Vec::new();
            for it in &own.chosen {
                let score = |x: usize| {
                    let table = |w: Option<&usize>| {
                        let w = w.map(|w| &codes[*w][..]);
                        references(&counted(&codes[x], w, &y))[kind]
                    };
                    table(None) + chosen.iter().map(|w| table(Some(w))).sum::<f64>()
                };
                let left = (0..20).filter(|x| !chosen.contains(x));
                let scores: Vec<(usize, f64)> = left.map(|x| (x, score(x))).collect();
                let best = scores.iter().map(|it| it.1).fold(f64::MIN, f64::max);
                let near = scores.iter().find(|it| it.1 >= best - 1e-9 * best.abs());
                assert_eq!(it.column, near.unwrap().0, "{n} {kind} {scores:?}");
                assert!((it.score - best).abs() <= 1e-8 * best.abs().max(1.0));
                chosen.push(it.column);
            }
        }
    }
}

#[test]
fn what_is_as_good_within_the_tolerance_goes_to_the_lowest_column() {
    // 20 columns, the number of the level of each a score of its own.
    let scores = [
        -1.0, 0.5, 0.99, 0.9999, 0.99989, 0.2, 1.0, 0.99995, 1.0, 0.9998,
    ];
    let own = |at: usize| column(at, 2 + at, vec![0; 8]);
    let columns = BinnedColumns {
        n: 8,
        columns: (0..scores.len()).map(own).collect(),
        response: column(0, 1, vec![0; 8]),
        local: None,
    };
    for sign in [1.0, -1.0] {
        let value = move |table: &CountTable| match sign > 0.0 {
            true => scores[table.x - 2],
            false => scores[table.x - 2] - 3.0,
        };
        for (tolerance, order) in [
            (0.0, [6, 8, 7, 3]),
            // 0.9999 is the first within the tolerance of 1 until it goes.
            (
                1.0001e-4,
                if sign > 0.0 {
                    [3, 6, 7, 8]
                } else {
                    [3, 4, 6, 7]
                },
            ),
        ] {
            let measure = Measure::Function(coded(value, tolerance));
            let score = score(measure, Gather::Last, Join::Alone);
            for places in PLACES {
                let found = ranked(&columns, &score, 4, places);
                let found: Vec<usize> = found.chosen.iter().map(|it| it.column).collect();
                assert_eq!(found, order, "{sign} {tolerance} {places:?}");
            }
        }
    }
}

#[test]
fn coded_pairs_are_the_declared_ones() {
    let never = Interrupt::default();
    let columns = in_every_form(columns(3, 90, 14, 5));
    let found = |score: PairScore, wanted: &PairOptions, places| {
        let resources = resources(places);
        rank_pairs(&columns, &score, wanted, &resources, &never, &mut |_, _| {}).unwrap()
    };
    for top in [5, 91] {
        let wanted = PairOptions {
            top: Some(top),
            threshold: (top == 91).then_some(0.05),
            partners: true,
            matrix: true,
        };
        let declared = PairScore::Declared(Quantity::plain(Combination::XW_Y));
        let declared = found(declared, &wanted, (1, 1));
        // So far from a tie that the order is theirs.
        let coded = PairScore::Function(coded(
            |it| (joint_information(it) * 1e10).round() / 1e10,
            0.0,
        ));
        let first = found(coded.clone(), &wanted, (1, 1));
        assert_eq!(first.single, declared.single);
        assert_eq!(first.pairs.len(), declared.pairs.len());
        for (own, declared) in first.pairs.iter().zip(&declared.pairs) {
            assert_eq!((own.a, own.b), (declared.a, declared.b));
            assert!((own.score - declared.score).abs() < 1e-9);
            assert_eq!(own.synergy, declared.synergy);
        }
        let both = first.partners.iter().zip(&declared.partners);
        assert_eq!(both.len(), 14);
        for (own, declared) in both {
            let (own, declared) = (own.unwrap(), declared.unwrap());
            assert_eq!(own.column, declared.column);
            assert!((own.score - declared.score).abs() < 1e-9);
            assert_eq!(own.synergy, declared.synergy);
        }
        for (own, declared) in first.matrix.iter().zip(&declared.matrix) {
            assert!((own - declared).abs() < 1e-9);
        }
        for places in PLACES {
            let own = found(coded.clone(), &wanted, places);
            assert_eq!((&own.pairs, &own.matrix), (&first.pairs, &first.matrix));
            assert_eq!(own.partners, first.partners);
        }
    }
    // x is the lower of the two, and the first pair without a score is named.
    let levels: Vec<usize> = columns.columns.iter().map(|it| it.levels).collect();
    let lopsided = coded(|it| it.x as f64 + 0.01 * it.w as f64, 0.0);
    let wanted = PairOptions {
        top: Some(91),
        ..PairOptions::default()
    };
    for it in found(PairScore::Function(lopsided), &wanted, (2, 2)).pairs {
        assert_eq!(it.score, levels[it.a] as f64 + 0.01 * levels[it.b] as f64);
    }
    // What may never be chosen is nobody's partner, and of equal scores the lowest is.
    let narrow = |it: &CountTable| {
        let narrow = it.x <= 2 && it.w <= 2;
        if narrow { f64::NEG_INFINITY } else { 1.0 }
    };
    let alone = coded(|_| f64::NEG_INFINITY, 0.0);
    let wanted = PairOptions {
        top: Some(1),
        partners: true,
        ..PairOptions::default()
    };
    for places in PLACES {
        let all = found(PairScore::Function(coded(narrow, 0.0)), &wanted, places);
        for (x, own) in all.partners.into_iter().enumerate() {
            let may = |w: &usize| *w != x && (levels[x] > 2 || levels[*w] > 2);
            let best = (0..14).find(may).unwrap();
            assert_eq!(own.map(|it| (it.column, it.score)), Some((best, 1.0)));
        }
        let none = found(PairScore::Function(alone.clone()), &wanted, places);
        assert_eq!((none.pairs.len(), none.partners), (0, vec![None; 14]));
    }
    let wrong = |it: &CountTable| if it.x > 2 && it.w > 2 { f64::NAN } else { 1.0 };
    let wide = |at: &usize| levels[*at] > 2;
    let mut numbers = (0..14).filter(wide);
    let expected = (
        numbers.next().unwrap() as u32,
        numbers.next().map(|it| it as u32),
    );
    for places in PLACES {
        let found = found(PairScore::Function(coded(wrong, 0.0)), &wanted, places);
        let Some(DeviceError::UndefinedScore(it)) = found.fault else {
            panic!("no fault");
        };
        assert_eq!(
            ((it.column, it.other), it.reason),
            (expected, ScoreFault::NotANumber)
        );
        assert!(found.pairs.is_empty() && found.partners.is_empty());
    }
}
