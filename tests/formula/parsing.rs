//! Precedences, and formulas as they are written again.

use passel::formula::{Formula, FormulaError};

fn labels(text: &str) -> Vec<String> {
    let names = ["y", "a", "b", "c", "x", "größe", "two words", "if"];
    let terms = Formula::parse(text).unwrap().terms(&names).unwrap();
    terms.labels().collect()
}

#[track_caller]
fn assert_written(text: &str, expected: &str) {
    let formula = Formula::parse(text).unwrap();
    assert_eq!(formula.to_string(), expected);
    let again = Formula::parse(expected).unwrap();
    assert_eq!(again, formula);
    assert_eq!(again.to_string(), expected);
}

#[test]
fn formulas_are_written_as_r_writes_them() {
    assert_written("y~a+b*c:x", "y ~ a + b * c:x");
    assert_written("~a", "~a");
    assert_written("log( y )~I(a/b)+I( a*b )", "log(y) ~ I(a/b) + I(a * b)");
    assert_written(
        "y ~ a%in%b + I(a %% 2) + I(a%/%2)",
        "y ~ a %in% b + I(a%%2) + I(a%/%2)",
    );
    assert_written("y ~ (a+b)**2", "y ~ (a + b)^2");
    assert_written("y ~ poly(a,2L,raw=TRUE)", "y ~ poly(a, 2L, raw = TRUE)");
    assert_written(
        "y ~ I(a*1e5+100+1e-5+.5)",
        "y ~ I(a * 1e+05 + 100 + 1e-05 + 0.5)",
    );
    assert_written("y ~ I(a == 'x\"y')", "y ~ I(a == \"x\\\"y\")");
    assert_written("y ~ `two words` + `a` + `if`", "y ~ `two words` + a + `if`");
    assert_written("y ~ größe-1", "y ~ größe - 1");
    assert_written("y ~ I(-a^-b) + I(!a&b|c)", "y ~ I(-a^-b) + I(!a & b | c)");
    assert_written(
        "y ~ splines::bs(a, knots=c(1,2))",
        "y ~ splines::bs(a, knots = c(1, 2))",
    );
    assert_written("y ~ I(a<= -1)", "y ~ I(a <= -1)");
    assert_written("y ~ I(0x1F*a)\n +\tb", "y ~ I(31 * a) + b");
    assert_written(
        "y ~ cut(a, c(-Inf, 0, Inf), labels = NULL)",
        "y ~ cut(a, c(-Inf, 0, Inf), labels = NULL)",
    );
}

#[test]
fn precedences_are_those_of_r() {
    assert_eq!(labels("y ~ a + b:c"), ["a", "b:c"]);
    assert_eq!(labels("y ~ a * b:c"), ["a", "b:c", "a:b:c"]);
    assert_eq!(labels("y ~ a %in% b:c"), ["a:b:c"]);
    assert_eq!(labels("y ~ a * b %in% c"), ["a", "b:c", "a:b:c"]);
    assert_eq!(labels("y ~ a / b + c"), ["a", "c", "a:b"]);
    assert_eq!(labels("y ~ a / b * c"), ["a", "c", "a:b", "a:c", "a:b:c"]);
    assert_eq!(labels("y ~ a * b / c"), ["a", "b", "a:b", "a:b:c"]);
    assert_eq!(labels("y ~ a:b^2"), ["a:b"]);
    assert_eq!(labels("y ~ (a + b)^2:c"), ["a:c", "b:c", "a:b:c"]);
    // A comparison binds less tightly than a sum: one variable.
    assert_eq!(labels("y ~ a + b > c"), ["a + b > c"]);
    assert_eq!(labels("y ~ !a"), ["!a"]);
    assert_eq!(labels("y ~ a - b:c + b:c"), ["a", "b:c"]);
}

/// The place that carets mark, as the text that stands above them.
fn marked(error: &FormulaError) -> String {
    let text = error.to_string();
    let lines: Vec<&str> = text.lines().collect();
    let [.., line, carets] = lines[..] else {
        panic!("no carets: {text}");
    };
    let start = carets
        .chars()
        .take_while(|character| *character == ' ')
        .count();
    let length = carets.chars().count() - start;
    line.chars().skip(start).take(length).collect()
}

#[track_caller]
fn assert_refused(text: &str, place: &str, message: &str) {
    let error = Formula::parse(text).unwrap_err();
    assert_eq!(marked(&error), place, "{error}");
    assert!(error.to_string().contains(message), "{error}");
}

#[test]
fn carets_mark_what_cannot_be_read() {
    assert_refused("y ~ a + # b", "#", "no meaning in a formula");
    assert_refused("y ~ a +", "", "expected a variable");
    assert_refused("y ~ a b", "b", "expected an operator");
    assert_refused("größe ~ a + ) b", ")", "expected a variable");
    assert_refused("y ~ (a + b", "(", "does not close");
    assert_refused("y ~ log(a", "(", "does not close");
    assert_refused("y ~ lgo(a)", "lgo", "did you mean `log`");
    assert_refused("y ~ splines::bz(a)", "splines::bz", "did you mean `bs`");
    assert_refused("y + a", "", "write `response ~ terms`");
    assert_refused("", "", "write `response ~ terms`");
    assert_refused("y ~ a ~ b", "~", "one `~`");
    assert_refused("y ~ \"a", "\"", "does not close");
    assert_refused("y ~ `", "`", "does not close");
    assert_refused("y ~ ``", "``", "empty");
    assert_refused("y ~ 2x", "2x", "not a number");
    assert_refused("y ~ I(a * 1e999)", "1e999", "too large");
    assert_refused("y ~ a %of% b", "%of%", "`%in%`, `%%` and `%/%`");
    assert_refused("y ~ I(a<-1)", "<-", "write `< -`");
    assert_refused("y ~ a$b", "$", "name alone");
    assert_refused("y ~ I(a < b < c)", "<", "do not chain");
    assert_refused("y ~ if", "if", "reserved word");
    assert_refused("y ~ I(a == 'x\\q')", "\\q", "escape");
    assert_refused("y ~ log(a,)", ")", "expected a variable");
}

#[test]
fn carets_count_the_columns_of_a_terminal() {
    let error = Formula::parse("名前 ~ a ; b").unwrap_err().to_string();
    // An indent of two, two characters of two columns, and ` ~ a `.
    assert!(
        error.ends_with(&format!("\n{}^", " ".repeat(2 + 4 + 5))),
        "{error}"
    );
    let long = format!("y ~ {}; b", "a + ".repeat(10_000));
    let error = Formula::parse(&long).unwrap_err().to_string();
    assert!(error.len() < 400, "{error}");
    assert!(error.contains('…'), "{error}");
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [
        ("(", ")"),
        ("I(", ")"),
        ("-", ""),
        ("!", ""),
        ("a^", ""),
        ("a+b*c:d^(", ")"),
    ] {
        let deep = format!("y ~ {}a{}", open.repeat(100_000), close.repeat(100_000));
        let error = Formula::parse(&deep).unwrap_err();
        assert!(error.to_string().contains("inside one another"), "{open}");
    }
    let shallow = format!("y ~ {}a{}", "(".repeat(100), ")".repeat(100));
    let formula = Formula::parse(&shallow).unwrap();
    assert_eq!(formula.terms(&["y", "a"]).unwrap().len(), 1);
}

#[test]
fn long_sums_are_not_deep() {
    let names: Vec<String> = (0..50_000).map(|number| format!("x{number}")).collect();
    let formula = Formula::parse(&format!("y ~ {}", names.join(" + "))).unwrap();
    let mut all: Vec<&str> = names.iter().map(String::as_str).collect();
    all.push("y");
    let terms = formula.terms(&all).unwrap();
    assert_eq!(terms.len(), 50_000);
    assert_eq!(formula, Formula::parse(&formula.to_string()).unwrap());
}

#[test]
fn formulas_are_saved_as_their_text() {
    let formula: Formula = "y~a*b".parse().unwrap();
    let json = serde_json::to_string(&formula).unwrap();
    assert_eq!(json, "\"y~a*b\"");
    assert_eq!(serde_json::from_str::<Formula>(&json).unwrap(), formula);
    let error = serde_json::from_str::<Formula>("\"y~a*\"").unwrap_err();
    assert!(error.to_string().contains("expected a variable"));
}
