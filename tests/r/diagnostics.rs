//! Diagnostics, shares of R² and adjusted p-values beside those of R and its package lmtest.

use serde_json::Value;

use crate::{rscript, support::Folder};

#[test]
#[ignore = "needs R with lmtest and jsonlite"]
fn diagnostics_are_those_of_lmtest() {
    let folder = Folder::new();
    let text = rscript("diagnostics.R", &[&folder.path(".")]);
    let answers: Value = serde_json::from_str(&text).unwrap();
    of_families(&folder, answers["families"].as_array().unwrap());
    of_weights(&folder, answers["weighted"].as_array().unwrap());
    let answers = answers["least_squares"].as_array().unwrap();
    assert_eq!(answers.len(), 6);
    let mut influential = 0;
    for answer in answers {
        let text = |field: &str| answer[field].as_str().unwrap();
        let name = text("name");
        let file = format!("{name}.csv");
        let mut arguments = vec!["select", &file, "--criterion", "aic", "--format", "json"];
        arguments.extend(["--response", text("response"), "--keep", text("keep")]);
        if !text("drop").is_empty() {
            arguments.extend(["--drop", text("drop")]);
        }
        let report = |adjust: &str| -> Value {
            let mut arguments = arguments.clone();
            arguments.extend(["--adjust", adjust]);
            let ran = folder.run(&arguments);
            serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{name}: {}", ran.stderr))
        };
        let near = |own: &Value, expected: &Value, what: &str| {
            let numbers = own.as_f64().zip(expected.as_f64());
            let (own, expected) =
                numbers.unwrap_or_else(|| panic!("{name} {what}: {own} {expected}"));
            let off = (own - expected).abs() / expected.abs().max(1e-12);
            assert!(off < 1e-8, "{name} {what}: {own} {expected}");
        };
        let first = report("none");
        let own = &first["diagnostics"];
        for (field, part, expected) in [
            ("condition_number", "", "condition"),
            ("breusch_pagan", "chi_squared", "bp"),
            ("breusch_pagan", "p_value", "bp_p"),
            ("durbin_watson", "statistic", "dw"),
            ("durbin_watson", "p_value", "dw_p"),
            ("reset", "f", "reset"),
            ("reset", "p_value", "reset_p"),
        ] {
            let value = match part {
                "" => &own[field],
                part => &own[field][part],
            };
            near(value, &answer[expected], &format!("{field} {part}"));
        }
        let rows = answer["rows"].as_array().unwrap();
        assert_eq!(own["influential_count"], rows.len(), "{name}");
        for (at, row) in rows.iter().enumerate() {
            influential += 1;
            let own = &own["influential"][at];
            assert_eq!(own["row"], *row, "{name}");
            near(
                &own["cooks_distance"],
                &answer["cook"][at],
                "Cook's distance",
            );
            near(&own["leverage"], &answer["leverage"][at], "leverage");
            near(
                &own["standardised_residual"],
                &answer["rstandard"][at],
                "residual",
            );
        }
        let mut sum = 0.0;
        for (at, variable) in first["selected"].as_array().unwrap().iter().enumerate() {
            near(
                &variable["r_squared_share"],
                &answer["lmg"][at],
                "share of R²",
            );
            sum += variable["r_squared_share"].as_f64().unwrap();
            assert!(variable["p_adjusted"].is_null(), "{name}");
        }
        near(&sum.into(), &first["r_squared"], "shares");
        for method in ["bonferroni", "holm", "bh"] {
            let report = report(method);
            assert_eq!(report["adjusted"], method);
            for (at, variable) in report["selected"].as_array().unwrap().iter().enumerate() {
                near(&variable["p_adjusted"], &answer[method][at], method);
            }
        }
    }
    assert!(influential > 0);
}

/// Breusch and Pagan's test of weighted least squares.
fn of_weights(folder: &Folder, answers: &[Value]) {
    assert_eq!(answers.len(), 3);
    for answer in answers {
        let text = |field: &str| answer[field].as_str().unwrap();
        let file = format!("{}.csv", text("name"));
        let mut arguments = vec!["select", &file, "--criterion", "aic", "--format", "json"];
        arguments.extend(["--response", text("response"), "--keep", text("keep")]);
        arguments.extend(["--weights", "w"]);
        let report: Value = serde_json::from_str(&folder.run(&arguments).stdout).unwrap();
        let own = &report["diagnostics"]["breusch_pagan"];
        for (field, expected) in [("chi_squared", "bp"), ("p_value", "p")] {
            let [own, expected] = [&own[field], &answer[expected]].map(|own| own.as_f64().unwrap());
            assert!(
                (own / expected - 1.0).abs() < 1e-7,
                "{}: {own} {expected}",
                text("name")
            );
        }
        assert!(report["diagnostics"]["reset"].is_null());
    }
}

/// Condition numbers, variance inflation and influence of generalized linear models.
fn of_families(folder: &Folder, answers: &[Value]) {
    assert_eq!(answers.len(), 4);
    let mut influential = 0;
    for answer in answers {
        let name = answer["name"].as_str().unwrap();
        let file = format!("{name}.csv");
        let mut arguments = vec!["select", &file, "--criterion", "aic", "--format", "json"];
        let options = answer["options"].as_array().unwrap();
        arguments.extend(options.iter().map(|own| own.as_str().unwrap()));
        let ran = folder.run(&arguments);
        let report: Value =
            serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{name}: {}", ran.stderr));
        let near = |own: &Value, expected: &Value, what: &str| {
            let numbers = own.as_f64().zip(expected.as_f64());
            let (own, expected) =
                numbers.unwrap_or_else(|| panic!("{name} {what}: {own} {expected}"));
            // R's fits end where the deviance changes by 10⁻¹⁴ of itself.
            let off = (own - expected).abs() / expected.abs().max(1e-12);
            assert!(off < 2e-6, "{name} {what}: {own} {expected}");
        };
        let own = &report["diagnostics"];
        near(&own["condition_number"], &answer["condition"], "condition");
        assert!(own["breusch_pagan"].is_null(), "{name}");
        for (at, variable) in report["selected"].as_array().unwrap().iter().enumerate() {
            near(&variable["vif"], &answer["vif"][at], "VIF");
        }
        let rows = answer["rows"].as_array().unwrap();
        assert_eq!(own["influential_count"], rows.len(), "{name}");
        for (at, row) in rows.iter().enumerate() {
            influential += 1;
            let own = &own["influential"][at];
            assert_eq!(own["row"], *row, "{name}");
            near(&own["cooks_distance"], &answer["cook"][at], "Cook");
            near(&own["leverage"], &answer["leverage"][at], "leverage");
            near(
                &own["standardised_residual"],
                &answer["rstandard"][at],
                "residual",
            );
        }
    }
    assert!(influential > 2);
}
