//! Arithmetic and functions within formulas.

use passel::formula::{Expansion, Formula, Variable};

use crate::data::Data;

fn data() -> Data {
    Data::default()
        .numbers("x", &[1.0, 2.0, 4.0, 7.0])
        .numbers("z", &[-3.0, 0.5, 2.5, 10.0])
        .factor("f", &["u", "v", "u", "w"], &[])
}

#[track_caller]
fn assert_values(expression: &str, expected: [f64; 4]) {
    let formula = Formula::parse(&format!("{expression} ~ 1")).unwrap();
    let data = data();
    let expansion = Expansion::of(&formula, &data).unwrap();
    let values = match expansion.response(&data).unwrap().unwrap() {
        Variable::Numeric(values) => values.into_owned(),
        Variable::Factor { codes, .. } => codes.iter().map(|code| f64::from(*code)).collect(),
    };
    for (value, expected) in values.iter().zip(expected) {
        assert!(
            (value - expected).abs() <= 1e-14 * expected.abs(),
            "{expression}: {values:?}"
        );
    }
}

#[test]
fn arithmetic_is_that_of_r() {
    assert_values("x + 2 * x^2 / 4 - 1", [0.5, 3.0, 11.0, 30.5]);
    assert_values("-x^2", [-1.0, -4.0, -16.0, -49.0]);
    assert_values("2^-x^1", [0.5, 0.25, 0.0625, 0.0078125]);
    assert_values("2^(x - x)^x", [1.0; 4]);
    assert_values("x - x - 1", [-1.0; 4]);
    assert_values("12 / x / 2", [6.0, 3.0, 1.5, 12.0 / 7.0 / 2.0]);
    assert_values("z %% 2", [1.0, 0.5, 0.5, 0.0]);
    assert_values("z %/% 2", [-2.0, 0.0, 1.0, 5.0]);
    assert_values("-x %% 3", [2.0, 1.0, 2.0, 2.0]);
    assert_values("I(2 * x %% 3)", [2.0, 4.0, 2.0, 2.0]);
}

#[test]
fn comparisons_are_truth_values() {
    assert_values("0 + (x > 2)", [0.0, 0.0, 1.0, 1.0]);
    assert_values("x >= 2", [0.0, 1.0, 1.0, 1.0]);
    assert_values(
        "(x < 2) + (x <= 2) + (x == 4) * 5 + (x != 7)",
        [3.0, 2.0, 6.0, 0.0],
    );
    assert_values("x > 1 & z < 3 | x == 7", [0.0, 1.0, 1.0, 1.0]);
    assert_values("!x > 2", [1.0, 1.0, 0.0, 0.0]);
    assert_values("f == 'u'", [1.0, 0.0, 1.0, 0.0]);
    assert_values("f != 'u'", [0.0, 1.0, 0.0, 1.0]);
    assert_values("f %in% c('v', 'w')", [0.0, 1.0, 0.0, 1.0]);
    assert_values("x %in% c(1, 7)", [1.0, 0.0, 0.0, 1.0]);
    assert_values("I(x * (f == 'u'))", [1.0, 0.0, 4.0, 0.0]);
}

#[test]
fn functions_are_those_of_r() {
    let e = std::f64::consts::E;
    assert_values("log(x)", [0.0, 2_f64.ln(), 4_f64.ln(), 7_f64.ln()]);
    assert_values("log(x, 2)", [0.0, 1.0, 2.0, 7_f64.log2()]);
    assert_values("log(base = 2, x)", [0.0, 1.0, 2.0, 7_f64.log2()]);
    assert_values("log2(x)", [0.0, 1.0, 2.0, 7_f64.log2()]);
    assert_values("exp(x) / exp(x - 1)", [e; 4]);
    assert_values("sign(z) + abs(z)", [2.0, 1.5, 3.5, 11.0]);
    assert_values("floor(z) + ceiling(z)", [-6.0, 1.0, 5.0, 20.0]);
    assert_values("round(z)", [-3.0, 0.0, 2.0, 10.0]);
    assert_values("round(x / 3, 2)", [0.33, 0.67, 1.33, 2.33]);
    assert_values("round(x * 100, -2)", [100.0, 200.0, 400.0, 700.0]);
    assert_values("pmin(x, z, 3)", [-3.0, 0.5, 2.5, 3.0]);
    assert_values("pmax(x, z)", [1.0, 2.0, 4.0, 10.0]);
    assert_values("as.numeric(f)", [1.0, 2.0, 1.0, 3.0]);
    assert_values(
        "as.numeric(factor(f, levels = c('w', 'v', 'u')))",
        [3.0, 2.0, 3.0, 1.0],
    );
    assert_values("x - mean(x) + min(x) * max(z)", [7.5, 8.5, 10.5, 13.5]);
    assert_values("median(x) + 0 * x", [3.0; 4]);
    assert_values("pi * T * x / pi", [1.0, 2.0, 4.0, 7.0]);
    assert_values("stats::log(x)", [0.0, 2_f64.ln(), 4_f64.ln(), 7_f64.ln()]);
}
