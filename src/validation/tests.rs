//! Splits by their properties, and estimators by their definitions. (`tests/validation` holds measures against theirs.)

use std::collections::BTreeSet;

use super::{bootstrap::both, errors::jackknife, *};

/// The parts that are judged in the first repeat of a scheme.
fn parts(scheme: Scheme, n: usize, classes: &[u32], by: Option<&[u32]>) -> Vec<Vec<usize>> {
    let by = by.map(|numbers| ("column", numbers));
    let splits = Splits::of(scheme, (n, classes), by, 9).unwrap();
    let all = (0..splits.len()).map(|at| splits.split(at));
    let first = all.filter(|split| split.repeat == 0);
    first
        .map(|split| {
            let train: BTreeSet<usize> = split.train.iter().copied().collect();
            assert!(split.test.iter().all(|row| !train.contains(row)));
            assert!(split.train.is_sorted() && split.test.is_sorted());
            split.test
        })
        .collect()
}

#[test]
fn folds_share_rows_and_classes_alike() {
    for (n, k) in [(10, 3), (50, 7), (7, 7), (101, 10)] {
        let classes: Vec<u32> = (0..n as u32).map(|row| u32::from(row % 5 == 0)).collect();
        let events = classes.iter().sum::<u32>() as usize;
        for classes in [&[][..], &classes] {
            let folds = parts(Scheme::Folds { k, repeats: 2 }, n, classes, None);
            assert_eq!(folds.len(), k);
            let rows: BTreeSet<usize> = folds.iter().flatten().copied().collect();
            assert_eq!(rows.len(), n);
            for fold in &folds {
                assert!([n / k, n.div_ceil(k)].contains(&fold.len()));
                let own = fold
                    .iter()
                    .filter(|row| classes.get(**row) == Some(&1))
                    .count();
                let expected = [events / k, events.div_ceil(k)];
                assert!(
                    classes.is_empty() || expected.contains(&own),
                    "{own} of {events}"
                );
            }
        }
    }
}

#[test]
fn groups_fill_folds_evenly() {
    let groups: Vec<u32> = (0..60)
        .map(|row| [7, 7, 3, 9, 9, 9, 1, 40, 41, 42][row % 10])
        .collect();
    let folds = parts(Scheme::Folds { k: 3, repeats: 1 }, 60, &[], Some(&groups));
    for fold in &folds {
        // Of groups of 18, 12 and five times 6 rows nothing is more even.
        assert!([18, 24].contains(&fold.len()), "{}", fold.len());
        for group in fold.iter().map(|row| groups[*row]) {
            let all = groups.iter().filter(|own| **own == group).count();
            assert_eq!(
                fold.iter().filter(|row| groups[**row] == group).count(),
                all
            );
        }
    }
}

#[test]
fn a_share_is_held_out_of_each_class() {
    let classes: Vec<u32> = (0..80).map(|row| u32::from(row % 4 == 0)).collect();
    let scheme = Scheme::Holdout {
        share: 0.25,
        repeats: 3,
    };
    let parts = parts(scheme, 80, &classes, None);
    let [part] = &parts[..] else {
        panic!("{parts:?}")
    };
    assert_eq!(part.len(), 20);
    assert_eq!(part.iter().filter(|row| classes[**row] == 1).count(), 5);
}

#[test]
fn times_in_any_order_make_blocks() {
    // 23 times, of which some are of several rows.
    let times: Vec<u32> = (0..40)
        .map(|row| (row * 17 % 40) / 2 + u32::from(row > 30) * 3)
        .collect();
    for blocks in [1, 3, 8, 18] {
        let splits =
            Splits::of(Scheme::Time { blocks }, (40, &[]), Some(("t", &times)), 1).unwrap();
        assert_eq!(splits.len(), blocks);
        let mut trained = 0;
        for at in 0..blocks {
            let split = splits.split(at);
            let last = split.train.iter().map(|row| times[*row]).max().unwrap();
            assert!(split.test.iter().all(|row| times[*row] > last));
            assert!(!split.test.is_empty() && split.train.len() > trained);
            trained = split.train.len();
        }
        assert_eq!(trained + splits.split(blocks - 1).test.len(), 40);
    }
}

#[test]
fn resamples_have_as_many_rows_and_judge_the_others() {
    let splits = Splits::of(Scheme::Bootstrap { resamples: 30 }, (50, &[]), None, 4).unwrap();
    assert_eq!(splits.split(0).train, splits.split(0).test);
    for at in 1..=30 {
        let split = splits.split(at);
        let drawn: BTreeSet<usize> = split.train.iter().copied().collect();
        assert_eq!(split.train.len(), 50);
        assert_eq!(drawn.len() + split.test.len(), 50);
    }
}

#[test]
fn the_jackknife_of_a_mean_is_its_standard_error() {
    let values: [f64; 5] = [3.0, -1.0, 4.5, 2.0, 0.25];
    let without = |left: usize| {
        let others = values.iter().enumerate().filter(|(at, _)| *at != left);
        Some(others.map(|(_, own)| own).sum::<f64>() / 4.0)
    };
    let mean = values.iter().sum::<f64>() / 5.0;
    let square = values.iter().map(|own| (own - mean).powi(2)).sum::<f64>() / 4.0;
    let own = jackknife(&[0, 1, 2, 3, 4], without).unwrap();
    assert!((own - (square / 5.0).sqrt()).abs() < 1e-15);
    assert_eq!(jackknife(&[0], without), None);
    assert_eq!(jackknife(&[0, 1], |at| (at == 0).then_some(1.0)), None);
}

#[test]
fn the_bootstrap_weighs_by_overfitting() {
    // Efron and Tibshirani's extremes: without overfitting .632, with nothing but it the error out of the bag alone.
    let (plain, plus) = both(0.2, 0.2, 0.5);
    assert!((plain - 0.2).abs() < 1e-15 && (plus - 0.2).abs() < 1e-15);
    let (plain, plus) = both(0.0, 0.5, 0.5);
    assert!((plain - 0.316).abs() < 1e-12 && (plus - 0.5).abs() < 1e-12);
    // R = (0.3 − 0.1)/(0.5 − 0.1) = 0.5, w = 0.632/(1 − 0.184) = 0.774 509 8….
    let (_, plus) = both(0.1, 0.3, 0.5);
    assert!((plus - (0.1 + 0.632 / 0.816 * 0.2)).abs() < 1e-12);
    // Worse than without information is as bad as that.
    assert!((both(0.1, 0.9, 0.5).1 - 0.5).abs() < 1e-12);
}

#[test]
fn schemes_read_back() {
    for name in Scheme::NAMES {
        let scheme = Scheme::named(name).unwrap();
        assert_eq!(scheme.name(), name);
        let mut other = scheme;
        for (parameter, value) in scheme.parameters() {
            assert!(other.set(parameter, value));
            assert!(!other.set(parameter, f64::NAN) && !other.set(parameter, -1.0));
        }
        assert_eq!(other, scheme);
        assert!(!other.set("of-none", 1.0));
    }
    assert_eq!(Scheme::default().to_string(), "folds:k=10,repeats=1");
    assert_eq!(Scheme::named("fold"), None);
}
