//! Inference on the choice of variables, beside scripts that do the same step by step.

use serde_json::Value;

use crate::support::Folder;

/// The report of a selection.
pub(crate) fn report(folder: &Folder, arguments: &[&str]) -> Value {
    let mut all = vec![
        "select",
        "data.csv",
        "--response",
        "y",
        "--format",
        "json",
        "--device",
        "cpu",
    ];
    all.extend(arguments);
    let ran = folder.run(&all);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

/// The variable of a name in an inference.
pub(crate) fn variable<'a>(report: &'a Value, name: &str) -> &'a Value {
    let all = report["inference"]["variables"].as_array().unwrap();
    all.iter()
        .find(|own| own["name"] == name)
        .unwrap_or_else(|| panic!("{name}: {report}"))
}

/// Columns y, x0, … of standard normal noise but for y = 2·x0 + noise, and a group of each three rows.
pub(crate) fn table(rows: usize, columns: usize, seed: u64) -> String {
    let mut state = seed;
    let mut uniform = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    let mut normal = || {
        let (u, v) = (uniform(), uniform());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    };
    let names: Vec<String> = (0..columns).map(|at| format!("x{at}")).collect();
    let mut text = format!("y,g,{}\n", names.join(","));
    for row in 0..rows {
        let x: Vec<f64> = (0..columns).map(|_| normal()).collect();
        let cells: Vec<String> = x.iter().map(f64::to_string).collect();
        text += &format!(
            "{},g{},{}\n",
            2.0 * x[0] + normal(),
            row / 3,
            cells.join(",")
        );
    }
    text
}

#[test]
fn what_it_does_not_go_with_is_refused() {
    let folder = Folder::new();
    folder.write("data.csv", &table(60, 4, 1));
    for (arguments, parts) in [
        (&["--infer", "splits"][..], &["infer", "split"][..]),
        (
            &["--infer", "split:splits=0"],
            &["infer", "split:splits=50"],
        ),
        (
            &["--infer", "bootstrap:resamples=10"],
            &["infer", "resamples"],
        ),
        (
            &["--infer", "split", "--checkpoint", "c"],
            &["checkpoint and infer exclude each other"],
        ),
        (
            &["--infer", "split", "--method", "jmi"],
            &["infer", "regressions"],
        ),
    ] {
        let mut all = vec!["select", "data.csv", "--response", "y"];
        all.extend(arguments);
        let ran = folder.run(&all);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.stderr);
        assert!(
            parts.iter().all(|part| ran.stderr.contains(part)),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
}

#[test]
fn text_and_page_have_it() {
    let folder = Folder::new();
    folder.write("data.csv", &table(60, 4, 2));
    for (how, words) in [
        ("split:splits=5", ["one half chooses", "FDR", "Meinshausen"]),
        (
            "bootstrap:resamples=60",
            ["chooses anew", "plain", "level is approximate"],
        ),
    ] {
        let arguments = [
            "select",
            "data.csv",
            "--response",
            "y",
            "--drop",
            "g",
            "--infer",
            how,
        ];
        let ran = folder.run(&arguments);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(
            words.iter().all(|word| ran.stdout.contains(word)),
            "{}",
            ran.stdout
        );
        let mut page = arguments.to_vec();
        page.extend(["--format", "html"]);
        let page = folder.run(&page).stdout;
        let all = [
            "The choice included",
            "Intervals that ignore the choice",
            "as selected",
        ];
        assert!(all.iter().all(|word| page.contains(word)), "{how}");
    }
}

/// What few rows cannot do is counted and told, and loses nothing of the rest.
#[test]
fn halves_that_cannot_choose_choose_nothing() {
    let folder = Folder::new();
    let rows = (0..40).map(|row| format!("{},{}\n", u8::from(row < 2), row * 7 % 11));
    folder.write("data.csv", &format!("y,a\n{}", rows.collect::<String>()));
    for how in ["split:splits=20", "bootstrap:resamples=60"] {
        let report = report(&folder, &["--infer", how]);
        let warnings = report["warnings"].to_string();
        assert!(warnings.contains("nothing could be chosen"), "{warnings}");
        assert_eq!(report["inference"]["done"], report["inference"]["wanted"]);
    }
}

#[test]
fn one_cluster_has_no_standard_errors_and_cannot_be_drawn() {
    let folder = Folder::new();
    let text = table(60, 3, 4).replace(",g", ",one");
    let lines = text.lines().skip(1).map(|line| {
        let mut cells: Vec<&str> = line.split(',').collect();
        cells[1] = "k";
        cells.join(",")
    });
    folder.write(
        "data.csv",
        &format!("y,g,x0,x1,x2\n{}\n", lines.collect::<Vec<_>>().join("\n")),
    );
    let report = report(&folder, &["--cluster", "g"]);
    assert_eq!(
        report["robust"]["omitted"],
        "all observations are of one cluster"
    );
    assert!(
        report["selected"][0]["std_error"].is_null() && report["selected"][0]["lower"].is_null()
    );
    let ran = folder.run(&[
        "select",
        "data.csv",
        "--response",
        "y",
        "--cluster",
        "g",
        "--infer",
        "split",
    ]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("all rows are of one `g`"),
        "{}",
        ran.stderr
    );
}
