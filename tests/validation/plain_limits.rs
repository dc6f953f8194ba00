//! Selectors behind which a plain model stands: what is refused, time limits, and data that are no obstacle.

use crate::{Data, json, others_than, support::Folder, validate, value};

#[test]
fn sizes_without_a_model_are_left_out_and_mistakes_are_told() {
    let folder = Folder::new();
    Data::of(30, 3).write_all(&folder);
    let others = others_than(&["y"]);
    let rank = [
        "validate",
        "d.csv",
        "--response",
        "y",
        "--method",
        "mim",
        "--binning",
        "equal-width:3",
    ];
    let rank = [
        &rank[..],
        &["--bin-response", "equal-width:3", "--drop", &others],
    ]
    .concat();
    let refused = |more: &[&str], told: &str| {
        let ran = folder.run(&[&rank[..], more].concat());
        assert_eq!(ran.code, Some(2), "{}", ran.stdout);
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
    };
    refused(
        &[],
        "name what predicts from those that it chose: then = ols, logistic or knn",
    );
    refused(&["--then", "lm"], "then = lm must be");
    refused(
        &["--then", "logistic"],
        "the response y has 30 distinct numbers: use --then ols",
    );
    refused(&["--then", "knn:k=29"], "name a smaller k");
    refused(
        &["--then", "ols", "--missing", "level"],
        "use mean or drop-rows",
    );
    refused(&["--then", "knn:n=3"], "then = knn:n=3 must be");
    // Ten training rows, and eleven coefficients.
    let few = [
        "--then",
        "ols",
        "--top",
        "10",
        "--scheme",
        "holdout:share=0.65",
    ];
    refused(&few, "a smaller --top");
    let search = [
        "validate",
        "d.csv",
        "--response",
        "y",
        "--drop",
        &others,
        "--then",
        "ols",
    ];
    let ran = folder.run(&search);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("then is for selectors"),
        "{}",
        ran.stderr
    );
    let text = [
        "validate",
        "d.csv",
        "--response",
        "kind",
        "--method",
        "mim",
        "--then",
        "ols",
    ];
    let ran = folder.run(&text);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("the response kind is text"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_time_limit_leaves_the_splits_that_are_complete() {
    let folder = Folder::new();
    Data::of(300, 7).write_all(&folder);
    let others = others_than(&["kind"]);
    let judge = [
        "validate",
        "d.csv",
        "--response",
        "kind",
        "--method",
        "jmi",
        "--then",
        "logistic",
    ];
    let scheme = [
        "--scheme",
        "folds:k=10,repeats=500",
        "--format",
        "json",
        "--drop",
        &others,
    ];
    let mut complete = 0;
    for limit in (1..=8).map(|step| format!("{}ms", 250 * step)) {
        let ran = folder.run(&[&judge[..], &scheme, &["--time-limit", &limit]].concat());
        // None is complete before the shortest limits.
        match ran.code {
            Some(0) => {
                let report = json(&ran);
                assert_eq!(report["termination"], "time-limit");
                assert!(
                    report["warnings"].as_array().unwrap().is_empty(),
                    "{report}"
                );
                complete += 1;
            }
            code => assert_eq!(code, Some(1), "{}", ran.stderr),
        }
    }
    assert!(complete > 0);
}

#[test]
fn trends_and_missing_values_are_no_obstacle() {
    let folder = Folder::new();
    let row = |row: usize| {
        let z = (row * row + 3 * row) % 17;
        let gap = if row == 11 || row == 33 {
            String::new()
        } else {
            z.to_string()
        };
        format!("{},{},{gap},{}\n", row + 1, row % 5, 2 * row + z)
    };
    let rows: String = (0..60).map(row).collect();
    folder.write("d.csv", &format!("month,a,z,y\n{rows}"));
    let rank = [
        "--response",
        "y",
        "--method",
        "mim",
        "--top",
        "2",
        "--bin-response",
        "equal-width:3",
    ];
    let rank = [
        &rank[..],
        &["--binning", "equal-width:3", "--missing", "mean"],
    ]
    .concat();
    for then in ["knn:k=3", "ols"] {
        for scheme in ["time:blocks=3", "bootstrap:resamples=5", "leave-one-out"] {
            let judge = ["--then", then, "--scheme", scheme];
            let report = validate(&folder, &[&rank[..], &judge].concat());
            assert_eq!(report["done"], report["wanted"], "{then} {scheme}");
            assert_eq!(report["p"], 3);
        }
    }
    // Two numbers are two levels, and the second is the event.
    let text = format!(
        "z,y\n{}",
        (0..40)
            .map(|row| format!("{},{}\n", row % 7, 1 + row % 7 / 4))
            .collect::<String>()
    );
    folder.write("d.csv", &text);
    for then in ["knn:k=3", "logistic"] {
        let report = validate(
            &folder,
            &[
                "--response",
                "y",
                "--method",
                "mim",
                "--then",
                then,
                "--top",
                "1",
            ],
        );
        assert_eq!(
            (&report["family"]["name"], &report["family"]["event"]),
            (&"binomial".into(), &"2".into())
        );
        assert!(value(&report["models"][0]["errors"], "auc") > 0.9);
    }
}
