//! Columns whose cuts by `mdlp` are known: by hand, from print, or plain to see.

use passel::binning::{Codes, MissingCode, Rule};

use super::{
    mdlp::{edges, with_classes},
    *,
};

/// The edges of values, so many of each class at each: (value, [count, …]).
fn counted<const K: usize>(column: &[(f64, [usize; K])]) -> Vec<f64> {
    let (mut values, mut classes) = (Vec::new(), Vec::new());
    for (value, counts) in column {
        for (class, count) in counts.iter().enumerate() {
            values.extend(vec![*value; *count]);
            classes.extend(vec![class as f64; *count]);
        }
    }
    edges(&with_classes(numbers(values), &classes)).to_vec()
}

/// N = 6, A A B A B B, Ent(S) = 1. Cut below 3 or below 5, the parts have entropies 0 (of 2)
/// and 0.8113 (of 4): N·Gain = 6 − 4·0.8113 = 2.755, the lower cut is the one.
/// Its cost: log2 5 + log2 7 − (2·1 − 1·0 − 2·0.8113) = 2.322 + 2.807 − 0.377 = 4.752: refused.
///
/// With four times as many of each, N·Gain = 11.020 and only log2(N − 1) = log2 23 = 4.524 is
/// another: a cost of 6.954, accepted. Above the cut, of 4 B, 4 A, 8 B, Ent = 0.8113, the best
/// cut is before the eight: N·Gain = 16·0.8113 − 8·1 = 4.980, at a cost of
/// log2 15 + log2 7 − (2·0.8113 − 2·1 − 1·0) = 3.907 + 2.807 + 0.377 = 7.092: refused.
#[test]
fn by_hand() {
    let six = |m| {
        counted(&[
            (1.0, [2 * m, 0]),
            (3.0, [0, m]),
            (4.0, [m, 0]),
            (7.0, [0, 2 * m]),
        ])
    };
    assert!(six(1).is_empty());
    assert_eq!(six(4), [2.0]);
    // N = 2: Gain·N = 2 is above log2 1 + log2 7 − 2·1 = 0.807. Of one class none is.
    assert_eq!(counted(&[(1.0, [1, 0]), (2.0, [0, 1])]), [1.5]);
    assert!(counted(&[(1.0, [1]), (2.0, [1])]).is_empty());
    // AABB: 4 is above log2 3 + log2 7 − 2 = 2.392; ABAB is not cut.
    let four = [1.0, 2.0, 3.0, 4.0];
    let cut = |classes: &[f64]| edges(&with_classes(numbers(four), classes)).to_vec();
    assert_eq!(cut(&[0.0, 0.0, 1.0, 1.0]), [2.5]);
    assert!(cut(&[0.0, 1.0, 0.0, 1.0]).is_empty());
}

/// Fisher's irises (as R has them): value and how many of the three species. The cuts are those
/// that are printed wherever this method is shown, 5.55 6.15, 2.95 3.35, 2.45 4.75, 0.8 1.75.
#[test]
fn irises() {
    for (data, cuts) in IRISES {
        let column: Vec<(f64, [usize; 3])> = data
            .split(',')
            .map(|entry| {
                let fields: Vec<f64> = entry
                    .split_whitespace()
                    .map(|field| field.parse().unwrap())
                    .collect();
                (fields[0], [1, 2, 3].map(|at| fields[at] as usize))
            })
            .collect();
        assert_eq!(column.iter().flat_map(|entry| entry.1).sum::<usize>(), 150);
        let found = counted(&column);
        assert_eq!(found.len(), 2, "{found:?}");
        for (edge, cut) in found.iter().zip(cuts) {
            assert!((edge - cut).abs() < 1e-12, "{found:?} {cuts:?}");
        }
    }
}

const IRISES: [(&str, [f64; 2]); 4] = [
    (
        "4.3 1 0 0, 4.4 3 0 0, 4.5 1 0 0, 4.6 4 0 0, 4.7 2 0 0, 4.8 5 0 0, 4.9 4 1 1, \
         5 8 2 0, 5.1 8 1 0, 5.2 3 1 0, 5.3 1 0 0, 5.4 5 1 0, 5.5 2 5 0, 5.6 0 5 1, \
         5.7 2 5 1, 5.8 1 3 3, 5.9 0 2 1, 6 0 4 2, 6.1 0 4 2, 6.2 0 2 2, 6.3 0 3 6, \
         6.4 0 2 5, 6.5 0 1 4, 6.6 0 2 0, 6.7 0 3 5, 6.8 0 1 2, 6.9 0 1 3, 7 0 1 0, \
         7.1 0 0 1, 7.2 0 0 3, 7.3 0 0 1, 7.4 0 0 1, 7.6 0 0 1, 7.7 0 0 4, 7.9 0 0 1",
        [5.55, 6.15],
    ),
    (
        "2 0 1 0, 2.2 0 2 1, 2.3 1 3 0, 2.4 0 3 0, 2.5 0 4 4, 2.6 0 3 2, 2.7 0 5 4, \
         2.8 0 6 8, 2.9 1 7 2, 3 6 8 12, 3.1 4 3 4, 3.2 5 3 5, 3.3 2 1 3, 3.4 9 1 2, \
         3.5 6 0 0, 3.6 3 0 1, 3.7 3 0 0, 3.8 4 0 2, 3.9 2 0 0, 4 1 0 0, 4.1 1 0 0, \
         4.2 1 0 0, 4.4 1 0 0",
        [2.95, 3.35],
    ),
    (
        "1 1 0 0, 1.1 1 0 0, 1.2 2 0 0, 1.3 7 0 0, 1.4 13 0 0, 1.5 13 0 0, 1.6 7 0 0, \
         1.7 4 0 0, 1.9 2 0 0, 3 0 1 0, 3.3 0 2 0, 3.5 0 2 0, 3.6 0 1 0, 3.7 0 1 0, \
         3.8 0 1 0, 3.9 0 3 0, 4 0 5 0, 4.1 0 3 0, 4.2 0 4 0, 4.3 0 2 0, 4.4 0 4 0, \
         4.5 0 7 1, 4.6 0 3 0, 4.7 0 5 0, 4.8 0 2 2, 4.9 0 2 3, 5 0 1 3, 5.1 0 1 7, \
         5.2 0 0 2, 5.3 0 0 2, 5.4 0 0 2, 5.5 0 0 3, 5.6 0 0 6, 5.7 0 0 3, 5.8 0 0 3, \
         5.9 0 0 2, 6 0 0 2, 6.1 0 0 3, 6.3 0 0 1, 6.4 0 0 1, 6.6 0 0 1, 6.7 0 0 2, \
         6.9 0 0 1",
        [2.45, 4.75],
    ),
    (
        "0.1 5 0 0, 0.2 29 0 0, 0.3 7 0 0, 0.4 7 0 0, 0.5 1 0 0, 0.6 1 0 0, 1 0 7 0, \
         1.1 0 3 0, 1.2 0 5 0, 1.3 0 13 0, 1.4 0 7 1, 1.5 0 10 2, 1.6 0 3 1, 1.7 0 1 1, \
         1.8 0 1 11, 1.9 0 0 5, 2 0 0 6, 2.1 0 0 6, 2.2 0 0 3, 2.3 0 0 8, 2.4 0 0 3, \
         2.5 0 0 3",
        [0.8, 1.75],
    ),
];

#[test]
fn zeros_of_both_signs_are_one_value() {
    let values = [-0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0];
    let classes = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let column = with_classes(numbers(values), &classes);
    assert_eq!((column.codes.dense(), column.levels), (vec![0; 8], 1));
    let values = [0.0, -0.0, 0.0, -0.0, 1.0, 1.0, 1.0, 1.0];
    assert_eq!(edges(&with_classes(numbers(values), &classes)), [0.5]);
}

#[test]
fn edges_at_the_ends_of_f64() {
    let small = f64::from_bits(1);
    for (below, above, edge) in [
        (0.0, small, small),
        (-small, 0.0, 0.0),
        (-small, small, 0.0),
        (2.0 * small, 3.0 * small, 3.0 * small),
        (3.0 * small, 4.0 * small, 4.0 * small),
        (-f64::MAX, f64::MAX, 0.0),
        (f64::MAX / 2.0, f64::MAX, f64::MAX * 0.75),
        (f64::MAX.next_down(), f64::MAX, f64::MAX),
        (1.0, 1.0_f64.next_up(), 1.0_f64.next_up()),
    ] {
        let found = counted(&[(below, [4, 0]), (above, [0, 4])]);
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].to_bits(),
            f64::to_bits(edge),
            "{below:e} {above:e}"
        );
    }
}

#[test]
fn hundreds_of_cuts_one_within_another() {
    let n = 60_000;
    let classes: Vec<f64> = (0..n).map(|t| f64::from(t / 100 % 2)).collect();
    let column = with_classes(numbers((0..n).map(f64::from)), &classes);
    let told: Vec<f64> = (1..600).map(|cut| f64::from(cut) * 100.0 - 0.5).collect();
    assert_eq!(edges(&column), told);
    assert!(matches!(column.codes, Codes::Word(_)));
}

#[test]
fn missing_values_take_no_part_and_those_of_the_response_are_a_class() {
    // The two values above 2 are missing, and would be a cut.
    let values = [1.0, 1.0, 2.0, 2.0, NAN, NAN];
    let column = with_classes(numbers(values), &[0.0, 0.0, 1.0, 1.0, 5.0, 5.0]);
    assert_eq!(
        (edges(&column), column.missing),
        (&[1.5][..], Some(MissingCode::Level(2)))
    );
    assert_eq!(column.codes.dense(), [0, 0, 1, 1, 2, 2]);
    let column = with_classes(numbers([1.0, 1.0, 2.0, 2.0]), &[0.0, 0.0, NAN, NAN]);
    assert_eq!((edges(&column), column.levels), (&[1.5][..], 2));
    let column = with_classes(numbers([NAN; 3]), &[0.0, 1.0, 0.0]);
    assert_eq!((column.codes.dense(), column.levels), (vec![1; 3], 2));
    let dropped = |classes: [f64; 4]| {
        let mut t = table(4, [numbers([1.0, 1.0, 2.0, 2.0])]);
        t.columns[0].values = numbers(classes);
        binned(t, "mdlp", Missing::DropRows).unwrap()
    };
    let found = dropped([0.0, NAN, 1.0, 1.0]);
    assert_eq!(
        (found.n, found.columns[0].codes.dense()),
        (3, vec![0, 1, 1])
    );
}

#[test]
fn the_response_may_stand_anywhere_and_be_of_any_kind() {
    let x = || numbers([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let text = || texts(&["a", "b"], &[0, 0, 0, 1, 1, 1]);
    // Its bins are the classes: 0.1 … 0.3 and 9.1 … 9.3.
    let real = || numbers([0.1, 0.2, 0.3, 9.1, 9.2, 9.3]);
    let wide = Values::Bytes(vec![0, 0, 0, 7, 7, 7]);
    let thin = || Values::Sparse {
        rows: vec![3, 4, 5],
        values: vec![2.0; 3],
    };
    for response in [text(), real(), wide, thin()] {
        for place in 1..4 {
            let mut t = table(6, [x(), x(), text()]);
            t.columns.insert(
                place,
                Column {
                    name: "class".to_owned(),
                    values: response.clone(),
                },
            );
            t.columns.remove(0);
            let options = BinningOptions {
                response: Some("class"),
                binning: &Binning::Mdlp,
                ..BinningOptions::default()
            };
            t.response = None;
            let found = bin(t, &options).unwrap();
            let told: Vec<_> = found
                .columns
                .iter()
                .map(|column| (&*column.name, column.index))
                .collect();
            assert_eq!(told, [("x0", 0), ("x1", 1), ("x2", 2)]);
            assert_eq!(edges(&found.columns[0]), [3.5]);
            assert_eq!(found.columns[1].codes, found.columns[0].codes);
            assert_eq!(
                found.columns[2].rule,
                Rule::Texts(vec!["a".into(), "b".into()])
            );
        }
    }
}
