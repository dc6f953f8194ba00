//! Fits of survival times beside R's `coxph`, for every model of small problems.

use nalgebra::{DMatrix, DVector};
use passel::{
    Design, Pass,
    criteria::{Aic, Bic, Criterion, Ebic},
    design::{FormulaOptions, MatrixOptions, ResponseOptions},
    family::{Family, FamilyError, FamilyFit, SurvivalResponse, SurvivalTimes, Ties},
    formula::Formula,
    least_squares::Fit,
    search::{Gain, ProofEffort},
    selection::Certificate,
    table,
};
use serde_json::Value;

use crate::{
    problems::{self, Random},
    reference::run,
};

/// A design of survival times of all terms of a problem.
fn design(golden: &Value) -> Design {
    let path = format!("golden/families/{}", golden["file"].as_str().unwrap());
    let data = table::read(&problems::needed(&path), &Default::default()).unwrap();
    let terms = golden["terms"].as_array().unwrap().iter();
    let terms: Vec<&str> = terms.map(|term| term.as_str().unwrap()).collect();
    let formula = Formula::parse(&format!("time ~ {}", terms.join(" + "))).unwrap();
    let reference = ["cell=squamous".to_owned()];
    let has_cells = data.columns.iter().any(|column| column.name == "cell");
    let options = FormulaOptions {
        reference: if has_cells { &reference } else { &[] },
        kind: ResponseOptions {
            family: Family::COX,
            event: Some("status"),
            ties: match golden["ties"].as_str().unwrap() {
                "efron" => Ties::Efron,
                _ => Ties::Breslow,
            },
            ..ResponseOptions::default()
        },
        ..FormulaOptions::default()
    };
    Design::from_formula(data, &formula, &options).unwrap()
}

#[test]
#[ignore = "needs the folder shared"]
fn every_model_of_survival_times_is_that_of_r() {
    let text = std::fs::read_to_string(problems::needed("golden/families/families.json")).unwrap();
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    let mut checked = 0;
    for golden in all.iter().filter(|golden| golden["family"] == "cox") {
        let design = design(golden);
        let terms = design.columns().term_count() as u32;
        let n = golden["n_criterion"].as_f64().unwrap();
        assert_eq!(design.likelihood().unwrap().criterion_n() as f64, n);
        let models: Vec<(Vec<u32>, Fit)> = (0..1_u32 << terms)
            .map(|bits| {
                let members: Vec<u32> = (0..terms).filter(|term| bits >> term & 1 == 1).collect();
                let (fit, _) = Fit::of(design.columns(), design.y(), &members);
                (members, fit)
            })
            .collect();
        assert_eq!(models.len() as u64, golden["models"].as_u64().unwrap());
        for name in ["aic", "bic", "ebic1"] {
            let value = |members: &[u32], fit: &FamilyFit| {
                let parameters = fit.coefficients().len() as f64;
                let choose = (0..members.len())
                    .map(|at| ((terms as usize - at) as f64 / (at + 1) as f64).ln())
                    .sum::<f64>();
                fit.minus_two_log_likelihood()
                    + match name {
                        "aic" => 2.0 * parameters,
                        "bic" => n.ln() * parameters,
                        _ => n.ln() * parameters + 2.0 * choose,
                    }
            };
            let mut order: Vec<_> = models
                .iter()
                .map(|(members, fit)| {
                    let own = fit.family().unwrap();
                    (value(members, own), members, fit.support(), own)
                })
                .collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            let best = golden["best"][name].as_array().unwrap();
            for (expected, (value, members, support, fit)) in best.iter().zip(order) {
                let what = format!("{} {name} {members:?}", golden["name"]);
                let is_close = |own: f64, expected: f64, tolerance: f64| {
                    let off = (own - expected).abs();
                    assert!(
                        off <= tolerance * expected.abs().max(1.0),
                        "{what}: {own} {expected}"
                    );
                };
                let names = members.iter().map(|term| design.term_name(*term));
                let wanted = expected["terms"].as_array().unwrap().iter();
                assert!(
                    names.eq(wanted.map(|name| name.as_str().unwrap())),
                    "{what}"
                );
                is_close(value, expected["value"].as_f64().unwrap(), 1e-8);
                is_close(
                    fit.minus_two_log_likelihood(),
                    expected["m2ll"].as_f64().unwrap(),
                    1e-8,
                );
                for (at, column) in support.iter().enumerate() {
                    let variable = &design.variables()[*column as usize];
                    let own = expected["coefficients"].as_array().unwrap().iter();
                    let own = own
                        .clone()
                        .find(|own| own["name"] == *variable.name)
                        .unwrap();
                    let coefficient = fit.coefficients()[at] / variable.norm;
                    is_close(coefficient, own["estimate"].as_f64().unwrap(), 1e-8);
                    let error = fit.std_errors()[at] / variable.norm;
                    is_close(error, own["std_error"].as_f64().unwrap(), 1e-8);
                }
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 45);
}

/// The optimum of each criterion, as R finds it among all models: found, and proved.
#[test]
#[ignore = "needs the folder shared"]
fn optima_of_survival_times_are_those_of_r() {
    let text = std::fs::read_to_string(problems::needed("golden/families/families.json")).unwrap();
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    for golden in all.iter().filter(|golden| golden["family"] == "cox") {
        let design = design(golden);
        let criteria: [(&str, &dyn Criterion); 3] = [
            ("aic", &Aic),
            ("bic", &Bic),
            ("ebic1", &Ebic { gamma: 1.0 }),
        ];
        for (name, criterion) in criteria {
            let expected = &golden["best"][name][0];
            for proof in [ProofEffort::None, ProofEffort::default()] {
                let pass = Pass {
                    proof,
                    ..Pass::default()
                };
                let found = run(&design, criterion, &pass, 1, |_| {});
                let value = expected["value"].as_f64().unwrap();
                let what = format!("{} {name}: {} {value}", golden["name"], found.value);
                assert!((found.value - value).abs() < 1e-8 * value, "{what}");
                let certificate = match proof {
                    ProofEffort::None => Certificate::Local,
                    _ => Certificate::Global,
                };
                assert_eq!(found.certified, Some(certificate), "{what}");
            }
        }
    }
}

/// Searches of small problems end at the best of all models, proved, by either gain, with ties, strata and late entry.
#[test]
fn survival_searches_end_at_the_best_of_all_models() {
    let mut random = Random::new(61);
    for round in 0..36 {
        let (n, p) = (40 + 5 * (round % 4), 3 + round % 4);
        let x = DMatrix::from_fn(n, p, |_, _| random.normal());
        let time = DVector::from_fn(n, |row, _| {
            let rate = (0.8 * x[(row, 0)] - 0.6 * x[(row, 1)]).exp();
            (1.0 - 9.0 * random.uniform().ln() / rate).floor()
        });
        let event: Vec<f64> = (0..n)
            .map(|_| f64::from(u8::from(random.uniform() < 0.8)))
            .collect();
        let entry: Vec<f64> = time
            .iter()
            .map(|time| (time * random.uniform()).floor() - 0.5)
            .collect();
        let strata: Vec<f64> = (0..n).map(|row| (row % 2) as f64).collect();
        let weights: Vec<f64> = (0..n).map(|row| [0.5, 1.0, 2.0][row % 3]).collect();
        let offset: Vec<f64> = (0..n).map(|row| 0.2 * (row % 4) as f64).collect();
        let options = MatrixOptions {
            family: Family::COX,
            event: Some(&event),
            entry: (round % 3 == 1).then_some(&entry),
            strata: (round % 4 == 2).then_some(&strata),
            weights: (round % 5 == 3).then_some(&weights),
            offset: (round % 6 == 4).then_some(&offset),
            ties: Ties::ALL[round % 2],
            ..MatrixOptions::default()
        };
        let design = Design::from_matrices(&x, &time, &options).unwrap();
        let events = event.iter().sum::<f64>();
        assert_eq!(design.likelihood().unwrap().criterion_n() as f64, events);
        let criterion: &dyn Criterion = [&Aic as &dyn Criterion, &Bic][round % 2];
        let pass = Pass {
            gain: [Gain::Correlation, Gain::Exact][round / 2 % 2],
            ..Pass::default()
        };
        let found = run(&design, criterion, &pass, 1 + round % 2, |_| {});
        let charge = [2.0, events.ln()][round % 2];
        let least = (0..1_u32 << p)
            .map(|bits| {
                let members: Vec<u32> = (0..p as u32).filter(|j| bits >> j & 1 == 1).collect();
                let (fit, _) = Fit::of(design.columns(), design.y(), &members);
                let value = fit.family().unwrap().minus_two_log_likelihood();
                value + charge * members.len() as f64
            })
            .fold(f64::INFINITY, f64::min);
        let off = (found.value - least).abs();
        assert!(
            off < 1e-7 * (1.0 + least.abs()),
            "{round}: {} {least}",
            found.value
        );
        assert_eq!(found.certified, Some(Certificate::Global), "{round}");
    }
}

/// Who has weight 0 is not at risk.
#[test]
fn nobody_of_weight_0_is_at_risk() {
    let fails = |weights: &[f64]| {
        let times = SurvivalTimes {
            time: &[1.0, 2.0, 3.0, 4.0, 5.0],
            event: &[1.0, 0.0, 1.0, 0.0, 1.0],
            entry: &[0.0, 0.0, 2.0, 0.0, 4.0],
            weights,
            ..SurvivalTimes::default()
        };
        match SurvivalResponse::new(&times) {
            Ok(_) => false,
            Err(error) => {
                assert!(matches!(error, FamilyError::NobodyElseAtRisk), "{error}");
                true
            }
        }
    };
    assert!(!fails(&[1.0; 5]));
    assert!(fails(&[1.0, 0.0, 1.0, 0.0, 1.0]));
    assert!(!fails(&[1.0, 0.5, 1.0, 0.0, 1.0]));
}
