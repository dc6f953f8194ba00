//! Fits of families beside `glm` and `glm.nb`.

use passel::{
    Design,
    design::FormulaOptions,
    family::{FamilyFit, FitStatus, Profile},
    formula::Formula,
    table,
};
use serde_json::Value;

use crate::{responses, rscript, support::Folder};

#[test]
#[ignore = "needs R with MASS and jsonlite"]
fn fits_of_families_are_those_of_glm() {
    let folder = Folder::new();
    let text = rscript("families.R", &[&folder.path(".")]);
    let answers: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(answers.len(), 7);
    for answer in &answers {
        let text = |field: &str| answer[field].as_str();
        let name = text("name").unwrap();
        let data = table::read(&folder.path(&format!("{name}.csv")), &Default::default()).unwrap();
        let formula = text("formula").unwrap();
        let response = responses::response(&data, formula.split(" ~").next().unwrap(), answer);
        let formula = Formula::parse(formula).unwrap();
        let design = Design::from_formula(data, &formula, &FormulaOptions::default()).unwrap();
        let x = design.columns();
        let columns: Vec<&[f64]> = (0..design.p() as u32).map(|j| x.column(j)).collect();
        let fit = FamilyFit::of(&columns, &response, true, None).unwrap();
        assert_eq!(fit.status(), FitStatus::Converged, "{name}");
        let near = |own: f64, expected: &Value, tolerance: f64, what: &str| {
            let expected = expected.as_f64().unwrap();
            let off = (own - expected).abs();
            assert!(
                off <= tolerance * expected.abs().max(1e-3),
                "{name} {what}: {own} {expected}"
            );
        };
        near(fit.deviance(), &answer["deviance"], 1e-8, "deviance");
        near(fit.minus_two_log_likelihood(), &answer["m2ll"], 1e-8, "−2ℓ");
        if let Some(theta) = fit.theta() {
            // R stops where θ changes by a ten-thousandth of itself.
            near(theta, &answer["theta"], 1e-4, "θ");
        }
        near(fit.dispersion(), &answer["dispersion"], 1e-7, "dispersion");
        let quantile = match answer["family"] == "gamma" {
            // F of 1 and as many degrees of freedom as the residuals have.
            true => answer["quantile"].as_f64().unwrap(),
            false => 3.841_458_820_694_124,
        };
        let origin = design.variables().iter();
        let origin = origin.map(|own| -own.mean / own.norm).collect();
        let profile = Profile::new(columns.clone(), origin, &response, &fit);
        let mut intercept = fit.intercept().unwrap();
        for (at, variable) in design.variables().iter().enumerate() {
            let coefficient = fit.coefficients()[at] / variable.norm;
            intercept -= coefficient * variable.mean;
            near(
                coefficient,
                &answer["estimates"][&variable.name],
                1e-6,
                &variable.name,
            );
            let error = fit.std_errors()[at + 1] / variable.norm;
            near(
                error,
                &answer["std_errors"][&variable.name],
                1e-6,
                &variable.name,
            );
            if text("family") != Some("negative-binomial") {
                let ends = profile.ends(at + 1, quantile);
                for (end, side) in ends.into_iter().zip(["lower", "upper"]) {
                    let end = end.unwrap() / variable.norm;
                    near(end, &answer[side][&variable.name], 1e-6, side);
                }
            }
        }
        if text("family") != Some("negative-binomial") {
            let ends = profile.ends(0, quantile).into_iter();
            for (end, side) in ends.zip(["lower", "upper"]) {
                near(end.unwrap(), &answer[side]["(Intercept)"], 1e-6, side);
            }
        }
        near(
            intercept,
            &answer["estimates"]["(Intercept)"],
            1e-6,
            "intercept",
        );
        let is_gamma = answer["family"] == "gamma";
        let mut values = Vec::new();
        for row in 0..response.n() {
            let at = |field: &str| &answer[field][row];
            near(
                fit.deviance_residual(&response, row),
                at("residuals"),
                1e-5,
                "deviance residual",
            );
            near(
                fit.pearson_residual(&response, row),
                at("pearson"),
                1e-5,
                "Pearson residual",
            );
            values.clear();
            values.push(1.0);
            values.extend(columns.iter().map(|column| column[row]));
            near(
                fit.leverage(row, &values),
                at("leverages"),
                1e-5,
                "leverage",
            );
            for (share, field) in [(0.0, "least"), (1.0, "most")] {
                // R has no end there.
                if at(field).is_number() && !(is_gamma && share == 0.0) {
                    let own = fit.quantile_residual(&response, row, share);
                    near(own, at(field), 1e-4, "quantile residual");
                }
            }
        }
    }
}
