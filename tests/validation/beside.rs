//! Several methods and families in one validation: each is what it is by itself, on the same splits.

use serde_json::Value;

use crate::{Data, counts, others_than, support::Folder, validate};

/// What two reports of one validation have in common: all but for what the run was.
#[track_caller]
fn is_the_same(own: &Value, alone: &Value) {
    for field in [
        "method", "then", "models", "null", "full", "by_size", "splits", "held_out",
    ] {
        assert_eq!(own[field], alone[field], "{field}");
    }
}

fn folder() -> Folder {
    let folder = Folder::new();
    Data::of(72, 5).write_all(&folder);
    folder
}

const FOUR: &[&str] = &["--scheme", "folds:k=4,repeats=2", "--seed", "3"];

#[test]
fn families_are_judged_on_the_same_rows() {
    let folder = folder();
    let others = others_than(&["c"]);
    let options = ["--response", "c", "--drop", &others];
    let of = |family: &str| validate(&folder, &[&options, FOUR, &["--family", family]].concat());
    let both = of("poisson,negative-binomial,gaussian");
    assert_eq!(both["others"].as_array().unwrap().len(), 2);
    is_the_same(&both, &of("poisson"));
    is_the_same(&both["others"][0], &of("negative-binomial"));
    is_the_same(&both["others"][1], &of("gaussian"));
    let cautions = |report: &Value| {
        report["warnings"]
            .to_string()
            .contains("they do not compare")
    };
    assert!(cautions(&both) && !cautions(&of("poisson,negative-binomial")));
    let text = folder.run(
        &[
            &["validate", "d.csv"],
            &options[..],
            FOUR,
            &["--family", "poisson,negative-binomial"],
        ]
        .concat(),
    );
    for told in [
        "held-out log loss by poisson",
        "beside               negative-binomial",
        "poisson  negative-binomial  ",
        "negative-binomial null",
        "by poisson, ",
    ] {
        assert!(text.stdout.contains(told), "{told} in {}", text.stdout);
    }
}

#[test]
fn methods_have_options_of_their_own() {
    let folder = folder();
    let others = others_than(&["b"]);
    let options = ["--response", "b", "--drop", &others];
    let of_pass = ["--family", "binomial", "--criterion", "bic"];
    let of_jmi = [
        "--top",
        "4",
        "--then",
        "logistic",
        "--binning",
        "equal-width:3",
    ];
    let both = [&options, FOUR, &of_pass, &of_jmi, &["--method", "pass,jmi"]].concat();
    let both = validate(&folder, &both);
    let pass = validate(&folder, &[&options, FOUR, &of_pass[..]].concat());
    is_the_same(&both, &pass);
    let jmi = validate(
        &folder,
        &[&options, FOUR, &of_jmi[..], &["--method", "jmi"]].concat(),
    );
    is_the_same(&both["others"][0], &jmi);
    assert_eq!(
        counts(&both["held_out"]["row"]),
        counts(&both["others"][0]["held_out"]["row"])
    );
    let csv = [
        &["validate", "d.csv", "--format", "csv"],
        &options[..],
        FOUR,
        &of_pass,
        &of_jmi,
        &["--method", "pass,jmi"],
    ];
    let csv = folder.run(&csv.concat()).stdout;
    for model in [
        "pass,auc,",
        "jmi then logistic,auc,",
        "null,auc,",
        "full,auc,",
    ] {
        assert!(
            csv.contains(&format!("\n{model}")) || csv.contains(model),
            "{model} in {csv}"
        );
    }
}

#[test]
fn what_is_of_models_does_not_touch_a_method_that_ranks() {
    let folder = folder();
    let others = others_than(&["y", "w"]);
    let options = ["--response", "y", "--drop", &others];
    let of_pass = [
        "--criterion",
        "aic,bic",
        "--keep",
        "x3",
        "--weights",
        "w",
        "--no-intercept",
        "--max-size",
        "3",
    ];
    let of_jmi = ["--top", "2", "--then", "ols", "--method"];
    let jmi = validate(&folder, &[&options, FOUR, &of_jmi[..], &["jmi"]].concat());
    let pass = validate(&folder, &[&options, FOUR, &of_pass[..]].concat());
    let both = validate(
        &folder,
        &[&options, FOUR, &of_pass, &of_jmi[..], &["pass,jmi"]].concat(),
    );
    is_the_same(&both, &pass);
    is_the_same(&both["others"][0], &jmi);
    let turned = validate(
        &folder,
        &[&options, FOUR, &of_pass, &of_jmi[..], &["jmi,pass"]].concat(),
    );
    is_the_same(&turned, &jmi);
    is_the_same(&turned["others"][0], &pass);
}

#[test]
fn parts_have_equal_shares_of_the_first_ones_classes() {
    // Least squares of 0 and 1 by itself knows no classes; beside events its folds are theirs.
    let folder = folder();
    let others = others_than(&["b"]);
    let options = [
        "--response",
        "b",
        "--drop",
        &others,
        "--family",
        "binomial,gaussian",
    ];
    let report = validate(&folder, &[&options, FOUR].concat());
    let splits = |report: &Value| {
        (
            counts(&report["held_out"]["row"]),
            counts(&report["held_out"]["split"]),
        )
    };
    assert_eq!(splits(&report), splits(&report["others"][0]));
}

#[test]
fn what_is_wrong_with_one_is_told_before_the_work() {
    let folder = folder();
    let others = others_than(&["c"]);
    let options = ["--response", "c", "--drop", &others];
    let cases: [(&[&str], &str); 9] = [
        (
            &["validate", "d.csv", "--family", "poisson,poisson"],
            "family names poisson twice",
        ),
        (
            &["validate", "d.csv", "--method", "jmi,jmi", "--then", "ols"],
            "method names jmi twice",
        ),
        (
            &["validate", "d.csv", "--family", "poisson,gamma"],
            "by the method pass and the family gamma",
        ),
        (
            &["validate", "d.csv", "--family", "poisson,gama"],
            "did you mean `gamma`?",
        ),
        (
            &["validate", "d.csv", "--method", "pass,jmj", "--then", "ols"],
            "did you mean `jmi`?",
        ),
        (
            &["validate", "d.csv", "--method", "pass,,jmi"],
            "method = pass,,jmi must be",
        ),
        (
            &["validate", "d.csv", "--method", "pass,jmi"],
            "it ranks variables and makes no model",
        ),
        (
            &["select", "d.csv", "--family", "poisson,gamma"],
            "`passel validate` alone compares several",
        ),
        (
            &["stability", "d.csv", "--method", "jmi,mrmr"],
            "`passel validate` alone compares several",
        ),
    ];
    for (arguments, told) in cases {
        let ran = folder.run(&[arguments, &options].concat());
        assert_eq!(
            ran.code,
            Some(2),
            "{arguments:?} {}{}",
            ran.stdout,
            ran.stderr
        );
        assert!(ran.stderr.contains(told), "{told} in {}", ran.stderr);
        assert_eq!(ran.stderr.matches("error: ").count(), 1, "{}", ran.stderr);
    }
}
