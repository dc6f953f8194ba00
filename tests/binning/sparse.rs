//! Sparse columns: the codes of the dense ones, and sparse where they can be.

use passel::binning::Codes;
use proptest::prelude::*;

use super::*;

/// The same numbers, with zeros left out.
pub fn sparse(dense: &[f64]) -> Values {
    let entries = dense.iter().enumerate().filter(|(_, value)| **value != 0.0);
    let (rows, values) = entries.map(|(row, value)| (row as u32, *value)).unzip();
    Values::Sparse { rows, values }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn they_are_coded_as_dense_ones(
        values in prop::collection::vec(prop_oneof![
            6 => Just(0.0),
            2 => -2.0..3.0,
            2 => (-2_i32..4).prop_map(f64::from),
            1 => Just(NAN),
        ], 1..50),
        rule in prop::sample::select(vec![
            "auto", "levels", "equal-width:3", "equal-width:10", "equal-frequency:4", "mdlp",
        ]),
    ) {
        let n = values.len();
        let zeros = values.contains(&0.0);
        let (a, b) = (one(sparse(&values), n, rule), one(numbers(values), n, rule));
        let codes = b.codes.dense();
        prop_assert_eq!(&a.codes.dense(), &codes);
        prop_assert_eq!((&a.rule, a.levels, a.missing), (&b.rule, b.levels, b.missing));
        let count = |code: &u16| codes.iter().filter(|own| *own == code).count();
        let most = codes.iter().map(count).max().unwrap();
        prop_assert_eq!(matches!(a.codes, Codes::Sparse { .. }), zeros && n - most <= n / 2);
    }
}

#[test]
fn the_most_frequent_code_is_the_one_left_out() {
    let column = |values: &[f64]| one(sparse(values), values.len(), "levels").codes;
    let sparse = |n, mode, rows: &[u32], codes: &[u16]| Codes::Sparse {
        n,
        mode,
        rows: rows.to_vec(),
        codes: codes.to_vec(),
    };
    let (zeros, codes) = ([0.0, -1.0, 0.0, 2.0, 0.0], [0, 2]);
    assert_eq!(column(&zeros), sparse(5, 1, &[1, 3], &codes));
    // Another level: the zeros are entries now.
    assert_eq!(column(&[5.0, 5.0, 0.0, 5.0]), sparse(4, 1, &[2], &[0]));
    // As many: the zeros stay out.
    assert_eq!(
        column(&[5.0, 0.0, 5.0, 0.0]),
        sparse(4, 0, &[0, 2], &[1, 1])
    );
    // None has half.
    assert_eq!(column(&[1.0, 2.0, 0.0, 3.0]), Codes::Byte(vec![1, 2, 0, 3]));
    // Numbers of one bin with the zeros are no entries.
    let wide = [0.0, 0.1, 0.0, 9.0, 0.2, 0.0];
    let wide = one(self::sparse(&wide), 6, "equal-width:3").codes;
    assert_eq!(wide, sparse(6, 0, &[3], &[2]));
}

#[test]
fn a_million_columns_stay_small() {
    let columns = (0..1_000_000_u32).map(|j| Values::Sparse {
        rows: vec![j % 1000],
        values: vec![1.0 + f64::from(j % 3)],
    });
    let found = binned(table(1000, columns), "auto", Missing::Refuse).unwrap();
    assert_eq!(found.columns.len(), 1_000_000);
    let small =
        |codes: &Codes| matches!(codes, Codes::Sparse { mode: 0, rows, .. } if rows.len() == 1);
    assert!(found.columns.iter().all(|column| small(&column.codes)));
}
