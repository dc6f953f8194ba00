//! Errors of data: they name the expression, the row and the value.

use passel::formula::{Expansion, Fault, Formula, FormulaError, Variable};

use crate::data::{Column, Data};

fn data() -> Data {
    Data::default()
        .numbers("y", &[1.0, 2.0, 3.0, 4.0])
        .numbers("x", &[1.0, -2.0, 4.0, 0.0])
        .numbers("gap", &[1.0, 2.0, f64::NAN, 4.0])
        .factor("f", &["u", "v", "u", "v"], &[])
        .factor("one", &["u", "u", "u", "u"], &[])
}

fn error(text: &str) -> FormulaError {
    let formula = Formula::parse(text).unwrap();
    Expansion::of(&formula, &data()).unwrap_err()
}

#[track_caller]
fn assert_error(text: &str, place: &str, message: &str) {
    let error = error(text);
    assert_eq!(&error.text()[error.span()], place, "{error}");
    assert!(error.to_string().contains(message), "{error}");
}

#[test]
fn values_that_are_not_finite_name_row_and_value() {
    assert_error(
        "y ~ log(x)",
        "log(x)",
        "`log(x)` is NaN in row 2, where x = -2",
    );
    assert_error(
        "y ~ f + I(1/x)",
        "I(1/x)",
        "`I(1/x)` is Inf in row 4, where x = 0",
    );
    assert_error("y ~ exp(x * 1000)", "exp(x * 1000)", "is Inf in row 1");
    assert_error("y ~ gap", "gap", "`gap` has no value in row 3;");
    assert_error("log(x) ~ f", "log(x)", "row 2");
    assert_error("y ~ f + offset(sqrt(x))", "sqrt(x)", "row 2");
    assert_error("y ~ poly(log(x), 2)", "log(x)", "row 2");
    assert_error("y ~ I(gap > 2)", "I(gap > 2)", "row 3");
    assert_error("y ~ .", ".", "`gap` has no value in row 3");
    assert_error("y ~ I(x - mean(gap))", "gap", "row 3");
    assert_error(
        "y ~ poly(x * 1e200, 2)",
        "poly(x * 1e200, 2)",
        "not finite; rescale",
    );
    // What is not finite on the way but finite in the end is no error.
    let formula = Formula::parse("y ~ plogis(-x * 1000)").unwrap();
    assert!(Expansion::of(&formula, &data()).is_ok());
}

#[test]
fn levels_are_checked() {
    assert_error("y ~ one", "one", "one level only, `u`");
    assert_error("y ~ x:one", "one", "one level only");
    assert_error(
        "y ~ relevel(f, 'w')",
        "'w'",
        "`w` is no level of `f` (levels: u, v)",
    );
    assert_error(
        "y ~ I(f == 'w')",
        "'w'",
        "`w` is no level of `f` (levels: u, v)",
    );
    assert_error(
        "y ~ factor(f, levels = c('u', 'w'))",
        "f",
        "the level `v` of `f` in row 2 is none of its levels (u, w)",
    );
    assert_error(
        "y ~ C(f, contr.treatment, base = 3)",
        "3",
        "a level, or its number from 1",
    );
    assert_error(
        "y ~ C(f, contr.some)",
        "contr.some",
        "contr.treatment, contr.sum",
    );
    let mut missing = data();
    if let (_, Column::Factor { codes, .. }) = &mut missing.columns[3] {
        codes[2] = u32::MAX;
    }
    let formula = Formula::parse("y ~ f").unwrap();
    let error = Expansion::of(&formula, &missing).unwrap_err();
    assert!(
        error.to_string().contains("`f` has no value in row 3"),
        "{error}"
    );
}

#[test]
fn arguments_are_checked() {
    assert_error(
        "y ~ poly(x, 4)",
        "poly(x, 4)",
        "`x` has 4 different values; 5 are needed",
    );
    assert_error("y ~ poly(x, y)", "y", "several variables in one poly()");
    assert_error(
        "y ~ poly(x, y, degree = 2)",
        "y",
        "several variables in one poly()",
    );
    assert_error(
        "y ~ poly(x, 1.5)",
        "1.5",
        "`degree` of poly() must be a whole number",
    );
    assert_error("y ~ poly(x, 2, raw = 'yes')", "'yes'", "TRUE or FALSE");
    assert_error("y ~ poly(f, 2)", "f", "`f` is a factor; a number is needed");
    assert_error("y ~ bs(x, df = 2)", "bs(x, df = 2)", "at least 3 here");
    assert_error(
        "y ~ bs(x, knots = c(0, 9))",
        "bs(x, knots = c(0, 9))",
        "the knot 9 of bs()",
    );
    assert_error(
        "y ~ ns(x, dg = 2)",
        "dg",
        "ns() has no argument `dg`; did you mean `df`?",
    );
    assert_error(
        "y ~ ns(x, df = 2, df = 3)",
        "df",
        "has the argument `df` twice",
    );
    assert_error("y ~ log(x, 2, 3)", "3", "at most 2 arguments");
    assert_error("y ~ I() + x", "I()", "");
    assert_error("y ~ scale(x, scale = 0)", "x", "not constant");
    assert_error("y ~ log(f)", "f", "is a factor");
    assert_error("y ~ f + I(f + 1)", "f", "is a factor");
    assert_error(
        "y ~ cut(x, c(-1, 5))",
        "cut(x, c(-1, 5))",
        "in no interval of the breaks in row 2",
    );
    assert_error(
        "y ~ cut(x, c(1, 1))",
        "c(1, 1)",
        "two or more different numbers",
    );
    assert_error(
        "y ~ I(x + c(1, 2))",
        "x + c(1, 2)",
        "4 values cannot be combined with 2",
    );
    assert_error("poly(y, 2) ~ x", "poly(y, 2)", "one number an observation");
}

#[test]
fn responses_and_offsets_are_one_number() {
    assert_error(
        "y ~ offset(f)",
        "f",
        "`f` is a factor; one number an observation is needed",
    );
    assert_error("y ~ offset(poly(x, 2))", "poly(x, 2)", "one number");
    let formula = Formula::parse("f ~ x").unwrap();
    let data = data();
    let expansion = Expansion::of(&formula, &data).unwrap();
    let response = expansion.response(&data).unwrap().unwrap();
    assert!(matches!(response, Variable::Factor { codes, .. } if codes[..] == [0, 1, 0, 1]));
}

#[test]
fn data_without_rows_is_refused() {
    let formula = Formula::parse("y ~ x").unwrap();
    let none = data().take(&[]);
    let error = Expansion::of(&formula, &none).unwrap_err();
    assert_eq!(*error.fault(), Fault::NoRows);
    let mut uneven = data();
    uneven.columns[1].1 = Column::Numbers(vec![1.0]);
    let error = Expansion::of(&formula, &uneven).unwrap_err().to_string();
    assert!(
        error.contains("the variable `x` has 1 observations, the data 4"),
        "{error}"
    );
}

#[test]
fn terms_of_too_many_columns_are_refused() {
    let values: Vec<f64> = (0..1_200).map(f64::from).collect();
    let data = Data::default().numbers("x", &values).numbers("z", &values);
    let formula = Formula::parse("~ factor(x):factor(z)").unwrap();
    let error = Expansion::of(&formula, &data).unwrap_err();
    assert!(matches!(
        error.fault(),
        Fault::TooManyColumns {
            limit: 1_000_000,
            ..
        }
    ));
}
