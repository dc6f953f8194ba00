//! Fits of families beside R's `glm`, for every model of small problems.

use passel::{
    Design, Pass, Table,
    criteria::{Aic, Bic, Criterion, Ebic},
    design::{FormulaOptions, Hierarchy, ResponseOptions},
    family::{Distribution, Family, FamilyFit, FamilyResponse, FitStatus, Link},
    formula::Formula,
    least_squares::Fit,
    search::ProofEffort,
    selection::Certificate,
    table::{self, Values},
};
use serde_json::Value;

use crate::{problems, responses};

/// A problem of the file, as a response and a design of all its terms.
struct Problem {
    design: Design,
    response: FamilyResponse,
    is_hierarchical: bool,
}

impl Problem {
    fn of(problem: &Value) -> Self {
        let text = |name: &str| problem[name].as_str();
        let path = format!("golden/families/{}", text("file").unwrap());
        let data = table::read(&problems::needed(&path), &Default::default()).unwrap();
        let terms: Vec<&str> = list(&problem["terms"]);
        let name = text("response").unwrap();
        let formula = format!("{name} ~ {}", terms.join(" + "));
        let response = responses::response(&data, name, problem);
        let formula = Formula::parse(&formula).unwrap();
        let reference = references(&data, problem);
        let options = FormulaOptions {
            reference: &reference,
            ..FormulaOptions::default()
        };
        let design = Design::from_formula(data, &formula, &options).unwrap();
        Self {
            design,
            response,
            is_hierarchical: problem["hierarchical"] == true,
        }
    }

    /// The fits of all models, with their terms and columns.
    fn all(&self) -> Vec<(Vec<u32>, Vec<u32>, FamilyFit)> {
        let x = self.design.columns();
        let count = x.term_count() as u32;
        let is_model = |members: &[u32]| {
            let names: Vec<&str> = members
                .iter()
                .map(|term| self.design.term_name(*term))
                .collect();
            let mut parts = names.iter().filter(|name| name.contains(':'));
            !self.is_hierarchical
                || parts.all(|name| name.split(':').all(|part| names.contains(&part)))
        };
        let models = (0..1_u32 << count)
            .map(|bits| (0..count).filter(|term| bits >> term & 1 == 1).collect());
        let models = models.filter(|members: &Vec<u32>| is_model(members));
        let mut empty = None;
        let fits = models.map(|members| {
            // Each begins at the empty model: the answer must not depend on it.
            let (least_squares, _) = Fit::of(x, self.design.y(), &members);
            let support = least_squares.support().to_vec();
            let columns: Vec<&[f64]> = support.iter().map(|j| x.column(*j)).collect();
            let fit = FamilyFit::of(&columns, &self.response, true, empty.as_ref()).unwrap();
            assert_ne!(fit.status(), FitStatus::NotConverged, "{members:?}");
            empty.get_or_insert_with(|| fit.clone());
            (members, support, fit)
        });
        fits.collect()
    }
}

/// The optimum of each criterion, as R finds it among all models: found, proved, and with R's numbers.
#[test]
#[ignore = "needs the folder shared"]
fn optima_of_eight_problems_are_those_of_r() {
    let text = std::fs::read_to_string(problems::needed("golden/families/families.json")).unwrap();
    let problems: Vec<Value> = serde_json::from_str(&text).unwrap();
    let families = problems.iter().filter(|problem| problem["family"] != "cox");
    let mut checked = 0;
    for golden in families {
        let text = |name: &str| golden[name].as_str();
        let path = format!("golden/families/{}", text("file").unwrap());
        let data = table::read(&problems::needed(&path), &Default::default()).unwrap();
        let terms = list(&golden["terms"]).join(" + ");
        let formula = Formula::parse(&format!("{} ~ {terms}", text("response").unwrap())).unwrap();
        let reference = references(&data, golden);
        let distribution = Distribution::named(text("family").unwrap()).unwrap();
        let kind = ResponseOptions {
            family: Family::new(distribution, Link::named(text("link").unwrap())).unwrap(),
            trials: text("events"),
            offset: text("offset"),
            ..ResponseOptions::default()
        };
        let options = FormulaOptions {
            reference: &reference,
            hierarchy: match golden["hierarchical"] == true {
                true => Hierarchy::Strong,
                false => Hierarchy::None,
            },
            kind,
            ..FormulaOptions::default()
        };
        let design = Design::from_formula(data, &formula, &options).unwrap();
        let n = design.n() as f64;
        for (name, criterion) in [
            ("aic", &Aic as &dyn Criterion),
            ("bic", &Bic),
            ("ebic1", &Ebic { gamma: 1.0 }),
        ] {
            let pass = Pass {
                proof: ProofEffort::Complete,
                max_size: Some(design.p().min(design.n() - 2)),
                ..Pass::default()
            };
            let expected = &golden["best"][name][0];
            let what = format!("{} {name}", golden["name"]);
            let selection = passel::select(&design, criterion, &pass).unwrap();
            assert_eq!(selection.certified, Some(Certificate::Global), "{what}");
            let close = |own: f64, expected: &Value, tolerance: f64| {
                let expected = expected.as_f64().unwrap();
                let off = (own - expected).abs();
                assert!(
                    off <= tolerance * expected.abs().max(1e-3),
                    "{what}: {own} {expected}"
                );
            };
            // Of least squares constants are left out that no model changes.
            let constant = match distribution {
                Distribution::Gaussian => n * ((2.0 * std::f64::consts::PI).ln() + 1.0),
                _ => 0.0,
            };
            close(
                selection.criterion.value + constant,
                &expected["value"],
                1e-8,
            );
            let chosen = match selection.terms.is_empty() {
                true => selection
                    .selected
                    .iter()
                    .map(|own| own.name.clone())
                    .collect(),
                false => selection
                    .terms
                    .iter()
                    .map(|own| own.name.clone())
                    .collect::<Vec<_>>(),
            };
            assert_eq!(chosen, list(&expected["terms"]), "{what}");
            if let Some(family) = &selection.family {
                close(family.deviance, &expected["deviance"], 1e-8);
            }
            let estimates = expected["coefficients"].as_array().unwrap();
            let of = |name: &str| estimates.iter().find(|own| own["name"] == *name);
            // Of columns that explain one another R keeps others.
            if golden["name"] != "quine" {
                let own = selection.intercept.as_ref().unwrap();
                close(own.coefficient, &estimates[0]["estimate"], 1e-7);
                close(own.std_error.unwrap(), &estimates[0]["std_error"], 1e-7);
                for own in &selection.selected {
                    let expected = of(&own.name).unwrap();
                    close(own.estimate.coefficient, &expected["estimate"], 1e-7);
                    close(
                        own.estimate.std_error.unwrap(),
                        &expected["std_error"],
                        1e-7,
                    );
                }
            }
            checked += 1;
        }
    }
    assert_eq!(checked, 24);
}

/// R's reference levels, which its locale orders: those without a coefficient.
fn references(data: &Table, problem: &Value) -> Vec<String> {
    let text = problem["best"].to_string();
    let factors = data
        .columns
        .iter()
        .filter_map(|column| match &column.values {
            Values::Factor { levels, .. } => Some((&column.name, levels)),
            _ => None,
        });
    let of_factor = |(name, levels): (&String, &Vec<String>)| {
        let lacks = |level: &&String| !text.contains(&format!("\"{name}{level}\""));
        let mut without = levels.iter().filter(lacks);
        let (first, other) = (without.next()?, without.next());
        other.is_none().then(|| format!("{name}={first}"))
    };
    factors.filter_map(of_factor).collect()
}

fn list(value: &Value) -> Vec<&str> {
    let list = value.as_array().unwrap().iter();
    list.map(|own| own.as_str().unwrap()).collect()
}

/// ln C(n, k).
fn ln_choose(n: usize, k: usize) -> f64 {
    (0..k)
        .map(|at| ((n - at) as f64 / (at + 1) as f64).ln())
        .sum()
}

#[test]
#[ignore = "needs the folder shared"]
fn every_model_of_eight_problems_is_that_of_r() {
    let text = std::fs::read_to_string(problems::needed("golden/families/families.json")).unwrap();
    let problems: Vec<Value> = serde_json::from_str(&text).unwrap();
    let families = problems.iter().filter(|problem| problem["family"] != "cox");
    let (mut checked, mut separated) = (0, 0);
    for golden in families {
        let problem = Problem::of(golden);
        let design = &problem.design;
        let all = problem.all();
        assert_eq!(
            all.len() as u64,
            golden["models"].as_u64().unwrap(),
            "{}",
            golden["name"]
        );
        let n = golden["n_criterion"].as_f64().unwrap();
        let terms = golden["terms"].as_array().unwrap().len();
        for name in ["aic", "bic", "ebic1"] {
            let value = |members: &[u32], fit: &FamilyFit| {
                let parameters = fit.coefficients().len() as f64;
                fit.minus_two_log_likelihood()
                    + match name {
                        "aic" => 2.0 * parameters,
                        "bic" => n.ln() * parameters,
                        _ => n.ln() * parameters + 2.0 * ln_choose(terms, members.len()),
                    }
            };
            let mut order: Vec<_> = all
                .iter()
                .map(|(members, support, fit)| (value(members, fit), members, (support, fit)))
                .collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (expected, (value, members, (support, fit))) in
                golden["best"][name].as_array().unwrap().iter().zip(order)
            {
                let what = format!("{} {name} {:?}", golden["name"], list(&expected["terms"]));
                let is_close = |own: f64, expected: f64, tolerance: f64| {
                    assert!(
                        (own - expected).abs() <= tolerance * expected.abs().max(1.0),
                        "{what}: {own} {expected}"
                    );
                };
                let names: Vec<&str> = members.iter().map(|term| design.term_name(*term)).collect();
                assert_eq!(names, list(&expected["terms"]), "{what}");
                is_close(value, expected["value"].as_f64().unwrap(), 1e-8);
                is_close(fit.deviance(), expected["deviance"].as_f64().unwrap(), 1e-8);
                let mut intercept = fit.intercept().unwrap();
                // Cells without cases: the estimates of R are where it stopped.
                if fit.status() == FitStatus::Separated {
                    assert!(fit.std_errors().iter().any(|error| *error > 1e3), "{what}");
                    separated += 1;
                    continue;
                }
                for (at, &column) in support.iter().enumerate() {
                    let variable = &design.variables()[column as usize];
                    let coefficient = fit.coefficients()[at] / variable.norm;
                    intercept -= coefficient * variable.mean;
                    let own = expected["coefficients"].as_array().unwrap().iter();
                    let Some(own) = own.clone().find(|own| own["name"] == *variable.name) else {
                        // Of columns that explain one another R keeps others.
                        assert_eq!(golden["name"], "quine", "{what}");
                        intercept = f64::NAN;
                        continue;
                    };
                    if golden["name"] != "quine" {
                        is_close(coefficient, own["estimate"].as_f64().unwrap(), 1e-7);
                        is_close(
                            fit.std_errors()[at + 1] / variable.norm,
                            own["std_error"].as_f64().unwrap(),
                            1e-7,
                        );
                    }
                }
                if !intercept.is_nan() && golden["name"] != "quine" {
                    is_close(
                        intercept,
                        expected["coefficients"][0]["estimate"].as_f64().unwrap(),
                        1e-7,
                    );
                }
                checked += 1;
            }
        }
    }
    println!("{checked} models, {separated} separated");
    assert!(checked >= 100 && separated < 10, "{checked} {separated}");
}
