//! The rules, each against its definition.

use passel::binning::{Codes, Rule};
use proptest::prelude::*;

use super::*;

/// min(b − 1, ⌊(x − min)·b / (max − min)⌋), as it is written.
fn formula(x: f64, min: f64, max: f64, b: usize) -> u16 {
    if min == max {
        return 0;
    }
    let code = ((x - min) * b as f64 / (max - min)).floor();
    code.min((b - 1) as f64) as u16
}

fn extent(values: &[f64]) -> (f64, f64) {
    let there = values.iter().filter(|value| !value.is_nan());
    there.fold((f64::INFINITY, -f64::INFINITY), |(a, b), &x| {
        (x.min(a), x.max(b))
    })
}

/// Numbers near one another, far apart, at the ends of bins, repeated.
fn any_numbers() -> impl Strategy<Value = Vec<f64>> {
    let number = prop_oneof![
        4 => -1e3..1e3,
        2 => (-50_i32..50).prop_map(|tenths| f64::from(tenths) / 10.0),
        2 => (-5_i32..5).prop_map(f64::from),
        1 => Just(-0.0),
        1 => any::<f64>().prop_filter("with room for products", |number| number.abs() < 1e300),
    ];
    prop::collection::vec(number, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn counting_edges_is_the_formula_of_equal_width(
        values in any_numbers(),
        bins in 2_usize..40,
        steps in prop::collection::vec((0_usize..40, -3_i32..4), 20),
    ) {
        let (min, max) = extent(&values);
        let column = one(numbers(values.clone()), values.len(), &format!("equal-width:{bins}"));
        let Rule::Edges(edges) = &column.rule else { panic!("{column:?}") };
        prop_assert!(edges.is_sorted());
        prop_assert_eq!(column.levels, if min == max { 1 } else { bins });
        let codes: Vec<u16> = values.iter().map(|&x| formula(x, min, max, bins)).collect();
        prop_assert_eq!(column.codes.dense(), codes);
        // Beside each edge too, an ulp at a time.
        for (at, step) in steps {
            if let Some(edge) = edges.get(at) {
                let mut x = *edge;
                for _ in 0..step.abs() {
                    x = if step < 0 { x.next_down() } else { x.next_up() };
                }
                let x = x.clamp(min, max);
                let count = edges.iter().filter(|edge| **edge <= x).count() as u16;
                prop_assert_eq!(count, formula(x, min, max, bins));
            }
        }
    }

    #[test]
    fn bytes_are_binned_as_numbers(
        values in prop::collection::vec(any::<u8>(), 1..400),
        few in 1_u8..=255,
        bins in 2_usize..300,
    ) {
        let bytes: Vec<u8> = values.into_iter().map(|byte| byte % few).collect();
        let n = bytes.len();
        let wide = || numbers(bytes.iter().map(|byte| f64::from(*byte)));
        for rule in ["levels", "auto", "equal-width", "equal-frequency"] {
            let rule = match rule.starts_with("equal") {
                true => format!("{rule}:{bins}"),
                false => rule.to_owned(),
            };
            let found = one(Values::Bytes(bytes.clone()), n, &rule);
            prop_assert_eq!(found, one(wide(), n, &rule), "{}", rule);
        }
    }

    #[test]
    fn equal_frequency_cuts_at_ranks_and_never_between_ties(
        values in any_numbers(),
        bins in 2_usize..20,
    ) {
        let n = values.len();
        let column = one(numbers(values.clone()), n, &format!("equal-frequency:{bins}"));
        let mut sorted = values.clone();
        sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
        // A value's code: how many distinct values above the least, at the ranks of cuts, are
        // not above it.
        let code = |x: f64| {
            let mut cuts: Vec<f64> = (1..bins).map(|k| sorted[k * n / bins]).collect();
            cuts.dedup();
            cuts.retain(|cut| *cut > sorted[0] && *cut <= x);
            cuts.len() as u16
        };
        let codes: Vec<u16> = values.iter().map(|&x| code(x)).collect();
        prop_assert_eq!(column.codes.dense(), codes.clone());
        // No level is empty.
        prop_assert_eq!(column.levels, *codes.iter().max().unwrap() as usize + 1);
        prop_assert!(column.levels <= bins);
    }

    #[test]
    fn a_level_is_the_rank_of_its_number(values in any_numbers()) {
        let column = one(numbers(values.clone()), values.len(), "levels");
        let mut distinct = values.clone();
        distinct.sort_by(|a, b| a.partial_cmp(b).unwrap());
        distinct.dedup();
        let rank = |x: &f64| distinct.iter().position(|value| value == x).unwrap() as u16;
        prop_assert_eq!(column.codes.dense(), values.iter().map(rank).collect::<Vec<u16>>());
        prop_assert_eq!(column.levels, distinct.len());
    }
}

#[test]
fn equal_width_at_the_ends_of_the_range_of_f64() {
    let values = [-f64::MAX, -f64::MAX / 2.0, 0.0, f64::MAX / 2.0, f64::MAX];
    let column = one(numbers(values), 5, "equal-width:4");
    assert_eq!(column.codes.dense(), [0, 1, 2, 3, 3]);
    // Fewer numbers than bins: some codes do not occur.
    let small = 5e-324;
    let column = one(numbers([0.0, small, 2.0 * small]), 3, "equal-width:8");
    assert_eq!((column.codes.dense(), column.levels), (vec![0, 4, 7], 8));
}

#[test]
fn without_a_rule_few_integers_are_levels_and_the_rest_ten_bins() {
    let few = one(
        numbers((0..320).map(|t| f64::from(t % 64) * 3.0)),
        320,
        "auto",
    );
    assert!(matches!(&few.rule, Rule::Numbers(levels) if levels.len() == 64));
    let many = one(numbers((0..400).map(|t| f64::from(t % 65))), 400, "auto");
    assert!(matches!(&many.rule, Rule::Edges(edges) if edges.len() == 9));
    // Five observations for each level, from eleven levels on.
    for (n, levels, expected) in [
        (54, 11, false),
        (55, 11, true),
        (100, 20, true),
        (100, 21, false),
        (12, 10, true),
    ] {
        let column = one(
            numbers((0..n).map(|t| f64::from(t % levels))),
            n as usize,
            "auto",
        );
        assert_eq!(
            matches!(column.rule, Rule::Numbers(_)),
            expected,
            "{n} {levels}"
        );
    }
    let halves = one(numbers([0.0, 0.5, 1.0]), 3, "auto");
    assert_eq!((halves.codes.dense(), halves.levels), (vec![0, 5, 9], 10));
    let constant = one(numbers([2.5; 3]), 3, "auto");
    assert_eq!((constant.codes.dense(), constant.levels), (vec![0; 3], 1));
    let text = one(texts(&["a", "b"], &[1, 0, 1]), 3, "auto");
    assert_eq!(text.rule, Rule::Texts(vec!["a".into(), "b".into()]));
    assert_eq!(text.codes, Codes::Byte(vec![1, 0, 1]));
}

#[test]
fn text_keeps_its_levels_under_every_rule() {
    for rule in ["levels", "equal-width:2", "equal-frequency:2", "mdlp"] {
        let text = one(texts(&["a", "b", "c"], &[2, 0, 1]), 3, rule);
        assert_eq!((text.codes.dense(), text.levels), (vec![2, 0, 1], 3));
    }
}

#[test]
fn minus_zero_is_zero() {
    let column = one(numbers([0.0, -0.0, 1.0]), 3, "levels");
    assert_eq!(column.codes.dense(), [0, 0, 1]);
    let Rule::Numbers(levels) = column.rule else {
        panic!()
    };
    assert_eq!(levels[0].to_bits(), 0);
}

#[test]
fn missing_values_are_the_last_level() {
    let (values, n) = (numbers([3.0, NAN, 1.0, NAN]), 4);
    for (rule, codes) in [
        ("levels", [1, 2, 0, 2]),
        ("equal-width:2", [1, 2, 0, 2]),
        ("equal-frequency:2", [1, 2, 0, 2]),
    ] {
        let column = one(values.clone(), n, rule);
        assert_eq!(
            (column.codes.dense(), column.missing),
            (codes.to_vec(), Some(MissingCode::Level(2)))
        );
    }
    let text = one(texts(&["a"], &[0, MISSING]), 2, "auto");
    assert_eq!(
        (text.codes.dense(), text.missing),
        (vec![0, 1], Some(MissingCode::Level(1)))
    );
    let all = one(numbers([NAN; 3]), 3, "auto");
    assert_eq!((all.codes.dense(), all.levels), (vec![0; 3], 1));
    let all = one(numbers([NAN; 3]), 3, "equal-width:5");
    assert_eq!((all.codes.dense(), all.levels), (vec![1; 3], 2));
    let dropped = binned(table(4, [values]), "levels", Missing::DropRows).unwrap();
    assert_eq!((dropped.n, dropped.columns[0].missing), (2, None));
    assert_eq!(dropped.columns[0].codes.dense(), [1, 0]);
}

#[test]
fn more_than_256_levels_are_words_and_65536_the_most() {
    let all = |n: u32| numbers((0..n).map(f64::from));
    assert!(matches!(one(all(256), 256, "levels").codes, Codes::Byte(_)));
    assert!(matches!(one(all(257), 257, "levels").codes, Codes::Word(_)));
    let column = one(all(65_536), 65_536, "levels");
    assert_eq!(column.codes.dense().last(), Some(&65_535));
    let names: Vec<String> = (0..65_536).map(|i| format!("{i:05}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let codes: Vec<u32> = (0..65_536).collect();
    let column = one(texts(&names, &codes), 65_536, "levels");
    assert_eq!(column.codes.dense().last(), Some(&65_535));
    let column = one(all(70_000), 70_000, "equal-width:65536");
    assert_eq!(column.levels, 65_536);
}

#[test]
fn the_response_has_a_rule_of_its_own_and_columns_keep_their_index() {
    let mut t = table(
        4,
        [
            numbers([1.0, 2.0, 3.0, 4.0]),
            numbers([0.0; 4]),
            numbers([5.0; 4]),
        ],
    );
    t.response = None;
    let options = BinningOptions {
        response: Some("x0"),
        drop: &["x1".to_owned()],
        bin_response: &Binning::EqualWidth(2),
        ..BinningOptions::default()
    };
    let found = bin(t, &options).unwrap();
    assert_eq!((&*found.response.name, found.response.levels), ("x0", 2));
    assert_eq!(found.response.codes.dense(), [0, 0, 1, 1]);
    let told: Vec<(&str, usize)> = found
        .columns
        .iter()
        .map(|column| (&*column.name, column.index))
        .collect();
    assert_eq!(told, [("y", 0), ("x2", 2)]);
}
