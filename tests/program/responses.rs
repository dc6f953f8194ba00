//! Responses that least squares are not made for: what every report says of them.

use serde_json::Value;

use crate::support::Folder;

/// Sixty rows of a class, a score of few steps, counts, a measurement, and two variables.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut text = String::from("low,rating,breaks,yield,smoke,a,b\n");
    for row in 0..60_u32 {
        let mixed = row * 37 % 61;
        let low = u32::from(mixed % 3 == 0);
        // Whole numbers with a long tail.
        let breaks = 10 + mixed * mixed / 62;
        let smoke = if mixed % 2 == 0 { "yes" } else { "no" };
        let measured = f64::from(mixed) + 0.25;
        text += &format!(
            "{low},{},{breaks},{measured},{smoke},{},{}\n",
            mixed % 5,
            mixed % 7,
            row % 11
        );
    }
    folder.write("d.csv", &text);
    folder
}

const CASES: [(&str, &[&str]); 3] = [
    (
        "low",
        &["the response low has two values, 0 and 1", "--method jmi"],
    ),
    (
        "rating",
        &["only 5 distinct values (0, 1, 2, 3, 4)", "--method jmi"],
    ),
    (
        "breaks",
        &["the response breaks looks like counts (whole numbers from 10 to"],
    ),
];

fn run(folder: &Folder, command: &str, response: &str, more: &[&str]) -> String {
    let own = [command, "d.csv", "--response", response, "--drop", "smoke"];
    let ran = folder.run(&[&own, more].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.stdout
}

#[test]
fn classes_scores_and_counts_are_told_in_every_report() {
    let folder = folder();
    for (response, parts) in CASES {
        let json: Value =
            serde_json::from_str(&run(&folder, "select", response, &["--format", "json"])).unwrap();
        let warning = json["warnings"][0].as_str().unwrap();
        let text = run(&folder, "select", response, &[]);
        let page = run(&folder, "select", response, &["--format", "html"]);
        assert!(!page.contains("No warnings."));
        for part in parts {
            assert!(warning.contains(part), "{part} in {warning}");
            assert!(
                page.contains(part) && text.contains(part),
                "{part} in {text}"
            );
        }
        let stable = run(&folder, "stability", response, &["--resamples", "2"]);
        assert!(stable.contains(parts[0]), "{stable}");
    }
}

#[test]
fn a_measurement_is_not_warned_of() {
    let folder = folder();
    let json = run(&folder, "select", "yield", &["--format", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["warnings"], Value::Array(Vec::new()));
}

#[test]
fn a_response_of_text_points_to_the_methods_that_take_it() {
    let folder = folder();
    let ran = folder.run(&["select", "d.csv", "--response", "smoke"]);
    assert_eq!(ran.code, Some(2));
    for part in ["`smoke`", "holds text", "--method jmi"] {
        assert!(ran.stderr.contains(part), "{part} in {}", ran.stderr);
    }
    let ran = folder.run(&["select", "d.csv", "--response", "smoke", "--method", "jmi"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}
