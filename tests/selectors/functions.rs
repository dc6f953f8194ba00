//! Scores that are functions of a table of counts, against plain references and declared scores.

use std::collections::HashMap;

use passel::{
    Interrupt,
    binning::BinnedColumns,
    score::{Against, Combination, CountTable, Gather, Join, Measure, Part, Score},
    selector::{PermutationTest, Stop, rank},
};

use super::fixtures::{
    PLACES, by_levels, coded, columns, holed, in_every_form, joint_information, of_term, ranked,
    resources, score,
};

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
            _ => row.iter().map(|count| count * count).sum::<f64>() / own,
        }
    };
    let (mut all, mut sum) = (vec![0.0; table.y], 0.0);
    for row in table.counts.chunks(table.y) {
        let row: Vec<f64> = row.iter().map(|count| f64::from(*count)).collect();
        for (all, count) in all.iter_mut().zip(&row) {
            *all += count;
        }
        sum += purity(&row);
    }
    (sum - purity(&all)) / all.iter().sum::<f64>()
}

/// Whether a function chooses what a declared score of the same value does, on all devices.
fn agrees(columns: &BinnedColumns, declared: &Score, own: &Score, top: usize) {
    let declared = ranked(columns, declared, top, (1, 1));
    let found = ranked(columns, own, top, (1, 1));
    assert_eq!((found.chosen.len(), &found.fault), (top, &None));
    for (one, expected) in found.chosen.iter().zip(&declared.chosen) {
        let what = format!("{own:?}: {one:?} {expected:?}");
        assert_eq!(one.column, expected.column, "{what}");
        assert!((one.score - expected.score).abs() < 1e-9, "{what}");
        let off = (one.relevance - expected.relevance).abs();
        assert!(off < 1e-9, "{what}");
        assert_eq!(one.redundancy, expected.redundancy, "{what}");
    }
    for places in PLACES {
        assert_eq!(ranked(columns, own, top, places).chosen, found.chosen);
    }
}

#[test]
fn a_function_of_information_chooses_as_declared_information_does() {
    let declared = || of_term(Combination::XW_Y, 1.0, Part::Whole);
    for (seed, (n, levels)) in [(60, 4), (300, 6), (5000, 9)].into_iter().enumerate() {
        let columns = columns(seed as u64, n, 25, levels);
        for gather in [Gather::Sum, Gather::Mean, Gather::Minimum, Gather::Last] {
            for join in [Join::Added, Join::Alone, Join::Least] {
                let function = Measure::Function(coded(joint_information, 1e-10));
                let own = score(function, gather, join);
                agrees(&columns, &score(declared(), gather, join), &own, 10);
            }
        }
    }
    for (seed, (n, levels)) in [(60, 4), (300, 6), (900, 9)].into_iter().enumerate() {
        let columns = holed(10 + seed as u64, n, levels);
        let most = columns.columns.iter().map(|column| column.levels).max();
        for (gather, against) in [
            (Gather::Sum, Against::Last),
            (Gather::Minimum, Against::Last),
            (Gather::Last, Against::Joint),
        ] {
            // A missing value is no level, and joined columns have more than any one.
            let information = move |table: &CountTable| {
                let joined = against == Against::Joint;
                assert!(joined || table.x.max(table.w) <= most.unwrap());
                assert_eq!(table.counts.len(), table.x * table.w * table.y);
                joint_information(table)
            };
            let of = |measure| Score {
                against,
                ..score(measure, gather, Join::Alone)
            };
            let own = of(Measure::Function(coded(information, 1e-10)));
            agrees(&columns, &of(declared()), &own, 3);
        }
    }
}

/// The table from the codes themselves.
fn counted(x: &[u16], w: Option<&[u16]>, y: &[u16]) -> Vec<(Vec<u32>, u32)> {
    let levels = |codes: &[u16]| 1 + usize::from(codes.iter().copied().max().unwrap());
    let classes = levels(y);
    let mut rows: HashMap<(u16, u16), Vec<u32>> = HashMap::new();
    for t in 0..y.len() {
        let row = rows.entry((x[t], w.map_or(0, |w| w[t]))).or_default();
        row.resize(classes, 0);
        row[usize::from(y[t])] += 1;
    }
    let rows = rows.into_values();
    rows.map(|row| (row.clone(), row.iter().sum())).collect()
}

/// χ² and the fall of Gini's impurity of any such rows.
fn references(rows: &[(Vec<u32>, u32)]) -> [f64; 2] {
    let classes = rows[0].0.len();
    let n: f64 = rows.iter().map(|row| f64::from(row.1)).sum();
    let of_y = |y: usize| rows.iter().map(|row| f64::from(row.0[y])).sum::<f64>() / n;
    let (mut chi, mut pure) = (0.0, 0.0);
    for (row, own) in rows {
        let own = f64::from(*own);
        for (y, count) in row.iter().map(|count| f64::from(*count)).enumerate() {
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

#[test]
fn sums_of_functions_are_those_counted_from_the_codes() {
    for (seed, (n, levels)) in [(1, 1), (50, 3), (400, 40), (3000, 200)]
        .into_iter()
        .enumerate()
    {
        let columns = in_every_form(columns(10 + seed as u64, n, 20, levels));
        let codes: Vec<Vec<u16>> = columns
            .columns
            .iter()
            .map(|column| column.codes.dense())
            .collect();
        let y = columns.response.codes.dense();
        for (kind, function) in [chi_square, gini].into_iter().enumerate() {
            let measure = Measure::Function(coded(function, 1e-9));
            let score = score(measure, Gather::Sum, Join::Added);
            let own = ranked(&columns, &score, 6, (1, 1));
            for places in PLACES {
                assert_eq!(ranked(&columns, &score, 6, places).chosen, own.chosen);
            }
            let mut chosen: Vec<usize> = Vec::new();
            for pick in &own.chosen {
                let score = |x: usize| {
                    let table = |w: Option<&usize>| {
                        let w = w.map(|w| &codes[*w][..]);
                        references(&counted(&codes[x], w, &y))[kind]
                    };
                    table(None) + chosen.iter().map(|w| table(Some(w))).sum::<f64>()
                };
                let left = (0..20).filter(|x| !chosen.contains(x));
                let scores: Vec<(usize, f64)> = left.map(|x| (x, score(x))).collect();
                let best = scores
                    .iter()
                    .map(|scored| scored.1)
                    .fold(f64::MIN, f64::max);
                let near = scores
                    .iter()
                    .find(|scored| scored.1 >= best - 1e-9 * best.abs());
                assert_eq!(pick.column, near.unwrap().0, "{n} {kind} {scores:?}");
                assert!((pick.score - best).abs() <= 1e-8 * best.abs().max(1.0));
                chosen.push(pick.column);
            }
        }
    }
}

#[test]
fn scores_within_the_tolerance_tie_and_the_lowest_column_wins() {
    // A score of its own for each column, by its number of levels.
    let scores = [
        -1.0, 0.5, 0.99, 0.9999, 0.99989, 0.2, 1.0, 0.99995, 1.0, 0.9998,
    ];
    let columns = by_levels(scores.len());
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
                let found: Vec<usize> = found.chosen.iter().map(|pick| pick.column).collect();
                assert_eq!(found, order, "{sign} {tolerance} {places:?}");
            }
        }
    }
}

#[test]
fn with_a_tolerance_the_permutation_test_is_of_the_best_score() {
    let columns = columns(8, 60, 15, 4);
    let never = Interrupt::default();
    let first = |tolerance| {
        let coded = coded(joint_information, tolerance);
        let score = score(Measure::Function(coded), Gather::Sum, Join::Alone);
        let stop = Stop {
            top: Some(1),
            threshold: None,
            permutation: Some(PermutationTest {
                n: 199,
                alpha: 1.0,
                standardise: false,
                seed: 3,
            }),
        };
        let asked = resources(PLACES[0]);
        let found = rank(&columns, &score, &stop, &asked, &never, &mut |_, _| {}).unwrap();
        let first = found.chosen.into_iter().next().unwrap();
        (first.column, first.score, first.permutation_p)
    };
    let (best, near) = (first(0.0), first(0.9));
    // Another column, of a lower score, but no likelier by chance.
    assert!(near.0 < best.0 && near.1 < best.1);
    assert_eq!(near.2, best.2);
}
