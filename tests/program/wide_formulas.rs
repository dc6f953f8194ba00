//! Formulas with more interactions than are made at once.

use crate::{
    formulas::{names, number, refused, select_from},
    support::Folder,
};

const WIDTH: usize = 720;

/// Numbers of which `v3` and `v500` have effects and an interaction, and `v40` and `v600` nothing but an interaction.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut word = 1_u64;
    let mut draw = || {
        word = word
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (word >> 33) as f64 / (1_u64 << 31) as f64 - 0.5
    };
    let columns: Vec<String> = (0..WIDTH).map(|at| format!("v{at}")).collect();
    let mut text = format!("y,g,{}\n", columns.join(","));
    for row in 0..90_usize {
        let x: Vec<f64> = (0..WIDTH).map(|_| draw()).collect();
        let level = row * 7 % 3;
        let effects = 2.0 * x[3] + 2.0 * x[500] + [0.0, 3.0, -2.0][level];
        let y = effects + 12.0 * x[3] * x[500] + 20.0 * x[40] * x[600] + 0.5 * draw();
        let x: Vec<String> = x.iter().map(|x| format!("{x:.4}")).collect();
        text += &format!("{y:.5},{},{}\n", ["a", "b", "c"][level], x.join(","));
    }
    folder.write("wide.csv", &text);
    folder
}

#[test]
fn a_quarter_of_a_million_interactions_are_searched_by_parts() {
    let folder = folder();
    let expected = ["g", "v3", "v40", "v500", "v600", "v3:v500", "v40:v600"];
    let formula = ["--formula", "y ~ .^2", "--trace", "steps.csv"];
    let json = select_from(&folder, "wide.csv", &formula);
    assert_eq!(names(&json["terms"]), expected);
    let variables = WIDTH + 1;
    let terms = variables * (variables + 1) / 2;
    assert_eq!(json["candidate_terms"], terms);
    assert_eq!(json["formula"], "y ~ .^2");
    assert_eq!(json["certified"], "local");
    assert!(number(&json["p"]) < 90_000.0);
    let index = |at: usize| json["selected"][at]["index"].clone();
    // Variables come first, then the pairs: of g with all others, of v0, …
    let pair = |one: usize, other: usize| {
        variables + one * (2 * variables - one - 1) / 2 + other - one - 1
    };
    assert_eq!([index(0), index(2), index(6)], [0, 4, pair(4, 501)]);
    let means = json["marginal_means"].as_array().unwrap();
    assert!(means.len() == 3 && means.iter().all(|own| own["mean"].is_number()));
    let warnings = json["warnings"].to_string();
    assert!(
        warnings.contains(&format!("the formula has {terms} terms")),
        "{warnings}"
    );
    let steps = folder.read("steps.csv");
    assert!(steps.contains(",v3:v500,"));
    // The options that make the same formula, weak, and all of it as text and as a page.
    let options = ["--response", "y", "--interactions", "2"];
    let same = select_from(&folder, "wide.csv", &options);
    assert_eq!(same["rss"], json["rss"]);
    let weak = [&options[..], &["--hierarchy", "weak", "--format", "text"]].concat();
    let ran = folder.run(&[&["select", "wide.csv"], &weak[..]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("v40:v600"), "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains("of one main effect, or of one interaction with a main effect of the model")
    );
    let page = [&options[..], &["--format", "html", "--output", "page.html"]].concat();
    let ran = folder.run(&[&["select", "wide.csv"], &page[..]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(folder.read("page.html").contains("v40:v600"));
}

#[test]
fn what_needs_all_interactions_is_refused() {
    let folder = folder();
    let formula = ["--formula", "y ~ .^2"];
    for (command, more, parts) in [
        (
            "select",
            &["--hierarchy", "none"][..],
            &["250000 terms"][..],
        ),
        (
            "select",
            &["--criterion", "cp"],
            &["error variance", "260281", "bic"],
        ),
        (
            "stability",
            &["--resamples", "2"],
            &["260281 terms", "stability selection"],
        ),
        ("select", &["--keep", "v3:v9999"], &["--keep", "`v3:v9999`"]),
        ("select", &["--p-total", "300"], &["--p-total", "260281"]),
    ] {
        let told = refused(
            &folder,
            &[&[command, "wide.csv"], &formula[..], more].concat(),
        );
        assert!(
            parts.iter().all(|part| told.contains(part)),
            "{more:?}: {told}"
        );
        assert_eq!(told.matches("error:").count(), 1, "{told}");
    }
    let ran = folder.run(&["select", "wide.csv", "--formula", "y ~ .^2 + zz"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("`zz`"), "{}", ran.stderr);
}
