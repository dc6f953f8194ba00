//! Terms: labels, order, intercept, offsets, hierarchy, limits.

use passel::formula::{Fault, Formula, Terms, Warning};

const NAMES: [&str; 7] = ["y", "a", "b", "c", "d", "x", "z z"];

fn terms(text: &str) -> Terms {
    Formula::parse(text).unwrap().terms(&NAMES).unwrap()
}

fn labels(text: &str) -> Vec<String> {
    terms(text).labels().collect()
}

fn fault(text: &str) -> Fault {
    let error = Formula::parse(text).unwrap().terms(&NAMES).unwrap_err();
    assert!(error.to_string().contains('^'));
    error.fault().clone()
}

#[test]
fn operators_mean_what_they_mean_in_r() {
    assert_eq!(labels("y ~ a:a"), ["a"]);
    assert_eq!(labels("y ~ a*a"), ["a"]);
    assert_eq!(labels("y ~ b:a + a"), ["a", "b:a"]);
    assert_eq!(labels("y ~ (a + b)^2"), ["a", "b", "a:b"]);
    assert_eq!(
        labels("y ~ (a + b + c)^2 - a:b"),
        ["a", "b", "c", "a:c", "b:c"]
    );
    assert_eq!(labels("y ~ a/b/c"), ["a", "a:b", "a:b:c"]);
    assert_eq!(labels("y ~ (a + b)/c"), ["a", "b", "a:b:c"]);
    assert_eq!(labels("y ~ a/(b + c)"), ["a", "a:b", "a:c"]);
    assert_eq!(labels("y ~ a + b %in% a"), ["a", "a:b"]);
    assert_eq!(labels("y ~ c %in% (a + b)"), ["c:a:b"]);
    assert_eq!(labels("y ~ a * b - a"), ["b", "a:b"]);
    assert_eq!(labels("y ~ a - a"), [""; 0]);
    assert_eq!(labels("y ~ a - (b - c)"), ["a"]);
    assert_eq!(labels("y ~ +a"), ["a"]);
    assert_eq!(labels("y ~ -a + b"), ["b"]);
    assert_eq!(labels("y ~ (a + b + c + d)^1000000000").len(), 15);
    assert_eq!(labels("y ~ log(a):b + I(a^2)"), ["I(a^2)", "log(a):b"]);
    // `%%` is arithmetic of the precedence of `%in%`.
    assert_eq!(labels("y ~ a %% 2"), ["a%%2"]);
    assert_eq!(labels("y ~ a %% 2 %in% b + c"), ["c", "a%%2:b"]);
    assert_eq!(labels("y ~ a %in% b %/% 2"), ["a %in% b%/%2"]);
}

#[test]
fn the_dot_is_all_variables_but_those_of_the_response() {
    assert_eq!(labels("y ~ ."), ["a", "b", "c", "d", "x", "`z z`"]);
    assert_eq!(labels("log(y/x) ~ . - a"), ["b", "c", "d", "`z z`"]);
    assert_eq!(labels("~ .").len(), 7);
    assert_eq!(labels("y ~ .^2").len(), 21);
    assert_eq!(labels("y ~ x:. - x:a")[..2], ["x", "x:b"]);
    assert_eq!(labels("y ~ . + b:x - c")[..2], ["a", "b"]);
    // Variables number by their first occurrence.
    assert_eq!(labels("y ~ . + x:b").last().unwrap(), "b:x");
    assert_eq!(labels("y ~ x:b + .").last().unwrap(), "x:b");
    // Names behind a minus do not count, functions do.
    assert_eq!(labels("y ~ c - b:a + a:b"), ["c", "a:b"]);
    assert_eq!(labels("y ~ c - log(b) + a:log(b)"), ["c", "log(b):a"]);
    assert_eq!(labels("y ~ c - . + x:a"), ["a:x"]);
}

#[test]
fn the_intercept_is_the_last_word() {
    let cases = [
        ("y ~ a", true),
        ("y ~ a - 1", false),
        ("y ~ 0 + a", false),
        ("y ~ -1 + a", false),
        ("y ~ a + -1", false),
        ("y ~ a - 0", true),
        ("y ~ 0 + a + 1", true),
        ("y ~ a - 1 + 1", true),
        ("y ~ (a - 1)", false),
        ("y ~ a*(b - 1)", false),
        ("y ~ a - (b - 1)", true),
        ("y ~ 1", true),
        ("y ~ 0", false),
    ];
    for (text, expected) in cases {
        assert_eq!(terms(text).has_intercept(), expected, "{text}");
    }
}

#[test]
fn offsets_and_responses_are_no_terms() {
    let own = terms("log(y) ~ a + offset(x) + offset(log(b))");
    assert_eq!(own.labels().collect::<Vec<_>>(), ["a"]);
    assert_eq!(own.offsets().collect::<Vec<_>>(), ["x", "log(b)"]);
    assert_eq!(own.response().unwrap(), "log(y)");
    assert_eq!(own.names(), ["y", "a", "b", "x"]);
    let own = terms("~ a + offset(x) + offset(b) - offset(x)");
    assert_eq!(own.offsets().collect::<Vec<_>>(), ["b"]);
    assert_eq!(own.response(), None);
    assert_eq!(labels("y ~ (a + offset(x))^2 * b"), ["a", "b", "a:b"]);
    assert!(matches!(fault("y ~ a + y:b"), Fault::ResponseAsTerm { .. }));
    assert!(matches!(
        fault("log(y) ~ a + log(y)"),
        Fault::ResponseAsTerm { .. }
    ));
    assert_eq!(labels("y ~ . - y + a").len(), 6);
    assert!(matches!(fault("y ~ a:offset(x)"), Fault::NothingToInteract));
    assert!(matches!(
        fault("y ~ log(offset(x))"),
        Fault::OffsetWithinExpression
    ));
    assert!(matches!(
        fault("offset(y) ~ a"),
        Fault::OffsetWithinExpression
    ));
}

#[test]
fn what_is_no_term_is_refused() {
    assert!(matches!(fault("y ~ 2"), Fault::NotATerm { .. }));
    assert!(matches!(fault("y ~ 'a'"), Fault::NotATerm { .. }));
    assert!(matches!(fault("y ~ a^b"), Fault::Exponent));
    assert!(matches!(fault("y ~ a^0"), Fault::Exponent));
    assert!(matches!(fault("y ~ a^1.5"), Fault::Exponent));
    assert!(matches!(fault("y ~ a:1"), Fault::NothingToInteract));
    assert!(matches!(fault("y ~ -a:b"), Fault::NothingToInteract));
    assert!(matches!(fault("y ~ I(2)"), Fault::NoVariable { .. }));
    assert!(matches!(fault("y ~ log(pi)"), Fault::NoVariable { .. }));
    assert!(matches!(fault("y ~ offset(1)"), Fault::NoVariable { .. }));
    assert!(matches!(fault("y ~ log(.)"), Fault::DotWithinExpression));
    assert!(matches!(fault(". ~ a"), Fault::DotWithinExpression));
}

#[test]
fn unknown_names_come_with_similar_ones() {
    let names = ["weight", "height", "cyl"];
    let parse = |text| Formula::parse(text).unwrap().terms(&names);
    let error = parse("height ~ cyl + log(wieght)").unwrap_err();
    assert_eq!(error.span(), 19..25);
    let text = error.to_string();
    assert!(
        text.contains("no variable is called `wieght`; did you mean `weight`"),
        "{text}"
    );
    assert!(text.ends_with("\n                     ^^^^^^"), "{text}");
    let error = parse("height ~ CYL").unwrap_err().to_string();
    assert!(error.contains("did you mean `cyl`?"), "{error}");
    let error = parse("height ~ something").unwrap_err().to_string();
    assert!(
        error.contains("(variables: weight, height, cyl)"),
        "{error}"
    );
    for (text, hint) in [
        (
            "Surv(height, cyl) ~ weight",
            "are named by --event and --entry, with --family cox",
        ),
        (
            "height ~ strata(cyl)",
            "is named by --strata, with --family cox",
        ),
        ("height ~ lgo(cyl)", "did you mean `log`"),
    ] {
        let error = Formula::parse(text).map(|own| own.terms(&names));
        let error = error.map_or_else(
            |error| error.to_string(),
            |own| own.unwrap_err().to_string(),
        );
        assert!(error.contains(hint), "{error}");
    }
    // The name of a variable comes before that of a constant.
    let terms = Formula::parse("y ~ a + I(T * pi * a)").unwrap();
    assert_eq!(
        terms.terms(&["y", "a", "T"]).unwrap().names(),
        ["y", "a", "T"]
    );
}

#[test]
fn a_power_of_one_term_is_doubtful() {
    let own = terms("y ~ a + b^2 + (c + d)^2");
    let [Warning::PowerOfOneTerm { expression, term }] = own.warnings() else {
        panic!("{:?}", own.warnings());
    };
    assert_eq!((&**expression, &**term), ("b^2", "b"));
    assert!(own.warnings()[0].to_string().contains("I(b^2)"));
}

#[test]
fn too_many_terms_are_refused_soon() {
    let names: Vec<String> = (0..2_000).map(|number| format!("x{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let start = std::time::Instant::now();
    for text in [
        "~ .^2",
        "~ .^9",
        "~ (.)*(.)",
        "~ (.^2)^2",
        "~ .:.:.",
        "~ ./.",
        "~ (./.)^2",
    ] {
        let result = Formula::parse(text).unwrap().terms(&names);
        if text != "~ ./." {
            let fault = result.unwrap_err().fault().clone();
            let is_bound = matches!(
                fault,
                Fault::TooManyTerms { limit: 250_000 } | Fault::TooMuchWork
            );
            assert!(is_bound, "{text}: {fault:?}");
        }
    }
    let few = &names[..24];
    for text in [
        "~ .^24",
        "~ .^9",
        "~ .^3 * .^3 * .^3",
        "~ (.^9)^9",
        "~ .*.*.*.*.*.*.*.",
    ] {
        assert!(Formula::parse(text).unwrap().terms(few).is_err(), "{text}");
    }
    // All terms of a few variables, met again and again.
    let chain = format!("~ {}", vec!["(a + b + c + d)^4"; 1_000].join(" * "));
    assert_eq!(
        Formula::parse(&chain).unwrap().terms(&NAMES).unwrap().len(),
        15
    );
    let many = format!("~ {}", vec!["."; 4_000].join(" + "));
    let fault = Formula::parse(&many).unwrap().terms(&names).unwrap_err();
    assert_eq!(*fault.fault(), Fault::TooMuchWork);
    let removed = format!("~ .{}", " - x1".repeat(50_000));
    assert_eq!(
        Formula::parse(&removed)
            .unwrap()
            .terms(&names)
            .unwrap()
            .len(),
        1_999
    );
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    let all = Formula::parse("~ .^16").unwrap();
    assert_eq!(all.terms(&names[..17]).unwrap().len(), (1 << 17) - 2);
    let most = &names[..706];
    let formula = Formula::parse("~ .^2").unwrap();
    assert_eq!(formula.terms(most).unwrap().len(), 706 * 707 / 2);
}

#[test]
fn parents_are_the_terms_within_a_term() {
    let own = terms("y ~ a*b*c + d + log(x):a");
    let labels: Vec<String> = own.labels().collect();
    let hierarchy = own.hierarchy();
    let of = |label: &str| -> Vec<&str> {
        let term = labels.iter().position(|own| own == label).unwrap();
        let parents = hierarchy.parents(term).into_iter();
        parents.map(|parent| &*labels[parent]).collect()
    };
    assert_eq!(of("a"), [""; 0]);
    assert_eq!(of("a:b"), ["a", "b"]);
    assert_eq!(of("a:log(x)"), ["a"]);
    assert_eq!(of("a:b:c"), ["a", "b", "c", "a:b", "a:c", "b:c"]);
    let own = terms("y ~ a:b:c:d:x + a + b:x");
    assert_eq!(own.hierarchy().parents(2), [0, 1]);
    assert_eq!(own.degree(2), 5);
    assert_eq!(own.factors(2), [0, 1, 2, 3, 4]);
}
