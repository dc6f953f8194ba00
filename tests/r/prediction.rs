//! Predictions beside R's `predict` of `lm`, `glm`, `glm.nb`, `polr` and `multinom`, and its `survfit` of `coxph`.

use serde_json::Value;

use crate::{rscript, support::Folder};

fn texts(json: &Value) -> Vec<&str> {
    let all = json.as_array().unwrap().iter();
    all.map(|own| own.as_str().unwrap()).collect()
}

#[test]
#[ignore = "needs R with MASS, nnet, carData, survival and jsonlite"]
fn predictions_are_those_of_r() {
    let folder = Folder::new();
    let text = rscript("prediction.R", &[&folder.path(".")]);
    let answers: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(answers.len(), ANSWERS);
    for answer in &answers {
        let name = answer["name"].as_str().unwrap();
        let (data, new) = (format!("{name}.csv"), format!("{name}_new.csv"));
        // Every model is the one that R has.
        let keep = texts(&answer["keep"])
            .iter()
            .map(|own| format!("\"{own}\""))
            .collect::<Vec<_>>();
        let keep = keep.join(",");
        let mut select = vec!["select", &data, "--keep", &keep, "--format", "json"];
        select.extend(["--output", "report.json", "--overwrite"]);
        select.extend(texts(&answer["options"]));
        let ran = folder.run(&select);
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
        let mut predict = vec!["predict", "report.json", &new, "--format", "json"];
        predict.extend(texts(&answer["predict"]));
        let ran = folder.run(&predict);
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
        let own: Value = serde_json::from_str(&ran.stdout).unwrap();
        let own = &own["predictions"][0];
        let tolerance = answer["tolerance"].as_f64().unwrap();
        for (column, expected) in answer["columns"].as_object().unwrap() {
            let expected = expected.as_array().unwrap();
            let found = own[column].as_array();
            let found = found.unwrap_or_else(|| panic!("{name}: no {column} in {own}"));
            assert_eq!(found.len(), expected.len(), "{name} {column}");
            assert!(found.len() > 1, "{name} {column}");
            for (row, (own, expected)) in found.iter().zip(expected).enumerate() {
                if expected.is_null() {
                    assert!(own.is_null(), "{name} {column}, row {}: {own}", row + 1);
                    continue;
                }
                let (own, expected) = (own.as_f64().unwrap(), expected.as_f64().unwrap());
                assert!(
                    (own - expected).abs() <= tolerance * expected.abs().max(1e-3),
                    "{name} {column}, row {}: {own}, by R {expected}",
                    row + 1
                );
            }
        }
    }
}

/// Models and scales.
const ANSWERS: usize = 28;
