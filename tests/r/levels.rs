//! The best of all models of levels beside `polr` and `multinom`.

use serde_json::Value;

use crate::{rscript, support::Folder};

fn near(own: &Value, expected: &Value, tolerance: f64, what: &str) {
    let (own, expected) = (own.as_f64().unwrap(), expected.as_f64().unwrap());
    assert!(
        (own - expected).abs() <= tolerance * expected.abs().max(1e-2),
        "{what}: {own}, by R {expected}"
    );
}

#[test]
#[ignore = "needs R with MASS, nnet, carData and jsonlite"]
fn best_of_all_models_is_that_of_polr_and_multinom() {
    let folder = Folder::new();
    let text = rscript("levels.R", &[&folder.path(".")]);
    let answers: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(answers.len(), 10);
    for answer in &answers {
        let text = |field: &str| answer[field].as_str();
        let name = text("name").unwrap();
        let data = format!("{name}.csv");
        let levels = answer["levels"].as_array().unwrap().iter();
        let levels: Vec<&str> = levels.map(|level| level.as_str().unwrap()).collect();
        let levels = levels.join(",");
        let mut arguments = vec!["select", &data, "--format", "json", "--levels", &levels];
        for (option, field) in [
            ("--response", "response"),
            ("--family", "family"),
            ("--weights", "weights"),
            ("--criterion", "criterion"),
        ] {
            if let Some(value) = text(field) {
                arguments.extend([option, value]);
            }
        }
        let ran = folder.run(&arguments);
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        let what = format!("{name} {} {}", answer["family"], answer["criterion"]);
        assert_eq!(report["certified"], "global", "{what}");
        near(&report["criterion"]["value"], &answer["value"], 1e-8, &what);
        let own = &report["log_likelihood"];
        near(own, &answer["log_likelihood"], 1e-8, &what);
        let constants = report["constants"].as_array().unwrap();
        let selected = report["selected"].as_array().unwrap();
        let estimates = answer["estimates"].as_object().unwrap();
        assert_eq!(constants.len() + selected.len(), estimates.len(), "{what}");
        for own in constants.iter().chain(selected) {
            // R writes a level behind its column.
            let variable = own["name"].as_str().unwrap().replace('=', "");
            let of_r = variable.replace("(intercept)", "(Intercept)");
            let what = format!("{what} {variable}");
            // R's optimisers end where the likelihood is right to about twelve digits.
            near(&own["coefficient"], &estimates[&of_r], 1e-4, &what);
            near(&own["std_error"], &answer["errors"][&of_r], 1e-3, &what);
        }
    }
}
