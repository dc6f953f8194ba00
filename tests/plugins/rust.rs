//! A plugin in Rust that fails: each panic and each refusal is one line.

use serde_json::Value;

use super::{
    beside,
    program::{Folder, Ran, ran},
    without_line,
};

fn passel(folder: &Folder, arguments: &[&str]) -> Ran {
    let library = beside("faulty").display().to_string();
    let plugins = ["--response", "y", "--format", "json", "--plugins", &library];
    let mut command = folder.passel(&[arguments, &plugins].concat());
    command.env("RUST_BACKTRACE", "1");
    let told = ran(command);
    // What the plugin says of itself at load.
    let stderr = told
        .stderr
        .replace("warning: faulty: declared without fault\n", "");
    Ran { stderr, ..told }
}

fn select(folder: &Folder, method: &str, more: &[&str]) -> Ran {
    passel(
        folder,
        &[&["select", "data.csv", "--method", method][..], more].concat(),
    )
}

const PANIC: &str = "it panicked at tests/support/faulty/lib.rs:LINE: ";

#[test]
fn a_way_that_fails_is_one_error_and_what_it_chose() {
    let folder = Folder::new();
    for method in ["faulty-levels", "faulty-regression"] {
        let done = select(&folder, method, &[]);
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
        for (fault, reason, chosen) in [
            (1, "no way on".to_owned(), true),
            (2, format!("{PANIC}no way"), true),
            (3, format!("{PANIC}no work"), true),
            (4, "it returned 1 and did not say why".to_owned(), false),
            (5, "it named column 99 of 4".to_owned(), true),
        ] {
            let told = select(
                &folder,
                &format!("{method}:fault={fault}"),
                &["--seed", "1"],
            );
            let expected =
                format!("error: method `{method}` of plugin `faulty` failed: {reason}\n");
            assert_eq!((told.code, without_line(&told.stderr)), (Some(1), expected));
            match chosen {
                false => assert_eq!(told.stdout, ""),
                true => {
                    let json: Value = serde_json::from_str(&told.stdout).unwrap();
                    assert_eq!(json["selected"][0]["name"], "a");
                    assert_eq!(
                        (&json["k"], &json["termination"]),
                        (&1.into(), &"fault".into())
                    );
                }
            }
        }
    }
    for (method, reason) in [
        ("faulty-levels:fault=6", "it named column 5 of 4"),
        (
            "faulty-regression:fault=6",
            "anchor 0 has 1 numbers, there are 60 observations",
        ),
        ("faulty-regression:fault=7", "its anchor 0 holds NaN"),
        ("faulty-regression:fault=8", "it chose column 0 twice"),
    ] {
        let told = select(&folder, method, &[]);
        let reason = format!("` of plugin `faulty` failed: {reason}\n");
        assert_eq!((told.code, told.stdout.as_str()), (Some(1), ""));
        assert!(told.stderr.ends_with(&reason), "{}", told.stderr);
    }
}

#[test]
fn a_function_that_gives_no_score_ends_the_selection() {
    let folder = Folder::new();
    for fault in [1, 2, 3] {
        let method = format!("faulty-function:fault={fault}");
        let told = select(&folder, &method, &["--threads", "2"]);
        let pair = format!("faulty-pair:fault={fault}");
        let pairs = passel(&folder, &["pairs", "data.csv", "--score", &pair]);
        for told in [told, pairs] {
            assert_eq!(told.code, Some(1), "{}", told.stderr);
            let lines: Vec<String> = told.stderr.lines().map(without_line).collect();
            // A panic is told once, however many tables there are.
            let warned = format!("warning: faulty: {PANIC}no value");
            let panics = lines.iter().filter(|line| **line == warned).count();
            assert_eq!(
                (panics, lines.len()),
                match fault {
                    3 => (1, 2),
                    _ => (0, 1),
                },
                "{lines:?}"
            );
            let error = lines.last().unwrap();
            let whose = [
                "error: method `faulty-function` of plugin `faulty`: score of `",
                "error: pair score `faulty-pair` of plugin `faulty`: score of `",
            ];
            assert!(
                whose.iter().any(|start| error.starts_with(start)),
                "{error}"
            );
            let why = if fault == 2 {
                "is infinite"
            } else {
                "is not a number"
            };
            let end = format!("{why}; what was found before is reported");
            assert!(error.ends_with(&end), "{error}");
        }
    }
    // Never is no fault: nobody is chosen.
    let never = select(&folder, "faulty-function:fault=4", &[]);
    assert_eq!((never.code, never.stderr.as_str()), (Some(0), ""));
}

#[test]
fn an_entry_that_panics_is_a_library_that_is_not_used() {
    let folder = Folder::new();
    let library = beside("faulty").display().to_string();
    let mut command = folder.passel(&["plugins", "--plugins", &library]);
    command.env("PASSEL_TEST_FAULTY_ENTRY", "1");
    let told = ran(command);
    assert_eq!((told.code, told.stdout.as_str()), (Some(2), ""));
    let expected = format!("error: {library}: its entry gave up: {PANIC}no entry\n");
    assert_eq!(without_line(&told.stderr), expected);
}

#[test]
fn a_criterion_that_panics_is_refused_where_that_shows() {
    let folder = Folder::new();
    let by = |criterion: &str| {
        let criterion = format!("faulty-price:fault={criterion}");
        select(
            &folder,
            "pass",
            &["--criterion", &criterion, "--iterations", "20"],
        )
    };
    assert_eq!(by("0").code, Some(0));
    let told = by("1");
    let lines: Vec<String> = told.stderr.lines().map(without_line).collect();
    let reason = "its value of 0 of 20 variables and 100 observations is not a number";
    assert_eq!(
        lines,
        [
            format!("warning: faulty: criterion faulty-price: {PANIC}no price"),
            format!("error: criterion `faulty-price` of plugin `faulty`: {reason}"),
        ]
    );
    assert_eq!(told.code, Some(2));
    // Later it is no more than a model that is never the best, and one line.
    let told = by("2");
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let warned = format!("warning: faulty: criterion faulty-price: {PANIC}no price of 4\n");
    assert_eq!(without_line(&told.stderr), warned);
    let json: Value = serde_json::from_str(&told.stdout).unwrap();
    assert!(json["k"].as_u64().unwrap() < 4);
}

#[test]
fn a_family_gives_what_least_squares_give_and_where_it_panics_is_refused() {
    let folder = Folder::new();
    let of = |family: &str| select(&folder, "pass", &["--family", family, "--criterion", "bic"]);
    let json = |family: &str| {
        let told = of(family);
        assert_eq!((told.code, &*told.stderr), (Some(0), ""));
        serde_json::from_str::<Value>(&told.stdout).unwrap()
    };
    let (own, other) = (json("gaussian"), json("faulty/faulty-squares"));
    let number = |value: &Value| value.as_f64().unwrap();
    let near = |a: &Value, b: &Value, by: f64| {
        let (a, b) = (number(a), number(b) + by);
        assert!((a - b).abs() <= 1e-8 * (1.0 + a.abs()), "{a} {b}");
    };
    near(&own["log_likelihood"], &other["log_likelihood"], 0.0);
    near(
        &own["intercept"]["coefficient"],
        &other["intercept"]["coefficient"],
        1.0,
    );
    let [own, other] = [&own["selected"], &other["selected"]].map(|all| all.as_array().unwrap());
    assert!(own.len() == other.len() && !own.is_empty());
    for (own, other) in own.iter().zip(other) {
        assert_eq!(own["name"], other["name"]);
        for key in ["coefficient", "std_error", "t", "p_value", "lower", "upper"] {
            near(&own[key], &other[key], 0.0);
        }
    }
    let told = of("faulty-squares:fault=1");
    let lines: Vec<String> = told.stderr.lines().map(without_line).collect();
    let reason = "the variance at the mean 0 is NaN";
    assert_eq!(
        lines,
        [
            format!("warning: faulty: family faulty-squares: {PANIC}no variance"),
            format!("error: family `faulty-squares` of plugin `faulty`: {reason}"),
        ]
    );
    assert_eq!(told.code, Some(2));
}
