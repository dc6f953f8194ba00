//! Rules saved, read back and applied: to the same data, and to new ones.

use std::{fs, path::PathBuf};

use passel::binning::{Rule, SavedBinning};
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

/// A file of saved rules, and the rule that names it.
fn saved(text: &str) -> (TempDir, Binning) {
    let folder = tempfile::tempdir().unwrap();
    let file: PathBuf = folder.path().join("old.json");
    fs::write(&file, text).unwrap();
    (folder, Binning::Edges(file))
}

/// Columns of every kind, some of their values missing.
fn mixed(seed: u64, n: usize) -> Table {
    let mut state = seed;
    let mut next = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as u32
    };
    let real: Vec<f64> = (0..n)
        .map(|_| f64::from(next()).sqrt() / 7.0 - 900.0)
        .collect();
    let whole = numbers((0..n).map(|_| f64::from(next() % 9)));
    let holes = numbers((0..n).map(|_| {
        if next() % 4 == 0 {
            NAN
        } else {
            f64::from(next()) * 1e-7
        }
    }));
    let codes: Vec<u32> = (0..n)
        .map(|_| [0, 1, 2, MISSING][next() as usize % 4])
        .collect();
    let text = texts(&["a", "b \"c\"", "ü"], &codes);
    let rows: Vec<u32> = (0..n as u32).filter(|_| next() % 5 == 0).collect();
    let values = rows
        .iter()
        .map(|_| f64::from(next() % 7) / 3.0 - 1.1)
        .collect();
    table(
        n,
        [
            numbers(real),
            whole,
            holes,
            text,
            Values::Sparse { rows, values },
        ],
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn the_same_data_by_saved_rules_have_the_same_codes(
        seed in any::<u64>(),
        n in 2_usize..80,
        rule in prop::sample::select(vec![
            "auto", "levels", "equal-width:10", "equal-width:7", "equal-frequency:10", "mdlp",
        ]),
        whole_report in any::<bool>(),
        missing in prop::sample::select(vec![Missing::Level, Missing::Pairwise]),
    ) {
        let binning: Binning = rule.parse().unwrap();
        let first = binned(mixed(seed, n), rule, missing).unwrap();
        let json = serde_json::to_value(SavedBinning::of(&first, &binning, &Binning::Auto)).unwrap();
        let json = match whole_report {
            true => serde_json::json!({ "passel": "0.1.0", "response": "y", "binning": json }),
            false => json,
        };
        let (_folder, edges) = saved(&json.to_string());
        let options = BinningOptions {
            missing,
            binning: &edges,
            bin_response: &edges,
            ..BinningOptions::default()
        };
        let again = bin(mixed(seed, n), &options).unwrap();
        prop_assert_eq!(&again, &first);
        // To the last bit, which `==` does not see of zeros.
        prop_assert_eq!(format!("{again:?}"), format!("{first:?}"));
    }
}

#[test]
fn what_is_left_out_has_a_code_and_no_level() {
    let columns = [
        numbers([NAN, 3.0, NAN, 1.0, 3.0, 2.0]),
        texts(&["a", "b"], &[0, MISSING, 0, 0, MISSING, 1]),
        numbers([NAN; 6]),
        numbers([1.0; 6]),
    ];
    let mut t = table(6, columns);
    // The last observation goes, and with it a level of each.
    t.columns[0].values = numbers([0.0, 1.0, 0.0, 1.0, 0.0, NAN]);
    let found = binned(t.clone(), "levels", Missing::Pairwise).unwrap();
    assert_eq!(found.n, 5);
    let told = found.columns.iter().map(|column| {
        (
            column.codes.dense(),
            column.levels,
            column.missing,
            column.excluded_code(),
        )
    });
    let nothing = |code| (Some(MissingCode::Excluded(code)), Some(code));
    let expected = [
        (vec![2, 1, 2, 0, 1], 2, nothing(2)),
        (vec![0, 1, 0, 0, 1], 1, nothing(1)),
        (vec![0; 5], 0, nothing(0)),
        (vec![0; 5], 1, (None, None)),
    ];
    let expected = expected.map(|(codes, levels, missing)| (codes, levels, missing.0, missing.1));
    assert_eq!(told.collect::<Vec<_>>(), expected);
    assert_eq!(found.response.missing, None);
    t.columns[0].values = numbers([NAN; 6]);
    let told = binned(t, "levels", Missing::Pairwise).unwrap_err();
    assert!(told.to_string().contains("`y`"), "{told}");
}

#[test]
fn its_json_is_what_the_page_of_formats_says() {
    let t = table(
        3,
        [
            numbers([0.25, 1.0, 0.5]),
            texts(&["a", "b"], &[0, MISSING, 1]),
        ],
    );
    let found = binned(t, "equal-width:2", Missing::Level).unwrap();
    let json = serde_json::to_value(SavedBinning::of(
        &found,
        &Binning::EqualWidth(2),
        &Binning::Auto,
    ))
    .unwrap();
    let told = serde_json::json!({
        "rule": "equal-width:2",
        "response_rule": "auto",
        "columns": [
            { "name": "x0", "edges": [0.625] },
            { "name": "x1", "texts": ["a", "b"], "missing": 2 },
        ],
        "response": { "name": "y", "numbers": [0.0, 1.0] },
    });
    assert_eq!(json, told);
}

const RULES: &str = r#"{ "columns": [
    { "name": "x0", "edges": [1, 2.5] },
    { "name": "x1", "numbers": [3, 5], "missing": 2 },
    { "name": "x2", "texts": ["b", "a"] },
    { "name": "other", "numbers": [] }
] }"#;

fn apply(t: Table, rules: &str) -> Result<BinnedColumns, BinningError> {
    let (_folder, binning) = saved(rules);
    let options = BinningOptions {
        missing: Missing::Level,
        binning: &binning,
        ..BinningOptions::default()
    };
    bin(t, &options)
}

#[test]
fn new_values_fall_into_the_old_bins() {
    let columns = [
        numbers([-1e9, 1.0, 2.4, 2.5, 1e9]),
        numbers([5.0, 3.0, NAN, 5.0, 5.0]),
        // As they stand in the file, whatever their order in the table.
        texts(&["a", "b", "never"], &[0, 1, 0, 0, 1]),
    ];
    let found = apply(table(5, columns), RULES).unwrap();
    let codes: Vec<Vec<u16>> = found
        .columns
        .iter()
        .map(|column| column.codes.dense())
        .collect();
    assert_eq!(codes[0], [0, 1, 1, 2, 2]);
    assert_eq!(codes[1], [1, 0, 2, 1, 1]);
    assert_eq!(codes[2], [1, 0, 1, 1, 0]);
    assert_eq!(
        (found.columns[1].levels, found.columns[1].missing),
        (3, Some(MissingCode::Level(2)))
    );
    assert_eq!(found.columns[0].rule, Rule::Edges(vec![1.0, 2.5]));
}

#[test]
fn new_values_without_a_level_are_refused() {
    let right = [numbers([1.0; 3]), numbers([3.0; 3]), texts(&["a"], &[0; 3])];
    let with = |at: usize, values: Values| {
        let mut columns = right.clone();
        columns[at] = values;
        apply(table(3, columns), RULES).unwrap_err().to_string()
    };
    assert!(apply(table(3, right.clone()), RULES).is_ok());
    for (told, parts) in [
        (
            with(1, numbers([3.0, 4.0, 5.0])),
            ["row 2 of column `x1`", "\"4\""],
        ),
        (
            with(2, texts(&["a", "z"], &[0, 0, 1])),
            ["row 3 of column `x2`", "\"z\""],
        ),
        (
            with(0, numbers([3.0, NAN, 5.0])),
            ["row 2 of column `x0`", "is missing"],
        ),
        (
            with(
                1,
                Values::Sparse {
                    rows: vec![0, 2],
                    values: vec![3.0; 2],
                },
            ),
            ["row 2 of column `x1`", "\"0\""],
        ),
        (
            with(0, texts(&["a"], &[0; 3])),
            ["column `x0` holds text", "rule for numbers"],
        ),
        (
            with(2, numbers([1.0; 3])),
            ["column `x2` holds numbers", "--factor x2"],
        ),
    ] {
        for part in parts.into_iter().chain(["t: ", "old.json"]) {
            assert!(told.contains(part), "{told:?} does not tell {part:?}");
        }
    }
    // A text column of nothing but missing values reads as numbers.
    let rules = RULES.replace("\"a\"]", "\"a\"], \"missing\": 2");
    let mut columns = right.clone();
    columns[2] = numbers([NAN; 3]);
    let found = apply(table(3, columns), &rules).unwrap();
    assert_eq!(found.columns[2].codes.dense(), [2; 3]);
    let mut t = table(3, right);
    t.columns[3].name = "othr".to_owned();
    let told = apply(t, RULES).unwrap_err().to_string();
    for part in ["old.json", "`othr`", "did you mean `other`?", "--drop othr"] {
        assert!(told.contains(part), "{told:?} does not tell {part:?}");
    }
}

#[test]
fn files_that_are_no_rules_are_refused() {
    let rule = |rule: &str| format!(r#"{{ "columns": [ {{ "name": "x0", {rule} }} ] }}"#);
    for (text, told) in [
        ("".to_owned(), "neither a JSON report"),
        ("[1]".to_owned(), "neither a JSON report"),
        (r#"{ "binning": null }"#.to_owned(), "neither a JSON report"),
        (rule(r#""levels": [1]"#), "neither a JSON report"),
        (
            rule(r#""edges": [2, 1]"#),
            "`x0` is none: its edges do not ascend",
        ),
        (
            rule(r#""numbers": [1, 1]"#),
            "its numbers do not ascend, each once",
        ),
        (rule(r#""texts": ["a", "a"]"#), "a text is there twice"),
        (
            rule(r#""edges": [1], "missing": 1"#),
            "the code of missing values",
        ),
        (RULES.replace("other", "x0"), "another column has that name"),
    ] {
        let found = apply(table(2, [numbers([1.0, 2.0])]), &text);
        let found = found.unwrap_err().to_string();
        assert!(
            found.contains(told) && found.contains("old.json"),
            "{found:?}"
        );
    }
    let options = BinningOptions {
        bin_response: &Binning::Edges("absent.json".into()),
        ..BinningOptions::default()
    };
    let told = bin(table(2, [numbers([1.0, 2.0])]), &options).unwrap_err();
    assert!(
        told.to_string().starts_with("absent.json: cannot be read"),
        "{told}"
    );
}
