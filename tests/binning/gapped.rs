//! Bytes of which some are missing: the codes of the same numbers.

use proptest::prelude::*;

use super::*;
use passel::table::MISSING_BYTE;

/// The same numbers in bytes.
fn gapped(dense: &[f64]) -> Values {
    let byte = |value: &f64| match value.is_nan() {
        true => MISSING_BYTE,
        false => *value as u8,
    };
    Values::Gapped(dense.iter().map(byte).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn they_are_coded_as_numbers(
        values in prop::collection::vec(prop_oneof![
            6 => (0_u8..3).prop_map(f64::from),
            1 => (0..MISSING_BYTE).prop_map(f64::from),
            1 => Just(NAN),
        ], 1..50),
        rule in prop::sample::select(vec![
            "auto", "levels", "equal-width:3", "equal-frequency:4", "mdlp",
        ]),
        missing in prop::sample::select(vec![Missing::Refuse, Missing::Level, Missing::Pairwise]),
    ) {
        let n = values.len();
        let code = |values| {
            let found = binned(table(n, [values]), rule, missing);
            found.map(|found| found.columns).map_err(|error| error.to_string())
        };
        match (code(gapped(&values)), code(numbers(values))) {
            (Ok(a), Ok(b)) => {
                let (a, b) = (&a[0], &b[0]);
                prop_assert_eq!((&a.codes, &a.rule, a.levels, a.missing), (&b.codes, &b.rule, b.levels, b.missing));
            }
            (a, b) => prop_assert_eq!(a.err(), b.err()),
        }
    }
}

#[test]
fn rules_of_a_file_know_a_missing_byte() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rules.json");
    let rules = |missing: &str| {
        format!("{{\"columns\": [{{\"name\": \"x0\", \"numbers\": [0.0, 1.0, 2.0]{missing}}}]}}")
    };
    let rule = format!("edges:{}", file.display());
    let code = |values| binned(table(3, [Values::Gapped(values)]), &rule, Missing::Level);
    std::fs::write(&file, rules(", \"missing\": 3")).unwrap();
    let found = code(vec![2, MISSING_BYTE, 0]).unwrap();
    assert_eq!(found.columns[0].codes.dense(), [2, 3, 0]);
    let told = code(vec![2, 7, 0]).unwrap_err().to_string();
    assert!(told.contains("row 2") && told.contains('7'), "{told}");
    std::fs::write(&file, rules("")).unwrap();
    let told = code(vec![2, 0, MISSING_BYTE]).unwrap_err().to_string();
    assert!(told.contains("row 3") && told.contains("missing"), "{told}");
}
