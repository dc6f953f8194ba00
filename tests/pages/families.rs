//! What the page of a likelihood says of its fit, beside the JSON of the same command.

use serde_json::Value;

use crate::{Page, both, number, support::Folder};

/// Observations of yes and no, of counts, of positive numbers, and two variables.
fn folder(n: u32) -> Folder {
    let folder = Folder::new();
    let mut text = String::from("ill,visits,cost,age,dose\n");
    for row in 0..n {
        let mixed = row * 37 % 101;
        let (age, dose) = (
            f64::from(mixed % 17) + f64::from(row) / f64::from(n),
            row % 7,
        );
        let risk = age + f64::from(3 * dose + mixed % 11 + row % 5);
        let (ill, visits) = (u32::from(risk > 24.0), (risk / 6.0).floor());
        text += &format!("{ill},{visits},{},{age},{dose}\n", risk + 0.5);
    }
    folder.write("f.csv", &text);
    folder
}

fn page(folder: &Folder, response: &str, family: &str, drop: &str) -> (Page, Value) {
    let own = [
        "select",
        "f.csv",
        "--response",
        response,
        "--family",
        family,
    ];
    both(
        folder,
        &[&own[..], &["--drop", drop, "--criterion", "aic"]].concat(),
    )
}

fn column(rows: &[Vec<String>], name: &str) -> Vec<f64> {
    let at = rows[0].iter().position(|own| own == name).unwrap();
    rows[1..].iter().map(|row| number(&row[at])).collect()
}

#[test]
fn events_have_their_curve_and_calibration() {
    let folder = folder(150);
    let (page, json) = page(&folder, "ill", "binomial", "visits,cost");
    let family = &json["family"];
    let rows = page.rows("ROC curve");
    let sensitivity = column(rows, "sensitivity");
    let others: Vec<f64> = column(rows, "specificity")
        .iter()
        .map(|own| 1.0 - own)
        .collect();
    assert!(sensitivity.is_sorted() && others.is_sorted());
    let area: f64 = (1..others.len())
        .map(|at| (others[at] - others[at - 1]) * (sensitivity[at] + sensitivity[at - 1]) / 2.0)
        .sum();
    assert!((area - family["discrimination"]["auc"].as_f64().unwrap()).abs() < 1e-9);
    let told = family["discrimination"]["roc"].as_array().unwrap();
    assert_eq!(told.len(), sensitivity.len());
    assert!(told[0]["threshold"].is_null());
    // Wilson's interval is where the observed share lies 1.96 standard errors of its own from its ends.
    let groups = family["calibration"].as_array().unwrap();
    assert_eq!(page.rows("Calibration").len(), groups.len() + 1);
    for group in groups {
        let of = |field: &str| group[field].as_f64().unwrap();
        for end in [of("lower"), of("upper")] {
            let error = (end * (1.0 - end) / of("trials")).sqrt();
            let far = (of("observed") - end).abs();
            assert!(
                (far - 1.959_963_984_540_054 * error).abs() < 1e-9,
                "{group}"
            );
        }
    }
    page.has("Hosmer and Lemeshow");
    let deviance: f64 = column(page.rows("Deviance residuals"), "deviance_residual")
        .iter()
        .map(|own| own * own)
        .sum();
    assert!((deviance - family["deviance"].as_f64().unwrap()).abs() < 1e-9);
    assert_eq!(page.rows("Cook's distance").len(), 151);
    assert!(!page.text.contains("Observed and fitted values"));
    // The interval has the level of the others.
    let own = [
        "select",
        "f.csv",
        "--response",
        "ill",
        "--family",
        "binomial",
        "--drop",
        "visits,cost",
    ];
    let (_, wider) = both(
        &folder,
        &[&own[..], &["--criterion", "aic", "--level", "0.99"]].concat(),
    );
    let lower = |json: &Value| json["family"]["calibration"][5]["lower"].as_f64().unwrap();
    assert!(lower(&wider) < lower(&json));
}

#[test]
fn counts_and_positive_numbers_have_their_residuals() {
    let folder = folder(150);
    let cases = [
        ("visits", "poisson", "ill,cost"),
        ("visits", "negative-binomial", "ill,cost"),
        ("cost", "gamma", "ill,visits"),
    ];
    for (response, family, drop) in cases {
        let (page, json) = page(&folder, response, family, drop);
        let quantiles = column(page.rows("Normal Q–Q plot"), "quantile_residual");
        assert_eq!(
            quantiles,
            column(page.rows("Quantile residuals"), "quantile_residual")
        );
        assert_eq!(quantiles.len(), 150);
        let residuals = column(page.rows("Deviance residuals"), "deviance_residual");
        let deviance: f64 = residuals.iter().map(|own| own * own).sum();
        assert!((deviance - json["family"]["deviance"].as_f64().unwrap()).abs() < 1e-8);
        let pairs = page.rows("Observed and fitted values");
        let (observed, fitted) = (column(pairs, "observed"), column(pairs, "fitted"));
        let predictors = column(page.rows("Quantile residuals"), "linear_predictor");
        for (at, own) in residuals.iter().enumerate() {
            assert_eq!(*own > 0.0, observed[at] > fitted[at]);
            assert!((predictors[at].exp() / fitted[at] - 1.0).abs() < 1e-9);
        }
        assert!(!page.text.contains("ROC curve"));
        assert_eq!(page.text.contains("at random"), family != "gamma");
    }
}

#[test]
fn many_observations_are_thinned() {
    let folder = folder(6000);
    let (page, _) = page(&folder, "ill", "binomial", "visits,cost");
    assert!(page.rows("Quantile residuals").len() <= 1001);
    assert!(page.rows("ROC curve").len() <= 201);
    assert!(page.text.len() < 2_000_000, "{}", page.text.len());
    page.has("of 6000 observations drawn");
}
