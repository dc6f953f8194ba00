//! Pair scores that are functions of a table of counts, and tables without a score.

use passel::{
    Interrupt,
    binning::{BinnedColumn, BinnedColumns},
    device::{DeviceChoice, DeviceError, Resources, ScoreFault, UndefinedScore},
    score::{Against, Combination, CountTable, Gather, Join, Measure, PairScore, Quantity, Score},
    selection::{ColumnPair, PairScan, StopReason},
    selector::{PairOptions, SelectorError, Stop, rank, rank_pairs},
};

use super::fixtures::{
    PLACES, by_levels, coded, column, columns, holed, in_every_form, joint_information, ranked,
    resources, score,
};

fn scanned(
    columns: &BinnedColumns,
    score: &PairScore,
    options: &PairOptions,
    places: (usize, usize),
) -> PairScan {
    let (resources, never) = (resources(places), Interrupt::default());
    rank_pairs(columns, score, options, &resources, &never, &mut |_, _| {}).unwrap()
}

/// Declared and as a function, with or without missing values, on any devices.
#[test]
fn pairs_by_a_function_are_those_by_the_declared_score() {
    let declared = PairScore::Declared(Quantity::plain(Combination::XW_Y));
    for columns in [in_every_form(columns(3, 90, 14, 5)), holed(20, 200, 5)] {
        let p = columns.columns.len();
        let all = p * (p - 1) / 2;
        for top in [5, all] {
            let options = PairOptions {
                top: Some(top),
                threshold: (top == 91).then_some(0.05),
                partners: true,
                matrix: true,
            };
            let first = scanned(&columns, &declared, &options, (1, 1));
            // So far from a tie that the order is the declared one's.
            let rounded = |table: &CountTable| (joint_information(table) * 1e10).round() / 1e10;
            let function = PairScore::Function(coded(rounded, 0.0));
            let second = scanned(&columns, &function, &options, (1, 1));
            assert_eq!(second.single, first.single);
            assert_eq!(second.pairs.len(), first.pairs.len());
            for own in &second.pairs {
                let same = |other: &&ColumnPair| (other.a, other.b) == (own.a, own.b);
                let expected = first.pairs.iter().find(same).unwrap();
                assert!((own.score - expected.score).abs() < 1e-9);
                assert_eq!(own.synergy, expected.synergy);
            }
            assert_eq!(second.partners.len(), p);
            for (own, expected) in second.partners.iter().zip(&first.partners) {
                let (own, expected) = (own.unwrap(), expected.unwrap());
                assert_eq!(own.column, expected.column);
                assert!((own.score - expected.score).abs() < 1e-9);
                assert_eq!(own.synergy, expected.synergy);
            }
            for (own, expected) in second.matrix.iter().zip(&first.matrix) {
                assert!((own - expected).abs() < 1e-9);
            }
            for (x, own) in first.partners.iter().enumerate() {
                // Of a full list, of equal scores the lowest columns first.
                let best = first.pairs.iter().find(|pair| pair.a == x || pair.b == x);
                let best = best.map(|pair| (pair.a + pair.b - x, pair.score, pair.synergy));
                let own = own.map(|partner| (partner.column, partner.score, partner.synergy));
                assert!(top < all || options.threshold.is_some() || own == best);
            }
            for places in PLACES {
                for (score, expected) in [(&declared, &first), (&function, &second)] {
                    let found = scanned(&columns, score, &options, places);
                    assert_eq!(
                        (&found.pairs, &found.matrix),
                        (&expected.pairs, &expected.matrix)
                    );
                    assert_eq!(found.partners, expected.partners);
                }
            }
        }
    }
}

/// Columns of some levels, 1 … 5.
fn of_five_levels() -> (BinnedColumns, Vec<usize>) {
    let columns = in_every_form(columns(3, 90, 14, 5));
    let levels = columns.columns.iter().map(|column| column.levels).collect();
    (columns, levels)
}

#[test]
fn the_first_argument_of_a_pair_function_is_the_lower_column() {
    let (columns, levels) = of_five_levels();
    let lopsided = coded(|table| table.x as f64 + 0.01 * table.w as f64, 0.0);
    let options = PairOptions {
        top: Some(91),
        ..PairOptions::default()
    };
    let found = scanned(&columns, &PairScore::Function(lopsided), &options, (2, 2));
    assert_eq!(found.pairs.len(), 91);
    for pair in found.pairs {
        let expected = levels[pair.a] as f64 + 0.01 * levels[pair.b] as f64;
        assert_eq!(pair.score, expected);
    }
}

/// −∞ is never chosen, and of equal scores the lowest partner is.
#[test]
fn a_pair_of_minus_infinity_is_nobodys_partner() {
    let (columns, levels) = of_five_levels();
    let narrow = |table: &CountTable| match table.x <= 2 && table.w <= 2 {
        true => f64::NEG_INFINITY,
        false => 1.0,
    };
    let options = PairOptions {
        top: Some(1),
        partners: true,
        ..PairOptions::default()
    };
    for places in PLACES {
        let some = PairScore::Function(coded(narrow, 0.0));
        let some = scanned(&columns, &some, &options, places);
        for (x, own) in some.partners.into_iter().enumerate() {
            let may = |w: &usize| *w != x && (levels[x] > 2 || levels[*w] > 2);
            let best = (0..14).find(may).unwrap();
            let own = own.map(|partner| (partner.column, partner.score));
            assert_eq!(own, Some((best, 1.0)));
        }
        let none = PairScore::Function(coded(|_| f64::NEG_INFINITY, 0.0));
        let none = scanned(&columns, &none, &options, places);
        assert_eq!((none.pairs.len(), none.partners), (0, vec![None; 14]));
    }
}

#[test]
fn the_first_pair_without_a_score_ends_the_scan_and_is_named() {
    let (columns, levels) = of_five_levels();
    let wrong = |table: &CountTable| match table.x > 2 && table.w > 2 {
        true => f64::NAN,
        false => 1.0,
    };
    let mut wide = (0..14).filter(|at: &u32| levels[*at as usize] > 2);
    let expected = (wide.next().unwrap(), wide.next());
    let options = PairOptions {
        top: Some(1),
        partners: true,
        ..PairOptions::default()
    };
    for places in PLACES {
        let score = PairScore::Function(coded(wrong, 0.0));
        let found = scanned(&columns, &score, &options, places);
        let Some(DeviceError::UndefinedScore(fault)) = found.fault else {
            panic!("no fault");
        };
        assert_eq!((fault.column, fault.other), expected);
        assert_eq!(fault.reason, ScoreFault::NotANumber);
        assert!(found.pairs.is_empty() && found.partners.is_empty());
    }
}

/// A fault at the columns of more levels than four, from the second step on.
fn faulty(value: impl Fn() -> f64 + Send + Sync + 'static) -> Score {
    let value = move |table: &CountTable| match table.w {
        2.. if table.x > 4 => value(),
        _ => 1.0 / table.x as f64,
    };
    score(
        Measure::Function(coded(value, 0.0)),
        Gather::Sum,
        Join::Alone,
    )
}

#[test]
fn a_function_without_cuda_source_is_refused_on_gpus() {
    let columns = by_levels(1);
    let score = faulty(|| 0.0);
    let resources = Resources {
        devices: DeviceChoice::Cuda(Vec::new()),
        ..Resources::default()
    };
    let (stop, never) = (Stop::default(), Interrupt::default());
    let refused = rank(&columns, &score, &stop, &resources, &never, &mut |_, _| {});
    assert!(matches!(refused, Err(SelectorError::NoCuda)), "{refused:?}");
}

#[test]
fn an_undefined_score_ends_a_selection_and_what_was_chosen_before_stands() {
    let columns = by_levels(10);
    let unscored = |reason| {
        Some(DeviceError::UndefinedScore(UndefinedScore {
            column: 3,
            other: None,
            reason,
        }))
    };
    for places in PLACES {
        let found = |score| ranked(&columns, &score, 5, places);
        for (score, fault) in [
            (faulty(|| f64::NAN), ScoreFault::NotANumber),
            (faulty(|| f64::INFINITY), ScoreFault::Infinite),
            (
                faulty(|| panic!("no way")),
                ScoreFault::Panicked("no way".into()),
            ),
        ] {
            let found = found(score);
            assert_eq!(found.fault, unscored(fault));
            assert_eq!(
                (found.chosen.len(), found.termination),
                (1, StopReason::Fault)
            );
        }
        // −∞ is a score, of those never chosen.
        let found = found(faulty(|| f64::NEG_INFINITY));
        assert_eq!((found.fault, found.chosen.len()), (None, 3));
        assert_eq!(found.termination, StopReason::Done);
    }
}

#[test]
fn more_cells_than_are_counted_are_refused_or_end_a_selection() {
    let wide = |levels: [usize; 3]| {
        let own = |at: usize| BinnedColumn {
            levels: levels[at],
            ..column(at, 2, vec![0, 1])
        };
        BinnedColumns {
            n: 2,
            columns: (0..3).map(own).collect(),
            response: column(0, 2, vec![0, 1]),
            local: None,
        }
    };
    let refused = |levels, against, top| {
        let measure = Measure::Function(coded(|_| 1.0, 0.0));
        let score = Score {
            against,
            ..score(measure, Gather::Sum, Join::Alone)
        };
        let stop = Stop {
            permutation: None,
            top: Some(top),
            threshold: None,
        };
        let (resources, never) = (Resources::cpu(1), Interrupt::default());
        let columns = wide(levels);
        rank(&columns, &score, &stop, &resources, &never, &mut |_, _| {})
    };
    // 2 · 2¹³ · 2¹³ are as many as there may be.
    let most = 1 << 13;
    assert!(refused([2, most, most], Against::Last, 3).is_ok());
    let told = refused([2, most, most + 1], Against::Last, 2).unwrap_err();
    assert_eq!(
        told.to_string(),
        "score of `x2` and `x1` needs a table of 134234112 cells, and 134217728 are the most that \
         are counted; make fewer levels, with --binning equal-frequency:5, say"
    );
    assert!(refused([2, most, most + 1], Against::Last, 1).is_ok());
    // What is joined has as many levels as occur.
    let found = refused([2, most, most + 1], Against::Joint, 3).unwrap();
    assert_eq!((found.chosen.len(), found.fault), (3, None));
    let joint = refused([1 << 25, 1 << 25, 1 << 25], Against::Joint, 3).unwrap();
    assert_eq!(joint.chosen.len(), 1);
    assert!(matches!(
        joint.fault,
        Some(DeviceError::UndefinedScore(UndefinedScore {
            column: 1,
            ..
        }))
    ));
}
