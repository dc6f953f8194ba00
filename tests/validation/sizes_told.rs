//! `--criterion cv`: how reports tell of it, and what it does not go with.

use serde_json::Value;

use crate::{json, numbers, sizes::small, support::Folder};

#[test]
fn both_criteria_and_the_page_and_the_text() {
    let folder = Folder::new();
    small(&folder, 60, 6, 9);
    let of = |format: &str| {
        let own = [
            "select",
            "small.csv",
            "--response",
            "y",
            "--criterion",
            "aic,cv:k=5",
            "--format",
            format,
        ];
        let ran = folder.run(&own);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran.stdout
    };
    let report: Value = serde_json::from_str(&of("json")).unwrap();
    assert!(report["cross_validation"].is_null());
    assert!(report["by_other_criteria"][0]["cross_validation"]["size"].is_u64());
    for (format, told) in [
        ("text", "Size by cross-validation: models of each size"),
        ("csv", "cv:k=5"),
    ] {
        let text = of(format);
        assert!(text.contains(told), "{text}");
    }
    let page = folder.run(&[
        "select",
        "small.csv",
        "--response",
        "y",
        "--criterion",
        "cv:k=5",
        "--format",
        "html",
    ]);
    for told in [
        "<h2>The size</h2>",
        "Error by size",
        "fewest within one standard error",
    ] {
        assert!(page.stdout.contains(told), "{told}");
    }
    // A stored report gives the same page of numbers.
    let predicted = folder.run(&[
        "select",
        "small.csv",
        "--response",
        "y",
        "--criterion",
        "cv:k=5",
        "--format",
        "json",
        "--output",
        "r.json",
    ]);
    assert_eq!(predicted.code, Some(0));
    let again = json(&folder.run(&[
        "predict",
        "r.json",
        "small.csv",
        "--average",
        "--format",
        "json",
    ]));
    assert!(
        numbers(&again["predictions"][0]["fit"])
            .iter()
            .all(|own| own.is_finite())
    );
}

#[test]
fn what_it_does_not_go_with_is_refused() {
    let folder = Folder::new();
    small(&folder, 30, 6, 9);
    let cases: [(&[&str], &str); 8] = [
        (
            &["stability", "small.csv", "--criterion", "cv"],
            "stability selection counts",
        ),
        (
            &[
                "select",
                "small.csv",
                "--criterion",
                "cv",
                "--infer",
                "split",
            ],
            "parts of these",
        ),
        (
            &[
                "select",
                "small.csv",
                "--criterion",
                "cv",
                "--checkpoint",
                "c",
            ],
            "checkpoint is of one search",
        ),
        (
            &["select", "small.csv", "--criterion", "cv:k=1"],
            "k = 1 of criterion `cv` lies outside 2 … 100000",
        ),
        (
            &["select", "small.csv", "--criterion", "cv:k=2.5"],
            "k = 2.5 of criterion `cv` is no whole number in 2 … 100000",
        ),
        (
            &["select", "small.csv", "--criterion", "cv:se=-1"],
            "lies outside 0 … 10",
        ),
        (
            &["select", "small.csv", "--criterion", "cv:k=31"],
            "needs 31 rows or more, and there are 30",
        ),
        (
            &[
                "select",
                "small.csv",
                "--criterion",
                "cv",
                "--time-limit",
                "1ms",
            ],
            "raise --time-limit",
        ),
    ];
    for (arguments, told) in cases {
        let ran = folder.run(&[arguments, &["--response", "y"]].concat());
        let code = if arguments.contains(&"--time-limit") {
            1
        } else {
            2
        };
        assert_eq!(
            ran.code,
            Some(code),
            "{arguments:?} {}{}",
            ran.stdout,
            ran.stderr
        );
        assert!(ran.stderr.contains(told), "{told} in {}", ran.stderr);
    }
}
