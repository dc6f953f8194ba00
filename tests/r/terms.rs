//! Selections of terms beside `step`, which keeps to marginality, and the tests of the chosen ones beside `lm`.

use serde_json::{Value, json};

use crate::{rscript, support::Folder};

const REQUESTS: [(&str, &str); 14] = [
    ("quine", "Days ~ Eth * Sex * Age * Lrn"),
    ("quine", "log(Days + 2.5) ~ (Eth + Sex + Age + Lrn)^2"),
    ("whiteside", "Gas ~ Insul * Temp + I(Temp^2)"),
    ("cats", "Hwt ~ Sex * Bwt"),
    ("cabbages", "HeadWt ~ Cult * Date * VitC"),
    ("oats", "Y ~ B + V * N"),
    (
        "birthwt",
        "bwt ~ (age + lwt + race + smoke + ht)^2 + ui + ptl",
    ),
    ("Moore", "conformity ~ partner.status * fcategory * fscore"),
    (
        "Prestige",
        "prestige ~ (education + log(income) + women + type)^2",
    ),
    (
        "Salaries",
        "salary ~ (rank + discipline + yrs.since.phd + yrs.service + sex)^2",
    ),
    ("Duncan", "prestige ~ type * income * education"),
    (
        "Ornstein",
        "sqrt(interlocks + 1) ~ log(assets) * (nation + sector)",
    ),
    (
        "SLID",
        "log(wages) ~ (education + poly(age, 2) + sex + language)^2",
    ),
    (
        "SLID",
        "wages ~ sex * language + splines::bs(age, df = 4) + education",
    ),
];

#[track_caller]
fn near(found: &Value, expected: f64, scale: f64, what: &str) {
    let found = found.as_f64().unwrap();
    assert!(
        (found - expected).abs() <= 1e-9 * scale.abs(),
        "{what}: {found}, but R has {expected}"
    );
}

#[test]
#[ignore = "needs R with MASS, carData and jsonlite"]
fn terms_of_mass_and_car() {
    let folder = Folder::new();
    rscript("terms.R", &[&folder.path(".")]);
    let mut reports = Vec::new();
    let mut requests = Vec::new();
    for (set, formula) in REQUESTS {
        for criterion in ["aic", "bic"] {
            let data = format!("{set}.csv");
            // R's `bs` has to be named in full.
            let own = formula.replace("splines::", "");
            let ran = folder.run(&[
                "select",
                &data,
                "--formula",
                &own,
                "--criterion",
                criterion,
                "--missing",
                "drop-rows",
                "--format",
                "json",
            ]);
            assert_eq!(ran.code, Some(0), "{formula}: {}", ran.stderr);
            let report: Value = serde_json::from_str(&ran.stdout).unwrap();
            let best = &report["models"][0]["variables"];
            let terms: Vec<String> = best
                .as_array()
                .unwrap()
                .iter()
                .map(|name| {
                    let name = name.as_str().unwrap();
                    name.replace("bs(", "splines::bs(")
                })
                .collect();
            requests.push(
                json!({ "data": data, "formula": formula, "criterion": criterion, "terms": terms }),
            );
            reports.push(report);
        }
    }
    folder.write("requests.json", &Value::from(requests.clone()).to_string());
    let answers = rscript(
        "terms.R",
        &[&folder.path("."), &folder.path("requests.json")],
    );
    let answers: Vec<Value> = serde_json::from_str(&answers).unwrap();
    assert_eq!(answers.len(), reports.len());
    for ((request, report), answer) in requests.iter().zip(&reports).zip(&answers) {
        let what = request.to_string();
        let of_r = |field: &str| answer[field].as_f64().unwrap();
        near(&report["n"], of_r("n"), 1.0, &what);
        near(&report["rss"], of_r("deviance"), of_r("deviance"), &what);
        near(&report["df_residual"], of_r("df_residual"), 1.0, &what);
        // `extractAIC` counts the intercept.
        near(
            &report["criterion"]["value"],
            of_r("value") - of_r("k"),
            of_r("value").max(1.0),
            &what,
        );
        for end in answer["step"].as_array().unwrap() {
            let below = of_r("value") - end.as_f64().unwrap();
            assert!(
                below <= 1e-8,
                "{what}: `step` finds a model lower by {below}"
            );
        }
        let names = answer["names"].as_array().unwrap();
        let selected = report["selected"].as_array().unwrap();
        assert_eq!(names.len(), selected.len() + 1, "{what}");
        for (at, own) in [&report["intercept"]]
            .into_iter()
            .chain(selected)
            .enumerate()
        {
            let name = names[at].as_str().unwrap().replace("splines::", "");
            if at > 0 {
                assert_eq!(own["name"], name, "{what}");
            }
            let scale = answer["std_error"][at].as_f64().unwrap();
            let coefficient = answer["coefficients"][at].as_f64().unwrap();
            near(
                &own["coefficient"],
                coefficient,
                coefficient.abs().max(scale),
                &format!("{what}: {name}"),
            );
            near(&own["std_error"], scale, scale, &format!("{what}: {name}"));
        }
        if let Some(means) = answer["means"].as_array() {
            let own = report["marginal_means"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            assert_eq!(own.len(), means.len(), "{what}");
            for (own, expected) in own.iter().zip(means) {
                assert_eq!(own["level"], expected["level"], "{what}");
                let of = |field: &str| expected[field].as_f64().unwrap();
                let scale = of("mean").abs().max(of("std_error"));
                near(&own["mean"], of("mean"), scale, &what);
                near(&own["std_error"], of("std_error"), scale, &what);
            }
        }
        // A single column stands by itself, and has its own test.
        let tests = answer["tests"].as_array().unwrap();
        for test in tests.iter().filter(|_| !report["terms"].is_null()) {
            let name = test["name"].as_str().unwrap().replace("splines::", "");
            let own = report["terms"]
                .as_array()
                .unwrap()
                .iter()
                .find(|own| own["name"] == name);
            let own = own.unwrap_or_else(|| panic!("{what}: no test of {name}"));
            for field in ["df", "sum_of_squares", "f"] {
                let expected = test[field].as_f64().unwrap();
                near(
                    &own[field],
                    expected,
                    expected,
                    &format!("{what}: {field} of {name}"),
                );
            }
            near(
                &own["p_value"],
                test["p_value"].as_f64().unwrap(),
                1.0,
                &what,
            );
        }
    }
}

#[test]
#[ignore = "needs R with MASS, carData and jsonlite"]
fn the_best_of_all_hierarchical_models() {
    let folder = Folder::new();
    rscript("terms.R", &[&folder.path(".")]);
    let problems = [
        ("Boston.csv", "medv ~ .", 1024),
        ("quine.csv", "Days ~ (Eth + Sex + Age + Lrn)^2", 113),
    ];
    let requests = problems.map(|(data, formula, _)| json!({ "data": data, "formula": formula }));
    folder.write("requests.json", &Value::from(requests.to_vec()).to_string());
    let answers = rscript(
        "terms.R",
        &[&folder.path("."), &folder.path("requests.json")],
    );
    let answers: Vec<Value> = serde_json::from_str(&answers).unwrap();
    for ((data, formula, count), answer) in problems.iter().zip(&answers) {
        assert_eq!(answer["count"], *count);
        for criterion in ["aic", "bic", "ebic"] {
            let what = format!("{formula} by {criterion}");
            let ran = folder.run(&[
                "select",
                data,
                "--formula",
                formula,
                "--criterion",
                criterion,
                "--format",
                "json",
            ]);
            assert_eq!(ran.code, Some(0), "{what}: {}", ran.stderr);
            let report: Value = serde_json::from_str(&ran.stdout).unwrap();
            assert_eq!(report["certified"], "global", "{what}");
            assert_eq!(report["proof"]["models"], *count, "{what}");
            for (own, expected) in report["models"]
                .as_array()
                .unwrap()
                .iter()
                .zip(answer[criterion].as_array().unwrap())
            {
                let sorted = |names: &Value| {
                    let names = names.as_array().unwrap().iter();
                    let mut names: Vec<String> = names
                        .map(|name| name.as_str().unwrap().to_owned())
                        .collect();
                    names.sort();
                    names
                };
                assert_eq!(
                    sorted(&own["variables"]),
                    sorted(&expected["terms"]),
                    "{what}"
                );
                let expected = expected["value"].as_f64().unwrap();
                near(&own["criterion"], expected, expected.abs().max(1.0), &what);
            }
        }
    }
}
