//! The best of all models of survival times beside `coxph`.

use serde_json::Value;

use crate::{rscript, support::Folder};

fn near(own: &Value, expected: &Value, tolerance: f64, what: &str) {
    let (own, expected) = (own.as_f64().unwrap(), expected.as_f64().unwrap());
    assert!(
        (own - expected).abs() <= tolerance * expected.abs().max(1e-3),
        "{what}: {own}, by R {expected}"
    );
}

#[test]
#[ignore = "needs R with survival and jsonlite"]
fn best_of_all_models_is_that_of_coxph() {
    let folder = Folder::new();
    let text = rscript("survival.R", &[&folder.path(".")]);
    let answers: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(answers.len(), 16);
    for answer in &answers {
        let text = |field: &str| answer[field].as_str();
        let name = text("name").unwrap();
        let data = format!("{name}.csv");
        let mut arguments = vec!["select", &data, "--family", "cox", "--format", "json"];
        for (option, field) in [
            ("--time", "time"),
            ("--event", "event"),
            ("--entry", "entry"),
            ("--strata", "strata"),
            ("--weights", "weights"),
            ("--ties", "ties"),
            ("--criterion", "criterion"),
        ] {
            if let Some(value) = text(field) {
                arguments.extend([option, value]);
            }
        }
        let ran = folder.run(&arguments);
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        let what = format!("{name} {} {}", answer["ties"], answer["criterion"]);
        assert_eq!(report["certified"], "global", "{what}");
        near(&report["criterion"]["value"], &answer["value"], 1e-9, &what);
        let survival = &report["family"]["survival"];
        let own = &report["log_likelihood"];
        near(own, &answer["log_likelihood"], 1e-9, &what);
        near(
            &survival["null_log_likelihood"],
            &answer["null"],
            1e-9,
            &what,
        );
        near(
            &survival["concordance"],
            &answer["concordance"],
            1e-9,
            &what,
        );
        let selected = report["selected"].as_array().unwrap();
        let coefficients = answer["coefficients"].as_object().unwrap();
        assert_eq!(selected.len(), coefficients.len(), "{what}");
        for own in selected {
            // R writes a level behind its column.
            let variable = own["name"].as_str().unwrap().replace('=', "");
            let what = format!("{what} {variable}");
            for (field, of_r, tolerance) in [
                ("coefficient", "coefficients", 1e-7),
                ("std_error", "std_errors", 1e-6),
                ("p_value", "p_values", 1e-4),
            ] {
                near(&own[field], &answer[of_r][&variable], tolerance, &what);
            }
        }
        let tests = &survival["proportional_hazards"];
        let terms = tests["terms"].as_array().unwrap();
        assert_eq!(
            terms.len() + 1,
            answer["zph"].as_object().unwrap().len(),
            "{what}"
        );
        for (name, own) in terms
            .iter()
            .map(|own| (own["name"].as_str().unwrap(), own))
            .chain([("GLOBAL", &tests["all"])])
        {
            let what = format!("{what}: proportional hazards of {name}");
            near(&own["chi_squared"], &answer["zph"][name], 1e-6, &what);
            near(&own["df"], &answer["zph_df"][name], 0.0, &what);
        }
        let steps = answer["baseline"].as_array().unwrap();
        let baseline = survival["baseline"].as_array().unwrap();
        assert!(!baseline.is_empty());
        for own in baseline {
            let same = |of_r: &&Value| {
                of_r["stratum"] == own["stratum"] && of_r["time"].as_f64() == own["time"].as_f64()
            };
            let of_r = steps.iter().find(same).unwrap();
            near(&own["cumulative_hazard"], &of_r["hazard"], 1e-7, &what);
        }
    }
}
