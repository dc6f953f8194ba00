//! Robust standard errors beside those of R's package sandwich.

use serde_json::Value;

use crate::{rscript, support::Folder};

#[test]
#[ignore = "needs R with sandwich, lmtest, survival, MASS and jsonlite"]
fn robust_standard_errors_are_those_of_sandwich() {
    let folder = Folder::new();
    let text = rscript("robust.R", &[&folder.path(".")]);
    let answers: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(answers.len(), 24);
    for answer in &answers {
        let name = answer["name"].as_str().unwrap();
        let file = format!("{name}.csv");
        let options = answer["options"].as_array().unwrap();
        let mut arguments = vec!["select", &file, "--criterion", "aic", "--format", "json"];
        arguments.extend(options.iter().map(|own| own.as_str().unwrap()));
        let report: Value = serde_json::from_str(&folder.run(&arguments).stdout).unwrap();
        let near = |own: &Value, expected: &Value, what: &str| {
            let (own, expected) = (own.as_f64().unwrap(), expected.as_f64().unwrap());
            // R's fits end where the deviance changes by 10⁻¹⁴ of itself.
            let off = (own - expected).abs() / expected.abs().max(1e-12);
            assert!(off < 2e-6, "{name} {what}: {own} {expected}");
        };
        let selected = report["selected"].as_array().unwrap();
        // Survival times have no intercept.
        let intercept = Some(&report["intercept"]).filter(|own| !own.is_null());
        let rows: Vec<&Value> = intercept.into_iter().chain(selected).collect();
        let names = answer["names"].as_array().unwrap();
        assert_eq!(names.len(), rows.len(), "{name}");
        for (at, row) in rows.into_iter().enumerate() {
            let label = names[at].as_str().unwrap();
            // A dummy is raceother in R and race=other here.
            if let Some(own) = row["name"].as_str() {
                assert_eq!(own.replace('=', ""), label, "{name}");
            }
            let test = if row["z"].is_null() { "t" } else { "z" };
            let fields = [
                ("coefficient", "estimates"),
                ("std_error", "std_errors"),
                (test, "tests"),
                ("p_value", "p"),
                ("lower", "lower"),
                ("upper", "upper"),
            ];
            for (own, theirs) in fields {
                near(&row[own], &answer[theirs][at], &format!("{label} {own}"));
            }
            for (other, expected) in answer["covariance"][at]
                .as_array()
                .unwrap()
                .iter()
                .enumerate()
            {
                near(
                    &report["covariance"]["matrix"][at][other],
                    expected,
                    "covariance",
                );
            }
        }
        if let Some(expected) = answer["term"].as_f64() {
            let terms = report["terms"].as_array().unwrap();
            let term = terms
                .iter()
                .find(|own| own["df"].as_u64() > Some(1))
                .unwrap();
            let df = term["df"].as_f64().unwrap();
            let own = term["chi_squared"].as_f64().unwrap() / df;
            near(&own.into(), &expected.into(), "term");
        }
        if !report["f_statistic"].is_null() {
            near(
                &report["f_statistic"]["value"],
                &answer["all"],
                "all variables",
            );
        }
    }
}

#[test]
#[ignore = "needs R with sandwich, nnet, MASS, carData and jsonlite"]
fn robust_standard_errors_of_levels_are_those_of_their_scores() {
    let folder = Folder::new();
    let text = rscript("robust_levels.R", &[&folder.path(".")]);
    let answers: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(answers.len(), 8);
    for answer in &answers {
        let name = answer["name"].as_str().unwrap();
        let file = format!("{name}.csv");
        let options = answer["options"].as_array().unwrap();
        let mut arguments = vec!["select", &file, "--criterion", "aic", "--format", "json"];
        arguments.extend(options.iter().map(|own| own.as_str().unwrap()));
        let ran = folder.run(&arguments);
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        let near = |own: &Value, expected: f64, unit: f64, what: &str| {
            let off = (own.as_f64().unwrap() - expected).abs() / unit;
            // R's second derivatives are differences.
            assert!(off < 1e-6, "{name} {what}: {own} {expected}");
        };
        let names = answer["names"].as_array().unwrap();
        let place = |name: &Value| {
            let name = name.as_str().unwrap().replace('=', "");
            let place = names.iter().position(|own| own.as_str() == Some(&*name));
            place.unwrap_or_else(|| panic!("{name} of {names:?}"))
        };
        let entry = |a: usize, b: usize| answer["covariance"][a][b].as_f64().unwrap();
        let constants = report["constants"].as_array().unwrap();
        let selected = report["selected"].as_array().unwrap();
        assert_eq!(constants.len() + selected.len(), names.len(), "{name}");
        for row in constants.iter().chain(selected) {
            let at = place(&row["name"]);
            let what = names[at].as_str().unwrap();
            let error = entry(at, at).sqrt();
            let estimate = answer["estimates"][at].as_f64().unwrap();
            near(&row["coefficient"], estimate, error, what);
            near(&row["std_error"], error, error, what);
            let end = estimate + 1.959_963_984_540_054 * error;
            near(&row["upper"], end, error, what);
        }
        let chosen: Vec<usize> = selected.iter().map(|own| place(&own["name"])).collect();
        for (a, row) in chosen.iter().zip(selected) {
            let z = answer["estimates"][*a].as_f64().unwrap() / entry(*a, *a).sqrt();
            near(&row["z"], z, 1.0, "z");
        }
        for (at, a) in chosen.iter().enumerate() {
            for (other, b) in chosen.iter().enumerate() {
                let unit = (entry(*a, *a) * entry(*b, *b)).sqrt();
                let own = &report["covariance"]["matrix"][at][other];
                near(own, entry(*a, *b), unit, "covariance");
            }
        }
    }
}
