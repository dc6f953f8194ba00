//! Fifty formulas over four data sets, against what R makes of them.

use nalgebra::DMatrix;
use passel::formula::{Expansion, Formula, Variable};
use serde_json::Value;

use crate::data::data_set;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-3)
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap();
    list.iter().map(|number| number.as_f64().unwrap()).collect()
}

fn texts(value: &Value) -> Vec<String> {
    let list = value.as_array().unwrap();
    list.iter()
        .map(|text| text.as_str().unwrap().to_owned())
        .collect()
}

#[track_caller]
fn assert_close(what: &str, formula: &str, ours: &[f64], expected: &[f64]) {
    assert_eq!(ours.len(), expected.len(), "{formula}: {what}");
    for (place, (a, b)) in ours.iter().zip(expected).enumerate() {
        assert!(close(*a, *b), "{formula}: {what} {place}: {a}, R has {b}");
    }
}

fn rank(columns: &[Vec<f64>]) -> usize {
    let rows = columns[0].len();
    let mut matrix = DMatrix::from_fn(rows, columns.len(), |row, column| columns[column][row]);
    for mut column in matrix.column_iter_mut() {
        let norm = column.norm();
        if norm > 0.0 {
            column /= norm;
        }
    }
    matrix.rank(1e-9)
}

fn check(golden: &Value) {
    let text = golden["formula"].as_str().unwrap();
    let data = data_set(golden["data"].as_str().unwrap());
    let formula = Formula::parse(text).unwrap();
    let expansion = Expansion::of(&formula, &data).unwrap();
    let terms = expansion.terms();
    assert_eq!(
        terms.labels().collect::<Vec<_>>(),
        texts(&golden["terms"]),
        "{text}"
    );
    assert_eq!(
        u64::from(terms.has_intercept()),
        golden["intercept"],
        "{text}"
    );
    let assign: Vec<f64> = expansion.assign().map(|term| term as f64).collect();
    assert_close("assign", text, &assign, &numbers(&golden["assign"]));

    let design = expansion.apply(&data).unwrap();
    assert!(design.warnings().is_empty());
    let (mut names, mut columns) = (Vec::new(), Vec::new());
    if terms.has_intercept() {
        names.push("(Intercept)".to_owned());
        columns.push(vec![1.0; design.rows()]);
    }
    for term in 0..terms.len() {
        names.extend(expansion.column_names(term));
        columns.extend(design.columns(term));
    }
    assert_eq!(names, texts(&golden["columns"]), "{text}");
    let of_columns = |sum: fn(&f64) -> f64| -> Vec<f64> {
        columns
            .iter()
            .map(|column| column.iter().map(sum).sum())
            .collect()
    };
    // Sums of centered columns are rounding errors of their size.
    let sizes = of_columns(|value| value.abs());
    let sums = of_columns(|value| *value);
    for (place, expected) in numbers(&golden["sums"]).iter().enumerate() {
        let difference = (sums[place] - expected).abs();
        assert!(
            difference <= 1e-9 * sizes[place],
            "{text}: sum of column {place}"
        );
    }
    let squares = of_columns(|value| value * value);
    assert_close(
        "sum of squares",
        text,
        &squares,
        &numbers(&golden["squares"]),
    );
    for (row, expected) in golden["first"].as_array().unwrap().iter().enumerate() {
        let own: Vec<f64> = columns.iter().map(|column| column[row]).collect();
        assert_close("first rows", text, &own, &numbers(expected));
    }
    assert_eq!(rank(&columns) as u64, golden["rank"], "{text}");

    let Some(Variable::Numeric(response)) = expansion.response(&data).unwrap() else {
        panic!("{text}: no numeric response");
    };
    let sum = golden["response_sum"].as_f64().unwrap();
    assert!(close(response.iter().sum(), sum), "{text}");
    let offset = expansion.offset(&data).unwrap();
    let offset: Option<f64> = offset.map(|offset| offset.iter().sum());
    match golden["offset_sum"].as_f64() {
        Some(sum) => assert!(close(offset.unwrap(), sum), "{text}"),
        None => assert_eq!(offset, None, "{text}"),
    }
    // The formula as it is written by us has the same terms.
    let again = Formula::parse(&formula.to_string()).unwrap();
    assert_eq!(again, formula);
}

#[test]
#[ignore = "needs the folder shared"]
fn terms_and_columns_are_those_of_r() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../shared/golden/formulas/formulas.json"
    );
    let goldens: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let goldens = goldens.as_array().unwrap();
    assert_eq!(goldens.len(), 50);
    goldens.iter().for_each(check);
}
